# SPDX-License-Identifier: GPL-3.0-or-later
"""The frames of a joint, and the Empty that shows them."""

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ....core.spatial import IDENTITY, Pose, compose, inverse
from ....core.spatial.arrays import matmul
from ...nodes import (
    Node,
    hang_on,
    model_name,
    object_of,
    own_matrix,
    parent_inverse,
    parent_of,
    world_matrix,
)
from ...props import ancestors, has_lost_its_parent, is_link
from ...props.settings import joint_settings
from ..errors import SceneError
from ..posing.link_poses import are_same, drawn_pose, pose_of_matrix, world_scale
from ..values.numbers import format_pose, parse_pose, tidy_pose

UNSCALED = np.ones(3)


def require_both_ends(obj: Node) -> None:
    """Raise `ModelError` if a link of the joint is missing.

    A joint that has lost its parent does not join its child to the world instead.
    """
    joint = joint_settings(obj)
    if joint.child_node is None:
        raise SceneError(
            "no-child", f"joint '{model_name(obj)}' has no child: choose the link that it moves, or delete the joint"
        )
    if has_lost_its_parent(joint):
        raise SceneError(
            "lost-parent", f"joint '{model_name(obj)}' has lost its parent: choose another, or tick Join to World"
        )


def stored_frames(obj: Node) -> tuple[Pose, Pose]:
    """Return X_PJ and X_CJ as they are stored [Blender units]. The joint of a bone stores none.

    Raises:
        ModelError: if there are none, or if they cannot be parsed.
    """
    joint = joint_settings(obj)
    if not (joint.X_PJ and joint.X_CJ):
        raise SceneError(
            "no-frames",
            f"joint '{model_name(obj)}' was given another link: place its Empty, then press Rebind at Current Pose",
        )
    return (
        parse_pose(joint.X_PJ, f"joint '{model_name(obj)}': the frame in the parent"),
        parse_pose(joint.X_CJ, f"joint '{model_name(obj)}': the frame in the child"),
    )


def place_empty(obj: bpy.types.Object, X_PJ: Pose) -> None:
    """Parent the Empty to the joint's parent link, with X_PJ as its own location and rotation.

    The inverse of the parent's scale is stored in the Empty's parent inverse, so that the Empty is not stretched.
    """
    parent = joint_settings(obj).parent_node
    if parent is None:
        obj.parent, obj.matrix_parent_inverse = None, Matrix.Identity(4)
    else:
        hang_on(obj, parent, Matrix.Diagonal((*(1.0 / world_scale(parent)), 1.0)))
    obj.delta_location = (0.0, 0.0, 0.0)
    obj.delta_rotation_euler = (0.0, 0.0, 0.0)
    obj.delta_rotation_quaternion = (1.0, 0.0, 0.0, 0.0)
    obj.rotation_mode = "QUATERNION"
    obj.location = X_PJ[:3]
    obj.rotation_quaternion = Quaternion(X_PJ[3:])


def empty_frame(obj: Node) -> Pose:
    """Return the Empty's pose in the parent link [Blender units], independent of the link's present pose."""
    parent = joint_settings(obj).parent_node
    carrier = next(filter(is_link, ancestors(obj)), None)
    in_carrier = _pose_below(carrier, obj)
    if carrier == parent:
        return in_carrier
    in_world = compose(drawn_pose(carrier), in_carrier) if carrier else in_carrier
    return compose(inverse(drawn_pose(parent)), in_world) if parent else in_world


def _pose_below(carrier: Node | None, obj: Node) -> Pose:
    """Return the object's pose in the link that carries it, directly or through other objects, or else in the world.

    The pose does not depend on the animation of the link.
    """
    if carrier is None and parent_of(obj) is not None:
        return tidy_pose(pose_of_matrix(world_matrix(obj), UNSCALED))
    carried = np.eye(4)
    for part in (obj, *ancestors(obj)):
        if part == carrier:
            break
        carried = matmul(matmul(parent_inverse(part), own_matrix(part)), carried)
    if carrier is not None:
        carried = matmul(np.diag((*world_scale(carrier), 1.0)), carried)
    return tidy_pose(pose_of_matrix(carried, UNSCALED))


def was_moved_since_stored(obj: Node) -> bool:
    """Return whether the Empty was moved since the joint's frames were stored. A bone stores none."""
    if not joint_settings(obj).X_PJ:
        return False
    return not are_same(stored_frames(obj)[0], empty_frame(obj))


def child_in_parent(obj: Node) -> Pose:
    """Return the child's pose in its parent at the poses in which the model was drawn [Blender units]."""
    joint = joint_settings(obj)
    X_WP = drawn_pose(joint.parent_node) if joint.parent_node else IDENTITY
    return compose(inverse(X_WP), drawn_pose(joint.child_node))


def frames_at_empty(obj: Node) -> tuple[Pose, Pose]:
    """Return X_PJ and X_CJ [Blender units] for a joint at its Empty, with the links as they were drawn.

    Raises:
        ModelError: if the joint lacks a link, or if one of its links has scale 0.
    """
    require_both_ends(obj)
    joint = joint_settings(obj)
    X_PJ = stored_frames(obj)[0] if joint.X_PJ and not was_moved_since_stored(obj) else empty_frame(obj)
    return X_PJ, compose(inverse(child_in_parent(obj)), X_PJ)


def store_frames(obj: Node, X_PJ: Pose, X_CJ: Pose) -> None:
    """Store the frames of a joint, and move its Empty there."""
    joint = joint_settings(obj)
    joint.X_PJ, joint.X_CJ = format_pose(X_PJ), format_pose(X_CJ)
    place_empty(object_of(obj), X_PJ)
