# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the present poses of links as joint coordinates, and move links to given poses."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from mathutils import Matrix

from ....core.kinematics import coordinates_at
from ....core.model import WORLD, Joint
from ....core.model.screws import joint_pose
from ....core.spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat
from ...nodes import Node, attachment_of, own_matrix, parent_of, set_transform, world_matrix
from ...nodes.space import Space, space_at, space_of
from ...props import ancestors
from ...props.settings import joint_settings
from ..values.numbers import scaled_pose
from .link_poses import keeping_scales, live_pose, matrix_of_pose, own_scale, world_scale

JOINT_GAP = 1e-4
"""Tolerance of the gap beyond which a link counts as moved away from its joint: angle [rad], and length relative to the
link's distance from the origin or to 1 m, whichever is larger.
"""


Evaluator = Callable[[Node], Node]
"""A function that returns an object as a dependency graph evaluates it. Changed matrices appear in the original objects
for the window's dependency graph only.
"""


def as_original(obj: Node) -> Node:
    return obj


def joint_pose_now(obj: Node, joint: Joint, unit: float) -> Pose:
    """Return X_J, the pose of the joint's child-side frame in its parent-side frame, at the present poses [m].

    Args:
        unit: length of a Blender unit [m].
    """
    settings = joint_settings(obj)
    X_WP, X_WC = (
        scaled_pose(live_pose(link), unit) if link is not None else IDENTITY
        for link in (settings.parent_node, settings.child_node)
    )
    return compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))


def coordinates_now(obj: Node, joint: Joint, unit: float) -> np.ndarray:
    """Return the joint's coordinates at the present poses of its links, shape (nq,) [rad, m].

    If the joint cannot reach these poses, the coordinates are the nearest ones.
    """
    return coordinates_at(joint, joint_pose_now(obj, joint, unit), np.array(joint.q_middle))


def gap_at(joint: Joint, X_WL: Mapping[str, Pose]) -> float:
    """Return the distance [m] or angle [rad], whichever is larger, between the links and the nearest pose of the joint.

    Args:
        X_WL: poses of the links [m].

    Returns:
        0 if the gap is within rounding errors (`JOINT_GAP`).
    """
    X_WP, X_WC = (IDENTITY if name == WORLD else X_WL[name] for name in (joint.parent, joint.child))
    X = compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
    values = coordinates_at(joint, X, np.array(joint.q_neutral))
    off = compose(inverse(joint_pose(joint, values.tolist())), X)
    place, turn = norm(off[:3]), norm(rotvec_of_quat(off[3:]))
    reach = max(1.0, max(map(abs, X_WC[:3])))
    return max(place, turn) if place > JOINT_GAP * reach or turn > JOINT_GAP else 0.0


def poses_now(objects: Mapping[str, Node], unit: float, evaluate: Evaluator = as_original) -> dict[str, Pose]:
    """Return the present pose X_WL of every link [m], by name."""
    return {name: scaled_pose(live_pose(evaluate(obj)), unit) for name, obj in objects.items()}


def move_links(poses: Mapping[Node, Pose], unit: float, evaluate: Evaluator = as_original) -> None:
    """Move links to poses in the world [m].

    Objects that a link carries move with it, except links that are in `poses` themselves.
    """
    worlds: dict[Node, np.ndarray] = {}
    with keeping_scales():
        for obj, pose in poses.items():
            worlds[obj] = matrix_of_pose(scaled_pose(pose, 1.0 / unit)) @ np.diag((*world_scale(obj), 1.0))
    for obj, world in worlds.items():
        space = _space_of(obj, worlds, evaluate)
        own = np.linalg.inv(space.rotation) @ world
        if space.location is not space.rotation:
            own[:3, 3] = (np.linalg.inv(space.location) @ world)[:3, 3]
        _set_own_matrix(obj, Matrix(own.tolist()))


def _set_own_matrix(obj: Node, basis: Matrix) -> None:
    """Set location and rotation of the object from its own transform `basis`. Its scale keeps every digit."""
    turn = basis.to_3x3() @ Matrix.Diagonal(own_scale(obj).tolist()).inverted()
    set_transform(obj, basis.translation, turn)


def _space_of(obj: Node, worlds: dict[Node, np.ndarray], evaluate: Evaluator) -> Space:
    """Return the space of the object's own transform.

    The objects of `worlds` count as being at their new places already.
    """

    def world_of(node: Node) -> np.ndarray:
        if node in worlds:
            return worlds[node]
        if any(above in worlds for above in ancestors(node)):
            return _space_of(node, worlds, evaluate).world_of(own_matrix(node))
        return world_matrix(evaluate(node))

    carrier = parent_of(obj)
    if (
        carrier is None
        or not attachment_of(obj)
        or carrier in worlds
        or any(above in worlds for above in ancestors(carrier))
    ):
        return space_of(obj, world_of)
    shown = evaluate(obj)
    return space_at(world_matrix(shown) @ np.linalg.inv(own_matrix(shown)))
