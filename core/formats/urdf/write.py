# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of URDF 1.0, in a form that Drake, MuJoCo, Pinocchio and libsdformat read alike."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ...extras import Extra
from ...files.errors import UnwritableError
from ...model import WORLD, Joint, Link, Model
from ...model.editing.zeroing import zero_at_home
from ...model.naming import claim
from ...spatial import IDENTITY, IDENTITY_QUAT, Pose, compose, inverse, quat_rotate
from ..alike import UNBOUNDED
from ..drake.output import IN_DRAKE, put_attribute, put_between, put_pair, put_rotor
from ..files import write_together
from ..findings import NO_LINKS
from ..mesh_output.meshes import MeshFiles
from ..substitutes import substituted
from ..xml.kept import element_of, prefixes_in, put_back
from ..xml.output import number, numbers, put, xml
from .drake import actuator_of, is_drakes
from .extras import FORMAT, legal_name
from .losses import losses_of_joint, losses_of_link, losses_of_model
from .mimic import Follows, urdf_mimics
from .shapes import Shapes, pose_attributes, put_origin, without_noise
from .surface import gazebos_of, name_for_gazebo
from .tree import UrdfTree, after_move, can_say, urdf_tree

SPACES = {"drake": "http://drake.mit.edu", "xacro": "http://www.ros.org/wiki/xacro"}
"""Namespaces of prefixes that the file did not define."""
MERGED = ("limit", "dynamics")
"""Elements of a joint to which kept attributes are added."""

SPRING = ("springReference", "spring_reference"), ("springStiffness", "spring_stiffness")
"""(element in <gazebo>, field of `Axis`) of a spring."""


def write_urdf(
    model: Model, path: Path, *, uris: str = "relative", pose: str = "zero", substitute: bool = False
) -> list[str]:
    """Write the model and the meshes that it contains. Return the losses.

    A URDF is one tree in which a joint has the frame of its child link. So frames of links move to their joints, joints
    that lead toward the root are reversed, and components are connected with a link named `world`, by the joints that
    they have there or by `floating` ones; see `urdf_tree`.

    Args:
        uris: of meshes, "relative" to the file, or by the "model" folder that contains it, which is a package in URDF.
        pose: "zero", as drawn, with joints at 0; or "home", the initial pose, which then has the coordinates 0.
        substitute: replace what URDF cannot express by the nearest that it can: joints of several axes by chains, a
            screw by a slide and a hinge that mimics it, frames by links without mass, shapes by meshes.

    Raises:
        UnwritableError: if the model has no links, or if a file cannot be written.
    """
    if not model.links:
        raise UnwritableError(path, f"the model {NO_LINKS}")
    notes: list[str] = []
    if pose == "home":
        model, notes = zero_at_home(model)
    if substitute:
        model, replaced = substituted(model, lambda joint: can_say(joint) or is_drakes(joint))
        notes += replaced
    of_tree = replace(model, joints=[joint for joint in model.joints if not is_drakes(joint)])
    tree = urdf_tree(of_tree, "" if substitute else "; the option 'substitute' keeps what can be kept")
    follows, lost = urdf_mimics(model, tree.model.joints)
    prefix = "" if path.name == "model.urdf" else f"{path.stem}_"
    base = f"package://{path.resolve().parent.name}/" if uris == "model" else ""
    writer = _Writer(model, tree, follows, MeshFiles(path.parent, prefix, base), substitute)
    text = writer.text()
    write_together(path, {path.name: text} | writer.shapes.meshes.contents)
    return [*notes, *tree.losses, *lost, *writer.losses]


class UrdfNames:
    """The names in URDF of links, joints and frames.

    They are unique and have one line, and no link is named `world`.
    """

    def __init__(self, model: Model):
        self.changes: list[str] = []
        self.model = self._chosen("model", model.name, set())
        taken = {WORLD}
        self.links = {link.name: self._chosen("link", link.name, taken) for link in model.links} | {WORLD: WORLD}
        self.frames = {frame.name: self._chosen("frame", frame.name, taken) for frame in model.frames}
        taken = set()
        self.joints = {joint.name: self._chosen("joint", joint.name, taken) for joint in model.joints}
        self.taken_by_joints = taken

    def _chosen(self, kind: str, name: str, taken: set[str]) -> str:
        chosen = claim(legal_name(name) or kind, taken)
        if chosen != name:
            self.changes.append(f"{kind} '{name}' is named '{chosen}', because URDF cannot say that, or has it already")
        return chosen


class _Writer:
    def __init__(self, before: Model, tree: UrdfTree, follows: dict[str, Follows], meshes: MeshFiles, substitute: bool):
        """Prepare the output. `before` is the model from which the tree was made."""
        self.before, self.tree, self.model = before, tree, tree.model
        self.follows, self.substitute = follows, substitute
        self.bounded = bounded_hinges(self.model.joints, follows)
        self.names = UrdfNames(self.model)
        self.losses = list(self.names.changes)
        self.shapes = Shapes(meshes, substitute)
        self.root = Element("robot", name=self.names.model)

    def text(self) -> str:
        """Return the text of the file."""
        root = self.root
        self.losses += losses_of_model(self.before)
        self._root_attributes()
        if self.tree.has_world:
            SubElement(root, "link", name=WORLD)
        for link in self.model.links:
            self._link(link)
        original = {joint.name: joint for joint in self.before.joints}
        for joint in self.model.joints:
            self._joint(joint)
            self.losses += losses_of_joint(original.get(joint.name, joint) if joint.nv else joint)
        self._frames()
        self._gazebo()
        self._top_level()
        self._drakes()
        self.losses += self.shapes.losses
        self._declare_prefixes()
        return xml(root)

    # ---- the robot

    def _root_attributes(self) -> None:
        for extra in self._own(self.model.extras):
            if extra.tag == self.root.tag:
                self.root.attrib.update(element_of(extra).attrib)
        self.root.set("name", self.names.model)

    def _top_level(self) -> None:
        written = {joint.name for joint in self.model.joints}
        for extra in self._own(self.model.extras):
            if extra.tag == self.root.tag:
                continue
            element = element_of(extra)
            named = [str(joint.get("name")) for joint in element.iter("joint") if joint.get("name")]
            gone = [name for name in named if name not in written] if extra.tag == "transmission" else []
            if gone:
                self.losses.append(f"a transmission of joint '{gone[0]}' is left out, as that joint is")
            else:
                self.root.append(element)

    def _drakes(self) -> None:
        """Write what only Drake's elements express, and report that other loaders ignore it."""
        for joint in self.before.joints:
            if is_drakes(joint):
                ends = ((joint.parent, joint.X_PJ), (joint.child, joint.X_CJ))
                points = [after_move(self.tree.moved, link, pose)[:3] for link, pose in ends]
                put_between(
                    self.root,
                    joint,
                    (self.names.links[joint.parent], self.names.links[joint.child]),
                    (points[0], points[1]),
                    put_attribute,
                )
                self.losses.append(f"joint '{joint.name}' is said in <{self.root[-1].tag}>, {IN_DRAKE}")
        for pair in self.before.contact_pairs:
            if not pair.meets:
                put_pair(self.root, (self.names.links[pair.a], self.names.links[pair.b]), put_attribute)
        for joint in self.model.joints:
            armature = joint.axes[joint.columns[0].axis].armature if len(joint.columns) == 1 else 0.0
            if armature:
                put_rotor(actuator_of(self.root, self.names.joints[joint.name]), armature, put_attribute)

    def _declare_prefixes(self) -> None:
        if self.shapes.needs_capsules and "version" not in self.root.attrib:
            self.root.set("version", "1.1")
        for prefix in sorted(prefixes_in(self.root)):
            if f"xmlns:{prefix}" not in self.root.attrib:
                self.root.set(f"xmlns:{prefix}", SPACES.get(prefix, f"urn:{prefix}"))

    def _frames(self) -> None:
        """Write each frame as Drake's <frame>, or as a link without mass."""
        for frame in self.model.frames:
            name, link = self.names.frames[frame.name], self.names.links[frame.link]
            if self.substitute and (frame.link != WORLD or self.tree.has_world):
                self.losses.append(f"frame '{frame.name}' is written as a link without mass")
                SubElement(self.root, "link", name=name)
                joint = SubElement(
                    self.root, "joint", name=claim(f"{name}_frame", self.names.taken_by_joints), type="fixed"
                )
                put_origin(joint, frame.pose)
                SubElement(joint, "parent", link=link)
                SubElement(joint, "child", link=name)
            else:
                self.losses.append(f"frame '{frame.name}' is said in <frame>, which Drake reads, and others pass over")
                element = SubElement(self.root, "frame", name=name, link=link)
                element.attrib.update(pose_attributes(frame.pose))

    # ---- links

    def _link(self, link: Link) -> None:
        element = SubElement(self.root, "link", name=self.names.links[link.name])
        if link.mass or any(link.inertia):
            inertial = SubElement(element, "inertial")
            put_origin(inertial, (*link.com, *IDENTITY_QUAT), exact=True)
            SubElement(inertial, "mass", value=number(link.mass))
            inertia = SubElement(inertial, "inertia")
            for name, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia, strict=True):
                inertia.set(name, number(value))
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            taken: set[str] = set()
            for shape in shapes:
                name = name_for_gazebo(shape, link, element.attrib["name"]) if tag == "collision" else shape.name
                self.shapes.put(element, tag, shape, f"link '{link.name}'", name, taken)
        for extra in self._own(link.extras):
            if extra.tag != "gazebo":
                put_back(element, extra)
        self.losses += losses_of_link(link)
        if link.name in self.tree.moved and any(self._own(link.extras)):
            loss = "its frame is its joint's now; poses in what was kept of a URDF are as they were"
            self.losses.append(f"link '{link.name}': {loss}")

    # ---- joints

    def _joint(self, joint: Joint) -> None:
        single = len(joint.columns) == 1
        element = SubElement(self.root, "joint", name=self.names.joints[joint.name], type=self._type_of(joint))
        put_origin(element, self._origin(joint))
        SubElement(element, "parent", link=self.names.links[joint.parent])
        SubElement(element, "child", link=self.names.links[joint.child])
        if single:
            SubElement(element, "axis", xyz=numbers(joint.direction(joint.columns[0].axis)))
            self._limit(element, joint)
        elif joint.columns:
            normal = joint.direction(joint.columns[-1].axis)
            SubElement(element, "axis", xyz=numbers(without_noise(quat_rotate(joint.X_CJ[3:], normal))))
        self._dynamics(element, joint)
        if follows := self.follows.get(joint.name):
            mimic = SubElement(element, "mimic", joint=self.names.joints[follows.leader])
            mimic.set("multiplier", number(follows.multiplier))
            mimic.set("offset", number(follows.offset))
        for extra in self._own(joint.extras):
            if extra.tag != "gazebo":
                put_back(element, extra, MERGED)

    def _type_of(self, joint: Joint) -> str:
        """Return the type of a joint. A hinge without limits is `continuous`, since `revolute` requires them."""
        if joint.name in self.bounded:
            return "revolute"
        return "continuous" if _is_endless(joint) else str(joint.kind.urdf)

    @staticmethod
    def _origin(joint: Joint) -> Pose:
        """Return the pose of the child's frame in the parent [m].

        That of a planar joint may be rotated against the joint's frame.
        """
        return joint.X_PJ if joint.X_CJ == IDENTITY else compose(joint.X_PJ, inverse(joint.X_CJ))

    def _limit(self, element: Element, joint: Joint) -> None:
        """Write <limit>, which is required for all types but `continuous`.

        Limits that do not exist are written as very large numbers, since some loaders take missing ones for 0.
        """
        axis = joint.axes[joint.columns[0].axis]
        limited = element.get("type") != "continuous"
        if not limited:
            if math.isinf(axis.effort) and math.isinf(axis.velocity):
                return
            axis = replace(axis, lower=-math.inf, upper=math.inf)
        limit = SubElement(element, "limit")
        for name in ("lower", "upper", "effort", "velocity"):
            limit.set(name, number(max(-UNBOUNDED, min(UNBOUNDED, getattr(axis, name)))))

    def _dynamics(self, element: Element, joint: Joint) -> None:
        axes = [joint.axes[column.axis] for column in joint.columns]
        dampings = [axis.damping for axis in axes]
        values = {"damping": dampings[:1] if len(set(dampings)) == 1 else dampings}
        if len(values["damping"]) > 1:
            loss = "its axes are damped by three numbers, which Drake reads, and others refuse"
            self.losses.append(f"joint '{joint.name}': {loss}")
        values["friction"] = [axes[0].friction] if len(axes) == 1 else []
        if any(any(found) for found in values.values()):
            dynamics = SubElement(element, "dynamics")
            for name, found in values.items():
                if any(found):
                    dynamics.set(name, numbers(found))

    # ---- <gazebo>

    def _gazebo(self) -> None:
        """Write what only Gazebo's element can express of links and joints, and then the kept elements of this kind."""
        for link in self.model.links:
            name = self.names.links[link.name]
            if not link.gravity:
                put(self._about(name), "gravity", "false")
            if link.linear_damping or link.angular_damping:
                decay = SubElement(self._about(name), "velocity_decay")
                put(decay, "linear", number(link.linear_damping))
                put(decay, "angular", number(link.angular_damping))
            self.root.extend(gazebos_of(link, self._kept_gazebo(link.extras, name), name))
        for joint in self.model.joints:
            name = self.names.joints[joint.name]
            if len(joint.columns) == 1 and joint.axes[joint.columns[0].axis].spring_stiffness:
                about = self._about(name)
                for tag, attribute in SPRING:
                    put(about, tag, number(getattr(joint.axes[joint.columns[0].axis], attribute)))
            self.root.extend(self._kept_gazebo(joint.extras, name))

    def _about(self, name: str) -> Element:
        return SubElement(self.root, "gazebo", reference=name)

    def _kept_gazebo(self, extras: tuple[Extra, ...], name: str) -> list[Element]:
        kept = [element_of(extra) for extra in self._own(extras) if extra.tag == "gazebo"]
        for element in kept:
            element.set("reference", name)
        return kept

    @staticmethod
    def _own(extras: tuple[Extra, ...]) -> Iterator[Extra]:
        return (extra for extra in extras if extra.format == FORMAT)


def bounded_hinges(joints: list[Joint], follows: dict[str, Follows]) -> set[str]:
    """Return the names of hinges without limits that must be `revolute`, with very large limits.

    Pinocchio describes a continuous joint by a cosine and a sine, so it refuses a mimic between one and a joint of
    another type.
    """
    bounded: set[str] = set()
    endless = {joint.name for joint in joints if _is_endless(joint)}
    pairs = [(name, one.leader) for name, one in follows.items()]
    while mixed := {
        name for pair in pairs if len(endless.intersection(pair)) == 1 for name in endless.intersection(pair)
    }:
        bounded |= mixed
        endless -= mixed
    return bounded


def _is_endless(joint: Joint) -> bool:
    columns = joint.columns
    return len(columns) == 1 and bool(columns[0].turn) and joint.axes[columns[0].axis].is_unlimited
