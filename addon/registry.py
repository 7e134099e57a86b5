# SPDX-License-Identifier: GPL-3.0-or-later
"""Register the classes, properties, menus and handlers of the add-on with Blender, and remove them again."""

from pathlib import Path
from typing import Any

import bpy

from ..core.compilation import jit, kernel_cache
from . import gizmos, ops, overlays, panels, preview, props, translations, watch
from .bridge.posing.sliders import read_value, write_value
from .preferences import LimberjackPreferences

ROOT_PACKAGE = __package__.rpartition(".")[0]
CLASSES: tuple[Any, ...] = (LimberjackPreferences, *props.CLASSES, *ops.CLASSES, *gizmos.CLASSES, *panels.CLASSES)


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


def unregister():
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
    jit.release()  # so that Windows can replace the library by a newer one
