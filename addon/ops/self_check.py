# SPDX-License-Identifier: GPL-3.0-or-later
"""Check the installation, and remove compiled kernels."""

import bpy

from ...core.compilation import kernel_cache
from .. import ids
from ..kernel_compilation import KernelCompilation
from ..props.settings import window_status
from .report import fail, nothing_runs, redraw
from .waiting import WaitsForSolver


class LIMBERJACK_OT_self_check(WaitsForSolver, bpy.types.Operator):
    """Simulate a pendulum with a known motion, and report accuracy, speed and versions"""

    bl_idname = ids.OP_SELF_CHECK
    bl_label = "Self-Check"
    bl_options = {"INTERNAL"}
    tick = 0.1

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None or not KernelCompilation.is_needed():
            return self.execute(context)
        window_status(context.window_manager).self_check = ""
        return self.wait(context)

    def modal(self, context, event):
        if event.type == "ESC":
            self.leave(context)
            self.report({"INFO"}, "Cancelled: what is compiled by now is kept")
            return {"CANCELLED"}
        if event.type != "TIMER" or self.is_waiting(context):
            return {"PASS_THROUGH"}
        self.leave(context)
        return self.execute(context)

    def cancel(self, context):
        self.leave(context)

    def execute(self, context):
        # Late, since importing the solver takes longer than everything else at Blender's start.
        from ...core.diagnosis import SimulationError
        from ...core.self_check import self_check

        try:
            found = self_check(self.compile_time, {"Blender": bpy.app.version_string})
        except SimulationError as error:
            return fail(self, context, f"the pendulum cannot be simulated: {error}")
        window_status(context.window_manager).self_check = "\n".join(found.lines)
        for line in found.lines[1:]:
            self.report({"INFO"}, line)
        self.report({"INFO"} if found.is_right else {"ERROR"}, found.verdict)
        redraw(context)
        return {"FINISHED"}


class LIMBERJACK_OT_self_check_copy(bpy.types.Operator):
    """Copy the results of the self-check, for a bug report"""

    bl_idname = ids.OP_SELF_CHECK_COPY
    bl_label = "Copy"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if not window_status(context.window_manager).self_check:
            cls.poll_message_set("Not checked yet")
            return False
        return True

    def execute(self, context):
        context.window_manager.clipboard = window_status(context.window_manager).self_check
        self.report({"INFO"}, "Copied")
        return {"FINISHED"}


class LIMBERJACK_OT_cache_clear(bpy.types.Operator):
    """Remove all compiled kernels, of this version and of others; the next simulation compiles the solver anew"""

    bl_idname = ids.OP_CACHE_CLEAR
    bl_label = "Clear Cache"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context)

    def execute(self, context):
        size = kernel_cache.cache_size()
        try:
            kernel_cache.clear_cache()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            return fail(self, context, f"{error.filename}: cannot be removed: {reason}; end other Blenders, try again")
        window_status(context.window_manager).self_check = ""
        self.report({"INFO"}, f"{size / 1e6:.0f} MB of compiled kernels are removed")
        redraw(context)
        return {"FINISHED"}


CLASSES = (LIMBERJACK_OT_self_check, LIMBERJACK_OT_self_check_copy, LIMBERJACK_OT_cache_clear)
