"""A `Model` to SDF: poses of links in the model, of joints in their child, axes in their joint.

That is the subset which every simulator reads alike: no relative_to, no frames, no expressed_in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ..geometry import Box, Cylinder, Mesh, Plane, Shape, Sphere
from ..joints import Column
from ..model import WORLD, Axis, Joint, Link, Model
from ..spatial import IDENTITY, compose, inverse, norm
from .files import UnwritableError, write_together
from .obj import write_obj
from .sdf_joint import axis_tag
from .sdf_names import Names, printable, unique
from .xml_write import number, numbers, put, put_pose, xml

VERSIONS = ("1.7", "1.8", "1.9", "1.10", "1.11", "1.12")
DEFAULT_VERSION = "1.9"
RIGHT_HANDED_PITCH_SINCE = (1, 10)
MIMIC_SINCE = (1, 11)
NO_PITCH = 1e16
"""rad/m: the thread of a screw that does not advance, where SDF can only say how many radians one metre takes."""

STANDARD_GRAVITY = Model().gravity
SAME_POSE = 1e-9
"""How far apart [m, or 1 in a quaternion] a joint's two frames may be in the pose as drawn."""

DYNAMICS = ("damping", "friction", "spring_reference", "spring_stiffness")
STOPS = ("stiffness", "dissipation")


def write_sdf(model: Model, path: Path, *, sdf_version: str = DEFAULT_VERSION, world: bool = False) -> list[str]:
    """Write the model, the meshes that it holds, and model.config where they make a model folder; returns the losses.

    `world` asks for a world around the model; other gravity than the Earth's needs one in any case.
    """
    if sdf_version not in VERSIONS:
        raise UnwritableError(path, f"SDF version '{sdf_version}' is not known; write one of {', '.join(VERSIONS)}")
    writer = _Writer(model, sdf_version, mesh_prefix="" if path.name == "model.sdf" else f"{path.stem}_")
    contents = {path.name: writer.text(world or tuple(model.gravity) != STANDARD_GRAVITY)} | writer.meshes
    if writer.meshes or path.name == "model.sdf":
        held = path.with_name("model.config")
        if not held.exists():
            contents[held.name] = _config(writer.names.model, path.name, sdf_version)
        elif not held.is_file() or path.name not in held.read_text(encoding="utf-8", errors="replace"):
            writer.losses.append(f"model.config is there already and kept, though it does not name '{path.name}'")
    write_together(path, contents)
    return writer.losses


class _Writer:
    """`mesh_prefix` keeps models apart whose meshes lie in one folder."""

    def __init__(self, model: Model, version: str, mesh_prefix: str):
        self.model = model
        self.version = version
        self.mesh_prefix = mesh_prefix
        self.at_least = tuple(map(int, version.split("."))).__ge__
        self.names = Names(model)
        self.losses = list(self.names.changes)
        self.meshes: dict[str, str] = {}
        self.links = {link.name: link for link in model.links}
        self.written = {joint.name for joint in model.joints if joint.enabled and joint.kind.sdf is not None}

    def text(self, world: bool) -> str:
        root = at = Element("sdf", version=self.version)
        if world:
            at = SubElement(at, "world", name="default")  # "world" is reserved, even here
            put(at, "gravity", numbers(self.model.gravity))
        at = SubElement(at, "model", name=self.names.model)
        for link in self.model.links:
            self._link(at, link)
        for joint in self.model.joints:
            self._joint(at, joint)
        for coupling in self.model.couplings:
            self.losses.append(f"coupling '{coupling.name}' is left out: couplings are not written yet")
        return xml(root)

    # ---- links

    def _link(self, model: Element, link: Link) -> None:
        element = SubElement(model, "link", name=self.names.links[link.name])
        put_pose(element, link.pose)
        inertial = SubElement(element, "inertial")
        put_pose(inertial, (*link.com, *IDENTITY[3:]), exact=True)
        put(inertial, "mass", number(link.mass))
        inertia = SubElement(inertial, "inertia")
        for tag, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia, strict=True):
            put(inertia, tag, number(value))
        if not link.gravity:
            put(element, "gravity", "false")
        decays = {"linear": link.linear_damping, "angular": link.angular_damping}
        if any(decays.values()):
            holder = SubElement(element, "velocity_decay")
            for tag, value in decays.items():
                put(holder, tag, number(value))
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            self._shapes(element, link, tag, shapes)

    def _shapes(self, parent: Element, link: Link, tag: str, shapes: Iterable[Shape]) -> None:
        taken: set[str] = set()
        for shape in shapes:
            if shape.geometry is None:
                self.losses.append(f"link '{link.name}': {tag} '{shape.name}' has a shape that is not known; left out")
                continue
            name = unique(printable(shape.name) or tag, taken)
            taken.add(name)
            if name != shape.name:
                self.losses.append(f"link '{link.name}': {tag} '{shape.name}' is named '{name}'")
            element = SubElement(parent, tag, name=name)
            put_pose(element, shape.pose)
            self._geometry(SubElement(element, "geometry"), shape, f"{self.names.links[link.name]}_{name}", link)
            if shape.color and tag == "visual":
                material = SubElement(element, "material")
                put(material, "ambient", numbers(shape.color))
                put(material, "diffuse", numbers(shape.color))

    def _geometry(self, parent: Element, shape: Shape, file_stem: str, link: Link) -> None:
        match shape.geometry:
            case Box(size):
                put(SubElement(parent, "box"), "size", numbers(size))
            case Sphere(radius):
                put(SubElement(parent, "sphere"), "radius", number(radius))
            case Cylinder(radius, length):
                element = SubElement(parent, "cylinder")
                put(element, "radius", number(radius))
                put(element, "length", number(length))
            case Plane(normal, size):
                element = SubElement(parent, "plane")
                put(element, "normal", numbers(normal))
                put(element, "size", numbers(size))
            case Mesh() as mesh:
                element = SubElement(parent, "mesh")
                put(element, "uri", self._mesh_uri(mesh, file_stem, f"link '{link.name}': '{shape.name}'"))
                put(element, "scale", numbers(mesh.scale))

    def _mesh_uri(self, mesh: Mesh, stem: str, subject: str) -> str:
        if mesh.vertices is None:
            if "://" not in mesh.uri:
                self.losses.append(f"{subject} still names the mesh '{mesh.uri}'; copy it to where that leads")
            return mesh.uri
        safe = re.sub(r"[^a-z0-9_-]+", "_", f"{self.mesh_prefix}{stem}".lower())  # some file systems know no case
        uri = f"meshes/{unique(safe, {Path(name).stem for name in self.meshes})}.obj"
        self.meshes[uri] = write_obj(mesh.vertices, mesh.faces, Path(uri).stem)
        return uri

    # ---- joints

    def _joint(self, model: Element, joint: Joint) -> None:
        subject = f"joint '{joint.name}'"
        if not joint.enabled:
            self.losses.append(f"{subject} is switched off; left out, since SDF cannot say so")
            return
        if joint.kind.sdf is None and joint.parent == WORLD and joint.kind.holds_nothing:
            return  # to SDF, a link without a joint is free
        if joint.kind.sdf is None:
            self.losses.append(f"{subject}: SDF has no {joint.type} joint; left out, so its child moves freely")
            return
        locked = {column.axis: at for column, at in self._locked(joint)}
        kind = "revolute" if locked and joint.kind.sdf == "continuous" else joint.kind.sdf
        element = SubElement(model, "joint", name=self.names.joints[joint.name], type=kind)
        put(element, "parent", self.names.links[joint.parent])
        put(element, "child", self.names.links[joint.child])
        put_pose(element, joint.X_CJ)
        if joint.kind.threaded:
            self._pitch(element, joint.pitch, subject)
        for i, axis in enumerate(joint.axes[: len(joint.all_columns)]):
            if i in locked:
                self.losses.append(f"{subject}, axis {i + 1}: SDF has no locks; limits without room are written")
                axis = replace(axis, lower=locked[i], upper=locked[i])
            self._axis(element, axis_tag(i), axis, f"{subject}, axis {i + 1}")
        self._mimic(element, joint, subject)
        self._tell_joint_losses(joint, subject)

    def _axis(self, parent: Element, tag: str, axis: Axis, subject: str) -> None:
        element = SubElement(parent, tag)
        put(element, "xyz", numbers(axis.xyz))
        default = Axis()
        finite = [name for name in ("lower", "upper", "effort", "velocity") if math.isfinite(getattr(axis, name))]
        stops = [name for name in STOPS if getattr(axis, name) != getattr(default, name)]
        dynamics = [name for name in DYNAMICS if getattr(axis, name) != getattr(default, name)]
        for group, names in (("limit", finite + stops), ("dynamics", dynamics)):
            if names or group == "limit":  # which the spec requires, empty or not
                holder = SubElement(element, group)
                for name in names:
                    put(holder, name, number(getattr(axis, name)))
        for name in ("armature", "restitution"):
            if getattr(axis, name):
                self.losses.append(f"{subject}: SDF has no {name}; {getattr(axis, name):g} is left out")
        if axis.drive_mode != "off":
            self.losses.append(f"{subject}: SDF has no drives; its {axis.drive_mode} drive is left out")

    def _pitch(self, element: Element, pitch: float, subject: str) -> None:
        if self.at_least(RIGHT_HANDED_PITCH_SINCE):
            put(element, "screw_thread_pitch", number(pitch))
            return
        if pitch == 0.0:
            self.losses.append(f"{subject}: SDF {self.version} has no screw of pitch 0; a tiny one is written")
        put(element, "thread_pitch", number(-math.tau / pitch if pitch else NO_PITCH))

    def _mimic(self, element: Element, joint: Joint, subject: str) -> None:
        mimic = joint.mimic
        if mimic is None:
            return
        axis = element.find(axis_tag(mimic.axis))
        if axis is None or not self.at_least(MIMIC_SINCE):
            self.losses.append(f"{subject}: mimic of '{mimic.leader}' is left out; write SDF 1.11 or later to keep it")
            return
        if mimic.leader not in self.written:
            self.losses.append(f"{subject}: mimic of '{mimic.leader}' is left out, as that joint is")
            return
        holder = SubElement(axis, "mimic", joint=self.names.joints[mimic.leader])
        if mimic.leader_axis:
            holder.set("axis", axis_tag(mimic.leader_axis))
        for tag in ("multiplier", "offset", "reference"):
            put(holder, tag, number(getattr(mimic, tag)))

    def _tell_joint_losses(self, joint: Joint, subject: str) -> None:
        if joint.home != Joint("", joint.type, "", "", axes=joint.axes).home:
            home = " ".join(f"{value:g}" for value in joint.home)
            self.losses.append(f"{subject}: SDF has no start position; home {home} is left out")
        if joint.released_at != math.inf:
            self.losses.append(f"{subject}: SDF cannot say when a joint lets go; it is written as holding")
        if any(axis != Axis(xyz=axis.xyz) for axis in joint.axes[len(joint.all_columns) :]):
            self.losses.append(f"{subject}: SDF has no axes on a {joint.type} joint; limits and forces are left out")
        if self._apart(joint):
            self.losses.append(f"{subject}: its two frames differ in the pose as drawn; the child's is written")

    def _locked(self, joint: Joint) -> list[tuple[Column, float]]:
        """The columns that stay at home, and where that is."""
        pairs = zip(joint.all_columns, joint.home, strict=False)
        return [(column, at) for column, at in pairs if joint.is_locked(column.axis)]

    def _apart(self, joint: Joint) -> bool:
        X_WP, X_WC = (self.links[name].pose if name in self.links else IDENTITY for name in (joint.parent, joint.child))
        gap = compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
        return max(norm(gap[:3]), norm(gap[4:])) > SAME_POSE * (1.0 + norm(X_WC[:3]))


def _config(name: str, file_name: str, version: str) -> str:
    root = Element("model")
    put(root, "name", name)
    put(root, "version", "1.0")
    SubElement(root, "sdf", version=version).text = file_name
    return xml(root)
