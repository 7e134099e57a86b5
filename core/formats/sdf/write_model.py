# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of one <model> in SDF: poses of links in the model, of joints in their child, axes in their joint.

Every simulator reads this subset alike: no relative_to, no expressed_in, no merged or included models.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from xml.etree.ElementTree import Element, SubElement

from ...extras import Extra
from ...joints import Column
from ...model import WORLD, Axis, ContactPair, Gearbox, Joint, Light, Link, Mimic, Model
from ...model.editing.placing import is_drawn_apart
from ...spatial import IDENTITY, Pose, compose, inverse
from ..breaking import losses_of_breaking
from ..drake.elements import GROUP, ROTOR_INERTIA, SPRING
from ..drake.output import (
    IN_DRAKE,
    drake_offset,
    is_drake_spring,
    put_between,
    put_mimic,
    put_pair,
    put_rotor,
    put_text,
)
from ..mesh_output.meshes import MeshFiles
from ..xml.kept import foreign_lines, put_back
from ..xml.output import number, numbers, put, put_pose
from .families import family_losses
from .frames import SEPARATOR
from .gather import ORIGINAL_NAME
from .joint import axis_tag
from .layout import UNSPEAKABLE, Layout, Place, Scope, lay_out, legal_name
from .light import NUMBERS
from .write_shape import ShapeWriter

CROSS_REFERENCES_SINCE = (1, 8)
"""Version from which on references may lead into nested models."""

RIGHT_HANDED_PITCH_SINCE = (1, 10)
"""Version from which on there is <screw_thread_pitch>."""

MIMIC_SINCE = (1, 11)
"""Version from which on there are mimics."""

JOINT_STATE_SINCE = (1, 12)
"""Version from which on a model may define initial positions."""

NO_PITCH = 1e16
"""<thread_pitch> of a screw of pitch 0 [rad/m], which old versions cannot express."""
DYNAMICS = ("damping", "friction", "spring_reference", "spring_stiffness")
"""Fields of an `Axis` in <dynamics>."""

STOPS = ("stiffness", "dissipation")
"""Fields of an `Axis` in <limit> that describe its stops."""


class ModelWriter:
    """Writes a model into an element. `losses` collects lines about what this version of SDF cannot express."""

    def __init__(self, model: Model, version: tuple[int, ...], meshes: MeshFiles, losses: list[str]):
        self.model = model
        self.version = version
        self.losses = losses
        self.shapes = ShapeWriter(meshes, version, losses)
        self.layout: Layout = lay_out(model, nested=version >= CROSS_REFERENCES_SINCE)
        self.losses += self.layout.changes
        self.links = {link.name: link for link in model.links}
        self.written = {joint.name for joint in model.joints if joint.enabled and joint.kind.sdf is not None}
        self.inside: dict[Scope, Element] = {}

    def write(self, parent: Element, static: bool = False) -> Element:
        """Write the model into `parent`. Return its element.

        static: whether no link moves. The joints that fix links to the world are then left out.
        """
        element = self.inside[()] = SubElement(parent, "model")
        if static:
            put(element, "static", "true")
        for link in self.model.links:
            self._link(link)
        for joint in () if static else self.model.joints:
            self._joint(joint)
        for coupling in self.model.couplings:
            if isinstance(coupling, Gearbox):
                self._gearbox(coupling)
            else:
                self.losses.append(f"coupling '{coupling.name}' is left out: SDF has none between joints but mimic")
        for frame in (frame for frame in self.model.frames if frame.link != WORLD):  # <world> has the others
            place = self.layout.frames[frame.name]
            at = self._add("frame", place, attached_to=self.layout.links[frame.link].seen_from(place.scope))
            put_pose(at, frame.pose)
        for pair in self.model.contact_pairs:
            self._pair(pair)
        if self.version >= JOINT_STATE_SINCE:
            self._states()
        self._extras()
        self.losses += family_losses(self.model, {name: place.scope for name, place in self.layout.links.items()})
        return element

    def _add(self, tag: str, place: Place, **attributes: str) -> Element:
        element = SubElement(self._model(place.scope), tag, {"name": place.name, **attributes})
        if place.original:
            element.set(ORIGINAL_NAME, place.original)
        return element

    def _model(self, scope: Scope) -> Element:
        if scope not in self.inside:
            self.inside[scope] = SubElement(self._model(scope[:-1]), "model", name=scope[-1])
        return self.inside[scope]

    # ---- links

    def _link(self, link: Link) -> None:
        place = self.layout.links[link.name]
        element = self._add("link", place)
        put_pose(element, link.pose)
        inertial = SubElement(element, "inertial")
        put_pose(inertial, (*link.com, *IDENTITY[3:]), exact=True)
        put(inertial, "mass", number(link.mass))
        inertia = SubElement(inertial, "inertia")
        for tag, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia, strict=True):
            put(inertia, tag, number(value))
        if not link.gravity:
            put(element, "gravity", "false")
        if link.self_collide:
            put(element, "self_collide", "true")
        if any(link.force) or any(link.torque):
            self.losses.append(f"link '{link.name}': SDF has no steady forces; what pushes it is left out")
        if any(link.velocity) or any(link.angular_velocity):
            self.losses.append(f"link '{link.name}': SDF has no initial velocity of links; it is left out")
        decays = {"linear": link.linear_damping, "angular": link.angular_damping}
        if any(decays.values()):
            holder = SubElement(element, "velocity_decay")
            for tag, value in decays.items():
                put(holder, tag, number(value))
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            self.shapes.write(element, link.name, "_".join((*place.scope, place.name)), tag, shapes)
        for light in self.model.lights:
            if light.link == link.name:
                write_light(element, light, light.name.removeprefix(f"{link.name}{SEPARATOR}"))
        self._put_back(element, f"link '{link.name}'", link.extras)

    # ---- joints

    def _joint(self, joint: Joint) -> None:
        subject = f"joint '{joint.name}'"
        if not joint.enabled:
            self.losses.append(f"{subject} is switched off; left out, since SDF cannot say so")
            return
        if is_drake_spring(joint):
            ends = (self.layout.links[joint.parent].seen_from(()), self.layout.links[joint.child].seen_from(()))
            put_between(self._model(()), joint, ends, (joint.X_PJ[:3], joint.X_CJ[:3]), put_text)
            self.losses.append(f"{subject} is said in <{SPRING}>, {IN_DRAKE}")
            return
        if joint.kind.sdf is None and joint.parent == WORLD and joint.has_no_effect:
            return  # in SDF, a link without a joint is free
        if joint.kind.sdf is None:
            self.losses.append(f"{subject}: SDF has no {joint.type} joint; left out, so its child moves freely")
            return
        locked = {column.axis: at for column, at in self._locked(joint)}
        kind = "revolute" if locked and joint.kind.sdf == "continuous" else joint.kind.sdf
        element = self._ends(self.layout.joints[joint.name], kind, joint.parent, joint.child, joint.X_CJ)
        if joint.kind.threaded:
            self._pitch(element, joint.pitch, subject)
        for i, axis in enumerate(joint.axes[: len(joint.all_columns)]):
            if i in locked:
                self.losses.append(f"{subject}, axis {i + 1}: SDF has no locks; limits without room are written")
                axis = replace(axis, lower=locked[i], upper=locked[i])
            if axis.armature and len(joint.all_columns) == 1:
                put_rotor(element, axis.armature, put_text)
                self.losses.append(f"{subject}: its armature is said in <{ROTOR_INERTIA}>, {IN_DRAKE}")
                axis = replace(axis, armature=0.0)
            self._axis(element, axis_tag(i), axis, f"{subject}, axis {i + 1}")
        if joint.closes_loop:
            put(SubElement(SubElement(element, "physics"), "simbody"), "must_be_loop_joint", "true")
        if joint.mimic:
            self._mimic(element, joint, joint.mimic, subject)
        self._put_back(element, subject, joint.extras)
        self._tell_joint_losses(joint, subject)

    def _ends(self, place: Place, kind: str, parent: str, child: str, X_CJ: Pose) -> Element:
        element = self._add("joint", place, type=kind)
        put(element, "parent", self.layout.links[parent].seen_from(place.scope))
        put(element, "child", self.layout.links[child].seen_from(place.scope))
        put_pose(element, X_CJ)
        return element

    def _gearbox(self, gearbox: Gearbox) -> None:
        """Write a gearbox. Its axes are in its own frame, which has the orientation of the reference link."""
        place = self.layout.couplings[gearbox.name]
        element = self._ends(place, "gearbox", gearbox.parent, gearbox.child, IDENTITY)
        put(element, "gearbox_ratio", number(gearbox.ratio))
        put(element, "gearbox_reference_body", self.layout.links[gearbox.reference].seen_from(place.scope))
        X_CR = compose(inverse(self._pose(gearbox.child)), self._pose(gearbox.reference))
        put_pose(element, (*gearbox.X_CJ[:3], *X_CR[3:]))
        for tag, xyz in (("axis", gearbox.axis), ("axis2", gearbox.axis2)):
            self._axis(element, tag, Axis(xyz=xyz), "")
        self._put_back(element, f"gearbox '{gearbox.name}'", gearbox.extras)

    def _axis(self, parent: Element, tag: str, axis: Axis, subject: str) -> None:
        element = SubElement(parent, tag)
        put(element, "xyz", numbers(axis.xyz))
        default = Axis()
        finite = [name for name in ("lower", "upper", "effort", "velocity") if math.isfinite(getattr(axis, name))]
        stops = [name for name in STOPS if getattr(axis, name) != getattr(default, name)]
        dynamics = [name for name in DYNAMICS if getattr(axis, name) != getattr(default, name)]
        for group, names in (("limit", finite + stops), ("dynamics", dynamics)):
            if names or group == "limit":  # the specification requires <limit>, even if it is empty
                holder = SubElement(element, group)
                for name in names:
                    put(holder, name, number(getattr(axis, name)))
        for name in ("armature", "restitution"):
            if getattr(axis, name):
                self.losses.append(f"{subject}: SDF has no {name}; {getattr(axis, name):g} is left out")
        if axis.drive_mode != "off":
            self.losses.append(f"{subject}: SDF has no drives; its {axis.drive_mode} drive is left out")

    def _pitch(self, element: Element, pitch: float, subject: str) -> None:
        if self.version >= RIGHT_HANDED_PITCH_SINCE:
            put(element, "screw_thread_pitch", number(pitch))
            return
        if pitch == 0.0:
            self.losses.append(f"{subject}: SDF before 1.10 has no screw of pitch 0; a tiny one is written")
        put(element, "thread_pitch", number(-math.tau / pitch if pitch else NO_PITCH))

    def _mimic(self, element: Element, joint: Joint, mimic: Mimic, subject: str) -> None:
        axis = element.find(axis_tag(mimic.axis))
        if axis is None or self.version < MIMIC_SINCE:
            self.losses.append(f"{subject}: mimic of '{mimic.leader}' is left out; write SDF 1.11 or later to keep it")
            return
        if mimic.leader not in self.written:
            self.losses.append(f"{subject}: mimic of '{mimic.leader}' is left out, as that joint is")
            return
        leader = self.layout.joints[mimic.leader].seen_from(self.layout.joints[joint.name].scope)
        holder = SubElement(axis, "mimic", joint=leader)
        if mimic.leader_axis:
            holder.set("axis", axis_tag(mimic.leader_axis))
        for tag in ("multiplier", "offset", "reference"):
            put(holder, tag, number(getattr(mimic, tag)))
        if self._is_drake_mimic(joint, mimic):
            put_mimic(element, leader, mimic)

    def _is_drake_mimic(self, joint: Joint, mimic: Mimic) -> bool:
        """Return whether Drake, which does not read SDF's <mimic>, can read its own beside it.

        Both joints need one axis and the same <model>; for another leader, Drake refuses the file. The reference must
        fit into the offset.
        """
        scopes = {self.layout.joints[name].scope for name in (joint.name, mimic.leader)}
        leader = self.model.joint(mimic.leader)
        is_alike = len(scopes) == 1 and len(joint.all_columns) == len(leader.all_columns) == 1
        return is_alike and math.isfinite(drake_offset(mimic))

    def _tell_joint_losses(self, joint: Joint, subject: str) -> None:
        if joint.home != default_home(joint) and (self.version < JOINT_STATE_SINCE or not joint.all_columns):
            home = " ".join(f"{value:g}" for value in joint.home)
            self.losses.append(f"{subject}: SDF before 1.12 has no start; home {home} is left out: write the home pose")
        self.losses += [f"{subject}: {line}" for line in losses_of_breaking(joint, "SDF")]
        if any(axis != Axis(xyz=axis.xyz) for axis in joint.axes[len(joint.all_columns) :]):
            self.losses.append(f"{subject}: SDF has no axes on a {joint.type} joint; limits and forces are left out")
        if is_drawn_apart(joint, self._pose(joint.parent), self._pose(joint.child)):
            self.losses.append(f"{subject}: its two frames differ in the pose as drawn; the child's is written")

    def _locked(self, joint: Joint) -> list[tuple[Column, float]]:
        """Return (column, home) of each locked column."""
        pairs = zip(joint.all_columns, joint.home, strict=False)
        return [(column, at) for column, at in pairs if joint.is_locked(column.axis)]

    def _pose(self, link: str) -> Pose:
        return self.links[link].pose if link in self.links else IDENTITY

    # ---- contact pairs, initial positions and kept elements

    def _pair(self, pair: ContactPair) -> None:
        if pair.meets:
            self.losses.append(f"links '{pair.a}' and '{pair.b}' meet by a contact pair, which SDF has not; left out")
            return
        names = (self.layout.links[pair.a].seen_from(()), self.layout.links[pair.b].seen_from(()))
        put_pair(self._model(()), names, put_text)
        self.losses.append(f"links '{pair.a}' and '{pair.b}' do not meet, which is said in <{GROUP}>, {IN_DRAKE}")

    def _states(self) -> None:
        """Write the initial positions of joints that do not start at their neutral pose."""
        moved = [joint for joint in self.model.joints if joint.name in self.written]
        moved = [joint for joint in moved if joint.all_columns and joint.home != joint.neutral]
        for joint in moved:
            place = self.layout.joints[joint.name]
            model = self._model(place.scope)
            known = model.find("model_state")
            if known is None:  # Drake requires a name that no sibling has
                name = place.scope[-1] if place.scope else self.model.name
                taken = {str(beside.get("name")) for beside in model}
                state = SubElement(model, "model_state", name=legal_name(name, "state", taken))
            else:
                state = known
            entry = SubElement(state, "joint_state", name=place.name)
            for column, value in zip(joint.all_columns, joint.home, strict=True):
                put(SubElement(entry, f"{axis_tag(column.axis)}_state"), "position", number(value))

    def _extras(self) -> None:
        for extra in self.model.extras:
            scope = self.layout.scopes.get(tuple(extra.scope.split(SEPARATOR)) if extra.scope else ())
            owner = f"model '{extra.scope or self.model.name}'"
            if not extra.is_of_world:
                self._put_back(self._model(scope or ()), owner, (extra,))

    def _put_back(self, element: Element, owner: str, extras: Iterable[Extra]) -> None:
        for extra in extras:
            if extra.format == "SDF":
                put_back(element, extra)
        words = "means nothing in SDF, and is left out"
        self.losses += [f"{owner}: {line}" for line in foreign_lines(extras, "SDF", words)]


def default_home(joint: Joint) -> tuple[float, ...]:
    """Return the home of a joint for which none is given."""
    return Joint("", joint.type, "", "", axes=joint.axes).home


def write_light(parent: Element, light: Light, name: str) -> None:
    """Write a light into `parent`.

    name: its name there, which is changed if SDF does not allow it.
    """
    taken = {str(beside.get("name")) for beside in parent}
    element = SubElement(parent, "light", name=legal_name(name, "light", taken), type=light.kind)
    if element.attrib["name"] != name and not UNSPEAKABLE.search(name):
        element.set(ORIGINAL_NAME, name)
    put_pose(element, light.pose)
    put(element, "cast_shadows", "true" if light.cast_shadows else "false")
    for tag in ("diffuse", "specular", "direction"):
        put(element, tag, numbers(getattr(light, tag)))
    for tag, place in NUMBERS.items():
        if place == ("spot",) and light.kind != "spot":
            continue
        holder = element
        for outer in place:
            found = holder.find(outer)
            holder = SubElement(holder, outer) if found is None else found
        put(holder, tag, number(getattr(light, tag)))
