# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of URDF links: inertial, visuals and collisions, and materials."""

from __future__ import annotations

from collections.abc import Callable

from ...files.resources import FilesBeside
from ...files.xml import Element
from ...geometry import Box, Capsule, Color, Cylinder, Foreign, Geometry, Material, Mesh, Shape, Sphere
from ...model import Link
from ...spatial import ZERO, ZERO_SYM, Pose, quat_of_rpy
from ..alike import WHITE, named_image, named_mesh, turned_inertia, unit_quat
from ..drake.surface import PROPERTIES
from ..findings import Findings
from ..xml.kept import Known, extras_of
from .extras import FORMAT
from .surface import read_drakes

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""Attributes of <inertia>."""

LINK_TAGS: Known = {
    "inertial": {"origin": {}, "mass": {}, "inertia": {}},
    "visual": None,
    "collision": None,
}
"""Elements of a <link> that are read."""

SHAPE_TAGS: Known = {
    "origin": {},
    "geometry": None,
    "material": {"color": {}, "texture": {}},
}
"""Elements of a <visual> that are read."""


COLLISION_TAGS: Known = {**SHAPE_TAGS, PROPERTIES: None}
"""Elements of a <collision> that are read."""


def read_origin(parent: Element, findings: Findings) -> Pose:
    """Return the pose in the <origin> of an element; the identity if there is none."""
    return read_pose(parent.child("origin"), findings)


def read_pose(element: Element | None, findings: Findings) -> Pose:
    """Return the pose in the attributes xyz and rpy or, in URDF 1.1, quat_xyzw [m, rad]."""
    xyz = findings.attribute_vector(element, "xyz", ZERO)
    if element is None or "quat_xyzw" not in element.attributes:
        return xyz + quat_of_rpy(*findings.attribute_vector(element, "rpy", ZERO))
    xyzw = findings.attribute_vector(element, "quat_xyzw", (0.0, 0.0, 0.0, 1.0))
    return xyz + unit_quat(element, xyzw, findings)


class LinkReader:
    """Reads links, with the materials that the whole file defines and the files that it names."""

    def __init__(self, root: Element, findings: Findings, files: FilesBeside):
        self.findings, self.files = findings, files
        self.materials = self._named_materials(root)

    def read(self, element: Element) -> Link:
        """Return the link of an element."""
        link = Link(element.name, mass=0.0, inertia=ZERO_SYM)
        self._inertial(element.child("inertial"), link)
        link.visuals = self._shapes(element, "visual")
        link.collisions = self._shapes(element, "collision")
        link.extras = extras_of(element, LINK_TAGS, FORMAT)
        return link

    def _inertial(self, element: Element | None, link: Link) -> None:
        if element is None:
            return
        X_LI = read_origin(element, self.findings)
        given, mass = element.child("inertia"), element.child("mass")
        link.mass = self.findings.attribute(mass, "value", 0.0)
        if mass is not None and mass.text:  # hand-written files may have the mass as a text
            link.mass = self.findings.number(element, "mass", 0.0)
        link.com = X_LI[:3]
        xx, xy, xz, yy, yz, zz = (self.findings.attribute(given, name, 0.0) for name in INERTIA)
        link.inertia = turned_inertia(X_LI, (xx, xy, xz, yy, yz, zz))

    # ---- shapes

    def _shapes(self, link: Element, tag: str) -> list[Shape]:
        shapes: list[Shape] = []
        for number, element in enumerate(link.all(tag), start=1):
            taken = {shape.name for shape in shapes}
            name = element.name if element.name and element.name not in taken else f"{tag}_{number}"
            geometry = self._geometry(element.child("geometry"))
            pose = read_origin(element, self.findings)
            shape = Shape(name, geometry, pose, self._material_of(element))
            understood = SHAPE_TAGS
            if tag == "collision":
                shape.extras = read_drakes(element, shape, self.findings)
                understood = COLLISION_TAGS
            besides = _beside_geometry(element.child("geometry"))
            shape.extras = (*extras_of(element, understood, FORMAT), *shape.extras, *besides)
            shapes.append(shape)
        return shapes

    def _geometry(self, element: Element | None) -> Geometry | None:
        found = _first_kind(element)
        if found is None:
            return None
        if found.tag == "mesh":
            return self._mesh(found)
        if found.tag in GEOMETRIES:
            return GEOMETRIES[found.tag](found, self.findings)
        return Foreign(FORMAT, found.tag, found.to_xml())

    def _mesh(self, element: Element) -> Mesh:
        uri = element.attributes.get("filename", "").strip()
        scale = self.findings.attribute_vector(element, "scale", (1.0, 1.0, 1.0))
        return named_mesh(uri, scale, element, self.findings, self.files)

    # ---- materials

    def _named_materials(self, root: Element) -> dict[str, Material]:
        """Return materials by name. All visuals can use a material that one of them defines."""
        materials: dict[str, Material] = {}
        for element in root.walk():
            if element.tag == "material" and element.name and (material := self._own_material(element)):
                materials.setdefault(element.name, material)
        return materials

    def _own_material(self, element: Element) -> Material | None:
        color, texture = self._color(element.child("color")), element.child("texture")
        image = texture.attributes.get("filename", "").strip() if texture else ""
        if texture:
            image = named_image(image, texture, self.findings, self.files)
        return Material(color, texture=image) if color or image else None

    def _color(self, element: Element | None) -> Color | None:
        if element is None or "rgba" not in element.attributes:
            return None
        return self.findings.parse(element, "rgba of <color>", element.attributes["rgba"], WHITE)

    def _material_of(self, shape: Element) -> Material | None:
        element = shape.child("material")
        if element is None:
            return None
        return self._own_material(element) or self.materials.get(element.name)


def _first_kind(geometry: Element | None) -> Element | None:
    """Return the element of the shape: the first with a known tag, or else the first of all."""
    children = geometry.children if geometry else []
    known = [child for child in children if child.tag in GEOMETRIES or child.tag == "mesh"]
    return (known or children or [None])[0]


def _beside_geometry(geometry: Element | None) -> tuple:
    """Return the other elements in <geometry>, and the unread parts of the element of the shape."""
    found = _first_kind(geometry)
    if geometry is None or found is None:
        return ()
    inside: Known | None = {} if found.tag in GEOMETRIES or found.tag == "mesh" else None
    return extras_of(geometry, {found.tag: inside}, FORMAT, ("geometry",))


def _cylinder(element: Element, findings: Findings) -> Cylinder:
    return Cylinder(findings.attribute(element, "radius", 1.0), findings.attribute(element, "length", 1.0))


def _capsule(element: Element, findings: Findings) -> Capsule:
    return Capsule(findings.attribute(element, "radius", 1.0), findings.attribute(element, "length", 1.0))


GEOMETRIES: dict[str, Callable[[Element, Findings], Geometry]] = {
    "box": lambda at, findings: Box(findings.attribute_vector(at, "size", (1.0, 1.0, 1.0))),
    "sphere": lambda at, findings: Sphere(findings.attribute(at, "radius", 1.0)),
    "cylinder": _cylinder,
    "capsule": _capsule,
    "drake:capsule": _capsule,
}
"""Functions that return the shape of an element, by its tag."""
