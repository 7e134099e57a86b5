# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of problems of the model and findings about its last simulation, with buttons for safe repairs."""

from collections.abc import Sequence

import bpy
from bpy.app.translations import pgettext_iface

from ... import bridge, ids
from ...bridge.unbakeable_links import INSTANCED
from ...ops.simulation.repairs import OPERATORS, REPAIRS
from ...preview import current
from ...props.settings import scene_settings
from ..base import Below, paragraph

ICON = {"error": "CANCEL", "warning": "ERROR", "note": "INFO"}
MOST = 20
"""Number of problems that are shown. A user with more repairs these first."""


LETTERS_IN_A_ROW = 22
"""Number of letters on buttons up to which these are side by side in a tab of the default width; else they are below
each other.
"""


class LIMBERJACK_PT_problems(Below, bpy.types.Panel):
    bl_idname = ids.PT_PROBLEMS
    bl_label = ""

    @classmethod
    def poll(cls, context):
        return bool(_problems(context.scene) or scene_settings(context.scene).findings)

    def draw_header(self, context):
        self.layout.label(text="Problems" if _count(context.scene) else "Notes")

    def draw_header_preset(self, context):
        if count := _count(context.scene):
            self.layout.label(text=str(count), icon="ERROR")

    def draw(self, context):
        rig = bridge.rig.last_rig(context.scene)
        findings = _findings(context.scene, rig)
        _draw_problems(self.layout, context, _problems(context.scene))
        if findings:
            self.layout.label(text="Last Simulation")
        for number, finding in findings:
            _draw_finding(self.layout.box().column(), context, number, finding)


def _count(scene) -> int:
    """Return the number of problems and findings, without notes, since notes describe normal behaviour."""
    count = sum(problem.severity != "note" for problem in _problems(scene))
    return count + len(_findings(scene, bridge.rig.last_rig(scene)))


def _problems(scene) -> list:
    """Return all problems except those that the main panel shows: below Play, or below the bake that they are about."""
    rig = bridge.rig.last_rig(scene)
    if rig is None or not rig.problems or instances_alone(scene):
        return []
    elsewhere = (
        *bridge.findings.problems.codes_below_play(current() is not None),
        bridge.baked_machines.machines.LEFT_BEHIND,
    )
    return [problem for problem in rig.problems if problem.code not in elsewhere]


def draw_problems_below_play(layout, context):
    """Draw the problems that are shown below Play."""
    rig = bridge.rig.last_rig(context.scene)
    below_play = bridge.findings.problems.codes_below_play(current() is not None)
    for problem in rig.problems if rig else ():
        if problem.code in below_play:
            draw_problem(layout.box().column(), context, problem)


def instances_alone(scene) -> list:
    """Return the problems of a scene whose links are all in collection instances; none of a scene with own links."""
    rig = bridge.rig.last_rig(scene)
    is_alone = rig is not None and not rig.model.links and not rig.model.joints
    return [problem for problem in rig.problems if problem.code == INSTANCED] if is_alone else []


def _findings(scene, rig) -> list:
    return bridge.findings.stored_findings.unreported_findings(scene, rig.problems if rig else ())


def _draw_problems(layout, context, problems: Sequence):
    for problem in problems[:MOST]:
        draw_problem(layout.box().column(), context, problem)
    if len(problems) > MOST:
        layout.label(text=pgettext_iface("More of them: {count}").format(count=len(problems) - MOST), translate=False)


def draw_problem(column, context, problem: "bridge.findings.problems.Problem"):
    """Draw the message of a problem, and a button for each repair."""
    _draw_text(column, context, problem.name, problem.text, ICON[problem.severity])
    repairs = [repair for repair in REPAIRS.get(problem.code, ()) if problem.name or repair.is_of_scene]
    fits = sum(len(pgettext_iface(repair.label)) for repair in repairs) <= LETTERS_IN_A_ROW
    row = column.row(align=True) if repairs and fits else column
    for repair in repairs:
        button = row.operator(ids.OP_PROBLEM_MEND, text=repair.label, icon="TOOL_SETTINGS")
        button.name, button.code, button.label = problem.name, problem.code, repair.label
    if problem.code in OPERATORS:
        column.operator(OPERATORS[problem.code], icon="TOOL_SETTINGS")


def _draw_finding(column, context, number: int, finding):
    _draw_text(column, context, bridge.findings.stored_findings.name_of(finding), finding.message, ICON["warning"])
    if not bridge.findings.stored_findings.obstacle_to(finding, context.scene):
        label = bridge.findings.stored_findings.remedy_label(finding, context.scene)
        column.operator(ids.OP_REMEDY, text=label, icon="TOOL_SETTINGS").number = number


def _draw_text(column, context, name: str, text: str, icon: str):
    """Draw a message below the name of its object. A click on the name selects the object."""
    if name:
        column.operator(ids.OP_PROBLEM_SELECT, text=name, icon=icon, emboss=False, translate=False).name = name
    paragraph(column, context, text, icon="NONE" if name else icon)


CLASSES = (LIMBERJACK_PT_problems,)
