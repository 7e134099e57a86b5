# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of the active joint."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import bpy
from mathutils import Matrix, Vector

from ...core.joints import BALL
from ...core.model import ModelError
from .. import bridge, watch
from ..nodes import Node, is_selected, is_visible, model_name, uid_of
from ..nodes.chosen import active_node
from ..overlays.joint_glyphs import ring_radius
from ..overlays.sizes import active_radius
from ..preferences import preferences
from ..props import is_known_joint
from .handle import LIMBERJACK_GT_handle

HandlePlacement = tuple[str, "bridge.joints.axis_views.AxisView", float, Vector]
"""Role, axis, radius of the ring, and location of a handle in the world."""

COLORS = {
    "pose": (1.0, 1.0, 1.0),
    "swing": (1.0, 1.0, 1.0),
    "home": (0.4, 0.9, 0.4),
    "zero": (0.6, 0.6, 0.6),
    "aim": (1.0, 0.75, 0.2),
    "lower": (0.3, 0.8, 1.0),
    "upper": (0.3, 0.8, 1.0),
}
OFF = 0.35
"""Opacity of the handle of a limit that is switched off."""


def handles_of(view: bridge.joints.axis_views.JointView, radius: float) -> Iterator[HandlePlacement]:
    """Yield every handle of the joint."""
    moving = [axis for axis in view.axes if axis.q_index is not None]
    aimed = [axis for axis in view.axes if axis.is_pointed]
    if not aimed and view.has_stored_frames:
        aimed = moving  # the type fixes all directions, so the handle turns the whole joint
    acts = view.joint.acts_at(0.0)
    for number, axis in enumerate(view.axes):
        ring = ring_radius(radius, number)
        yield from _handles_on_axis(axis, ring, acts, view.has_stored_frames)
        if axis in aimed:
            yield "aim", axis, 1.3 * ring, axis.origin + axis.direction * (1.3 * ring)
    if view.joint.kind.code == BALL and view.axes and acts:
        axis = view.axes[0]
        yield "swing", axis, radius, axis.origin + axis.zero * (0.7 * radius)


def _handles_on_axis(
    axis: bridge.joints.axis_views.AxisView, ring: float, acts: bool, zero_moves: bool
) -> Iterator[HandlePlacement]:
    beside = axis.zero * (0.2 * ring) if axis.kind == "slide" else Vector()
    if axis.can_have_limits:
        for role in ("lower", "upper") if axis.can_have_lower else ("upper",):
            yield role, axis, ring, axis.point_at(axis.limit_or_default(role, ring), ring)
    if axis.q_index is not None:
        if acts:
            yield "pose", axis, ring, axis.point_at(axis.value, 0.7 * ring) + beside
        if axis.home is not None:
            yield "home", axis, ring, axis.point_at(axis.home, 1.35 * ring) - beside
        if axis.q_index == 0 and zero_moves:
            yield "zero", axis, ring, axis.point_at(0.0, 0.4 * ring) + 2.0 * beside


class LIMBERJACK_GGT_joint(bpy.types.GizmoGroup):
    """The handles of the active joint"""

    bl_idname = "LIMBERJACK_GGT_joint"
    bl_label = "Joint"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context):
        obj = active_node(context)
        style = preferences()
        shown = context.space_data.show_gizmo and style.show_overlays
        return (
            shown
            and context.mode in ("OBJECT", "POSE")
            and is_known_joint(obj)
            and is_selected(obj)
            and is_visible(obj)
        )

    def setup(self, context):
        self.made_for = None
        self.places: list[HandlePlacement] = []
        self.refresh(context)

    def refresh(self, context):
        self.made_for = None
        self.draw_prepare(context)

    def draw_prepare(self, context):
        """Place the handles again if something has changed. It runs before each redraw."""
        obj = active_node(context)
        if not is_known_joint(obj):
            return
        if any(gizmo.is_modal for gizmo in self.gizmos):
            self._follow(context, obj)
            return
        key = (watch.moves, uid_of(obj), active_radius(obj, context.region, context.region_data))
        if key != self.made_for:
            self.made_for = key
            self._place(obj, context)
        self._face(context)

    def _place(self, obj: Node, context) -> None:
        radius = active_radius(obj, context.region, context.region_data)
        view, self.places = None, []
        for gizmo in self.gizmos:
            gizmo.hide, gizmo.target = True, None
        with suppress(ModelError):  # a joint that cannot be used has no handles
            view = bridge.joints.axis_views.view_joint(obj, context.scene)
            self.places = list(handles_of(view, radius))
        while len(self.gizmos) < len(self.places):
            gizmo = self.gizmos.new(LIMBERJACK_GT_handle.bl_idname)
            gizmo.use_draw_modal = True
            gizmo.color_highlight, gizmo.alpha_highlight = (1.0, 1.0, 0.6), 1.0
            gizmo.scale_basis = 1.0
        for number, gizmo in enumerate(self.gizmos):
            if number < len(self.places):
                role, axis, ring, _ = self.places[number]
                gizmo.hide = False
                gizmo.role, gizmo.target = role, (model_name(obj), view, axis, ring)
                gizmo.color = COLORS[role]
                is_off = role in ("lower", "upper") and abs(getattr(axis, role)) == float("inf")
                gizmo.alpha = OFF if is_off else 0.9

    def _follow(self, context, obj: Node) -> None:
        """Move all handles to their new places during a drag; their roles stay."""
        try:
            view = bridge.joints.axis_views.view_joint(obj, context.scene)
        except ModelError:
            return
        places = list(handles_of(view, active_radius(obj, context.region, context.region_data)))
        if len(places) == len(self.places):
            self.places = places
        self._face(context)

    def _face(self, context) -> None:
        facing = context.region_data.view_rotation.to_matrix().to_4x4()
        for gizmo, (_, _, _, point) in zip(self.gizmos, self.places, strict=False):
            gizmo.matrix_basis = Matrix.Translation(point) @ facing


CLASSES = (LIMBERJACK_GT_handle, LIMBERJACK_GGT_joint)
