# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender is told when the add-on is switched on and off."""

from pathlib import Path
from typing import Any

import bpy

from ..core import jit, kernel_cache
from . import gizmos, ids, ops, overlays, panels, preview, props, translations, watch
from .bridge.sliders import read_value, write_value
from .preferences import LimberjackPreferences

ROOT_PACKAGE = __package__.rpartition(".")[0]
CLASSES: tuple[Any, ...] = (LimberjackPreferences, *props.CLASSES, *ops.CLASSES, *gizmos.CLASSES, *panels.CLASSES)

_commands = []


def register():
    if ROOT_PACKAGE.startswith("bl_ext."):
        folder = bpy.utils.extension_path_user(ROOT_PACKAGE, path="kernels", create=False)
        kernel_cache.set_cache_root(Path(folder))
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    translations.start()
    props.attach()
    props.provide((read_value, write_value))
    ops.add_to_menus()
    panels.add_to_blender()
    watch.start()
    preview.start()
    ops.start()
    overlays.start()
    _commands.append(bpy.utils.register_cli_command(ids.COMMAND, _run_command))


def unregister():
    while _commands:
        bpy.utils.unregister_cli_command(_commands.pop())
    overlays.stop()
    ops.stop()
    preview.stop()
    watch.stop()
    panels.remove_from_blender()
    ops.remove_from_menus()
    props.provide(None)
    props.detach()
    translations.stop()
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
    jit.release()  # so that on Windows, too, a newer version can take its place


def _run_command(argv: list[str]) -> int:
    """`blender -b FILE --command limberjack …`"""
    from .cli import main_inside_blender

    return main_inside_blender(argv)
