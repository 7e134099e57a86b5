# SPDX-License-Identifier: GPL-3.0-or-later
"""The first panel of the tab: play, bake and clear, the result of the last bake, and the first steps."""

import bpy
from bpy.app.translations import pgettext_iface

from .. import ids
from ..bake.receipts.restore import bake_of
from ..ops.files.samples import NEXT, opened, samples
from ..ops.simulation.bake import failed_run
from ..preview import current
from ..props.members import has_links
from ..props.ragdoll import ragdoll_of
from ..props.settings import scene_settings, window_status
from .base import InTab, draw_running, paragraph
from .simulation.preview import draw_controls, draw_state
from .simulation.problems import draw_problem, draw_problems_below_play, instances_alone
from .simulation.simulate import draw_result, draw_warnings

PLAY = GROUND = 0.36
"""Part of a panel's width for Play beside Simulate and Bake, and for Ground beside its bounciness."""

PICK = 0.55
"""Part of a panel's width for Pick Joint with its arrow, beside Collider, whose label is shorter in all languages."""

MOST_NOTES = 3
"""Number of notes of the last operator that are shown; all of them are in the Info editor."""


class LIMBERJACK_PT_main(InTab, bpy.types.Panel):
    bl_idname = ids.PT_MAIN
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        is_begun = has_links(context.scene)
        alone = [] if is_begun else instances_alone(context.scene)
        for problem in alone:
            draw_problem(layout.box().column(), context, problem)
        if is_begun:
            draw_transport(layout, context)
        elif not alone:  # the first click of a new user
            row = layout.row()
            row.scale_y = 1.5
            row.menu(ids.MT_SAMPLES, icon="FILE_BLEND")
        has_character = is_character(context.object) and context.mode in ("OBJECT", "POSE")
        if has_character:
            _draw_ragdoll(layout)
        _draw_building(layout, context)
        if has_character:
            layout.operator(ids.OP_BONE_COLLIDERS, icon="BONE_DATA")
        draw_ground(layout, context.scene)
        _draw_messages(layout, context, is_begun)
        draw_result(layout, context)


def _draw_messages(layout, context, is_begun: bool):
    """Draw messages below all buttons, so that a new message moves no button away from the mouse."""
    preview = current()
    if preview is not None:
        draw_state(layout, context, preview)
    if is_begun:
        draw_problems_below_play(layout, context)
    draw_warnings(layout, context)
    status = window_status(context.window_manager)
    if status.error:
        paragraph(layout, context, status.error, icon="ERROR")
    if run := failed_run(context.scene):
        first, last = run.first, int(run.good_frames[-1])
        failed = pgettext_iface("The simulation failed after frame {frame}").format(frame=last)
        paragraph(layout, context, failed, icon="ERROR")
        keep = pgettext_iface("Keep Frames {first}–{last}").format(first=first, last=last)
        layout.operator(ids.OP_BAKE_KEEP_PARTIAL, text=keep, icon="ACTION", translate=False)
    notes = status.notes.splitlines()
    for note in notes[:MOST_NOTES]:
        paragraph(layout, context, note, icon="INFO")
    if len(notes) > MOST_NOTES:
        more = pgettext_iface("More of them: {count}").format(count=len(notes) - MOST_NOTES)
        layout.label(text=more, translate=False)
    sample = opened()
    if is_begun and sample:
        paragraph(layout, context, f"{sample.description or sample.title}. {pgettext_iface(NEXT)}", icon="INFO")


def draw_transport(layout, context, is_narrow: bool = False):
    """Draw Play and Simulate, or in their place the controls of the running preview or bake.

    Args:
        is_narrow: whether the buttons are below each other, because the panel may be too narrow for two labels.
    """
    preview, status = current(), window_status(context.window_manager)
    if preview is not None:
        draw_controls(layout, preview, is_narrow)
    elif status.running:
        draw_running(layout, status)
    else:
        row = layout.column(align=True) if is_narrow else layout.split(factor=PLAY, align=True)
        row.scale_y = 1.3
        row.operator(ids.OP_PREVIEW, icon="PLAY")
        row.operator(ids.OP_SIMULATE, icon="REC")
        if bake_of(context.scene) is not None:
            layout.operator(ids.OP_BAKE_CLEAR, icon="TRASH")


def _draw_ragdoll(layout) -> None:
    row = layout.row()
    row.scale_y = 1.5
    row.operator(ids.OP_RAGDOLL, icon="ARMATURE_DATA")


def _has_ragdoll_in_place_of_tag(context) -> bool:
    """Return whether Make Ragdoll takes the place of Tag as Links, which is then in the menu beside Pick Joint.

    In Pose Mode, bones may become links of a machine, too, unless they are those of a ragdoll.
    """
    if not is_character(context.object):
        return False
    return context.mode == "OBJECT" or (context.mode == "POSE" and ragdoll_of(context.object) is not None)


def _draw_building(layout, context):
    """Draw the buttons that make links and joints."""
    is_ragdoll = _has_ragdoll_in_place_of_tag(context)
    column = layout.column(align=True)
    row = column.row(align=True)
    if not is_ragdoll:
        row.operator(ids.OP_LINK_TAG, icon="MESH_CUBE")
    row.menu(ids.MT_JOINT_ADD, icon="EMPTY_ARROWS")
    halves = column.split(factor=PICK, align=True)
    row = halves.row(align=True)
    row.operator(ids.OP_JOINT_PICK, icon="EYEDROPPER")
    _draw_arrow(row, ids.MT_MORE)
    row = halves.row(align=True)
    row.operator(ids.OP_COLLIDER_ADD, text="Collider", icon="MESH_PLANE")
    _draw_arrow(row, ids.MT_COLLIDERS)


def is_character(obj: bpy.types.Object | None) -> bool:
    """Return whether an object is an armature, or a mesh that one deforms."""
    return obj is not None and (obj.type == "ARMATURE" or (obj.type == "MESH" and obj.find_armature() is not None))


def _draw_arrow(row, menu: str) -> None:
    """Draw an arrow beside a button that opens a menu belonging to the button."""
    arrow = row.row(align=True)
    arrow.ui_units_x = 1.0  # otherwise it takes space from the label
    arrow.menu(menu, text="")


def draw_ground(layout, scene: bpy.types.Scene, is_narrow: bool = False) -> None:
    """Draw the switch of the ground. While it is on, draw the bounciness beside the switch, or below if narrow."""
    settings = scene_settings(scene)
    is_beside = settings.ground and not is_narrow
    row = layout.split(factor=GROUND, align=True) if is_beside else layout.column(align=True)
    row.operator(ids.OP_GROUND, icon="VIEW_PERSPECTIVE", depress=settings.ground and settings.contact)
    if settings.ground:
        row.prop(settings, "ground_bounce", slider=True)


class LIMBERJACK_MT_more(bpy.types.Menu):
    """Ways to join many links at once, and machines to learn from"""

    bl_idname = ids.MT_MORE
    bl_label = "Limberjack"

    def draw(self, context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        if _has_ragdoll_in_place_of_tag(context):
            text = "Tag as Links (One Rigid Piece)" if context.mode == "OBJECT" else None
            layout.operator(ids.OP_LINK_TAG, text=text, icon="MESH_CUBE")
            layout.separator()
        layout.operator(ids.OP_CHAIN, icon="LINKED")
        layout.operator(ids.OP_HIERARCHY, icon="OUTLINER")
        layout.operator(ids.OP_MIRROR, icon="MOD_MIRROR")
        layout.separator()
        layout.menu(ids.MT_SAMPLES, icon="FILE_BLEND")


class LIMBERJACK_MT_colliders(bpy.types.Menu):
    """How the selected links collide: their shapes, their surfaces, and with which links"""

    bl_idname = ids.MT_COLLIDERS
    bl_label = "Colliders"

    def draw(self, _context):
        layout = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.menu(ids.MT_COLLISIONS, icon="MESH_ICOSPHERE")
        layout.menu(ids.MT_SURFACES, icon="MATERIAL")
        layout.operator(ids.OP_SURFACE_COPY, text="Copy Surface to Selected", icon="COPYDOWN")
        layout.separator()
        layout.operator_enum(ids.OP_PAIR_ADD, "how")
        layout.separator()
        layout.operator(ids.OP_IMPACT_MARKERS, icon="MARKER_HLT")


class LIMBERJACK_MT_surfaces(bpy.types.Menu):
    """Surfaces of materials for the selected links: friction / restitution"""

    bl_idname = ids.MT_SURFACES
    bl_label = "Surface Preset"

    def draw(self, _context):
        self.layout.operator_enum(ids.OP_SURFACE, "material")


class LIMBERJACK_MT_collisions(bpy.types.Menu):
    """Which shape the selected links collide with"""

    bl_idname = ids.MT_COLLISIONS
    bl_label = "Add Collision Shape"

    def draw(self, _context):
        self.layout.operator_context = "INVOKE_DEFAULT"
        self.layout.operator_enum(ids.OP_COLLISION_ADD, "type")


class LIMBERJACK_MT_samples(bpy.types.Menu):
    bl_idname = ids.MT_SAMPLES
    bl_label = "Open a Sample"

    def draw(self, _context):
        self.layout.operator_context = "INVOKE_DEFAULT"
        for name, sample in samples().items():
            self.layout.operator(ids.OP_SAMPLE_OPEN, text=sample.title).name = name


CLASSES = (
    LIMBERJACK_MT_samples,
    LIMBERJACK_MT_more,
    LIMBERJACK_MT_surfaces,
    LIMBERJACK_MT_collisions,
    LIMBERJACK_MT_colliders,
    LIMBERJACK_PT_main,
)
