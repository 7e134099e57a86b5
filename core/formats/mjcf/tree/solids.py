# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass properties of geoms as MuJoCo's compiler defines them, and primitives that are fitted to meshes.

All results are per unit of density. It is a mass per area if the mass is in the surface (`shellinertia` of a geom,
`inertia="shell"` of a mesh). `MassProperties.volume` is an area [m^2] then, and `inertia` has the unit m^4.

Source: MuJoCo 4.0, documentation of `mesh/inertia`, `geom/shellinertia`, `geom/fitscale` and `compiler/fitaabb`. The
second moments of a tetrahedron and a triangle are from Tonon, Explicit exact formulas for the 3-D tetrahedron inertia
tensor (2004).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ....collision.hulls import HullError, exact_hull_triangles
from ....geometry import Box, Capsule, Cylinder, Ellipsoid, Geometry, Sphere
from ....geometry.mass import MassProperties
from ....geometry.shape_mass import solid_properties
from ....spatial import Pose, quat_of_mat
from ....spatial.arrays import dot, matmul, norm, outer

MESH_MODES = ("legacy", "exact", "convex", "shell")
"""Values of a mesh's attribute `inertia`. The first one is MuJoCo's default."""

SMALLEST_MEASURE = 1e-15
"""Volume [m^3] or area [m^2] below which MuJoCo refuses a mesh.

It leaves out a triangle of which twice the area is smaller.
"""

SMALLEST_ORIENTED_AREA = math.sqrt(SMALLEST_MEASURE)
"""Area at or below which MuJoCo does not check the orientation of a triangle [m^2]."""

TETRAHEDRON_MOMENTS = 20.0
"""Divisor of the second moments of a tetrahedron about one of its corners (Tonon)."""

TRIANGLE_MOMENTS = 12.0
"""Divisor of the second moments of a triangle about any point (Tonon)."""

THOMSEN_EXPONENT = 1.6075
"""Exponent of Thomsen's approximation of the area of an ellipsoid, whose error is below 1.1 %. MuJoCo uses it."""

SHELL_THICKNESS = 1e-6
"""Thickness of the shell of an ellipsoid [m]. MuJoCo takes the difference of two solid ellipsoids for the shell."""

TRIANGLE_INEQUALITY_RELATIVE = 1e-6
"""Fraction of a principal moment by which it may exceed the sum of the other two, as MuJoCo allows."""

TRIANGLE_INEQUALITY_ABSOLUTE = 1e-9
"""Moment per unit of density by which it may exceed that sum in addition, as MuJoCo allows [m^5 or m^4]."""

EQUAL_MOMENTS = 1e-7
"""Fraction of the largest element of an inertia below which MuJoCo treats products of inertia as 0, and two moments as
equal. It is the rounding error of the vertices in single precision. Measured with MuJoCo 4.0.
"""

MAX_ROTATIONS = 500
"""Upper bound for the rotations of Jacobi's method. It converges quadratically, in about six rotations."""


def primitive_solid(geometry: Geometry, is_shell: bool = False) -> MassProperties:
    """Return the mass properties of a box, sphere, cylinder, capsule or ellipsoid in its own frame.

    Args:
        is_shell: whether the mass is in the surface, as the attribute `shellinertia` says.

    Raises:
        ValueError: if the shape encloses no volume, if it is too large for a number, or if it is of another kind.
    """
    make_shell = _SHELLS.get(type(geometry))
    if make_shell is None:
        raise ValueError(f"a shape of the kind {type(geometry).__name__} has no mass of its own in MJCF")
    solid = solid_properties(geometry)
    assert solid is not None  # each kind in _SHELLS has a volume
    if not is_shell:
        return solid
    area, moments = make_shell(geometry)
    if not all(map(math.isfinite, (area, *moments))):
        raise ValueError("the shape is too large to be weighed")
    return MassProperties(area, np.zeros(3), np.diag(moments))


_Shell = tuple[float, tuple[float, float, float]]
"""Area [m^2] and principal moments [m^4] of a surface."""


def _box_shell(box: Box) -> _Shell:
    squares = [side * side for side in box.size]
    faces = [box.size[(axis + 1) % 3] * box.size[(axis + 2) % 3] for axis in range(3)]  # area of the faces across axis
    area = 2.0 * sum(faces)
    # A pair of faces lies half a side from the centre along its axis, and extends over the sides along the others.
    second = [
        2.0 * sum(face * squares[k] / (4.0 if axis == k else 12.0) for axis, face in enumerate(faces)) for k in range(3)
    ]
    return area, (second[1] + second[2], second[0] + second[2], second[0] + second[1])


def _sphere_shell(sphere: Sphere) -> _Shell:
    area = 4.0 * math.pi * sphere.radius**2
    moment = 2.0 / 3.0 * area * sphere.radius**2
    return area, (moment, moment, moment)


def _cylinder_shell(cylinder: Cylinder) -> _Shell:
    r, half = cylinder.radius, cylinder.length / 2.0
    disks, tube = 2.0 * math.pi * r**2, 4.0 * math.pi * r * half
    across = disks * (r**2 / 4.0 + half**2) + tube * (r**2 / 2.0 + half**2 / 3.0)
    return disks + tube, (across, across, disks * r**2 / 2.0 + tube * r**2)


def _capsule_shell(capsule: Capsule) -> _Shell:
    r, half = capsule.radius, capsule.length / 2.0
    sphere, tube = 4.0 * math.pi * r**2, 4.0 * math.pi * r * half
    # The centre of mass of a half-sphere's surface is r / 2 from its flat side.
    across = sphere * (2.0 / 3.0 * r**2 + half**2 + half * r) + tube * (r**2 / 2.0 + half**2 / 3.0)
    return sphere + tube, (across, across, 2.0 / 3.0 * sphere * r**2 + tube * r**2)


def _ellipsoid_shell(ellipsoid: Ellipsoid) -> _Shell:
    """Return Thomsen's area, and the moments of a thin shell between two ellipsoids that have this mass.

    The differences between the ellipsoids are expanded in powers of the thickness, which avoids cancellation.
    """
    a, b, c = ellipsoid.radii
    mean_power = sum((x * y) ** THOMSEN_EXPONENT for x, y in ((a, b), (b, c), (c, a))) / 3.0
    area = 4.0 * math.pi * mean_power ** (1.0 / THOMSEN_EXPONENT)
    t = SHELL_THICKNESS
    inner = a * b * c
    shell = t * (a * b + b * c + c * a) + t**2 * (a + b + c) + t**3  # (a + t) (b + t) (c + t) - a b c
    second = [(inner * (2.0 * x * t + t**2) + shell * (x + t) ** 2) / (5.0 * shell) for x in (a, b, c)]
    return area, (area * (second[1] + second[2]), area * (second[0] + second[2]), area * (second[0] + second[1]))


_SHELLS: dict[type, Callable[..., _Shell]] = {
    Box: _box_shell,
    Sphere: _sphere_shell,
    Cylinder: _cylinder_shell,
    Capsule: _capsule_shell,
    Ellipsoid: _ellipsoid_shell,
}


@dataclass(frozen=True)
class MeshProperties(MassProperties):
    """Mass properties of a mesh, and the frame in which MuJoCo stores it.

    Attributes:
        moments: principal moments of inertia in descending order, shape (3,), per unit of density.
        axes: their axes as columns of a rotation, shape (3, 3). `inertia` consists of both.
    """

    moments: np.ndarray
    axes: np.ndarray


def mesh_solid(vertices: np.ndarray, triangles: np.ndarray, mode: str = "legacy") -> MeshProperties:
    """Return the mass properties of a mesh in its own frame.

    The modes are those of the attribute `inertia`. "exact" adds signed tetrahedra, which a closed mesh needs. "convex"
    does so for the hull. "legacy" adds the absolute volumes of tetrahedra from the centroid of the faces, which gives
    the centre of mass, and then those from the centre of mass, which gives volume and inertia. "shell" puts the mass
    into the triangles.

    Args:
        vertices: shape (n, 3) [m], after scaling. MuJoCo stores vertices in single precision before that.
        triangles: vertex numbers, shape (t, 3), counter-clockwise seen from outside. If there are none, those of the
            hull are used.
        mode: one of `MESH_MODES`.

    Raises:
        ValueError: if MuJoCo refuses the mesh: if its area or its volume is too small, if its triangles are turned
            inside out or, in the mode "exact", against each other, if its vertices have no hull where one is needed, or
            if no body can have its moments of inertia.
    """
    if mode not in MESH_MODES:
        raise ValueError(f"the inertia of a mesh is '{mode}'; allowed are {', '.join(MESH_MODES)}")
    vertices = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
    triangles = np.asarray(triangles, np.int64).reshape(-1, 3)
    if not len(triangles):
        triangles = _hull_of(vertices)
    corners = vertices[triangles]
    if mode == "exact":
        _require_consistent(triangles, corners)
    area, centroid = _surface(corners)
    if area < SMALLEST_MEASURE:
        raise ValueError(f"the area of the mesh is too small ({area:.3g} m^2); check its scale")
    if mode == "shell":
        _, second = _moments(corners - centroid, mode)
        return _properties(area, centroid, second)
    if mode == "convex":
        corners = vertices[_hull_of(vertices)]
    com = centroid + _center_of_pyramids(corners - centroid, mode)
    volume, second = _moments(corners - com, mode)
    return _properties(volume, com, second)


def _hull_of(vertices: np.ndarray) -> np.ndarray:
    """Return the triangles of the convex hull of vertices, shape (t, 3).

    Raises:
        ValueError: if there is none.
    """
    try:
        return exact_hull_triangles(vertices)
    except HullError as error:
        raise ValueError(f"the mesh has no convex hull: {error}") from error


def _normals(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors normal to triangles, shape (t, 3), and their lengths, shape (t,), which are twice the areas [m^2].

    They are 0 for triangles that MuJoCo leaves out because they are too small.

    Args:
        corners: shape (t, 3, 3) [m].
    """
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = norm(normals)
    is_small = lengths < SMALLEST_MEASURE
    normals[is_small], lengths[is_small] = 0.0, 0.0
    return normals, lengths


def _require_consistent(triangles: np.ndarray, corners: np.ndarray) -> None:
    """Raise `ValueError` if two neighbours run through their common edge in the same direction."""
    areas = 0.5 * _normals(corners)[1]
    kept = triangles[areas > SMALLEST_ORIENTED_AREA]
    edges, counts = np.unique(kept[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=0, return_counts=True)
    if (counts > 1).any():
        first, second = edges[counts > 1][0].tolist()
        raise ValueError(
            f"the triangles at the edge from vertex {first} to {second} are turned against each other, which "
            'inertia="exact" does not allow; correct the mesh, or take inertia="legacy"'
        )


def _surface(corners: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the area of triangles [m^2] and its centroid, shape (3,) [m]; 0 if the area is too small."""
    areas = 0.5 * _normals(corners)[1]
    area = float(areas.sum())
    if area < SMALLEST_MEASURE:
        return area, np.zeros(3)
    return area, (areas[:, None] * corners.mean(axis=1)).sum(axis=0) / area


def _pyramid_volumes(corners: np.ndarray, mode: str) -> np.ndarray:
    """Return the volumes of the pyramids over triangles whose apex is the origin, shape (t, 3, 3) to (t,) [m^3].

    Those of triangles that face the origin are negative, except in the mode "legacy".
    """
    volumes = dot(_normals(corners)[0], corners.mean(axis=1)) / 6.0
    return np.abs(volumes) if mode == "legacy" else volumes


def _center_of_pyramids(corners: np.ndarray, mode: str) -> np.ndarray:
    """Return the centre of mass of the pyramids over triangles whose apex is the origin, shape (3,) [m].

    Raises:
        ValueError: if they have no volume.
    """
    volumes = _pyramid_volumes(corners, mode)
    volume = float(volumes.sum())
    if volume < 0.0:
        raise ValueError("the mesh is turned inside out; turn its triangles round")
    if volume < SMALLEST_MEASURE:
        raise ValueError(f'the volume of the mesh is too small ({volume:.3g} m^3); take inertia="shell"')
    return 0.75 * (volumes[:, None] * corners.mean(axis=1)).sum(axis=0) / volume


def _moments(corners: np.ndarray, mode: str) -> tuple[float, np.ndarray]:
    """Return the volume or area of a mesh, and its second moments about the origin, shape (3, 3).

    Args:
        corners: shape (t, 3, 3) [m], relative to the centre of mass.
    """
    if mode == "shell":
        weights, divisor = 0.5 * _normals(corners)[1], TRIANGLE_MOMENTS
    else:
        weights, divisor = _pyramid_volumes(corners, mode), TETRAHEDRON_MOMENTS
    sums = corners.sum(axis=1)
    products = outer(corners, corners).sum(axis=1) + outer(sums, sums)
    return float(weights.sum()), (weights[:, None, None] * products).sum(axis=0) / divisor


def _properties(volume: float, com: np.ndarray, second: np.ndarray) -> MeshProperties:
    """Return the mass properties of a volume or an area with given second moments about `com`, shape (3, 3).

    The inertia is what MuJoCo stores: principal moments and axes, without what remains outside of the diagonal.

    Raises:
        ValueError: if no body has such an inertia.
    """
    moments, axes = _principal_axes(np.trace(second) * np.eye(3) - second)
    smallest, middle, largest = sorted(moments.tolist())
    if not smallest > 0.0:
        raise ValueError("a principal moment of inertia of the mesh is not positive; check that it is closed")
    allowed = largest * (1.0 - TRIANGLE_INEQUALITY_RELATIVE) - TRIANGLE_INEQUALITY_ABSOLUTE
    if smallest + middle < allowed:
        raise ValueError("no body can have the moments of inertia of the mesh; check that it is closed")
    return MeshProperties(volume, com, matmul(axes * moments, axes.T), moments, axes)


def fitted(
    kind: str, solid: MeshProperties, vertices: np.ndarray, fit_aabb: bool = False, fit_scale: float = 1.0
) -> tuple[Geometry, Pose]:
    """Return the primitive that replaces a mesh, and its pose in the mesh's frame.

    The z axis of the pose is the principal axis of the smallest moment of inertia, the direction in which the mesh is
    longest. The x axis is that of the largest moment. Without `fit_aabb`, the size is that of the box with the mass and
    the inertia of the mesh, and the position is the centre of mass. With it, size and position are those of the box
    around all vertices whose sides are parallel to the axes.

    Args:
        kind: "sphere", "capsule", "cylinder", "ellipsoid" or "box".
        solid: mass properties of the mesh, from `mesh_solid`.
        vertices: shape (n, 3) [m], after scaling.
        fit_aabb: the compiler's attribute `fitaabb`.
        fit_scale: the geom's attribute `fitscale`, by which the size is multiplied.

    Raises:
        ValueError: if a size would not be positive, if no box has the inertia, or if there is no such primitive.
    """
    if kind not in _FITTED:
        raise ValueError(f"a '{kind}' cannot be fitted to a mesh; allowed are {', '.join(_FITTED)}")
    moments, axes, position = solid.moments, solid.axes, solid.com
    if fit_aabb:
        local = matmul(np.asarray(vertices, dtype=np.float64).reshape(-1, 3) - solid.com, axes)
        low, high = local.min(axis=0), local.max(axis=0)
        position = solid.com + matmul(axes, 0.5 * (low + high))
        half = 0.5 * (high - low)
    else:
        # A solid box of half sides h has the second moments m h^2 / 3.
        second = 0.5 * moments.sum() - moments
        if (second < 0.0).any():
            raise ValueError("no primitive can be fitted to a flat mesh by its inertia; use a mesh with thickness")
        half = np.sqrt(3.0 * second / solid.volume)
    of_inertia, of_aabb, make = _FITTED[kind]
    sizes = [fit_scale * size for size in (of_aabb if fit_aabb else of_inertia)(*half.tolist())]
    if not all(size > 0.0 for size in sizes):
        found = " ".join(f"{size:.3g}" for size in sizes)
        raise ValueError(f"a {kind} that is fitted to the mesh has the size {found}, which is not positive")
    x, y, z = position.tolist()
    return make(*sizes), (x, y, z, *quat_of_mat(tuple(axes.ravel().tolist())))


def _principal_axes(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the principal moments in descending order, shape (3,), and their axes as columns of a rotation.

    The method is Jacobi's with the largest element as pivot (Golub and Van Loan, Matrix Computations (2013), section
    8.5.3). It stops and sorts at `EQUAL_MOMENTS`, as MuJoCo's does, which gives the same axes: also where moments are
    equal, and with the same remaining error, which is second-order in the moments.
    """
    scale = float(np.abs(inertia).max()) or 1.0
    axes = np.eye(3)
    for _ in range(MAX_ROTATIONS):
        turned = matmul(matmul(axes.T, inertia / scale), axes)
        i, j = max(((1, 2), (0, 2), (0, 1)), key=lambda pair: abs(turned[pair]))
        if abs(turned[i, j]) < EQUAL_MOMENTS:
            break
        tau = (turned[j, j] - turned[i, i]) / (2.0 * turned[i, j])
        tangent = (1.0 if tau >= 0.0 else -1.0) / (abs(tau) + math.sqrt(1.0 + tau * tau))
        cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
        sine = cosine * tangent
        x, y = axes[:, i].copy(), axes[:, j].copy()
        axes[:, i], axes[:, j] = cosine * x - sine * y, sine * x + cosine * y
    moments = np.diag(matmul(matmul(axes.T, inertia), axes)).copy()
    for i, j in ((0, 1), (1, 2), (0, 1)):
        if moments[i] + EQUAL_MOMENTS * scale < moments[j]:
            moments[[i, j]] = moments[[j, i]]
            axes[:, [i, j]] = np.column_stack([axes[:, j], -axes[:, i]])  # a quarter turn about the third axis
    return moments, axes


_Sizes = Callable[[float, float, float], tuple[float, ...]]
"""A function from the half sides of a box to the sizes of a geom in MJCF [m]."""

_FITTED: dict[str, tuple[_Sizes, _Sizes, Callable[..., Geometry]]] = {
    "sphere": (
        lambda x, y, z: ((x + y + z) / 3.0,),
        lambda x, y, z: (max(x, y, z),),
        Sphere,
    ),
    "capsule": (
        lambda x, y, z: ((x + y) / 2.0, max(0.0, z - (x + y) / 4.0)),
        lambda x, y, z: (max(x, y), z - max(x, y)),
        lambda radius, half: Capsule(radius, 2.0 * half),
    ),
    "cylinder": (
        lambda x, y, z: ((x + y) / 2.0, z),
        lambda x, y, z: (max(x, y), z),
        lambda radius, half: Cylinder(radius, 2.0 * half),
    ),
    "ellipsoid": (
        lambda x, y, z: (x, y, z),
        lambda x, y, z: (x, y, z),
        lambda x, y, z: Ellipsoid((x, y, z)),
    ),
    "box": (
        lambda x, y, z: (x, y, z),
        lambda x, y, z: (x, y, z),
        lambda x, y, z: Box((2.0 * x, 2.0 * y, 2.0 * z)),
    ),
}
"""For each kind: sizes from the box of equal inertia, sizes from the box around the vertices, and the class."""
