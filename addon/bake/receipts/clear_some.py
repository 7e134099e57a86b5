# SPDX-License-Identifier: GPL-3.0-or-later
"""Remove a bake from some bones of an armature, while its other bones keep theirs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import bpy

from ... import ids
from ...bridge.animation.motion_sources import has_own_keys, is_bake
from ...nodes import Node, parts_among
from ...nodes.animation import action_of, channelbags, create_animation
from ...nodes.muting import is_muting, overriding_constraints, switch_of, switch_on_by
from ...props import ancestors
from ...props.settings import before_bake, joint_settings, link_settings
from ..keys.fcurves import copy_curves
from .receipt import baked_bones, digest_of_bake, is_edited, paths_replaced_on, receipt_of, store_receipt
from .restore import baked_objects, by_owner, clear_bake, is_baked, replaced_curves, restore_values_before_bake


def clear_bake_of(nodes: Iterable[Node]) -> list[Node]:
    """Remove the bake from links and joints, and return the others that have lost it with them.

    These are nodes that cleared bones carry or lead, since their keys are relative to them. All nodes of an armature
    lose the bake if it cannot be divided.
    """
    chosen = [node for node in nodes if is_baked(node)]
    dependents = _dependents_of(parts_among(chosen))
    others = []
    for owner, cleared in by_owner((*chosen, *dependents)).items():
        kept = [node for node in (owner, *baked_bones(owner)) if before_bake(node).is_kept and node not in cleared]
        if not kept or not is_bake(action_of(owner)):
            clear_bake(cleared)
        elif _can_divide_bake(owner):
            _clear_nodes(owner, cleared, kept)
        else:
            cleared += kept
            clear_bake(cleared)
        others += [node for node in cleared if node not in chosen]
    return others


def _dependents_of(bones: Sequence[Node]) -> list[Node]:
    """Return the baked nodes, apart from these bones, whose keys show something else once these have lost theirs."""
    scenes = {scene for owner in by_owner(bones) for scene in owner.users_scene}
    others = [node for scene in scenes for node in baked_objects(scene)]
    known, count = set[Node](bones), 0
    while len(known) > count:
        count = len(known)
        known.update(node for node in others if node not in known and not known.isdisjoint(_supports_of(node)))
    return [node for node in dict.fromkeys(others) if node in known and node not in bones]


def _supports_of(node: Node) -> Iterator[Node]:
    """Yield the nodes without which the keys of a node would show something else.

    These are what carries the node. If it has no keys of its own, it is a joint or is led by one, and the joint and the
    joint's parent count, too.
    """
    yield from ancestors(node)
    if not has_own_keys(node):
        joint = link_settings(node).led_by_node or node
        yield joint
        if (parent := joint_settings(joint).parent_node) is not None:
            yield parent


def _can_divide_bake(owner: bpy.types.Object) -> bool:
    """Return whether F-curves can be removed from the bake of an object. They cannot if another object plays them."""
    slot = create_animation(owner).action_slot
    action = action_of(owner)
    return action is not None and action.is_editable and slot is not None and len(slot.users()) == 1


def _clear_nodes(owner: bpy.types.Object, cleared: list[Node], kept: list[Node]) -> None:
    """Replace the F-curves of nodes by those before the bake, and restore their poses.

    Constraints that were switched off for these nodes only act again. A bake that the user has edited remains in the
    file as an action, too.

    Args:
        cleared, kept: the baked nodes of the object that lose the bake, and those that keep it.
    """
    action = action_of(owner)
    assert action is not None  # it is a bake
    if has_edits := is_edited(action):
        _keep_copy(action)
    paths = paths_replaced_on(cleared)
    former = [curve for node in cleared for curve in replaced_curves(node) if curve.data_path.startswith(paths)]
    overriding = {switch_of(each) for each in overriding_constraints(parts_among(kept))}
    for bag in channelbags(action, create_animation(owner).action_slot):
        for curve in list(bag.fcurves):
            if is_muting(curve) and curve.data_path not in overriding:
                switch_on_by(owner, curve)
                bag.fcurves.remove(curve)
            elif curve.data_path.startswith(paths):
                bag.fcurves.remove(curve)
        copy_curves(former, bag)
    for node in cleared:
        restore_values_before_bake(node)
    receipt = receipt_of(action)
    if receipt is not None and not has_edits:
        store_receipt(action, receipt._replace(keys=digest_of_bake(action)))


def _keep_copy(bake: bpy.types.Action) -> None:
    """Keep a copy of a bake in the file as an ordinary action."""
    copy = bake.copy()
    del copy[ids.BAKE_MARK]
    copy.use_fake_user = True
