# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints whose values have keys, and the links that these move as frames go by.

F-curves are asked themselves: a render hands nothing back, and hidden Empties are not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy

from ..props.members import joints_in, links_in
from ..props.naming import model_name, object_of
from .motion import action_of, has_own_keys, is_bake, value_curves, what_holds
from .sliders import place_of, size_of

if TYPE_CHECKING:
    from .posing import Posing

Numbers = dict[int, float]
"""Of a joint's coordinates, locked ones counted, what its keys say [rad or Blender units]."""


def keyed_numbers(scene: bpy.types.Scene, frame: float) -> dict[str, Numbers]:
    """Of every joint whose values have keys, by name, these at a frame."""
    found: dict[str, Numbers] = {}
    for obj in joints_in(scene):
        if obj.animation_data is not None and (numbers := keyed_numbers_of(obj, frame)):
            found[model_name(obj)] = numbers
    return found


def keyed_numbers_of(joint: bpy.types.Object, frame: float) -> Numbers:
    """As `keyed_numbers`, of one joint; empty where it has no keys."""
    curves = value_curves(joint)
    return {int(curve.data_path.partition("[")[2].partition("]")[0]): curve.evaluate(frame) for curve in curves}


def follow_keys(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Put the links where the keys of joint values have them. Links that something else moves are left to that.

    Raises:
        ModelError: loops cannot be closed there, or the scene cannot be read.
    """
    keyed = keyed_numbers(scene, scene.frame_current_final)
    if not keyed:
        return
    from .posing import seen_by
    from .posing_cache import posing_seen

    left = _moved_by_others(scene)
    posing = posing_seen(scene, depsgraph, left)
    posing.find(left, seen_by(depsgraph))
    theirs = {branch.joint.name for branch in posing.model.tree().branches if branch.outer in left}
    acting = keyed.keys() & set(posing.moving) - theirs
    if not acting:
        return
    baked = {name for name in acting if is_bake(action_of(object_of(scene, name)))}
    posing.take({name: _q_of(posing, name, keyed[name]) for name in sorted(acting)}, left, seen_by(depsgraph), baked)


def _moved_by_others(scene: bpy.types.Scene) -> set[str]:
    """Names of the links that have keys of their own, or that something holds."""
    return {model_name(obj) for obj in links_in(scene) if has_own_keys(obj) or what_holds(obj)}


def _q_of(posing: Posing, name: str, keyed: Mapping[int, float]) -> list[float]:
    """All coordinates of a joint [rad, m, or a quaternion w x y z]; where it has no keys, as it stands."""
    joint, q = posing.acting(name), list(posing.q_of(name))
    if joint.kind.chart and len(keyed) < joint.nq:
        return q  # keys of another type, that the joint had before
    for number, value in keyed.items():
        place = number if joint.kind.chart else place_of(joint, number)
        if place is not None and place < len(q):
            q[place] = value * size_of(joint, place, posing.unit)
    return q
