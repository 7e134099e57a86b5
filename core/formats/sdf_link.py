"""What an SDF link holds: its inertial, how it feels gravity and damping, visuals and collisions."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..geometry import Box, Color, Cylinder, Geometry, Material, Mesh, Plane, Shape, Sphere
from ..model import Link
from ..spatial import IDENTITY, IDENTITY_QUAT, Pose, Sym3, quat_normalized, quat_of_rpy, quat_to_mat, sym_rotate
from .findings import Findings
from .xml import Element

INERTIA_DEFAULTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
SHAPE_TAGS = ("pose", "geometry", "material")
UNTURNED = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""x y z roll pitch yaw"""
WHITE: Color = (1.0, 1.0, 1.0, 1.0)


def read_pose(element: Element | None, findings: Findings) -> Pose:
    """The numbers of a <pose>, in whichever of SDF's ways to write a rotation; the identity where there is none."""
    if element is None or not element.text:
        return IDENTITY
    kind = element.attributes.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        values = findings.parse(element, "<pose>", element.text, IDENTITY)
        if values is None:
            return IDENTITY
        if not any(values[3:]):
            findings.error(element, "bad-number", "<pose> has the quaternion 0 0 0 0; give one of length 1")
            return IDENTITY
        x, y, z, w = values[3:]
        return values[:3] + quat_normalized((w, x, y, z))
    if kind != "euler_rpy":
        findings.error(element, "bad-value", f"rotation_format is '{kind}'; write euler_rpy or quat_xyzw")
        return IDENTITY
    x, y, z, roll, pitch, yaw = findings.parse(element, "<pose>", element.text, UNTURNED) or UNTURNED
    unit = math.radians(1.0) if findings.flag(element.attributes.get("degrees", ""), element) else 1.0
    return (x, y, z, *quat_of_rpy(roll * unit, pitch * unit, yaw * unit))


def read_inertial(element: Element | None, link: Link, findings: Findings) -> None:
    """Mass, centre of mass, and the tensor turned from the inertial's axes into the link's."""
    if element is None:
        return
    findings.skip_unknown(element, ("pose", "mass", "inertia"))
    if findings.flag(element.attributes.get("auto", ""), element):
        findings.warning(
            element,
            "auto-inertia",
            "its inertial is to be computed from its collisions, which is not done here; give it",
        )
    pose = element.child("pose")
    if pose is not None and pose.attributes.get("relative_to"):
        findings.note(f"relative_to on the pose of an inertial means nothing ({element.subject}, line {pose.line})")
    X_LI = read_pose(pose, findings)
    given = element.child("inertia")
    xx, xy, xz, yy, yz, zz = (findings.number(given, tag, default) for tag, default in INERTIA_DEFAULTS.items())
    link.mass = findings.number(element, "mass", 1.0)
    link.com = X_LI[:3]
    link.inertia = turned_inertia(X_LI, (xx, xy, xz, yy, yz, zz))


def read_motion(element: Element, link: Link, findings: Findings) -> None:
    """Whether gravity pulls at the link, and the rates at which its velocity dies away.

    What simulators make of <velocity_decay> differs; here both are the rates of `Link` [1/s].
    """
    gravity, decay = element.child("gravity"), element.child("velocity_decay")
    if gravity is not None:
        link.gravity = findings.flag(gravity.text, gravity, link.gravity)
    findings.skip_unknown(decay, ("linear", "angular"))
    link.linear_damping = findings.number(decay, "linear", link.linear_damping)
    link.angular_damping = findings.number(decay, "angular", link.angular_damping)


def turned_inertia(X_LI: Pose, inertia: Sym3) -> Sym3:
    """A tensor in the axes of I, in those of L; left to the last bit as it is where both are the same."""
    return inertia if X_LI[3:] == IDENTITY_QUAT else sym_rotate(quat_to_mat(X_LI[3:]), inertia)


def read_shapes(link: Element, tag: str, shape_pose: Callable[[Element], Pose], findings: Findings) -> list[Shape]:
    """The visuals or the collisions of a link; `shape_pose` gives X_LS."""
    shapes = []
    for number, element in enumerate(link.all(tag), start=1):
        findings.skip_unknown(element, SHAPE_TAGS)
        name = element.name or f"{tag}_{number}"
        geometry = read_geometry(element.child("geometry"), findings)
        shapes.append(Shape(name, geometry, shape_pose(element), _material(element, findings)))
    return shapes


def read_geometry(element: Element | None, findings: Findings) -> Geometry | None:
    """The shape inside <geometry>; None for one that is not known here."""
    for found in element.children if element else ():
        if found.tag in GEOMETRIES:
            return GEOMETRIES[found.tag](found, findings)
        if found.tag != "empty":
            findings.skip(found)
    return None


def _mesh(element: Element, findings: Findings) -> Mesh:
    findings.skip_unknown(element, ("uri", "scale"))
    uri = element.child("uri")
    return Mesh(uri.text if uri else "", findings.vector(element, "scale", (1.0, 1.0, 1.0)))


def _plane(element: Element, findings: Findings) -> Plane:
    normal = findings.vector(element, "normal", (0.0, 0.0, 1.0))
    return Plane(normal, findings.vector(element, "size", (1.0, 1.0)))


GEOMETRIES: dict[str, Callable[[Element, Findings], Geometry]] = {
    "box": lambda at, findings: Box(findings.vector(at, "size", (1.0, 1.0, 1.0))),
    "sphere": lambda at, findings: Sphere(findings.number(at, "radius", 1.0)),
    "cylinder": lambda at, findings: Cylinder(findings.number(at, "radius", 1.0), findings.number(at, "length", 1.0)),
    "plane": _plane,
    "mesh": _mesh,
}


def _material(shape: Element, findings: Findings) -> Material | None:
    material = shape.child("material")
    findings.skip_unknown(material, ("diffuse", "ambient", "specular", "emissive"))
    diffuse = material.child("diffuse") if material else None
    if diffuse is None:
        return None
    if len(diffuse.text.split()) == 3:  # alpha may be left out
        return Material(findings.parse(diffuse, "<diffuse>", f"{diffuse.text} 1", WHITE))
    return Material(findings.parse(diffuse, "<diffuse>", diffuse.text, WHITE))
