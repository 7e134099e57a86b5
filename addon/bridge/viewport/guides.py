# SPDX-License-Identifier: GPL-3.0-or-later
"""Map the mouse, which moves in two dimensions, to a point in space that moves in a plane or along an axis."""

from __future__ import annotations

from typing import NamedTuple

from mathutils import Vector

from .rays import Ray

EDGE_ON = 0.02
"""Sine of the angle between the view and the plane or axis below which the mouse does not determine the point: the view
is then nearly parallel to it.
"""

NAMES = "XYZ"


class Guide(NamedTuple):
    """A restriction of the point's motion.

    Attributes:
        axis: number of the chosen world axis; None for the plane that faces the view.
        is_across: whether the point moves in the plane perpendicular to that axis, instead of along the axis.
    """

    axis: int | None = None
    is_across: bool = False

    def toggled(self, axis: int, is_across: bool) -> Guide:
        """Return the guide after the user chooses an axis. The same choice again removes the restriction."""
        wanted = Guide(axis, is_across)
        return Guide() if wanted == self else wanted

    def point(self, ray: Ray, origin: Vector, to_viewer: Vector) -> Vector | None:
        """Return the point that a ray from the eye determines; None if it determines none.

        Args:
            origin: the point at which the drag began.
            to_viewer: direction from there to the eye.
        """
        if self.axis is None:
            return ray.on_plane(origin, to_viewer)
        direction = Vector([float(number == self.axis) for number in range(3)])
        if self.is_across:
            return ray.on_plane(origin, direction) if abs(ray.direction.dot(direction)) > EDGE_ON else None
        is_seen = ray.direction.cross(direction).length > EDGE_ON
        return origin + direction * ray.along(origin, direction) if is_seen else None

    @property
    def words(self) -> str:
        if self.axis is None:
            return ""
        return f"{'across' if self.is_across else 'along'} {NAMES[self.axis]}"
