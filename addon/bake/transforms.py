"""From where links are in the world to the location and rotation channels of their objects."""

from __future__ import annotations

import bpy
import numpy as np

from ..bridge.motion import active_constraints, playing_strips, transform_drivers
from ..bridge.poses import own_scale, world_scale
from .errors import BakeError
from .rotations import axis_angles, continuous_quaternions, euler_angles, matrices_of, quaternions_of
from .spaces import Spaces

SHEAR = 1e-4
"""Largest cosine between two axes of an object that still counts as a right angle."""


def require_bakeable(obj: bpy.types.Object) -> None:
    """Raise BakeError where something would fight the keys."""
    if obj.library is not None or not obj.is_editable:
        raise BakeError(f"link '{obj.name}' comes from a library and cannot be keyed: make it local")
    constraints = active_constraints(obj)
    if constraints:
        raise BakeError(
            f"link '{obj.name}' has the constraint '{constraints[0].name}', which would fight the simulated motion: "
            "mute it or remove it"
        )
    drivers = transform_drivers(obj)
    if drivers:
        raise BakeError(
            f"link '{obj.name}' has a driver on its {drivers[0].data_path}, which would fight the simulated motion: "
            "remove it"
        )
    if playing_strips(obj):
        raise BakeError(f"link '{obj.name}' plays strips of the nonlinear animation: mute their tracks")


def channels_of(
    scene: bpy.types.Scene, poses: dict[bpy.types.Object, np.ndarray], frames: np.ndarray
) -> dict[bpy.types.Object, dict[str, np.ndarray]]:
    """The values of each object's channels, by data path.

    poses: X_WL of each object, shape (F, 7) [Blender units]. frames: shape (F,).

    Raises:
        BakeError: no location and rotation would put an object there.
    """
    worlds = {obj: _world_matrices(X_WL, world_scale(obj)) for obj, X_WL in poses.items()}
    spaces = Spaces(scene, worlds, frames)
    return {obj: _channels(obj, spaces.space_of(obj), world) for obj, world in worlds.items()}


def _world_matrices(X_WL: np.ndarray, scale: np.ndarray) -> np.ndarray:
    matrices = np.zeros((len(X_WL), 4, 4))
    quaternions = X_WL[:, 3:] / np.linalg.norm(X_WL[:, 3:], axis=1, keepdims=True)
    matrices[:, :3, :3] = matrices_of(quaternions) * scale
    matrices[:, :3, 3] = X_WL[:, :3]
    matrices[:, 3, 3] = 1.0
    return matrices


def _channels(obj: bpy.types.Object, space: np.ndarray, world: np.ndarray) -> dict[str, np.ndarray]:
    own = np.linalg.inv(space) @ world
    turns = own[:, :3, :3] / own_scale(obj)
    _require_no_shear(obj, turns)
    location = own[:, :3, 3] - np.array(obj.delta_location)
    return {"location": location} | _rotation(obj, turns)


def _require_no_shear(obj: bpy.types.Object, turns: np.ndarray) -> None:
    error = np.abs(np.swapaxes(turns, 1, 2) @ turns - np.eye(3)).max()
    if not error <= SHEAR:
        raise BakeError(
            f"link '{obj.name}': its parent '{obj.parent.name if obj.parent else ''}' is scaled unevenly and would "
            "shear it as it turns: apply the parent's scale, or unparent the link"
        )


def _rotation(obj: bpy.types.Object, turns: np.ndarray) -> dict[str, np.ndarray]:
    mode = obj.rotation_mode
    if mode == "QUATERNION":
        delta = np.array(obj.delta_rotation_quaternion.normalized().to_matrix())
        quaternions = quaternions_of(delta.T @ turns)
        return {"rotation_quaternion": continuous_quaternions(quaternions, obj.rotation_quaternion)}
    if mode == "AXIS_ANGLE":
        start = obj.rotation_axis_angle
        quaternions = continuous_quaternions(quaternions_of(turns), (1.0, 0.0, 0.0, 0.0))
        return {"rotation_axis_angle": axis_angles(quaternions, start)}
    delta = obj.delta_rotation_euler.copy()
    delta.order = mode
    unturned = np.array(delta.to_matrix()).T @ turns
    return {"rotation_euler": euler_angles(unturned, mode, obj.rotation_euler)}
