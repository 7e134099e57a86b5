# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a model from the poses of its links, such as those of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...kinematics import compile_for_posing
from ...model import Model
from ...model.compiling.compiled import coordinate_names
from ..errors import TrajectoryError
from ..quaternions import normalized
from ..rates import rates_of
from ..states import ascending_times
from ..trajectory import Trajectory
from .tracking import tracked


@dataclass(frozen=True)
class Observed:
    """The result of `of_poses`.

    Attributes:
        gap: largest difference between the poses and those that the joints allow [m or rad]. joint: the joint where it
            occurs, or "" if the model has no joints.
    """

    trajectory: Trajectory
    gap: float
    joint: str


def of_poses(
    model: Model, times: Sequence[float] | np.ndarray, X_WL: np.ndarray, link_names: Sequence[str]
) -> Observed:
    """Return the motion in which the links of a model have the given poses.

    It has coordinates without jumps and rates, but no energies. It has the coordinates that a simulation has, including
    those of joints that close loops.

    Args:
        times: ascending, shape (F,) [s].
        X_WL: shape (F, L, 7) [m], rows in the order of `link_names`, all of the model's links.

    Raises:
        TrajectoryError: if times do not ascend, if poses are invalid, or if a link is missing or unknown.
        ModelError: if the model cannot be compiled.
    """
    compiled = compile_for_posing(model)
    at = ascending_times(times)
    poses = _ordered(X_WL, len(at), link_names, compiled.link_names)
    found = tracked(compiled, poses)
    unknown = np.full(len(at), np.nan)
    motion = Trajectory(
        times=at,
        link_names=compiled.link_names,
        X_WL=poses,
        q_names=tuple(coordinate_names(compiled)),
        q=found.q,
        qd_names=tuple(coordinate_names(compiled, velocities=True)),
        qd=rates_of(compiled, at, found.q),
        kinetic=unknown,
        potential=unknown.copy(),
        dissipated=unknown.copy(),
        supplied=unknown.copy(),
    )
    return Observed(motion, found.gap, found.joint)


def _ordered(X_WL: np.ndarray, frames: int, names: Sequence[str], wanted: Sequence[str]) -> np.ndarray:
    """Return poses in the order of the names `wanted`, shape (F, L, 7) [m], with normalised quaternions.

    Raises:
        TrajectoryError: if names differ or poses are invalid.
    """
    for one, other, what in ((wanted, names, "has no pose"), (names, wanted, "is none of the model's")):
        if missing := [name for name in one if name not in other]:
            raise TrajectoryError(f"link '{missing[0]}' {what}; give a pose for every link of the model, and no others")
    poses = np.asarray(X_WL, dtype=np.float64)
    if poses.shape != (frames, len(names), 7) or not np.isfinite(poses).all() or not poses[:, :, 3:].any(axis=2).all():
        raise TrajectoryError(
            f"X_WL takes {frames} frames of {len(names)} poses x y z qw qx qy qz, found shape {poses.shape}; all must "
            "be finite, and no quaternion 0 0 0 0"
        )
    poses = poses[:, [names.index(name) for name in wanted]]
    poses[:, :, 3:] = normalized(poses[:, :, 3:])
    return poses
