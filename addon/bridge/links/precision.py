# SPDX-License-Identifier: GPL-3.0-or-later
"""Find links that are too small for their distance from the world's origin.

Blender stores locations and keys in single precision, so that numbers are 3 cm apart at 500 km from the origin.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Sphere
from ...nodes import Node, world_matrix

if TYPE_CHECKING:
    from ....core.model import Link
    from ..scene.read import SceneReading

CODE = "coarse-place"
"""Code of the warning about links that Blender cannot place well enough for contact."""

MAX_RELATIVE_SPACING = 0.01
"""Largest spacing of Blender's numbers, relative to the size of a link, that does not matter. Overlaps of rigid links
up to this part of their size are not reported either.
"""


def coarse_places(reading: SceneReading, unit: float) -> Iterator[tuple[str, str]]:
    """Yield the link with collision shapes that Blender can place least accurately, and a sentence about it.

    Nothing is yielded if all links can be placed well enough.

    Args:
        unit: length of a Blender unit [m].
    """
    found = {}
    for link in reading.model.links:
        size, obj = largest_extent(link), reading.objects.get(link.name)
        if obj is not None and size > 0.0:
            found[link.name] = spacing(obj) * unit / size, size
    coarse = {name: sizes for name, sizes in found.items() if sizes[0] > MAX_RELATIVE_SPACING}
    if not coarse:
        return
    name, (part, size) = max(coarse.items(), key=lambda entry: entry[1][0])
    more = len(coarse) - 1
    others = f" ({more} more link{'s are' if more > 1 else ' is'} placed as badly)" if more else ""
    yield (
        name,
        f"link '{name}' is {size:.2g} m large, but so far from the world's origin Blender can only place it in steps "
        f"of {part * size:.3g} m{others}: move the scene to the origin, or model it larger",
    )


def spacing(obj: Node) -> float:
    """Return the distance from an object's farthest coordinate to the next single-precision number [Blender units]."""
    return float(np.spacing(np.abs(world_matrix(obj)[:3, 3].astype(np.float32)).max()))


def largest_extent(link: Link) -> float:
    """Return the length of a link's largest collision shape, along the axes of the shape [m]; 0 if it has none."""
    return max((_extent(shape.geometry) for shape in link.collisions), default=0.0)


def _extent(geometry: Geometry | None) -> float:
    match geometry:
        case Box(size):
            return max(size)
        case Sphere(radius):
            return 2.0 * radius
        case Cylinder(radius, length) | Cone(radius, length):
            return max(2.0 * radius, length)
        case Capsule(radius, length):
            return 2.0 * radius + length
        case Ellipsoid(radii):
            return 2.0 * max(radii)
        case Mesh(vertices=vertices) if vertices is not None and len(vertices):
            return float((np.ptp(vertices, axis=0) * np.abs(geometry.scale)).max())
    return 0.0  # a plane is infinite
