# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that the user has chosen: bones in Pose Mode, and objects in all other modes."""

from __future__ import annotations

import bpy

from . import Node


def active_node(context: bpy.types.Context) -> Node | None:
    """Return the active bone in Pose Mode, else the active object; None if there is none."""
    return context.active_pose_bone if context.mode == "POSE" else context.object


def selected_nodes(context: bpy.types.Context) -> list[Node]:
    """Return the selected bones in Pose Mode, of all armatures that are in this mode, else the selected objects."""
    chosen = context.selected_pose_bones if context.mode == "POSE" else context.selected_objects
    return list(chosen or ())
