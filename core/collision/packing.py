# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of solids from their description in Python to the arrays of kernels."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..compilation.abi import KernelTuple
from ..spatial import IDENTITY, Pose, Vec3, quat_to_mat
from ..spatial.arrays import matmul, norm
from .hulls import MAX_COORDINATE, Hull
from .meshes import TriangleMesh, pack_meshes
from .solids import BALL, BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, MESH, PLANE, SOLID, Hulls

ALL_BITS = -1
"""A mask with all bits."""
MIN_SIZE = 1e-9
"""Smallest size of a solid [m]. From there to the greatest coordinate of a hull, squares and cubes have full
precision.
"""


class SolidError(ValueError):
    """The error if a solid cannot have a given size. Its message says what was found and what is allowed."""


@dataclass(frozen=True)
class Solid:
    """A solid in the frame of the body that carries it. `ball`, `box` and similar functions make it.

    Attributes:
        kind, half, radius: as in SOLID.
        hull: for the kind HULL.
        mesh: for the kind MESH.
        pose: in the body [m]. A plane's half-space is below z = 0, and a cone's tip is above its base.
        body: index of the pose of the body that carries the solid.
        owner, number, category_bits, collide_bits: as in SOLID.
    """

    kind: int
    half: Vec3 = (0.0, 0.0, 0.0)
    radius: float = 0.0
    hull: Hull | None = None
    mesh: TriangleMesh | None = None
    pose: Pose = IDENTITY
    body: int = 0
    owner: int = 0
    number: int = 0
    category_bits: int = ALL_BITS
    collide_bits: int = ALL_BITS

    @property
    def bounding_radius(self) -> float:
        """The radius of a ball about the origin that contains the solid [m].

        For a hull, the ball is about the hull's middle.
        """
        x, y, z = self.half
        if self.kind == PLANE:
            return math.inf
        if self.kind == HULL:
            assert self.hull is not None
            return float(norm(self.hull.vertices - self.hull.middle).max())
        if self.kind == MESH:
            assert self.mesh is not None
            return self.mesh.bounding_radius
        if self.kind in (CYLINDER, CONE):
            return math.hypot(x, z)
        if self.kind == ELLIPSOID:
            return max(x, y, z)
        return self.radius + math.sqrt(x * x + y * y + z * z)


def plane() -> Solid:
    """Return the half-space below z = 0."""
    return Solid(PLANE)


def ball(radius: float) -> Solid:
    """Return a ball about its middle.

    Args:
        radius: [m].

    Raises:
        SolidError: if a size is too small or too large. The other functions that make solids raise it, too.
    """
    return Solid(BALL, radius=_size("radius", radius))


def capsule(radius: float, length: float) -> Solid:
    """Return a capsule along z about its middle, or a ball if the length is 0.

    Args:
        radius: [m].
        length: of the cylinder between both half-balls [m].
    """
    if length == 0.0:
        return ball(radius)
    return Solid(CAPSULE, (0.0, 0.0, 0.5 * _size("length", length)), _size("radius", radius))


def box(size: Vec3) -> Solid:
    """Return a box about its middle.

    Args:
        size: full lengths of the edges [m].
    """
    x, y, z = (_size(f"size along {axis}", length) for axis, length in zip("xyz", size, strict=True))
    return Solid(BOX, (0.5 * x, 0.5 * y, 0.5 * z))


def cylinder(radius: float, length: float) -> Solid:
    """Return a cylinder of a radius and a length [m], along z about its middle."""
    return Solid(CYLINDER, _round(radius, length))


def cone(radius: float, length: float) -> Solid:
    """Return a cone of a radius and a length [m], along z. The tip lies half its length above the origin."""
    return Solid(CONE, _round(radius, length))


def ellipsoid(radii: Vec3) -> Solid:
    """Return an ellipsoid about its middle with radii along x, y and z [m], or a ball if they are equal."""
    x, y, z = (_size(f"radius along {axis}", radius) for axis, radius in zip("xyz", radii, strict=True))
    return ball(x) if x == y == z else Solid(ELLIPSOID, (x, y, z))


def hulled(hull: Hull) -> Solid:
    """Return a solid of any convex form, which may also be flat, straight or a point."""
    if not len(hull.vertices):
        raise SolidError("the hull has no vertices; it needs one or more")
    return Solid(HULL, hull=hull)


def meshed(mesh: TriangleMesh) -> Solid:
    return Solid(MESH, mesh=mesh)


def _round(radius: float, length: float) -> Vec3:
    radius = _size("radius", radius)
    return radius, radius, 0.5 * _size("length", length)


def _size(name: str, size: float) -> float:
    if not MIN_SIZE <= size <= MAX_COORDINATE:  # also true for NaN
        raise SolidError(f"the {name} is {size:g} m; it must be from {MIN_SIZE:g} m to {MAX_COORDINATE:g} m")
    return float(size)


class Store(KernelTuple, namedtuple("Store", "hulls meshes")):
    """The vertices and faces of all solids: Hulls and Meshes."""


def pack(solids: Sequence[Solid]) -> tuple[np.recarray, Store]:
    """Return SOLID records, and a Store of their hulls and meshes.

    Half-spaces come first; otherwise the order stays. The origin of a hull's record is the middle of the hull, as for
    the other kinds.
    """
    ordered = sorted(solids, key=lambda solid: solid.kind != PLANE)
    records = np.zeros(len(ordered), SOLID).view(np.recarray)
    hulls = _RowAllocator[Hull](lambda hull: (len(hull.vertices), len(hull.faces)))
    meshes = _RowAllocator[TriangleMesh](lambda mesh: (len(mesh.vertices), len(mesh.faces), len(mesh.lower)))
    for record, solid in zip(records, ordered, strict=True):
        record.kind, record.half, record.radius, record.bounding_radius = (
            solid.kind,
            solid.half,
            solid.radius,
            solid.bounding_radius,
        )
        record.origin, record.rotation = solid.pose[:3], quat_to_mat(solid.pose[3:])
        record.body, record.owner, record.number = solid.body, solid.owner, solid.number
        record.category_bits, record.collide_bits = solid.category_bits, solid.collide_bits
        if solid.mesh is not None:
            record.first_vertex, record.first_face, record.first_node = meshes.first_rows(solid.mesh)
            record.vertex_count, record.face_count = len(solid.mesh.vertices), len(solid.mesh.faces)
            record.node_count, record.closed = len(solid.mesh.lower), solid.mesh.is_closed
        elif solid.hull is not None:
            record.first_vertex, record.first_face = hulls.first_rows(solid.hull)
            record.vertex_count, record.face_count = len(solid.hull.vertices), len(solid.hull.faces)
            record.origin += matmul(np.reshape(record.rotation, (3, 3)), solid.hull.middle)
    return records, Store(_pack_hulls(hulls.items), pack_meshes(meshes.items))


Item = TypeVar("Item")


class _RowAllocator(Generic[Item]):
    """A list of different items that are stored in arrays one after the other.

    Args:
        counts: a function that returns how many rows of each array an item takes.
    """

    def __init__(self, counts: Callable[[Item], tuple[int, ...]]):
        self.items: list[Item] = []
        self._counts = counts
        self._first_rows: dict[int, tuple[int, ...]] = {}

    def first_rows(self, item: Item) -> tuple[int, ...]:
        """Return the first row of an item in each array. An item that is not there yet is appended."""
        if id(item) not in self._first_rows:
            counts = [self._counts(each) for each in self.items]
            before = [0] * len(self._counts(item))
            self._first_rows[id(item)] = tuple(map(sum, zip(before, *counts, strict=True)))
            self.items.append(item)
        return self._first_rows[id(item)]


def _pack_hulls(hulls: list[Hull]) -> Hulls:
    before = np.cumsum([0, *(len(hull.vertices) for hull in hulls)])
    neighbours = [_neighbour_lists(hull) for hull in hulls]
    around = [[np.array(face) + start for face in hull.faces] for hull, start in zip(hulls, before, strict=False)]
    return Hulls(
        _stacked((hull.vertices - hull.middle for hull in hulls), 3),
        _offsets(len(each) for numbers in neighbours for each in numbers),
        _concatenated(each + start for numbers, start in zip(neighbours, before, strict=False) for each in numbers),
        _stacked((_planes_about_middle(hull) for hull in hulls), 4),
        _offsets(len(each) for faces in around for each in faces),
        _concatenated(each for faces in around for each in faces),
    )


def _planes_about_middle(hull: Hull) -> np.ndarray:
    planes = hull.planes.copy()
    planes[:, 3] -= matmul(planes[:, :3], hull.middle)
    return planes


def _neighbour_lists(hull: Hull) -> list[np.ndarray]:
    """Return the neighbours of each vertex, in ascending order."""
    both = np.vstack([hull.edges, hull.edges[:, ::-1]])
    return [np.sort(both[both[:, 0] == i, 1]) for i in range(len(hull.vertices))]


def _stacked(parts: Iterable[np.ndarray], width: int) -> np.ndarray:
    return np.ascontiguousarray(np.vstack([np.zeros((0, width)), *parts]))


def _offsets(counts: Iterable[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(list(counts))]).astype(np.int64)


def _concatenated(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)
