# SPDX-License-Identifier: GPL-3.0-or-later
"""References of property groups to nodes.

Blender's pointers refer to data-blocks only. A reference to a bone is a pointer to its armature, and beside it a text
with an identifier and the name of the bone. The identifier is also stored on the bone, as a custom property with the
bone's name: it stays with the bone when that is renamed, and is copied with the armature. Edit Mode copies it to
duplicates of the bone, too, which are recognized by their names.
"""

from __future__ import annotations

import secrets

import bpy
from bpy.props import StringProperty

from ..ids import BONE_UID
from ..nodes import Node, armature_bones, is_part, owner_of

BESIDE = "_bone"
"""Suffix of the property beside a pointer, which stores the identifier and the name of a bone."""

DIGITS = 8
"""Number of hexadecimal digits of an identifier."""


def bone_beside():
    """Return the property that stores which bone of the armature in a pointer is meant."""
    return StringProperty(description="Identifier and name of the bone that is meant; empty for the object itself")


def node_at(pointer: str) -> property:
    """Return a Python property for the node to which a pointer of the group refers; None if there is none.

    Args:
        pointer: name of the PointerProperty that stores the object. The group has another property of this name with
            the suffix `BESIDE`.
    """

    def read(group) -> Node | None:
        return referred_node(group, pointer)

    def refer_to(group, node: Node | None) -> None:
        bone = node if node is not None and is_part(node) else None
        setattr(group, pointer + BESIDE, "" if bone is None else text_of_bone(bone))
        setattr(group, pointer, None if node is None else owner_of(node))

    return property(read, refer_to)


def referred_node(group, pointer: str) -> Node | None:
    """Return the node to which a pointer refers; None if there is none, or if the bone was deleted."""
    obj, text = getattr(group, pointer), getattr(group, pointer + BESIDE)
    return _bone_at(obj, text) if obj is not None and text else obj


def text_of_bone(bone: Node) -> str:
    """Return what a property of the bone's own armature stores to refer to the bone."""
    return f"{_uid_of(bone)}:{bone.name}"


def bone_of_text(armature: bpy.types.Object, text: str) -> Node | None:
    """Return the bone of an armature that `text_of_bone` has described; None if it was deleted."""
    return _bone_at(armature, text)


def drop_foreign_bone(group, pointer: str) -> None:
    """Remove what is stored of a bone, after the user has chosen an object in the window."""
    if getattr(group, pointer + BESIDE) and referred_node(group, pointer) is None:
        setattr(group, pointer + BESIDE, "")


def _uid_of(bone: Node) -> str:
    """Return the bone's identifier, which is made if it has none. It is empty for a bone that cannot be changed."""
    if not owner_of(bone).is_editable:
        return _stored_uid(bone)
    uid = _stored_uid(bone) or secrets.token_hex(DIGITS // 2)
    bone[BONE_UID] = f"{uid}:{bone.name}"
    return uid


def _stored_uid(bone: Node) -> str:
    return uid_in(bone.get(BONE_UID, ""))


def uid_in(text: str) -> str:
    """Return the identifier in what a reference or a bone stores."""
    return text.partition(":")[0]


def _bone_at(armature: bpy.types.Object, text: str) -> Node | None:
    """Return the bone of an armature to which a stored text refers.

    A bone without an identifier is known by its name: files do not keep identifiers that were made on an override.
    """
    uid, _, name = text.partition(":")
    bones = armature_bones(armature)
    named = bones.get(name) if bones else None
    if named is not None and _stored_uid(named) == uid:
        return named
    same = next((bone for bone in bones if uid and _stored_uid(bone) == uid), None)
    return named if same is None and named is not None and not _stored_uid(named) else same


def settle_identifiers(armature: bpy.types.Object) -> None:
    """Remove the identifiers of duplicates of bones, and store the present names of all others.

    Call it after each change of an armature: once a bone is both duplicated and renamed, nothing tells the two apart.
    """
    marked = [bone for bone in armature_bones(armature) if BONE_UID in bone]
    if not marked or not armature.is_editable:
        return
    originals = {_stored_uid(bone): bone for bone in reversed(marked)}
    originals |= {_stored_uid(bone): bone for bone in marked if bone[BONE_UID].partition(":")[2] == bone.name}
    for bone in marked:
        text = f"{_stored_uid(bone)}:{bone.name}"
        if originals[_stored_uid(bone)] != bone:
            del bone[BONE_UID]
        elif bone[BONE_UID] != text:
            bone[BONE_UID] = text
