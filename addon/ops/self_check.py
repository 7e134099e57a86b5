"""Find out whether the installation is right, and take away what it keeps compiled."""

import bpy

from ...core import jit
from .. import ids
from ..warming import Warming
from .report import fail, nothing_runs, redraw, tell_compilation

TICK = 0.1
"""Seconds between two looks at the compilation."""


class LIMBERJACK_OT_self_check(bpy.types.Operator):
    """Simulate a pendulum whose motion is known, and tell how right, how fast and of what versions this is"""

    bl_idname = ids.OP_SELF_CHECK
    bl_label = "Self-Check"
    bl_options = {"INTERNAL"}

    _timer = None
    _warming: Warming | None = None

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None or not Warming.is_needed():
            return self.execute(context)
        self.begin(context)
        self._timer = context.window_manager.event_timer_add(TICK, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self._check(context, None)

    def begin(self, context):
        self._warming = Warming()
        status = getattr(context.window_manager, ids.STATUS)
        status.running, status.factor, status.text, status.self_check = True, 0.0, "", ""

    def modal(self, context, event):
        if event.type == "ESC":
            self._tidy_up(context)
            self.report({"INFO"}, "Cancelled: what is compiled by now is kept")
            return {"CANCELLED"}
        if event.type != "TIMER" or self._warming is None:
            return {"PASS_THROUGH"}
        if not self._warming.is_done:
            tell_compilation(context, self._warming)
            return {"PASS_THROUGH"}
        seconds = self._warming.seconds
        self._tidy_up(context)
        return self._check(context, seconds)

    def cancel(self, context):
        self._tidy_up(context)

    def _check(self, context, compiled_in: float | None) -> set[str]:
        from ...core.self_check import self_check  # brings numba in, which the add-on is not to wait for when it starts
        from ...core.solvers import SimulationError

        try:
            found = self_check(compiled_in, {"Blender": bpy.app.version_string})
        except SimulationError as error:
            return fail(self, context, f"the pendulum cannot be simulated: {error}")
        getattr(context.window_manager, ids.STATUS).self_check = "\n".join(found.lines)
        for line in found.lines[1:]:
            self.report({"INFO"}, line)
        self.report({"INFO"} if found.is_right else {"ERROR"}, found.verdict)
        redraw(context)
        return {"FINISHED"}

    def _tidy_up(self, context):
        getattr(context.window_manager, ids.STATUS).running = False
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
        if self._warming:
            self._warming.cancel()
        self._timer = self._warming = None
        if context.workspace:
            context.workspace.status_text_set(None)
        redraw(context)


class LIMBERJACK_OT_self_check_copy(bpy.types.Operator):
    """Copy what the self-check has found, for a report of a bug"""

    bl_idname = ids.OP_SELF_CHECK_COPY
    bl_label = "Copy"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if not getattr(context.window_manager, ids.STATUS).self_check:
            cls.poll_message_set("Nothing is checked yet")
            return False
        return True

    def execute(self, context):
        context.window_manager.clipboard = getattr(context.window_manager, ids.STATUS).self_check
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
        size = jit.cache_size()
        try:
            jit.clear_cache()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            return fail(self, context, f"{error.filename}: cannot be removed: {reason}; end other Blenders, try again")
        getattr(context.window_manager, ids.STATUS).self_check = ""
        self.report({"INFO"}, f"{size / 1e6:.0f} MB of compiled kernels are removed")
        redraw(context)
        return {"FINISHED"}


CLASSES = (LIMBERJACK_OT_self_check, LIMBERJACK_OT_self_check_copy, LIMBERJACK_OT_cache_clear)
