# SPDX-License-Identifier: GPL-3.0-or-later
"""Apply the remedies of findings about the last simulation."""

import bpy
from bpy.props import IntProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import model_name
from ...props.settings import scene_settings
from ..report import fail, in_object_or_pose_mode, succeed


class LIMBERJACK_OT_remedy_apply(bpy.types.Operator):
    """Repair the cause of the last failure, as the button says"""

    bl_idname = ids.OP_REMEDY
    bl_label = "Apply Remedy"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(
        name="Finding", description="Which of the last simulation's, counted from 0", min=0, options={"HIDDEN"}
    )

    @classmethod
    def description(cls, context, properties):
        findings, number = scene_settings(context.scene).findings, properties.number
        if number >= len(findings) or bridge.findings.stored_findings.obstacle_to(findings[number], context.scene):
            return cls.__doc__
        label = bridge.findings.stored_findings.remedy_label(findings[number], context.scene)
        return f"{label}, and take the finding off the list"

    @classmethod
    def poll(cls, context):
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        findings = scene_settings(context.scene).findings
        if self.number >= len(findings):
            return fail(self, context, f"The last simulation has {counted(findings, 'finding')}: simulate again")
        finding = findings[self.number]
        try:
            bridge.findings.stored_findings.apply_remedy(finding, context.scene)
        except ModelError as error:
            return fail(self, context, error)
        named = f"'{model_name(finding.culprit_node)}': " if finding.culprit_node else ""
        done = f"{named}{bridge.findings.stored_findings.remedy_label(finding, context.scene)}: done, simulate again"
        findings.remove(self.number)
        return succeed(self, context, done)


CLASSES = (LIMBERJACK_OT_remedy_apply,)
