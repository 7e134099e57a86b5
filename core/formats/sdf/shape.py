# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of the visuals and collisions of an SDF link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...files.resources import FilesBeside
from ...files.xml import Element
from ...geometry import (
    Box,
    Capsule,
    Color,
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
from ...spatial import Pose
from ..alike import WHITE, named_mesh
from ..drake.surface import PROPERTIES
from ..findings import Findings
from ..xml.kept import Known, extras_of, known
from .surface import read_surface

COLORS = ("diffuse", "ambient", "specular", "emissive")
"""Colours of a <material>, in the order of the fields of `Material`."""

MATERIAL_KNOWN = known(*COLORS)
"""Elements of a <material> that are read."""

MESH_KNOWN = known("uri", "scale", submesh=known("name", "center"))
"""Elements of a <mesh> that are read."""

VISUAL_KNOWN = known("pose", "geometry", "density", "auto_inertia_params", material=MATERIAL_KNOWN)
"""Elements of a <visual> that are read."""

COLLISION_KNOWN: Known = {**VISUAL_KNOWN, **known("surface", PROPERTIES)}
"""Elements of a <collision> that are read."""

ONES = (1.0, 1.0, 1.0)


def read_shapes(
    link: Element, tag: str, shape_pose: Callable[[Element], Pose], findings: Findings, files: FilesBeside
) -> list[Shape]:
    """Return the visuals or the collisions of a link.

    shape_pose: function that returns X_LS of a shape's element [m].
    """
    shapes = []
    for number, element in enumerate(link.all(tag), start=1):
        name = element.name or f"{tag}_{number}"
        geometry = read_geometry(element.child("geometry"), findings, files)
        shape = Shape(name, geometry, shape_pose(element), read_material(element, findings))
        collides = tag == "collision"
        _drop_empty_script(element.child("material"))
        shape.extras = (
            *extras_of(element, COLLISION_KNOWN if collides else VISUAL_KNOWN, "SDF"),
            *(read_surface(element, shape, findings) if collides else ()),
            *extras_of(element.child("geometry", "mesh"), MESH_KNOWN, "SDF", ("geometry", "mesh")),
        )
        shapes.append(shape)
    return shapes


def read_geometry(element: Element | None, findings: Findings, files: FilesBeside) -> Geometry | None:
    """Return the shape in a <geometry>; None if it is empty."""
    for found in element.children if element else ():
        if found.tag == "mesh":
            return _mesh(found, findings, files)
        if found.tag in GEOMETRIES:
            return GEOMETRIES[found.tag](found, findings)
        if found.tag == "heightmap":
            return _heightmap(found, findings, files)
        if found.tag != "empty":
            return Foreign("SDF", found.tag, found.to_xml())
    return None


def read_material(shape: Element, findings: Findings) -> Material | None:
    """Return the colours of a shape; None if it has none."""
    material = shape.child("material")
    diffuse, ambient, specular, emissive = (
        read_color(material.child(name) if material else None, findings) for name in COLORS
    )
    found = Material(diffuse, ambient, specular, emissive)
    return None if found == Material() else found


def _drop_empty_script(material: Element | None) -> None:
    """Remove a <script> without any text, which some exporters write.

    Gazebo's check refuses it because it has no name.
    """
    if material:
        material.children = [
            child for child in material.children if child.tag != "script" or any(inner.text for inner in child.walk())
        ]


def read_color(element: Element | None, findings: Findings) -> Color | None:
    """Return red, green, blue and alpha, which may be left out; None if there is no element."""
    if element is None:
        return None
    text = f"{element.text} 1" if len(element.text.split()) == 3 else element.text
    return findings.parse(element, f"<{element.tag}>", text, WHITE)


def _mesh(element: Element, findings: Findings, files: FilesBeside) -> Mesh:
    uri = element.child("uri")
    text = uri.text if uri else ""
    mesh = named_mesh(text, findings.vector(element, "scale", ONES), element, findings, files)
    part = element.child("submesh")
    name, center = (part.child("name"), part.child("center")) if part else (None, None)
    if name is None or not name.text:
        return mesh
    return replace(mesh, submesh=name.text, is_centered=bool(center) and findings.flag(center.text, center))


def _heightmap(element: Element, findings: Findings, files: FilesBeside) -> Heightmap:
    uri, size = element.child("uri"), findings.vector(element, "size", ONES)
    mesh = named_mesh(uri.text if uri else "", ONES, element, findings, files)
    position = findings.vector(element, "pos", (0.0, 0.0, 0.0))
    return Heightmap("SDF", element.tag, element.to_xml(), mesh.uri, mesh.path, size, position)


def _plane(element: Element, findings: Findings) -> Plane:
    normal = findings.vector(element, "normal", (0.0, 0.0, 1.0))
    return Plane(normal, findings.vector(element, "size", (1.0, 1.0)))


def _polyline(element: Element, findings: Findings) -> Polyline:
    """Return all outlines of a <geometry> as one shape, with the height of the first one."""
    beside = element.parent.all("polyline") if element.parent else (element,)
    outlines = []
    for outline in beside:
        points = (findings.parse(point, "<point>", point.text, (0.0, 0.0)) for point in outline.all("point"))
        outlines.append(tuple(point for point in points if point))
    return Polyline(tuple(outline for outline in outlines if outline), findings.number(element, "height", 1.0))


GEOMETRIES: dict[str, Callable[[Element, Findings], Geometry]] = {
    "box": lambda at, findings: Box(findings.vector(at, "size", ONES)),
    "sphere": lambda at, findings: Sphere(findings.number(at, "radius", 1.0)),
    "cylinder": lambda at, findings: Cylinder(findings.number(at, "radius", 1.0), findings.number(at, "length", 1.0)),
    "capsule": lambda at, findings: Capsule(findings.number(at, "radius", 0.5), findings.number(at, "length", 1.0)),
    "cone": lambda at, findings: Cone(findings.number(at, "radius", 1.0), findings.number(at, "length", 1.0)),
    "ellipsoid": lambda at, findings: Ellipsoid(findings.vector(at, "radii", ONES)),
    "plane": _plane,
    "polyline": _polyline,
}
"""Functions that return the shape of an element, by its tag."""
