# SPDX-License-Identifier: GPL-3.0-or-later
"""Make joints by pointing at a hole, a shaft, a cone, a ball, a rim, a straight edge, a flat face, or any place."""

from typing import TYPE_CHECKING

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ....core.model import ModelError
from ....core.spatial import IDENTITY, Pose, Vec3, compose, inverse, quat_of_mat, quat_of_z, quat_rotate
from ... import bridge, ids
from ...nodes import Node, model_name
from ...nodes.naming import node_named
from ...overlays.feature import FeatureOverlay
from ...props import carrier_of, is_joint, is_link
from ...props.joint import type_items
from ...props.members import joints_in
from ...props.settings import joint_settings
from ..hints import CANCEL, Hint, hide_hints, show_hints
from ..links.links import tag_links
from ..report import fail, in_object_mode, named, redraw, refuses_pose_mode, select_only, succeed
from ..selection import JOINED_BY_TAGGING, selected_pair
from ..views import is_navigation, view_under

if TYPE_CHECKING:
    from ....core.geometry.features.features import Feature

EDGE_PIXELS = 8.0  # largest distance of the mouse from an edge at which it picks the edge [pixels at scale 1]
WORDS = {
    "hole": "Hole",
    "shaft": "Shaft",
    "cone": "Cone",
    "sphere": "Sphere",
    "rim": "Rim",
    "edge": "Edge",
    "face": "Face",
    "place": "Surface",
}
HIDDEN = {"HIDDEN", "SKIP_SAVE"}
NOTHING = "Nothing to fit here"
POINT_AT = Hint(("INFO",), text="Point at a hole, a shaft, an edge or a face")
HINTS = (
    POINT_AT,
    Hint(("MOUSE_LMB",), text="Add Joint Here"),
    Hint(("EVENT_SHIFT", "MOUSE_LMB"), text="Add Joint Here and Pick Another"),
    CANCEL,
    Hint(("MOUSE_MMB", "MOUSE_MMB_SCROLL"), text="Turn the View"),
)


class LIMBERJACK_OT_joint_pick(bpy.types.Operator):
    """Point at a hole, a shaft, an edge or a face, and click: the joint is fitted to it. With Shift, pick more"""

    bl_idname = ids.OP_JOINT_PICK
    bl_label = "Pick Joint"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type",
        description="How the child of a new joint may move",
        items=type_items(),
        default="revolute",
        options={"SKIP_SAVE"},  # else a hole after a ball would get a ball joint
    )
    by_tool: BoolProperty(
        name="By Tool", description="The button is held from the beginning, and released on the place", options=HIDDEN
    )
    object: StringProperty(name="Object", description="The object under the mouse", options={"SKIP_SAVE"})
    face: IntProperty(
        name="Face",
        description="Number of the face, counted after the modifiers",
        min=0,
        options={"SKIP_SAVE"},
    )
    point: FloatVectorProperty(
        name="Point",
        description="Position on the face, in the world",
        subtype="XYZ",
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    reach: FloatProperty(
        name="Reach",
        description="How close to an edge a click must be to pick the edge",
        min=0.0,
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )

    _surfaces = None
    _overlay: FeatureOverlay | None = None
    _hit = None
    _feature = None
    _area = None
    _reach = 0.0

    @classmethod
    def poll(cls, context):
        return not refuses_pose_mode(cls, context, JOINED_BY_TAGGING) and in_object_mode(cls, context)

    def invoke(self, context, event):
        if bpy.app.background or context.window is None:
            return self.execute(context)
        self.begin(context)
        self._update_feature(context, event)
        if self.by_tool and self._feature is None:
            self._clean_up(context)
            return {"CANCELLED", "PASS_THROUGH"}  # the fallback tool handles it
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        """Make the joint as if the point were clicked, from a script or on a redo."""
        obj = node_named(context.scene, self.object)
        if obj is None:
            return fail(self, context, f"there is no object '{self.object}' in this scene: name one to point at")
        try:
            hit = bridge.viewport.picking.hit_of(context, obj, self.face, np.array(self.point, dtype=np.float64))
            feature = bridge.viewport.picking.Surfaces().feature_under(context, hit, self.reach)
            if feature is None:
                return fail(self, context, f"{NOTHING}: the face has no area. {POINT_AT.text}")
            self.type = self._type_for(feature)  # stored so that a redo can change it
            return self._add_or_move_joint(context, obj, feature, self.type)
        except ModelError as error:
            return fail(self, context, error)

    def begin(self, context):
        self._surfaces, self._overlay = bridge.viewport.picking.Surfaces(), FeatureOverlay()
        show_hints(context, HINTS)

    def modal(self, context, event):
        try:
            if event.type in {"ESC", "RIGHTMOUSE"}:
                self._clean_up(context)
                return {"CANCELLED"}
            if event.type == "LEFTMOUSE" and event.value == ("RELEASE" if self.by_tool else "PRESS"):
                self._update_feature(context, event)
                return self._click(context, event.shift and not self.by_tool)
            if event.type == "MOUSEMOVE":
                self._update_feature(context, event)
            return {"PASS_THROUGH"} if is_navigation(event) else {"RUNNING_MODAL"}
        except Exception:
            self._clean_up(context)  # remove the overlay after a bug
            raise

    def cancel(self, context):
        self._clean_up(context)

    def _update_feature(self, context, event):
        """Find the feature under the mouse, and show it."""
        self._hit = self._feature = None
        place = view_under(context, event)
        if place is not None:
            area, region, rv3d, coord = place
            pixels = EDGE_PIXELS * context.preferences.system.ui_scale
            self._hit = bridge.viewport.picking.hit_under(context, region, rv3d, coord)
            if self._hit:
                self._reach = bridge.viewport.silhouettes.reach_at(region, rv3d, coord, self._hit.point, pixels)
                self._feature = self._surfaces.feature_under(context, self._hit, self._reach)
            if self._feature is None or self._feature.kind not in ("rim", "edge"):
                beside = bridge.viewport.silhouettes.edge_beside(
                    context, self._surfaces, region, rv3d, coord, pixels, self._hit
                )
                if beside is not None:
                    self._hit, self._reach, self._feature = beside
            self._show_in_header(area, described(context.scene, self._feature, self._hit is not None))
        self._overlay.show(self._feature)
        redraw(context)

    def _show_in_header(self, area, text: str | None):
        if self._area not in (None, area):
            self._area.header_text_set(None)
        self._area = area
        if area:
            area.header_text_set(text)

    def _click(self, context, continues: bool):
        if self._feature is None:
            if self.by_tool:
                self._clean_up(context)
                return {"CANCELLED"}
            return {"RUNNING_MODAL"}  # the header shows why
        if continues:
            return self._add_and_continue(context)
        self.object, self.face = model_name(self._hit.obj), self._hit.face
        self.point, self.reach = self._hit.point, self._reach
        self._clean_up(context)
        return self.execute(context)  # the same as a redo

    def _add_and_continue(self, context):
        """Make a joint with an undo step of its own. The selection is kept for the next joint."""
        active, selected = context.view_layer.objects.active, list(context.selected_objects)
        try:
            self._add_or_move_joint(context, self._hit.obj, self._feature, self._type_for(self._feature))
        except ModelError as error:
            fail(self, context, error)
        for obj in context.selected_objects:
            obj.select_set(False)
        for obj in selected:
            obj.select_set(True)
        context.view_layer.objects.active = active
        bpy.ops.ed.undo_push(message=self.bl_label)
        self._surfaces = bridge.viewport.picking.Surfaces()
        return {"RUNNING_MODAL"}

    def _clean_up(self, context):
        if self._overlay:
            self._overlay.remove()
        self._show_in_header(None, None)
        self._surfaces = self._overlay = self._hit = self._feature = None
        hide_hints(context)
        redraw(context)

    def _type_for(self, feature: "Feature") -> str:
        return self.type if self.properties.is_property_set("type") else fitting_type(feature, self.type)

    def _add_or_move_joint(self, context, obj, feature: "Feature", kind: str) -> set[str]:
        """Move the active joint to the feature, or make a joint there."""
        x, y, z = feature.origin.tolist()
        dx, dy, dz = feature.direction.tolist()
        has_axis = bool(feature.direction.any())
        frame = bridge.joints.joining.frame_along((x, y, z), (dx, dy, dz)) if has_axis else (x, y, z, *IDENTITY[3:])
        X_WJ = bridge.viewport.picking.as_drawn(obj, frame)
        what = f"the {feature.kind} of '{obj.name}'"
        active = context.active_object if context.active_object in context.selected_objects else None
        if is_joint(active):
            old = _pose_of(active)
            pointed = bridge.joints.joining.pointed_direction(joint_settings(active))
            bridge.joints.joining.move_joint(active, pose_along(X_WJ, old, pointed) if has_axis else X_WJ[:3] + old[3:])
            return succeed(self, context, f"'{active.name}' is on {what}")
        child, parent = links_to_join(context, active, obj)
        joint = bridge.joints.joining.new_joint(child, parent, kind, X_WJ)
        select_only(context, joint)
        return succeed(self, context, f"'{child.name}' is joined to {named(parent)} by '{joint.name}', on {what}")


def links_to_join(context, active: Node | None, obj: Node):
    """Return the child and the parent of a new joint; the parent is None for the world.

    Of two selected links, the active one is the child. If a joint joins the two already, the link that is pointed at is
    joined to the world. If one link is selected, it is the parent of the link that is pointed at, if that is another
    one. Two selected objects that are no links yet become links, and so does the object that is pointed at if no link
    is selected.

    Raises:
        ModelError: if too many objects are selected, or objects that are no links.
    """
    untagged = [each for each in context.selected_objects if not is_link(each) and not is_joint(each)]
    if active in untagged and len(untagged) == len(context.selected_objects) == 2:
        tag_links(context, untagged)
    if is_link(active):
        child, parent = selected_pair(context)
        pointed = carrier_of(obj)
        if pointed and are_joined(context.scene, child, parent):
            return pointed, None
        return (pointed, child) if parent is None and pointed not in (None, child) else (child, parent)
    child = carrier_of(obj)
    if child is None:
        tag_links(context, [obj])
        child = obj
    return child, None


def are_joined(scene: bpy.types.Scene, a: Node, b: Node | None) -> bool:
    """Return whether a joint joins the two links."""
    ends = [(joint_settings(obj).parent_node, joint_settings(obj).child_node) for obj in joints_in(scene)]
    return b is not None and ((a, b) in ends or (b, a) in ends)


def fitting_type(feature: "Feature", default: str) -> str:
    """Return the type of a new joint. A feature with a centre and no axis gets a ball joint."""
    return default if feature.direction.any() else "ball"


def described(scene: bpy.types.Scene, feature: "Feature | None", is_hit: bool) -> str:
    """Return a description of what is under the mouse, in the scene's units."""
    if feature is None:
        return NOTHING if is_hit else POINT_AT.text
    size, unit = "", bridge.values.numbers.unit_length(scene)
    if feature.radius:
        size = f", {bridge.values.numbers.length_in_words(scene, 2.0 * feature.radius * unit)} across"
    elif feature.kind == "edge":
        length = float(np.linalg.norm(feature.outline[-1] - feature.outline[0]))
        size = f", {bridge.values.numbers.length_in_words(scene, unit * length)} long"
    return f"{WORDS[feature.kind]}{size}: click to put the joint here"


def pose_along(X_WJ: Pose, old: Pose, direction: Vec3) -> Pose:
    """Return the pose whose `direction` is along z of X_WJ, with the least rotation from the old pose."""
    to_axis = (0.0, 0.0, 0.0, *quat_of_z(direction))
    return compose(with_nearest_x(X_WJ, compose(old, to_axis)), inverse(to_axis))


def with_nearest_x(X_WJ: Pose, old: Pose) -> Pose:
    """Return the pose rotated about its z axis so that x is as near as possible to that of the old pose."""
    z = np.array(quat_rotate(X_WJ[3:], (0.0, 0.0, 1.0)))
    for axis, is_y in (((1.0, 0.0, 0.0), False), ((0.0, 1.0, 0.0), True)):
        old_axis = np.array(quat_rotate(old[3:], axis))
        old_axis = old_axis - (old_axis @ z) * z
        if np.linalg.norm(old_axis) > 1e-3:  # otherwise x is parallel to the new z, and y is used
            old_axis /= np.linalg.norm(old_axis)
            x = np.cross(old_axis, z) if is_y else old_axis
            return X_WJ[:3] + quat_of_mat(tuple(np.stack([x, np.cross(z, x), z], axis=1).ravel().tolist()))
    return X_WJ


def _pose_of(joint: Node) -> Pose:
    """Return X_WJ for the links as they were drawn [Blender units]."""
    settings = joint_settings(joint)
    X_PJ = bridge.joints.frames.stored_frames(joint)[0] if settings.X_PJ else bridge.joints.frames.empty_frame(joint)
    return compose(
        bridge.posing.link_poses.drawn_pose(settings.parent_node) if settings.parent_node else IDENTITY, X_PJ
    )


CLASSES = (LIMBERJACK_OT_joint_pick,)
