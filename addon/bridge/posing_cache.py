# SPDX-License-Identifier: GPL-3.0-or-later
"""The posing of a scene, kept while it is dragged or played: not every move of the mouse is to read the scene anew.

A reading tells of all other changes: it is another one after each edit, undo or redo, and none when a file is loaded.
"""

from __future__ import annotations

from collections.abc import Container

import bpy

from .posing import Posing
from .rig import Rig, last_rig

_kept: dict[tuple[int, bool], tuple[Rig, Posing]] = {}
"""By the scene's session uid, and whether by hand, with the reading that it is of."""


def posing_of(scene: bpy.types.Scene) -> Posing:
    """The scene's posing by hand, with every link where it is now.

    Raises:
        ModelError: the scene cannot be read.
    """
    kept = _kept_of(scene, is_by_hand=True)
    return kept if kept and kept.is_undisturbed() else _keep(scene, Posing(scene), is_by_hand=True)


def posing_seen(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, left: Container[str]) -> Posing:
    """As `posing_of`, in the course of a frame change, where pins and holds do not count.

    left: links that something else moves.
    """
    kept = _kept_of(scene, is_by_hand=False)
    if kept and kept.keeps_places(left):
        return kept
    return _keep(scene, Posing(scene, depsgraph, is_by_hand=False), is_by_hand=False)


def _kept_of(scene: bpy.types.Scene, is_by_hand: bool) -> Posing | None:
    key = scene.session_uid, is_by_hand
    rig, posing = _kept.get(key, (None, None))
    if rig is None or rig is not last_rig(scene):
        _kept.pop(key, None)  # its objects may be gone
        return None
    return posing


def _keep(scene: bpy.types.Scene, posing: Posing, is_by_hand: bool) -> Posing:
    rig = last_rig(scene)
    if rig is not None:
        _kept[scene.session_uid, is_by_hand] = rig, posing
    return posing
