# SPDX-License-Identifier: GPL-3.0-or-later
"""The arrays of a motion that is given by its coordinates: poses of links, velocities and energies in each frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..dynamics import mechanical_energy
from ..kinematics import require_satisfied, require_split, tree_kinematics
from ..kinematics.work import work_of
from ..model import StateError
from ..model.compiling.compiled import CompiledModel
from ..spatial.arrays import norm
from .errors import TrajectoryError
from .quaternions import normalized
from .rates import rates_of

Frames = ArrayLike | Mapping[str, Any]
"""Coordinates in F frames: numbers of shape (F, n), or {joint: numbers of shape (F,) or (F, numbers of the joint)}."""


class States(NamedTuple):
    """A motion in F frames, in the layout of a compiled model.

    Attributes:
        times: shape (F,) [s]. q: shape (F, nq). qd: shape (F, nv).
        X_WL: poses of the links, shape (F, L, 7) [m].
        kinetic, potential: shape (F,) [J].
    """

    times: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    X_WL: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray


def states_of(compiled: CompiledModel, times: ArrayLike, q: Frames, qd: Frames | None) -> States:
    """Return the motion with coordinates q and velocities qd; see `Trajectory.of`."""
    require_split(compiled, "Trajectory.of")
    at = ascending_times(times)
    positions = _frames(compiled, q, len(at), "q")
    for span in compiled.spans.values():
        if span.joint.kind.chart:
            columns = np.arange(compiled.nq)[span.q][-4:]
            if not (norm(positions[:, columns]) > 0.0).all():
                raise StateError(f"joint '{span.joint.name}' needs a quaternion w x y z in each frame, found 0 0 0 0")
            positions[:, columns] = normalized(positions[:, columns])
    velocities = rates_of(compiled, at, positions) if qd is None else _frames(compiled, qd, len(at), "qd")
    poses, energies = np.empty((len(at), len(compiled.link_names), 7)), np.empty((len(at), 2))
    work = work_of(compiled)
    for frame in range(len(at)):
        try:
            require_satisfied(compiled, positions[frame], None if qd is None else velocities[frame])
        except StateError as error:
            raise StateError(f"frame {frame}, at {at[frame]:g} s: {error}") from None
        poses[frame], _ = tree_kinematics(compiled, positions[frame])
        energies[frame] = mechanical_energy(compiled.arrays, work, positions[frame], velocities[frame])
    return States(at, positions, velocities, poses, energies[:, 0].copy(), energies[:, 1].copy())


def ascending_times(times: ArrayLike) -> np.ndarray:
    """Return times as an array, shape (F,) [s].

    Raises:
        TrajectoryError: if they are not one ascending finite number at least.
    """
    try:
        at = np.array(times, dtype=np.float64)
    except (TypeError, ValueError):
        at = np.empty(0)
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all() or not (np.diff(at) > 0.0).all():
        raise TrajectoryError("times must be a list of at least one ascending number of seconds")
    return at


def _frames(compiled: CompiledModel, values: Frames, count: int, what: str) -> np.ndarray:
    """Return coordinates, shape (F, nq), or velocities, shape (F, nv), as a new array.

    Raises:
        StateError: if they have another shape, or are not finite, or if no such joint moves.
    """
    size = compiled.nq if what == "q" else compiled.nv
    if not isinstance(values, Mapping):
        return _checked(values, (count, size), what)
    found = np.tile(compiled.q_home, (count, 1)) if what == "q" else np.zeros((count, size))
    for name, numbers in values.items():
        span = compiled.spans.get(name)
        if span is None:
            raise StateError(f"no joint '{name}' moves; there are: {', '.join(compiled.spans)}")
        columns = span.q if what == "q" else span.v
        own = found[:, columns].shape
        single = own[1] == 1 and np.ndim(numbers) == 1
        found[:, columns] = _checked(numbers, own[:1] if single else own, f"joint '{name}'").reshape(own)
    return found


def _checked(values: ArrayLike, shape: Sequence[int], what: str) -> np.ndarray:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != tuple(shape):
        raise StateError(f"{what} takes a row for each time, shape {tuple(shape)}, found shape {found.shape}")
    if not np.isfinite(found).all():
        frame = int(np.argwhere(~np.isfinite(found))[0][0])
        raise StateError(f"{what} takes finite numbers, found others in frame {frame}")
    return found
