# SPDX-License-Identifier: GPL-3.0-or-later
"""Undo the change that displaces baked bones from the poses of their keys: of a bone, or of their armature.

A change of one node displaces all that it carries alike. So the displacement of a bone gives the matrix that each node
above it had if that node was changed. The right one is that with which the bones are back in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...nodes import Node, attachment_of, channels_of, owner_of, set_transform
from ...nodes.space import space_of
from ...props.settings import bones_with_settings
from ..animation.motion_sources import has_own_motion
from ..posing.link_poses import own_scale
from .displacements import is_rigid, leaves_in_place
from .keyed_poses import animated_carrier, baked_matrix, world_matrix_of_keys

IsChanged: TypeAlias = Callable[[np.ndarray, np.ndarray], bool]
"""A function of the displacement of a bone, shape (4, 4), and its origin at the bake, shape (3,)."""

Change: TypeAlias = Callable[[Node, np.ndarray, np.ndarray], None]
"""A function that changes a node, of the node, its world matrix, and the one that it is to have, shape (4, 4)."""


def restore_scale(link: bpy.types.PoseBone) -> Node | None:
    """Restore the scale of the bone, or of what carries it, that has changed since the bake.

    Return the node whose scale was restored; None if none of them alone explains the size of the bones.
    """
    top = _topmost(link, _is_scaled)
    candidates = sorted(
        (top, *_carriers(top)), key=lambda node: np.allclose(np.array(node.scale), 1.0, rtol=0.0, atol=1e-6)
    )
    restored = _first_that_restores(top, candidates, _scale_to, _is_displaced)
    if restored is None:  # an armature that was moved as well gives the bones their size, but not their places
        armatures = [node for node in candidates if isinstance(node, bpy.types.Object)]
        restored = _first_that_restores(top, armatures, _scale_to, _is_scaled)
    return restored


def restore_place(link: bpy.types.PoseBone) -> Node | None:
    """Restore location and rotation of the node above a bone that was moved since the bake.

    Return the node; None if none of them alone explains the place of the bones.
    """
    top = _topmost(link, _is_displaced)
    candidates = [node for node in _carriers(top) if not has_own_motion(node)]
    return _first_that_restores(top, candidates, _move_to, _is_displaced)


def _is_scaled(move: np.ndarray, _origin: np.ndarray) -> bool:
    return not is_rigid(move)


def _is_displaced(move: np.ndarray, origin: np.ndarray) -> bool:
    return not leaves_in_place(move, origin)


def _carriers(bone: bpy.types.PoseBone) -> Iterator[Node]:
    """Yield the bones above a bone, the nearest first, and the armature unless a part of another object carries it."""
    armature = owner_of(bone)
    yield from bone.parent_recursive
    if not attachment_of(armature):
        yield armature


def _displacements(armature: bpy.types.Object) -> dict[Node, tuple[np.ndarray, np.ndarray]]:
    """Return for each baked bone the displacement of its keys' pose since the bake, and its origin at the bake."""
    found = {}
    for bone in bones_with_settings(armature):
        baked = baked_matrix(bone)
        if baked is not None and not animated_carrier(bone):
            found[bone] = world_matrix_of_keys(bone) @ np.linalg.inv(baked), baked[:3, 3]
    return found


def _changed(armature: bpy.types.Object, is_changed: IsChanged) -> set[Node]:
    """Return the baked bones whose displacement is such a change."""
    return {bone for bone, (move, origin) in _displacements(armature).items() if is_changed(move, origin)}


def _topmost(link: bpy.types.PoseBone, is_changed: IsChanged) -> bpy.types.PoseBone:
    """Return the last one of the bone and its parents that has changed; the bone itself if none has."""
    changed = _changed(owner_of(link), is_changed)
    return next((bone for bone in reversed(link.parent_recursive) if bone in changed), link)


def _first_that_restores(
    bone: bpy.types.PoseBone, candidates: Sequence[Node], change: Change, is_changed: IsChanged
) -> Node | None:
    """Change the first of the candidates by which the bone is restored, and no other bone is changed."""
    armature = owner_of(bone)
    moves, changed = _displacements(armature), _changed(armature, is_changed)
    undo = np.linalg.inv(moves[bone][0]) if bone in moves else np.eye(4)
    for node in candidates:
        before = {name: getattr(node, name)[:] for name in channels_of(node)}
        now = world_matrix_of_keys(node)
        change(node, now, undo @ now)
        bpy.context.view_layer.update()
        if _changed(armature, is_changed) <= changed - {bone}:
            return node
        for name, values in before.items():
            setattr(node, name, values)
        bpy.context.view_layer.update()
    return None


def _scale_to(node: Node, now: np.ndarray, wanted: np.ndarray) -> None:
    ratio = np.linalg.norm(wanted[:3, :3], axis=0) / np.linalg.norm(now[:3, :3], axis=0)
    node.scale = (np.array(node.scale) * ratio).tolist()


def _move_to(node: Node, _now: np.ndarray, wanted: np.ndarray) -> None:
    own = space_of(node, world_matrix_of_keys).own_of(wanted)
    set_transform(node, Vector(own[:3, 3].tolist()), Matrix((own[:3, :3] / own_scale(node)).tolist()))
