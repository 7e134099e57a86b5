# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose links both move as they are animated. The animation leads, so simulations leave such joints out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ....core.kinematics import coordinates_at, relative_pose
from ....core.model import WORLD, Joint, Model
from ....core.model.screws import limited_quantities_at
from ....core.model.text import measured, measured_span
from ....core.spatial import IDENTITY, Pose
from ...bridge.scene.read import SceneReading
from ...props.settings import link_settings
from .sampling import Poses

ROUNDING = 1e-4
"""Angle [rad] or length [m] by which animation may exceed a limit untold, because of Blender's single precision."""


def joints_without_effect(reading: SceneReading) -> list[Joint]:
    """Return the joints of the scene between two links that do not give way, at least one of which is animated.

    A joint that others follow is not included: its values count.
    """
    fixed = {name for name, obj in reading.objects.items() if link_settings(obj).motion != "FREE"} | {WORLD}
    leaders = {joint.mimic.leader for joint in reading.model.joints if joint.mimic}
    return [
        joint
        for joint in reading.model.joints
        if {joint.parent, joint.child} <= fixed
        and not reading.kinematic_joints.keys().isdisjoint((joint.parent, joint.child))
        and joint.name not in reading.kinematic_joints.values()
        and joint.name not in leaders
    ]


def without_joints(model: Model, joints: Iterable[Joint]) -> Model:
    """Return the model without these joints."""
    names = {joint.name for joint in joints}
    return replace(model, joints=[joint for joint in model.joints if joint.name not in names])


def notes_beyond_limits(joints: Iterable[Joint], model: Model, animated_poses: Poses, frames: np.ndarray) -> list[str]:
    """Return a note about each joint that the animation takes beyond its limits, with the farthest frame.

    Args:
        joints: of `joints_without_effect`. model: of the scene.
        animated_poses: of the kinematic links at the frames, shape (F, 7).
        frames: shape (F,).
    """
    found = []
    unmoved = {link.name: np.array([link.pose]) for link in model.links} | {WORLD: np.array([IDENTITY])}
    poses = {name: np.broadcast_to(rows, (len(frames), 7)) for name, rows in (unmoved | dict(animated_poses)).items()}
    for joint in joints:
        excess, frame, axis, value = max(_excesses(joint, poses, frames))
        if excess > ROUNDING:
            unit, (lower, upper) = joint.axis_unit(axis).value, joint.range_of(axis)
            found.append(
                f"joint '{joint.name}' is taken to {measured(value, unit)} by the animation at frame {frame:g}, beyond "
                f"its limits of {measured_span(lower, upper, unit)}: it moves as animated"
            )
    return found


def _excesses(joint: Joint, poses: Poses, frames: np.ndarray) -> Iterator[tuple[float, float, int, float]]:
    """Yield (excess over a limit, frame, axis, value) for each limited quantity at each frame [rad or m]."""
    yield (0.0, 0.0, 0, 0.0)
    near = np.array(joint.q_home)
    for number, frame in enumerate(frames.tolist()):
        X_J = relative_pose(joint, {end: tuple(poses[end][number].tolist()) for end in (joint.parent, joint.child)})
        near = coordinates_at(joint, X_J, near)
        for axis, value in _limited_values(joint, X_J, near.tolist()):
            lower, upper = joint.range_of(axis)
            yield max(lower - value, value - upper), frame, axis, value


def _limited_values(joint: Joint, X_J: Pose, q: list[float]) -> list[tuple[int, float]]:
    """Return (number of the axis, value) of each quantity to which limits apply."""
    if joint.kind.limited_quantities:
        return [(quantity.axis, value) for quantity, value, _ in limited_quantities_at(joint, X_J)]
    if joint.kind.chart:
        return []
    free = [column.axis for column in joint.all_columns if not joint.is_locked(column.axis)]
    return [(axis, value) for axis, value in zip(free, q, strict=True) if joint.kind.slot(axis).limited]
