# SPDX-License-Identifier: GPL-3.0-or-later
"""Two bars on a stand, let go with both of them raised: chaos, on which no friction is spent.

The model is double_pendulum.sdf, as a roboticist would write it; the scene is its import, with joints that start where
the motion is lively, and a floor under the stand. Drake computed the places that lie beside it.
"""

from __future__ import annotations

import bpy
from workshop import SCENES, begin, box, bring_in, collide, film, start

from limberjack.addon import ids

STARTS = {"shoulder": 1.0, "elbow": 0.5}
"""Radians from where the bars hang in balance."""


def build() -> None:
    begin("Double Pendulum", last_frame=250, contact=True)
    bring_in(SCENES / "double_pendulum.sdf")
    for name, angle in STARTS.items():
        start(getattr(bpy.data.objects[name], ids.JOINT), angle)
    collide(box("floor", (2.4, 1.8, 0.06), (0.0, 0.0, -0.03), "wood", collection="Stand"))
    film((1.3, -5.6, 2.1), (0.0, 0.0, 1.0), lens=66.0, width=1000, height=1000)
