# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of joint coordinates in panels: read from the scene, and written by moving links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np

from ....core.model import ModelError
from ...nodes import Node, model_name, owner_of, uid_of, world_matrix
from ...props import show_error
from ...props.settings import joint_settings
from ..rig import last_rig
from ..values.joint_numbers import q_index_of, unit_factor
from ..values.numbers import unit_length

if TYPE_CHECKING:
    from ....core.model import Joint


class _CachedValues(NamedTuple):
    """The last result for a joint.

    Attributes:
        rig: version of the reading.
        matrices: world matrices of its links.
        q: coordinates at these matrices.
    """

    rig: int
    matrices: tuple
    q: np.ndarray
    joint: Joint
    unit: float


_cache: dict[tuple[int, str], _CachedValues] = {}
"""The last result, by `uid_of` the joint; panels ask for each number at each redraw."""


def read_value(obj: Node, number: int) -> float:
    """Return coordinate `number` of a joint [rad or Blender units]; 0 if it cannot be read."""
    try:
        cached = _values_of(obj)
    except ModelError:
        return 0.0  # Problems reports the joint
    q_index = q_index_of(cached.joint, number)
    if q_index is None:
        return 0.0
    return float(cached.q[q_index]) / unit_factor(cached.joint, q_index, cached.unit)


def write_value(obj: Node, number: int, value: float) -> None:
    """Set a coordinate [rad or Blender units], clamped to its limits. The panel shows an error."""
    from .posing_cache import posing_of

    try:
        if not math.isfinite(value):
            raise ModelError(f"joint '{model_name(obj)}' takes a finite number, found {value}")
        posing = posing_of(scene_of(obj))
        known = posing.enabled_joint(model_name(obj))
        q_index = q_index_of(known, number)
        if q_index is None:
            raise ModelError(
                f"joint '{model_name(obj)}' has no number {number + 1} to lead: unlock the axis, or turn the ball"
            )
        posing.set_coordinate(model_name(obj), q_index, value * unit_factor(known, q_index, posing.unit))
    except ModelError as error:
        show_error(str(error))
        return
    show_error("")


def scene_of(obj: Node) -> bpy.types.Scene:
    """Return the scene in the window if it contains the object, else another scene that does."""
    scenes = owner_of(obj).users_scene or tuple(bpy.data.scenes)
    return next((scene for scene in scenes if scene == bpy.context.scene), scenes[0])


def _values_of(obj: Node) -> _CachedValues:
    from ....core.kinematics import coordinates_at
    from ..joints.read_joints import read_joint
    from .present_poses import joint_pose_now

    scene = scene_of(obj)
    settings = joint_settings(obj)
    matrices = tuple(world_matrix(link).tobytes() for link in (settings.parent_node, settings.child_node) if link)
    rig = last_rig(scene)
    last = _cache.get(uid_of(obj))
    if rig and last and last.rig == rig.version and last.matrices == matrices:
        return last
    found = next((joint for joint in rig.model.joints if joint.name == model_name(obj)), None) if rig else None
    joint, unit = found or read_joint(obj, scene), unit_length(scene)
    q = coordinates_at(joint, joint_pose_now(obj, joint, unit), np.array(joint.q_middle))
    cached = _CachedValues(rig.version if rig else 0, matrices, q, joint, unit)
    if rig:
        _cache[uid_of(obj)] = cached
    return cached
