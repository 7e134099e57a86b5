# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of simulation settings, and the result of the last bake."""

import bpy
from bpy.app.translations import pgettext_iface

from ....core.compilation.jit import why_uncompiled
from ... import bridge, ids
from ...bake.receipts.receipt import receipt_of
from ...bake.receipts.restore import bake_of
from ...bridge.rig import last_rig
from ...bridge.values.numbers import frame_rate
from ...props.settings import scene_settings, window_status
from ..base import Folded, in_columns, paragraph, section
from ..link import draw_surface
from .problems import draw_problem

UNCOMPILED = (
    "The solver runs uncompiled: results are the same, but about 100 times slower: {reason}. Install the Limberjack "
    "zip made for this platform, which contains the compiled solver"
)


class LIMBERJACK_PT_simulate(Folded, bpy.types.Panel):
    bl_idname = ids.PT_SIMULATE
    bl_label = "Simulation"

    def draw(self, context):
        layout = in_columns(self.layout)
        scene = context.scene
        settings = scene_settings(scene)
        layout.enabled = not window_status(context.window_manager).running  # input is ignored then
        layout.prop(settings, "accuracy")
        row = layout.row(heading="Contact")
        row.prop(settings, "contact", text="")
        ground = row.row()
        ground.active = settings.contact
        ground.use_property_split = False
        ground.prop(settings, "ground")
        layout.prop(settings.bake, "start")
        _draw_range(layout, scene, settings.bake)
        column = layout.column(heading="Play")
        column.prop(settings.preview, "pace")
        column.prop(settings.preview, "strength")


def _draw_range(layout, scene, bake):
    owner, first, last = (bake, "first", "last") if bake.use_range else (scene, "frame_start", "frame_end")
    column = layout.column(align=True)
    column.prop(bake, "use_range")
    column.prop(owner, first, text="Frame Start")
    column.prop(owner, last, text="End")


def draw_warnings(layout, context):
    """Draw warnings about the next and the last bake."""
    if reason := why_uncompiled():
        paragraph(layout, context, pgettext_iface(UNCOMPILED).format(reason=reason), icon="INFO")
    rig = last_rig(context.scene)
    left = (
        [problem for problem in rig.problems if problem.code == bridge.baked_machines.machines.LEFT_BEHIND]
        if rig
        else []
    )
    for problem in left:
        draw_problem(layout.box().column(), context, problem)
    if not left and (reason := _staleness(context.scene)):  # a moved machine would seem changed
        paragraph(
            layout,
            context,
            pgettext_iface("The bake is out of date: {reason}").format(reason=reason),
            icon="FILE_REFRESH",
        )
    if scene_settings(context.scene).findings:
        _draw_findings(layout, context)


def _draw_findings(layout, context):
    rig = last_rig(context.scene)
    findings = bridge.findings.stored_findings.unreported_findings(context.scene, rig.problems if rig else ())
    if findings:
        paragraph(
            layout, context, pgettext_iface("Findings: {count}, see Problems").format(count=len(findings)), icon="ERROR"
        )


def draw_result(layout, context):
    """Draw the result of the last bake. Accuracy and cost are in a section that is closed at first."""
    settings = scene_settings(context.scene)
    if settings.last_result:
        reached, *more = settings.last_result.splitlines()
        header, body = layout.panel("LIMBERJACK_details", default_closed=True)
        header.label(text=reached, translate=False)
        for line in more:  # the header has no room for it
            paragraph(layout, context, line, icon="INFO")
        if body:
            _draw_details(body, context, settings)


def _draw_details(layout, context, settings):
    paragraph(layout, context, settings.last_details)
    for note in settings.last_notes.splitlines():
        paragraph(layout, context, note, icon="INFO")


_staleness_cache: dict[int, tuple[tuple, str]] = {}
"""The state that was examined, and why its bake is out of date, by session uid of the scene."""


def _staleness(scene: bpy.types.Scene) -> str:
    """Return why the bake is out of date, computed again after each reading of the scene and change of a setting."""
    rig = last_rig(scene)
    if rig is None or bake_of(scene) is None:
        return ""
    settings = scene_settings(scene)
    numbers = tuple(getattr(settings.bake, item.identifier) for item in settings.bake.bl_rna.properties)
    frames = scene.frame_start, scene.frame_end, frame_rate(scene)
    state = (rig.version, settings.accuracy, settings.contact, numbers, frames)
    seen, reason = _staleness_cache.get(scene.session_uid, ((), ""))
    if seen != state:
        from ...bake.receipts.staleness import out_of_date

        reason = out_of_date(scene, rig.model)
        _staleness_cache[scene.session_uid] = state, reason
    return reason


class LIMBERJACK_PT_keys(Folded, bpy.types.Panel):
    bl_idname = ids.PT_KEYS
    bl_label = "Keyframes"
    bl_parent_id = ids.PT_SIMULATE

    def draw(self, context):
        layout = in_columns(self.layout)
        bake = scene_settings(context.scene).bake
        options = layout.column()
        options.enabled = not window_status(context.window_manager).running
        options.prop(bake, "onto")
        options.prop(bake, "step")
        options.prop(bake, "reduces")
        column = options.column(align=True)
        column.active = bake.reduces
        column.prop(bake, "distance")
        column.prop(bake, "angle")
        action = bake_of(context.scene)
        receipt = receipt_of(action) if action else None
        if receipt:
            _draw_receipt(layout, context, action, receipt)


def _draw_receipt(layout, context, action, receipt):
    layout.label(text=action.name, icon="ACTION")
    share = f", {receipt.written} of {receipt.possible} keys" if receipt.written < receipt.possible else ""
    words = {"HOME": "the initial pose", "POSE": "a pose", "KEYS": "animation"}
    begun = words.get(receipt.start, receipt.start.lower())
    simulated = f"{receipt.accuracy} accuracy, from {begun}"
    what = simulated if receipt.source == "simulation" else f"replay of {receipt.source}"
    lines = [f"Frames {receipt.first} to {receipt.last}, {what}{share}, Limberjack {receipt.version}"]
    if receipt.off_by or receipt.turned_by:
        unit = context.scene.unit_settings
        way = bpy.utils.units.to_string(unit.system, "LENGTH", receipt.off_by, precision=5)
        turn = bpy.utils.units.to_string("NONE", "ROTATION", receipt.turned_by, precision=4)
        lines.append(f"Off by {way} and {turn} at most")
    for line in lines:
        paragraph(layout, context, line)


class LIMBERJACK_UL_pairs(bpy.types.UIList):
    """Links that are to meet or not, two a row"""

    bl_idname = ids.UL_PAIRS

    def draw_item(self, _context, layout, _data, item, _icon, _active_data, _active_property, _index, _flag):
        row = layout.row(align=True)
        names = ", ".join(end.name if end else "?" for end in (item.a_node, item.b_node))
        row.label(text=names, translate=False, icon="LINKED" if item.meets else "UNLINKED")
        row.prop(item, "meets", text="")


class LIMBERJACK_PT_contact(Folded, bpy.types.Panel):
    bl_idname = ids.PT_CONTACT
    bl_label = "Contact"
    bl_parent_id = ids.PT_SIMULATE

    def draw(self, context):
        layout, settings = in_columns(self.layout), scene_settings(context.scene)
        layout.active = settings.contact
        layout.operator(ids.OP_COLLIDER_ADD, icon="MESH_PLANE")
        if settings.ground:
            body = section(layout, "ground", "Ground")
            if body:
                draw_surface(body, settings.ground_surface)
        layout.operator_menu_enum(ids.OP_PAIR_ADD, "how", text="Pair of Selected Links")
        if settings.pairs:
            layout.template_list(ids.UL_PAIRS, "", settings, "pairs", settings, "pair", rows=3)
            layout.operator(ids.OP_PAIR_REMOVE, icon="REMOVE")
        layout.operator(ids.OP_IMPACT_MARKERS, icon="MARKER_HLT")


class LIMBERJACK_PT_weather(Folded, bpy.types.Panel):
    bl_idname = ids.PT_WEATHER
    bl_label = "Gravity and Wind"
    bl_parent_id = ids.PT_SIMULATE

    def draw(self, context):
        from ...bridge.findings.problems import wind_without_drag

        layout, scene = in_columns(self.layout), context.scene
        layout.prop(scene, "use_gravity")
        column = layout.column()
        column.active = scene.use_gravity
        column.prop(scene, "gravity", text="")
        if message := bridge.values.gravity.gravity_by_unit(scene):
            paragraph(layout, context, message, icon="ERROR")
            layout.operator(ids.OP_EARTH_GRAVITY, icon="TOOL_SETTINGS")
        layout.prop(scene_settings(scene), "wind")
        rig = last_rig(scene)
        for problem in wind_without_drag(rig.model) if rig else ():
            paragraph(layout, context, problem.message, icon="ERROR")


CLASSES = (
    LIMBERJACK_UL_pairs,
    LIMBERJACK_PT_simulate,
    LIMBERJACK_PT_keys,
    LIMBERJACK_PT_weather,
    LIMBERJACK_PT_contact,
)
