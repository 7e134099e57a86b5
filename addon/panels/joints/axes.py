# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the active joint's axes, and its initial values."""

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface

from ....core.joints import Slot, Unit
from ....core.joints.parts import DRIVE, STOPS
from ... import ids
from ...bridge.values.fields import COORDINATE_SUFFIXES, UNITS, Field, Measure, drive_of, fields_on
from ...icons import OF_UNIT
from ...props import axes_in_use, core_joint, is_known_joint
from ...props.chosen import meant_active_node
from ...props.settings import data_path_of, joint_settings
from ..base import InTab, draw_switched, draw_with_unit, in_columns, paragraph, readable, section
from ..key_dots import draw_key_dot

if TYPE_CHECKING:
    from ....core.model import Joint

SPEED_SUFFIX = {Unit.ANGLE: "_turning", Unit.LENGTH: "_sliding", Unit.NUMBER: ""}
"""Suffixes of the properties that show a speed in its unit."""

SUFFIXES = {Measure.COORDINATE: COORDINATE_SUFFIXES, Measure.SPEED: SPEED_SUFFIX}

FOLDED = {"direction": "Direction", "stops": "Stops", "losses": "Friction and Damping", "spring": "Spring"}
"""Sections that are closed at first, with their labels."""

DRIVE_SECTION = "drive"
"""Section that has a panel of its own."""


class LIMBERJACK_PT_axes(InTab, bpy.types.Panel):
    bl_idname = ids.PT_AXES
    bl_label = "Axes"
    bl_parent_id = ids.PT_JOINT

    @classmethod
    def poll(cls, context):
        if not is_known_joint(meant_active_node(context)):
            return False
        known = core_joint(joint_settings(meant_active_node(context)))
        return known.kind.is_open or known.axis_count > 0

    def draw(self, context):
        layout = in_columns(self.layout)
        joint = joint_settings(meant_active_node(context))
        layout.active = joint.enabled
        known = core_joint(joint)
        axes = axes_in_use(joint)
        for number, axis in enumerate(axes):
            _draw_section(layout, axis, known, number)
        if len(axes) < known.axis_count:
            paragraph(layout, context, "The joint comes from an older file: choose its type again to see all its axes")
        if known.kind.is_open:
            layout.operator(ids.OP_AXIS_ADD, icon="ADD")
        if not known.kind.sdf:
            message = pgettext_iface("There is no joint like {type} in SDF: exports leave it out")
            paragraph(layout, context, message.format(type=pgettext_iface(known.kind.label)))


def _draw_section(layout, axis, known: "Joint", number: int):
    """Draw an axis in a section that can be closed. The only axis of a joint, without a name, has no header."""
    slot, unit = known.kind.slot(number), known.axis_unit(number)
    shown = [field for field in shown_fields(axis, slot) if field.section != DRIVE_SECTION]
    if not slot.name:
        draw_fields(layout, axis, shown, unit)
        return
    header, body = layout.panel_prop(axis, "show_expanded")
    header.label(text=readable(slot.name), icon=OF_UNIT[unit])
    if "locked" in slot.fields:
        header.prop(axis, "locked", text="", icon="LOCKED" if axis.locked else "UNLOCKED", emboss=False)
    if known.kind.is_open:
        header.operator(ids.OP_AXIS_REMOVE, text="", icon="X", emboss=False).number = number + 1
    if body:
        draw_fields(in_columns(body), axis, [field for field in shown if field.name != "locked"], unit)


def draw_fields(layout, axis, fields: list[Field], unit: Unit):
    """Draw fields. Those that few joints need are in sections below the others, which are closed at first."""
    for field in fields:
        if field.section not in FOLDED:
            _draw_field(layout, axis, field, unit)
    for name, label in FOLDED.items():
        of_section = [field for field in fields if field.section == name]
        body = section(layout, data_path_of(axis, name), label) if of_section else None
        if body:
            for field in of_section:
                _draw_field(body, axis, field, unit)


def _draw_field(layout, axis, field: Field, unit: Unit):
    measure = field.measure_on(axis)
    name = field.name + (SUFFIXES[measure][unit] if measure in SUFFIXES else "")
    shown_in = UNITS[measure].get(unit, "") if measure in UNITS else ""
    if field.section == "limits" and axis.use_lower and axis.use_upper and axis.lower > axis.upper:
        layout = layout.column()
        layout.alert = True
    row = layout.row(align=True) if field.is_followed else layout
    if shown_in:
        draw_with_unit(row, axis, field.toggle, name, shown_in)
    elif field.toggle:
        draw_switched(row, axis, field.toggle, name)
    else:
        row.prop(axis, name)
    if field.is_followed:
        draw_key_dot(row, axis, name)


def shown_fields(axis, slot: Slot) -> list[Field]:
    """Return the fields that an axis has, without those that have no effect at the present values of others."""
    from ....core.model.axis import RIGID

    fields = fields_on(slot)
    if axis.locked and "locked" in slot.fields:
        return [field for field in fields if field.name == "locked"]
    of_drives = DRIVE - {"drive_mode"} | {"effort"}
    gives_way = axis.use_stiffness and axis.stiffness < RIGID
    idle = {"restitution" if gives_way else "dissipation", *of_drives - drive_of(axis).fields}
    if not any(name in slot.fields and getattr(axis, f"use_{name}") for name in ("lower", "upper")):
        idle |= STOPS
    if not axis.spring_stiffness:
        idle.add("spring_reference")
    return [field for field in fields if field.name not in idle]


class LIMBERJACK_PT_home(InTab, bpy.types.Panel):
    bl_idname = ids.PT_HOME
    bl_label = ""
    bl_parent_id = ids.PT_JOINT
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        obj = meant_active_node(context)
        return is_known_joint(obj) and len(core_joint(joint_settings(obj)).home_units) > 0

    def draw_header(self, context):
        self.layout.prop(joint_settings(meant_active_node(context)), "use_home")

    def draw(self, context):
        layout = in_columns(self.layout)
        joint = joint_settings(meant_active_node(context))
        layout.enabled = joint.use_home
        column = layout.column(align=True)
        for coordinate, (name, unit) in zip(joint.coordinates, core_joint(joint).home_units, strict=False):
            column.prop(coordinate, f"home{COORDINATE_SUFFIXES[unit]}", text=readable(name) or "Start")
