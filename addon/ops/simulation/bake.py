# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulate and bake, and clear bakes."""

from typing import TYPE_CHECKING

import bpy
from bpy.app.translations import pgettext_iface
from bpy.props import BoolProperty, StringProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import ids, watch
from ...bake.receipts.restore import baked_links, baked_objects, clear_bake, is_baked, objects_with_user_animation
from ...bridge.findings.last_run import forget_run
from ...kernel_compilation import KernelCompilation
from ...nodes import Node
from ...preview import current, end
from ...props.members import joints_in, links_in
from ...props.settings import scene_settings, window_status
from ..report import fail, in_object_or_pose_mode, nothing_runs, succeed, time_left
from ..selection import OnLinks
from ..views import is_navigation
from ..waiting import WaitsForSolver

if TYPE_CHECKING:
    from ...bake.baking import Bake

SLICE = 0.2
"""Computing time between two checks for key presses [s]. Less makes a bake longer, more delays Esc."""


def _objects_to_key(scene: bpy.types.Scene) -> list[Node]:
    """Return the links, and the joints that get keys or have those of a bake."""
    onto_joints = scene_settings(scene).bake.onto != "LINKS"
    joints = [joint for joint in joints_in(scene) if onto_joints or is_baked(joint)]
    return list(dict.fromkeys((*links_in(scene), *joints)))


_failed: tuple[int, int, "Bake"] | None = None
"""The last failed run that has frames to keep, with `watch.replacements` at that time and its scene's session uid."""


def failed_run(scene: bpy.types.Scene) -> "Bake | None":
    """Return the run of this scene that failed last, unless an undo or another file has replaced its objects."""
    if _failed is None or _failed[:2] != (watch.replacements, scene.session_uid):
        return None
    return _failed[2]


def _remember_failed(scene: bpy.types.Scene, run: "Bake | None") -> None:
    global _failed
    is_worth_it = run is not None and len(run.good_frames) > 1
    _failed = (watch.replacements, scene.session_uid, run) if run and is_worth_it else None


class RunsBake(WaitsForSolver, OnLinks):
    """A mixin for operators that bake in slices and show progress. Esc leaves the scene unchanged.

    Attributes:
        verb: name of the operator in `bpy.ops.limberjack`.
    """

    verb = ""

    bl_options = {"REGISTER", "UNDO"}

    overwrite: BoolProperty(
        name="Replace Animation",
        description="Replace the links' animation with the bake; their actions are kept",
        options={"SKIP_SAVE"},
    )

    _run = None

    @classmethod
    def poll(cls, context):
        return nothing_runs(cls, context) and super().poll(context)

    def make(self, context) -> "Bake":
        """Return the bake. Raise `ModelError` if the scene cannot be baked."""
        from ...bake.simulation_bake import SimulationBake

        return SimulationBake(context.scene, overwrite=self.overwrite)

    def invoke(self, context, event):
        if not self.overwrite and objects_with_user_animation(_objects_to_key(context.scene)):
            bpy.ops.limberjack.simulate_overwriting("INVOKE_DEFAULT", then=self.verb)
            return {"CANCELLED"}
        if bpy.app.background or context.window is None:
            return self.execute(context)
        if not KernelCompilation.is_needed():
            try:
                self._run = self.make(context)
            except ModelError as error:
                return fail(self, context, error)
        _remember_failed(context.scene, None)
        return self.wait(context)

    def execute(self, context):
        """Run the whole bake at once, without a window or from a script."""
        _remember_failed(context.scene, None)
        run = None
        try:
            run = self.make(context)
            result = run.run()
        except (ModelError, _simulation_error()) as error:
            _remember_failed(context.scene, run)
            return self._fail(context, error)
        return succeed(self, context, result.summary, [*result.notes, *result.diagnoses], shows_notes=False)

    def compile(self, context):
        super().compile(context)
        context.window_manager.progress_begin(0.0, 1.0)

    def modal(self, context, event):
        if event.type == "ESC":
            return self._cancel_run(context, "Cancelled: the scene is as it was")
        if event.type == "MOUSEMOVE" or is_navigation(event):
            return {"PASS_THROUGH"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}  # the scene must not change meanwhile
        try:
            return self._work(context)
        except (ModelError, _simulation_error()) as error:
            _remember_failed(context.scene, self._run)
            self.leave(context)
            return self._fail(context, error)
        except Exception:
            self.leave(context)  # do not leave the window locked after a bug
            raise

    def cancel(self, context):
        self.leave(context)

    def _work(self, context):
        if self.is_waiting(context):
            return {"RUNNING_MODAL"}
        if self._run is None:
            self._run = self.make(context)
        if not self._run.step(SLICE):
            progress = f"{self._run.doing}{time_left(self._run.seconds_left)}"
            self.show_progress(context, self._run.progress, progress)
            return {"RUNNING_MODAL"}
        result = self._run.finish()
        self.leave(context)
        return succeed(self, context, result.summary, [*result.notes, *result.diagnoses], shows_notes=False)

    def _fail(self, context, error: Exception):
        diagnoses = getattr(error, "diagnoses", ())
        self._keep_findings(context, diagnoses)
        outcome = fail(self, context, error)
        if diagnoses:  # Problems shows them, with buttons
            window_status(context.window_manager).error = ""
        return outcome

    def _cancel_run(self, context, message: str):
        self._keep_findings(context, self._run.diagnose() if self._run else ())  # they may say why it took long
        self.leave(context)
        self.report({"INFO"}, message)
        return {"CANCELLED"}

    @staticmethod
    def _keep_findings(context, diagnoses):
        """Store the findings of a run without a bake, as an undo step, so that undoing a remedy restores them."""
        if diagnoses:
            from ...bridge.findings.stored_findings import store_findings

            store_findings(context.scene, diagnoses)
            bpy.ops.ed.undo_push(message="Findings")

    def leave(self, context):
        context.window_manager.progress_end()
        if self._run:
            self._run.cancel()
        self._run = None
        super().leave(context)


class LIMBERJACK_OT_simulate(RunsBake, bpy.types.Operator):
    """Simulate the links over the scene's frames, and write the motion as keyframes. Esc cancels"""

    bl_idname = ids.OP_SIMULATE
    verb = ids.OP_SIMULATE.split(".")[1]
    bl_label = "Simulate and Bake"

    @classmethod
    def poll(cls, context):
        if current():
            cls.poll_message_set("Stop the preview, or keep it as a bake")
            return False
        return super().poll(context)


class LIMBERJACK_OT_preview_keep_bake(RunsBake, bpy.types.Operator):
    """Write the preview's motion as keyframes, up to the end of the range. Esc cancels"""

    bl_idname = ids.OP_PREVIEW_BAKE
    verb = ids.OP_PREVIEW_BAKE.split(".")[1]
    bl_label = "Keep as Bake"

    @classmethod
    def poll(cls, context):
        preview = current()
        if preview is None or not preview.has_motion:
            cls.poll_message_set(preview.problem if preview else "There is no preview")
            return False
        return super().poll(context)

    def make(self, context) -> "Bake":
        from ...preview.preview_bake import PreviewBake

        preview = current()
        if preview is None:
            raise ModelError("the preview is over: start another one")
        motion = preview.motion
        preview.stop()
        end()
        return PreviewBake(context.scene, motion, overwrite=self.overwrite)


class LIMBERJACK_OT_bake_keep_partial(bpy.types.Operator):
    """Bake the frames that were simulated before the simulation failed"""

    bl_idname = ids.OP_BAKE_KEEP_PARTIAL
    bl_label = "Keep Good Frames"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if failed_run(context.scene) is None:
            cls.poll_message_set("No simulation of this scene has failed since it was opened or undone")
            return False
        return nothing_runs(cls, context) and in_object_or_pose_mode(cls, context)

    def execute(self, context):
        run = failed_run(context.scene)
        assert run is not None  # `poll` has checked this
        _remember_failed(context.scene, None)
        try:
            run.keep_good_frames()
            result = run.run()
        except ModelError as error:
            return fail(self, context, error)
        return succeed(self, context, result.summary, [*result.notes, *result.diagnoses], shows_notes=False)


def _simulation_error() -> type[Exception]:
    from ....core.diagnosis import SimulationError

    return SimulationError


class LIMBERJACK_OT_simulate_overwriting(bpy.types.Operator):
    """Ask before a bake replaces animation, then simulate"""

    bl_idname = ids.OP_OVERWRITE
    bl_label = "Replace Animation"
    bl_options = {"INTERNAL"}

    then: StringProperty(name="Operator", description="What bakes", options={"SKIP_SAVE"})

    def invoke(self, context, event):
        return context.window_manager.invoke_props_dialog(self, width=420, confirm_text="Replace")

    def draw(self, context):
        names = [obj.name for obj in objects_with_user_animation(_objects_to_key(context.scene))]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        self.layout.label(text=f"Animated already: {shown}")
        bake = scene_settings(context.scene).bake
        if bake.start == "KEYS":
            first = bake.first if bake.use_range else context.scene.frame_start
            message = pgettext_iface("The bake keeps it up to frame {frame}. The actions are kept in the file,")
            self.layout.label(text=message.format(frame=first), translate=False)
        else:
            self.layout.label(text="The bake will replace it. The actions are kept in the file,")
        self.layout.label(text="and Clear Bake restores them, except for bakes that you have edited")

    def execute(self, context):
        try:
            getattr(bpy.ops.limberjack, self.then or "simulate")("INVOKE_DEFAULT", overwrite=True)
        except RuntimeError as error:  # the operator's error report
            return fail(self, context, str(error).removeprefix("Error: ").strip())
        return {"FINISHED"}


class LIMBERJACK_OT_bake_clear(bpy.types.Operator):
    """Remove the baked motion, and put the links and their animation back as they were before"""

    bl_idname = ids.OP_BAKE_CLEAR
    bl_label = "Clear Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not baked_links(context.scene):
            cls.poll_message_set("No link in this scene is baked")
            return False
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        count = clear_bake(baked_objects(context.scene))
        forget_run(context.scene)
        settings = scene_settings(context.scene)
        settings.last_result = settings.last_details = settings.last_notes = ""
        settings.findings.clear()
        return succeed(self, context, f"The bake of {counted(count, 'link')} is cleared")


CLASSES = (
    LIMBERJACK_OT_simulate,
    LIMBERJACK_OT_preview_keep_bake,
    LIMBERJACK_OT_simulate_overwriting,
    LIMBERJACK_OT_bake_clear,
    LIMBERJACK_OT_bake_keep_partial,
)
