# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulations in one call: of a model from one state, or of many copies of it, each from a state of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..controls.controls import Controls
from ..model import StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..trajectory.trajectory import Trajectory
from .simulation import Simulation

FRAME_RATE = 24.0
"""Default number of frames per second."""

SAME_FRAME = 1e-9
"""Part of a frame interval within which an end counts as a frame, because duration times frame rate is rounded."""

MOST_EXACT = 2.0**53
"""Whole numbers up to this one are exact in double precision."""


def simulate(
    model: AnyModel,
    duration: float,
    q: Values = None,
    qd: Values = None,
    frame_rate: float = FRAME_RATE,
    **options: Any,
) -> Trajectory:
    """Simulate a model. The first frame is at 0 s and the last one at `duration`.

    Frames are evenly spaced. If `duration` lies between two frames, the last interval is shorter.

    Args:
        duration: [s].
        q, qd: the initial state, {joint: number or list}, or arrays in the layout of `compile_model(model)`. By
            default, home and at rest, but for the initial velocities of links that float.
        frame_rate: frames per second.
        options: arguments of `Simulation`: accuracy, solver, controls, record, contact, and initial, in place of q and
            qd.

    Raises:
        As `Simulation`. ValueError: if duration or frame_rate is not above 0.
    """
    times = frame_times(duration, frame_rate)
    if q is not None or qd is not None:
        if "initial" in options:
            raise TypeError("initial is a state with q and qd: give either that, or q and qd")
        model = compiled_of(model)
        options["initial"] = {"q": _by_joint(model, q, "q"), "qd": _by_joint(model, qd, "qd")}
    return Simulation(model, times, **options).run()


@dataclass(frozen=True, repr=False)
class Worlds:
    """The motion of W worlds in F frames.

    Attributes:
        times: shape (F,) [s]. link_names: L names.
        q, qd: shapes (W, F, nq) and (W, F, nv), in the layout of `compile_model(model)`, as views have it; NaN where a
            coordinate does not act.
        X_WL: shape (W, F, L, 7) [m].
    """

    times: np.ndarray
    link_names: tuple[str, ...]
    q: np.ndarray
    qd: np.ndarray
    X_WL: np.ndarray

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"<Worlds: {len(self)} of {len(self.times)} frames, {len(self.link_names)} links>"


def simulate_worlds(
    model: AnyModel,
    duration: float,
    q: np.ndarray,
    qd: np.ndarray | None = None,
    frame_rate: float = FRAME_RATE,
    controls: Controls | Sequence[Controls] | None = None,
    **options: Any,
) -> Worlds:
    """Simulate many worlds, one after the other, each from its own state; see `ArticulationView.worlds`.

    Args:
        duration: [s].
        q, qd: shapes (W, nq) and (W, nv), in the layout of `compile_model(model)`; at rest if qd is left out. If a
            state leaves a loop open, joints move until it is closed; `closed_state` makes states that are closed.
        frame_rate: frames per second.
        controls: those of all worlds, or a list with the controls of each world.
        options: arguments of `Simulation`, without `initial`.

    Raises:
        As `Simulation`. StateError: if q or qd has another shape, or the number of controls is not that of worlds.
    """
    times, compiled = frame_times(duration, frame_rate), compiled_of(model)
    starts = np.asarray(q, dtype=np.float64)
    if starts.ndim != 2 or starts.shape[1] != compiled.nq:
        raise StateError(f"q of many worlds has shape (worlds, {compiled.nq}), found {starts.shape}")
    rates = np.zeros((len(starts), compiled.nv)) if qd is None else np.asarray(qd, dtype=np.float64)
    if rates.shape != (len(starts), compiled.nv):
        raise StateError(f"qd of these worlds has shape ({len(starts)}, {compiled.nv}), found {rates.shape}")
    every = list(controls) if isinstance(controls, Sequence) else [controls] * len(starts)
    if len(every) != len(starts):
        raise StateError(f"controls are those of all worlds, or one of each: {len(starts)}, found {len(every)}")
    motions = []
    for at, moving, own in zip(starts, rates, every, strict=True):
        state = {"q": _by_joint(compiled, at, "q"), "qd": _by_joint(compiled, moving, "qd")}
        motions.append(Simulation(compiled, times, initial=state, controls=own, **options).run())
    places, speeds = _columns(compiled, motions[0]) if motions else ([], [])
    shape = (len(motions), len(times))
    return Worlds(
        times,
        compiled.link_names,
        np.array([motion.q[:, places] for motion in motions]).reshape(*shape, compiled.nq),
        np.array([motion.qd[:, speeds] for motion in motions]).reshape(*shape, compiled.nv),
        np.array([motion.X_WL for motion in motions]).reshape(*shape, len(compiled.link_names), 7),
    )


def frame_times(duration: float, frame_rate: float = FRAME_RATE, begin: float = 0.0) -> np.ndarray:
    """Return the times of all frames of a simulation [s], shape (F,), from `begin` to `begin + duration`.

    Frames are 1 / frame_rate apart. If the end lies between two frames, the last interval is shorter. If `begin` is a
    frame of a simulation from 0 s, the times are those of that simulation, to the last bit.
    """
    for what, value in (("duration", duration), ("frame_rate", frame_rate)):
        if isinstance(value, bool) or not isinstance(value, int | float | np.number):
            raise TypeError(f"{what} takes one number, found {value!r}; Simulation takes the times of all frames")
        if not (value > 0.0 and np.isfinite(value)):
            raise ValueError(f"{what} takes a number above 0, found {value}")
    intervals = duration * frame_rate
    rounding = max(SAME_FRAME, 4.0 * np.finfo(np.float64).eps * intervals)
    count = int(np.floor(intervals + rounding))
    first = round(begin * frame_rate) if abs(begin * frame_rate) < MOST_EXACT else 0
    frames = np.arange(count + 1)
    times = (first + frames) / frame_rate if first / frame_rate == begin else begin + frames / frame_rate
    return np.append(times, begin + duration) if intervals - count > rounding else times


def _by_joint(compiled: CompiledModel, values: Values, what: str) -> Mapping:
    if values is None or isinstance(values, Mapping):
        return values or {}
    if what == "q":
        return compiled.q_by_joint(compiled.positions(values))
    rates = compiled.velocities(values)
    return {name: rates[span.v].tolist() for name, span in compiled.spans.items()}


def _columns(compiled: CompiledModel, motion: Trajectory) -> tuple[list[int], list[int]]:
    """Return the columns of a motion's q and qd that a layout has, in the order of the layout."""
    places, speeds = [0] * compiled.nq, [0] * compiled.nv
    for name, span in compiled.spans.items():
        at_q, at_v = motion.joints[name]
        for place, column in enumerate(at_q):
            places[span.q_at(place)] = column
        for place, column in enumerate(at_v):
            speeds[span.v_at(place)] = column
    return places, speeds
