# SPDX-License-Identifier: GPL-3.0-or-later
"""The dots beside settings that simulations follow, as beside Blender's own: a click inserts a key, or deletes it."""

import bpy

from ..ids import OP_SETTING_KEY
from ..nodes import prefix_of
from ..nodes.animation import animation_at
from ..props.settings import data_path_of, node_with


def draw_followed(layout, group, name: str, text: str | None = None):
    """Draw a setting that simulations follow, with its dot. text: in place of its name."""
    row = layout.row(align=True)
    if _has_data_path(group):
        row.use_property_decorate = True
        row.prop(group, name, text=text)
    else:
        row.column().prop(group, name, text=text)
        draw_key_dot(row, group, name)


def draw_key_dot(layout, group, name: str):
    """Draw the dot of a setting."""
    if _has_data_path(group):
        layout.prop_decorator(group, name)
        return
    path = data_path_of(group, name)
    found = animation_at(group.id_data, path, bpy.context.scene.frame_current_final)
    if found.is_driven:
        layout.label(icon="DECORATE_DRIVER")
        return
    icon = "DECORATE_KEYFRAME" if found.is_keyed else "DECORATE_ANIMATE" if found.has_keys else "DECORATE"
    layout.operator(OP_SETTING_KEY, text="", emboss=False, icon=icon).path = path


def _has_data_path(group) -> bool:
    """Return whether Blender knows the data path of a group, which its own dots and the key I need.

    It does not for groups of bones, although it plays their F-curves.
    """
    return not prefix_of(node_with(group))
