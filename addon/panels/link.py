# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of the active object as a link or as a shape of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface

from ...core.geometry.contact_properties import Surface
from ...core.model.text import weighed
from .. import bridge, ids
from ..nodes import children_of, has_own_shape, model_name
from ..props import carrier_of, is_link
from ..props.chosen import meant_active_node
from ..props.settings import link_settings, node_with, scene_settings
from .base import (
    Below,
    InTab,
    also_in_physics,
    draw_meant,
    draw_switched,
    draw_with_unit,
    has_details,
    in_columns,
    paragraph,
    section,
)
from .bone_shape import draw_shape_of_bone
from .key_dots import draw_followed

if TYPE_CHECKING:
    from ...core.geometry import Shape
    from ...core.model import Link

TENSOR = ("xx", "xy", "xz", "yy", "yz", "zz")


class LIMBERJACK_PT_link(Below, bpy.types.Panel):
    bl_idname = ids.PT_LINK
    bl_label = "Link"

    @classmethod
    def poll(cls, context):
        return carrier_of(meant_active_node(context)) is not None and has_details(cls, context)

    def draw(self, context):
        layout = in_columns(self.layout)
        obj = meant_active_node(context)
        settings = link_settings(obj)
        draw_meant(layout, context, "Link of '{link}'")
        if not is_link(obj):
            layout.label(
                text=pgettext_iface("Shape of {link}").format(link=model_name(carrier_of(obj))), translate=False
            )
            _draw_shape(layout, obj, settings)
            if settings.fit_note:
                paragraph(layout, context, settings.fit_note, icon="INFO")
            return
        _draw_motion(layout, context, settings)
        layout.prop(settings, "pin")
        if not has_own_shape(obj):
            _draw_bone_shape(layout, settings)
        body = layout if settings.motion == "FREE" else section(layout, "mass", "Mass")  # folded: it has no effect
        if body:
            _draw_mass(body, context, settings)
        row = layout.row(align=True)
        row.operator(ids.OP_LINK_WEIGH)
        row.operator(ids.OP_LINK_UNTAG)


def _draw_bone_shape(layout, settings):
    """Draw the settings of the shape of a bone."""
    body = section(layout, "capsule", "Shape")
    if body:
        draw_shape_of_bone(body, settings, with_offset=True)


def _draw_motion(layout, context, settings):
    layout.prop(settings, "motion")
    if settings.motion != "FREE":
        chosen = settings.bl_rna.properties["motion"].enum_items.get(settings.motion)
        message = chosen.description if chosen else "Chosen in a newer Limberjack; unknown in this version"
        paragraph(layout, context, message, icon="INFO")
    else:
        draw_followed(layout, settings, "animated")


def _draw_mass(layout, context, settings):
    row = layout.row()
    row.use_property_split = False
    row.prop(settings, "mass_source", expand=True)
    if settings.mass_source == "DENSITY":
        layout.prop(settings, "material")
        draw_with_unit(layout, settings, "", "density", "kg/m³")
    else:
        layout.prop(settings, "mass")
    if settings.mass_source == "CUSTOM":
        layout.label(text=settings.bl_rna.properties["com"].name)
        column = layout.column(align=True)
        for number, name in enumerate("XYZ"):
            column.prop(settings, "com", index=number, text=name)
        layout.label(text=settings.bl_rna.properties["inertia"].name)
        column = layout.column(align=True)
        for number, name in enumerate(TENSOR):
            column.prop(settings, "inertia", index=number, text=name)
    mass = weighed(_mass_now(context, settings), 6)
    layout.label(text=pgettext_iface("Weighs {mass}").format(mass=mass), translate=False)
    if settings.mass_source != "CUSTOM":
        if settings.mass_note:
            paragraph(layout, context, settings.mass_note, icon="INFO")
        layout.operator(ids.OP_LINK_BY_HAND)


def _mass_now(context, settings) -> float:
    """Return the mass of the last reading of the scene, or the stored one if the scene was not read yet."""
    known = _known_link(context.scene, node_with(settings))
    return known.mass if known else settings.mass_shown


def _collisions_now(scene, obj) -> list[Shape]:
    """Return the link's collision shapes of the last reading of the scene; none if it was not read yet."""
    known = _known_link(scene, obj)
    return known.collisions if known else []


def _known_link(scene, obj) -> Link | None:
    rig, name = bridge.rig.last_rig(scene), model_name(obj)
    return next((link for link in rig.model.links if link.name == name), None) if rig else None


def _draw_shape(layout, obj, settings):
    if not has_own_shape(obj):
        return
    if obj.type in bridge.links.parts.SOLID or obj.is_instancer:
        layout.prop(settings, "role")
        if not obj.is_instancer:  # instances have geometries of their own
            layout.prop(settings, "primitive")


class OfLink(InTab):
    """A panel below that of the link, closed at first."""

    bl_parent_id = ids.PT_LINK
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return is_link(meant_active_node(context))


class LIMBERJACK_PT_link_shape(OfLink, bpy.types.Panel):
    bl_idname = ids.PT_LINK_SHAPE
    bl_label = "Collision"

    def draw_header(self, context):
        self.layout.prop(link_settings(meant_active_node(context)), "collides", text="")

    def draw(self, context):
        layout, obj = in_columns(self.layout), meant_active_node(context)
        settings = link_settings(obj)
        layout.active = settings.collides
        _draw_shape(layout, obj, settings)
        if settings.motion == "FREE":
            layout.prop(settings, "recognizes")
            if settings.recognizes and (
                kinds := bridge.links.recognition.kinds_of(_collisions_now(context.scene, obj))
            ):
                shapes = ", ".join(str(pgettext_iface(kind)) for kind in kinds)
                message = pgettext_iface("Collides as: {shapes}").format(shapes=shapes)
                paragraph(layout, context, message, icon="CHECKMARK")
        layout.operator_menu_enum(ids.OP_COLLISION_ADD, "type", text="Add Collision Shape", icon="MESH_ICOSPHERE")
        message = next((note for child in children_of(obj) if (note := link_settings(child).fit_note)), "")
        if message:
            paragraph(layout, context, message, icon="CHECKMARK")
        if not scene_settings(context.scene).contact:
            paragraph(
                layout, context, "Contact is off: see Simulation. Exported files still contain the shapes", icon="INFO"
            )


class LIMBERJACK_PT_link_surface(InTab, bpy.types.Panel):
    bl_idname = ids.PT_LINK_SURFACE
    bl_label = "Surface"
    bl_parent_id = ids.PT_LINK
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return carrier_of(meant_active_node(context)) is not None

    def draw(self, context):
        layout, obj = in_columns(self.layout), meant_active_node(context)
        settings = link_settings(obj)
        draw_surface(layout, settings.surface)
        if settings.surface.source == "AUTO":
            paragraph(layout, context, _surface_in_words(context.scene, obj), icon="INFO")
        column = layout.column(align=True)
        column.operator_menu_enum(ids.OP_SURFACE, "material", text="Surface Preset", icon="MATERIAL")
        column.operator(ids.OP_SURFACE_COPY, icon="COPYDOWN")
        body = section(layout, "layers", "Layers")
        if body:
            body.prop(settings.surface, "layers")
            body.prop(settings.surface, "meets")
            if is_link(obj):
                body.prop(settings, "self_collide")
                body.prop(settings, "family")


def draw_surface(layout, surface):
    row = layout.row()
    row.use_property_split = False
    row.prop(surface, "source", expand=True)
    if surface.source != "CUSTOM":
        return
    layout.prop(surface, "friction")
    draw_switched(layout, surface, "use_static_friction", "static_friction")
    layout.prop(surface, "restitution")
    draw_with_unit(layout, surface, "use_stiffness", "stiffness", "N/m")
    if surface.use_stiffness:
        draw_with_unit(layout, surface, "", "dissipation", "s/m")
    body = section(layout, "rolling", "Rolling and Belts")
    if body:
        for name in ("rolling_friction", "spinning_friction", "velocity", "slip_speed"):
            body.prop(surface, name)


def _surface_in_words(scene, obj) -> str:
    found = (
        bridge.links.contact_settings.contact_settings_of(
            obj, carrier_of(obj), bridge.values.numbers.units_of(scene)
        ).surface
        or Surface()
    )
    message = pgettext_iface("Friction {friction}, restitution {restitution}")
    return message.format(friction=f"{found.friction:g}", restitution=f"{found.restitution:g}")


class LIMBERJACK_PT_link_air(OfLink, bpy.types.Panel):
    bl_idname = ids.PT_LINK_AIR
    bl_label = "Air and Gravity"

    def draw(self, context):
        _draw_section(self.layout, context, "air")


class LIMBERJACK_PT_link_forces(OfLink, bpy.types.Panel):
    bl_idname = ids.PT_LINK_FORCES
    bl_label = "Forces"

    def draw(self, context):
        _draw_section(self.layout, context, "forces")
        if link_settings(meant_active_node(context)).motion != "FREE":
            paragraph(self.layout, context, "This link cannot move, so forces have no effect", icon="INFO")


class LIMBERJACK_PT_link_start(OfLink, bpy.types.Panel):
    bl_idname = ids.PT_LINK_START
    bl_label = "Initial Velocity"

    def draw(self, context):
        layout, settings = in_columns(self.layout), link_settings(meant_active_node(context))
        is_free = settings.motion == "FREE"
        is_kinematic = bridge.animation.motion_sources.may_follow_own_keys(meant_active_node(context))
        starts_from_keys = scene_settings(context.scene).bake.start == "KEYS"
        column = layout.column()
        column.active = is_free and not is_kinematic and not starts_from_keys
        _draw_section(column, context, "start")
        if not is_free:
            paragraph(layout, context, "This link cannot move, so it starts at rest", icon="INFO")
        elif is_kinematic:
            paragraph(layout, context, "While Animated is on, the link moves as its keys do", icon="INFO")
        elif starts_from_keys:
            paragraph(
                layout, context, "Start From: Animation. The link starts as fast as its keys move it", icon="INFO"
            )
        column = layout.column(align=True)
        column.operator(ids.OP_THROW, icon="ANIM")
        column.operator(ids.OP_LET_GO, icon="DECORATE_KEYFRAME")


def _draw_section(layout, context, section: str):
    layout, settings = in_columns(layout), link_settings(meant_active_node(context))
    for field in bridge.values.fields.LINK_FIELDS:
        if field.section == section:
            if field.is_followed:
                draw_followed(layout, settings, field.name)
            else:
                layout.prop(settings, field.name)


PANELS = (
    LIMBERJACK_PT_link,
    LIMBERJACK_PT_link_shape,
    LIMBERJACK_PT_link_surface,
    LIMBERJACK_PT_link_air,
    LIMBERJACK_PT_link_forces,
    LIMBERJACK_PT_link_start,
)
CLASSES = (*PANELS, *also_in_physics(*PANELS))
