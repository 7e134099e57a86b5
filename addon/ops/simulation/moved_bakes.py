# SPDX-License-Identifier: GPL-3.0-or-later
"""Move bakes along with machines that were moved since, or move the machines back."""

import bpy
import numpy as np
from mathutils import Matrix

from ....core.model import ModelError
from ... import bridge, ids
from ...bake.errors import BakeError
from ...nodes import Node, is_part, model_name, owner_of, parent_of, world_matrix
from ...preview import current
from ..report import fail, in_object_mode, succeed


class LIMBERJACK_OT_bake_move_along(bpy.types.Operator):
    """Make the bakes of moved or copied machines play where the machines stand now"""

    bl_idname = ids.OP_BAKE_ALONG
    bl_label = "Move Bake Along"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if current() is not None:
            cls.poll_message_set("Stop the preview first")
            return False
        return in_object_mode(cls, context)

    def execute(self, context):
        try:
            done = move_all_along(context)
        except ModelError as error:
            return fail(self, context, error)
        if not done:
            self.report({"INFO"}, "Every bake plays where its links stand")
            return {"CANCELLED"}
        return succeed(self, context, done)


def move_all_along(context, _link: Node | None = None) -> str:
    """Make the bake of every moved or copied machine play at the machine's place.

    Return a message; empty if there is no such machine.
    """
    from ...bake.keys.moving_along import Move, move_along

    found = bridge.baked_machines.machines.machines_to_update(context.scene)
    if not found:
        return ""
    identity = bridge.baked_machines.displacements.IDENTITY_MATRIX
    moves = [
        Move(it, it.link_displacement, it.key_displacement) if it.is_moved else Move(it, identity, identity)
        for it in found
    ]
    move_along(context.scene, moves)
    names = ", ".join(repr(machine.links[0].name) for machine in found)
    return f"The bake of {names} moved along"


def all_back_to_keys(context, _link: Node) -> str:
    """Return all moved machines, joints included, to the poses of their keys."""
    scene = context.scene
    found = bridge.baked_machines.machines.machines_to_update(scene)
    for joint in (joint for machine in found for joint in machine.world_joints):
        bridge.baked_machines.machines.restore_world_joint(scene, joint.name)
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return f"Back at the keys: {', '.join(repr(machine.links[0].name) for machine in found)}"


def move_bake_along(context, link: Node) -> str:
    """Move a bake by the displacement of a link, regardless of other links of its machine."""
    from ...bake.keys.moving_along import Move, move_along

    machine = _machine_of(context.scene, link)
    move = machine.link_displacements.get(link)
    if move is None or not bridge.baked_machines.displacements.is_rigid(move):
        raise ModelError(f"link '{link.name}' stands where its keys have it")
    displacement = bridge.baked_machines.displacements.tidy_displacement(link, move)
    move_along(context.scene, [Move(machine, displacement, machine.key_displacement_or_identity)])
    return f"The bake of '{link.name}' moved along"


def back_to_keys(context, link: Node) -> str:
    scene = context.scene
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return f"'{link.name}' is where its keys have it"


def scale_back(context, link: Node) -> str:
    """Restore the size that the link had when it was baked. Its keys stay."""
    if is_part(link):
        restored = bridge.baked_machines.changed_bones.restore_scale(link)
        return _back_to_bake(context, link, restored, "size: give what was scaled its former scale (Alt-S for 1)")
    baked_matrix = bridge.baked_machines.keyed_poses.baked_matrix(link)
    assert baked_matrix is not None  # the problem was found by it
    wanted = np.linalg.norm(baked_matrix[:3, :3], axis=0)
    now = np.linalg.norm(bridge.baked_machines.keyed_poses.world_matrix_of_keys(link)[:3, :3], axis=0)
    link.scale = (np.array(link.scale) * wanted / now).tolist()
    return back_to_keys(context, link)


def play_in_place(context, link: Node) -> str:
    """Remove the effect that a new or moved parent has on the motion of a link."""
    if is_part(link):
        restored = bridge.baked_machines.changed_bones.restore_place(link)
        return _back_to_bake(context, link, restored, "place: put what was moved back, or unparent the armature")
    baked_matrix = bridge.baked_machines.keyed_poses.baked_matrix(link)
    assert baked_matrix is not None  # the problem was found by it
    parent = parent_of(link)
    if parent is None:
        raise BakeError(f"link '{link.name}' has lost the parent that carried its keys: simulate again")
    own = bridge.animation.motion_sources.basis_at(link)
    if bridge.animation.motion_sources.is_animated(parent):
        space = baked_matrix @ np.linalg.inv(own)
        link.parent, link.matrix_parent_inverse = None, Matrix.Identity(4)
        if not bridge.baked_machines.displacements.leaves_in_place(space):
            raise BakeError(f"link '{link.name}' is unparented, and was baked on another parent: simulate again")
    else:
        above = world_matrix(parent)
        link.matrix_parent_inverse = Matrix((np.linalg.inv(above) @ baked_matrix @ np.linalg.inv(own)).tolist())
    return back_to_keys(context, link)


def _back_to_bake(context, bone: Node, restored: Node | None, explained: str) -> str:
    """Show a bone at its keys. Return a message about the node that was restored so that they fit.

    Args:
        restored: None if there was none. explained: what has changed of the bone, and what to do about it.

    Raises:
        BakeError: if no node was restored.
    """
    if restored is None:
        raise BakeError(
            f"link '{model_name(bone)}' is a bone, and no change of one bone or of '{owner_of(bone).name}' alone "
            f"explains its {explained}, or simulate again"
        )
    done = back_to_keys(context, bone)
    return done if restored == bone else f"'{model_name(restored)}' is as it was when '{model_name(bone)}' was baked"


def _machine_of(scene: bpy.types.Scene, link: Node):
    for machine in bridge.baked_machines.machines.baked_machines(scene):
        if link in machine.links:
            return machine
    raise ModelError(f"link '{link.name}' plays no bake")


CLASSES = (LIMBERJACK_OT_bake_move_along,)
