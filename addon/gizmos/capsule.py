# SPDX-License-Identifier: GPL-3.0-or-later
"""The handles of the active bone's capsule, in Pose Mode.

They are shown for the parts of ragdolls and for bones whose capsules were fitted to a mesh. The bones of other machines
have the handles of their joints only, among which those of capsules would be in the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import bpy
from mathutils import Vector

from ...core.model import ModelError
from .. import bridge
from ..nodes import Node, is_part, is_selected, is_visible
from ..nodes.chosen import active_node
from ..preferences import preferences
from ..props import is_known_joint
from ..props.chosen import meant_active_node
from ..props.settings import is_link_bone, link_settings
from . import joint
from .handle_group import HandleGroup, HandlePlacement

COLOR = (0.85, 0.45, 1.0)

OPACITY = 0.9

ALONG_VIEW = 0.05
"""Sine of the angle between view and capsule below which the handle of the radius is beside the view's axes."""


def handles_of(
    view: bridge.links.capsule_views.CapsuleView, view_direction: Vector, others: Sequence[Vector] = ()
) -> Iterator[HandlePlacement]:
    """Yield the handles of a capsule: both ends, and the radius where it is seen from its side.

    Args:
        view_direction: of the eye, a unit vector in the world.
        others: where other handles are. That of the radius is on the side without the nearest one.
    """
    along = view.along()
    for role, value in (("capsule_start", view.start), ("capsule_end", view.end)):
        yield role, along, 0.0, along.point_at(value, 0.0)
    side = _beside(view.direction, view_direction)
    if others and (min(others, key=lambda point: (point - view.middle).length) - view.middle).dot(side) > 0.0:
        side = -side
    across = view.across(side)
    yield "capsule_radius", across, 0.0, across.point_at(view.radius, 0.0)


def _beside(direction: Vector, view_direction: Vector) -> Vector:
    beside = bridge.joints.axis_views.crossed(direction, view_direction)
    return beside.normalized() if beside.length > ALONG_VIEW else direction.orthogonal().normalized()


def has_handles(node: Node | None) -> bool:
    """Return whether the capsule of a node has handles."""
    if node is None or not is_part(node) or not is_link_bone(node):
        return False
    settings = link_settings(node)
    return settings.bone_shape == "CAPSULE" and (bool(settings.body_part) or settings.is_fitted)


def handles_of_joint(node: Node, context) -> list[Vector]:
    """Return where the handles of the joint of a bone are, if they are shown."""
    if not is_known_joint(node):
        return []
    try:
        view = bridge.joints.axis_views.view_joint(node, context.scene)
    except ModelError:  # it has no handles
        return []
    return [point for _, _, _, point in joint.shown_handles(view, node, context)]


class LIMBERJACK_GGT_capsule(HandleGroup, bpy.types.GizmoGroup):
    """The handles of the shape of the active bone"""

    bl_idname = "LIMBERJACK_GGT_capsule"
    bl_label = "Shape of a Bone"

    @classmethod
    def poll(cls, context):
        if context.mode != "POSE" or not context.space_data.show_gizmo or not preferences().show_overlays:
            return False
        chosen = active_node(context)
        return (
            chosen is not None
            and is_selected(chosen)
            and is_visible(chosen)
            and has_handles(meant_active_node(context))
        )

    @staticmethod
    def node_of(context) -> Node | None:
        node = meant_active_node(context)
        return node if has_handles(node) else None

    def view_key(self, node, context) -> tuple:
        return tuple(context.region_data.view_rotation)  # the handle of the radius is beside the capsule

    def view_of(self, node, context) -> bridge.links.capsule_views.CapsuleView:
        return bridge.links.capsule_views.view_capsule(node, context.scene)

    def placements(self, view, node, context) -> list[HandlePlacement]:
        towards = context.region_data.view_rotation @ Vector((0.0, 0.0, -1.0))
        return list(handles_of(view, towards, handles_of_joint(node, context)))

    def look(self, role, axis) -> tuple[tuple[float, float, float], float]:
        return COLOR, OPACITY


CLASSES = (LIMBERJACK_GGT_capsule,)
