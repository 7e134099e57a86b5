# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose directions of hinges about which gravity can turn the links that they carry."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Vector

from ....core.check import idle_hinges, lever
from ....core.joints import Unit
from ....core.model import Joint, Model
from ....core.spatial import compose, quat_to_mat
from ....core.spatial.arrays import matmul, norm
from ...nodes import Node, model_name
from ...nodes.naming import node_of
from ...props.settings import joint_settings
from ..rig import collide_once, weigh_once
from ..scene.read import scan_scene
from .joint_edits import aim_axis

DOWN = (0.0, 0.0, -1.0)
"""Direction of gravity that is assumed if there is none, since most models are drawn upright."""

SCORE_TOLERANCE = 1e-3
"""Difference of two scores, relative to 1, below which the directions count as equally good."""

Z_FIRST, X_FIRST = (2, 0, 1), (0, 1, 2)


def turn_idle_axes(scene: bpy.types.Scene) -> list[str]:
    """Lay each axis that gravity cannot turn horizontally and across what its joint carries. Return the joints' names.

    Raises:
        ModelError: if the scene cannot be read.
    """
    model = scan_scene(scene, weigh=weigh_once, collide=collide_once).model
    directions = {hinge.name: hinge.better for hinge in idle_hinges(model) if hinge.better is not None}
    for name, direction in directions.items():
        aim_axis(node_of(scene, name), scene, 0, Vector(direction))
    return [*directions]


def choose_axes(joints: Iterable[Node], scene: bpy.types.Scene) -> None:
    """Choose the axes of new hinges from their child's own axes; see `preferred_axis`.

    Joints other than hinges stay as they are.

    Args:
        joints: whose frames are parallel to their child's axes.
    """
    model = scan_scene(scene, weigh=weigh_once, collide=collide_once, faults=[]).model
    known = {joint.name: joint for joint in model.joints}
    for obj in joints:
        joint = known.get(model_name(obj))
        if joint is not None and _is_hinge(joint):
            xyz = [0.0, 0.0, 0.0]
            xyz[preferred_axis(model, joint)] = 1.0
            joint_settings(obj).axes[0].xyz = xyz


def _is_hinge(joint: Joint) -> bool:
    kind = joint.kind
    return joint.axis_count == 1 and kind.slot(0).is_pointed and joint.axis_unit(0) is Unit.ANGLE and not kind.threaded


def preferred_axis(model: Model, joint: Joint) -> int:
    """Return the number of the own axis about which a new hinge turns: 0, 1 or 2.

    About an axis along a bone, the child would spin and not swing, and about a vertical axis gravity has no torque. So
    the axis is the one about which the weight that the joint carries has the largest torque: horizontal, and across the
    line from the joint to the centre of mass. Among equals, z is preferred, as for other new joints. If the child hangs
    straight down or stands upright, its weight has no torque about any axis. Then the axis is the one that is most
    horizontal and most across; among equals, x is preferred, which lies across a figure that looks along y. If the
    centre of mass is at the joint, the line from the parent's origin is used.
    """
    down = np.array(model.gravity if any(model.gravity) else DOWN)
    down /= norm(down)
    frame = compose(model.link(joint.child).pose, joint.X_CJ)
    axes = np.array(quat_to_mat(frame[3:])).reshape(3, 3).T
    lever_direction = _unit(np.array(lever(model, joint)))
    parents = [link.pose[:3] for link in model.links if link.name == joint.parent]
    if not lever_direction.any() and parents:
        lever_direction = _unit(np.array(frame[:3]) - parents[0])
    torque = np.cross(lever_direction, down)
    if norm(torque) > SCORE_TOLERANCE:
        return _best(np.abs(matmul(axes, torque)), Z_FIRST)
    if not lever_direction.any():
        return 2
    return _best(norm(np.cross(axes, lever_direction)) * norm(np.cross(axes, down)), X_FIRST)


def _unit(vector: np.ndarray) -> np.ndarray:
    length = norm(vector)
    return vector / length if length > 1e-6 else np.zeros(3)


def _best(scores: np.ndarray, order: tuple[int, ...]) -> int:
    return max(order, key=lambda number: (scores[number] > scores.max() - SCORE_TOLERANCE, -order.index(number)))
