# SPDX-License-Identifier: GPL-3.0-or-later
"""Move bakes along with machines that were moved or copied after their bake."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial

import bpy
import numpy as np

from ....core.model import Model
from ....core.spatial import compose
from ...bridge.animation.motion_sources import has_own_keys, has_own_motion, is_bake
from ...bridge.baked_machines.displacements import IDENTITY_MATRIX, leaves_in_place
from ...bridge.baked_machines.keyed_poses import animated_carrier, played_bake, store_baked_matrices
from ...bridge.baked_machines.machines import Machine, restore_world_joint
from ...bridge.joints.frames import store_frames, stored_frames
from ...bridge.posing.link_poses import pose_of_matrix
from ...bridge.scene.read import SceneReading, scan_scene
from ...bridge.values.numbers import format_pose, parse_pose
from ...nodes import Node, model_name, own_matrix, parent_of, world_matrix
from ...nodes.animation import action_of, create_animation, fcurves_of
from ...props import ancestors
from ...props.settings import before_bake, link_settings
from ..errors import BakeError
from ..receipts.receipt import Receipt, digest_of_bake, is_edited, receipt_of, store_receipt
from ..receipts.restore import baked_objects, change_state_before_bake, replaced_curves
from ..receipts.staleness import digest_of_inputs, same_inputs
from .transformed_keys import Change, Moved, changed_curves, changed_values, changes_of, write_keys

GRAVITY = 1e-6
"""Largest change of gravity relative to the machine, as a part of gravity, that leaves the motion the same."""


@dataclass(frozen=True)
class Move:
    """A displacement of a machine.

    Attributes:
        link_displacement: displacement of the links from the poses of their keys, shape (4, 4).
        key_displacement: displacement of the keys' poses since the bake, shape (4, 4).
    """

    machine: Machine
    link_displacement: np.ndarray
    key_displacement: np.ndarray = field(default_factory=lambda: IDENTITY_MATRIX)

    @property
    def total(self) -> np.ndarray:
        return self.link_displacement @ self.key_displacement


def move_along(scene: bpy.types.Scene, moves: list[Move]) -> None:
    """Make the bakes of machines play at their present places, and give copies bakes of their own.

    What the bakes have replaced is moved, too. If a bake at the new place would give the moved motion, the bake remains
    up to date. All machines are moved together, since the next frame returns the others to their keys.

    Raises:
        BakeError: if keys cannot be moved; nothing has changed then.
    """
    with_moved_links = [move for move in moves if not leaves_in_place(move.link_displacement)]
    with_moved_model = [move for move in moves if not leaves_in_place(move.total)]
    for move in with_moved_links:
        _require_still_carriers(move.machine)
        _moved_keys(_changes(move.machine, move.link_displacement))  # raises BakeError before anything is changed
    for move in with_moved_model:
        for joint in move.machine.world_joints:  # so that the model reads as before the move
            restore_world_joint(scene, joint.name)
    up_to_date_models = _up_to_date_models(scene, moves)
    edited = {action for move in moves for action in move.machine.actions if is_edited(action)}
    # The newest machine may be a copy of those before it.
    for move in reversed(moves):
        edited |= {copy for copy, action in _make_actions_single_user(move.machine).items() if action in edited}
    for move in with_moved_links:
        _move_keys(move.machine, move.link_displacement)
    for move in with_moved_model:
        _move_model(move.machine, move.total)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    for move in moves:
        store_baked_matrices(move.machine.links)
        for action in move.machine.actions:
            if action not in edited and (receipt := receipt_of(action)):
                store_receipt(action, receipt._replace(keys=digest_of_bake(action)))
    _update_receipts(scene, moves, up_to_date_models)


def _require_still_carriers(machine: Machine) -> None:
    for link in machine.links:
        if has_own_keys(link) and (carrier := animated_carrier(link)):
            raise BakeError(
                f"link '{link.name}' is carried by '{carrier.name}', which moves, and its keys cannot go along: move "
                f"'{carrier.name}' instead, or simulate again"
            )


def _make_actions_single_user(machine: Machine) -> dict[bpy.types.Action, bpy.types.Action]:
    """Give the machine actions that nothing else plays, and return each new action with its original.

    If each of its objects plays a copy of the same bake, the machine gets one action for all of them.
    """
    _join_actions(machine)
    own = set(machine.owners)
    others = {played_bake(obj) for obj in bpy.data.objects if obj not in own}
    shared = {played[0]: None for obj in machine.owners if (played := played_bake(obj)) and played in others}
    copies = {action: action.copy() for action in shared}
    for obj in machine.owners:
        if (action := action_of(obj)) in copies:
            play(obj, copies[action])
    return {copy: action for action, copy in copies.items()}


def _join_actions(machine: Machine) -> None:
    """Replace equal copies of a bake by one of them.

    Blender gives each object that it duplicates a copy of the whole bake.
    """
    actions = list(machine.actions)
    if not machine.has_copied_actions or len(set(map(digest_of_bake, actions))) > 1:
        return
    for obj in machine.owners:
        if action_of(obj) in actions:
            play(obj, actions[0])
    for action in actions[1:]:
        if not action.users:
            bpy.data.actions.remove(action)


def play(obj: Node, action: bpy.types.Action) -> None:
    """Assign another copy of the action that the object plays, with the same slot."""
    data = create_animation(obj)
    slot = data.action_slot.identifier
    data.action = action
    data.action_slot = next(known for known in action.slots if known.identifier == slot)


def _changes(machine: Machine, link_displacement: np.ndarray) -> dict[Node, dict[str, Change]]:
    """Return the changes of the channels of each link that no other link of the machine carries."""
    own, found = set(machine.links), {}
    for link in machine.links:
        if own.isdisjoint(ancestors(link)):
            space = np.eye(4)
            if parent_of(link):
                space = world_matrix(link) @ np.linalg.inv(own_matrix(link))
            found[link] = changes_of(link, np.linalg.inv(space) @ link_displacement @ space)
    return found


def _moved_keys(changes: dict[Node, dict[str, Change]]) -> Moved:
    """Return the moved keys of the links' F-curves, and of those that the bake has replaced, each curve once."""
    found: dict[int, tuple] = {}
    for link, own in changes.items():
        curves = [*fcurves_of(link), *(replaced_curves(link) if before_bake(link).action else ())]
        found |= {curve.as_pointer(): (curve, places) for curve, places in changed_curves(link, curves, own)}
    return list(found.values())


def _move_keys(machine: Machine, link_displacement: np.ndarray) -> None:
    changes = _changes(machine, link_displacement)
    _make_replaced_actions_single_user(machine)
    write_keys(_moved_keys(changes))
    for link, own in changes.items():
        if before_bake(link).numbers:
            change_state_before_bake(link, partial(changed_values, changes=own))


def _make_replaced_actions_single_user(machine: Machine) -> None:
    """Give the machine copies of the actions that the bake has replaced, if objects of others use them, too."""
    own, found = set(machine.objects), {}
    for obj in machine.objects:
        action = before_bake(obj).action
        if action is None or action in found:
            continue
        shared = any(action in (action_of(it), before_bake(it).action) for it in bpy.data.objects if it not in own)
        found[action] = action.copy() if shared else action
    for obj in machine.objects:
        before = before_bake(obj)
        if before.action in found:
            before.action = found[before.action]


def _move_model(machine: Machine, move: np.ndarray) -> None:
    """Move the poses in which the model was drawn, and the frames of joints that hold it in the world."""
    X = pose_of_matrix(move, np.ones(3))
    for link in machine.links:
        settings = link_settings(link)
        if settings.rest_pose:
            settings.rest_pose = format_pose(compose(X, parse_pose(settings.rest_pose, f"link '{link.name}'")))
    for joint in machine.world_joints:
        X_PJ, X_CJ = stored_frames(joint)
        if not has_own_motion(joint):
            store_frames(joint, compose(X, X_PJ), X_CJ)
            if before_bake(joint).numbers:
                change_state_before_bake(
                    joint, lambda kept, empty=joint: {name: list(getattr(empty, name)) for name in kept}
                )


def _up_to_date_models(scene: bpy.types.Scene, moves: list[Move]) -> set[str]:
    """Return the model digests of the bakes that were up to date before machines were moved or copied."""
    actions = _bakes_of(scene)
    reading = _read(scene, actions)
    if reading is None:
        return set()
    counts_carriers = all(leaves_in_place(move.key_displacement) for move in moves)
    # A receipt describes the scene before the copying. How many of the newest machines are copies is unknown, so it is
    # compared with the scene without the last 1, 2, … of them.
    machines = [move.machine for move in moves if move.machine.shares_bake]
    without = [[], *(machines[number:] for number in range(len(machines)))]
    models = [_model_without(reading.model, copies) for copies in without]
    receipts = filter(None, map(receipt_of, actions))
    return {
        receipt.model
        for receipt in receipts
        if any(_is_up_to_date(scene, receipt, model, counts_carriers) for model in models)
    }


def _bakes_of(scene: bpy.types.Scene) -> list[bpy.types.Action]:
    return list({action: None for obj in baked_objects(scene) if is_bake(action := action_of(obj))})


def _read(scene: bpy.types.Scene, actions: list[bpy.types.Action]) -> SceneReading | None:
    """Return a reading of the scene; None if it cannot be read, so that none of its bakes is up to date."""
    from ....core.model import ModelError

    receipt = next(filter(None, map(receipt_of, actions)), None)
    try:
        return scan_scene(scene, first=receipt.first if receipt else None)
    except ModelError:
        return None


def _model_without(model: Model, machines: list[Machine]) -> Model:
    names = {model_name(obj) for machine in machines for obj in machine.objects}
    return replace(
        model,
        links=[link for link in model.links if link.name not in names],
        joints=[joint for joint in model.joints if joint.name not in names],
        frames=[frame for frame in model.frames if frame.link not in names],
        lights=[light for light in model.lights if light.link not in names],
    )


def _is_up_to_date(scene: bpy.types.Scene, receipt: Receipt, model: Model, counts_carriers: bool) -> bool:
    return same_inputs(receipt, digest_of_inputs(scene, model, receipt.start), counts_carriers=counts_carriers)


def _update_receipts(scene: bpy.types.Scene, moves: list[Move], up_to_date_models: set[str]) -> None:
    """Write new digests of the scene to the receipts of bakes that remain valid."""
    actions = _bakes_of(scene)
    reading = _read(scene, actions) if up_to_date_models else None
    if reading is None or not all(_keeps_motion(reading, move.machine, move.total) for move in moves):
        return
    for action in actions:
        receipt = receipt_of(action)
        if receipt is not None and receipt.model in up_to_date_models:
            now = digest_of_inputs(scene, reading.model, receipt.start)
            store_receipt(action, _with_inputs(receipt, now))


def _with_inputs(receipt: Receipt, now) -> Receipt:
    return receipt._replace(model=now.model, motion=now.motion, carriers=now.carriers, movers=now.movers)


def _keeps_motion(reading: SceneReading, machine: Machine, move: np.ndarray) -> bool:
    """Return whether a displaced machine moves as before.

    It does after a translation. After a rotation it does if forces, wind and gravity act on it as before.
    """
    turn, model = move[:3, :3], reading.model
    if np.allclose(turn, np.eye(3), rtol=0.0, atol=1e-9):
        return True
    names = {link.name for link in machine.links}
    links = [link for link in model.links if link.name in names]
    pushed = [link for link in links if (any(link.force) or any(link.torque)) and not link.force_turns_along]
    pushed += [link for link in links if any(link.velocity) or any(link.angular_velocity)]
    blown = any(model.wind) and any(link.linear_damping for link in links)
    gravity = np.array(model.gravity)
    is_level = np.linalg.norm(turn @ gravity - gravity) <= GRAVITY * np.linalg.norm(gravity)
    return bool(is_level) and not pushed and not blown and not reading.animated
