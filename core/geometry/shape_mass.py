# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass properties of shapes of uniform density.

Sources: closed forms as in any table of moments of inertia, such as Beer and Johnston, Vector Mechanics for Engineers,
inside back cover; the half-spheres of a capsule by the parallel-axis theorem.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import cast

import numpy as np

from ..spatial import Pose, Sym3, Vec3, quat_rotate, quat_to_mat, sym_rotate, sym_shift
from .enclosed import enclosing_surfaces
from .mass import MassProperties, mass_properties
from .mesh_data import mesh_triangles
from .shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Polyline, Sphere


def solid_properties(geometry: Geometry | None) -> MassProperties | None:
    """Return the mass properties of a shape in its own frame.

    Return None for a plane and for kinds that only one format defines.

    Raises:
        ValueError: if the shape encloses no volume, or one that is too large for a number, or if it is a mesh whose
            file cannot be used.
    """
    return mass_properties_and_notes(geometry)[0]


def mass_properties_and_notes(geometry: Geometry | None) -> tuple[MassProperties | None, tuple[str, ...]]:
    """Return the result of `solid_properties`, and the notes about a mesh.

    A note is an assumption that a fault of the mesh required, such as "is open, so …".
    """
    notes: tuple[str, ...] = ()
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(geometry, Mesh):
                found, notes = _mesh(geometry)
            elif solve := _SOLIDS.get(type(geometry)):
                found = solve(geometry)
            else:
                return None, ()
    except OverflowError:  # powers of Python numbers raise it
        found = None
    if found is None or not (math.isfinite(found.volume) and np.isfinite(found.inertia).all()):
        raise ValueError("the shape is too large to be weighed")
    return found, notes


def combined(solids: Sequence[tuple[MassProperties, Pose, float]]) -> tuple[float, Vec3, Sym3]:
    """Return mass [kg], com [m] and inertia about it [kg m^2] of solids, the latter two in the link's frame.

    Args:
        solids: of each solid its properties, its pose in the link, and its density [kg/m^3]. Solids that overlap count
            in full.
    """
    parts = []
    for solid, X_LS, density in solids:
        R, offset = quat_to_mat(X_LS[3:]), quat_rotate(X_LS[3:], cast(Vec3, tuple(solid.com)))
        xx, xy, xz, _, yy, yz, _, _, zz = (density * solid.inertia).ravel().tolist()
        parts.append((density * solid.volume, np.add(X_LS[:3], offset), sym_rotate(R, (xx, xy, xz, yy, yz, zz))))
    mass = sum(part[0] for part in parts)
    com = sum(part * place for part, place, _ in parts) / mass
    inertia = sum(np.add(about, sym_shift(part, tuple(place - com))) for part, place, about in parts)
    return mass, cast(Vec3, tuple(np.asarray(com).tolist())), cast(Sym3, tuple(np.asarray(inertia).tolist()))


def _symmetric(volume: float, xx: float, yy: float, zz: float, z: float = 0.0) -> MassProperties:
    """Return the mass properties of a solid whose principal axes are parallel to x, y and z.

    Args:
        volume: [m^3].
        xx, yy, zz: moments of inertia about the centre of mass, per unit of volume [m^2].
        z: coordinate of the centre of mass along z [m].
    """
    if not volume > 0.0:
        raise ValueError(f"the shape encloses no volume (found {volume:.3g} m^3)")
    return MassProperties(volume, np.array((0.0, 0.0, z)), volume * np.diag((xx, yy, zz)))


def _box(box: Box) -> MassProperties:
    x, y, z = (side * side / 12.0 for side in box.size)
    return _symmetric(math.prod(box.size), y + z, x + z, x + y)


def _ellipsoid_of(radii: Iterable[float]) -> MassProperties:
    a, b, c = radii
    x, y, z = (radius * radius / 5.0 for radius in (a, b, c))
    return _symmetric(4.0 / 3.0 * math.pi * a * b * c, y + z, x + z, x + y)


def _cylinder(cylinder: Cylinder) -> MassProperties:
    round_, long = cylinder.radius**2 / 4.0, cylinder.length**2 / 12.0
    return _symmetric(math.pi * cylinder.radius**2 * cylinder.length, round_ + long, round_ + long, 2.0 * round_)


def _cone(cone: Cone) -> MassProperties:
    across = 3.0 / 20.0 * cone.radius**2 + 3.0 / 80.0 * cone.length**2
    volume = math.pi * cone.radius**2 * cone.length / 3.0
    return _symmetric(volume, across, across, 0.3 * cone.radius**2, z=-cone.length / 4.0)


def _capsule(capsule: Capsule) -> MassProperties:
    r, half = capsule.radius, capsule.length / 2.0
    tube, ball = 2.0 * math.pi * r**2 * half, 4.0 / 3.0 * math.pi * r**3
    across = tube * (r**2 / 4.0 + half**2 / 3.0) + ball * (0.4 * r**2 + half**2 + 0.75 * half * r)
    along = tube * r**2 / 2.0 + ball * 0.4 * r**2
    volume = tube + ball
    return _symmetric(volume, *(moment / volume if volume else 0.0 for moment in (across, across, along)))


def _polyline(polyline: Polyline) -> MassProperties:
    """Return the mass properties of extruded outlines. Outlines of holes run in the opposite direction."""
    triangles = []
    for outline in polyline.outlines:
        turns = _is_hole(outline, polyline.outlines) != (_area(outline) < 0.0)
        points = outline[::-1] if turns else outline
        bottom = np.array([(x, y, 0.0) for x, y in points])
        triangles += _prism(bottom, np.add(bottom, (0.0, 0.0, polyline.height)))
    if not triangles:
        raise ValueError("the outline has no points")
    return mass_properties(np.array(triangles).reshape(-1, 3, 3))


def _prism(bottom: np.ndarray, top: np.ndarray) -> list[tuple]:
    count = len(bottom)
    triangles = [(top[0], top[i], top[i + 1]) for i in range(1, count - 1)]
    triangles += [(bottom[0], bottom[i + 1], bottom[i]) for i in range(1, count - 1)]
    for i in range(count):
        j = (i + 1) % count
        triangles += [(bottom[i], bottom[j], top[j]), (bottom[i], top[j], top[i])]
    return triangles


def _area(outline: tuple[tuple[float, float], ...]) -> float:
    following = (*outline[1:], outline[0])
    return 0.5 * sum(x * b - a * y for (x, y), (a, b) in zip(outline, following, strict=True))


def _is_hole(outline: tuple, outlines: tuple) -> bool:
    """Return whether the first point of an outline lies within an odd number of the others."""
    return sum(_surrounds(other, outline[0]) for other in outlines if other is not outline) % 2 == 1


def _surrounds(outline: tuple, point: tuple[float, float]) -> bool:
    x, y = point
    crossings = 0
    for (ax, ay), (bx, by) in zip(outline, (*outline[1:], outline[0]), strict=True):
        if (ay > y) != (by > y) and x < ax + (y - ay) * (bx - ax) / (by - ay):
            crossings += 1
    return crossings % 2 == 1


def _mesh(mesh: Mesh) -> tuple[MassProperties, tuple[str, ...]]:
    vertices, triangles = mesh_triangles(mesh)
    corners, notes = enclosing_surfaces(vertices, triangles)
    return mass_properties(corners), notes


_SOLIDS: dict[type, Callable[..., MassProperties]] = {
    Box: _box,
    Sphere: lambda sphere: _ellipsoid_of((sphere.radius,) * 3),
    Ellipsoid: lambda ellipsoid: _ellipsoid_of(ellipsoid.radii),
    Cylinder: _cylinder,
    Cone: _cone,
    Capsule: _capsule,
    Polyline: _polyline,
}
