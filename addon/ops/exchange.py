"""Models and motions in and out, in Blender's menus."""

import bpy

from .. import ids
from . import exports, imports, trajectories


def _draw_import(menu, _context):
    menu.layout.operator(ids.OP_IMPORT, text="SDF or URDF Model (.sdf, .world, .urdf)")
    menu.layout.operator(ids.OP_IMPORT_TRAJECTORY, text="Trajectory (.npz, .csv)")


def _draw_export(menu, _context):
    menu.layout.operator(ids.OP_EXPORT_SDF, text="SDF Model (.sdf)")
    menu.layout.operator(ids.OP_EXPORT_URDF, text="URDF Model (.urdf)")
    menu.layout.operator(ids.OP_EXPORT_TRAJECTORY, text="Trajectory (.npz, .csv)")


def add_to_menus():
    bpy.types.TOPBAR_MT_file_import.append(_draw_import)
    bpy.types.TOPBAR_MT_file_export.append(_draw_export)


def remove_from_menus():
    bpy.types.TOPBAR_MT_file_import.remove(_draw_import)
    bpy.types.TOPBAR_MT_file_export.remove(_draw_export)


CLASSES = (*exports.CLASSES, *imports.CLASSES, *trajectories.CLASSES)
