# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints of a scene, found without a search through all of its objects.

Panels and operators ask for them at every redraw, and most objects of a large scene are neither. So their indices in
`scene.objects` are cached, with their names. Objects are not cached, since references are invalid after an undo. The
cache is compared with the scene each time, at a cost that grows with the number of links and joints, not of objects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy

from .. import ids
from ..nodes import Node
from .settings import joint_settings, link_settings


class _Members(NamedTuple):
    """Cached links and joints of a scene.

    Attributes:
        count: number of objects in the scene.
        links, joints: index in `scene.objects` and name of each.
    """

    count: int
    links: tuple[tuple[int, str], ...]
    joints: tuple[tuple[int, str], ...]


_known: dict[int, _Members] = {}
"""Cached links and joints, by session uid of the scene."""


def forget_members(*_) -> None:
    """Drop the cache, because objects may have become links or joints, or may have changed their indices.

    It can be the `update` of a property.
    """
    _known.clear()


def forget_members_of_change(objects: list[Node]) -> None:
    """Drop the cache if one of the objects is a link or a joint that it does not contain."""
    names = {name for members in _known.values() for _, name in (*members.links, *members.joints)}
    if any(_is_ours(obj) and obj.name not in names for obj in objects):
        forget_members()


def has_links(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has links. One cached link is sufficient."""
    known = _known.get(scene.session_uid)
    return bool(known and known.links and _is_at(scene, *known.links[0], ids.LINK, "is_link")) or bool(links_in(scene))


def has_joints(scene: bpy.types.Scene) -> bool:
    """Return whether a scene has joints. One cached joint is sufficient."""
    known = _known.get(scene.session_uid)
    is_known = known and known.joints and _is_at(scene, *known.joints[0], ids.JOINT, "is_joint")
    return bool(is_known) or bool(joints_in(scene))


def _is_at(scene: bpy.types.Scene, place: int, name: str, group: str, flag: str) -> bool:
    found = scene.objects[place : place + 1]
    return bool(found) and found[0].name == name and getattr(getattr(found[0], group), flag)


def links_in(scene: bpy.types.Scene) -> list[Node]:
    """Return the links of a scene, in the order of its objects."""
    return _members(scene)[0]


def joints_in(scene: bpy.types.Scene) -> list[Node]:
    """Return the joints of a scene, in the order of its objects."""
    return _members(scene)[1]


def _members(scene: bpy.types.Scene) -> tuple[list[Node], list[Node]]:
    objects = scene.objects[:]
    known = _known.get(scene.session_uid)
    if known is None or known.count != len(objects) or not _still_holds(known, objects):
        known = _known[scene.session_uid] = _look_at_all(objects)
    return [objects[place] for place, _ in known.links], [objects[place] for place, _ in known.joints]


def _still_holds(known: _Members, objects: Sequence[Node]) -> bool:
    return all(
        objects[place].name == name and getattr(getattr(objects[place], group), flag)
        for members, group, flag in ((known.links, ids.LINK, "is_link"), (known.joints, ids.JOINT, "is_joint"))
        for place, name in members
    )


def _look_at_all(objects: Sequence[Node]) -> _Members:
    links = [(place, obj.name) for place, obj in enumerate(objects) if link_settings(obj).is_link]
    joints = [(place, obj.name) for place, obj in enumerate(objects) if joint_settings(obj).is_joint]
    return _Members(len(objects), tuple(links), tuple(joints))


def _is_ours(obj: Node) -> bool:
    return link_settings(obj).is_link or joint_settings(obj).is_joint
