# SPDX-License-Identifier: GPL-3.0-or-later
"""The wooden puppet of the ragdoll, let go at the top of a flight of stairs.

Its parts, its joints and their stops are those of ragdoll.py and puppet.py, without the trapeze. What it must do has no
formula: it comes to rest on the stairs or below them, no part sinks in, no joint gapes, and it only loses energy.
"""

from __future__ import annotations

from dataclasses import replace

import bpy
from mathutils import Matrix
from puppet import BALLS, HINGES, LINKS, TRIMMINGS
from ragdoll import carry, joined, set_ball, set_hinge, turned
from workshop import begin, box, collide, film, hide_fitted, link, slip

from limberjack.addon import ids

STEPS, RISE, TREAD, WIDTH = 8, 0.18, 0.25, 1.6
TOP = STEPS * RISE
FRICTION = 0.2
LEFT_OUT = ("handle",)


def build() -> None:
    begin("Tumble", last_frame=120, contact=True)
    _stairs()
    links = {name: turned(name, shape, "Puppet") for name, shape in LINKS.items() if name not in LEFT_OUT}
    for name, (owner, shape) in TRIMMINGS.items():
        if owner in links:
            carry(turned(name, shape, "Puppet"), links[owner])
    _put_up(links)
    link(*links.values(), material="wood")
    slip(FRICTION, 0.0, *links.values())
    bpy.ops.limberjack.collision_add(type="BOX")  # of all that link() has selected
    hide_fitted()
    for name, hinge in HINGES.items():
        moved = replace(hinge, place=_lifted(hinge.place))
        set_hinge(joined(name, moved, links), moved)
    for name, known in BALLS.items():
        if known.parent not in LEFT_OUT:
            moved = replace(known, place=_lifted(known.place))
            set_ball(joined(name, moved, links), moved)
    _kick(links["chest"])
    getattr(bpy.context.scene, ids.SCENE).accuracy = "draft"
    film((5.0, -5.6, 3.2), (0.2, -1.7, 0.7), lens=46.0, width=1000, height=900)


AHEAD = 0.1
"""How far before the edge of the landing it hangs when it is let go."""


PUSH, PUSHED = 85.0, 7
"""Newtons in the back, for so many frames."""


def _kick(chest: bpy.types.Object) -> None:
    settings = getattr(chest, ids.LINK)
    for frame, force in ((1, PUSH), (PUSHED, PUSH), (PUSHED + 1, 0.0)):
        settings.force = (0.0, -force, 0.25 * force)
        settings.keyframe_insert("force", frame=frame)


def _lifted(place):
    x, y, z = place
    return x, y - AHEAD, z + TOP - 0.22


def _put_up(links: dict[str, bpy.types.Object]) -> None:
    """Onto the landing, as it is drawn; its Starts then pose it."""
    for obj in links.values():
        obj.matrix_world = Matrix.Translation(_lifted((0.0, 0.0, 0.0))) @ obj.matrix_world
    bpy.context.view_layer.update()


def _stairs() -> None:
    steps = []
    for number in range(STEPS):
        height = TOP - number * RISE
        far, near = -number * TREAD, -(number + 1) * TREAD
        if number == 0:
            far = 1.0
        name = "landing" if number == 0 else f"step {number}"
        size = (WIDTH, far - near, height)
        steps.append(box(name, size, (0.0, (far + near) / 2.0, height / 2.0), "paper", collection="Stand"))
    floor = box("floor", (4.0, 6.0, 0.1), (0.0, -2.0, -0.05), "slate", collection="Stand")
    collide(*steps, floor)
    slip(FRICTION, 0.0, *steps, floor)
