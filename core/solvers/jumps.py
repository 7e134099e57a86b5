# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumps of prescribed motion: discontinuities of the functions of time that give poses and coordinates.

Stepped keys make such functions. At a jump, a body with prescribed motion is moved to its new pose without a velocity,
so it pushes nothing between the two poses. Fast motion is continuous, and is integrated like any other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..controls.controls import Controls, spread
from ..dynamics.constraints import Signal
from ..model.compiling.compiled import CompiledModel, numbers_of
from ..spatial import Pose, compose, inverse, norm, quat_normalized, rotvec_of_quat, sub
from .assembly import assemble
from .protocol import State

MIN_PATH_SHARE = 0.4
"""Share of the length of a path that lies between two consecutive samples, above which there may be a jump between
them.

The samples are at Chebyshev nodes, at most 0.22 of the window apart.
"""

MIN_HALF_SHARE = 0.75
"""Share of the change in an interval that lies in one half of it, below which there is no jump. It is about 0.5 for a
smooth function, and 1 for a jump.
"""

MIN_REMAINING_SHARE = 0.5
"""Share of the change between two samples that is left in the interval of the last bisection, below which there is no
jump.
"""

BISECTIONS = 40
"""Number of bisections between two samples, which shorten an interval of 40 ms to 4e-14 s."""

MIN_JUMP = 1e-6
"""Size of a step up to which it counts as the rounding of poses in single precision, and not as a jump [m or rad]."""

SAME_TIME = 1e-14
"""Relative difference of two times up to which they count as equal, since times are rounded."""

AFTER_JUMP = 1e-3
"""Length of the span after a jump at the end of a time span, for which motion is sampled beyond that end [s]."""


@dataclass(frozen=True)
class Jump:
    """A discontinuity of prescribed motion.

    Attributes:
        time: the first time at which the motion is beyond the jump [s]. before: the last known time before it [s].
        subject: the link or the joint whose motion is prescribed, such as "link 'lift'".
        distance: the length of the jump, in `unit`: "m" or "rad".
    """

    time: float
    before: float
    subject: str
    distance: float
    unit: str


@dataclass(frozen=True)
class Span:
    """A part of a time span in which prescribed motion is continuous.

    Attributes:
        begin, end: its first and last time [s]. jump: the jump at its end, or None.
        samples: the result of `Controls.sample` for each motion, up to the last time before the jump.
    """

    begin: float
    end: float
    jump: Jump | None
    samples: list[np.ndarray]


def continuous_span(
    controls: Controls, compiled: CompiledModel, signals: tuple[Signal, ...], begin: float, end: float, now: float
) -> Span:
    """Return the part of a time span [s] that contains the time `now` and has no jump of prescribed motion within it.

    If a jump is at `now`, the part begins there.

    Args:
        signals: the motions that are prescribed.
    """
    while True:
        span = _first_span(controls, compiled, signals, begin, end)
        if span.jump is None or span.end > now + SAME_TIME * (1.0 + abs(now)):
            return span
        begin, end = span.end, max(end, span.end + AFTER_JUMP)


def _first_span(
    controls: Controls, compiled: CompiledModel, signals: tuple[Signal, ...], begin: float, end: float
) -> Span:
    found: Jump | None = None
    while True:
        last = found.before if found else end
        samples = controls.sample(signals, compiled, begin, last)
        times = spread(begin, last).tolist()
        earlier = [
            _largest_jump(controls, compiled, signal, times, values)
            for signal, values in zip(signals, samples, strict=True)
        ]
        jumps = [jump for jump in earlier if jump]
        if not jumps:
            return Span(begin, found.time if found else end, found, samples)
        found = min(jumps, key=lambda jump: jump.time)


def _largest_jump(
    controls: Controls, compiled: CompiledModel, signal: Signal, times: list[float], values: np.ndarray
) -> Jump | None:
    """Return the jump of one motion where it changes most between its samples."""
    steps = [_distance(signal, one, other) for one, other in itertools.pairwise(values)]
    place = int(np.argmax(steps))
    if steps[place] <= max(MIN_JUMP, MIN_PATH_SHARE * math.fsum(steps)):
        return None

    def value_at(time: float) -> np.ndarray:
        return controls.values(signal, compiled, time)

    return _bisect_jump(value_at, signal, compiled, times[place], times[place + 1])


def _bisect_jump(
    value_at: Callable[[float], np.ndarray], signal: Signal, compiled: CompiledModel, low: float, high: float
) -> Jump | None:
    """Return the jump between two times [s]; None if the function is continuous there."""
    at_low, at_high = value_at(low), value_at(high)
    first = step = _distance(signal, at_low, at_high)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        at_middle = value_at(middle)
        halves = _distance(signal, at_low, at_middle), _distance(signal, at_middle, at_high)
        if max(halves) < MIN_HALF_SHARE * step:
            return None
        if halves[0] > halves[1]:
            high, at_high, step = middle, at_middle, halves[0]
        else:
            low, at_low, step = middle, at_middle, halves[1]
    if step < MIN_REMAINING_SHARE * first:
        return None
    subject = f"{'link' if signal.of_link else 'joint'} '{signal.name}'"
    return Jump(high, low, subject, *_jump_size(signal, compiled, at_low, at_high))


def _distance(signal: Signal, one: np.ndarray, other: np.ndarray) -> float:
    """Return how far two values of a prescribed motion are apart [rad or m]; of poses, the larger of both."""
    return max(_parts(signal, one, other))


def _parts(signal: Signal, one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Return the distance [m, or the unit of the coordinate] and the angle [rad] between two values."""
    if signal.place is not None:
        return abs(float(other[0] - one[0])), 0.0
    X_one, X_other = _unit_pose(one), _unit_pose(other)
    turn = compose(inverse(X_one), X_other)
    return norm(sub(X_other[:3], X_one[:3])), norm(rotvec_of_quat(turn[3:]))


def _unit_pose(values: np.ndarray) -> Pose:
    """Return a prescribed pose, x y z qw qx qy qz, with a quaternion of length 1."""
    x, y, z, *quat = values.tolist()
    w, i, j, k = quat_normalized(tuple(quat))
    return x, y, z, w, i, j, k


def _jump_size(signal: Signal, compiled: CompiledModel, one: np.ndarray, other: np.ndarray) -> tuple[float, str]:
    way, angle = _parts(signal, one, other)
    if signal.place is not None:
        return way, compiled.spans[signal.name].joint.q_units[signal.place][1].value
    return (way, "m") if way >= angle else (angle, "rad")


def state_after_jump(
    compiled: CompiledModel, state: State, controls: Controls, jump: Jump
) -> tuple[np.ndarray, np.ndarray]:
    """Return q and qd of a state in which all prescribed motion is where it is after a jump.

    Links that joints connect with a link that jumps are placed with it, at the coordinates of these joints. Their
    velocities in the world change only as far as the prescribed velocity differs before and after the jump.
    """
    given = _after(compiled, controls, jump.time)
    at = {name: state.q[span.q] for name, span in compiled.spans.items() if name not in controls.joints}
    moving = {name: state.qd[span.v] for name, span in compiled.spans.items() if name not in controls.joints}
    start = assemble(compiled, controls.led_from(jump.before), {**at, **given}, moving, jump.time, is_measured=True)
    return start.q, start.qd


def _after(compiled: CompiledModel, controls: Controls, time: float) -> Mapping[str, list[float]]:
    """Return the coordinates of prescribed joints, and of the free joints of prescribed links, at a time [s]."""
    found = {
        name: numbers_of(value_at(time)).tolist()
        for name, value_at in controls.joints.items()
        if name in compiled.spans
    }
    links = controls.links_led_at(time)
    for name, span in compiled.spans.items():
        if span.link in links and span.link in compiled.floating:
            pose = _unit_pose(numbers_of(links[span.link](time)))
            found[name] = list(compose(inverse(span.joint.X_PJ), pose))
    return found
