"""Which links the user has selected to be joined."""

import bpy

from ...core.model import ModelError
from ..props import is_joint, is_link


def selected_pair(context) -> tuple[bpy.types.Object, bpy.types.Object | None]:
    """The active link, which is the child, and the other selected one, the parent; None for the world.

    Raises:
        ModelError: something selected is no link, or too many are.
    """
    child = context.active_object
    others = [obj for obj in context.selected_objects if obj != child and not is_joint(obj)]
    strangers = [obj.name for obj in others if not is_link(obj)]
    if strangers:
        raise ModelError(f"'{strangers[0]}' is no link: tag it as a link first, or deselect it")
    if len(others) > 1:
        raise ModelError(f"{len(others) + 1} links are selected: select the parent, then the child, no more")
    return child, others[0] if others else None
