# SPDX-License-Identifier: GPL-3.0-or-later
"""The pairs of links for which a scene or a ragdoll says whether they collide with each other."""

from collections.abc import Iterable
from typing import Any

import bpy

from .. import ids
from ..nodes import Node
from .references import bone_of_text, text_of_bone
from .settings import link_settings, scene_settings


def pair_of(scene: bpy.types.Scene, a: Node, b: Node):
    """Return the scene's pair of the two links, in either order; None if it has none."""
    return next((pair for pair in scene_settings(scene).pairs if {pair.a_node, pair.b_node} == {a, b}), None)


def set_pair(scene: bpy.types.Scene, a: Node, b: Node, meets: bool) -> None:
    """Store whether the two links always or never collide. An existing pair of the scene is overwritten."""
    kept = pair_of(scene, a, b) or scene_settings(scene).pairs.add()
    kept.a_node, kept.b_node, kept.meets = a, b, meets


def remove_pair(scene: bpy.types.Scene, a: Node, b: Node) -> None:
    """Remove the scene's pair of the two links, if it has one."""
    settings = scene_settings(scene)
    number = next((number for number, pair in enumerate(settings.pairs) if {pair.a_node, pair.b_node} == {a, b}), None)
    if number is not None:
        settings.pairs.remove(number)
        settings.pair = max(0, min(settings.pair, len(settings.pairs) - 1))


def remove_pairs_of(scene: bpy.types.Scene, nodes: set[Node], *, only_among: bool = True) -> None:
    """Remove the pairs of the scene both of whose links are among some nodes, or one of them if not `only_among`."""
    settings = scene_settings(scene)
    for number in reversed(range(len(settings.pairs))):
        ends = {settings.pairs[number].a_node, settings.pairs[number].b_node}
        if ends <= nodes or (not only_among and ends & nodes):
            settings.pairs.remove(number)
    settings.pair = max(0, min(settings.pair, len(settings.pairs) - 1))


def overlapping_parts(armature: bpy.types.Object) -> list[tuple[Node, Node]]:
    """Return the pairs of bones of a ragdoll that do not collide with each other. They are stored on the armature."""
    if armature.pose is None or not armature.is_property_set(ids.LINK):
        return []
    stored = ((pair.a_bone, pair.b_bone) for pair in link_settings(armature).overlapping_parts)
    found = ((bone_of_text(armature, a), bone_of_text(armature, b)) for a, b in stored)
    return [(a, b) for a, b in found if a is not None and b is not None]


def store_overlapping_parts(armature: bpy.types.Object, pairs: Iterable[tuple[Node, Node]]) -> None:
    """Store the pairs of bones of a ragdoll that do not collide, in the place of all former ones."""
    stored = link_settings(armature).overlapping_parts
    stored.clear()
    for a, b in pairs:
        pair = stored.add()
        pair.a_bone, pair.b_bone = text_of_bone(a), text_of_bone(b)


def do_ends_collide(joint) -> bool:
    """Return whether a pair lets the two links of a joint collide, which they do not by default."""
    ends = (joint.parent_node, joint.child_node)
    pair = pair_of(_scene_of(joint), *ends) if all(ends) else None
    return pair is not None and pair.meets


def let_ends_collide(joint, does: bool) -> None:
    """Add the pair that lets the two links of a joint collide, or remove it."""
    if not (joint.parent_node and joint.child_node):
        return
    if does:
        set_pair(_scene_of(joint), joint.parent_node, joint.child_node, True)
    elif do_ends_collide(joint):
        remove_pair(_scene_of(joint), joint.parent_node, joint.child_node)


def _scene_of(joint) -> Any:
    """Return the scene that is shown, or another one if only that one has the joint."""
    scenes = joint.id_data.users_scene
    return bpy.context.scene if bpy.context.scene in scenes or not scenes else scenes[0]
