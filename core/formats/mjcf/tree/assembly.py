# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints of a model, from the tree of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from ....files.xml import Element
from ....model import WORLD, Frame, Joint, Link, Model
from ....model.naming import STATIC, TakenNames, claim
from ....spatial import IDENTITY, ZERO_SYM, Pose, compose, scale
from ...findings import Findings, Places
from ..settings import SWITCHES, word
from .bodies import Body, BodyTree, Part, part_pose
from .geoms import Geom, GeomReader, collision_of, segment
from .inertials import read_inertial, scale_to_total
from .joints import JointPlace, Start, read_joints

SCENERY = "worldbody"
"""Name of the link with the geoms of the world."""


@dataclass(eq=False)
class Assembled:
    """Joints, links and shapes that the later sections of a file refer to by names.

    Attributes:
        places: where each joint of the file is, in MuJoCo's order.
        joints: the same by names; a joint that has none has the name of ours.
        links: the link of each body, by the body's name.
        geoms: (link, geom) by the geom's name. sites: the frame of each site.
        all_geoms: all geoms, by links.
        parents: the link of the parent of each body's link, unless that is the world.
        drawn: X_WL of each body as drawn, with each joint at its ref [m].
        floating: links that no joint holds.
    """

    places: list[JointPlace] = field(default_factory=list)
    joints: dict[str, JointPlace] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)
    geoms: dict[str, tuple[str, Geom]] = field(default_factory=dict)
    sites: dict[str, Frame] = field(default_factory=dict)
    all_geoms: dict[str, list[Geom]] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)
    drawn: dict[str, Pose] = field(default_factory=lambda: {WORLD: IDENTITY})
    floating: set[str] = field(default_factory=set)


class Assembler:
    """Makes links, joints and frames of bodies.

    Attributes:
        assembled: what it has made, for the rest of the file.
    """

    def __init__(self, model: Model, places: Places, findings: Findings, start: Start | None = None):
        """Set up a model that is filled.

        start: coordinates of joints at the start, if they differ from those as drawn; of a free joint, its pose.
        """
        self.model, self.places, self.findings = model, places, findings
        self.start: Start = start or {}
        self.geoms = GeomReader(findings)
        self.assembled = Assembled(links={WORLD: WORLD})
        self._joint_names = TakenNames()
        self._poses: dict[str, Pose] = {WORLD: IDENTITY}

    def add(self, tree: BodyTree) -> None:
        """Add the bodies of a tree to the model."""
        self._world(tree.world)
        for body in tree.world.walk():
            if body.parent is not None:
                self._body(body, body.parent)
        settings = tree.world.around.file.settings
        if settings.total_mass is not None:
            scale_to_total([link for link in self.model.links if link.name != SCENERY], settings.total_mass)

    def _world(self, world: Body) -> None:
        self._sites(world, WORLD)
        if world.all("geom"):
            taken = {body.name for body in world.walk()}
            link = Link(claim(SCENERY, taken), mass=0.0, inertia=ZERO_SYM)
            self._add_link(link, world.all("geom")[0].element)
            self._shapes(world, link)
            self._hold(link.name, f"{link.name}{STATIC}", WORLD, IDENTITY, world.all("geom")[0].element)

    def _body(self, body: Body, parent: Body) -> None:
        link = Link(body.name, mass=0.0, inertia=ZERO_SYM)
        self.assembled.links[body.name] = link.name
        if parent.name != WORLD:
            self.assembled.parents[link.name] = parent.name
        moved = read_joints(body, link.name, parent.name, self.start, self.findings)
        X_WP = self._poses[parent.name]
        self.assembled.drawn[body.name] = compose(self.assembled.drawn[parent.name], body.pose)
        link.pose = compose(X_WP, moved.pose)
        if body.all("joint") and not moved.joints:
            self.assembled.floating.add(link.name)
            link.pose = cast(Pose, self.start.get(body.all("joint")[0], link.pose))
        self._poses[body.name] = link.pose
        for between in moved.links:
            between.pose = compose(X_WP, between.pose)
            self._add_link(between, body.element)
        self._add_link(link, body.element)
        geoms = self._shapes(body, link)
        self._sites(body, link.name)
        read_inertial(body, geoms, link, self.geoms, self.findings)
        self._gravity(body, link)
        renamed = {joint.name: self._joint_names.claim(joint.name) for joint in moved.joints}
        for joint in moved.joints:
            joint.name = renamed[joint.name]
            self._add_joint(joint, body.element)
        for name, given in moved.places:
            place = replace(given, joint=renamed.get(given.joint, ""))
            if name and name in self.assembled.joints:
                message = f"another joint is named '{name}' too; give each its own name"
                self.findings.error(body.element, "repeated-name", message, f"joint '{name}'")
            self.assembled.joints[name or place.joint] = place
            self.assembled.places.append(place)
        if not body.all("joint"):
            suffix = STATIC if parent.name == WORLD else "_fixed"
            self._hold(link.name, f"{link.name}{suffix}", parent.name, body.pose, body.element)
        if word(body.element, "mocap", SWITCHES, False, self.findings):
            message = "a mocap body is held where it is drawn"
            self.findings.note(f"{message} (first in {body.element.subject}, line {body.element.line})", once="mocap")

    def _hold(self, link: str, asked: str, parent: str, pose: Pose, at: Element) -> None:
        self._add_joint(Joint(self._joint_names.claim(asked), "fixed", parent, link, pose), at)

    def _add_link(self, link: Link, at: Element) -> None:
        self.model.links.append(link)
        self.places["link", link.name] = at

    def _add_joint(self, joint: Joint, at: Element) -> None:
        self.model.joints.append(joint)
        self.places["joint", joint.name] = at

    def _gravity(self, body: Body, link: Link) -> None:
        """Set the force by which `gravcomp` carries a part of a body's weight, or switch its gravity off."""
        share = self.findings.attribute(body.element, "gravcomp", 0.0)
        if share == 1.0:
            link.gravity = False
        elif share:
            link.force = scale(self.model.gravity, -share * link.mass)

    def _shapes(self, body: Body, link: Link) -> list[Geom]:
        taken = TakenNames()
        geoms = [self.geoms.read(part, taken, number) for number, part in enumerate(body.all("geom"), 1)]
        for geom in geoms:
            if geom.part.name:
                self._require_new(geom.part, self.assembled.geoms)
                self.assembled.geoms[geom.part.name] = (link.name, geom)
            if geom.shape.geometry is None:
                continue
            if geom.is_seen:
                link.visuals.append(geom.shape)
            if geom.collides and body.around.file.settings.contacts:
                link.collisions.append(collision_of(geom))
        link.self_collide = bool(link.collisions)
        self.assembled.all_geoms[link.name] = geoms
        return geoms

    def _sites(self, body: Body, link: str) -> None:
        for part in body.all("site"):
            if part.name:
                self._require_new(part, self.assembled.sites)
                frame = Frame(part.name, link, self._site_pose(part))
                self.assembled.sites[part.name] = frame
                self.model.frames.append(frame)

    def _site_pose(self, part: Part) -> Pose:
        if "fromto" in part.element.attributes:
            return segment(part, self.findings)[0]
        return part_pose(part, self.findings)

    def _require_new(self, part: Part, known: Mapping[str, object]) -> None:
        if part.name in known:
            message = f"another {part.element.tag} is named '{part.name}' too; give each its own name"
            self.findings.error(part.element, "repeated-name", message)
