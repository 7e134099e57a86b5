"""Primitive shapes and meshes, each in a frame of its own with the origin at its centre (a mesh keeps its own)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..spatial import IDENTITY, Pose, Vec3


@dataclass(frozen=True)
class Box:
    """size: full lengths along x, y, z [m]."""

    size: Vec3


@dataclass(frozen=True)
class Sphere:
    """radius [m]."""

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """Along z. radius, length [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Plane:
    """An infinite ground in x and y through the origin; `size` [m] is what is drawn. normal: unit vector."""

    normal: Vec3 = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh that a file names by `uri`, or one that is held here, or both.

    Attributes:
        uri: where it lies, as the file says it; empty for a mesh that has no file yet.
        scale: factors along x, y, z.
        vertices: shape (n, 3), m, before `scale`; None where only the uri is known.
        faces: vertex numbers of each polygon, counter-clockwise seen from outside.
    """

    uri: str = ""
    scale: Vec3 = (1.0, 1.0, 1.0)
    vertices: np.ndarray | None = None
    faces: tuple[tuple[int, ...], ...] = ()


Color = tuple[float, float, float, float]
"""Red, green, blue, alpha in 0..1."""

Geometry = Box | Sphere | Cylinder | Plane | Mesh


@dataclass
class Shape:
    """A visual or a collision of a link.

    Attributes:
        name: unique among the link's visuals, or its collisions.
        geometry: what it looks like; None for a kind that is not known here (kept so that names stay).
        pose: X_LS, in the link [m].
        color: None where the file gives none.
    """

    name: str
    geometry: Geometry | None
    pose: Pose = IDENTITY
    color: Color | None = None
