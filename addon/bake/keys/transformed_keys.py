# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform location and rotation of an object, as values and as F-curves, when the object is moved."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ....core.spatial import quat_mul, quat_of_mat
from ...nodes import Node, delta_location, delta_rotation, model_name
from ...nodes.animation import path_in
from ..errors import BakeError
from .fcurves import TRANSFORM_CHANNELS
from .rotations import axis_angles, continuous_quaternions, euler_angles, quaternions_of
from .transforms import rotation_matrices


@dataclass(frozen=True)
class Change:
    """The change of a channel.

    Attributes:
        apply: function from the channel's values to the changed values, both of shape (K, C).
        shift: vector that is added to all values, shape (C,), if the change is an addition only; else None.
    """

    apply: Callable[[np.ndarray], np.ndarray]
    shift: np.ndarray | None = None


HANDLE_FRACTION = 1e-3
"""Part of the way from a key to its handle that is transformed to find the direction of the changed handle."""

LAST_AXIS = {"XYZ": 2, "YXZ": 2, "XZY": 1, "ZXY": 1, "YZX": 0, "ZYX": 0}
"""The axis of the parent about which the last angle turns, by rotation order."""

CHANNEL_SIZES = dict(TRANSFORM_CHANNELS)
"""Number of values of each channel, by data path."""


def changes_of(obj: Node, move: np.ndarray) -> dict[str, Change]:
    """Return the change of each of the object's channels when its transform is moved.

    Rotations are given in the object's rotation mode. They do not change if the move is a translation.

    Args:
        move: rigid displacement, shape (4, 4), in the space of the object's own transform.
    """
    turn, shift, rest = move[:3, :3], move[:3, 3], delta_location(obj)
    if np.allclose(turn, np.eye(3), rtol=0.0, atol=1e-12):
        return {"location": _addition(shift)}
    found = {"location": Change(lambda values: (values + rest) @ turn.T + shift - rest)}
    delta, mode = delta_rotation(obj), obj.rotation_mode
    carried = delta.T @ turn @ delta  # the rotation in the space of the object's own, before the delta
    if mode == "QUATERNION":
        left = quat_of_mat(tuple(carried.ravel().tolist()))
        found["rotation_quaternion"] = Change(
            lambda values: np.array([quat_mul(left, (w, x, y, z)) for w, x, y, z in values.tolist()])
        )
    elif mode == "AXIS_ANGLE":
        found["rotation_axis_angle"] = Change(
            lambda values: _axis_angles(carried @ rotation_matrices(obj, values), values)
        )
    elif _turns_about(axis := LAST_AXIS[mode], carried):
        about = np.zeros(3)
        about[axis] = np.arctan2(carried[(axis + 2) % 3, (axis + 1) % 3], carried[(axis + 1) % 3, (axis + 1) % 3])
        found["rotation_euler"] = _addition(about)
    else:
        found["rotation_euler"] = Change(
            lambda values: euler_angles(carried @ rotation_matrices(obj, values), mode, values[0])
        )
    return found


def _addition(shift: np.ndarray) -> Change:
    return Change(lambda values: values + shift, shift)


def _turns_about(axis: int, turn: np.ndarray) -> bool:
    return bool(abs(turn[axis, axis] - 1.0) <= 1e-12)


def _axis_angles(turns: np.ndarray, values: np.ndarray) -> np.ndarray:
    return axis_angles(continuous_quaternions(quaternions_of(turns), (1.0, 0.0, 0.0, 0.0)), values[0])


def changed_values(values: dict[str, list[float]], changes: dict[str, Change]) -> dict[str, list[float]]:
    """Return the changed values.

    Args:
        values: of the channels, by name.
    """
    changed = {name: change.apply(np.array([values[name]]))[0].tolist() for name, change in changes.items()}
    return values | changed


Moved = list[tuple[bpy.types.FCurve, dict[str, np.ndarray]]]
"""F-curves with the new frames and values of their keys and handles, shape (K, 2), by Blender's names."""


def changed_curves(obj: Node, curves: Iterable[bpy.types.FCurve], changes: dict[str, Change]) -> Moved:
    """Return the F-curves that change, with their new keys and handles.

    Raises:
        BakeError: if a channel is rotated whose keys are at different frames.
    """
    curves, found = list(curves), []
    for path, change in changes.items():
        of_path = {curve.array_index: curve for curve in curves if path_in(obj, curve) == path}
        if of_path:
            found += _changed(obj, path, of_path, change)
    return found


def write_keys(moved: Moved) -> None:
    for curve, keys in moved:
        for name, numbers in keys.items():
            curve.keyframe_points.foreach_set(name, numbers.astype(np.float32).ravel())
        curve.update()


def _changed(obj: Node, path: str, curves: dict[int, bpy.types.FCurve], change: Change) -> Moved:
    size = CHANNEL_SIZES[path]
    if change.shift is not None:
        return [(curve, _shifted(curve, change.shift[index])) for index, curve in curves.items()]
    keys = {index: _keys_and_handles(curve) for index, curve in curves.items()}
    frames = [points["co"][:, 0] for points in keys.values()]
    if len(curves) < size or any(not np.array_equal(frames[0], other) for other in frames[1:]):
        raise BakeError(
            f"'{model_name(obj)}' has keys of its {path} that stand at different frames for different axes, and cannot "
            "be turned: key all of them at once, or simulate again"
        )
    values = np.column_stack([keys[index]["co"][:, 1] for index in range(size)])
    moved = change.apply(values)
    found = []
    for name in ("handle_left", "handle_right"):
        handle_vectors = np.column_stack([keys[index][name][:, 1] for index in range(size)]) - values
        turned = _transformed_handles(change, values, handle_vectors, moved)
        for index in range(size):
            keys[index][name][:, 1] = moved[:, index] + turned[:, index]
    for index in range(size):
        keys[index]["co"][:, 1] = moved[:, index]
        found.append((curves[index], keys[index]))
    return found


def _transformed_handles(
    change: Change, values: np.ndarray, handle_vectors: np.ndarray, moved: np.ndarray
) -> np.ndarray:
    """Return the changed vectors from keys to handles, shape (K, C).

    A point near each key is transformed together with the key, so that no angle differs by a whole turn.

    Args:
        values: keys. handle_vectors: vectors from the keys to their handles. moved: changed keys; all of shape (K, C).
    """
    pairs = np.stack([values, values + HANDLE_FRACTION * handle_vectors], axis=1).reshape(-1, values.shape[1])
    changed = change.apply(pairs)[1::2]
    turns = 2.0 * np.pi * np.round((changed - moved) / (2.0 * np.pi))
    return (changed - turns - moved) / HANDLE_FRACTION


def _shifted(curve: bpy.types.FCurve, shift: float) -> dict[str, np.ndarray]:
    keys = _keys_and_handles(curve)
    for points in keys.values():
        points[:, 1] += shift
    return keys


def _keys_and_handles(curve: bpy.types.FCurve) -> dict[str, np.ndarray]:
    """Return frames and values of keys and handles, shape (K, 2) each, by Blender's names."""
    found = {}
    for name in ("co", "handle_left", "handle_right"):
        numbers = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get(name, numbers)
        found[name] = numbers.reshape(-1, 2).astype(np.float64)
    return found
