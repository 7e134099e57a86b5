# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the mouse position to a ray, to the value of a joint axis, and to directions about a point."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector
from mathutils.geometry import intersect_line_line

if TYPE_CHECKING:
    from ..joints.axis_views import Dial

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


def value_under(ray: Ray, dial: Dial, near: float, radius: float) -> float:
    """Return the coordinate to which the mouse points [rad or m].

    Args:
        near: the value that decides between whole turns.
        radius: of the circle on which the mouse moves [Blender units].
    """
    if dial.kind == "slide":
        return ray.along(dial.origin, dial.direction) / dial.size
    if dial.kind == "cone":
        met = ray.on_plane(dial.origin, dial.zero.cross(dial.direction).normalized())
        way = (met or dial.origin + dial.direction) - dial.origin
        return abs(math.atan2(way.dot(dial.zero), way.dot(dial.direction)))
    if abs(ray.direction.dot(dial.direction)) < EDGE_ON:
        return _seen_from_its_side(ray, dial, near, radius)
    met = ray.on_plane(dial.origin + dial.direction * (dial.advance * near), dial.direction)
    way = (met or dial.origin + dial.zero) - dial.origin
    return _wound(math.atan2(way.dot(dial.other), way.dot(dial.zero)), dial, near)


def _seen_from_its_side(ray: Ray, dial: Dial, near: float, radius: float) -> float:
    """Return the coordinate on a circle that appears as a line.

    The position of the mouse along the line determines two points of the circle; the one nearest to `near` is taken.
    """
    from ..joints.axis_views import crossed

    line = crossed(dial.direction, ray.direction).normalized()
    middle = math.atan2(line.dot(dial.other), line.dot(dial.zero))
    off = math.acos(min(max(ray.along(dial.origin, line) / radius, -1.0), 1.0))
    return min((_wound(middle + sign * off, dial, near) for sign in (1.0, -1.0)), key=lambda value: abs(value - near))


def _wound(angle: float, dial: Dial, near: float) -> float:
    """Return the coordinate for an angle [rad], in the whole turn that is nearest to `near`."""
    return near + math.remainder(angle - near * dial.size, math.tau) / dial.size
