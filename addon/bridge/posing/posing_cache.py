# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the posing of a scene during drags and playback, so that the scene is not read again at each mouse move.

A posing is valid only for the `Rig` with which it was made. An edit, undo or redo replaces the `Rig`, and loading a
file removes it.
"""

from __future__ import annotations

from collections.abc import Container

import bpy

from ..rig import Rig, last_rig
from .posing import Posing

_cache: dict[tuple[int, bool], tuple[Rig, Posing]] = {}
"""The posing and the reading that it belongs to, by session uid of the scene and by whether it is by hand."""


def posing_of(scene: bpy.types.Scene) -> Posing:
    """Return the scene's posing by hand, with every link at its present pose.

    Raises:
        ModelError: if the scene cannot be read.
    """
    cached = _cached(scene, is_by_hand=True)
    return cached if cached and cached.has_links_in_place() else _store(scene, Posing(scene), is_by_hand=True)


def posing_for_playback(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, external_links: Container[str]
) -> Posing:
    """Return the scene's posing during a frame change, in which pins and locks do not count.

    Args:
        external_links: links that something else moves.

    Raises:
        ModelError: if the scene cannot be read.
    """
    cached = _cached(scene, is_by_hand=False)
    if cached and cached.keeps_transforms(external_links):
        return cached
    return _store(scene, Posing(scene, depsgraph, is_by_hand=False), is_by_hand=False)


def _cached(scene: bpy.types.Scene, is_by_hand: bool) -> Posing | None:
    key = scene.session_uid, is_by_hand
    rig, posing = _cache.get(key, (None, None))
    if rig is None or rig is not last_rig(scene):
        _cache.pop(key, None)  # its objects may have been deleted
        return None
    return posing


def _store(scene: bpy.types.Scene, posing: Posing, is_by_hand: bool) -> Posing:
    rig = last_rig(scene)
    if rig is not None:
        _cache[scene.session_uid, is_by_hand] = rig, posing
    return posing
