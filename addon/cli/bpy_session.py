# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender as a module: imported when a verb first needs it, with the add-on registered."""

from __future__ import annotations

import importlib.util
import sys
from typing import TYPE_CHECKING

from ...core.cli.result import UsageError
from ...core.processes.interrupts import ending_at_once
from ...core.processes.quiet import quiet

if TYPE_CHECKING:
    import bpy


def require_blender() -> None:
    """Make bpy usable. Raise `UsageError` if there is no Blender."""
    if _is_registered():
        return
    if importlib.util.find_spec("bpy") is None:
        raise UsageError("this needs Blender: install the bpy module, or run `blender -b --command limberjack …`")
    with ending_at_once(), quiet():  # with OCIO set, Blender prints a message at its start
        from .. import registry

        registry.register()


def open_scene() -> bpy.types.Scene:
    """Return the open scene. Raise `UsageError` if there is no Blender."""
    require_blender()
    import bpy

    return bpy.context.scene  # pyright: ignore[reportReturnType] - in the stubs `Context.property` hides the decorator


def _is_registered() -> bool:
    """Return whether the add-on is registered. Inside Blender it is."""
    if "bpy" not in sys.modules:
        return False
    import bpy

    from .. import ids

    return hasattr(bpy.types.Scene, ids.SCENE)
