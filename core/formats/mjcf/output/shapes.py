# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes as geoms, with their meshes and materials as assets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePath
from xml.etree.ElementTree import Element, SubElement

from ....check.sizes import has_bad_size
from ....geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Geometry,
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
from ...mesh_output.meshes import MeshFiles
from ...xml.output import numbers
from .joints import put_pose
from .names import Names

READABLE = (".obj", ".stl", ".msh")
"""Suffixes of mesh files that MuJoCo reads; others are written as OBJ."""

SEEN, HIDDEN = "2", "3"
"""Groups of visuals and of collisions, as robots in MJCF have them."""


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
        self._meshes: dict[tuple, str] = {}

    def put(self, body: Element, shape: Shape, owner: str, attributes: Mapping[str, str]) -> Element | None:
        """Write a shape into a body. Return its element, or None if MJCF has no such shape.

        Args:
            owner: the link, as messages name it. attributes: what makes it a visual or a collision.
        """
        subject = f"{owner}: '{shape.name}'"
        found = self._attributes(shape.geometry, f"{body.get('name')}_{shape.name}", subject)
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

    def _attributes(self, geometry: Geometry | None, stem: str, subject: str) -> tuple[dict[str, str], Pose] | None:
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
                    return self._attributes(mesh, stem, subject)
            case Mesh() as mesh:
                name = self._mesh(mesh, stem, subject)
                return ({"type": "mesh", "mesh": name}, IDENTITY) if name else None
        kind = geometry.tag if isinstance(geometry, Foreign) else type(geometry).__name__.lower()
        if geometry is not None:
            self.losses.append(f"{subject} is left out: MJCF has no {kind} of this kind")
        return None

    def _mesh(self, mesh: Mesh, stem: str, subject: str) -> str:
        """Return the name of the asset of a mesh; "" if its file cannot be used: MuJoCo refuses a file without it."""
        if mesh.vertices is None and not mesh.path:
            self.losses.append(
                f"{subject} is left out: its mesh '{mesh.uri}' was not found, and MuJoCo needs each mesh"
            )
            return ""
        if mesh.vertices is None and (mesh.submesh or PurePath(mesh.path or mesh.uri).suffix.lower() not in READABLE):
            try:
                vertices, triangles = mesh_triangles(replace(mesh, scale=(1.0, 1.0, 1.0)))
            except MeshFileError as error:
                self.losses.append(f"{subject} is left out: its mesh '{mesh.uri}': {error}")
                return ""
            self.losses.append(f"{subject}: its mesh is written as OBJ, since MuJoCo cannot read '{mesh.uri}'")
            faces = tuple(map(tuple, triangles.tolist()))
            mesh = Mesh(scale=mesh.scale, vertices=vertices, faces=faces)
        key = (mesh.uri, mesh.path, id(mesh.vertices) if mesh.vertices is not None else 0, mesh.scale)
        if key not in self._meshes:
            uri = self.meshes.uri(replace(mesh, glb=b""), stem, subject)
            name = self.names.claim("mesh", PurePath(uri).stem, is_told=False)
            # A shell has an inertia whatever its faces; masses are written with the bodies.
            element = SubElement(self.assets, "mesh", name=name, file=uri, inertia="shell")
            if mesh.scale != (1.0, 1.0, 1.0):
                element.set("scale", numbers(mesh.scale))
            self._meshes[key] = name
        return self._meshes[key]

    def _paint(self, element: Element, material: Material, subject: str) -> None:
        """Set the colour of a geom, or a material with an image."""
        look = Material(material.diffuse, texture=material.texture)
        if look.texture and not look.texture.lower().endswith(".png"):
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
