# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that a scene stores as joint coordinates.

They stay valid if objects are renamed or the machine is moved.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import bpy

from ....core.model import Joint, ModelError
from ...nodes import Node, model_name, owner_of
from ...nodes.naming import node_of
from ...props.settings import scene_settings
from ..values.joint_numbers import unit_factor
from .posing import Posing


def joint_values_as_text(posing: Posing, scene: bpy.types.Scene) -> list[tuple[Node, str]]:
    """Return every joint that can move, with its present coordinates as text.

    Raises:
        ModelError: if a joint's coordinates cannot be read.
    """
    return [
        (node_of(scene, name), text_of([value / size for value, size in _values_and_factors(posing, name)]))
        for name in posing.movable_joints
    ]


def store_pose(pose, values: Iterable[tuple[Node, str]]) -> None:
    """Store values in a pose of the scene.

    Args:
        pose: a `PoseProperties`.
        values: as returned by `joint_values_as_text`.
    """
    pose.joints.clear()
    for joint, q in values:
        entry = pose.joints.add()
        entry.joint_node, entry.q = joint, q


def apply_pose(pose, posing: Posing, scene: bpy.types.Scene) -> list[str]:
    """Move the joints to the coordinates of a pose, and return messages for the user.

    Raises:
        ModelError: if none of its joints is left, or if the links cannot be moved there.
    """
    values, missed = {}, Counter[str]()
    for entry in pose.joints:
        if entry.joint_node is None or scene not in owner_of(entry.joint_node).users_scene:
            missed["are not there any more"] += 1
            continue
        name = model_name(entry.joint_node)
        if name in posing.locked:
            missed["are held"] += 1
            continue
        if name not in posing.movable_joints:
            missed["do not act, or cannot move"] += 1
            continue
        numbers, unit_factors = numbers_of(entry.q), [size for _, size in _values_and_factors(posing, name)]
        if len(numbers) != len(unit_factors):
            missed["have other axes by now"] += 1
            continue
        values[name] = [number * size for number, size in zip(numbers, unit_factors, strict=True)]
    if not values:
        raise ModelError(f"pose '{pose.name}' has no joint that is left: pose the links, then press Update")
    notes = [f"{count} of {len(pose.joints)} joints {why}" for why, count in missed.items()]
    if not posing.set_coordinates(values):
        notes.append("loops, limits or pins let not all joints be where the pose has them: they are as near as can be")
    return notes


def _values_and_factors(posing: Posing, name: str) -> list[tuple[float, float]]:
    """Return the value of each coordinate of a joint [rad or m], with the size of the user's unit in rad or m."""
    joint = posing.enabled_joint(name)
    return [(value, unit_factor(joint, q_index, posing.unit)) for q_index, value in enumerate(posing.q_of(name))]


def text_of(numbers: Iterable[float]) -> str:
    return " ".join(map(repr, numbers))


def numbers_of(text: str) -> list[float]:
    """Return the numbers in a text of `text_of`; empty if it is not such a text."""
    try:
        return [float(word) for word in text.split()]
    except ValueError:
        return []  # the joint has changed since


def middle_of_limits(posing: Posing, names: Iterable[str]) -> dict[str, list[float]]:
    """Return the coordinates of joints, with each axis that has two limits at the middle [rad or m].

    Joints without such an axis, and joints that follow others or are locked for posing, are left out.
    """
    found = {}
    for name in (name for name in names if name not in posing.locked):
        joint, q = posing.enabled_joint(name), list(posing.q_of(name))
        limited = [] if joint.mimic else [i for i in range(len(joint.columns)) if _has_two_limits(joint, i)]
        for q_index in limited:
            axis = joint.axes[joint.columns[q_index].axis]
            q[q_index] = 0.5 * (axis.lower + axis.upper)
        if limited and not joint.kind.chart:
            found[name] = q
    return found


def _has_two_limits(joint: Joint, q_index: int) -> bool:
    number = joint.columns[q_index].axis
    axis = joint.axes[number]
    return joint.kind.slot(number).limited and math.isfinite(axis.lower) and math.isfinite(axis.upper)


def scene_pose(scene: bpy.types.Scene, name: str = "", index: int = -1):
    """Return a pose of the scene by name, else by index, else the one that is active in the list.

    Raises:
        ModelError: if there is none.
    """
    settings = scene_settings(scene)
    number = settings.poses.find(name) if name else index if index >= 0 else settings.pose
    if not 0 <= number < len(settings.poses):
        known = ", ".join(f"'{pose.name}'" for pose in settings.poses) or "none"
        wanted = f"'{name}'" if name else f"number {number}"
        raise ModelError(f"there is no pose {wanted}; the scene has {known}")
    return settings.poses[number]
