# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that play a bake, and their displacements since.

A machine is a set of links that joints connect. Matrices have shape (4, 4), in Blender units.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ....core.model import ModelError
from ....core.model.screws import joint_pose
from ....core.spatial import compose, inverse
from ... import ids
from ...nodes import Node, is_selected, model_name, owner_of, parent_of, world_matrix
from ...nodes.animation import action_of
from ...props import is_joint
from ...props.members import joints_in, links_in
from ...props.settings import joint_settings
from ..animation.keyed_joints import keyed_numbers_of
from ..animation.motion_sources import follows_keyed_joint, has_own_keys, has_own_motion, is_bake, is_previewed
from ..errors import SceneError
from ..joints.frames import empty_frame, place_empty, stored_frames
from ..joints.read_joints import joint_of
from ..posing.link_poses import matrix_of_pose, world_scale
from ..values.joint_numbers import q_index_of, unit_factor
from ..values.numbers import scaled_pose, unit_length, units_of
from .displacements import IDENTITY_MATRIX, common_displacement, leaves_in_place
from .keyed_poses import animated_carrier, baked_matrix, played_bake, world_matrix_of_keys

LEFT_BEHIND = "bake-left-behind"
"""Code of the problem that whole machines were moved or copied after their bake."""


@dataclass
class Machine:
    """Connected links and joints, some of which a bake moves.

    Attributes:
        link_displacements: displacement of each link from the pose of its keys at this frame.
        key_displacements: displacement of the pose of each link's keys since the bake, if its scale or its parent has
            changed.
        is_shared: whether another object plays the same keys.
    """

    links: list[Node]
    joints: list[Node]
    link_displacements: dict[Node, np.ndarray] = field(default_factory=dict)
    key_displacements: dict[Node, np.ndarray] = field(default_factory=dict)
    is_shared: bool = False

    @property
    def objects(self) -> list[Node]:
        return [*self.links, *self.joints]

    @property
    def owners(self) -> list[bpy.types.Object]:
        """The objects that store its links and joints, each once: an armature stores many bones."""
        return list(dict.fromkeys(map(owner_of, self.objects)))

    @property
    def actions(self) -> dict[bpy.types.Action, None]:
        """The bakes that the machine plays, in the order of its objects."""
        return {action: None for obj in self.objects if is_bake(action := action_of(obj))}

    @property
    def world_joints(self) -> list[Node]:
        """The joints that join the machine to the world."""
        return [obj for obj in self.joints if joint_settings(obj).parent_node is None and joint_settings(obj).X_PJ]

    @cached_property
    def link_displacement(self) -> np.ndarray | None:
        """The common displacement of all links from their keys; None if they were displaced differently."""
        return common_displacement(self.link_displacements)

    @cached_property
    def key_displacement(self) -> np.ndarray | None:
        """The common displacement of the keys' poses since the bake; None if they were displaced differently."""
        return common_displacement(self.key_displacements)

    @property
    def key_displacement_or_identity(self) -> np.ndarray:
        return IDENTITY_MATRIX if self.key_displacement is None else self.key_displacement

    @property
    def is_moved(self) -> bool:
        """Whether the machine was moved as a whole, its joints included, so that its bake can move along."""
        if self.link_displacement is None or self.key_displacement is None:
            return False
        if leaves_in_place(self.link_displacement):
            return not leaves_in_place(self.key_displacement)
        if any(animated_carrier(link) for link in self.links):
            return False
        total = self.link_displacement @ self.key_displacement
        return all(_has_moved_by(obj, total) for obj in self.world_joints)

    @property
    def needs_update(self) -> bool:
        """Whether its bake can move along with it, or can be made a bake of its own."""
        return self.is_moved or self.shares_bake

    @property
    def shares_bake(self) -> bool:
        """Whether it can get a bake of its own: another machine plays its bake, or its objects play copies of it."""
        return self.is_shared or self.has_copied_actions

    @property
    def has_copied_actions(self) -> bool:
        """Whether its objects play copies of one bake, and one of the copies has the slots of all objects."""
        marks = {str(action.get(ids.BAKE_MARK)) for action in self.actions}
        if len(self.actions) < 2 or len(marks) > 1:
            return False
        slots = [slot for obj in self.owners if (played := played_bake(obj)) for slot in played[1:]]
        return len(set(slots)) == len(slots) and set(slots) <= {
            slot.identifier for slot in next(iter(self.actions)).slots
        }


def baked_machines(scene: bpy.types.Scene) -> list[Machine]:
    """Return the machines of the scene that play a bake and are not in a preview, the newest last."""
    if not any(is_bake(action_of(obj)) for obj in (*links_in(scene), *joints_in(scene))):
        return []
    frame = scene.frame_current_final
    found = [machine for machine in _machines(scene) if machine.actions and not any(map(is_previewed, machine.links))]
    players = Counter(map(played_bake, bpy.data.objects))
    for machine in found:
        own = Counter(map(played_bake, machine.owners))
        machine.is_shared = any(players[played] > count for played, count in own.items() if played)
        for link in machine.links:
            _measure_link(machine, link, frame)
        for joint in machine.world_joints:
            with suppress(ModelError):  # Problems reports joints that cannot be read
                _measure_joint_child(machine, joint, scene)
    return found


def machines_to_update(scene: bpy.types.Scene) -> list[Machine]:
    """Return the machines whose bakes can move along with them or can be made their own, the newest last."""
    return [machine for machine in baked_machines(scene) if machine.needs_update]


def require_in_place(scene: bpy.types.Scene) -> None:
    """Raise `SceneError` if a machine was moved as a whole after its bake.

    Its joints are then elsewhere than the poses of its links' keys.
    """
    moved = [
        it
        for it in machines_to_update(scene)
        if it.is_moved and it.link_displacement is not None and not leaves_in_place(it.link_displacement)
    ]
    if moved:
        name = model_name(moved[0].links[0])
        raise SceneError(
            LEFT_BEHIND,
            f"link '{name}' was moved with its machine after it was baked: press Move Bake Along or Back to Keys first",
        )


def restore_world_joint(scene: bpy.types.Scene, name: str) -> None:
    """Move the Empty of a joint to its stored frame.

    Args:
        name: of the joint; nothing happens if the scene does not have it any more.
    """
    joint = scene.objects.get(name)
    if joint is not None and is_joint(joint) and joint_settings(joint).X_PJ and not has_own_motion(joint):
        place_empty(joint, stored_frames(joint)[0])


def restore_world_joints_after_undo(scene: bpy.types.Scene) -> None:
    """Move joints back that were moved with whole baked machines, after the user has undone the move.

    Blender has then restored the links from their keys, but not the joints. A user who has moved a joint alone, to edit
    the model, has not selected its link, and such a joint stays.
    """
    for machine in baked_machines(scene):
        for joint in machine.world_joints:
            child = joint_settings(joint).child_node
            are_selected = is_selected(joint) and child is not None and is_selected(child)
            if are_selected and all(leaves_in_place(move) for move in machine.link_displacements.values()):
                restore_world_joint(scene, joint.name)


def _machines(scene: bpy.types.Scene) -> list[Machine]:
    links, joints = links_in(scene), joints_in(scene)
    machine_of = {link: {link} for link in links}
    for joint in joints:
        settings = joint_settings(joint)
        if settings.parent_node in machine_of and settings.child_node in machine_of:
            united = machine_of[settings.parent_node] | machine_of[settings.child_node]
            machine_of |= dict.fromkeys(united, united)
    groups = {id(group): group for group in machine_of.values()}
    return [
        Machine(
            [link for link in links if link in group], [it for it in joints if joint_settings(it).child_node in group]
        )
        for group in groups.values()
    ]


def _measure_link(machine: Machine, link: Node, frame: float) -> None:
    """Add the displacements of a link and of its keys."""
    is_keyed, world = has_own_keys(link), world_matrix(link)
    baked = baked_matrix(link)
    if is_keyed:
        machine.link_displacements[link] = world @ np.linalg.inv(world_matrix_of_keys(link, frame))
        if baked is not None and not animated_carrier(link):
            machine.key_displacements[link] = world_matrix_of_keys(link) @ np.linalg.inv(baked)
    elif baked is not None and not follows_keyed_joint(link) and not animated_carrier(link):  # at rest in the bake
        (machine.key_displacements if parent_of(link) else machine.link_displacements)[link] = world @ np.linalg.inv(
            baked
        )


def _measure_joint_child(machine: Machine, joint: Node, scene: bpy.types.Scene) -> None:
    """Add the displacement of a link that a keyed joint moves, relative to its pose at the joint's stored frame."""
    child = joint_settings(joint).child_node
    keyed = keyed_numbers_of(joint, scene.frame_current_final)
    if has_own_keys(child) or not keyed:
        return
    core_joint = joint_of(joint, units_of(scene), set(machine.objects))
    unit, q = unit_length(scene), list(core_joint.q_neutral)
    for number, value in keyed.items():
        q_index = number if core_joint.kind.chart else q_index_of(core_joint, number)
        if q_index is not None:
            q[q_index] = value * unit_factor(core_joint, q_index, unit)
    X_PJ, X_CJ = stored_frames(joint)
    X_WC = compose(compose(X_PJ, scaled_pose(joint_pose(core_joint, q), 1.0 / unit)), inverse(X_CJ))
    world = world_matrix(child) @ np.diag((*(1.0 / world_scale(child)), 1.0))
    machine.link_displacements[child] = world @ np.linalg.inv(matrix_of_pose(X_WC))


def _has_moved_by(joint: Node, move: np.ndarray) -> bool:
    """Return whether the joint's Empty was moved by a displacement."""
    stored = matrix_of_pose(stored_frames(joint)[0])
    if has_own_motion(joint):
        return False
    displacement = matrix_of_pose(empty_frame(joint)) @ np.linalg.inv(stored)
    return leaves_in_place(np.linalg.inv(move) @ displacement, stored[:3, 3])
