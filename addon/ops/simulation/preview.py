# SPDX-License-Identifier: GPL-3.0-or-later
"""Start a preview, pull its links, stop it, or keep its result."""

from __future__ import annotations

import time

import bpy
from bpy.props import IntProperty
from mathutils import Vector

from ....core.model import ModelError
from ... import bridge, ids
from ...bridge.viewport.guides import NAMES, Guide
from ...bridge.viewport.rays import Ray
from ...kernel_compilation import KernelCompilation
from ...overlays import labels
from ...overlays import pull as overlay
from ...preview import Preview, PreviewOverError, begin, current, end
from ..hints import Hint, show_hints
from ..report import fail, in_object_or_pose_mode, nothing_runs, redraw, succeed
from ..selection import OnLinks
from ..views import link_at, view_under
from ..waiting import WaitsForSolver

TYPED_IN = ("TEXT_EDITOR", "CONSOLE")
"""Editors in which keys type letters."""

MODES = ("OBJECT", "POSE")
"""Modes in which a preview goes on. In others it waits, since the user edits what it would move."""

HINTS = (
    Hint(("MOUSE_LMB",), text="Pull a Link"),
    Hint(("EVENT_X", "EVENT_Y", "EVENT_Z"), text="Along an Axis"),
    Hint(("EVENT_SPACEKEY",), text="Pause or Resume"),
    Hint(("EVENT_LEFT_ARROW", "EVENT_RIGHT_ARROW"), text="One Frame"),
    Hint(("EVENT_ESC",), text="Cancel"),
)


class LIMBERJACK_OT_preview(WaitsForSolver, OnLinks, bpy.types.Operator):
    """Simulate in the viewport without keyframes. Pull links with the mouse. The motion is that of a bake"""

    bl_idname = ids.OP_PREVIEW
    bl_label = "Play"
    bl_options = {"INTERNAL"}  # changes are restored, or kept by operators that push undo

    tick, is_exclusive = 1.0 / 60.0, False
    _preview: Preview | None = None
    _last_tick = 0.0
    _guide = Guide()
    _origin = Vector()
    _view: tuple | None = None

    @classmethod
    def poll(cls, context):
        if current():
            cls.poll_message_set("A preview is on already")
            return False
        return nothing_runs(cls, context) and super().poll(context)

    def invoke(self, context, event):
        if context.window is None:
            return fail(self, context, "a preview needs a window: bake instead")
        if not KernelCompilation.is_needed():
            try:
                self._begin(context)
            except ModelError as error:
                return fail(self, context, error)
        if context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        return self.wait(context)

    def execute(self, context):
        return fail(self, context, "a preview is for the mouse: bake instead")

    def modal(self, context, event):
        try:
            return self._handle(context, event)
        except PreviewOverError:
            end()
            return self._clean_up(context)
        except Exception:
            self._stop(context)  # restore the links after a bug
            raise

    def cancel(self, context):
        """End the preview. Blender calls this when another file is loaded."""
        end()
        self._clean_up(context)

    def _begin(self, context) -> None:
        """Start the preview. Raise `ModelError` if the scene cannot be simulated."""
        bridge.baked_machines.machines.require_in_place(context.scene)
        self._preview = begin(context.scene)
        self._last_tick = time.perf_counter()
        show_hints(context, HINTS)

    def _handle(self, context, event) -> set[str]:
        if self._preview is not None and current() is not self._preview:
            return self._clean_up(context)
        if event.type == "ESC" and event.value == "PRESS":
            return self._stop(context)
        if self._preview is None:
            return self._begin_once_compiled(context)
        if event.type == "TIMER":
            return self._tick(context)
        return self._handle_input(context, self._preview, event)

    def _begin_once_compiled(self, context) -> set[str]:
        try:
            if not self.is_waiting(context):
                self._begin(context)
        except ModelError as error:
            self._clean_up(context)
            return fail(self, context, error)
        return {"PASS_THROUGH"}

    def _tick(self, context) -> set[str]:
        preview = self._preview
        assert preview is not None
        if context.window.scene.session_uid != preview.uid:
            return self._stop(context)
        now = time.perf_counter()
        before = preview.shown
        if context.mode in MODES:
            preview.tick(now - self._last_tick)
        self._last_tick = now
        line = preview.line
        if line:
            overlay.show(*line, True)
        if line or preview.shown != before:
            redraw(context)
        return {"PASS_THROUGH"}

    def _handle_input(self, context, preview: Preview, event) -> set[str]:
        if preview.is_pulling:
            return self._pull(context, preview, event)
        if event.value != "PRESS" or _is_typed(context, event):
            return {"PASS_THROUGH"}
        if event.type == "LEFTMOUSE":
            return self._begin_pull(context, preview, event)
        if event.type == "SPACE":
            preview.toggle()
        elif event.type in ("LEFT_ARROW", "RIGHT_ARROW"):
            preview.step(1 if event.type == "RIGHT_ARROW" else -1)
        else:
            return {"PASS_THROUGH"}
        redraw(context)
        return {"RUNNING_MODAL"}

    def _begin_pull(self, context, preview: Preview, event) -> set[str]:
        """Begin to pull the link under the mouse. Presses beside all links, or on a handle, are passed through."""
        found = view_under(context, event)
        if found is None or labels.is_hovering():
            return {"PASS_THROUGH"}
        _, region, rv3d, at = found
        seen = link_at(context, region, rv3d, Vector(at))
        if seen is None:
            return {"PASS_THROUGH"}
        link, point = seen
        try:
            preview.begin_pull(link, point)
        except ModelError as error:
            self.report({"WARNING"}, str(error))
            return {"RUNNING_MODAL"}
        self._view, self._origin, self._guide = (region, rv3d), point, Guide()
        return {"RUNNING_MODAL"}

    def _pull(self, context, preview: Preview, event) -> set[str]:
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            preview.end_pull()
            overlay.clear()
            redraw(context)
        elif event.type in NAMES and event.value == "PRESS":
            self._guide = self._guide.toggled(NAMES.index(event.type), event.shift)
        if event.type == "MOUSEMOVE" and self._view:
            region, rv3d = self._view
            ray = Ray(region, rv3d, (event.mouse_x - region.x, event.mouse_y - region.y))
            to_viewer = rv3d.view_rotation @ Vector((0.0, 0.0, 1.0))
            place = self._guide.point(ray, self._origin, to_viewer)
            if place is not None:
                preview.pull_to(place)
        return {"RUNNING_MODAL"}

    def _stop(self, context) -> set[str]:
        if self._preview is not None and current() is self._preview:
            end()
            if self._preview.has_scene:
                self._preview.stop()
        return self._clean_up(context)

    def _clean_up(self, context) -> set[str]:
        overlay.clear()
        self._preview = self._view = None
        self.leave(context)
        return {"FINISHED"}


def _is_typed(context, event) -> bool:
    """Return whether the mouse is in an editor in which keys type letters."""
    for area in context.screen.areas if context.screen else ():
        if 0 <= event.mouse_x - area.x < area.width and 0 <= event.mouse_y - area.y < area.height:
            return area.type in TYPED_IN
    return False


class _OfPreview:
    """An operator on the preview that is on."""

    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context):
        if not current():
            cls.poll_message_set("There is no preview")
            return False
        return in_object_or_pose_mode(cls, context)


class LIMBERJACK_OT_preview_play(_OfPreview, bpy.types.Operator):
    """Pause or resume. At the end, start again from the first frame"""

    bl_idname = ids.OP_PREVIEW_PLAY
    bl_label = "Pause or Play"

    def execute(self, context):
        current().toggle()
        redraw(context)
        return {"FINISHED"}


class LIMBERJACK_OT_preview_step(_OfPreview, bpy.types.Operator):
    """Pause, and step some frames forward or back"""

    bl_idname = ids.OP_PREVIEW_STEP
    bl_label = "Step"

    frames: IntProperty(name="Frames", description="How many, forward or back", default=1)

    def execute(self, context):
        current().step(self.frames)
        redraw(context)
        return {"FINISHED"}


class LIMBERJACK_OT_preview_stop(_OfPreview, bpy.types.Operator):
    """Stop the preview, and put every link back to where it was"""

    bl_idname = ids.OP_PREVIEW_STOP
    bl_label = "Stop"

    def execute(self, context):
        preview = current()
        end()
        preview.stop()
        redraw(context)
        return {"FINISHED"}


class LIMBERJACK_OT_preview_keep_pose(_OfPreview, bpy.types.Operator):
    """Stop the preview, and leave the links where they are. Keyed links return when the frame changes"""

    bl_idname = ids.OP_PREVIEW_POSE
    bl_label = "Keep as Pose"

    def execute(self, context):
        preview = current()
        end()
        preview.keep_pose()
        bpy.ops.ed.undo_push(message="Apply Pose of Preview")
        return succeed(self, context, "The links stay where the preview has brought them")


CLASSES = (
    LIMBERJACK_OT_preview,
    LIMBERJACK_OT_preview_play,
    LIMBERJACK_OT_preview_step,
    LIMBERJACK_OT_preview_stop,
    LIMBERJACK_OT_preview_keep_pose,
)
