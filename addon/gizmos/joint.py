# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of the active joint."""

from __future__ import annotations

from collections.abc import Iterator

import bpy
from mathutils import Vector

from ...core.joints import BALL
from .. import bridge
from ..nodes import Node, is_selected, is_visible
from ..nodes.chosen import active_node
from ..overlays.joint_glyphs import ring_radius
from ..overlays.sizes import active_radius
from ..preferences import preferences
from ..props import is_known_joint
from ..props.chosen import meant_active_node
from .handle import LIMBERJACK_GT_handle
from .handle_group import HandleGroup, HandlePlacement

COLORS = {
    "pose": (1.0, 1.0, 1.0),
    "swing": (1.0, 1.0, 1.0),
    "home": (0.4, 0.9, 0.4),
    "zero": (0.6, 0.6, 0.6),
    "aim": (1.0, 0.75, 0.2),
    "lower": (0.3, 0.8, 1.0),
    "upper": (0.3, 0.8, 1.0),
}
POSING = frozenset({"pose", "swing", "home", "zero"})
"""Roles of handles that change where a link is, or what counts as its start."""

ON = 0.9
"""Opacity of handles."""

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


def shown_handles(view: bridge.joints.axis_views.JointView, node: Node, context) -> list[HandlePlacement]:
    """Return the handles of a joint that are shown in a view.

    A bone that another chosen one moves, as the controls of a rig do, has none of those that would pose it.
    """
    found = handles_of(view, active_radius(node, context.region, context.region_data))
    is_moved = node != active_node(context)
    return [handle for handle in found if not is_moved or handle[0] not in POSING]


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


class LIMBERJACK_GGT_joint(HandleGroup, bpy.types.GizmoGroup):
    """The handles of the active joint"""

    bl_idname = "LIMBERJACK_GGT_joint"
    bl_label = "Joint"

    @classmethod
    def poll(cls, context):
        chosen = active_node(context)
        style = preferences()
        shown = context.space_data.show_gizmo and style.show_overlays
        return (
            shown
            and context.mode in ("OBJECT", "POSE")
            and chosen is not None
            and is_known_joint(meant_active_node(context))
            and is_selected(chosen)
            and is_visible(chosen)
        )

    @staticmethod
    def node_of(context) -> Node | None:
        node = meant_active_node(context)
        return node if is_known_joint(node) else None

    def view_key(self, node, context) -> tuple:
        return (active_radius(node, context.region, context.region_data),)

    def view_of(self, node, context) -> bridge.joints.axis_views.JointView:
        return bridge.joints.axis_views.view_joint(node, context.scene)

    def placements(self, view, node, context) -> list[HandlePlacement]:
        return shown_handles(view, node, context)

    def look(self, role, axis) -> tuple[tuple[float, float, float], float]:
        is_off = role in ("lower", "upper") and abs(getattr(axis, role)) == float("inf")
        return COLORS[role], OFF if is_off else ON


CLASSES = (LIMBERJACK_GT_handle, LIMBERJACK_GGT_joint)
