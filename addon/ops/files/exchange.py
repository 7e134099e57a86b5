# SPDX-License-Identifier: GPL-3.0-or-later
"""Import and export of models and motions in Blender's menus."""

import bpy

from ....core.formats.registry import suffixes, writable
from ... import ids
from . import exports, imports, proving, trajectories


def _draw_import(menu, _context):
    menu.layout.operator(ids.OP_IMPORT, text=f"{imports.NAMES} Model ({', '.join(suffixes())})")
    menu.layout.operator(ids.OP_IMPORT_TRAJECTORY, text="Trajectory (.npz, .csv)")


def _draw_export(menu, _context):
    for entry in writable():
        menu.layout.operator(ids.export_of(entry.suffixes[0]), text=f"{entry.name} Model ({entry.suffixes[0]})")
    menu.layout.operator(ids.OP_EXPORT_TRAJECTORY, text="Trajectory (.npz, .csv)")


def add_to_menus():
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def remove_from_menus():
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)


CLASSES = (*exports.CLASSES, *imports.CLASSES, *trajectories.CLASSES, *proving.CLASSES)
