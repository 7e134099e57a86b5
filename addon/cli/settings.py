# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply settings of the command line to the open scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...core.cli.framework import make_setting
from ...core.cli.result import say
from .bpy_session import open_scene


def make_settings(texts: Sequence[str], path: Path, first: int | None = None) -> None:
    """Apply each OWNER.PROPERTY=VALUE, and print messages about values that the scene could not store.

    Args:
        path: of the scene's file, for messages. first: the frame at which a simulation starts.

    Raises:
        UsageError, ModelError: if a setting is not valid, or if the scene cannot be read.
    """
    if not texts:
        return
    from ..bridge.scene.read import scan_scene
    from ..bridge.scene.set_properties import store_setting

    scene = open_scene()
    reading = scan_scene(scene, first=first)
    for text in texts:
        notes = make_setting(text, lambda setting, show: store_setting(setting, reading, scene, first, show))
        say(*(f"{path}: note: {note}" for note in notes))
