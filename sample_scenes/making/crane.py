"""A crane that is let go: springs hold slew, arm, stick and bucket, and a hook swings on a chain of balls.

The model is crane.sdf, as a roboticist would write it, and the scene is its import. Drake computed the places that lie
beside it.
"""

from __future__ import annotations

from workshop import SCENES, begin, bring_in, film


def build() -> None:
    begin("Crane", last_frame=250)
    bring_in(SCENES / "crane.sdf")
    film((7.0, -11.0, 5.6), (1.75, 0.6, 1.95), lens=60.0)
