# SPDX-License-Identifier: GPL-3.0-or-later
"""Place the links of a model that was written into a scene where its simulations start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import bpy

from ....core.kinematics import Poser, tree_poses
from ....core.model import Model
from ....core.spatial import Pose
from ...kernel_compilation import compile_posing
from ...nodes import Node
from ..posing.present_poses import move_links
from ..values.numbers import unit_length
from .read import depsgraph_of


def move_to_initial_pose(model: Model, objects: Mapping[str, bpy.types.Object], scene: bpy.types.Scene) -> list[str]:
    """Move the links of a model to the initial poses of its joints.

    The frames of the joints and the stored poses of the links stay those of q = 0, so the scene reads as the same
    model.

    Args:
        objects: of its links, by name, at the poses of the model.

    Returns:
        A note if loops cannot be closed there; the links stay where they are then.
    """
    acting = replace(model, couplings=[]).acting_at(0.0)  # scenes have no couplings
    joints = [branch.joint for branch in acting.tree().branches]
    if all(joint.home in (joint.neutral, joint.neutral_within_limits) for joint in joints):
        return []  # the file gives no initial pose; the limits alone do not move what it draws
    poses = initial_poses(acting)
    if poses is None:
        return [f"model '{model.name}' is not shown in its initial pose, in which its loops cannot be closed"]
    moved: dict[Node, Pose] = {
        objects[link.name]: poses[link.name] for link in model.links if poses[link.name] != link.pose
    }
    move_links(moved, unit_length(scene))
    depsgraph_of(scene).update()
    return []


def initial_poses(model: Model) -> dict[str, Pose] | None:
    """Return the poses of all links in the initial pose [m], by name; None if loops cannot be closed there.

    They are those of `Posing.move_to_initial_pose`.
    """
    poses = tree_poses(model, model.home())
    if not (model.loops() or model.equations()):
        return poses
    if not bpy.app.background:
        compile_posing()
    poser = Poser(model, poses)
    return poser.poses() if poser.satisfy_mimics() else None
