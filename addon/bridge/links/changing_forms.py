# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide whether the shapes of a link change over time, so that its mass and its collision shapes change, too."""

from __future__ import annotations

import bpy

from ...nodes import Node
from ...nodes.animation import drivers_of, strips_on
from ..animation.motion_sources import SCALES, TRANSFORMS
from .deforming import form_changes


def changes_its_form(link: Node, shape: bpy.types.Object) -> bool:
    """Return whether a mesh of a link changes over time or is moved against the link.

    Args:
        shape: the link itself, or a shape that it carries.
    """
    return any(form_changes(shape)) or (shape != link and is_moved_within_its_link(shape))


def has_instances(shape: bpy.types.Object) -> bool:
    """Return whether a shape shows other objects as instances.

    Blender gives the matrices of instances in world axes only, in single precision. So the last digits of their poses
    relative to the link change from frame to frame.
    """
    return shape.is_instancer or any(modifier.type == "NODES" for modifier in shape.modifiers)


def is_moved_within_its_link(shape: bpy.types.Object) -> bool:
    """Return whether a driver or a strip moves a shape against its link.

    Keys do not count: a shape with keys is read at its first key.
    """
    return bool(drivers_of(shape, TRANSFORMS + SCALES) or strips_on(shape, TRANSFORMS + SCALES))
