# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of USD: one stage with geometry and physics, in metres and kilograms, Z up.

Links are flat, so that a simulator may move each by itself. They stand as at the start; what a joint's frames are apart
then is its initial coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from ....characters.skins import Character
from ....files.errors import UnwritableError
from ....geometry import Plane, Shape
from ....joints import Unit
from ....kinematics import tree_poses
from ....model import WORLD, ContactPair, Coupling, Gearbox, Link, Mimic, Model
from ....model.editing.mending import principal_axes
from ....model.graph import Branch, Tree, connected_components
from ....spatial import IDENTITY, IDENTITY_QUAT, Pose, compose, inverse, norm, scale
from ....trajectory.trajectory import Trajectory
from ...files import write_together
from ...findings import NO_LINKS
from ...registry import USD
from ..bodies import RADIAN
from ..library import binary
from .joints import DEGREE, JointWriter
from .motion import TimeSamples, time_metadata
from .shapes import ShapeWriter
from .skeletons import CharacterWriter
from .usda import Prim, stage_text

TEXT = (".usda", ".usd")
"""Suffixes of files that may be text."""

LARGE_FAMILY = 50
"""Number of links above which a family whose links do not collide is written as one group, not pair by pair."""

LEAST_MASS = 1e-6
"""Mass of a body that moves without one [kg]."""

LEAST_MOMENT = 1e-12
"""Principal moment below which an inertia is not written, since 0 means "not given" [kg m^2]."""


def write_usd(
    model: Model, path: Path, motion: Trajectory | None = None, characters: Sequence[Character] = ()
) -> list[str]:
    """Write the model. Return the losses.

    Args:
        motion: poses of links, which become time samples. Their bodies are kinematic then: they follow the motion.
        characters: skins that follow the bones of skeletons, in the frames of the motion. Without a motion, they
            are left out.

    Raises:
        ValueError: if a character does not have as many frames as the motion.
        UnwritableError: if the model has no links, if it cannot be written, or if it is binary and there is no pxr.
    """
    if not model.links:
        raise UnwritableError(path, f"the model {NO_LINKS}")
    suffix = path.suffix.lower()
    if suffix not in TEXT and not USD.is_readable:
        words = f"'{path.suffix}' is binary, which the package usd-core writes (pip install usd-core)"
        raise UnwritableError(path, f"{words}; or name it {path.stem}.usda, which is text")
    writer = _Writer(model, motion)
    root = writer.root()
    writer.add_characters(characters)
    metadata: dict[str, float | str] = {"kilogramsPerUnit": 1.0, "metersPerUnit": 1.0, "upAxis": "Z"}
    if motion is not None:
        metadata |= time_metadata(motion)
    text = stage_text(root, metadata)
    write_together(path, {path.name: text if suffix in TEXT else binary(text, suffix)})
    return [*writer.losses, *writer.shapes.losses, *writer.joints.losses]


class _Writer:
    def __init__(self, model: Model, motion: Trajectory | None):
        self.model = model
        self._motion = TimeSamples(motion) if motion is not None else None
        self.losses: list[str] = []
        self._root = Prim("Xform", model.name)
        self._root.describe("kind", '"component"')
        self.shapes = ShapeWriter(Prim("Scope", "Materials", self._root))
        self._links: dict[str, Prim] = {}
        self._grounds: dict[str, Prim] = {}
        self._parts_of_bodies: set[str] = set()
        self._still = {WORLD}
        self.joints = JointWriter(self._links, Prim("Scope", "Joints", self._root))
        self._fixed = model.fixed_links()
        self._tree = model.tree()

    def root(self) -> Prim:
        """Return the prim that holds everything."""
        model = self.model
        at_home = {joint.name: joint.q_home for joint in model.joints if joint.nq and joint.enabled}
        in_tree = {branch.joint.name for branch in self._tree.branches}
        poses = tree_poses(model, {name: values for name, values in at_home.items() if name in in_tree})
        self._gravity()
        carried = {branch.outer: branch for branch in self._tree.branches}
        for name in [*self._tree.roots, *carried]:
            self._link(model.link(name), poses, carried.get(name))
        for joint in model.joints:
            if joint.name in self._parts_of_bodies:
                continue
            prim = self.joints.write(joint, joint.name not in in_tree)
            if prim and joint.mimic:
                self._mimic(joint.name, joint.mimic)
        for coupling in model.couplings:
            self._couple(coupling)
        self._articulations(self._tree)
        self._filter()
        self._tell_rest()
        self._root.children = [child for child in self._root.children if child.kind != "Scope" or child.children]
        return self._root

    def add_characters(self, characters: Sequence[Character]) -> None:
        """Write skinned characters beside the links, in each frame of the motion."""
        if self._motion is None:
            self.losses += [f"character '{each.skeleton.name}' is left out: skins need a motion" for each in characters]
            return
        writer = CharacterWriter(self._root, self._motion.codes)
        for character in characters:
            writer.write(character)
        self.losses += writer.losses

    def _gravity(self) -> None:
        size = norm(self.model.gravity)
        scene = Prim("PhysicsScene", "Physics", self._root)
        scene.set("vector3f", "physics:gravityDirection", scale(self.model.gravity, 1.0 / size) if size else (0, 0, -1))
        scene.set("float", "physics:gravityMagnitude", size)

    def _link(self, link: Link, poses: Mapping[str, Pose], branch: Branch | None) -> None:
        """Write a link: as a body, or as a part of the body to which it is fixed if it has no mass of its own.

        branch: the joint that carries it; None if it floats.
        """
        pose, subject = poses[link.name], f"link '{link.name}'"
        is_fixed = link.name in self._fixed
        if branch and not link.mass and branch.joint.holds_rigidly:
            self._parts_of_bodies.add(branch.joint.name)
            inner = IDENTITY if branch.inner == WORLD else poses[branch.inner]
            prim = Prim("Xform", link.name, self._links.get(branch.inner, self._root))
            if branch.inner in self._still:
                self._still.add(link.name)
                prim.describe("kind", '"subcomponent"')  # so that readers know which visuals are its own
            prim.place(compose(inverse(inner), pose))
            self.losses.append(f"{subject} has no mass; it is a part of the body to which it is fixed")
        else:
            prim = Prim("Xform", link.name, self._root)
            self._place(prim, link, pose)
            prim.apply("PhysicsRigidBodyAPI", "PhysicsMassAPI")
            self._mass(prim, link)
        self._links[link.name] = prim
        if any(link.velocity) or any(link.angular_velocity):  # in the axes of the prim above, which are the world's
            prim.set("vector3f", "physics:velocity", link.velocity)
            prim.set("vector3f", "physics:angularVelocity", scale(link.angular_velocity, DEGREE))
        for shape in link.visuals:
            self.shapes.visual(prim, shape, subject)
        for shape in link.collisions:
            if holder := self._holder(prim, link, shape, pose, is_fixed):
                self.shapes.collision(holder, shape, subject, is_fixed)
        if link.linear_damping or link.angular_damping:
            self.losses.append(f"{subject}: USD has no damping of bodies; it is left out")
        if any(link.force) or any(link.torque):
            self.losses.append(f"{subject}: USD has no forces on bodies; left out")
        if not link.gravity:
            self.losses.append(f"{subject}: USD cannot switch gravity off for a body; it acts there")

    def _holder(self, prim: Prim, link: Link, shape: Shape, pose: Pose, is_fixed: bool) -> Prim | None:
        """Return the prim for a collision of a link; None if it is left out: a plane is no part of a body in USD.

        prim: that of the link. is_fixed: whether the link is fixed to the world.
        """
        is_body = "PhysicsRigidBodyAPI" in prim.schemas
        if not isinstance(shape.geometry, Plane) or not is_body or self._motion is not None:
            return prim
        if not is_fixed:
            self.losses.append(
                f"link '{link.name}': '{shape.name}' is left out: planes of USD are on no body that moves"
            )
            return None
        if link.name not in self._grounds:
            ground = self._grounds[link.name] = Prim("Xform", f"{link.name}_ground", self._root)
            ground.describe("kind", '"subcomponent"')
            ground.place(pose)
        return self._grounds[link.name]

    def _place(self, prim: Prim, link: Link, pose: Pose) -> None:
        """Place a link, in each frame of the motion if there is one."""
        if self._motion is None:
            prim.place(pose)
        elif link.name in self._motion.poses:
            self._motion.animate(prim, link.name)
            prim.set("bool", "physics:kinematicEnabled", True)
        else:
            prim.place(pose)
            self.losses.append(f"link '{link.name}' is not in the motion; it stands still")

    def _mass(self, prim: Prim, link: Link) -> None:
        if not link.mass:
            words = f"it is written with {LEAST_MASS:g} kg, since 0 means that the mass is not given"
            self.losses.append(f"link '{link.name}' moves without mass; {words}")
            prim.set("float", "physics:mass", LEAST_MASS)
            prim.set("float3", "physics:diagonalInertia", (LEAST_MOMENT, LEAST_MOMENT, LEAST_MOMENT))
            prim.set("quatf", "physics:principalAxes", IDENTITY_QUAT)
            return
        prim.set("float", "physics:mass", link.mass)
        prim.set("point3f", "physics:centerOfMass", link.com)
        moments, axes = principal_axes(link.inertia)
        if min(moments) >= LEAST_MOMENT:
            prim.set("float3", "physics:diagonalInertia", tuple(moments))
            prim.set("quatf", "physics:principalAxes", axes)
        else:
            self.losses.append(f"link '{link.name}': an inertia of {min(moments):g} kg m^2 is left out, as not given")

    # ---- what joins

    def _mimic(self, name: str, mimic: Mimic) -> None:
        prim, leader = self.joints.written[name], self.joints.written.get(mimic.leader)
        joint, other = self.model.joint(name), self.model.joint(mimic.leader)
        if leader is None or mimic.axis or mimic.leader_axis or joint.nq != 1 or other.nq != 1:
            self.losses.append(f"joint '{name}': USD's joints follow by one axis of another; it moves by itself")
            return
        units = [RADIAN if each.axis_unit(0) is Unit.ANGLE else 1.0 for each in (joint, other)]
        prim.apply("NewtonMimicAPI")
        prim.relate("newton:mimicJoint", leader)
        offset = mimic.offset - mimic.multiplier * mimic.reference
        prim.set("float", "newton:mimicCoef0", offset / units[0])
        prim.set("float", "newton:mimicCoef1", mimic.multiplier * units[1] / units[0])
        self.losses.append(f"joint '{name}' follows by NewtonMimicAPI, which not all simulators read")

    def _couple(self, coupling: Coupling | Gearbox) -> None:
        self.losses.append(f"coupling '{coupling.name}': USD has no couplings of several joints; left out")

    def _articulations(self, tree: Tree) -> None:
        """Make each tree of joints an articulation: at its floating root, or at the joint that holds it."""
        carried = {branch.inner for branch in tree.branches}
        for root in tree.roots:
            if root in carried:
                self._links[root].apply("PhysicsArticulationRootAPI")
        for branch in tree.branches:
            if branch.inner in self._still and branch.joint.name in self.joints.written:
                self.joints.written[branch.joint.name].apply("PhysicsArticulationRootAPI")

    # ---- what collides

    def _filter(self) -> None:
        """Write which links do not collide. In USD all do, but those that a joint connects."""
        model = self.model
        joined = connected_components([link.name for link in model.links], model.joints)
        families: dict[str, list[Link]] = {}
        for link in model.links:
            if link.collisions:
                families.setdefault(link.family or joined[link.name], []).append(link)
        direct = {frozenset((joint.parent, joint.child)) for joint in model.joints}
        chosen = {frozenset((pair.a, pair.b)): pair for pair in model.contact_pairs}
        apart = [ends for ends, pair in chosen.items() if not pair.meets]
        named = {name for ends in chosen for name in ends}
        for name, links in families.items():
            is_quiet = not any(link.self_collide for link in links)
            if len(links) > LARGE_FAMILY and is_quiet and not named & {link.name for link in links}:
                self._put_group(name, links)
                continue
            for a, b in combinations(links, 2):
                ends = frozenset((a.name, b.name))
                if not (a.self_collide or b.self_collide or ends in direct or ends in chosen):
                    apart.append(ends)
        self._put_pairs(apart)
        self._put_grounds([*apart, *(direct - {ends for ends, pair in chosen.items() if pair.meets})])
        self._put_meeting([pair for pair in chosen.values() if pair.meets])
        self._put_layers()

    def _put_layers(self) -> None:
        """Write layers as groups: one for the colliders of the same layers, unless these collide with all others."""
        kinds: dict[tuple[int, int], list[tuple[Shape, Prim]]] = {}
        for shape, prim in self.shapes.collisions:
            kinds.setdefault((shape.layers, shape.meets), []).append((shape, prim))
        members = [*kinds.values()]
        apart = [[not some[0][0].may_meet(others[0][0]) for others in members] for some in members]
        groups = [Prim("PhysicsCollisionGroup", "layer", self._root) if any(row) else None for row in apart]
        for group, row, some in zip(groups, apart, members, strict=True):
            if group:
                group.relate("collection:colliders:includes", *(prim for _, prim in some))
                others = (other for other, is_apart in zip(groups, row, strict=True) if other and is_apart)
                group.relate("physics:filteredGroups", *others)

    def _put_group(self, name: str, links: list[Link]) -> None:
        """Write a family whose links do not collide as a group that does not collide with itself."""
        group = Prim("PhysicsCollisionGroup", f"{name}_family", self._root)
        group.relate("collection:colliders:includes", *(self._links[link.name] for link in links))
        group.relate("physics:filteredGroups", group)

    def _put_pairs(self, apart: list[frozenset[str]]) -> None:
        others: dict[str, list[Prim]] = {}
        for ends in apart:
            a, b = sorted(ends)
            others.setdefault(a, []).append(self._links[b])
        for name, prims in others.items():
            self._links[name].apply("PhysicsFilteredPairsAPI")
            self._links[name].relate("physics:filteredPairs", *prims)

    def _put_grounds(self, apart: list[frozenset[str]]) -> None:
        """Let planes, which lie beside the bodies of their links, collide with what these links may collide with."""
        for name, ground in self._grounds.items():
            others = sorted({other for ends in apart if name in ends for other in ends - {name, WORLD}})
            if others:
                ground.apply("PhysicsFilteredPairsAPI")
                ground.relate("physics:filteredPairs", *(self._links[other] for other in others))

    def _put_meeting(self, pairs: list[ContactPair]) -> None:
        ends = {frozenset((joint.parent, joint.child)): joint.name for joint in self.model.joints}
        for pair in pairs:
            name = ends.get(frozenset((pair.a, pair.b)))
            if name in self.joints.written:
                self.joints.written[name].set("bool", "physics:collisionEnabled", True)

    def _tell_rest(self) -> None:
        if any(self.model.wind):
            self.losses.append("USD has no wind; it is left out")
        for light in self.model.lights:
            self.losses.append(f"light '{light.name}' is left out")
        if self.model.frames:
            self.losses.append(f"{len(self.model.frames)} named frames are left out")
