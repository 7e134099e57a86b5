# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops whose mobility is known, drawn closed."""

from __future__ import annotations

import math

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.spatial import IDENTITY, Pose, compose, inverse, norm, quat_of_mat, scale, sub, z_to

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def join(model: Model, name: str, kind: str, parent: str, child: str, at: Pose | tuple, *axes, **settings) -> Joint:
    """Add a joint whose frames meet at a point, or at a pose, of the world as drawn."""
    frame = at if len(at) == 7 else (*at, *IDENTITY[3:])
    X_PJ, X_CJ = (
        compose(inverse(IDENTITY if end == WORLD else model.link(end).pose), frame) for end in (parent, child)
    )
    joint = Joint(name, kind, parent, child, X_PJ, X_CJ, [Axis(xyz=axis) for axis in axes], **settings)
    model.joints.append(joint)
    return joint


def four_bar() -> Model:
    """A crank, a coupler and a rocker on hinges about z."""
    model = Model("four_bar", [Link("crank"), Link("coupler"), Link("rocker")])
    join(model, "crank_pivot", "revolute", WORLD, "crank", (0.0, 0.0, 0.0), Z)
    join(model, "crank_pin", "revolute", "crank", "coupler", (0.0, 1.0, 0.0), Z)
    join(model, "rocker_pin", "revolute", "coupler", "rocker", (2.0, 1.5, 0.0), Z)
    join(model, "rocker_pivot", "revolute", WORLD, "rocker", (2.0, 0.0, 0.0), Z)
    return model


def bricard() -> Model:
    """Six hinges along the edges of a cube: rigid by Gruebler's count, yet it moves (IFToMM benchmark A04)."""
    corners = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))
    model = Model("bricard", [Link(f"bar{i}") for i in range(1, 6)])
    for i, axis in enumerate((Y, Z, X, Y, Z)):
        join(model, f"hinge{i}", "revolute", f"bar{i}" if i else WORLD, f"bar{i + 1}", corners[i], axis)
    join(model, "hinge5", "revolute", WORLD, "bar5", corners[5], X)
    return model


def stewart(lower: str) -> Model:
    """A platform on six legs: a `lower` joint on the ground ("universal" or "ball"), a slide, a ball on top."""
    model = Model(f"stewart_{lower}", [Link("platform", pose=(0.0, 0.0, 1.2, *IDENTITY[3:]))])
    for i in range(6):
        foot, head = (
            (radius * math.cos(angle), radius * math.sin(angle), height)
            for radius, height, angle in (
                (1.0, 0.0, math.radians(120 * (i // 2) + (20 if i % 2 else -20))),
                (0.6, 1.2, math.radians(120 * (i // 2) + (40 if i % 2 else -40))),
            )
        )
        way = sub(head, foot)
        turned = quat_of_mat(z_to(scale(way, 1.0 / norm(way))))
        model.links += [Link(f"tube{i}", pose=(*foot, *turned)), Link(f"rod{i}", pose=(*head, *turned))]
        crossed = (X, Y) if lower == "universal" else ()
        join(model, f"foot{i}", lower, WORLD, f"tube{i}", (*foot, *turned), *crossed)
        join(model, f"slide{i}", "prismatic", f"tube{i}", f"rod{i}", (*head, *turned), Z)
        join(model, f"head{i}", "ball", f"rod{i}", "platform", head)
    return model
