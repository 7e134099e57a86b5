"""What the user changes of a joint in the viewport: where its axes point, how far they go, where it starts."""

from __future__ import annotations

import math

import bpy
from mathutils import Quaternion, Vector

from ...core.joints import Unit
from ...core.spatial import compose
from .. import ids
from ..props import axes_in_use, core_joint
from .dials import Dial, view_joint
from .frames import store_frames, stored_frames
from .numbers import tidy_pose, unit_length
from .settling import settle_joint

ROUND = 7
"""Digits of a direction that single precision can keep."""


def aim_axis(obj: bpy.types.Object, scene: bpy.types.Scene, number: int, direction: Vector) -> None:
    """Let axis `number` of the joint point along a direction in the world, with all links where they are.

    Where the type says how its axes lie to each other, the whole joint is turned.

    Raises:
        ModelError: the joint cannot be used as it is.
    """
    dial = next(dial for dial in view_joint(obj, scene).dials if dial.axis == number)
    if dial.pointed:
        slot = core_joint(getattr(obj, ids.JOINT)).kind.slot(number)
        chosen = getattr(obj, ids.JOINT).axes[number if slot.along is None else slot.along]
        is_backward = (dial.frame.inverted() @ dial.direction).dot(Vector(chosen.xyz)) < 0.0
        local = dial.frame.inverted() @ (-direction if is_backward else direction).normalized()
        chosen.xyz = [round(part, ROUND) + 0.0 for part in local]
        return
    turn = dial.direction.rotation_difference(direction.normalized())
    turn_joint(obj, scene, turn)


def turn_joint(obj: bpy.types.Object, scene: bpy.types.Scene, turn: Quaternion) -> None:
    """Turn both of the joint's frames about its origin, by a rotation in the world, with all links where they are.

    Raises:
        ModelError: the joint lacks a link or its frames.
    """
    joint = getattr(obj, ids.JOINT)
    parent_turn = joint.parent.matrix_world.to_quaternion() if joint.parent else None
    local = parent_turn.inverted() @ turn @ parent_turn if parent_turn else turn
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = (local @ obj.rotation_quaternion).normalized()
    settle_joint(obj, scene)


def set_limits(
    obj: bpy.types.Object, scene: bpy.types.Scene, number: int, lower: float | None, upper: float | None
) -> None:
    """Limits of axis `number` [rad or m]; None leaves one as it is, and infinite ones are switched off."""
    joint = getattr(obj, ids.JOINT)
    axis = axes_in_use(joint)[number]
    size = unit_length(scene) if core_joint(joint).axis_unit(number) is Unit.LENGTH else 1.0
    for name, value in (("lower", lower), ("upper", upper)):
        if value is not None:
            setattr(axis, f"use_{name}", math.isfinite(value))
            if math.isfinite(value):
                setattr(axis, name, value / size)


def set_home(obj: bpy.types.Object, scene: bpy.types.Scene, dial: Dial, value: float) -> None:
    """Let simulations start with the dial's coordinate at `value` [rad or m]."""
    joint = getattr(obj, ids.JOINT)
    columns = core_joint(joint).all_columns
    number = next(i for i, column in enumerate(columns) if column.axis == dial.axis)
    size = unit_length(scene) if columns[number].unit is Unit.LENGTH else 1.0
    joint.use_home = True
    joint.coordinates[number].home = value / size


def move_zero(obj: bpy.types.Object, scene: bpy.types.Scene, dial: Dial, by: float) -> None:
    """Move where the dial's coordinate is 0, with all links, and where simulations start, as they are.

    The parent-side frame goes along the dial by itself: the child keeps its place in the joint.

    Args:
        dial: of the joint's first coordinate. by: [rad or m].

    Raises:
        ModelError: the joint lacks a link or its frames.
    """
    settle_joint(obj, scene)
    X_PJ, X_CJ = stored_frames(obj)
    direction = dial.frame.inverted() @ dial.direction
    along = dial.size if dial.kind == "slide" else dial.advance
    turn = Quaternion(direction, by * dial.size) if dial.kind == "turn" else Quaternion()
    (x, y, z), (qw, qx, qy, qz) = direction * (by * along), turn
    store_frames(obj, tidy_pose(compose(X_PJ, (x, y, z, qw, qx, qy, qz))), X_CJ)
    set_home(obj, scene, dial, (dial.home or 0.0) - by)
