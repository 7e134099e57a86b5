# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of visuals and collisions in SDF."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element, SubElement

from ...extras import Extra
from ...geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Heightmap,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from ...model.naming import claim
from ..mesh_output.meshes import MeshFiles
from ..names import printable
from ..xml.kept import element_of, foreign_lines, put_back
from ..xml.output import number, numbers, put, put_pose
from .write_surface import write_surface

CONE_SINCE = (1, 11)
"""Version from which on there are cones."""


class ShapeWriter:
    """Writes the shapes of links, and adds lines to `losses` about what SDF cannot express."""

    def __init__(self, meshes: MeshFiles, version: tuple[int, ...], losses: list[str]):
        self.meshes = meshes
        self.version = version
        self.losses = losses

    def write(self, parent: Element, link: str, stem: str, tag: str, shapes: Iterable[Shape]) -> None:
        """Write shapes into the element of a link.

        stem: prefix of the names of mesh files.
        """
        taken: set[str] = set()
        for shape in shapes:
            subject = f"link '{link}': {tag} '{shape.name}'"
            is_image = isinstance(shape.geometry, Heightmap) and shape.geometry.path
            if isinstance(shape.geometry, Foreign) and shape.geometry.format != "SDF" and not is_image:
                self.losses.append(f"{subject} is a {shape.geometry.tag}, which SDF has not; left out")
                continue
            if isinstance(shape.geometry, Cone) and self.version < CONE_SINCE:
                self.losses.append(f"{subject} is a cone; left out: write SDF 1.11 or later to keep it")
                continue
            name = claim(printable(shape.name) or tag, taken)
            if name != shape.name:
                self.losses.append(f"{subject} is named '{name}'")
            element = SubElement(parent, tag, name=name)
            put_pose(element, shape.pose)
            holder = SubElement(element, "geometry")
            self._geometry(holder, shape, f"{stem}_{name}", subject)
            has_own = isinstance(shape.geometry, Mesh) and (shape.geometry.materials or shape.geometry.glb)
            if shape.material and tag == "visual" and not has_own:  # a <material> would hide the mesh's own
                self._material(element, shape.material, subject)
            for extra in write_surface(element, shape, subject, self.losses) if tag == "collision" else shape.extras:
                if extra.format == "SDF":
                    put_back(element, extra)
            self.losses += [
                f"{subject}: {line}"
                for line in foreign_lines(shape.extras, "SDF", "means nothing in SDF, and is left out")
            ]

    def _geometry(self, parent: Element, shape: Shape, stem: str, subject: str) -> None:
        geometry = shape.geometry
        if geometry is None:
            SubElement(parent, "empty")
        elif isinstance(geometry, Heightmap) and geometry.format != "SDF":
            element = SubElement(parent, "heightmap")
            put(element, "uri", self.meshes.uri(Mesh(geometry.uri, path=geometry.path), stem, subject))
            put(element, "size", numbers(geometry.size))
            put(element, "pos", numbers(geometry.position))
        elif isinstance(geometry, Foreign):
            parent.append(element_of(Extra(geometry.format, geometry.tag, geometry.text)))
        elif isinstance(geometry, Mesh):
            element = SubElement(parent, "mesh")
            put(element, "uri", self.meshes.uri(geometry, stem, subject))
            if geometry.submesh and geometry.vertices is None:
                part = SubElement(element, "submesh")
                put(part, "name", geometry.submesh)
                put(part, "center", "true" if geometry.is_centered else "false")
            put(element, "scale", numbers(geometry.scale))
        else:
            _PRIMITIVES[type(geometry)](parent, geometry)

    def _material(self, parent: Element, material: Material, subject: str) -> None:
        """Write a material. If it has no ambient colour, the diffuse one is used, since the default of SDF is black."""
        colors = {"ambient": material.ambient or material.diffuse, "diffuse": material.diffuse}
        colors |= {"specular": material.specular, "emissive": material.emissive}
        holder = SubElement(parent, "material")
        for tag, color in colors.items():
            if color:
                put(holder, tag, numbers(color))
        if material.texture:
            uri = self.meshes.image_uri(material.texture, subject)
            put(SubElement(SubElement(holder, "pbr"), "metal"), "albedo_map", uri)


def _sized(tag: str, **fields: str) -> Callable[[Element, object], None]:
    """Return a function that writes fields of a shape, {element: field}, into an element with this tag."""

    def write(parent: Element, shape: object) -> None:
        element = SubElement(parent, tag)
        for name, attribute in fields.items():
            value = getattr(shape, attribute)
            put(element, name, numbers(value) if isinstance(value, tuple) else number(value))

    return write


def _polyline(parent: Element, shape: Polyline) -> None:
    for outline in shape.outlines:
        element = SubElement(parent, "polyline")
        for point in outline:
            put(element, "point", numbers(point))
        put(element, "height", number(shape.height))


_PRIMITIVES: dict[type, Callable[..., None]] = {
    Box: _sized("box", size="size"),
    Sphere: _sized("sphere", radius="radius"),
    Cylinder: _sized("cylinder", radius="radius", length="length"),
    Capsule: _sized("capsule", radius="radius", length="length"),
    Cone: _sized("cone", radius="radius", length="length"),
    Ellipsoid: _sized("ellipsoid", radii="radii"),
    Plane: _sized("plane", normal="normal", size="size"),
    Polyline: _polyline,
}
