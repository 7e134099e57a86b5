"""Visuals and collisions as SDF, and the mesh files that belong to them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from xml.etree.ElementTree import Element, SubElement

from ..geometry import (
    Box,
    Capsule,
    Color,
    Cone,
    Cylinder,
    Ellipsoid,
    Foreign,
    Material,
    Mesh,
    Plane,
    Polyline,
    Shape,
    Sphere,
)
from .kept import put_back
from .obj import write_obj
from .sdf_names import printable, unique
from .xml import parse
from .xml_write import copied, number, numbers, put, put_pose

CONE_SINCE = (1, 11)
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


@dataclass
class MeshFiles:
    """The meshes that go beside a model file.

    Attributes:
        folder: where the model file will lie.
        prefix: keeps models apart whose meshes lie in one folder.
        base: what the uris of these meshes begin with, such as model://NAME/; empty for uris relative to the file.
        contents: each file by its path in `folder`.
    """

    folder: Path
    prefix: str = ""
    base: str = ""
    contents: dict[str, str | bytes] = field(default_factory=dict)

    def uri_of(self, mesh: Mesh, stem: str) -> tuple[str, str]:
        """The uri to write, and what is wrong with it; a mesh that is held here becomes a file."""
        if mesh.vertices is None and not mesh.glb:
            return self._uri_of_file(mesh)
        safe = re.sub(r"[^a-z0-9_-]+", "_", f"{self.prefix}{stem}".lower())  # some file systems know no case
        name = unique(safe, {PurePath(path).stem for path in self.contents})
        if mesh.glb:
            self.contents[f"meshes/{name}.glb"] = mesh.glb
            return f"{self.base}meshes/{name}.glb", ""
        assert mesh.vertices is not None
        self.contents[f"meshes/{name}.obj"] = write_obj(mesh.vertices, mesh.faces, name)
        return f"{self.base}meshes/{name}.obj", ""

    def _uri_of_file(self, mesh: Mesh) -> tuple[str, str]:
        """The same file, seen from the new folder."""
        if "://" in mesh.uri:
            return mesh.uri, ""
        if not mesh.path:
            return mesh.uri, f"still names the mesh '{mesh.uri}', which was not found; copy it to where that leads"
        try:
            return Path(os.path.relpath(mesh.path, self.folder.resolve())).as_posix(), ""
        except ValueError:  # another drive
            return Path(mesh.path).as_uri(), ""


class ShapeWriter:
    """Writes the shapes of links, and notes what of them SDF has no word for."""

    def __init__(self, meshes: MeshFiles, version: tuple[int, ...], losses: list[str]):
        self.meshes = meshes
        self.version = version
        self.losses = losses

    def write(self, parent: Element, link: str, stem: str, tag: str, shapes: Iterable[Shape]) -> None:
        """stem: what the names of mesh files begin with."""
        taken: set[str] = set()
        for shape in shapes:
            subject = f"link '{link}': {tag} '{shape.name}'"
            if isinstance(shape.geometry, Foreign) and shape.geometry.format != "SDF":
                self.losses.append(f"{subject} is a {shape.geometry.tag}, which SDF has not; left out")
                continue
            if isinstance(shape.geometry, Cone) and self.version < CONE_SINCE:
                self.losses.append(f"{subject} is a cone; left out: write SDF 1.11 or later to keep it")
                continue
            name = unique(printable(shape.name) or tag, taken)
            taken.add(name)
            if name != shape.name:
                self.losses.append(f"{subject} is named '{name}'")
            element = SubElement(parent, tag, name=name)
            put_pose(element, shape.pose)
            holder = SubElement(element, "geometry")
            self._geometry(holder, shape, f"{stem}_{name}", subject)
            has_own = isinstance(shape.geometry, Mesh) and (shape.geometry.materials or shape.geometry.glb)
            if shape.material and tag == "visual" and not has_own:  # which a <material> would paint over
                _material(element, shape.material)
            put_back(element, (extra for extra in shape.extras if extra.format == "SDF"))

    def _geometry(self, parent: Element, shape: Shape, stem: str, subject: str) -> None:
        geometry = shape.geometry
        if geometry is None:
            SubElement(parent, "empty")
        elif isinstance(geometry, Foreign):
            parent.append(copied(parse(geometry.text.encode())))
        elif isinstance(geometry, Mesh):
            uri, trouble = self.meshes.uri_of(geometry, stem)
            if trouble:
                self.losses.append(f"{subject} {trouble}")
            element = SubElement(parent, "mesh")
            put(element, "uri", uri)
            put(element, "scale", numbers(geometry.scale))
        else:
            _PRIMITIVES[type(geometry)](parent, geometry)


def _material(parent: Element, material: Material) -> None:
    """Without an ambient colour, SDF's is black: the diffuse one stands in."""
    colors = {"ambient": material.ambient or material.diffuse, "diffuse": material.diffuse}
    colors |= {"specular": material.specular, "emissive": material.emissive}
    holder = SubElement(parent, "material")
    for tag, color in colors.items():
        if color:
            put(holder, tag, numbers(color))
    if material.texture:
        put(SubElement(SubElement(holder, "pbr"), "metal"), "albedo_map", material.texture)


def _sized(tag: str, **fields: str) -> Callable[[Element, object], None]:
    """Writes each of a shape's fields as an element: the field's name by the element's."""

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
