# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of MJCF, in a form that MuJoCo 3 and 4 load without a warning."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from ....files.errors import UnwritableError
from ....joints import FREE
from ....model import WORLD, Coupling, Gearbox, Joint, Link, Model, ModelError
from ....model.couplings import at_led_homes, mimic_equation
from ....model.editing.mending import with_mended_inertias
from ....model.graph import Branch, Tree, spanning_tree
from ....spatial import IDENTITY, Pose, compose, cross, quat_rotate, sub
from ...breaking import losses_of_breaking
from ...files import write_together
from ...findings import NO_LINKS
from ...mesh_output.meshes import MeshFiles
from ...xml.kept import foreign_lines
from ...xml.output import numbers, xml
from ..tree.assembly import SCENERY
from .constraints import ConstraintWriter
from .contacts import Contacts
from .drives import write_drives
from .inertias import put_inertials
from .joints import MovedAxis, MovedBody, free_joint, kept_at, moved_by, put_pose
from .names import Names
from .sensors import Key, Written, write_sensors
from .shapes import HIDDEN, SEEN, Geoms

FOREIGN = "is of another format; left out"
"""End of a line about an element that was kept of another format."""

HOME = "home"
"""Name of the key with the initial pose."""


def write_mjcf(model: Model, path: Path) -> list[str]:
    """Write the model and the meshes that it contains. Return the losses.

    Raises:
        UnwritableError: if the model has no links, or if a file cannot be written.
    """
    if not model.links:
        raise UnwritableError(path, f"the model {NO_LINKS}")
    model, notes = with_mended_inertias(model)  # MuJoCo refuses the whole file otherwise
    model = replace(model, joints=at_led_homes(model.joints))
    prefix = "" if path.name == "model.xml" else f"{path.stem}_"
    writer = _Writer(model, MeshFiles(path.parent, prefix))
    text = xml(writer.root())
    write_together(path, {path.name: text} | writer.geoms.meshes.contents)
    return [*notes, *writer.names.changes, *writer.losses, *writer.geoms.losses, *writer.geoms.meshes.losses]


class _Writer:
    def __init__(self, model: Model, meshes: MeshFiles):
        self.model = model
        self.names = Names()
        self.geoms = Geoms(meshes, self.names)
        self.contacts = Contacts(model)
        self.losses: list[str] = []
        self.axes: list[MovedAxis] = []
        self.positions: list[float] = []
        self.velocities: list[float] = []
        self.bodies: dict[str, Element] = {}
        self._own: dict[str, Element] = {}
        self._sites: list[Element] = []
        self._geoms: dict[Key, str] = {}
        self._between: dict[str, MovedBody] = {}
        self._referred: set[str] = set()
        self._still = {WORLD}
        self._parts = model.rigid_parts()
        self._masses: dict[str, float] = defaultdict(float)
        for each in model.links:
            self._masses[self._parts[each.name]] += each.mass

    def root(self) -> Element:
        """Return the whole file."""
        model = self.model
        root = Element("mujoco", model=model.name)
        SubElement(root, "compiler", angle="radian", inertiafromgeom="false")
        SubElement(root, "option", gravity=numbers(model.gravity))
        assets, world = self.geoms.assets, Element("worldbody")
        tree = spanning_tree(model.links, [joint for joint in model.joints if joint.enabled])
        loops = [*tree.loops, *(joint for joint in model.joints if not joint.enabled)]
        ends = {link for joint in loops for link in (joint.parent, joint.child)}
        self._referred = ends | {frame.link for frame in model.frames}
        self._bodies(world, tree)
        self.losses += put_inertials(self._own, {link.name: link for link in model.links})
        self._frames()
        carrying = [branch.joint for branch in tree.branches]
        constants = {(joint.name, axis): value for joint in carrying for axis, value in kept_at(joint).items()}
        constraints = ConstraintWriter(self.bodies, self.axes, constants, self.names)
        for joint in loops:
            constraints.loop(joint)
        for item in [*model.joints, *model.couplings]:
            self._couple(item, constraints)
        self.losses += constraints.ties.losses
        names = {link: element.get("name", WORLD) for link, element in self.bodies.items()}
        contact = self.contacts.section(names)
        self.losses += self.contacts.losses
        actuators, controls = write_drives(self.axes, self.names)
        sensors = self._sensors(constraints.ties.tendon, actuators)
        sections = (assets, world, contact, constraints.ties.tendon, constraints.ties.equality, actuators, sensors)
        root.extend(section for section in sections if section is not None and (len(section) or section is world))
        self._key(root, controls)
        self._tell_rest()
        return root

    def _couple(self, item: Joint | Coupling | Gearbox, constraints: ConstraintWriter) -> None:
        try:
            if not isinstance(item, Joint):
                constraints.equation(item.equation(self.model.joints))
            elif item.mimic:
                constraints.equation(mimic_equation(item.name, item.mimic))
        except ModelError as error:
            self.losses.append(f"{error}; it is left out")

    # ---- bodies

    def _bodies(self, world: Element, tree: Tree) -> None:
        """Write the links, each into the one that carries it, in depth-first order as MuJoCo numbers its joints."""
        self.bodies[WORLD] = world
        below: dict[str, list[Branch]] = {}
        for branch in tree.branches:
            below.setdefault(branch.inner, []).append(branch)
        waiting: list[Branch | str] = [*reversed(tree.roots), *reversed(below.get(WORLD, []))]
        while waiting:
            item = waiting.pop()
            link = item if isinstance(item, str) else item.outer
            if isinstance(item, str):
                self._floating(link, self.model.link(link).pose)
            else:
                self._carried(item, below.get(link, []))
            waiting.extend(reversed(below.get(link, [])))

    def _floating(self, name: str, pose: Pose, joint: Joint | None = None) -> None:
        """Write a link that floats. joint: a free joint that resists its motion."""
        link = self.model.link(name)
        body = self._body(link, WORLD, pose)
        if joint:
            body.insert(0, free_joint(joint, self.names.claim("joint", joint.name), self.losses))
        else:
            body.insert(0, Element("freejoint", name=self.names.claim("joint", name, is_told=False)))
        self.positions += pose
        self.velocities += [*self._velocity_of_origin(link, pose), *_in_body(link.angular_velocity, pose)]

    @staticmethod
    def _velocity_of_origin(link: Link, pose: Pose) -> tuple[float, ...]:
        """Return the velocity of a floating link's origin, from that of its com [m/s]."""
        return sub(link.velocity, cross(link.angular_velocity, quat_rotate(pose[3:], link.com)))

    def _is_between(self, link: Link, moved: MovedBody, below: list[Branch]) -> bool:
        """Return whether a link moves without mass and only connects two joints, which MuJoCo has in one body."""
        is_empty = not (link.visuals or link.collisions or self._masses[self._parts[link.name]])
        is_plain = link.name not in self._referred and len(below) == 1 and not _floats(below[0])
        return is_empty and is_plain and bool(moved.axes)

    def _carried(self, branch: Branch, below: list[Branch]) -> None:
        link = self.model.link(branch.outer)
        if _floats(branch):
            pose = compose(self._pose_in_world(branch.inner), moved_by(branch, Names()).pose)
            resisting = None
            if not branch.joint.kind.is_free:
                self.losses += moved_by(branch, Names()).losses
            elif branch.inner != WORLD and not branch.joint.has_no_effect:
                words = "a free joint of MJCF is on the world; what resists this one is left out"
                self.losses.append(f"joint '{branch.joint.name}': {words}")
            elif not branch.joint.has_no_effect:
                resisting = branch.joint
            self._floating(link.name, pose, resisting)
            return
        moved = moved_by(branch, self.names)
        if branch.inner in self._still and not moved.axes:
            self._still.add(link.name)
        if before := self._between.pop(branch.inner, None):
            moved = before.before(moved)
        if self._is_between(link, moved, below):
            self._between[link.name] = moved
            self.bodies[link.name] = self.bodies[branch.inner]
            return
        if branch.inner == WORLD and link.name == SCENERY and not moved.axes and moved.pose == IDENTITY:
            self.bodies[link.name] = self.bodies[WORLD]
            self._shapes(self.bodies[WORLD], link)
            return
        body = self._body(link, branch.inner, moved.pose)
        for place, axis in enumerate(moved.axes):
            body.insert(place, axis.element())
        self.axes += moved.axes
        self.losses += moved.losses
        for axis in moved.axes:
            self.positions += axis.home
            self.velocities += [0.0] * (3 if axis.kind == "ball" else 1)

    def _pose_in_world(self, link: str) -> Pose:
        return IDENTITY if link == WORLD else self.model.link(link).pose

    def _body(self, link: Link, inner: str, pose: Pose) -> Element:
        body = SubElement(self.bodies[inner], "body", name=self.names.claim("body", link.name))
        put_pose(body, pose)
        if not link.gravity:
            body.set("gravcomp", "1")
        self.bodies[link.name] = self._own[link.name] = body
        self._shapes(body, link)
        self._tell_link(link)
        return body

    def _shapes(self, body: Element, link: Link) -> None:
        """Write the shapes of a link. A visual that is a collision too becomes one geom."""
        owner, is_still = f"link '{link.name}'", link.name in self._still
        seen = {shape.name: shape for shape in link.visuals}
        for shape in link.collisions:
            attributes = self.contacts.attributes(link, shape)
            twin = seen.get(shape.name)
            if twin is not None and twin.geometry == shape.geometry and twin.pose == shape.pose:
                geom = self.geoms.put(body, seen.pop(shape.name), owner, attributes, is_still)
            else:
                geom = self.geoms.put(body, shape, owner, {"group": HIDDEN, **attributes}, is_still)
            if geom is not None:
                self._geoms.setdefault(shape.name, geom.get("name", ""))
                self.contacts.geoms.setdefault(link.name, []).append((geom.get("name", ""), shape))
        for shape in seen.values():
            geom = self.geoms.put(body, shape, owner, {"group": SEEN, "contype": "0", "conaffinity": "0"}, is_still)
            if geom is not None:
                self._geoms.setdefault(shape.name, geom.get("name", ""))

    def _frames(self) -> None:
        for frame in self.model.frames:
            site = SubElement(self.bodies[frame.link], "site", name=self.names.claim("site", frame.name))
            put_pose(site, frame.pose)
            self._sites.append(site)

    def _sensors(self, tendons: Element, actuators: Element) -> Element:
        """Return the sensors that an MJCF file had, by the names of this one."""
        sites = {frame.name: site for frame, site in zip(self.model.frames, self._sites, strict=True)}
        axes = {(axis.joint, axis.number): axis.name for axis in self.axes if axis.joint and not axis.follows}
        drives = {each.get("joint"): each.get("name", "") for each in actuators}
        written = Written(sites={site.get("name", ""): site for site in self._sites})
        written.names = {
            "body": {link: body.get("name", WORLD) for link, body in {**self._own, WORLD: Element("")}.items()},
            "site": {name: site.get("name", "") for name, site in sites.items()},
            "geom": self._geoms,
            "joint": {**axes},
            "actuator": {key: drives[name] for key, name in axes.items() if name in drives},
            "tendon": {each.get("name", ""): each.get("name", "") for each in tendons},
        }
        section, losses = write_sensors(self.model.extras, written, self.names)
        self.losses += losses
        return section

    # ---- the initial pose

    def _key(self, root: Element, controls: Iterable[float]) -> None:
        """Write the initial pose, if it differs from MuJoCo's own: all joints at 0, all controls at 0."""
        controls = [*controls]
        moved = any(value for axis in self.axes if axis.kind != "ball" for value in axis.home)
        turned = any(axis.home != (1.0, 0.0, 0.0, 0.0) for axis in self.axes if axis.kind == "ball")
        if not (moved or turned or any(controls) or any(self.velocities)):
            return
        key = SubElement(SubElement(root, "keyframe"), "key", name=HOME, qpos=numbers(self.positions))
        if any(self.velocities):
            key.set("qvel", numbers(self.velocities))
        if any(controls):
            key.set("ctrl", numbers(controls))

    # ---- losses

    def _tell_link(self, link: Link) -> None:
        subject = f"link '{link.name}'"
        if any(link.force) or any(link.torque):
            self.losses.append(f"{subject}: MJCF has no steady forces; what pushes it is left out")
        if link.linear_damping or link.angular_damping:
            self.losses.append(f"{subject}: MJCF has no damping of bodies; it is left out")
        self.losses += [f"{subject}: {line}" for line in foreign_lines(link.extras, "MJCF", FOREIGN)]

    def _tell_rest(self) -> None:
        if any(self.model.wind):
            self.losses.append("the wind is left out: in MJCF it acts by a fluid's density")
        for light in self.model.lights:
            self.losses.append(f"light '{light.name}' is left out")
        for joint in self.model.joints:
            self.losses += [f"joint '{joint.name}': {line}" for line in losses_of_breaking(joint, "MJCF")]
        subject = f"model '{self.model.name}'"
        self.losses += [f"{subject}: {line}" for line in foreign_lines(self.model.extras, "MJCF", FOREIGN)]


def _floats(branch: Branch) -> bool:
    """Return whether the joint of a branch leaves its links free to move, but for forces."""
    chart = branch.joint.kind.chart
    return chart is not None and chart.code == FREE


def _in_body(vector: tuple[float, float, float], pose: Pose) -> tuple[float, float, float]:
    """Return a vector of world axes in the axes of a body, as MuJoCo takes the angular velocity of a free joint."""
    w, x, y, z = pose[3:]
    return quat_rotate((w, -x, -y, -z), vector)
