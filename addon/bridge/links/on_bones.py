# SPDX-License-Identifier: GPL-3.0-or-later
"""Find objects that bones carry. A hierarchy of bones does not say which of these objects are joined."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...nodes import Node, attachment_of, owner_of, parent_of
from ...props import ancestors, is_kinematic, is_link


def obstacle_of_bones(objects: Iterable[Node]) -> str:
    """Return why joints cannot be made from the parents of objects, and what to do; empty if no bone carries them.

    An object on a bone is a shape of the bone if that is a link. Otherwise it would get a joint to the world. Kinematic
    links may be on bones, since they follow them.
    """
    carried = [(obj, carrier) for obj in objects if not is_kinematic(obj) and (carrier := _on_bone(obj))]
    if not carried:
        return ""
    obj, carrier = carried[0]
    armature = owner_of(parent_of(carrier) or carrier)
    more = f" and {len(carried) - 1} more hang" if len(carried) > 1 else " hangs"
    return (
        f"object '{obj.name}'{more} on bones of '{armature.name}': tag these bones as links in Pose Mode, "
        "and the objects become their shapes; or parent each part to the next one (Ctrl-P, Object (Keep "
        "Transform)) and press Rig from Hierarchy again"
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
