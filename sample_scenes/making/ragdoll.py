# SPDX-License-Identifier: GPL-3.0-or-later
"""A jointed wooden puppet, 1.2 m tall, that hangs on a trapeze by its left hand, leaps from there and lets go.

The puppet is drawn as it hangs straight, facing -y, with its left hand up; there all joints are at 0, and position
drives with a target of 0 bring it back there. It starts in a leap, from the joints' Starts. All is turned wood, the
cords apart: shapes that a lathe makes, which leave as ellipsoids. Sizes, limits, damping and colours are in puppet.py.

Stops are rigid and do not throw back, as wood on wood: at stiff ones that give way, limbs would rattle. Drake computed
the places that lie beside it, up to when the first stop is met. After five seconds the grip breaks, and the puppet
falls onto the base and the floor, where it comes to rest.
"""

from __future__ import annotations

import math
from typing import Any

import bpy
import numpy as np
from mathutils import Quaternion, Vector
from puppet import BALLS, COLORS, HINGES, LINKS, STAND, TRIMMINGS, Ball, Hinge, Turned
from workshop import begin, box, collection_of, collide, film, join, limit, link, paint, slip, start

from limberjack.addon import ids

SEGMENTS = 24  # a multiple of four, so that the bounds are the true size
RINGS = 12
DENSITY = "wood"
LETS_GO, LAST_FRAME = 121, 192
FRICTION = 0.4


def build() -> None:
    begin("Ragdoll", LAST_FRAME, contact=True)
    links = {name: turned(name, shape, "Puppet") for name, shape in LINKS.items()}
    for name, (owner, shape) in TRIMMINGS.items():
        carry(turned(name, shape, "Puppet"), links[owner])
    stand = [turned(name, shape, "Stand") for name, shape in STAND.items()]
    bpy.context.view_layer.update()
    link(*links.values(), material=DENSITY)
    slip(FRICTION, 0.0, *links.values())
    _floor(stand)
    handle = getattr(links["handle"], ids.LINK)
    handle.motion, handle.collides = "KINEMATIC", False  # the hand is about it when it lets go
    for name, hinge in HINGES.items():
        set_hinge(joined(name, hinge, links), hinge)
    for name, ball in BALLS.items():
        set_ball(joined(name, ball, links), ball)
    grip = getattr(bpy.data.objects["grip"], ids.JOINT)
    grip.use_released_at, grip.released_at = True, LETS_GO
    film((1.45, -3.9, 1.45), (0.1, 0.1, 1.0), lens=58.0, width=1000, height=1200)


def _floor(stand: list[bpy.types.Object]) -> None:
    floor = box("floor", (2.6, 2.6, 0.06), (0.1, 0.1, -0.03), "paper", collection="Stand")
    collide(floor, *stand)
    slip(FRICTION, 0.0, floor, *stand)


def turned(name: str, shape: Turned, collection: str) -> bpy.types.Object:
    """The shape as an object whose z runs along it, with its origin where the shape says."""
    start, end, origin = Vector(shape.start), Vector(shape.end), Vector(shape.origin or shape.start)
    along = (end - start).to_track_quat("Z", "Y")
    mesh = bpy.data.meshes.new(name)
    to_start = along.inverted() @ (start - origin)
    points = _lathe(shape, (end - start).length) + np.array(to_start)
    mesh.from_pydata(points.tolist(), [], _faces())
    mesh.shade_smooth()
    mesh.materials.append(paint(shape.color, COLORS[shape.color]))
    obj = bpy.data.objects.new(name, mesh)
    collection_of(collection).objects.link(obj)
    obj.location, obj.rotation_mode, obj.rotation_quaternion = origin, "QUATERNION", along
    obj.color = (*COLORS[shape.color], 1.0)
    getattr(obj, ids.LINK).primitive = "ELLIPSOID"
    return obj


def _lathe(shape: Turned, length: float) -> np.ndarray:
    """Points from z = 0 to `length`: rings, then the two poles, shape (RINGS * SEGMENTS + 2, 3).

    A ring at the angle t from the first pole has the radius sin(t)^bluntness (1 + taper cos(t)): an ellipsoid's for 1
    and 0, that of a rod with flat ends near 0.
    """
    t = math.pi * (np.arange(RINGS) + 0.5) / RINGS
    radius = np.sin(t) ** shape.bluntness * (1.0 + shape.taper * np.cos(t))
    around = math.tau * np.arange(SEGMENTS) / SEGMENTS
    circle = np.column_stack([shape.width * np.cos(around), shape.depth * np.sin(around)])
    rings = np.empty((RINGS, SEGMENTS, 3))
    rings[..., :2] = (radius / radius.max())[:, None, None] * circle
    rings[..., 2] = (0.5 * length * (1.0 - np.cos(t)))[:, None]
    return np.vstack([rings.reshape(-1, 3), (0.0, 0.0, 0.0), (0.0, 0.0, length)])


def _faces() -> list[tuple[int, ...]]:
    faces = []
    for i in range(SEGMENTS):
        j = (i + 1) % SEGMENTS
        for ring in range(0, (RINGS - 1) * SEGMENTS, SEGMENTS):
            faces.append((ring + i, ring + j, ring + SEGMENTS + j, ring + SEGMENTS + i))
        top, first, last = (RINGS - 1) * SEGMENTS, RINGS * SEGMENTS, RINGS * SEGMENTS + 1
        faces += [(first, j, i), (last, top + i, top + j)]
    return faces


def carry(obj: bpy.types.Object, owner: bpy.types.Object) -> None:
    """Let the owner carry the object where it stands."""
    bpy.context.view_layer.update()
    obj.parent = owner
    obj.matrix_parent_inverse = owner.matrix_world.inverted()


def joined(name: str, joint: Hinge | Ball, links: dict[str, bpy.types.Object]) -> Any:
    return join(name, joint.type, links[joint.parent], links[joint.child], joint.place, size=0.04)


def set_hinge(settings: Any, hinge: Hinge) -> None:
    axis = settings.axes[0]
    axis.xyz, axis.damping = hinge.axis, hinge.damping
    limit(axis, *map(math.radians, hinge.limits))
    start(settings, math.radians(hinge.start))


def set_ball(settings: Any, ball: Ball) -> None:
    *turns, cone, twist = settings.axes
    for axis in turns:
        axis.damping = ball.damping
    cone.xyz, cone.use_stiffness, cone.use_upper, cone.upper = ball.axis, False, True, math.radians(ball.cone)
    limit(twist, -math.radians(ball.twist), math.radians(ball.twist))
    turn = Vector(ball.start)
    start(settings, *(Quaternion(turn, math.radians(turn.length)) if turn.length else Quaternion()))
