# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as geoms, with their meshes and materials as assets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ....check.sizes import has_bad_size
from ....geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Geometry,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from ....geometry.mesh_data import mesh_triangles
from ....geometry.primitives.facets import as_mesh
from ....mesh_files import MeshFileError
from ....spatial import IDENTITY, Pose, compose, quat_of_z
from ....spatial.arrays import eigh, matmul, norm
from ...mesh_output.meshes import MeshFiles
from ...mesh_output.obj import image_file
from ...xml.output import numbers
from .height_fields import HeightFieldWriter
from .joints import put_pose
from .names import Names

READABLE = (".obj", ".stl", ".msh")
"""Suffixes of mesh files that MuJoCo reads; others are written as OBJ."""

STL_HEADER, STL_FACE = 84, 50
"""Sizes of the header of a binary STL file, which ends with the number of its faces, and of a face [bytes]."""

SEEN, HIDDEN = "2", "3"
"""Groups of visuals and of collisions, as robots in MJCF have them."""


LEAST_AREA = 1e-14
"""Surface of a mesh above MuJoCo's mjMINVAL, 1e-15, with room for the rounding of two programs [m^2]."""

FLATNESS = 1e-9
"""Extent of a mesh in its thinnest direction, as a part of the largest one, up to which it has no convex hull."""

MOST_STL_FACES = 200_000
"""Largest number of triangles of an STL file that MuJoCo reads."""

FLAT = "its mesh is flat, and MuJoCo lets nothing flat collide"


@dataclass
class _MeshAsset:
    """A mesh as MuJoCo reads it.

    Attributes:
        mesh: what is written or named.
        lack: why MuJoCo cannot use it; "" if it can.
        is_flat: whether it has no convex hull, so that MuJoCo shows it and cannot let it collide.
        name: of the asset, once it is written. `mesh` must stay, since `MeshFiles` knows meshes by their identity.
    """

    mesh: Mesh
    lack: str = ""
    is_flat: bool = False
    name: str = ""


class Geoms:
    """Writes shapes, and collects their assets.

    Attributes:
        assets: the <asset> element.
        losses: lines about what MJCF cannot express.
    """

    def __init__(self, meshes: MeshFiles, names: Names):
        self.meshes, self.names = meshes, names
        self.assets = Element("asset")
        self.losses: list[str] = []
        self._materials: dict[Material, str] = {}
        self._meshes: dict[tuple, _MeshAsset] = {}
        self.height_fields = HeightFieldWriter(meshes, names, self.assets, self.losses)

    def put(
        self, body: Element, shape: Shape, owner: str, attributes: Mapping[str, str], is_still: bool
    ) -> Element | None:
        """Write a shape into a body. Return its element, or None if MJCF has no such shape.

        Args:
            owner: the link, as messages name it. attributes: what makes it a visual or a collision.
            is_still: whether the body is fixed to the world.
        """
        subject = f"{owner}: '{shape.name}'"
        if isinstance(shape.geometry, Plane) and not is_still:
            self.losses.append(f"{subject} is left out: in MuJoCo no plane moves")
            return None
        collides = attributes.get("contype") != "0" or attributes.get("conaffinity") != "0"
        found = self._attributes(shape.geometry, f"{body.get('name')}_{shape.name}", subject, collides)
        if found is None:
            return None
        given, inner = found
        asked = shape.name if shape.name else "geom"
        element = SubElement(body, "geom", {"name": self.names.claim("geom", asked, is_told=False), **given})
        put_pose(element, compose(shape.pose, inner) if inner != IDENTITY else shape.pose)
        if shape.material:
            self._paint(element, shape.material, subject)
        element.attrib.update(attributes)
        return element

    def _attributes(
        self, geometry: Geometry | None, stem: str, subject: str, collides: bool
    ) -> tuple[dict[str, str], Pose] | None:
        """Return type, size and mesh of a geom, and the pose of its frame in the shape's."""
        if has_bad_size(geometry) or geometry == Sphere(0.0):
            self.losses.append(f"{subject} is left out: its size is none that MuJoCo takes")
            return None
        match geometry:
            case Box((x, y, z)):
                return {"type": "box", "size": numbers((0.5 * x, 0.5 * y, 0.5 * z))}, IDENTITY
            case Sphere(radius) | Capsule(radius, 0.0):
                return {"type": "sphere", "size": numbers((radius,))}, IDENTITY
            case Cylinder(radius, length) | Capsule(radius, length):
                kind = "cylinder" if isinstance(geometry, Cylinder) else "capsule"
                return {"type": kind, "size": numbers((radius, 0.5 * length))}, IDENTITY
            case Ellipsoid(radii):
                return {"type": "ellipsoid", "size": numbers(radii)}, IDENTITY
            case Plane(normal, (x, y)):
                turn = (0.0, 0.0, 0.0, *quat_of_z(normal))
                return {"type": "plane", "size": numbers((0.5 * x, 0.5 * y, 1.0))}, turn
            case Cone() | Polyline():
                mesh = as_mesh(geometry)
                if mesh is not None:
                    return self._attributes(mesh, stem, subject, collides)
            case Mesh() as mesh:
                name = self._mesh(mesh, stem, subject, collides)
                return ({"type": "mesh", "mesh": name}, IDENTITY) if name else None
            case Heightmap():
                return self.height_fields.put(geometry, stem, subject)
        kind = geometry.tag if isinstance(geometry, Foreign) else type(geometry).__name__.lower()
        if geometry is not None:
            self.losses.append(f"{subject} is left out: MJCF has no {kind} of this kind")
        return None

    def _mesh(self, mesh: Mesh, stem: str, subject: str, collides: bool) -> str:
        """Return the name of the asset of a mesh; "" if MuJoCo cannot use it: it refuses the whole file then."""
        if mesh.vertices is None and not mesh.path:
            words = f"its mesh '{mesh.uri}' was not found, and MuJoCo needs each mesh"
            self.losses.append(f"{subject} is left out: {words}")
            return ""
        key = (mesh.uri, mesh.path, mesh.submesh, id(mesh.vertices) if mesh.vertices is not None else 0, mesh.scale)
        if key not in self._meshes:
            self._meshes[key] = self._prepared(mesh, stem, subject)
        asset = self._meshes[key]
        lack = asset.lack or (FLAT if collides and asset.is_flat else "")
        if lack:
            self.losses.append(f"{subject} is left out: {lack}")
            return ""
        if not asset.name:
            uri = self.meshes.uri(asset.mesh, stem, subject)
            asset.name = self.names.claim("mesh", PurePath(uri).stem, is_told=False)
            # A shell has an inertia whatever its faces; masses are written with the bodies.
            element = SubElement(self.assets, "mesh", name=asset.name, file=uri, inertia="shell")
            if mesh.scale != (1.0, 1.0, 1.0):
                element.set("scale", numbers(mesh.scale))
        return asset.name

    def _prepared(self, mesh: Mesh, stem: str, subject: str) -> _MeshAsset:
        """Return a mesh in a form that MuJoCo reads, with what MuJoCo will say about it."""
        try:
            vertices, triangles = mesh_triangles(replace(mesh, scale=(1.0, 1.0, 1.0)))
        except MeshFileError as error:
            return _MeshAsset(mesh, f"its mesh '{mesh.uri or stem}': {error}")
        named = mesh.uri or stem
        if len(vertices) < 4 or not _area(vertices, triangles) > LEAST_AREA:
            return _MeshAsset(mesh, f"its mesh '{named}' has fewer than four corners, or no area; MuJoCo needs both")
        if mesh.vertices is not None:
            mesh = replace(mesh, glb=b"")
        elif mesh.submesh or mesh.is_centered or not _is_readable(mesh.path):
            self.losses.append(f"{subject}: its mesh is written as OBJ, since MuJoCo cannot read '{mesh.uri}'")
            faces = tuple(map(tuple, triangles.tolist()))
            mesh = Mesh(scale=mesh.scale, vertices=vertices, faces=faces)
        elif "://" in mesh.uri:  # which MuJoCo takes for the name of a plugin that opens it
            mesh = replace(mesh, uri=mesh.path)
        return _MeshAsset(mesh, is_flat=_is_flat(vertices))

    def _paint(self, element: Element, material: Material, subject: str) -> None:
        """Set the colour of a geom, or a material with an image."""
        look = Material(material.diffuse, texture=material.texture)
        if look.texture and not image_file(look.texture)[1]:
            self.losses.append(f"{subject}: the image '{look.texture}' is left out, since it was not found")
            look = Material(material.diffuse)
        elif look.texture and not look.texture.lower().endswith(".png"):
            self.losses.append(f"{subject}: the image '{look.texture}' is left out, since MuJoCo reads PNG only")
            look = Material(material.diffuse)
        if not look.texture:
            if look.diffuse:
                element.set("rgba", numbers(look.diffuse))
            return
        if look not in self._materials:
            name = self._materials[look] = self.names.claim("material", "material", is_told=False)
            image = self.names.claim("texture", "texture", is_told=False)
            uri = self.meshes.image_uri(look.texture, subject)
            SubElement(self.assets, "texture", name=image, type="2d", file=uri)
            made = SubElement(self.assets, "material", name=name, texture=image)
            if look.diffuse:
                made.set("rgba", numbers(look.diffuse))
        element.set("material", self._materials[look])


def _is_readable(path: str) -> bool:
    """Return whether MuJoCo reads a mesh file. Of STL it reads the binary form, up to a number of faces."""
    suffix = PurePath(path).suffix.lower()
    if suffix != ".stl":
        return suffix in READABLE
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        head = file.read(STL_HEADER)
    count = int.from_bytes(head[-4:], "little") if len(head) == STL_HEADER else 0
    return size == STL_HEADER + STL_FACE * count and 0 < count <= MOST_STL_FACES


def _area(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Return the surface of a mesh [m^2]."""
    a, b, c = (vertices[triangles[:, i]] for i in range(3))
    return float(0.5 * norm(np.cross(b - a, c - a)).sum())


def _is_flat(vertices: np.ndarray) -> bool:
    """Return whether all vertices are in one plane, but for rounding."""
    spread = vertices - vertices.mean(axis=0)
    extents = np.sqrt(np.maximum(eigh(matmul(spread.T, spread) / len(spread))[0], 0.0))
    return bool(extents[0] <= FLATNESS * extents[2])
