# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a mouse, which knows but two directions, leads a point in space."""

from __future__ import annotations

from typing import NamedTuple

from mathutils import Vector

from .rays import Ray

EDGE_ON = 0.02
"""Sine between view and plane, or view and axis, below which the mouse says nothing of where the point is."""

NAMES = "XYZ"


class Guide(NamedTuple):
    """What the point is kept to.

    Attributes:
        axis: number of the world's axis that is chosen; None for the plane that faces the view.
        is_across: the point is kept to the plane across that axis, else to a line along it.
    """

    axis: int | None = None
    is_across: bool = False

    def chosen(self, axis: int, is_across: bool) -> Guide:
        """After a choice of axis; the same choice again gives the point free."""
        wanted = Guide(axis, is_across)
        return Guide() if wanted == self else wanted

    def place(self, ray: Ray, origin: Vector, facing: Vector) -> Vector | None:
        """The place that a ray from the eye means; None where it means none.

        Args:
            origin: where the point was taken. facing: direction from there to the eye.
        """
        if self.axis is None:
            return ray.on_plane(origin, facing)
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
