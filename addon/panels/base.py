# SPDX-License-Identifier: GPL-3.0-or-later
"""Base classes and drawing functions of all panels."""

from __future__ import annotations

import textwrap

from bpy.app.translations import pgettext_iface

from .. import ids
from ..nodes import model_name
from ..nodes.chosen import active_node
from ..props.chosen import meant_active_node
from ..props.ragdoll import is_body_part
from ..props.settings import window_status
from .wording import in_window


class InTab:
    """A panel in the sidebar tab of the add-on."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = ids.TAB


class Below(InTab):
    """A panel below the main one."""

    bl_parent_id = ids.PT_MAIN


class Folded(Below):
    """A panel below the main one that is closed at first, as many of Blender's own panels are."""

    bl_options = {"DEFAULT_CLOSED"}


def has_details(panel, context) -> bool:
    """Return whether a panel of the active link or joint is shown.

    Those of a part of a ragdoll are hidden in the sidebar until the user asks for them: the panel Ragdoll shows what
    matters of it.
    """
    if panel.bl_space_type != "VIEW_3D" or window_status(context.window_manager).shows_part_panels:
        return True
    return not is_body_part(meant_active_node(context))


NAMES = 0.4
"""Part of a panel's width in which Blender writes the names of properties."""

NUMBER = 3.6
"""Width of a number beside its unit, in heights of a button."""

MARGINS = 0.6
"""Width of the margins of a unit's label, in heights of a button."""

LETTER = 0.36
"""Width of a letter of a unit's label, in heights of a button."""

IN_PHYSICS = "_physics"
"""Suffix of the ids of panels in the Properties editor."""


def also_in_physics(*panels: type) -> tuple[type, ...]:
    """Return copies of panels for the Properties editor's Physics tab, below the copy of their parent there.

    A title such as Limberjack Joint, on a panel of its own, would run into the menu of presets in a small window.
    """
    return tuple(_in_physics(panel) for panel in panels)


def _in_physics(panel) -> type:
    own = {name: value for name, value in vars(panel).items() if name not in ("__dict__", "__weakref__")}
    name, parent = panel.bl_idname + IN_PHYSICS, panel.bl_parent_id + IN_PHYSICS
    place = {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "physics", "bl_category": ""}
    return type(name, panel.__bases__, own | place | {"bl_idname": name, "bl_parent_id": parent})


def paragraph(layout, context, text: str, icon: str = "NONE"):
    """Draw a text, translated if possible, in as many lines as the width of the sidebar needs."""
    scale = context.preferences.system.ui_scale
    letters = max(24, int(context.region.width / (7.5 * scale)) - 4) if context.region else 40
    column = layout.column(align=True)
    column.scale_y = 0.8
    for number, line in enumerate(textwrap.wrap(in_window(pgettext_iface(text)), letters)):
        column.label(text=line, translate=False, icon=icon if number == 0 else ("BLANK1" if icon != "NONE" else "NONE"))


def in_columns(layout):
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def section(layout, name: str, label: str):
    """Return the layout of a section inside a panel, closed at first; None while it is closed."""
    header, body = layout.panel(f"LIMBERJACK_{name}", default_closed=True)
    header.label(text=label)
    return body and in_columns(body)


def draw_meant(layout, context, text: str):
    """Draw which link a panel shows, if the active bone only stands for it.

    Args:
        text: with `{link}` for the name of the link.
    """
    meant = meant_active_node(context)
    if meant is not None and meant != active_node(context):
        layout.label(text=pgettext_iface(text).format(link=model_name(meant)), translate=False)


def draw_running(layout, status):
    """Draw the progress of an operation that runs in the window."""
    layout.progress(factor=status.factor, text=status.text)
    layout.label(text="Esc cancels")


def draw_switched(layout, owner, toggle: str, name: str):
    """Draw a number that counts only while its box is ticked."""
    row = layout.row(heading=owner.bl_rna.properties[toggle].name)
    _draw_number(row, owner, toggle, name)


def draw_with_unit(layout, owner, toggle: str, name: str, unit: str):
    """Draw a number whose unit Blender does not know, with its box if it has one.

    The unit is written beside the number: behind the name, a sidebar of the default width would cut it off.
    """
    row = layout.split(factor=NAMES)
    row.use_property_split = False
    left = row.row()
    left.alignment = "RIGHT"
    left.label(text=owner.bl_rna.properties[toggle or name].name)
    right = row.row()
    _draw_number(right, owner, toggle, name).ui_units_x = NUMBER
    beside = right.row()
    beside.ui_units_x = MARGINS + LETTER * len(unit)
    beside.label(text=unit, translate=False)


def _draw_number(row, owner, toggle: str, name: str):
    if toggle:
        row.prop(owner, toggle, text="")
    value = row.row()
    value.enabled = not toggle or getattr(owner, toggle)
    value.prop(owner, name, text="")
    return value


def readable(name: str) -> str:
    """Return the label for core's name of an axis or a coordinate."""
    return f"Axis {name}" if name.isdigit() else name[:1].upper() + name[1:]
