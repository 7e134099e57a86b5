# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert joint values over time: from trajectories or poses of links, to keys, and back to poses."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....core.joints import Unit
from ....core.kinematics import coordinates_at, relative_pose
from ....core.model import WORLD, Joint, Model
from ....core.model.screws import joint_pose
from ....core.spatial import IDENTITY, Pose, compose, inverse
from ....core.trajectory.trajectory import Trajectory
from ... import ids
from ...bridge.values.joint_numbers import coordinate_number, unit_factor
from .rotations import angles_between, continuous_quaternions, matrices_of, unit_quaternions
from .transforms import Channel

Poses = Mapping[str, np.ndarray]
"""Poses X_WL of links at every frame [m], shape (F, 7), by name."""

Values = dict[str, np.ndarray]
"""Coordinates of joints at every frame [rad, m or a quaternion w x y z], shape (F, nq), by name."""


def values_of_trajectory(trajectory: Trajectory, model: Model) -> Values:
    """Return the coordinates of the model's joints in a trajectory. A joint that breaks keeps its last values."""
    columns = {name: number for number, (name, _) in enumerate(trajectory.q_names)}
    found: Values = {}
    for joint in model.joints:
        names = [f"{joint.name}.{part}" if part else joint.name for part, _ in joint.q_units]
        if names and all(name in columns for name in names):
            found[joint.name] = _with_last_values(trajectory.q[:, [columns[name] for name in names]])
    return found


def values_of_poses(model: Model, poses: Poses, after: Values) -> Values:
    """Return the coordinates of joints at earlier frames, from the poses of links.

    Args:
        poses: at the earlier frames.
        after: coordinates at the later frames; whole turns are counted backward from their first row.
    """
    found: Values = {}
    for name, later in after.items():
        joint, near = model.joint(name), later[0]
        rows = np.empty((len(next(iter(poses.values()))), joint.nq))
        for frame in reversed(range(len(rows))):
            at = {WORLD: IDENTITY} | {link: tuple(all_[frame].tolist()) for link, all_ in poses.items()}
            near = rows[frame] = coordinates_at(joint, relative_pose(joint, at), near)
        found[name] = rows
    return found


def _with_last_values(values: np.ndarray) -> np.ndarray:
    known = np.isfinite(values).all(axis=1)
    last = np.maximum.accumulate(np.where(known, np.arange(len(values)), 0))
    return np.nan_to_num(values[last])


def joint_channels(joint: Joint, values: np.ndarray, unit: float) -> list[Channel]:
    """Return the channels for the keys of a joint.

    Args:
        values: coordinates, shape (F, nq). unit: length of a Blender unit [m].
    """
    unit_factors = np.array([unit_factor(joint, q_index, unit) for q_index in range(joint.nq)])
    paths = [(f"{ids.JOINT}.coordinates[{coordinate_number(joint, q_index)}].q", 0) for q_index in range(joint.nq)]
    own = values / unit_factors
    channels = []
    turns = range(joint.nq - 4, joint.nq) if joint.kind.chart else ()
    for q_index in range(joint.nq - len(turns)):
        column = own[:, q_index : q_index + 1]
        is_rotation = joint.q_units[q_index][1] is not Unit.LENGTH
        channels.append(Channel((paths[q_index],), column, is_rotation, _distance_error(column)))
    if turns:
        own[:, turns] = continuous_quaternions(own[:, turns], own[0, turns])
        channels.append(
            Channel(tuple(paths[q_index] for q_index in turns), own[:, turns], True, _angle_error(own[:, turns]))
        )
    return channels


def _distance_error(values: np.ndarray):
    return lambda first, fitted: np.abs(fitted - values[first : first + len(fitted)])[:, 0]


def _angle_error(values: np.ndarray):
    turns = matrices_of(unit_quaternions(values))
    return lambda first, fitted: angles_between(
        matrices_of(unit_quaternions(fitted)), turns[first : first + len(fitted)]
    )


def poses_from_values(model: Model, values: Values, others: Poses) -> dict[str, np.ndarray]:
    """Return the poses of links at given joint values [m], shape (F, 7) each, by name.

    Args:
        others: poses of the links that do not follow from joint values.
    """
    found = {name: np.asarray(poses) for name, poses in others.items()}
    count = len(next(iter(values.values())))
    for branch in model.tree().branches:
        if branch.outer in found:
            continue
        joint, rows = branch.joint, np.empty((count, 7))
        for frame in range(count):
            inner: Pose = IDENTITY if branch.inner == WORLD else tuple(found[branch.inner][frame].tolist())
            q = values[joint.name][frame].tolist() if joint.nq else []
            across = compose(compose(joint.X_PJ, joint_pose(joint, q)), inverse(joint.X_CJ))
            rows[frame] = compose(inner, inverse(across) if branch.backward else across)
        found[branch.outer] = rows
    return found
