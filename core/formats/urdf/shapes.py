# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of visuals and collisions in URDF, with their geometry and materials."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

from ...extras import Extra
from ...geometry import (
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
from ...geometry.primitives.facets import as_mesh
from ...mesh_files import MeshFileError, read_mesh
from ...model.naming import claim
from ...spatial import IDENTITY_QUAT, Pose, compose, quat_of_z, rpy_of_quat
from ..mesh_output.meshes import MeshFiles
from ..xml.kept import element_of, put_back
from ..xml.output import NOISE, number, numbers
from .extras import FORMAT, legal_name
from .surface import put_drakes

THIN = 1e-3
"""Thickness of a box that replaces a plane [m]. The plane is one of its faces."""


class Shapes:
    """Writes shapes into links.

    Attributes:
        meshes: the mesh files of the shapes.
        needs_capsules: whether a capsule was written, which requires URDF 1.1.
    """

    def __init__(self, meshes: MeshFiles, substitute: bool):
        self.meshes, self.substitute = meshes, substitute
        self.needs_capsules = False
        self._losses: list[str] = []
        self._materials: dict[Material, str] = {}

    @property
    def losses(self) -> list[str]:
        """Lines about shapes and mesh files that URDF cannot express."""
        return self._losses + self.meshes.losses

    def put(self, link: Element, tag: str, shape: Shape, owner: str, asked: str, taken: set[str]) -> None:
        """Write a visual or a collision into a link's element.

        Args:
            owner: the link, as messages name it. asked: preferred name of the shape. taken: names that cannot be used.
        """
        subject = f"{owner}: {tag} '{shape.name}'"
        seen = self._seen(shape, subject)
        if seen is None:
            return
        name = claim(legal_name(asked) or tag, taken)
        if name != shape.name:
            self._losses.append(f"{subject} is named '{name}'")
        element = SubElement(link, tag, name=name)
        put_origin(element, seen.pose)
        self._geometry(SubElement(element, "geometry"), seen.geometry, f"{link.get('name')}_{name}", subject)
        if seen.material and (seen.material.diffuse or seen.material.texture):
            self._material(element, seen.material, subject)
        if tag == "collision":
            put_drakes(element, seen)
        for extra in seen.extras:
            if extra.format == FORMAT:
                put_back(element, extra)

    def _seen(self, shape: Shape, subject: str) -> Shape | None:
        """Return a shape that URDF has; None after a line was added that says why there is none."""
        match shape.geometry:
            case Box() | Sphere() | Cylinder() | Capsule():
                return shape
            case Mesh():
                return shape
            case Foreign(format_name) if format_name == FORMAT:
                return shape
            case None:
                self._losses.append(f"{subject} has a shape that is not known; left out")
                return None
        kind = type(shape.geometry).__name__.lower()
        found = _substitute(shape) if self.substitute else None
        if found is None:
            remedy = "" if self.substitute else "; the option 'substitute' keeps it"
            self._losses.append(f"{subject} is left out: URDF has no {kind}{remedy}")
            return None
        self._losses.append(f"{subject}: URDF has no {kind}; written as a {type(found.geometry).__name__.lower()}")
        return found

    def _geometry(self, parent: Element, geometry: Geometry | None, stem: str, subject: str) -> None:
        match geometry:
            case Box(size):
                SubElement(parent, "box", size=numbers(size))
            case Sphere(radius):
                SubElement(parent, "sphere", radius=number(radius))
            case Cylinder(radius, length):
                SubElement(parent, "cylinder", radius=number(radius), length=number(length))
            case Capsule(radius, length):
                self.needs_capsules = True
                self._losses.append(f"{subject}: a capsule is URDF 1.1, which older loaders refuse")
                SubElement(parent, "capsule", radius=number(radius), length=number(length))
            case Mesh() as mesh:
                if mesh.submesh and mesh.vertices is None:
                    mesh = self._alone(mesh, subject)
                element = SubElement(parent, "mesh", filename=self.meshes.uri(mesh, stem, subject))
                if mesh.scale != (1.0, 1.0, 1.0):
                    element.set("scale", numbers(mesh.scale))
            case Foreign(format_name, tag, text):
                parent.append(element_of(Extra(format_name, tag, text)))

    def _alone(self, mesh: Mesh, subject: str) -> Mesh:
        """Return a sub-mesh as a mesh of its own, since URDF cannot choose one; the whole file if it is missing."""
        try:
            vertices, triangles = read_mesh(mesh.path, mesh.within, mesh.submesh, is_centered=mesh.is_centered)
        except MeshFileError as error:
            self._losses.append(
                f"{subject}: the whole mesh '{mesh.uri}' stands for its sub-mesh '{mesh.submesh}': {error}"
            )
            return mesh
        part = f"the sub-mesh '{mesh.submesh}' of '{mesh.uri}'"
        self._losses.append(f"{subject}: {part} is written as a mesh of its own, without colours")
        return replace(mesh, uri="", path="", vertices=vertices, faces=tuple(map(tuple, triangles.tolist())))

    def _material(self, parent: Element, material: Material, subject: str) -> None:
        """Write a material.

        Each appearance has one name, since loaders take all materials with one name for the same.
        """
        look = Material(material.diffuse, texture=material.texture)
        is_new = look not in self._materials
        name = self._materials.setdefault(look, f"material_{len(self._materials) + 1}")
        element = SubElement(parent, "material", name=name)
        if look.diffuse:
            SubElement(element, "color", rgba=numbers(look.diffuse))
        if look.texture:
            count_before = len(self.meshes.losses)
            SubElement(element, "texture", filename=self.meshes.image_uri(look.texture, subject))
            if not is_new:
                del self.meshes.losses[count_before:]


def put_origin(parent: Element, pose: Pose, exact: bool = False) -> None:
    """Add an <origin>; none for the identity."""
    if found := pose_attributes(pose, exact):
        SubElement(parent, "origin", found)


def pose_attributes(pose: Pose, exact: bool = False) -> dict[str, str]:
    """Return xyz and rpy as texts; {} for the identity. Unless `exact`, numbers below `NOISE` become 0."""
    parts = {"xyz": pose[:3], "rpy": rpy_of_quat(pose[3:])}
    if not exact:
        parts = {name: without_noise(values) for name, values in parts.items()}
    return {name: numbers(values) for name, values in parts.items()} if any(map(any, parts.values())) else {}


def without_noise(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return the values with 0 in place of those below `NOISE`."""
    return tuple(0.0 if abs(value) < NOISE else value for value in values)


def _substitute(shape: Shape) -> Shape | None:
    """Return the nearest shape that URDF has; None if there is none."""
    geometry = shape.geometry
    if isinstance(geometry, Plane):
        turn = quat_of_z(geometry.normal)
        below = compose((0.0, 0.0, 0.0, *turn), (0.0, 0.0, -0.5 * THIN, *IDENTITY_QUAT))
        return replace(shape, geometry=Box((*geometry.size, THIN)), pose=compose(shape.pose, below))
    if isinstance(geometry, Cone | Ellipsoid | Polyline):
        mesh = as_mesh(geometry)
        return replace(shape, geometry=mesh) if mesh else None
    return None
