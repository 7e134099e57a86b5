# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the links stand now, as coordinates of their joints, and links put where coordinates have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import bpy
import numpy as np
from mathutils import Matrix

from ...core.kinematics import coordinates_at
from ...core.model import WORLD, Joint
from ...core.model.screws import joint_pose
from ...core.spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat
from .. import ids
from ..props import ancestors
from .numbers import scaled_pose
from .poses import live_pose, matrix_of_pose, own_scale, to_array, world_scale

LEFT = 1e-4
"""Gap beyond which a link counts as moved away from its joint: of its distance from the origin, or 1, and in rad."""


Seen = Callable[[bpy.types.Object], bpy.types.Object]
"""From an object to what a dependency graph makes of it: only the one of the window hands its matrices back."""


def as_it_is(obj: bpy.types.Object) -> bpy.types.Object:
    return obj


def joint_pose_now(obj: bpy.types.Object, joint: Joint, unit: float) -> Pose:
    """X_J of the joint's two frames as its links stand [m]. unit: metres in a Blender unit."""
    settings = getattr(obj, ids.JOINT)
    X_WP, X_WC = (
        scaled_pose(live_pose(link), unit) if link is not None else IDENTITY
        for link in (settings.parent, settings.child)
    )
    return compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))


def coordinates_now(obj: bpy.types.Object, joint: Joint, unit: float) -> np.ndarray:
    """The joint's coordinates as its links stand, shape (nq,) [rad, m], or those that come nearest."""
    return coordinates_at(joint, joint_pose_now(obj, joint, unit), np.array(joint.q_middle))


def gap_at(joint: Joint, X_WL: Mapping[str, Pose]) -> float:
    """How far [m, rad] links at these poses [m] stand from where the joint could hold them; 0 for mere rounding."""
    X_WP, X_WC = (IDENTITY if name == WORLD else X_WL[name] for name in (joint.parent, joint.child))
    X = compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))
    values = coordinates_at(joint, X, np.array(joint.q_neutral))
    off = compose(inverse(joint_pose(joint, values.tolist())), X)
    place, turn = norm(off[:3]), norm(rotvec_of_quat(off[3:]))
    reach = max(1.0, max(map(abs, X_WC[:3])))
    return max(place, turn) if place > LEFT * reach or turn > LEFT else 0.0


def poses_now(objects: Mapping[str, bpy.types.Object], unit: float, seen: Seen = as_it_is) -> dict[str, Pose]:
    """X_WL of every link as it stands [m], by name."""
    return {name: scaled_pose(live_pose(seen(obj)), unit) for name, obj in objects.items()}


def put_links(poses: Mapping[bpy.types.Object, Pose], unit: float, seen: Seen = as_it_is) -> None:
    """Move link objects to poses in the world [m]; what they carry goes along, and links among it stay where told."""
    worlds = {}
    for obj, pose in poses.items():
        worlds[obj] = matrix_of_pose(scaled_pose(pose, 1.0 / unit)) @ np.diag((*world_scale(obj), 1.0))
    for obj, world in worlds.items():
        space = _space_of(obj, worlds, seen)
        _place(obj, Matrix((np.linalg.inv(space) @ world).tolist()))


def _place(obj: bpy.types.Object, basis: Matrix) -> None:
    """Give the object the location and rotation of its own transform; its scale stays, to the last digit."""
    obj.location = basis.translation - obj.delta_location
    turn = basis.to_3x3() @ Matrix.Diagonal(own_scale(obj).tolist()).inverted()
    if obj.rotation_mode == "QUATERNION":
        obj.rotation_quaternion = obj.delta_rotation_quaternion.inverted() @ turn.to_quaternion()
    elif obj.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_quaternion().to_axis_angle()
        obj.rotation_axis_angle = (angle, *axis)
    else:
        left = obj.delta_rotation_euler.to_matrix().inverted() @ turn
        obj.rotation_euler = left.to_euler(obj.rotation_mode, obj.rotation_euler)


def _space_of(obj: bpy.types.Object, worlds: dict[bpy.types.Object, np.ndarray], seen: Seen) -> np.ndarray:
    """What lies between the world and the object's own transform once all of `worlds` are where they are put."""
    if obj.parent is None:
        return np.eye(4)
    carrier = obj.parent
    if carrier in worlds:
        return worlds[carrier] @ to_array(obj.matrix_parent_inverse)
    if any(above in worlds for above in ancestors(carrier)):
        return _space_of(carrier, worlds, seen) @ to_array(carrier.matrix_basis) @ to_array(obj.matrix_parent_inverse)
    if obj.parent_type == "OBJECT":
        return to_array(seen(carrier).matrix_world) @ to_array(obj.matrix_parent_inverse)
    shown = seen(obj)
    return to_array(shown.matrix_world) @ np.linalg.inv(to_array(shown.matrix_basis))
