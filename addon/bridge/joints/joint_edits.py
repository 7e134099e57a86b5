# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of a joint in the viewport: directions of its axes, their limits, initial values and zeros."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from ....core.joints import Unit
from ....core.model import ModelError
from ....core.model.screws import joint_pose, screws_of
from ....core.spatial import IDENTITY, compose, inverse
from ...nodes import Node, joins_itself, model_name
from ...props import axes_in_use, core_joint
from ...props.members import joints_in
from ...props.settings import joint_settings
from ..posing.link_poses import live_pose
from ..values.numbers import scaled_pose, tidy_pose, unit_length
from .axis_views import AxisView, view_joint
from .frames import child_in_parent, store_frames, stored_frames
from .read_joints import read_joint
from .storing_frames import store_joint_frames

ZERO_COORDINATE = 1e-9
"""Coordinate below which it counts as 0 [rad or m]."""

DIRECTION_DECIMALS = 7
"""Number of decimals to which directions are rounded, as many as single precision keeps."""


def aim_axis(obj: Node, scene: bpy.types.Scene, number: int, direction: Vector) -> None:
    """Point axis `number` of the joint along a direction in the world. All links keep their poses.

    If the type fixes the directions of its axes relative to each other, the whole joint is turned.

    Raises:
        ModelError: if the joint cannot be used as it is, or if it is that of a bone and the type fixes the directions.
    """
    store_joint_frames(obj, scene)
    view = view_joint(obj, scene)
    axis = next(axis for axis in view.axes if axis.number == number)
    if not axis.is_pointed:
        turn_joint(obj, scene, axis.direction.rotation_difference(direction.normalized()))
        return
    slot = core_joint(joint_settings(obj)).kind.slot(number)
    chosen = joint_settings(obj).axes[number if slot.along is None else slot.along]
    is_backward = (axis.frame.inverted() @ axis.direction).dot(Vector(chosen.xyz)) < 0.0
    local = axis.frame.inverted() @ (-direction if is_backward else direction).normalized()
    chosen.xyz = [round(part, DIRECTION_DECIMALS) + 0.0 for part in local]
    _keep_link_poses(obj, scene, view.q)


def _keep_link_poses(obj: Node, scene: bpy.types.Scene, q: tuple[float, ...]) -> None:
    """Change the child-side frame so that the links keep their poses at coordinates q of the changed joint."""
    joint = read_joint(obj, scene)
    if joins_itself(obj) or joint.kind.chart or np.allclose(q, joint.q_neutral, atol=ZERO_COORDINATE):
        return
    X_J = scaled_pose(joint_pose(joint, q), 1.0 / unit_length(scene))
    X_PJ, _ = stored_frames(obj)
    store_frames(obj, X_PJ, compose(inverse(child_in_parent(obj)), compose(X_PJ, X_J)))


def turn_joint(obj: Node, scene: bpy.types.Scene, turn: Quaternion) -> None:
    """Rotate both frames of the joint about its origin, by a rotation in world axes. All links keep their poses.

    Raises:
        ModelError: if the joint lacks a link or its frames, or is that of a bone.
    """
    if joins_itself(obj):
        raise ModelError(
            f"joint '{model_name(obj)}' has the axes of its bone: change the bone's roll, or choose another type"
        )
    store_joint_frames(obj, scene)  # parents the Empty to the parent link
    parent = joint_settings(obj).parent_node
    carried = Quaternion(live_pose(parent)[3:]) if parent else Quaternion()
    obj.rotation_quaternion = (carried.inverted() @ turn @ carried @ obj.rotation_quaternion).normalized()
    store_joint_frames(obj, scene)


def set_limits(obj: Node, scene: bpy.types.Scene, number: int, lower: float | None, upper: float | None) -> None:
    """Set the limits of axis `number` [rad or m]; None leaves one unchanged, an infinite one is switched off."""
    joint = joint_settings(obj)
    axis = axes_in_use(joint)[number]
    size = unit_length(scene) if core_joint(joint).axis_unit(number) is Unit.LENGTH else 1.0
    for name, value in (("lower", lower), ("upper", upper)):
        if value is not None:
            setattr(axis, f"use_{name}", math.isfinite(value))
            if math.isfinite(value):
                setattr(axis, name, value / size)


def set_home(obj: Node, scene: bpy.types.Scene, axis: AxisView, value: float) -> None:
    """Set the initial value of a coordinate [rad or m]. The other coordinates keep their initial values.

    Raises:
        ModelError: if the joint cannot be used as it is.
    """
    joint = joint_settings(obj)
    known = core_joint(joint)
    unit = unit_length(scene)
    sizes = [unit if what is Unit.LENGTH else 1.0 for _, what in known.home_units]
    if not joint.use_home:  # the stored values are not in use then
        for coordinate, start, size in zip(joint.coordinates, read_joint(obj, scene).home, sizes, strict=True):
            coordinate.home = start / size
        joint.use_home = True
    number = next(i for i, column in enumerate(known.all_columns) if column.axis == axis.number)
    joint.coordinates[number].home = value / sizes[number]


def move_zero(obj: Node, scene: bpy.types.Scene, axis: AxisView, by: float) -> None:
    """Move the zero of a joint's coordinate. All links and the initial pose stay where they are.

    The parent-side frame moves along the axis by `by`, and the child-side frame stays. Joints that follow this joint,
    and joints that it follows, move as before.

    Args:
        axis: of the joint's first coordinate.
        by: displacement of the zero [rad or m].

    Raises:
        ModelError: if the joint lacks a link or its frames, has no coordinate, or is that of a bone.
    """
    if joins_itself(obj):
        raise ModelError(
            f"joint '{model_name(obj)}' counts from the rest pose of its bone: Pose > Apply > Apply Pose as Rest Pose "
            "moves it"
        )
    store_joint_frames(obj, scene)
    X_PJ, X_CJ = stored_frames(obj)
    start = (axis.home or 0.0) - by
    locked_pose = IDENTITY
    for screw in screws_of(read_joint(obj, scene)):
        if screw.locked_at is None:
            step = compose(locked_pose, compose(screw.pose(by), inverse(locked_pose)))
            break
        locked_pose = compose(locked_pose, screw.locked_pose())
    else:
        raise ModelError(f"joint '{model_name(obj)}' has no coordinate whose zero could be moved")
    store_frames(obj, tidy_pose(compose(X_PJ, scaled_pose(step, 1.0 / unit_length(scene)))), X_CJ)
    set_home(obj, scene, axis, start)
    _shift_mimics(obj, scene, axis.number, by)


def _shift_mimics(obj: Node, scene: bpy.types.Scene, number: int, by: float) -> None:
    """Adapt the offset or reference of mimics to the new zero of an axis, which follows or is followed."""
    own = joint_settings(obj)
    count = core_joint(own).axis_count
    if own.use_mimic and (count == 1 or own.mimic.axis == number):
        own.mimic.offset -= by
    for joint in map(joint_settings, joints_in(scene)):
        if joint.use_mimic and joint.mimic.leader_node == obj and (count == 1 or joint.mimic.leader_axis == number):
            joint.mimic.reference -= by
