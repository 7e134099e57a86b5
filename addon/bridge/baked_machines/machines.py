# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked machines that were moved, scaled or parented after their bake, which their keys do not reflect.

A machine is a set of links that joints connect. Matrices have shape (4, 4), in Blender units.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ....core.model import ModelError
from ....core.model.screws import joint_pose
from ....core.spatial import compose, inverse
from ... import ids
from ...props import ancestors, is_joint, is_link
from ...props.members import joints_in, links_in
from ...props.naming import model_name
from ..animation.keyed_joints import keyed_numbers_of
from ..animation.motion_sources import (
    action_of,
    basis_at,
    follows_keys,
    has_own_keys,
    is_bake,
    is_previewed,
    moves_itself,
)
from ..errors import SceneError
from ..joints.frames import empty_frame, place_empty, stored_frames
from ..joints.read_joints import joint_of
from ..posing.link_poses import matrix_of_pose, to_array, world_scale
from ..values.joint_numbers import q_index_of, size_of
from ..values.numbers import scaled_pose, unit_length, units_of

NEAR = 1e-4
"""Tolerance for equal poses: angle [rad], and length relative to the distance from the origin or to 1 Blender unit,
whichever is larger.
"""

UNTURNED = 1e-5
"""Angle below which a machine counts as not rotated [rad]; single precision causes angles of this size."""

STILL = np.eye(4)

LEFT_BEHIND = "bake-left-behind"
"""Code of the problem that whole machines were moved or copied after their bake."""

UNTIL_NEXT_FRAME = (LEFT_BEHIND, "bake-moved")
"""Codes of problems that may disappear when another frame is shown."""


@dataclass
class Machine:
    """Connected links and joints, some of which a bake moves.

    Attributes:
        dragged: displacement of each link from the pose of its keys at this frame.
        carried: displacement of the pose of each link's keys since the bake, because its scale or its parent has
            changed.
        is_shared: whether another object plays the same keys.
    """

    links: list[bpy.types.Object]
    joints: list[bpy.types.Object]
    dragged: dict[bpy.types.Object, np.ndarray] = field(default_factory=dict)
    carried: dict[bpy.types.Object, np.ndarray] = field(default_factory=dict)
    is_shared: bool = False

    @property
    def objects(self) -> list[bpy.types.Object]:
        return [*self.links, *self.joints]

    @property
    def actions(self) -> dict[bpy.types.Action, None]:
        """The bakes that the machine plays, in the order of its objects."""
        return {action: None for obj in self.objects if is_bake(action := action_of(obj))}

    @property
    def world_joints(self) -> list[bpy.types.Object]:
        """The joints that join the machine to the world."""
        return [obj for obj in self.joints if getattr(obj, ids.JOINT).parent is None and getattr(obj, ids.JOINT).X_PJ]

    @cached_property
    def drag(self) -> np.ndarray | None:
        """The common displacement of all links from their keys; None if they were displaced differently."""
        return _common(self.dragged)

    @cached_property
    def carry(self) -> np.ndarray | None:
        """The common displacement of the keys' poses since the bake; None if they were displaced differently."""
        return _common(self.carried)

    @property
    def carry_or_still(self) -> np.ndarray:
        return STILL if self.carry is None else self.carry

    @property
    def is_moved(self) -> bool:
        """Whether the machine was moved as a whole, its joints included, so that its bake can move along."""
        if self.drag is None or self.carry is None:
            return False
        if is_still(self.drag):
            return not is_still(self.carry)
        if any(animated_carrier(link) for link in self.links):
            return False
        there = self.drag @ self.carry
        return all(_is_along(obj, there) for obj in self.world_joints)

    @property
    def is_left_behind(self) -> bool:
        """Whether its bake can move along with it, or can be made a bake of its own."""
        return self.is_moved or self.can_be_parted

    @property
    def can_be_parted(self) -> bool:
        """Whether it is a copy: it plays the bake of another machine, or each object plays a copy of the bake."""
        return self.is_shared or self.can_be_joined

    @property
    def can_be_joined(self) -> bool:
        """Whether its objects play copies of one bake, and one of the copies has the slots of all objects."""
        marks = {str(action.get(ids.BAKE_MARK)) for action in self.actions}
        if len(self.actions) < 2 or len(marks) > 1:
            return False
        slots = [slot for obj in self.objects if (played := playing(obj)) for slot in played[1:]]
        return len(set(slots)) == len(slots) and set(slots) <= {
            slot.identifier for slot in next(iter(self.actions)).slots
        }


def baked_machines(scene: bpy.types.Scene) -> list[Machine]:
    """Return the machines of the scene that play a bake and are not in a preview, the newest last."""
    if not any(is_bake(action_of(obj)) for obj in (*links_in(scene), *joints_in(scene))):
        return []
    frame = scene.frame_current_final
    found = [machine for machine in _machines(scene) if machine.actions and not any(map(is_previewed, machine.links))]
    players = Counter(map(playing, bpy.data.objects))
    for machine in found:
        own = Counter(map(playing, machine.objects))
        machine.is_shared = any(players[played] > count for played, count in own.items() if played)
        for link in machine.links:
            _compare(machine, link, frame)
        for joint in machine.world_joints:
            with suppress(ModelError):  # Problems reports joints that cannot be read
                _compare_led(machine, joint, scene)
    return found


def left_behind(scene: bpy.types.Scene) -> list[Machine]:
    """Return the machines whose bakes can move along with them or can be made their own, the newest last."""
    return [machine for machine in baked_machines(scene) if machine.is_left_behind]


def require_in_place(scene: bpy.types.Scene) -> None:
    """Raise `SceneError` if a machine was moved as a whole after its bake.

    Its joints are then elsewhere than the poses of its links' keys.
    """
    moved = [it for it in left_behind(scene) if it.is_moved and it.drag is not None and not is_still(it.drag)]
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
    if joint is not None and is_joint(joint) and getattr(joint, ids.JOINT).X_PJ and not moves_itself(joint):
        place_empty(joint, stored_frames(joint)[0])


def restore_world_joints_after_undo(scene: bpy.types.Scene) -> None:
    """Move joints back that were moved with whole baked machines, after the user has undone the move.

    Blender has then restored the links from their keys, but not the joints. A user who has moved a joint alone, to edit
    the model, has not selected its link, and such a joint stays.
    """
    for machine in baked_machines(scene):
        for joint in machine.world_joints:
            child = getattr(joint, ids.JOINT).child
            are_selected = joint.select_get() and child is not None and child.select_get()
            if are_selected and all(is_still(move) for move in machine.dragged.values()):
                restore_world_joint(scene, joint.name)


def moved_findings(scene: bpy.types.Scene) -> Iterator[tuple[str, bpy.types.Object, str]]:
    """Yield the changes to baked machines that their keys do not reflect: a code, a link, and a sentence.

    Machines whose bakes can move along share one sentence, since all of them have to move along at once.
    """
    machines = baked_machines(scene)
    left = [machine for machine in machines if machine.is_left_behind]
    if left:
        yield LEFT_BEHIND, left[0].links[0], _sentence_about(left)
    for machine in (machine for machine in machines if not machine.is_left_behind):
        if link := _first(machine.carried, lambda move, at: not is_rigid(move)):
            yield "bake-scaled", link, "it was scaled after it was baked, and its keys are those of the size before"
        elif link := _first(machine.carried, lambda move, at: not is_still(move, at)):
            yield (
                "bake-carried",
                link,
                "it was given a parent, or its parent was moved, after it was baked, and its keys play elsewhere: let "
                "them play in place, or simulate again",
            )
        elif link := _first(machine.dragged, lambda move, at: not is_still(move, at)):
            yield "bake-moved", link, "it was moved after it was baked, and its keys bring it back at the next frame"


def _sentence_about(left: list[Machine]) -> str:
    count = sum(len(machine.links) for machine in left) - 1
    others = f" and {count} more link{'s' if count > 1 else ''}" if count else ""
    if all(machine.can_be_parted and not machine.is_moved for machine in left):
        return f"it{others} were copied and play the bake of what they are copies of: let them have a bake of their own"
    return (
        f"it{others} were moved or copied after they were baked, and the next frame brings them back to their keys: "
        "let their bake move along"
    )


def _first(moves: dict[bpy.types.Object, np.ndarray], is_meant: Callable) -> bpy.types.Object | None:
    for link, move in moves.items():
        if is_meant(move, np.linalg.inv(move)[:3] @ [*link.matrix_world.translation, 1.0]):
            return link
    return None


def tidy_move(link: bpy.types.Object, move: np.ndarray) -> np.ndarray:
    """Return the rigid displacement of a link without rounding noise."""
    found = _common({link: move})
    return STILL if found is None else found


def _machines(scene: bpy.types.Scene) -> list[Machine]:
    links, joints = links_in(scene), joints_in(scene)
    group = {link: {link} for link in links}
    for joint in joints:
        settings = getattr(joint, ids.JOINT)
        if settings.parent in group and settings.child in group:
            whole = group[settings.parent] | group[settings.child]
            group |= dict.fromkeys(whole, whole)
    heads = {id(whole): whole for whole in group.values()}
    return [
        Machine(
            [link for link in links if link in whole], [it for it in joints if getattr(it, ids.JOINT).child in whole]
        )
        for whole in heads.values()
    ]


def _compare(machine: Machine, link: bpy.types.Object, frame: float) -> None:
    is_keyed, world = has_own_keys(link), to_array(link.matrix_world)
    there = stood(link)
    if is_keyed:
        machine.dragged[link] = world @ np.linalg.inv(keyed_world(link, frame))
        if there is not None and not animated_carrier(link):
            machine.carried[link] = keyed_world(link) @ np.linalg.inv(there)
    elif there is not None and not follows_keys(link) and not animated_carrier(link):  # at rest in the bake
        (machine.carried if link.parent else machine.dragged)[link] = world @ np.linalg.inv(there)


def _compare_led(machine: Machine, joint: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Add the displacement of a link that a keyed joint moves, relative to its pose at the joint's stored frame."""
    child = getattr(joint, ids.JOINT).child
    keyed = keyed_numbers_of(joint, scene.frame_current_final)
    if has_own_keys(child) or not keyed:
        return
    known = joint_of(joint, units_of(scene), set(machine.objects))
    places = {number: number if known.kind.chart else q_index_of(known, number) for number in keyed}
    unit, q = unit_length(scene), list(known.q_neutral)
    for number, place in places.items():
        if place is not None:
            q[place] = keyed[number] * size_of(known, place, unit)
    X_PJ, X_CJ = stored_frames(joint)
    there = compose(compose(X_PJ, scaled_pose(joint_pose(known, q), 1.0 / unit)), inverse(X_CJ))
    world = to_array(child.matrix_world) @ np.diag((*(1.0 / world_scale(child)), 1.0))
    machine.dragged[child] = world @ np.linalg.inv(matrix_of_pose(there))


def keyed_world(obj: bpy.types.Object, frame: float | None = None) -> np.ndarray:
    """Return the world matrix of an object by its own keys and those of its parents.

    Parents that move in other ways count as they are now.

    Args:
        frame: None for the first key of each F-curve.
    """
    own = basis_at(obj, frame) if has_own_keys(obj) else to_array(obj.matrix_basis)
    if obj.parent is None:
        return own
    is_moved = obj.parent_type != "OBJECT" or (moves_itself(obj.parent) and not is_link(obj.parent))
    if is_moved or follows_keys(obj.parent):
        return to_array(obj.matrix_world) @ np.linalg.inv(to_array(obj.matrix_basis)) @ own
    return keyed_world(obj.parent, frame) @ to_array(obj.matrix_parent_inverse) @ own


def animated_carrier(link: bpy.types.Object) -> bpy.types.Object | None:
    """Return the object that carries the link and moves and is no link; None if there is none.

    Keys below such an object do not determine a pose in the world.
    """
    if link.parent is not None and link.parent_type != "OBJECT":
        return link.parent
    return next((obj for obj in ancestors(link) if not is_link(obj) and (moves_itself(obj) or follows_keys(obj))), None)


def note_places(links: list[bpy.types.Object]) -> None:
    """Store the poses of the links at the first frame of a bake that was just made.

    The scene must be evaluated.
    """
    for link in links:
        before = getattr(link, ids.BEFORE)
        known = not animated_carrier(link) and not (follows_keys(link) and not has_own_keys(link))
        before.stood = " ".join(map(repr, keyed_world(link)[:3].ravel().tolist())) if known else ""


def stood(link: bpy.types.Object) -> np.ndarray | None:
    """Return the world matrix of the link at the first frame of its bake; None if it was not stored."""
    text = getattr(link, ids.BEFORE).stood
    return np.vstack([np.array([float(word) for word in text.split()]).reshape(3, 4), STILL[3]]) if text else None


def playing(obj: bpy.types.Object) -> tuple[bpy.types.Action, str] | None:
    """Return the bake that the object plays and the identifier of its slot; None if it plays none."""
    action = action_of(obj)
    if not is_bake(action):
        return None
    slot = obj.animation_data.action_slot
    return (action, slot.identifier) if slot else None


def is_still(move: np.ndarray, at: np.ndarray | None = None) -> bool:
    """Return whether a displacement leaves an object where it is.

    Args:
        at: origin of the object, shape (3,); None for the world's origin.
    """
    place = np.zeros(3) if at is None else at
    way = np.linalg.norm(move[:3, :3] @ place + move[:3, 3] - place)
    return bool(way <= NEAR * max(1.0, np.linalg.norm(place))) and bool(np.abs(move[:3, :3] - np.eye(3)).max() <= NEAR)


def is_rigid(move: np.ndarray) -> bool:
    """Return whether a displacement translates and rotates without scaling."""
    return bool(np.abs(move[:3, :3].T @ move[:3, :3] - np.eye(3)).max() <= NEAR)


def _common(moves: dict[bpy.types.Object, np.ndarray]) -> np.ndarray | None:
    """Return the displacement that is common to all, without rounding noise.

    It is None if a displacement is not rigid, or if they differ.
    """
    if not moves:
        return STILL
    if not all(map(is_rigid, moves.values())):
        return None
    first = next(iter(moves.values()))
    ends = {link: to_array(link.matrix_world)[:3, 3] for link in moves}
    for link, move in moves.items():
        if not is_still(np.linalg.inv(first) @ move, np.linalg.inv(move)[:3] @ [*ends[link], 1.0]):
            return None
    return _tidy(first, [(np.linalg.inv(moves[link])[:3] @ [*end, 1.0], end) for link, end in ends.items()])


def _tidy(move: np.ndarray, ways: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return a displacement without rounding noise.

    Args:
        ways: for each link, its origin before and after the displacement.
    """
    u, _, vt = np.linalg.svd(move[:3, :3])
    turn = u @ vt
    angle = math.acos(min(1.0, max(-1.0, 0.5 * (np.trace(turn) - 1.0))))
    found = np.eye(4)
    if angle > UNTURNED:
        found[:3, :3] = turn
        for axis in np.eye(3):
            if np.abs(turn @ axis - axis).max() <= UNTURNED:  # snap to this world axis
                found[:3, :3] = _turn_about(axis, turn)
    shift = np.mean([end - found[:3, :3] @ start for start, end in ways], axis=0)
    found[:3, 3] = np.round(shift, 6)
    return found


def _turn_about(axis: np.ndarray, turn: np.ndarray) -> np.ndarray:
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    cosine, sine = 0.5 * (np.trace(turn) - 1.0), 0.5 * np.sum(cross * turn)
    angle = math.atan2(sine, cosine)
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def _is_along(joint: bpy.types.Object, move: np.ndarray) -> bool:
    """Return whether the joint's Empty was moved by a displacement."""
    stored = matrix_of_pose(stored_frames(joint)[0])
    if moves_itself(joint):
        return False
    gone = matrix_of_pose(empty_frame(joint)) @ np.linalg.inv(stored)
    return is_still(np.linalg.inv(move) @ gone, stored[:3, 3])
