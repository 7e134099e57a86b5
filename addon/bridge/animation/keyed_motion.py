# SPDX-License-Identifier: GPL-3.0-or-later
"""Move links by the keys of joint values when the frame changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy

from ...nodes import model_name
from ...nodes.animation import action_of
from ...nodes.naming import node_of
from ...props.members import links_in
from ..values.joint_numbers import q_index_of, unit_factor
from .keyed_joints import keyed_numbers
from .motion_sources import has_own_keys, is_bake, obstacle_to_moving

if TYPE_CHECKING:
    from ..posing.posing import Posing


def follow_keys(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Move the links to the poses that the keys of joint values determine.

    Links that something else moves keep their poses.

    Raises:
        ModelError: if loops cannot be closed at these values, or if the scene cannot be read.
    """
    keyed = keyed_numbers(scene, scene.frame_current_final)
    if not keyed:
        return
    from ..posing.posing import evaluator_of  # late: most scenes have no such keys, and need no solver
    from ..posing.posing_cache import posing_for_playback

    external_links = _moved_by_others(scene)
    posing = posing_for_playback(scene, depsgraph, external_links)
    posing.adopt_external_poses(external_links, evaluator_of(depsgraph))
    theirs = {branch.joint.name for branch in posing.model.tree().branches if branch.outer in external_links}
    acting = keyed.keys() & set(posing.movable_joints) - theirs
    if not acting:
        return
    baked = {name for name in acting if is_bake(action_of(node_of(scene, name)))}
    posing.set_coordinates(
        {name: _q_of(posing, name, keyed[name]) for name in sorted(acting)},
        external_links,
        evaluator_of(depsgraph),
        baked,
    )


def _moved_by_others(scene: bpy.types.Scene) -> set[str]:
    """Return the names of the links that have keys of their own, or that a constraint or parent moves."""
    return {model_name(obj) for obj in links_in(scene) if has_own_keys(obj) or obstacle_to_moving(obj)}


def _q_of(posing: Posing, name: str, keyed: Mapping[int, float]) -> list[float]:
    """Return all coordinates of a joint [rad, m, or a quaternion w x y z].

    Coordinates without keys have their present values.
    """
    joint, q = posing.enabled_joint(name), list(posing.q_of(name))
    if joint.kind.chart and len(keyed) < joint.nq:
        return q  # the keys are of the type that the joint had before
    for number, value in keyed.items():
        q_index = number if joint.kind.chart else q_index_of(joint, number)
        if q_index is not None and q_index < len(q):
            q[q_index] = value * unit_factor(joint, q_index, posing.unit)
    return q
