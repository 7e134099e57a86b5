# SPDX-License-Identifier: GPL-3.0-or-later
"""Key a pose at the scene's frame, on links or on the joints that move them.

Angles are those nearest to earlier keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np

from ....core.model import Joint, Model
from ....core.spatial.arrays import norm
from ... import ids
from ...bridge.animation.motion_sources import has_own_keys
from ...bridge.posing.joint_limits import clamped
from ...bridge.posing.posing import Posing
from ...bridge.scene.store import store_rest_poses
from ...bridge.values.joint_numbers import coordinate_number, q_index_of, unit_factor, whole_turn
from ...nodes import Node, model_name, owner_of
from ...nodes.animation import action_of, fcurves_of, insert_key
from ...nodes.naming import node_of
from ...props.settings import joint_settings, link_settings
from .rotations import axis_angles, continuous_quaternions, euler_angles

ROTATION = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
"""Channels of rotation modes; the other modes have Euler angles."""


def key_links(scene: bpy.types.Scene, posing: Posing) -> tuple[int, list[str]]:
    """Key location and rotation of every link that joints move. Return the number of links, and notes on those left
    out.
    """
    store_rest_poses(posing.reading, scene)
    frame, count, notes = scene.frame_current_final, 0, []
    for name in posing.links_moved_by_joints:
        obj = posing.objects[name]
        if reason := _obstacle_to_keys(obj):
            notes.append(f"link '{name}' was not keyed: {reason}")
            continue
        path = ROTATION.get(obj.rotation_mode, "rotation_euler")
        setattr(obj, path, _nearest_rotation(obj, path, _value_at_last_key(obj, path, frame)))
        for channel in ("location", path):
            insert_key(obj, channel, frame, "Object Transforms")
        count += 1
    return count, notes


def key_joints(scene: bpy.types.Scene, posing: Posing) -> tuple[int, list[str]]:
    """Key the values of every joint, which move its links from then on.

    Return the number of joints, and notes on those left out.
    """
    store_rest_poses(posing.reading, scene)
    keyed, notes = set(), []
    for name in posing.movable_joints:
        obj = node_of(scene, name)
        if reason := _obstacle_to_keys(obj):
            notes.append(f"joint '{name}' was not keyed: {reason}")
            continue
        _key_joint(obj, posing, scene.frame_current_final)
        keyed.add(name)
    store_moving_joints(posing.model, posing.objects, {name: node_of(scene, name) for name in keyed})
    with_own_keys = [name for name in posing.links_moved_by_joints if has_own_keys(posing.objects[name])]
    notes += [
        f"link '{name}' has keys of its own, which move it instead: clear its animation" for name in with_own_keys
    ]
    return len(keyed), notes


def _obstacle_to_keys(obj: Node) -> str:
    """Return why an object cannot be keyed, and what to do; empty if it can."""
    if not owner_of(obj).is_editable:
        return "it comes from a library: make it local"
    action = action_of(obj)
    if action is not None and not action.is_editable:
        return f"its action '{action.name}' comes from a library: make it local"
    return ""


def _value_at_last_key(obj: Node, path: str, frame: float) -> list[float] | None:
    """Return the value of a channel at its last key before the frame; None if there is none."""
    curves = {curve.array_index: curve for curve in fcurves_of(obj, (path,))}
    frames = [point.co.x for curve in curves.values() for point in curve.keyframe_points if point.co.x < frame]
    if not frames:
        return None
    value = obj.path_resolve(path)
    now = [value] if isinstance(value, float) else list(value)
    return [curves[i].evaluate(max(frames)) if i in curves else part for i, part in enumerate(now)]


def _nearest_rotation(obj: Node, path: str, before: list[float] | None) -> list[float]:
    """Return the object's rotation in the representation nearest to that of the key before."""
    now = getattr(obj, path)
    if before is None:
        return list(now)
    if path == "rotation_quaternion":
        found = continuous_quaternions(np.array([now]), before)
    elif path == "rotation_axis_angle":
        angle, axis = now[0], np.array(now[1:]) / norm(now[1:])
        quaternion = np.array([[math.cos(0.5 * angle), *(math.sin(0.5 * angle) * axis)]])
        found = axis_angles(quaternion, before)
    else:
        found = euler_angles(np.array([now.to_matrix()]), obj.rotation_mode, before)
    return found[0].tolist()


def _key_joint(obj: Node, posing: Posing, frame: float) -> None:
    joint = posing.enabled_joint(model_name(obj))
    coordinates = joint_settings(obj).coordinates
    numbers = [coordinate_number(joint, q_index) for q_index in range(joint.nq)]
    paths = [f"{ids.JOINT}.coordinates[{number}].q" for number in numbers]
    before = [found[0] if (found := _value_at_last_key(obj, path, frame)) else None for path in paths]
    values = [
        value / unit_factor(joint, q_index, posing.unit) for q_index, value in enumerate(posing.q_of(model_name(obj)))
    ]
    if joint.kind.chart:
        turn = [value or 0.0 for value in before[-4:]]
        values[-4:] = continuous_quaternions(np.array([values[-4:]]), turn)[0].tolist()
    for number, path, value, last in zip(numbers, paths, values, before, strict=True):
        coordinates[number].q = value if last is None or joint.kind.chart else _nearest_turn(joint, number, value, last)
        insert_key(obj, path, frame, obj.name)


def _nearest_turn(joint: Joint, number: int, value: float, before: float) -> float:
    """Return a coordinate plus the whole turns that bring it nearest to the key before, within its limits."""
    turn, q_index = whole_turn(joint, number), q_index_of(joint, number)
    if not turn or q_index is None or abs(value) > 0.5 * turn:
        return value  # whole turns are known already
    nearest = value + turn * round((before - value) / turn)
    return nearest if clamped(joint, q_index, nearest) == nearest else value


def store_moving_joints(model: Model, links: Mapping[str, Node], joints: Mapping[str, Node]) -> None:
    """Store in each link a joint whose keys move it. The link then counts as animated while the joint has keys.

    Args:
        links: by name. joints: those that have keys, by name.
    """
    moving_joints: dict[str, Node] = {}
    for branch in model.tree().branches:
        if branch.joint.name in joints:
            moving_joints[branch.outer] = joints[branch.joint.name]
        elif branch.inner in moving_joints:
            moving_joints[branch.outer] = moving_joints[branch.inner]
    for name, joint in moving_joints.items():
        link_settings(links[name]).led_by_node = joint
