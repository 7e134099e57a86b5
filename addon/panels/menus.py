# SPDX-License-Identifier: GPL-3.0-or-later
"""Where users look for what an add-on can do: Blender's own menus, the search (F3), which reads these, and a pie."""

import bpy

from .. import ids
from ..preview import current
from ..props import is_joint, is_link

KEY = "J"
"""With Shift, in the 3D view; the keymap preferences show it, and change it."""

BUILD = (ids.OP_LINK_TAG, ids.OP_COLLIDER_ADD, ids.OP_LINK_UNTAG, ids.OP_LINK_WEIGH)
JOIN = (ids.OP_JOINT_PICK, ids.OP_CHAIN, ids.OP_HIERARCHY, ids.OP_MIRROR)
CHANGE = (ids.OP_ZERO_HERE, ids.OP_JOINT_FRAMES, ids.OP_LIMITS_FROM_MOTION, ids.OP_LINK_PIN, ids.OP_JOINT_HOLD)
POSE = (ids.OP_START_HERE, ids.OP_POSE_RESET, ids.OP_POSE_MIDDLE, ids.OP_DRIVE_TO_POSE)
THROW = (ids.OP_THROW, ids.OP_LET_GO)

_keys = []


class LIMBERJACK_MT_object(bpy.types.Menu):
    """Joints, physics and bakes of the selected objects"""

    bl_idname = ids.MT_OBJECT
    bl_label = "Limberjack"

    def draw(self, _context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator(ids.OP_PREVIEW, icon="PLAY")
        layout.operator(ids.OP_SIMULATE, icon="REC")
        layout.operator(ids.OP_BAKE_CLEAR, icon="TRASH")
        layout.operator(ids.OP_BAKE_KEEP_PARTIAL, icon="ACTION")
        for group in (BUILD, JOIN, CHANGE, POSE, THROW):
            layout.separator()
            if group is JOIN:
                layout.menu(ids.MT_JOINT_ADD)
            for name in group:
                layout.operator(name)
        layout.operator_menu_enum(ids.OP_POSE_KEY, "what")
        layout.separator()
        layout.menu(ids.MT_SAMPLES)


class LIMBERJACK_MT_pie(bpy.types.Menu):
    """What one does all day, around the mouse"""

    bl_idname = ids.MT_PIE
    bl_label = "Limberjack"

    def draw(self, _context):
        pie = self.layout.menu_pie()
        pie.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
        pie.operator(ids.OP_JOINT_PICK, icon="EYEDROPPER")
        if current() is None:
            pie.operator(ids.OP_PREVIEW, icon="PLAY")
        else:
            pie.operator(ids.OP_PREVIEW_STOP, text="Cancel", icon="X")
        pie.operator(ids.OP_SIMULATE, icon="REC")
        pie.operator(ids.OP_CHAIN, icon="LINKED")
        pie.operator(ids.OP_LINK_PIN, icon="PINNED")
        pie.operator(ids.OP_JOINT_HOLD, icon="LOCKED")
        pie.operator(ids.OP_BAKE_CLEAR, icon="TRASH")


def _draw_object(menu, _context):
    menu.layout.separator()
    menu.layout.menu(ids.MT_OBJECT)


def _draw_context(menu, context):
    """Only where there is something of ours, or something to tag: the menu is long as it is."""
    if any(is_link(obj) or is_joint(obj) or obj.type == "MESH" for obj in context.selected_objects):
        _draw_object(menu, context)


def _draw_add(menu, _context):
    menu.layout.separator()
    menu.layout.menu(ids.MT_JOINT_ADD, text="Limberjack Joint", icon="EMPTY_ARROWS")
    menu.layout.menu(ids.MT_SAMPLES, text="Limberjack Sample", icon="FILE_BLEND")


PLACES = (
    ("VIEW3D_MT_object", _draw_object),
    ("VIEW3D_MT_object_context_menu", _draw_context),
    ("VIEW3D_MT_add", _draw_add),
)


def add_to_blender():
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)
    keymaps = bpy.context.window_manager.keyconfigs.addon
    if keymaps:  # there are none in the background
        keymap = keymaps.keymaps.new(ids.KEYMAP, space_type="EMPTY")
        item = keymap.keymap_items.new("wm.call_menu_pie", KEY, "PRESS", shift=True)
        item.properties.name = ids.MT_PIE
        _keys.append((keymap, item))


def remove_from_blender():
    for name, draw in PLACES:
        getattr(bpy.types, name).remove(draw)
    while _keys:
        keymap, item = _keys.pop()
        keymap.keymap_items.remove(item)


CLASSES = (LIMBERJACK_MT_object, LIMBERJACK_MT_pie)
