# SPDX-License-Identifier: GPL-3.0-or-later
"""The two links of a joint: what follows when the user chooses one, and which they are for the joint of a bone."""

from __future__ import annotations

from ..nodes import Node, is_part, joins_itself, owner_of, parent_of
from ..nodes.copied_bones import bones_above
from .references import drop_foreign_bone, referred_node
from .settings import is_link_bone, link_settings, node_with


def may_be_end(_joint, obj) -> bool:
    """Return whether the window offers an object as parent or child."""
    return link_settings(obj).is_link


def forget_frames(joint, _context=None):
    """Drop the joint's frames, because they are relative to its former links."""
    joint.X_PJ = joint.X_CJ = ""


def parent_chosen(joint, _context):
    """Keep the switch for the world in step with the parent. A bone without a parent here uses the bone above it."""
    drop_foreign_bone(joint, "parent")
    joint.to_world = joint.parent is None and not joins_itself(node_with(joint))


def child_chosen(joint, _context):
    drop_foreign_bone(joint, "child")
    forget_frames(joint)


def world_chosen(joint, _context):
    """Clear the parent if the world was chosen.

    This also runs after every choice of a parent, so that parent and switch cannot contradict each other.
    """
    forget_frames(joint)
    if joint.to_world and joint.parent:
        joint.parent_node = None
        joint.to_world = True


def read_parent(joint) -> Node | None:
    """Return the joint's parent; None for the world, or if there is none.

    For the joint of a bone, it is the nearest link above unless another was chosen: a bone, its armature, or what
    carries that.
    """
    node = node_with(joint)
    if joint.parent or joint.to_world or not is_part(node):
        return referred_node(joint, "parent")
    above: Node | None = next(filter(is_link_bone, bones_above(node)), owner_of(node))
    while above is not None and not link_settings(above).is_link:
        above = parent_of(above)
    return above


def read_child(joint) -> Node | None:
    """Return the joint's child, which is the bone itself for the joint of a bone; None if there is none."""
    node = node_with(joint)
    return node if joins_itself(node) else referred_node(joint, "child")
