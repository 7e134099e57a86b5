# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose a model in the viewport: set a coordinate or pull a link, and move the other links accordingly."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import bpy
from mathutils import Quaternion

from ....core.kinematics import Poser, Reach, Target, tree_poses
from ....core.model import WORLD, Joint, Model, ModelError
from ....core.spatial import Pose, Quat, compose, inverse, norm, quat_mul, rotvec_of_quat
from ...kernel_compilation import compile_posing
from ...nodes import evaluated, model_name, world_matrix
from ...nodes.naming import node_named
from ...props import is_joint, is_kinematic
from ...props.members import joints_in, links_in
from ...props.settings import joint_settings, link_settings
from ..animation.motion_sources import is_previewed, obstacle_to_moving
from ..links.mass import MassProperties
from ..scene.read import Fault, SceneReading, scan_scene
from ..values.numbers import unit_length
from .joint_limits import clamped, limited
from .pins import locked_joints, pin_targets
from .present_poses import Evaluator, as_original, move_links, poses_now

MOVED = 1e-9
"""Distance [m] or angle [rad] below which a link has not moved; its object is not changed then."""


class Posing:
    """A pose of a scene's links that is being changed.

    Attributes:
        reading: of the scene. model: the part of it that is enabled when a simulation begins. objects: of its links, by
            name.
        unit: length of a Blender unit [m].
        locked: names of the joints that are locked for posing.

    Args:
        depsgraph: evaluates the present poses of the links; None for the window's own.
        is_by_hand: whether pins and locks count. They do not count during playback.

    Raises:
        ModelError: if the scene cannot be read.
    """

    def __init__(self, scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None, is_by_hand: bool = True):
        if is_by_hand and any(map(is_previewed, links_in(scene))):
            raise ModelError("a preview moves the links: stop it, or keep its pose, to pose them by hand")
        if is_by_hand and not bpy.app.background:
            compile_posing()
        faults: list[Fault] = []
        self.reading = reading = scan_scene(
            scene, depsgraph, weigh=_arbitrary_mass, collide=_no_collisions, faults=faults
        )
        self._faults = {fault.name: fault.message for fault in faults}
        self.model: Model = _without_fixtures(reading, scene).acting_at(0.0)
        self.unit = unit_length(scene)
        self.objects = reading.objects
        self._present_poses = poses_now(reading.objects, self.unit, evaluator_of(depsgraph))
        joints = {joint.name for joint in self.model.joints}
        self._joints = [obj for obj in joints_in(scene) if model_name(obj) in joints]
        self.locked = locked_joints(self._joints if is_by_hand else ())
        links = {link.name: self.objects[link.name] for link in self.model.links} if is_by_hand else {}
        self._pins = pin_targets(links, self._present_poses)
        self._components = components_of(self.model)
        self._pins_and_locks = self._current_pins_and_locks()
        self._restart_from(self._present_poses)
        self._store_matrices()

    def _current_pins_and_locks(self) -> list[tuple]:
        """Return names, pins and locks, which scripts may change between two readings of the scene."""
        links = [(model_name(obj), link_settings(obj).pin) for obj in self.objects.values()]
        return links + [(model_name(obj), joint_settings(obj).is_held) for obj in self._joints]

    def _restart_from(self, X_WL: Mapping[str, Pose]) -> None:
        """Start again from given poses. Links that move because loops are closed do not count as moved by the user."""
        self._poser = Poser(self.model, X_WL, self._pins, self.locked)
        self._poser.close()
        self._solved_poses, self._moved_components = self._poser.poses(), set[str]()

    def pose_of(self, link: str) -> Pose:
        """Return the present pose X_WL of a link [m].

        Raises:
            ModelError: if the link cannot be used.
        """
        if link in self._faults:
            raise ModelError(self._faults[link])
        if link not in self._present_poses:
            raise ModelError(f"there is no link '{link}' in this scene: name one of its links")
        return self._present_poses[link]

    def pull(self, targets: Sequence[Target], moves_base: bool = False) -> Reach:
        """Move links towards their targets as far as joints, limits and pins allow, and return what was reached.

        Args:
            moves_base: whether floating components may move as a whole.

        Raises:
            ModelError: if something holds a link that would move.
        """
        reach = self._poser.pull(targets, moves_base)
        self._move_links()
        return reach

    def has_links_in_place(self) -> bool:
        """Return whether every link is still at the pose that this object gave it."""
        return self.keeps_transforms() and all(
            (world_matrix(self.objects[name]) == at).all() for name, at in self._worlds.items()
        )

    def keeps_transforms(self, external_links: Container[str] = ()) -> bool:
        """Return whether the own transforms of all links are unchanged, except those of `external_links`."""
        try:
            return self._current_pins_and_locks() == self._pins_and_locks and all(
                name in external_links or self.objects[name].matrix_basis == at for name, at in self._bases.items()
            )
        except ReferenceError:  # a link or joint was deleted
            return False

    @property
    def movable_joints(self) -> list[str]:
        """Names of the joints that have coordinates."""
        return [joint.name for joint in self.model.joints if joint.nq and joint.name not in self._faults]

    @property
    def links_moved_by_joints(self) -> list[str]:
        """Names of the links that joints move, parents first."""
        found: list[str] = []
        for branch in self.model.tree().branches:
            if branch.joint.nq or branch.inner in found:
                found.append(branch.outer)
        return found

    def q_of(self, joint: str) -> tuple[float, ...]:
        """Return all coordinates of a joint [rad, m, or a quaternion w x y z].

        Raises:
            ModelError: as in `enabled_joint`.
        """
        self.enabled_joint(joint)
        return self._poser.q_of(joint)

    def coordinate(self, joint: str, q_index: int) -> float:
        """Return coordinate number `q_index` of a joint [rad or m].

        Raises:
            ModelError: if there is none, or as in `enabled_joint`.
        """
        self.enabled_joint(joint)
        return self._poser.value(joint, q_index)

    def enabled_joint(self, joint: str) -> Joint:
        """Return a joint of the model.

        Raises:
            ModelError: if it cannot be read or is not enabled.
        """
        if joint in self._faults:
            raise ModelError(self._faults[joint])
        if not any(joint == known.name for known in self.model.joints):
            raise ModelError(f"joint '{joint}' is not enabled: tick Enabled to lead it")
        return self.model.joint(joint)

    def set_coordinate(self, joint: str, q_index: int, value: float) -> float:
        """Set a coordinate to `value` [rad or m], clamped to its limits, and move the links. Return the value that was
        reached.

        Raises:
            ModelError: if there is no such coordinate, the joint is locked, or something holds a link that would move.
        """
        self.coordinate(joint, q_index)
        self._require_unlocked(joint)
        reached = self._poser.set_coordinate(joint, q_index, clamped(self.model.joint(joint), q_index, value))
        self._move_links()
        return reached

    def set_coordinates(
        self,
        values: Mapping[str, Sequence[float]],
        external_links: Container[str] = (),
        evaluate: Evaluator = as_original,
        beyond_limits: Container[str] = (),
    ) -> bool:
        """Set all coordinates of joints [rad, m, or a quaternion w x y z], clamped to their limits, and move the links.

        If loops do not allow all of the values, the joints come as near as possible. Return whether the values were
        reached.

        Args:
            external_links: names of links that are not moved, because their own animation moves them.
            evaluate: function that returns an object as a dependency graph evaluates it.
            beyond_limits: names of joints that may exceed their limits, as compliant stops allow.

        Raises:
            ModelError: as in `set_coordinate`, or if loops cannot be closed at the present poses. No link has moved
                then.
        """
        for joint in values:
            self._require_unlocked(joint)
        wanted = {
            joint: tuple(q) if joint in beyond_limits else self._within_limits(joint, q) for joint, q in values.items()
        }
        is_there = self._poser.set_coordinates(wanted)
        if not is_there and not self._poser.is_closed:
            self._restart_from(self._present_poses)
            raise ModelError(self._open_loops())
        self._move_links(external_links, evaluate)
        return is_there

    def _open_loops(self) -> str:
        loops = [f"'{loop.joint.name}'" for loop in self.model.loops()]
        if not loops:
            return "joints that follow others cannot all be there: look at what follows what"
        what = f"joint {loops[0]} closes" if len(loops) == 1 else f"joints {', '.join(loops[:4])} close"
        return f"the loops that {what} cannot be closed there: take the joints less far"

    def _within_limits(self, joint: str, q: Sequence[float]) -> tuple[float, ...]:
        known = self.enabled_joint(joint)
        if len(q) != known.nq:
            raise ModelError(f"joint '{joint}' has {known.nq} coordinates, and was given {len(q)} numbers")
        if not known.kind.chart:
            return tuple(clamped(known, q_index, value) for q_index, value in enumerate(q))
        return limited(known, self.q_of(joint), q)

    def set_rotation(self, joint: str, quaternion: Quat) -> None:
        """Set the rotation w x y z of a ball joint, or go as far towards it as its cone and twist limits allow.

        Raises:
            ModelError: as in `set_coordinate`.
        """
        self._require_unlocked(joint)
        w, x, y, z = limited(self.model.joint(joint), self._poser.q_of(joint), quaternion)
        self._poser.turn(joint, (w, x, y, z))
        self._move_links()

    def angle_from(self, joint: str, start: Quat) -> float:
        """Return the angle between the present rotation of a ball joint and another one, w x y z [rad]."""
        return Quaternion(start).rotation_difference(Quaternion(self._poser.q_of(joint))).angle

    def settle(self) -> None:
        """Move links back to poses that their joints allow.

        Raises:
            ModelError: as in `set_coordinate`.
        """
        self._move_links(is_all=True)

    def move_to_initial_pose(self) -> None:
        """Move the links to the initial pose of their joints. Floating roots keep their poses.

        Raises:
            ModelError: as in `set_coordinate`, or if loops cannot be closed there.
        """
        roots = {name: self._present_poses[name] for name in self.model.tree().roots}
        poses = tree_poses(self.model, self.model.home())
        for root, pose in roots.items():
            moved = compose(pose, inverse(poses[root]))
            for name in self.model.tree().links_from(root):
                poses[name] = compose(moved, poses[name])
        self._poser = Poser(self.model, poses)
        if not self._poser.satisfy_mimics():
            raise ModelError("the loops cannot be closed where their joints start: give one of them another start")
        self._move_links(is_all=True)

    def _require_unlocked(self, joint: str) -> None:
        if joint in self.locked:
            raise ModelError(f"joint '{joint}' is held: release it to pose it")

    def adopt_external_poses(self, external_links: Container[str], evaluate: Evaluator) -> None:
        """Adopt the present poses of links that something else has moved. Links that joints attach to them follow."""
        found = poses_now(
            {name: obj for name, obj in self.objects.items() if name in external_links}, self.unit, evaluate
        )
        displacements = {
            name: compose(pose, inverse(self._present_poses[name]))
            for name, pose in found.items()
            if not _are_same(pose, self._present_poses[name])
        }
        if not displacements:
            return
        for branch in self.model.tree().branches:
            if branch.outer not in external_links and branch.inner in displacements:
                displacements[branch.outer] = displacements[branch.inner]
        self._present_poses.update(found)
        carried = {
            name: compose(displacements[name], at)
            for name, at in self._present_poses.items()
            if name in displacements and name not in external_links
        }
        self._restart_from(self._present_poses | carried)
        self._moved_components = {self._components[name] for name in displacements}

    def _move_links(
        self, external_links: Container[str] = (), evaluate: Evaluator = as_original, is_all: bool = False
    ) -> None:
        """Move the link objects to the poses of the solver.

        Components without any change stay where they are.

        Args:
            is_all: whether links also move that were not changed but are at poses that their joints do not allow.
        """
        poses = self._poser.poses()
        moved_components = self._moved_components.union(
            self._components[name] for name, pose in poses.items() if not _are_same(pose, self._solved_poses[name])
        )
        moved = {
            name: pose
            for name, pose in poses.items()
            if name not in external_links
            and (is_all or self._components[name] in moved_components)
            and not _are_same(pose, self._present_poses[name])
        }
        for name in moved:
            if holder := obstacle_to_moving(self.objects[name]):
                self._restart_from(self._present_poses)
                raise ModelError(f"link '{name}' cannot be posed, as {holder}")
        move_links({self.objects[name]: pose for name, pose in moved.items()}, self.unit, evaluate)
        if evaluate is as_original:
            bpy.context.view_layer.update()  # the next call uses the new matrices
        self._present_poses.update(moved)
        self._solved_poses, self._moved_components = poses, set()
        self._store_matrices()

    def _store_matrices(self) -> None:
        self._bases = {name: obj.matrix_basis.copy() for name, obj in self.objects.items()}
        self._worlds = {name: world_matrix(obj) for name, obj in self.objects.items()}


def components_of(model: Model) -> dict[str, str]:
    """Return for every link the representative link of its component.

    A component is a set of links that joints or couplings connect, unlike in core's `connected_components`, which does
    not follow couplings. The world does not connect links.
    """
    representative = {link.name: link.name for link in model.links}

    def root(name: str) -> str:
        while representative[name] != name:
            name = representative[name]
        return name

    ends = [{joint.parent, joint.child} for joint in model.joints]
    ends += [{model.joint(term.joint).child for term in equation.terms} for equation in model.equations()]
    for connected in ends:
        first, *others = sorted(connected - {WORLD}) or [""]
        for other in others:
            representative[root(other)] = root(first)
    return {name: root(name) for name in representative}


def _without_fixtures(reading: SceneReading, scene: bpy.types.Scene) -> Model:
    """Return the model without the joints that hold kinematic links where they were drawn, and without the ground.

    So these links can be posed; their motion is the sequence of their poses. The ground has no object, and no pose
    depends on it.
    """
    kinematic = {name for name, obj in reading.objects.items() if is_kinematic(obj)}
    kept = [
        joint
        for joint in reading.model.joints
        if joint.child in reading.objects
        and (not (joint.parent == WORLD and joint.child in kinematic) or is_joint(node_named(scene, joint.name)))
    ]
    links = [link for link in reading.model.links if link.name in reading.objects]
    pairs = [pair for pair in reading.model.contact_pairs if {pair.a, pair.b} <= reading.objects.keys()]
    return replace(reading.model, links=links, joints=kept, contact_pairs=pairs)


def evaluator_of(depsgraph: bpy.types.Depsgraph | None) -> Evaluator:
    """Return a function that returns objects as a dependency graph evaluates them; for None, the original objects."""
    return (lambda node: evaluated(node, depsgraph)) if depsgraph else as_original


def _are_same(a: Pose, b: Pose) -> bool:
    distance = math.dist(a[:3], b[:3])
    turn = quat_mul((a[3], -a[4], -a[5], -a[6]), b[3:])
    return distance < MOVED and norm(rotvec_of_quat(turn)) < MOVED


def _arbitrary_mass(_link, _evaluated_scene) -> MassProperties:
    """Return an arbitrary mass, since poses do not depend on masses."""
    return MassProperties(1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0), 1.0)


def _no_collisions(_shapes, _link) -> list:
    """Return no collision shapes, since poses do not depend on them."""
    return []
