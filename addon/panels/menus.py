# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's entries in Blender's own menus, which the search (F3) reads, and a pie menu."""

import bpy

from .. import ids
from ..preview import current
from ..props import axes_in_use, core_joint, is_joint, is_known_joint, is_link
from ..props.chosen import meant_active_node
from ..props.settings import joint_settings
from .base import readable
from .joints.drives import can_be_driven

FLOOR = "Floor (Ground)"
"""Label of the ground's switch in places where nothing else says that it is a floor."""

KEY = "J"
"""Key that opens the pie menu in the 3D view, with Shift. The keymap preferences show and change it."""

BUILD = (ids.OP_LINK_TAG, ids.OP_LINK_UNTAG, ids.OP_LINK_WEIGH)
JOIN = (ids.OP_JOINT_PICK, ids.OP_CHAIN, ids.OP_HIERARCHY, ids.OP_MIRROR)
CHANGE = (ids.OP_ZERO_HERE, ids.OP_JOINT_FRAMES, ids.OP_LIMITS_FROM_MOTION, ids.OP_LINK_PIN, ids.OP_JOINT_HOLD)
POSE = (ids.OP_START_HERE, ids.OP_POSE_RESET, ids.OP_POSE_MIDDLE, ids.OP_DRIVE_TO_POSE)
THROW = (ids.OP_THROW, ids.OP_LET_GO)
SCENE = (ids.OP_LIFT, ids.OP_EARTH_GRAVITY)

IN_ARTISTS_WORDS = {
    ids.OP_LINK_TAG: "Tag as Links (Physics)",
    ids.OP_LINK_WEIGH: "Recalculate Mass (Weight)",
    ids.OP_CHAIN: "Join in a Chain (Rope)",
    ids.OP_HIERARCHY: "Rig from Hierarchy (Ragdoll)",
}
"""Labels in the Object menu of operators whose own label lacks the word that artists search for (F3)."""

_keys = []


class LIMBERJACK_MT_object(bpy.types.Menu):
    """Joints, physics and bakes of the selected objects"""

    bl_idname = ids.MT_OBJECT
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator(ids.OP_PREVIEW, icon="PLAY")
        layout.operator(ids.OP_SIMULATE, icon="REC")
        layout.operator(ids.OP_BAKE_CLEAR, icon="TRASH")
        layout.operator(ids.OP_BAKE_KEEP_PARTIAL, icon="ACTION")
        _draw_group(layout, BUILD)
        _draw_surroundings(layout, context.scene)
        _draw_group(layout, JOIN)
        layout.menu(ids.MT_JOINT_ADD)
        if is_known_joint(meant_active_node(context)):
            layout.menu(ids.MT_JOINT_PRESETS)
            layout.menu(ids.MT_DRIVE)
        for group in (CHANGE, POSE, THROW, SCENE):
            _draw_group(layout, group)
        layout.operator_menu_enum(ids.OP_POSE_KEY, "what")
        layout.separator()
        layout.menu(ids.MT_SAMPLES)


def _draw_group(layout, names: tuple[str, ...]) -> None:
    layout.separator()
    for name in names:
        layout.operator(name, text=IN_ARTISTS_WORDS.get(name))


def _draw_surroundings(layout, scene: bpy.types.Scene) -> None:
    """Draw the entries for ground, colliders, collision shapes, surfaces and gravity."""
    layout.separator()
    layout.operator(ids.OP_GROUND, text=FLOOR)
    layout.operator(ids.OP_COLLIDER_ADD)
    layout.operator(ids.OP_RAGDOLL, text="Make Ragdoll (Character, Falls Limp)")
    layout.operator(ids.OP_RAGDOLL_REMOVE)
    layout.operator(ids.OP_BONE_COLLIDERS, text="Bones as Colliders (Character, Armature)")
    layout.operator(ids.OP_BONE_FIT, text="Fit Shapes to Mesh (Bones)")
    layout.menu(ids.MT_COLLISIONS)
    layout.menu(ids.MT_SURFACES, text="Bounce, Bounciness, Friction (Surface Preset)")
    layout.prop(scene, "use_gravity", text="Gravity")


class LIMBERJACK_MT_drive(bpy.types.Menu):
    """What the motors of the active joint do"""

    bl_idname = ids.MT_DRIVE
    bl_label = "Motor (Drive)"

    @classmethod
    def poll(cls, context):
        return is_known_joint(meant_active_node(context))

    def draw(self, context):
        joint = joint_settings(meant_active_node(context))
        kind = core_joint(joint).kind
        for number, axis in enumerate(axes_in_use(joint)):
            if can_be_driven(kind.slot(number)):
                if name := kind.slot(number).name:
                    self.layout.label(text=readable(name))
                self.layout.props_enum(axis, "drive_mode")


class LIMBERJACK_MT_pie(bpy.types.Menu):
    """What one does all day, around the mouse"""

    bl_idname = ids.MT_PIE
    bl_label = "Limberjack"

    def draw(self, context):
        pie = self.layout.menu_pie()
        pie.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
        pie.operator(ids.OP_JOINT_PICK, icon="EYEDROPPER")
        if current() is None:
            pie.operator(ids.OP_PREVIEW, icon="PLAY")
        else:
            pie.operator(ids.OP_PREVIEW_STOP, text="Cancel", icon="X")
        pie.operator(ids.OP_SIMULATE, icon="REC")
        pie.operator(ids.OP_CHAIN, text="Chain (Rope)", icon="LINKED")
        if context.mode == "POSE":  # bones become colliders by another operator
            pie.operator(ids.OP_RAGDOLL, icon="ARMATURE_DATA")
        else:
            pie.operator(ids.OP_COLLIDER_ADD, text="Collider", icon="MESH_PLANE")
        pie.operator(ids.OP_GROUND, text=FLOOR, icon="VIEW_PERSPECTIVE")
        pie.operator(ids.OP_BAKE_CLEAR, icon="TRASH")


def _draw_object(menu, _context):
    menu.layout.separator()
    menu.layout.menu(ids.MT_OBJECT)


def _draw_context(menu, context):
    """Draw entries of the context menu only for links, joints and objects that can be tagged, since it is long."""
    if any(is_link(obj) or is_joint(obj) or obj.type in ("MESH", "ARMATURE") for obj in context.selected_objects):
        _draw_object(menu, context)


def _draw_pose_context(menu, context):
    """Draw entries of the context menu of Pose Mode: all of its bones can be tagged."""
    if context.mode == "POSE":
        _draw_object(menu, context)


def _draw_add(menu, _context):
    menu.layout.separator()
    menu.layout.menu(ids.MT_JOINT_ADD, text="Limberjack Joint", icon="EMPTY_ARROWS")
    menu.layout.operator(ids.OP_GROUND, text="Limberjack Ground", icon="VIEW_PERSPECTIVE")
    menu.layout.menu(ids.MT_SAMPLES, text="Limberjack Sample", icon="FILE_BLEND")


PLACES = (
    ("VIEW3D_MT_object", _draw_object),
    ("VIEW3D_MT_object_context_menu", _draw_context),
    ("VIEW3D_MT_pose", _draw_object),
    ("VIEW3D_MT_pose_context_menu", _draw_pose_context),
    ("VIEW3D_MT_add", _draw_add),
)


def add_to_blender():
    for name, draw in PLACES:
        getattr(bpy.types, name).append(draw)
    keymaps = bpy.context.window_manager.keyconfigs.addon
    if keymaps:  # there are none in background mode
        for name in ids.KEYMAPS:
            keymap = keymaps.keymaps.new(name, space_type="EMPTY")
            item = keymap.keymap_items.new("wm.call_menu_pie", KEY, "PRESS", shift=True)
            item.properties.name = ids.MT_PIE
            _keys.append((keymap, item))


def remove_from_blender():
    for name, draw in PLACES:
        getattr(bpy.types, name).remove(draw)
    while _keys:
        keymap, item = _keys.pop()
        keymap.keymap_items.remove(item)


CLASSES = (LIMBERJACK_MT_drive, LIMBERJACK_MT_object, LIMBERJACK_MT_pie)
