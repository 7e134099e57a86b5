# SPDX-License-Identifier: GPL-3.0-or-later
"""World matrices of links by their keys, and those that were stored when a bake was made."""

from __future__ import annotations

from functools import partial

import bpy
import numpy as np

from ...nodes import Node, attachment_of, own_matrix, parent_of, world_matrix
from ...nodes.animation import action_of, create_animation
from ...nodes.space import space_of
from ...props import ancestors, is_link
from ...props.settings import before_bake
from ..animation.motion_sources import basis_at, follows_keyed_joint, has_own_keys, has_own_motion, is_bake


def world_matrix_of_keys(obj: Node, frame: float | None = None) -> np.ndarray:
    """Return the world matrix of an object by its own keys and those of its parents.

    Parents that move in other ways count as they are now.

    Args:
        frame: None for the first key of each F-curve.
    """
    own, parent = basis_at(obj, frame) if has_own_keys(obj) else own_matrix(obj), parent_of(obj)
    if parent is None:
        return own
    if attachment_of(obj):
        return world_matrix(obj) @ np.linalg.inv(own_matrix(obj)) @ own
    is_moved = (has_own_motion(parent) and not is_link(parent)) or follows_keyed_joint(parent)
    return space_of(obj, world_matrix if is_moved else partial(world_matrix_of_keys, frame=frame)).world_of(own)


def animated_carrier(link: Node) -> Node | None:
    """Return an object that carries the link, is no link itself, and is animated; None if there is none.

    Keys below such an object do not determine a pose in the world.
    """
    if attachment_of(link):
        return parent_of(link)
    return next(
        (obj for obj in ancestors(link) if not is_link(obj) and (has_own_motion(obj) or follows_keyed_joint(obj))), None
    )


def store_baked_matrices(links: list[Node]) -> None:
    """Store the world matrices of links at the first frame of a bake that was just made.

    The scene must be evaluated.
    """
    for link in links:
        before = before_bake(link)
        is_determined = not animated_carrier(link) and not (follows_keyed_joint(link) and not has_own_keys(link))
        before.stood = " ".join(map(repr, world_matrix_of_keys(link)[:3].ravel().tolist())) if is_determined else ""


def baked_matrix(link: Node) -> np.ndarray | None:
    """Return the world matrix of the link at the first frame of its bake; None if it was not stored."""
    text = before_bake(link).stood
    if not text:
        return None
    upper_rows = np.array([float(word) for word in text.split()]).reshape(3, 4)
    return np.vstack([upper_rows, (0.0, 0.0, 0.0, 1.0)])


def played_bake(obj: Node) -> tuple[bpy.types.Action, str] | None:
    """Return the bake that the object plays and the identifier of its slot; None if it plays none."""
    action = action_of(obj)
    if not is_bake(action):
        return None
    slot = create_animation(obj).action_slot
    return (action, slot.identifier) if slot else None
