# SPDX-License-Identifier: GPL-3.0-or-later
"""The capsule of a bone as the viewport shows it, and changes of its ends and its radius."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
from mathutils import Quaternion, Vector

from ....core.spatial import quat_rotate
from ...props.settings import link_settings
from ..joints.axis_views import AxisView
from ..posing.link_poses import live_pose
from ..values.numbers import unit_length
from .bone_capsules import capsule_of, length_of, turn_of_capsule


@dataclass(frozen=True)
class CapsuleView:
    """The capsule of a bone as the viewport shows it.

    Attributes:
        unit: length of a Blender unit [m].
        middle: its middle in the world [Blender units].
        direction: of its axis in the world, a unit vector.
        start, end: where its surface begins and ends along its axis, from the plane of the bone's head [m].
        radius: [m].
    """

    unit: float
    middle: Vector
    direction: Vector
    start: float
    end: float
    radius: float

    def along(self) -> AxisView:
        """Return the line along which its ends are dragged, with their places as coordinates [m]."""
        middle = 0.5 * (self.start + self.end)
        return self._line(self.middle - self.direction * (middle / self.unit), self.direction, self.end)

    def across(self, direction: Vector) -> AxisView:
        """Return the line along which its radius is dragged, with the radius as coordinate [m].

        Args:
            direction: unit vector across the axis in the world.
        """
        return self._line(self.middle, direction, self.radius)

    def _line(self, origin: Vector, direction: Vector, value: float) -> AxisView:
        return AxisView(
            number=0,
            name="",
            kind="slide",
            q_index=None,
            origin=origin,
            direction=direction,
            zero=direction.orthogonal().normalized(),
            frame=Quaternion(),
            value=value,
            rate=1.0 / self.unit,
        )


def view_capsule(bone: bpy.types.PoseBone, scene: bpy.types.Scene) -> CapsuleView:
    """Return the view of a bone's capsule at the present pose.

    Raises:
        ModelError: if the bone has a scale of zero.
    """
    unit = unit_length(scene)
    capsule = capsule_of(bone, unit)
    assert capsule is not None  # every bone has one
    pose, settings = live_pose(bone), link_settings(bone)
    middle = Vector(pose[:3]) + Vector(quat_rotate(pose[3:], capsule.pose[:3])) / unit
    direction = Vector(quat_rotate(pose[3:], quat_rotate(turn_of_capsule(bone), (0.0, 1.0, 0.0))))
    center = 0.5 * (settings.bone_start + settings.bone_end) * length_of(bone) * unit
    half = 0.5 * capsule.geometry.length + capsule.geometry.radius
    return CapsuleView(unit, middle, direction, center - half, center + half, capsule.geometry.radius)


def set_ends(bone: bpy.types.PoseBone, scene: bpy.types.Scene, start: float, end: float) -> None:
    """Set where the capsule of a bone begins and ends along its axis, from the plane of the bone's head [m]."""
    length, settings = length_of(bone) * unit_length(scene), link_settings(bone)
    settings.bone_start, settings.bone_end = start / length, end / length


def set_radius(bone: bpy.types.PoseBone, scene: bpy.types.Scene, radius: float) -> None:
    """Set the radius of the capsule of a bone [m]. A capsule that is too short for it becomes longer, a ball."""
    settings = link_settings(bone)
    settings.bone_radius = radius / (length_of(bone) * unit_length(scene))
    lacking = settings.bone_radius - 0.5 * (settings.bone_end - settings.bone_start)
    if lacking > 0.0:
        settings.bone_start -= lacking
        settings.bone_end += lacking
