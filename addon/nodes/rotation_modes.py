# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's rotation modes, in which objects and bones store rotations in the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mathutils import Euler, Matrix, Quaternion

if TYPE_CHECKING:
    from . import Node


def rotation_in(mode: str, values: dict[str, list[float]], prefix: str = "") -> Matrix:
    """Return the rotation that values of a node's channels mean in a rotation mode, 3 by 3.

    Args:
        values: by the data path of the channel.
        prefix: "delta_" for the rotation that an object adds. Blender has none in the mode AXIS_ANGLE.
    """
    if mode == "QUATERNION":
        return Quaternion(values[f"{prefix}rotation_quaternion"]).normalized().to_matrix()
    if mode == "AXIS_ANGLE":
        angle, *axis = (0.0, 0.0, 0.0, 1.0) if prefix else values["rotation_axis_angle"]
        return Quaternion(axis, angle).to_matrix()
    return Euler(values[f"{prefix}rotation_euler"], mode).to_matrix()


def set_rotation(node: Node, rotation: Matrix) -> None:
    """Set the node's own rotation, 3 by 3, in its rotation mode. Euler angles are those nearest to the present ones."""
    if node.rotation_mode == "QUATERNION":
        node.rotation_quaternion = rotation.to_quaternion()
    elif node.rotation_mode == "AXIS_ANGLE":
        axis, angle = rotation.to_quaternion().to_axis_angle()
        node.rotation_axis_angle = (angle, *axis)
    else:
        node.rotation_euler = rotation.to_euler(node.rotation_mode, node.rotation_euler)
