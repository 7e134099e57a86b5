# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert poses of links in the world to the location and rotation channels of their objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....core.spatial.arrays import matmul, matvec, norm
from ....core.trajectory.reduction import Error
from ...bridge.animation.motion_sources import VALUES
from ...bridge.links.tagging import conflict_with_keys
from ...bridge.posing.link_poses import own_scale
from ...nodes import (
    Node,
    delta_location,
    delta_rotation,
    display_size,
    has_location,
    model_name,
    obstacle_to_showing,
    owner_of,
    parent_of,
)
from ...nodes.animation import drivers_of, strips_on
from ...nodes.space import Space
from ..errors import BakeError
from .rotations import (
    angles_between,
    axis_angles,
    continuous_quaternions,
    euler_angles,
    matrices_of,
    matrices_of_euler,
    quaternions_of,
    quaternions_of_axis_angles,
    unit_quaternions,
)

SHEAR = 1e-4
"""Largest cosine between two axes of an object that counts as a right angle."""

CONNECTED_GAP = 1e-4
"""Largest distance between a connected bone and its parent's tail that counts as none, as a part of the bone's length.
"""


def require_bakeable(obj: Node) -> None:
    """Raise `BakeError` if a link cannot be keyed, or if something moves it against its keys."""
    owner = owner_of(obj)
    if owner.library is not None or not owner.is_editable:
        raise BakeError(
            f"link '{model_name(obj)}' comes from a library and cannot be keyed: make it local, or override it (Object "
            "> Library Override > Make)"
        )
    if reason := conflict_with_keys(obj) or obstacle_to_showing(obj):
        raise BakeError(reason)


def require_keyable(joint: Node) -> None:
    """Raise `BakeError` if the values of a joint cannot be keyed, or if something sets them against the keys."""
    if not owner_of(joint).is_editable:
        raise BakeError(
            f"joint '{model_name(joint)}' comes from a library and cannot be keyed: make it local, or override it "
            "(Object > Library Override > Make)"
        )
    if drivers := drivers_of(joint, (VALUES,)):
        path = drivers[0].data_path
        raise BakeError(f"joint '{joint.name}' has a driver on its {path}, which would fight the keys: remove it")
    if strips_on(joint, (VALUES,)):
        raise BakeError(f"joint '{joint.name}' plays strips of the nonlinear animation: mute their tracks")


@dataclass(frozen=True)
class Channel:
    """Properties of an object that get keys at the same frames.

    Attributes:
        properties: data path and array index of each. values: at every frame, shape (F, C).
        is_rotation: whether it rotates the link, and does not translate it.
        error: function of a first frame and fitted values from there on, shape (n, C), that returns how far they move
            the link from its pose, shape (n,) [Blender units or rad].
    """

    properties: tuple[tuple[str, int], ...]
    values: np.ndarray
    is_rotation: bool
    error: Error


def world_matrices(X_WL: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the world matrices of a link, shape (F, 4, 4).

    Args:
        X_WL: poses, shape (F, 7). scale: shape (3,).
    """
    matrices = np.zeros((len(X_WL), 4, 4))
    matrices[:, :3, :3] = matrices_of(unit_quaternions(X_WL[:, 3:])) * scale
    matrices[:, :3, 3] = X_WL[:, :3]
    matrices[:, 3, 3] = 1.0
    return matrices


def channels_of(obj: Node, space: Space, world: np.ndarray) -> list[Channel]:
    """Return the channels that give an object its world matrices: location, if the object has one, and rotation.

    Args:
        space: of the object, at every frame.
        world: world matrices with scale, shape (F, 4, 4).

    Raises:
        BakeError: if no location and rotation give these matrices.
    """
    parent = parent_of(obj)
    own = space.own_of(world) if parent else world
    rotations = own[:, :3, :3] / own_scale(obj)
    if parent:
        _require_no_shear(obj, parent, rotations)
    location = own[:, :3, 3] - delta_location(obj)
    spaces = np.broadcast_to(space.location, own.shape)[:, :3, :3]

    def location_error(first: int, fitted: np.ndarray) -> np.ndarray:
        part = slice(first, first + len(fitted))
        return norm(matvec(spaces[part], fitted - location[part]))

    path, values = _rotation(obj, rotations)

    def rotation_error(first: int, fitted: np.ndarray) -> np.ndarray:
        return angles_between(
            matmul(delta_rotation(obj), rotation_matrices(obj, fitted)), rotations[first : first + len(fitted)]
        )

    turning = _channel(path, values, True, rotation_error)
    if not has_location(obj):
        return [turning]
    return [_channel("location", location, False, location_error), turning]


def _channel(path: str, values: np.ndarray, is_rotation: bool, error: Error) -> Channel:
    return Channel(tuple((path, index) for index in range(values.shape[1])), values, is_rotation, error)


def world_matrices_of(obj: Node, space: Space, location: np.ndarray | None, rotation: np.ndarray) -> np.ndarray:
    """Return the world matrices of an object at these values, with scale, shape (F, 4, 4); the inverse of
    `channels_of`.

    Args:
        location: shape (F, 3); None for an object without a location.
    """
    location = np.zeros((len(rotation), 3)) if location is None else location
    own = np.zeros((len(location), 4, 4))
    own[:, :3, :3] = matmul(delta_rotation(obj), rotation_matrices(obj, rotation)) * own_scale(obj)
    own[:, :3, 3] = location + delta_location(obj)
    own[:, 3, 3] = 1.0
    return space.world_of(own)


def require_connected(obj: Node, space: Space, world: np.ndarray) -> None:
    """Raise `BakeError` if the motion parts a connected bone from its parent.

    Args:
        space, world: as for `channels_of`.
    """
    if has_location(obj):
        return
    gap = float(norm(space.location[..., :3, 3] - world[:, :3, 3]).max())
    if gap > CONNECTED_GAP * display_size(obj):
        raise BakeError(
            f"link '{model_name(obj)}' moves {gap:.3g} away from the bone to which it is connected, which keys cannot "
            "do: switch Connected off in its bone's Relations, or give it a joint without slides"
        )


def _require_no_shear(obj: Node, parent: Node, rotations: np.ndarray) -> None:
    error = np.abs(matmul(np.swapaxes(rotations, 1, 2), rotations) - np.eye(3)).max()
    if not error <= SHEAR:
        raise BakeError(
            f"link '{model_name(obj)}': its parent '{model_name(parent)}' is scaled unevenly and would "
            "shear it as it turns: apply the parent's scale, or unparent the link"
        )


def rotation_matrices(obj: Node, values: np.ndarray) -> np.ndarray:
    """Return the rotation matrices of values in the object's rotation mode, shape (F, 3, 3)."""
    if obj.rotation_mode == "QUATERNION":
        return matrices_of(unit_quaternions(values))
    if obj.rotation_mode == "AXIS_ANGLE":
        return matrices_of(quaternions_of_axis_angles(values))
    return matrices_of_euler(values, obj.rotation_mode)


def _rotation(obj: Node, rotations: np.ndarray) -> tuple[str, np.ndarray]:
    """Return the data path of the object's rotation, and its values.

    Args:
        rotations: rotation matrices, deltas included, shape (F, 3, 3).
    """
    mode = obj.rotation_mode
    unturned = matmul(delta_rotation(obj).T, rotations)
    if mode == "QUATERNION":
        return "rotation_quaternion", continuous_quaternions(quaternions_of(unturned), obj.rotation_quaternion)
    if mode == "AXIS_ANGLE":
        quaternions = continuous_quaternions(quaternions_of(unturned), (1.0, 0.0, 0.0, 0.0))
        return "rotation_axis_angle", axis_angles(quaternions, obj.rotation_axis_angle)
    return "rotation_euler", euler_angles(unturned, mode, obj.rotation_euler)
