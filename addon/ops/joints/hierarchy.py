# SPDX-License-Identifier: GPL-3.0-or-later
"""Make joints from the parents of objects."""

import bpy
from bpy.props import BoolProperty, EnumProperty

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge, ids
from ...nodes import Node
from ...props import ancestors, is_joint, is_kinematic, is_link
from ...props.joint import type_items
from ...props.settings import joint_settings, link_settings
from ..links.links import split_taggable, tag_links
from ..report import fail, in_object_mode, select_only, succeed

Solid = Node


class LIMBERJACK_OT_rig_from_hierarchy(bpy.types.Operator):
    """Make each solid object a link, joined to the nearest solid one above it; Empties between are passed through"""

    bl_idname = ids.OP_HIERARCHY
    bl_label = "Rig from Hierarchy"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type",
        description="How each object may move relative to its parent",
        items=type_items(),
        default="revolute",
    )
    whole: BoolProperty(name="With Children", description="Include all children of the selected objects", default=True)
    to_world: BoolProperty(
        name="Hold by the World", description="Join links without a parent to the world", default=True
    )

    @classmethod
    def poll(cls, context):
        if not any(not is_joint(obj) for obj in context.selected_objects):
            cls.poll_message_set("Select objects that are parented to each other")
            return False
        return in_object_mode(cls, context)

    def execute(self, context):
        try:
            solids, refused = _solids(context, self.whole)
            if reason := bridge.links.on_bones.obstacle_of_bones(solids):
                return fail(self, context, reason)
            pairs = [(_carrier(obj, solids), obj) for obj in solids]
            joined = {_ends_of(obj) for obj in context.scene.objects if is_joint(obj)}
            wanted = [pair for pair in pairs if _is_wanted(*pair, self.to_world) and pair not in joined]
            poses = {
                obj: bridge.posing.link_poses.drawn_pose(obj) for obj in {end for pair in pairs for end in pair if end}
            }
        except ModelError as error:
            return fail(self, context, error)
        notes = refused + tag_links(context, [obj for obj in solids if not is_link(obj)])
        joints = [bridge.joints.joining.new_joint(child, parent, self.type, poses[child]) for parent, child in wanted]
        bridge.joints.hinge_axes.choose_axes(joints, context.scene)
        for parent, child in pairs:
            if (parent, child) in joined:
                notes.append(f"'{child.name}' is joined to '{parent.name if parent else 'the world'}' already")
        select_only(context, *(joints or solids))
        return succeed(self, context, f"{counted(solids, 'link')}, {counted(joints, 'new joint')}", notes)


def _is_wanted(parent: Solid | None, child: Solid, to_world: bool) -> bool:
    """Return whether a joint is made.

    A link that its animation moves gets no joint to the world, which would conflict with the animation.
    """
    return parent is not None or (to_world and not is_kinematic(child))


def _solids(context, whole: bool) -> tuple[list[Solid], list[str]]:
    """Return the objects that are to be links, parents first, and why other objects cannot be links."""
    chosen = [obj for obj in context.selected_objects if not is_joint(obj)]
    objects = dict.fromkeys(chosen)
    for obj in chosen if whole else ():
        objects |= dict.fromkeys(obj.children_recursive)
    scene_objects = set(context.scene.objects)
    fit, refused = split_taggable(
        [obj for obj in objects if obj in scene_objects and _is_solid(obj) and not is_link(obj)]
    )
    solids = [obj for obj in objects if obj in fit or (obj in scene_objects and is_link(obj))]
    if not solids and refused:
        raise ModelError(refused[0])
    if not solids:
        names = ", ".join(f"'{obj.name}'" for obj in chosen[:3])
        raise ModelError(f"nothing solid is at or below {names}: select objects with a shape, or tag links yourself")
    return sorted(solids, key=lambda obj: (len(list(ancestors(obj))), obj.name)), refused


def _is_solid(obj: bpy.types.Object) -> bool:
    """Return whether the object is to be a link. Collision shapes stay shapes of the link above them."""
    if is_joint(obj) or is_link(obj):
        return not is_joint(obj)
    instances = obj.instance_type == "COLLECTION" and obj.instance_collection is not None
    return (obj.type in bridge.links.parts.SOLID or instances) and link_settings(obj).role != "COLLISION"


def _carrier(obj: Solid, solids: list[Solid]) -> Solid | None:
    """Return the nearest parent that is, or is to be, a link."""
    return next((above for above in ancestors(obj) if above in solids or is_link(above)), None)


def _ends_of(joint: Node) -> tuple[Solid | None, Solid | None]:
    settings = joint_settings(joint)
    return settings.parent_node, settings.child_node


CLASSES = (LIMBERJACK_OT_rig_from_hierarchy,)
