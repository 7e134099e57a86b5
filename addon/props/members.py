# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints of a scene, found without a search through all of its objects and bones.

Panels and operators ask for them at every redraw, and most objects of a large scene are neither. So their indices in
`scene.objects` are cached, with their names. Objects are not cached, since references are invalid after an undo. The
cache is compared with the scene each time, at a cost that grows with the number of links and joints, not of objects and
bones. `watch` drops it after edits that add links without a change of the number of objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import bpy

from .. import ids
from ..nodes import Node, armature_bones, is_part, owner_of
from .settings import acts_as_joint, joint_settings, link_settings, tagged_bones


class _Member(NamedTuple):
    """The place of a link or joint in a scene.

    Attributes:
        place: index of its object in `scene.objects`.
        name: of the object.
        bone: name of the bone; empty for the object itself.
    """

    place: int
    name: str
    bone: str = ""


class _Members(NamedTuple):
    """Cached links and joints of a scene.

    Attributes:
        count: number of objects in the scene.
        links, joints: those that are tagged, also joints that do not act.
    """

    count: int
    links: tuple[_Member, ...]
    joints: tuple[_Member, ...]


_known: dict[int, _Members] = {}
"""Cached links and joints, by session uid of the scene."""


def forget_members(*_) -> None:
    """Drop the cache, because objects may have become links or joints, or may have changed their indices.

    It can be the `update` of a property.
    """
    _known.clear()


def forget_members_of_change(objects: list[Node]) -> None:
    """Drop the cache if one of the objects, or one of its bones, is a link or a joint that it does not contain."""
    names = {each[1:] for members in _known.values() for each in (*members.links, *members.joints)}
    if any(not names.issuperset(_names_within(obj)) for obj in objects):
        forget_members()


def _names_within(node: Node) -> Iterator[tuple[str, str]]:
    owner = owner_of(node)
    yield from ((owner.name, "") for obj in [owner] if link_settings(obj).is_link or joint_settings(obj).is_joint)
    yield from ((owner.name, bone.name) for bone in tagged_bones(owner))


def has_links(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has links. One cached link is sufficient."""
    known = _known.get(scene.session_uid)
    cached = _nodes_of(scene, known.links, ids.LINK) if known else ()
    return any(link_settings(node).is_link for node in cached) or bool(links_in(scene))


def has_joints(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has joints. One cached joint that acts is sufficient."""
    known = _known.get(scene.session_uid)
    return any(map(acts_as_joint, _nodes_of(scene, known.joints, ids.JOINT) if known else ())) or bool(joints_in(scene))


def _nodes_of(scene: bpy.types.Scene, members: Iterable[_Member], group: str) -> Iterator[Node]:
    """Yield those of the cached nodes that are still in their places and have a property group."""
    for member in members:
        found = scene.objects[member.place : member.place + 1]
        node = _node_at(member, found[0], group) if found else None
        if node is not None:
            yield node


def links_in(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of a scene, in the order of its objects, and bones in the order of their armature."""
    return _members(scene)[0]


def links_on(obj: bpy.types.Object) -> list[Node]:
    """Return the bones of an armature that are links, in the armature's order.

    If the armature is in the present scene, its other bones are not looked at.
    """
    scene = bpy.context.scene
    if isinstance(scene, bpy.types.Scene) and scene.objects.get(obj.name) == obj:
        return [link for link in links_in(scene) if is_part(link) and owner_of(link) == obj]
    return [bone for bone in tagged_bones(obj) if link_settings(bone).is_link]


def joints_in(scene: bpy.types.Scene) -> list[Node]:
    """Return the joints of a scene, in the order of its objects, and bones in the order of their armature."""
    return [joint for joint in _members(scene)[1] if acts_as_joint(joint)]


def _members(scene: bpy.types.Scene) -> tuple[list[Node], list[Node]]:
    """Return the links of a scene and the nodes that are tagged as joints, also those that do not act."""
    objects = scene.objects[:]
    known = _known.get(scene.session_uid)
    found = _found_again(known, objects) if known else None
    if found is None:
        known = _known[scene.session_uid] = _look_at_all(objects)
        found = _found_again(known, objects)
        assert found is not None  # the cache is new
    return found


def _found_again(known: _Members, objects: Sequence[bpy.types.Object]) -> tuple[list[Node], list[Node]] | None:
    """Return the cached links and joints; None if the scene has changed."""
    if known.count != len(objects):
        return None
    links = [_node_at(member, objects[member.place], ids.LINK) for member in known.links]
    joints = [_node_at(member, objects[member.place], ids.JOINT) for member in known.joints]
    if not all(link is not None and link_settings(link).is_link for link in links):
        return None
    if not all(joint is not None and joint_settings(joint).is_joint for joint in joints):
        return None
    return [link for link in links if link is not None], [joint for joint in joints if joint is not None]


def _node_at(member: _Member, obj: bpy.types.Object, group: str) -> Node | None:
    """Return the node of a cached entry; None if `obj` is another object, or lacks the bone or its settings.

    Args:
        group: name of the property group that is read next. Reading it would create it on a bone.
    """
    if obj.name != member.name:
        return None
    if not member.bone:
        return obj
    bones = armature_bones(obj)
    bone = bones.get(member.bone) if bones else None
    return bone if bone is not None and bone.is_property_set(group) else None


def _look_at_all(objects: Sequence[bpy.types.Object]) -> _Members:
    links: list[_Member] = []
    joints: list[_Member] = []
    for place, obj in enumerate(objects):
        for node, bone in ((obj, ""), *((bone, bone.name) for bone in tagged_bones(obj))):
            if link_settings(node).is_link:
                links.append(_Member(place, obj.name, bone))
            if joint_settings(node).is_joint:
                joints.append(_Member(place, obj.name, bone))
    return _Members(len(objects), tuple(links), tuple(joints))
