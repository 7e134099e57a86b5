# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the mouse position to a ray, to the value of a joint axis, and to directions about a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector
from mathutils.geometry import intersect_line_line

if TYPE_CHECKING:
    from ..joints.axis_views import AxisView

EDGE_ON = 0.1
"""Cosine of the angle between view and axis below which the circle of a turn is seen from its side, so that the mouse
moves along its edge instead.
"""


class Ray:
    """The ray from the eye through a pixel of a region, in world axes."""

    def __init__(self, region, rv3d, at: tuple[float, float]):
        self.direction: Vector = region_2d_to_vector_3d(region, rv3d, at)
        self.origin: Vector = region_2d_to_origin_3d(region, rv3d, at)

    def on_plane(self, point: Vector, normal: Vector) -> Vector | None:
        """Return the intersection with a plane; None if the ray is parallel to it."""
        slope = self.direction.dot(normal)
        if abs(slope) < 1e-9:
            return None
        return self.origin + self.direction * ((point - self.origin).dot(normal) / slope)

    def along(self, point: Vector, direction: Vector) -> float:
        """Return the position along a line through `point` that is nearest to the ray; 0 if both are parallel."""
        found = intersect_line_line(point, point + direction, self.origin, self.origin + self.direction)
        return (found[0] - point).dot(direction) if found else 0.0

    def on_sphere(self, center: Vector, radius: float, far: bool) -> Vector:
        """Return the unit direction from `center` to the intersection with a sphere, or to the nearest point of the
        ray.

        Args:
            far: whether the intersection is the one on the far side.
        """
        middle = self.origin + self.direction * (center - self.origin).dot(self.direction)
        across: Vector = middle - center
        depth = math.sqrt(max(radius * radius - across.length_squared, 0.0))
        return (across + self.direction * (depth if far else -depth)).normalized()


def ray_under(context, event) -> Ray:
    """Return the ray through the mouse, in the region in which an operator or a gizmo works."""
    return Ray(context.region, context.region_data, (event.mouse_region_x, event.mouse_region_y))


def value_under(ray: Ray, axis: AxisView, reference: float, radius: float) -> float:
    """Return the coordinate to which the mouse points [rad or m].

    Args:
        reference: the value that decides between whole turns.
        radius: of the circle on which the mouse moves [Blender units].
    """
    if axis.kind == "slide":
        return ray.along(axis.origin, axis.direction) / axis.rate
    if axis.kind == "cone":
        intersection = ray.on_plane(axis.origin, axis.zero.cross(axis.direction).normalized())
        way = (intersection or axis.origin + axis.direction) - axis.origin
        return abs(math.atan2(way.dot(axis.zero), way.dot(axis.direction)))
    if abs(ray.direction.dot(axis.direction)) < EDGE_ON:
        return _edge_on_value(ray, axis, reference, radius)
    intersection = ray.on_plane(axis.origin + axis.direction * (axis.translation_rate * reference), axis.direction)
    way = (intersection or axis.origin + axis.zero) - axis.origin
    return _in_nearest_turn(math.atan2(way.dot(axis.at_quarter_turn), way.dot(axis.zero)), axis, reference)


def _edge_on_value(ray: Ray, axis: AxisView, reference: float, radius: float) -> float:
    """Return the coordinate on a circle that appears as a line.

    The position of the mouse along the line determines two points of the circle. The result is the one that is nearest
    to `reference`.
    """
    from ..joints.axis_views import crossed

    line = crossed(axis.direction, ray.direction).normalized()
    middle = math.atan2(line.dot(axis.at_quarter_turn), line.dot(axis.zero))
    off = math.acos(min(max(ray.along(axis.origin, line) / radius, -1.0), 1.0))
    return min(
        (_in_nearest_turn(middle + sign * off, axis, reference) for sign in (1.0, -1.0)),
        key=lambda value: abs(value - reference),
    )


def _in_nearest_turn(angle: float, axis: AxisView, reference: float) -> float:
    """Return the coordinate for an angle [rad], in the whole turn that is nearest to `reference`."""
    return reference + math.remainder(angle - reference * axis.rate, math.tau) / axis.rate
