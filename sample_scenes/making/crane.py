# SPDX-License-Identifier: GPL-3.0-or-later
"""A crane that is let go: springs hold slew, arm, stick and bucket, and a hook swings on a chain of balls.

The model is crane.sdf, as a roboticist would write it, and the scene is its import on a yard. Drake computed the
places that lie beside it.
"""

from __future__ import annotations

from workshop import SCENES, begin, box, bring_in, collide, film


def build() -> None:
    begin("Crane", last_frame=250, contact=True)
    bring_in(SCENES / "crane.sdf")
    collide(box("yard", (12.0, 9.0, 0.2), (1.5, 0.0, -0.1), "paper", collection="Stand"))
    film((7.0, -11.0, 5.6), (1.75, 0.6, 1.95), lens=60.0)
