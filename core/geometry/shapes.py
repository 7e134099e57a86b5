# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitive shapes and meshes, each in a frame of its own with the origin at its centre (a mesh keeps its own)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..extras import Extra
from ..spatial import IDENTITY, Pose, Vec3
from .surfaces import Surface

Color = tuple[float, float, float, float]
"""Red, green, blue, alpha in 0..1."""

ALL_LAYERS = 0xFFFF
"""Every one of the 16 bits that SDF's masks have."""


@dataclass(frozen=True)
class Material:
    """How a surface looks.

    Attributes:
        diffuse, ambient, specular, emissive: colours of Phong's model; None if not given.
        texture: the image on the surface, as the file names it; empty for none.
    """

    diffuse: Color | None = None
    ambient: Color | None = None
    specular: Color | None = None
    emissive: Color | None = None
    texture: str = ""


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
class Capsule:
    """Along z: a cylinder of `length` [m] between two half-spheres of `radius` [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """Along z: its tip is half its length above the origin, its base as far below. radius, length [m]."""

    radius: float
    length: float


@dataclass(frozen=True)
class Ellipsoid:
    """radii: along x, y, z [m]."""

    radii: Vec3


@dataclass(frozen=True)
class Polyline:
    """Outlines in the xy plane [m], extruded along z by `height` [m]. An outline inside another one is a hole."""

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float


@dataclass(frozen=True)
class Foreign:
    """A kind that only `format` knows, such as a height map, kept as its file has it."""

    format: str
    tag: str
    text: str


@dataclass(frozen=True)
class Heightmap(Foreign):
    """Terrain that an image describes. `text` keeps the file's element, with the textures that nothing here reads.

    Attributes:
        uri: the image as the model file names it. path: the file that this leads to; empty if there is none.
        size: lengths along x, y and z [m]. position: of the middle of its base [m].
    """

    uri: str = ""
    path: str = ""
    size: Vec3 = (1.0, 1.0, 1.0)
    position: Vec3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Plane:
    """An infinite plane through the origin; only `size` [m] of it is drawn. normal: unit vector."""

    normal: Vec3 = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh: a reference to a file (`uri`), or the data itself, or both.

    Attributes:
        uri: the reference as the model file writes it; empty for a mesh without a file.
        scale: factors along x, y, z.
        path: the file on this machine that `uri` leads to; empty if there is none.
        within: folders, besides its own, whose files the mesh file may refer to.
        vertices: shape (n, 3), m, before `scale`; None where only the uri is known.
        faces: vertex numbers of each polygon, counter-clockwise seen from outside.
        uvs: texture coordinates of each corner of each face in turn, shape (corners, 2), or None.
        materials: of its faces.
        face_materials: for each face, an index in `materials`; () if all faces have the first one.
        glb: the whole mesh as a binary glTF file, which is written in place of the vertices; empty where there is none.
        submesh: the name of the only part of the file that is meant; empty for all of it.
        is_centered: whether the part is moved so that the middle of its box lies at the origin, before `scale`.
    """

    uri: str = ""
    scale: Vec3 = (1.0, 1.0, 1.0)
    path: str = ""
    within: tuple[str, ...] = field(default=(), compare=False, repr=False, metadata={"since": "0.2.0"})
    vertices: np.ndarray | None = None
    faces: tuple[tuple[int, ...], ...] = ()
    uvs: np.ndarray | None = None
    materials: tuple[Material, ...] = ()
    face_materials: tuple[int, ...] = ()
    glb: bytes = b""
    submesh: str = field(default="", metadata={"since": "0.2.0"})
    is_centered: bool = field(default=False, metadata={"since": "0.2.0"})


Geometry = Box | Capsule | Cone | Cylinder | Ellipsoid | Foreign | Heightmap | Mesh | Plane | Polyline | Sphere


@dataclass
class Shape:
    """A visual or a collision of a link.

    Attributes:
        name: unique among the link's visuals, or its collisions.
        geometry: None for an empty shape (kept so that names stay).
        pose: X_LS, in the link [m].
        material: None where the file gives none.
        extras: what the file says besides.
        surface: how a collision touches; None for the default surface.
        layers, meets: of a collision, 16 bits each: the layers that it is on, and those that it collides with (SDF's
            category_bitmask and collide_bitmask); see `may_meet`.
    """

    name: str
    geometry: Geometry | None
    pose: Pose = IDENTITY
    material: Material | None = None
    extras: tuple[Extra, ...] = ()
    surface: Surface | None = field(default=None, metadata={"since": "0.2.0"})
    layers: int = field(default=ALL_LAYERS, metadata={"since": "0.2.0"})
    meets: int = field(default=ALL_LAYERS, metadata={"since": "0.2.0"})

    @property
    def color(self) -> Color | None:
        """Its diffuse colour; None where the file gives none."""
        return self.material.diffuse if self.material else None

    def may_meet(self, other: Shape) -> bool:
        """Whether one of two collisions is on a layer that the other meets, as Gazebo has it."""
        return bool(self.layers & other.meets | other.layers & self.meets)
