# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitive shapes and meshes. The origin of a primitive's frame is its centre; a mesh keeps its own frame."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..extras import Extra
from ..spatial import IDENTITY, Pose, Vec3
from .contact_properties import Surface

Color = tuple[float, float, float, float]
"""Red, green, blue and alpha, each from 0 to 1."""

ALL_LAYERS = 0xFFFF_FFFF
"""All 32 layers, as many as MuJoCo has. SDF has 16."""


@dataclass(frozen=True)
class Material:
    """The appearance of a surface.

    Attributes:
        diffuse, ambient, specular, emissive: colours of Phong's model; None if not given.
        texture: the image on the surface, as the file names it; empty if there is none.
    """

    diffuse: Color | None = None
    ambient: Color | None = None
    specular: Color | None = None
    emissive: Color | None = None
    texture: str = ""


@dataclass(frozen=True)
class Box:
    """A box.

    Attributes:
        size: full lengths along x, y and z [m].
    """

    size: Vec3


@dataclass(frozen=True)
class Sphere:
    """A sphere.

    Attributes:
        radius: [m].
    """

    radius: float


@dataclass(frozen=True)
class Cylinder:
    """A cylinder along z.

    Attributes:
        radius: [m].
        length: [m].
    """

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A capsule along z: a cylinder between two half-spheres.

    Attributes:
        radius: of the cylinder and the half-spheres [m].
        length: of the cylinder [m].
    """

    radius: float
    length: float


@dataclass(frozen=True)
class Cone:
    """A cone along z. Its tip lies half its length above the origin, and its base half its length below.

    Attributes:
        radius: of the base [m].
        length: [m].
    """

    radius: float
    length: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid.

    Attributes:
        radii: along x, y and z [m].
    """

    radii: Vec3


@dataclass(frozen=True)
class Polyline:
    """Outlines in the xy plane, extruded along z. An outline inside another one is a hole.

    Attributes:
        outlines: points of each outline [m].
        height: length of the extrusion [m].
    """

    outlines: tuple[tuple[tuple[float, float], ...], ...]
    height: float


@dataclass(frozen=True)
class Foreign:
    """A shape of a kind that only one file format defines. It is kept as its file describes it.

    Attributes:
        format: name of the file format.
        tag: name of the element.
        text: the element as the file has it.
    """

    format: str
    tag: str
    text: str


@dataclass(frozen=True)
class Heightmap(Foreign):
    """Terrain that an image or numbers describe. `text` is the file's element, including textures, which this program
    does not read.

    Attributes:
        uri: the image as the model file names it.
        path: the image file that `uri` refers to; empty if there is none.
        size: lengths along x, y and z [m].
        position: middle of the base [m].
        heights: rows of numbers from 0 to 1, or of the image's grey levels; () if only the image is known. As in an
            image, the first row has the greatest y.
        rises: whether the edge that divides each cell into two triangles goes from the least x and y to the greatest,
            as in MuJoCo. Otherwise it goes from the least x and the greatest y.
        base: thickness of the ground below height 0, which MuJoCo's files give [m].
    """

    uri: str = ""
    path: str = ""
    size: Vec3 = (1.0, 1.0, 1.0)
    position: Vec3 = (0.0, 0.0, 0.0)
    heights: tuple[tuple[float, ...], ...] = field(default=(), repr=False, metadata={"since": "0.2.0"})
    rises: bool = field(default=False, metadata={"since": "0.2.0"})
    base: float = field(default=0.0, metadata={"since": "0.2.0"})


@dataclass(frozen=True)
class Plane:
    """An infinite plane through the origin.

    Attributes:
        normal: unit vector.
        size: lengths of the rectangle of it that is drawn [m].
    """

    normal: Vec3 = (0.0, 0.0, 1.0)
    size: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Mesh:
    """A mesh: a reference to a file (`uri`), the data itself, or both.

    Attributes:
        uri: the reference as the model file writes it; empty for a mesh without a file.
        scale: factors along x, y and z.
        path: the file on this machine that `uri` refers to; empty if there is none.
        within: folders, besides its own, whose files the mesh file may refer to.
        vertices: shape (n, 3) [m], before `scale`; None if only the file is known.
        faces: vertex numbers of each polygon, counter-clockwise seen from outside.
        uvs: texture coordinates of each corner of each face in turn, shape (corners, 2), or None.
        materials: materials of the faces.
        face_materials: for each face, an index in `materials`; () if all faces have the first one.
        glb: the whole mesh as a binary glTF file, which is written instead of the vertices; empty if there is none.
        submesh: the name of the part of the file that the mesh consists of; empty for the whole file.
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
        geometry: None for an empty shape, which is kept so that names stay the same.
        pose: X_LS, the pose of the shape in the link [m].
        material: None if the file gives none.
        extras: further content of the file's element.
        surface: contact properties of a collision; None for the default surface.
        layers: of a collision, 32 bits: the layers that it is on (SDF's category_bitmask); see `may_meet`.
        meets: of a collision, 32 bits: the layers that it collides with (SDF's collide_bitmask).
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
        """The diffuse colour; None if the file gives none."""
        return self.material.diffuse if self.material else None

    def may_meet(self, other: Shape) -> bool:
        """Return whether one of two collisions is on a layer that the other collides with, as in Gazebo."""
        return bool(self.layers & other.meets | other.layers & self.meets)
