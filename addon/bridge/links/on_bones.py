# SPDX-License-Identifier: GPL-3.0-or-later
"""Find objects that bones carry. A hierarchy of bones does not say which of these objects are joined."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...nodes import Node, attachment_of, parent_of
from ...props import ancestors, is_kinematic, is_link


def obstacle_of_bones(objects: Iterable[Node]) -> str:
    """Return why joints cannot be made from the parents of objects, and what to do; empty if no bone carries them.

    Bones are no links, so each object on a bone would get a joint to the world. Kinematic links may be on bones, since
    they follow them.
    """
    carried = [(obj, carrier) for obj in objects if not is_kinematic(obj) and (carrier := _on_bone(obj))]
    if not carried:
        return ""
    obj, carrier = carried[0]
    more = f" and {len(carried) - 1} more hang" if len(carried) > 1 else " hangs"
    return (
        f"object '{obj.name}'{more} on bones of '{carrier.parent.name}', and bones are no links: parent each part to "
        "the next one (Ctrl-P, Object (Keep Transform)) and press Rig from Hierarchy again; bones can follow the parts "
        "by Copy Transforms"
    )


def _on_bone(obj: Node) -> Node | None:
    """Return the object itself, or the nearest Empty above it, that is parented to a bone.

    It is None if there is none, or if an object with a shape is in between.
    """
    for each in (obj, *ancestors(obj)):
        if attachment_of(each) == "bone":
            return each
        parent = parent_of(each)
        if not isinstance(parent, bpy.types.Object) or parent.type != "EMPTY" or is_link(parent):
            return None
    return None
