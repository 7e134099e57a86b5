# SPDX-License-Identifier: GPL-3.0-or-later
"""World matrices of links by their keys, and those that were stored when a bake was made."""

from __future__ import annotations

import bpy
import numpy as np

from ...props import ancestors, is_link
from ...props.settings import before_bake
from ..animation.motion_sources import action_of, basis_at, follows_keyed_joint, has_own_keys, has_own_motion, is_bake
from ..posing.link_poses import to_array


def world_matrix_of_keys(obj: bpy.types.Object, frame: float | None = None) -> np.ndarray:
    """Return the world matrix of an object by its own keys and those of its parents.

    Parents that move in other ways count as they are now.

    Args:
        frame: None for the first key of each F-curve.
    """
    own = basis_at(obj, frame) if has_own_keys(obj) else to_array(obj.matrix_basis)
    if obj.parent is None:
        return own
    is_moved = obj.parent_type != "OBJECT" or (has_own_motion(obj.parent) and not is_link(obj.parent))
    if is_moved or follows_keyed_joint(obj.parent):
        return to_array(obj.matrix_world) @ np.linalg.inv(to_array(obj.matrix_basis)) @ own
    return world_matrix_of_keys(obj.parent, frame) @ to_array(obj.matrix_parent_inverse) @ own


def animated_carrier(link: bpy.types.Object) -> bpy.types.Object | None:
    """Return an object that carries the link, is no link itself, and is animated; None if there is none.

    Keys below such an object do not determine a pose in the world.
    """
    if link.parent is not None and link.parent_type != "OBJECT":
        return link.parent
    return next(
        (obj for obj in ancestors(link) if not is_link(obj) and (has_own_motion(obj) or follows_keyed_joint(obj))), None
    )


def store_baked_matrices(links: list[bpy.types.Object]) -> None:
    """Store the world matrices of links at the first frame of a bake that was just made.

    The scene must be evaluated.
    """
    for link in links:
        before = before_bake(link)
        is_determined = not animated_carrier(link) and not (follows_keyed_joint(link) and not has_own_keys(link))
        before.stood = " ".join(map(repr, world_matrix_of_keys(link)[:3].ravel().tolist())) if is_determined else ""


def baked_matrix(link: bpy.types.Object) -> np.ndarray | None:
    """Return the world matrix of the link at the first frame of its bake; None if it was not stored."""
    text = before_bake(link).stood
    if not text:
        return None
    upper_rows = np.array([float(word) for word in text.split()]).reshape(3, 4)
    return np.vstack([upper_rows, (0.0, 0.0, 0.0, 1.0)])


def played_bake(obj: bpy.types.Object) -> tuple[bpy.types.Action, str] | None:
    """Return the bake that the object plays and the identifier of its slot; None if it plays none."""
    action = action_of(obj)
    if not is_bake(action):
        return None
    slot = obj.animation_data.action_slot
    return (action, slot.identifier) if slot else None
