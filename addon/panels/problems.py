"""What is wrong with the model, who is to blame, and a button where there is one safe way to mend it."""

import bpy

from .. import ids
from ..bridge.problems import Problem
from ..bridge.rig import last_rig
from ..ops.problems import MENDS
from .base import Below, paragraph

ICON = {"error": "CANCEL", "warning": "ERROR", "note": "INFO"}
MOST = 20
"""Problems in view; who has more mends these first."""


class LIMBERJACK_PT_problems(Below, bpy.types.Panel):
    bl_idname = ids.PT_PROBLEMS
    bl_label = "Problems"

    def draw_header_preset(self, context):
        scene = context.scene
        rig = last_rig(scene)
        count = sum(problem.severity != "note" for problem in rig.problems) if rig else 0
        if count:
            self.layout.label(text=str(count), icon="ERROR")

    def draw(self, context):
        layout, scene = self.layout, context.scene
        rig = last_rig(scene)
        if rig is None or not rig.problems:
            if rig is None:
                layout.label(text="Reading the scene", icon="SORTTIME")
            else:
                layout.label(text="None found" if rig.model.links else "No links yet", icon="CHECKMARK")
            return
        for problem in rig.problems[:MOST]:
            _draw(layout.box().column(), context, problem)
        if len(rig.problems) > MOST:
            layout.label(text=f"and {len(rig.problems) - MOST} more")


def _draw(column, context, problem: Problem):
    if problem.name:
        select = column.operator(
            ids.OP_PROBLEM_SELECT, text=problem.name, icon=ICON[problem.severity], emboss=False, translate=False
        )
        select.name = problem.name
    paragraph(column, context, problem.text, icon="NONE" if problem.name else ICON[problem.severity])
    mends = MENDS.get(problem.code, ())
    row = column.row(align=True) if mends else column
    for mend in mends:
        button = row.operator(ids.OP_PROBLEM_MEND, text=mend.label, icon="TOOL_SETTINGS")
        button.name, button.code, button.label = problem.name, problem.code, mend.label


CLASSES = (LIMBERJACK_PT_problems,)
