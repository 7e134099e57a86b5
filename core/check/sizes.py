# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about sizes that no collision shape can have: negative, zero, too small, too large, or not finite."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..collision.hulls import MAX_COORDINATE
from ..collision.packing import MIN_SIZE
from ..geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Polyline, Sphere
from ..geometry.shapes import Geometry, Heightmap
from ..model import Model
from ..model.soundness.issue import Issue, all_finite, error, name_of
from ..model.text import as_text, counted

ENDLESS = 1e100
"""Largest component of a normal. Beyond it, and below its inverse, squares overflow or underflow."""

Sizes = dict[str, float]
"""Lengths [m] by name."""


def sizes_of_collisions(model: Model) -> Iterator[Issue]:
    """Yield an error for each size that the solver cannot compute with. Shapes that it omits are reported elsewhere."""
    for link in model.links:
        for shape in link.collisions:
            for fault in _faults(shape.geometry):
                yield error("bad-size", name_of(link), f"collision '{shape.name}': {fault}")


def has_bad_size(geometry: Geometry | None) -> bool:
    """Return whether `sizes_of_collisions` reports a shape."""
    return next(_faults(geometry), None) is not None


def _faults(geometry: Geometry | None) -> Iterator[str]:
    for name, size in _sizes(geometry).items():
        if not MIN_SIZE <= size <= MAX_COORDINATE:  # also true for NaN
            yield f"its {name} is {size:g} m; give {MIN_SIZE:g} m to {MAX_COORDINATE:g} m"
    if isinstance(geometry, Mesh):
        yield from _mesh_faults(geometry)
    elif isinstance(geometry, Polyline):
        points = [number for outline in geometry.outlines for point in outline for number in point]
        beyond = [number for number in points if not abs(number) <= MAX_COORDINATE]
        if beyond:
            yield f"a point of its outline is at {beyond[0]:g} m; give numbers up to {MAX_COORDINATE:g} m"
    elif isinstance(geometry, Plane) and not _is_direction(geometry.normal):
        yield f"its normal is {as_text(geometry.normal)}, which is no direction; write 0 0 1, say"


def _sizes(geometry: Geometry | None) -> Sizes:
    match geometry:
        case Box():
            return _along("size", geometry.size)
        case Sphere():  # files mark places by radius 0; such a shape is omitted with a warning
            return {"radius": geometry.radius} if geometry.radius != 0.0 else {}
        case Capsule():  # a capsule of length 0 is a ball
            return {"radius": geometry.radius} | ({"length": geometry.length} if geometry.length else {})
        case Cylinder() | Cone():
            return {"radius": geometry.radius, "length": geometry.length}
        case Ellipsoid():
            return _along("radius", geometry.radii)
        case Polyline():
            return {"height": geometry.height}
        case Heightmap():
            return _along("size", geometry.size)
    return {}


def _is_direction(vector: tuple[float, ...]) -> bool:
    return all_finite(vector) and 1.0 / ENDLESS <= max(map(abs, vector)) <= ENDLESS


def _along(what: str, sizes: tuple[float, ...]) -> Sizes:
    return {f"{what} along {axis}": size for axis, size in zip("xyz", sizes, strict=False)}


def _mesh_faults(mesh: Mesh) -> Iterator[str]:
    if not all_finite(mesh.scale) or not all(mesh.scale):
        yield f"its scale is {as_text(mesh.scale)}; give finite numbers that are not 0"
    elif mesh.vertices is not None:
        vertices = np.asarray(mesh.vertices, dtype=np.float64)
        bad = vertices[~(np.abs(vertices * np.array(mesh.scale)) <= MAX_COORDINATE).all(axis=1)]  # also true for NaN
        if len(bad):
            yield (
                f"{counted(bad, 'vertex', 'vertices')} of its mesh, such as {as_text(bad[0].tolist())}, "
                f"{'is' if len(bad) == 1 else 'are'} beyond {MAX_COORDINATE:g} m with its scale, or no numbers; repair "
                "the mesh, or its scale"
            )


FINDINGS = (sizes_of_collisions,)
