# SPDX-License-Identifier: GPL-3.0-or-later
"""IK drag: move a link with the mouse; the links that are joined to it follow."""

import math

import bpy
from bpy.props import FloatVectorProperty, StringProperty
from mathutils import Vector

from ....core.model import ModelError
from ....core.spatial import IDENTITY, compose
from ... import bridge, ids
from ...bridge.viewport.guides import NAMES, Guide
from ...nodes import Node, model_name
from ...nodes.naming import node_named, node_of
from ...overlays import pull as overlay
from ...overlays.sizes import size_of_pixel
from ...props import is_link
from ...props.members import links_in
from ...props.settings import scene_settings
from ...watch import note_change
from ..hints import CANCEL, Hint, hide_hints, show_hints
from ..report import fail, in_object_or_pose_mode, redraw, succeed
from ..views import link_at

WHEEL_STEP = 0.02
"""Distance by which a step of the wheel moves the target, as a part of the view's distance."""

VISIBLE_DISTANCE = 1.5
"""Distance from the target below which a link counts as there [pixels]; the mouse is not more accurate."""

VISIBLE_ANGLE = math.radians(0.5)
"""Angle from the target below which a link counts as there [rad]; it is not visible."""

HINTS = (
    Hint(("MOUSE_LMB",), text="Release to Keep"),
    CANCEL,
    Hint(("EVENT_X", "EVENT_Y", "EVENT_Z"), text="Along an Axis"),
    Hint(("EVENT_SHIFT", "EVENT_X", "EVENT_Y", "EVENT_Z"), text="Across an Axis"),
    Hint(("EVENT_R",), text="Keep Orientation"),
    Hint(("MOUSE_MMB_SCROLL",), text="Farther, Nearer"),
)


class LIMBERJACK_OT_link_pull(bpy.types.Operator):
    """Drag a link by a point on it. Joined links follow; pinned links and locked joints stay"""

    bl_idname = ids.OP_LINK_PULL
    bl_label = "IK Drag"
    bl_options = {"INTERNAL"}  # it pushes an undo step with the link's name itself

    link: StringProperty(name="Link", description="Name of the link", options={"SKIP_SAVE"})
    place: FloatVectorProperty(
        name="Place",
        description="Target of the point, in the world",
        subtype="XYZ",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    point: FloatVectorProperty(
        name="Point",
        description="The point at which it is pulled, in its own axes",
        subtype="XYZ",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )

    _pull = None
    _snapshot = None
    _reach = None
    _problem = ""
    _guide = Guide()
    _depth = 0.0
    _keeps_orientation = False

    @classmethod
    def poll(cls, context):
        return in_object_or_pose_mode(cls, context)

    def execute(self, context):
        """Move the point to its target at once, from a script."""
        link = node_named(context.scene, self.link)
        if not is_link(link):
            return fail(self, context, f"there is no link '{self.link}' in this scene: name one of its links")
        try:
            grabbed = compose(bridge.posing.link_poses.live_pose(link), (*self.point, *IDENTITY[3:]))
            pull = bridge.posing.pulling.Pull(context.scene, link, Vector(grabbed[:3]))
            reach = pull.to(Vector(self.place), scene_settings(context.scene).keeps_turn)
        except ModelError as error:
            return fail(self, context, error)
        notes = [] if reach.is_reached else [f"'{self.link}' does not come all the way: {reach.words}"]
        return self._finish(context, notes)

    def invoke(self, context, event):
        found = self.link_under(context, event)
        if found is None:
            return {"CANCELLED", "PASS_THROUGH"}  # the fallback tool handles it
        try:
            self.begin(context, *found)
        except ModelError as error:
            return fail(self, context, error)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def link_under(self, context, event) -> tuple[Node, Vector] | None:
        """Return the link under the mouse when the button was pressed, and its point there.

        For a link without a shape, it is the origin.
        """
        region, rv3d = context.region, context.region_data
        if rv3d is None:
            return None
        pressed = Vector((event.mouse_prev_press_x - region.x, event.mouse_prev_press_y - region.y))
        return link_at(context, region, rv3d, pressed)

    def begin(self, context, link: Node, point: Vector):
        """Begin the drag. Raise `ModelError` if the link cannot be pulled."""
        self._pull = bridge.posing.pulling.Pull(context.scene, link, point)
        self._snapshot = bridge.values.snapshot.Snapshot(links_in(context.scene))
        self.link = model_name(link)
        self._keeps_orientation = scene_settings(context.scene).keeps_turn
        show_hints(context, HINTS)

    def modal(self, context, event):
        try:
            return self._handle(context, event)
        except Exception:
            self._clean_up(context)  # remove the overlay after a bug
            raise

    def cancel(self, context):
        """End the drag. Blender also calls this when a file is loaded."""
        self._clean_up(context)

    def _handle(self, context, event) -> set[str]:
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            self._clean_up(context)
            return self._finish(context) if self._reach else {"CANCELLED"}
        if event.type in ("ESC", "RIGHTMOUSE") and event.value == "PRESS":
            self._snapshot.restore()
            note_change([node_of(context.scene, self.link)])
            self._clean_up(context)
            return {"CANCELLED"}
        if event.type == "MOUSEMOVE" or (event.value == "PRESS" and self._is_changed_by(context, event)):
            self._follow(context, event)
        return {"RUNNING_MODAL"}

    def _is_changed_by(self, context, event) -> bool:
        """Apply a key or the wheel to the drag, and return whether it has changed anything."""
        if event.type in NAMES:
            self._guide = self._guide.toggled(NAMES.index(event.type), event.shift)
        elif event.type == "R":
            self._keeps_orientation = not self._keeps_orientation
        elif event.type in ("WHEELUPMOUSE", "WHEELDOWNMOUSE"):
            step = WHEEL_STEP * context.region_data.view_distance
            self._depth += step if event.type == "WHEELUPMOUSE" else -step
        else:
            return False
        return True

    def _follow(self, context, event) -> None:
        to_viewer = context.region_data.view_rotation @ Vector((0.0, 0.0, 1.0))
        origin = self._pull.start - to_viewer * (self._depth if self._guide.axis is None else 0.0)
        place = self._guide.point(bridge.viewport.rays.ray_under(context, event), origin, to_viewer)
        if place is None:
            return
        try:
            self._reach, self._problem = self._pull.to(place, self._keeps_orientation), ""
        except ModelError as error:
            self._problem = str(error)
        grabbed_point = self._pull.grabbed_point
        missing = self._problem or self._obstacle_in_words(context, grabbed_point)
        overlay.show(grabbed_point, place, not missing)
        note_change([node_of(context.scene, self.link)])
        context.area.header_text_set(self._header_text(context.scene, grabbed_point, missing))

    def _obstacle_in_words(self, context, grabbed_point: Vector) -> str:
        """Return what keeps the link from its target, if the difference is visible; empty otherwise."""
        pixel = size_of_pixel(grabbed_point, context.region, context.region_data) * bridge.values.numbers.unit_length(
            context.scene
        )
        is_seen = self._reach.distance > VISIBLE_DISTANCE * pixel or self._reach.angle > VISIBLE_ANGLE
        return self._reach.words if is_seen or not self._reach.is_closed else ""

    def _header_text(self, scene, grabbed_point: Vector, missing: str) -> str:
        moved = bridge.values.numbers.length_in_words(
            scene, (grabbed_point - self._pull.start).length * bridge.values.numbers.unit_length(scene)
        )
        turn = "keeps its orientation" if self._keeps_orientation else ""
        return "   ".join(filter(None, [f"{self.link}  moved {moved}", self._guide.words, turn, missing]))

    def _finish(self, context, notes=()) -> set[str]:
        bpy.ops.ed.undo_push(message=f"IK Drag {self.link}")
        return succeed(self, context, f"'{self.link}' is pulled", notes)

    def _clean_up(self, context):
        overlay.clear()
        if context.area:
            context.area.header_text_set(None)
        hide_hints(context)
        redraw(context)


CLASSES = (LIMBERJACK_OT_link_pull,)
