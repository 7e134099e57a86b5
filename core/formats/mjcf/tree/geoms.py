# SPDX-License-Identifier: GPL-3.0-or-later
"""Geoms: their shapes, and their share of a body's mass.

Source: MuJoCo documentation, XML Reference, "body/geom".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

from ....files.xml import Element
from ....geometry import Box, Capsule, Color, Cylinder, Ellipsoid, Geometry, Material, Plane, Shape, Sphere
from ....geometry.mass import MassProperties
from ....model.naming import TakenNames
from ....spatial import Pose, Vec3, compose, norm, scale, sub
from ...alike import named_image
from ...findings import Findings, numbers_in
from ..model_file import asset_uri
from ..poses import integer_of, numbers_of, quat_along, unit_vector
from ..settings import SWITCHES, word
from .bodies import Part, part_pose
from .height_fields import HeightFields
from .meshes import MeshAsset, MeshAssets
from .solids import fitted, primitive_solid

KINDS = ("sphere", "plane", "hfield", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")
"""Types of geoms; the first is the default."""

SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
"""Count of the numbers of `size` that each type of geom uses."""

LONG = ("capsule", "cylinder", "ellipsoid", "box")
"""Types that `fromto` can place."""

WATER = 1000.0
"""Density of a geom that gives neither mass nor density [kg/m^3]."""

HIDDEN_FROM = 3
"""Group from which on MuJoCo's viewer hides geoms unless the user shows them."""

ENDLESS_PLANE = 20.0
"""Drawn length of a plane that is drawn without end in MuJoCo [m]."""


@dataclass(eq=False)
class Geom:
    """A geom of a body.

    Attributes:
        part: its element.
        shape: its name, geometry and pose in the body; its geometry is None if it is not read.
        group: its group, 0 to 5.
        mesh: the asset that it shows or is fitted to, or None.
        kind: one of `KINDS`.
        contype, conaffinity: masks: two geoms collide if a bit of one's contype is in the other's conaffinity.
    """

    part: Part
    shape: Shape
    group: int
    mesh: MeshAsset | None
    kind: str
    contype: int
    conaffinity: int

    @property
    def collides(self) -> bool:
        return bool(self.contype or self.conaffinity)

    @property
    def is_seen(self) -> bool:
        """True for a visual: MuJoCo shows the geom, or the geom does not collide."""
        is_clear = self.shape.color is not None and self.shape.color[3] == 0.0
        return not is_clear and (self.group < HIDDEN_FROM or not self.collides)


class GeomReader:
    """Reads the geoms of a model."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self.meshes = MeshAssets(findings)
        self.height_fields = HeightFields(findings)

    def read(self, part: Part, taken: TakenNames, number: int) -> Geom:
        """Return a geom.

        Args:
            taken: names of the body's other geoms; the new one is added.
            number: of the geom in its body, for its name if it has none.
        """
        findings, element = self.findings, part.element
        kind = word(element, "type", {name: name for name in KINDS}, KINDS[0], findings)
        mesh = None
        if name := element.attributes.get("mesh"):
            mesh = self.meshes.find(name, element, part.around.file)
        elif kind in ("mesh", "sdf"):
            findings.error(element, "no-mesh", f'a geom of type {kind} names no mesh; write mesh="NAME"')
        geometry, pose = self._geometry(part, kind, mesh)
        shape = Shape(taken.claim(part.name or f"geom_{number}"), geometry, pose, self._material(part))
        contype, conaffinity = (self._mask(element, name) for name in ("contype", "conaffinity"))
        return Geom(part, shape, integer_of(element, "group", 0, findings), mesh, kind, contype, conaffinity)

    def _mask(self, element: Element, name: str) -> int:
        return integer_of(element, name, 1, self.findings) & 0xFFFF_FFFF

    # ---- shapes

    def _geometry(self, part: Part, kind: str, mesh: MeshAsset | None) -> tuple[Geometry | None, Pose]:
        """Return the shape of a geom and its pose in the body."""
        element, findings = part.element, self.findings
        if kind in LONG and "fromto" in element.attributes:
            return self._between(part, kind)
        pose = part_pose(part, findings)
        if kind in ("mesh", "sdf"):
            return (mesh.geometry, compose(pose, mesh.pose)) if mesh else (None, pose)
        if mesh is not None and kind in SIZES:
            return self._fitted(part, kind, mesh, pose)
        if kind == "hfield":
            return self.height_fields.find(element, part.around.file), pose
        if kind == "plane":
            x, y, _ = numbers_of(element, "size", (0.0, 0.0, 0.0), findings)
            return Plane(size=(2.0 * x or ENDLESS_PLANE, 2.0 * y or ENDLESS_PLANE)), pose
        return primitive(kind, self._size(element, kind)), pose

    def _size(self, element: Element, kind: str) -> Vec3:
        text = element.attributes.get("size", "0")
        size = numbers_of(element, "size", (0.0, 0.0, 0.0), self.findings)
        if not 1 <= len(numbers_in(text)) <= len(size):  # which is reported
            return (1.0, 1.0, 1.0)
        for number, length in enumerate(size[: SIZES[kind]], 1):
            if not length > 0.0:
                found = text if "size" in element.attributes else "missing"
                message = f"size of a {kind} is {found}; number {number} of {SIZES[kind]} must be above 0 m"
                self.findings.error(element, "bad-size", message)
                return (1.0, 1.0, 1.0)
        return cast(Vec3, size)

    def _between(self, part: Part, kind: str) -> tuple[Geometry | None, Pose]:
        """Return a shape along the segment of its fromto."""
        element = part.element
        pose, length = segment(part, self.findings)
        if not length:
            return None, pose
        radius = numbers_of(element, "size", (0.0, 0.0, 0.0), self.findings)[0]
        if not radius > 0.0:
            found = element.attributes.get("size", "missing")
            self.findings.error(element, "bad-size", f"size of a {kind} is {found}; it must be above 0 m")
            return None, pose
        half = 0.5 * length
        size = (radius, half, 0.0) if kind in ("capsule", "cylinder") else (radius, radius, half)
        return primitive(kind, size), pose

    def _fitted(self, part: Part, kind: str, mesh: MeshAsset, pose: Pose) -> tuple[Geometry | None, Pose]:
        """Return a primitive that is fitted to a mesh."""
        settings = part.around.file.settings
        factor = self.findings.attribute(part.element, "fitscale", 1.0)
        try:
            geometry, inner = fitted(kind, mesh.solid, mesh.surface[0], settings.fits_boxes, factor)
        except ValueError as error:
            self.findings.warning(part.element, "not-fitted", f"it cannot be fitted to its mesh: {error}")
            return None, pose
        return geometry, compose(pose, inner)

    def _material(self, part: Part) -> Material | None:
        """Return the colour and the image of a geom: its own colour, or else those of its material."""
        element, file = part.element, part.around.file
        name = element.attributes.get("material", "")
        material = file.asset("material", name) if name else None
        if name and material is None:
            message = f"its material '{name}' is not among the assets; add a <material>, or name another"
            self.findings.warning(element, "unknown-material", message)
        source = element if "rgba" in element.attributes or material is None else material
        white: Color = (1.0, 1.0, 1.0, 1.0)
        color = self.findings.attribute_vector(source, "rgba", white) if "rgba" in source.attributes else None
        image = self._image(part, material) if material is not None else ""
        if color is None and material is None:
            return None
        return Material(color or white, texture=image)

    def _image(self, part: Part, material: Element) -> str:
        file = part.around.file
        texture = file.asset("texture", material.attributes.get("texture", ""))
        if texture is None or not texture.attributes.get("file"):
            return ""
        uri = asset_uri(texture, file.settings.texturedir, file.settings)
        return named_image(uri, texture, self.findings, file.document.files)

    # ---- mass

    def solid_of(self, geom: Geom) -> tuple[MassProperties, Pose, float] | None:
        """Return the mass properties of a geom in its shape's frame, the frame's pose in the body, and the density.

        Return None if it has no mass, and after a warning if its mass is not known.
        """
        element = geom.part.element
        mass = self.findings.attribute(element, "mass", math.nan) if "mass" in element.attributes else None
        density = self.findings.attribute(element, "density", WATER)
        if mass == 0.0 or (mass is None and density == 0.0):
            return None
        try:
            solid, pose = self._solid(geom)
        except ValueError as error:
            message = f"its mass is not known, and it weighs nothing: {error}"
            self.findings.warning(element, "not-weighed", message)
            return None
        if solid is None:
            return None
        return solid, pose, density if mass is None else mass / solid.volume

    def _solid(self, geom: Geom) -> tuple[MassProperties | None, Pose]:
        element, shape = geom.part.element, geom.shape
        if geom.kind in ("mesh", "sdf"):
            return (geom.mesh.solid, part_pose(geom.part, self.findings)) if geom.mesh else (None, shape.pose)
        geometry = shape.geometry if geom.kind in SIZES else None
        if geom.kind == "hfield":
            geometry = self.height_fields.weighed_box(element, geom.part.around.file)
        if geometry is None:
            return None, shape.pose
        is_shell = word(element, "shellinertia", SWITCHES, False, self.findings)
        return primitive_solid(geometry, is_shell), shape.pose


def segment(part: Part, findings: Findings) -> tuple[Pose, float]:
    """Return the pose and the length of the segment between the two points of `fromto`, in the body [m].

    The origin is in its middle, and z points from the second point to the first one, as MuJoCo has it. The length is 0
    after an error was reported.
    """
    ends = findings.attribute_vector(part.element, "fromto", (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    start, end = ends[:3], ends[3:]
    along = sub(start, end)
    direction = unit_vector(along)
    if direction is None:
        findings.error(part.element, "bad-size", "the two points of its fromto are the same; move one")
        return part.around.pose, 0.0
    middle = scale((start[0] + end[0], start[1] + end[1], start[2] + end[2]), 0.5)
    return compose(part.around.pose, middle + quat_along(direction)), norm(along)


def collision_of(geom: Geom) -> Shape:
    """Return the collision shape of a geom: its visual without a colour, with its masks."""
    shape = geom.shape
    return Shape(shape.name, shape.geometry, shape.pose, layers=geom.contype, meets=geom.conaffinity)


def primitive(kind: str, size: Vec3) -> Geometry:
    """Return a primitive from the numbers in MuJoCo's `size`, which are radii and half lengths [m]."""
    a, b, c = size
    match kind:
        case "sphere":
            return Sphere(a)
        case "capsule":
            return Capsule(a, 2.0 * b)
        case "cylinder":
            return Cylinder(a, 2.0 * b)
        case "ellipsoid":
            return Ellipsoid(size)
        case _:
            return Box((2.0 * a, 2.0 * b, 2.0 * c))
