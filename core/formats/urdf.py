"""URDF to a `Model`: http://wiki.ros.org/urdf/XML. A tree of links, each joint's frame being its child's."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..geometry import Box, Color, Cylinder, Geometry, Material, Mesh, Shape, Sphere
from ..joints import JOINT_TYPES, JointType
from ..model import WORLD, Axis, Joint, Link, Mimic, Model
from ..spatial import IDENTITY, ZERO, ZERO_SYM, Pose, compose, quat_of_rpy
from .findings import Findings, Lines
from .resources import FilesBeside
from .sdf_link import turned_inertia
from .sdf_shape import WHITE
from .xml import Element

URDF_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
KINDS = {kind.urdf: kind for kind in JOINT_TYPES.values() if kind.urdf} | {"spherical": JOINT_TYPES["ball"]}
ROBOT_TAGS = ("link", "joint", "material")
LINK_TAGS = ("inertial", "visual", "collision")
JOINT_TAGS = ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
SHAPE_TAGS = ("origin", "geometry", "material")
INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def read_urdf(root: Element, findings: Findings, files: FilesBeside) -> tuple[Model, Lines]:
    """The model in a <robot> element, and the lines of what is in it. A link named `world` is the world."""
    findings.skip_unknown(root, ROBOT_TAGS)
    model = Model(root.name or "robot")
    lines: Lines = {("model", model.name): root}
    colors = _named_colors(root, findings)
    for element in _named_once(root, "link", findings):
        if element.name != WORLD:
            model.links.append(_link(element, colors, findings))
            lines["link", element.name] = element
    joints = _named_once(root, "joint", findings)
    for element in joints:
        if joint := _joint(element, findings):
            model.joints.append(joint)
            lines["joint", joint.name] = element
    has_world = any(link.name == WORLD for link in root.all("link"))
    if len(model.joints) == len(joints):  # else a joint is missing, and what hangs on it only looks loose
        _Tree(model, has_world, root, findings).place_links()
    return model, lines


def _named_once(root: Element, tag: str, findings: Findings) -> list[Element]:
    found: dict[str, Element] = {}
    for element in root.all(tag):
        if not element.name:
            findings.error(element, "no-name", f"<{tag}> has no name; give it one")
        elif element.name in found:
            line = found[element.name].line
            findings.error(element, "repeated-name", f"the {tag} in line {line} has this name too; give each its own")
        else:
            found[element.name] = element
    return list(found.values())


def _origin(parent: Element, findings: Findings) -> Pose:
    origin = parent.child("origin")
    rpy = findings.attribute_vector(origin, "rpy", ZERO)
    return findings.attribute_vector(origin, "xyz", ZERO) + quat_of_rpy(*rpy)


# ---- links


def _link(element: Element, colors: dict[str, Color], findings: Findings) -> Link:
    findings.skip_unknown(element, LINK_TAGS)
    link = Link(element.name, mass=0.0, inertia=ZERO_SYM)
    inertial = element.child("inertial")
    if inertial is not None:
        X_LI = _origin(inertial, findings)
        given = inertial.child("inertia")
        mass = inertial.child("mass")
        link.mass = findings.attribute(mass, "value", 0.0)
        if mass is not None and mass.text:  # the spelling of hand-written files
            link.mass = findings.number(inertial, "mass", 0.0)
        link.com = X_LI[:3]
        xx, xy, xz, yy, yz, zz = (findings.attribute(given, name, 0.0) for name in INERTIA)
        link.inertia = turned_inertia(X_LI, (xx, xy, xz, yy, yz, zz))
    link.visuals = _shapes(element, "visual", colors, findings)
    link.collisions = _shapes(element, "collision", colors, findings)
    return link


def _shapes(link: Element, tag: str, colors: dict[str, Color], findings: Findings) -> list[Shape]:
    shapes: list[Shape] = []
    for number, element in enumerate(link.all(tag), start=1):
        findings.skip_unknown(element, SHAPE_TAGS)
        geometry = _geometry(element.child("geometry"), findings)
        taken = {shape.name for shape in shapes}
        name = element.name if element.name and element.name not in taken else f"{tag}_{number}"
        color = _shape_color(element, colors, findings)
        shapes.append(Shape(name, geometry, _origin(element, findings), Material(color) if color else None))
    return shapes


def _geometry(element: Element | None, findings: Findings) -> Geometry | None:
    for found in element.children if element else ():
        if found.tag in GEOMETRIES:
            return GEOMETRIES[found.tag](found, findings)
        findings.skip(found)
    return None


def _mesh(element: Element, findings: Findings) -> Mesh:
    return Mesh(element.attributes.get("filename", ""), findings.attribute_vector(element, "scale", (1.0, 1.0, 1.0)))


def _cylinder(element: Element, findings: Findings) -> Cylinder:
    return Cylinder(findings.attribute(element, "radius", 1.0), findings.attribute(element, "length", 1.0))


GEOMETRIES: dict[str, Callable[[Element, Findings], Geometry]] = {
    "box": lambda at, findings: Box(findings.attribute_vector(at, "size", (1.0, 1.0, 1.0))),
    "sphere": lambda at, findings: Sphere(findings.attribute(at, "radius", 1.0)),
    "cylinder": _cylinder,
    "mesh": _mesh,
}


def _named_colors(root: Element, findings: Findings) -> dict[str, Color]:
    """Colours by material name; one that a visual defines can be used by all others too."""
    colors = {}
    for element in root.walk():
        if element.tag == "material" and element.name and (color := _own_color(element, findings)):
            colors.setdefault(element.name, color)
    return colors


def _own_color(material: Element, findings: Findings) -> Color | None:
    element = material.child("color")
    if element is None or "rgba" not in element.attributes:
        return None
    return findings.parse(element, "rgba of <color>", element.attributes["rgba"], WHITE)


def _shape_color(shape: Element, colors: dict[str, Color], findings: Findings) -> Color | None:
    material = shape.child("material")
    if material is None:
        return None
    findings.skip_unknown(material, ("color",))
    return _own_color(material, findings) or colors.get(material.name)


# ---- joints


def _joint(element: Element, findings: Findings) -> Joint | None:
    findings.skip_unknown(element, JOINT_TAGS)
    kind = _kind(element, findings)
    ends = [_end(element, tag, findings) for tag in ("parent", "child")]
    if kind is None or not all(ends):
        return None
    axes = [_axis(element, kind, findings) for _ in kind.axes if kind.columns]
    X_PJ = _origin(element, findings)
    return Joint(element.name, kind.name, *ends, X_PJ=X_PJ, axes=axes, mimic=_mimic(element, findings))


def _kind(joint: Element, findings: Findings) -> JointType | None:
    name = joint.attributes.get("type", "").strip()
    if name in KINDS:
        return KINDS[name]
    if name in URDF_TYPES:
        message = f"type '{name}' is not supported yet; supported are {', '.join(KINDS)}"
        findings.error(joint, "joint-type-not-supported", message)
    else:
        message = f"type '{name}' is not a joint type of URDF; allowed are {', '.join(URDF_TYPES)}"
        findings.error(joint, "unknown-joint-type", message)
    return None


def _end(joint: Element, tag: str, findings: Findings) -> str:
    element = joint.child(tag)
    name = (element.attributes.get("link") or element.text).strip() if element else ""
    if not name:
        findings.error(joint, f"no-{tag}", f'names no {tag}; write <{tag} link="..."/>')
    return name


def _axis(joint: Element, kind: JointType, findings: Findings) -> Axis:
    axis = Axis(xyz=findings.attribute_vector(joint.child("axis"), "xyz", (1.0, 0.0, 0.0)))
    limit, dynamics = joint.child("limit"), joint.child("dynamics")
    if kind.axes[0].limited and limit is None:
        message = "has no <limit>, which its type requires; read as unlimited: write one, or make it continuous"
        findings.warning(joint, "no-limit", message)
    elif kind.axes[0].limited:  # left out of <limit> means 0
        axis.lower = findings.attribute(limit, "lower", 0.0, infinite=True)
        axis.upper = findings.attribute(limit, "upper", 0.0, infinite=True)
    axis.effort = findings.attribute(limit, "effort", math.inf, infinite=True)
    axis.velocity = findings.attribute(limit, "velocity", math.inf, infinite=True)
    axis.damping = findings.attribute(dynamics, "damping", 0.0)
    axis.friction = findings.attribute(dynamics, "friction", 0.0)
    return axis


def _mimic(joint: Element, findings: Findings) -> Mimic | None:
    element = joint.child("mimic")
    if element is None:
        return None
    return Mimic(
        element.attributes.get("joint", "").strip(),
        multiplier=findings.attribute(element, "multiplier", 1.0),
        offset=findings.attribute(element, "offset", 0.0),
    )


# ---- the tree


class _Tree:
    """URDF says poses joint by joint only, so they exist only where the joints make one tree."""

    def __init__(self, model: Model, has_world: bool, root: Element, findings: Findings):
        self.model, self.root, self.findings = model, root, findings
        self.links = {link.name: link for link in model.links}
        self.above = self._first_joints()
        self.has_world = has_world or any(joint.parent == WORLD for joint in model.joints)

    def _first_joints(self) -> dict[str, Joint]:
        """The joint above each link."""
        above: dict[str, Joint] = {}
        for joint in self.model.joints:
            held = above.setdefault(joint.child, joint)
            if held is not joint:
                self._error(
                    "joint",
                    joint.name,
                    "second-parent",
                    f"link '{joint.child}' is the child of joint '{held.name}' too; URDF is a tree: remove one joint",
                )
        return above

    def place_links(self) -> None:
        """Set every link's pose at q = 0, or report why there is none."""
        if any(not {joint.parent, joint.child} <= {*self.links, WORLD} for joint in self.model.joints):
            return  # reported by check_model
        roots = [link.name for link in self.model.links if link.name not in self.above]
        if self.has_world:
            roots.insert(0, WORLD)
        for extra in roots[1:]:
            message = f"nothing joins it to '{roots[0]}'; URDF is one tree: add a joint"
            self._error("link", extra, "several-roots", message)
        placed = dict.fromkeys(roots, IDENTITY)
        self._place_below(placed)
        for name in self.links:
            if name not in placed:
                self._report_loop(name)

    def _place_below(self, placed: dict[str, Pose]) -> None:
        below: dict[str, list[Joint]] = {}
        for joint in self.above.values():
            below.setdefault(joint.parent, []).append(joint)
        waiting = list(placed)
        while waiting:
            parent = waiting.pop()
            for joint in below.get(parent, ()):
                if joint.child in placed:
                    continue
                placed[joint.child] = self.links[joint.child].pose = compose(placed[parent], joint.X_PJ)
                waiting.append(joint.child)

    def _report_loop(self, name: str) -> None:
        """Follow the joints upward until they come round, and report that loop once."""
        seen: list[str] = []
        while name not in seen:
            seen.append(name)
            name = self.above[name].parent
        loop = seen[seen.index(name) :]
        if len(loop) == 1:
            return  # a joint of a link with itself, reported by check_model
        first = min(loop)
        at = loop.index(first)
        path = " -> ".join([*loop[at:], *loop[:at], first])
        message = f"hangs on itself: {path}; URDF is a tree: remove one joint"
        self._error("link", first, "loop", message)

    def _error(self, tag: str, name: str, code: str, message: str) -> None:
        element = next(element for element in self.root.all(tag) if element.name == name)
        self.findings.error(element, code, message)
