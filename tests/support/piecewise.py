# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion in pieces by SciPy: smooth while a mode lasts, until something that is watched falls through zero."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

Mode = Hashable
PIECES = 10_000
"""More of them in one motion are a mistake of the test's."""


@dataclass(frozen=True)
class Exit:
    """How a mode ends: `when` of the state falls through zero, then `then` of it tells the next mode and state."""

    when: Callable[[np.ndarray], float]
    then: Callable[[np.ndarray], tuple[Mode, np.ndarray]]

    def watched(self) -> Callable:
        """As SciPy wants it."""

        def event(_time, y):
            return self.when(y)

        event.terminal, event.direction = True, -1
        return event


def follow(
    times: Sequence[float],
    start: Sequence[float],
    mode: Mode,
    rates: Callable[[Mode, np.ndarray], Sequence[float]],
    exits: Callable[[Mode], list[Exit]],
    max_step: float = 0.02,
) -> np.ndarray:
    """States at `times`, ascending from the start's [s], shape (frames, states)."""
    found = np.empty((len(times), len(start)))
    now, y, done = times[0], np.array(start, dtype=float), 0
    for _ in range(PIECES):
        ways = exits(mode)
        with np.errstate(over="ignore"):  # of steps tried in vain
            run = solve_ivp(
                lambda _, y, mode=mode: rates(mode, y),
                (now, times[-1]),
                y,
                "DOP853",
                dense_output=True,
                events=[way.watched() for way in ways],
                rtol=1e-12,
                atol=1e-13,
                max_step=max_step,
            )
        assert run.status >= 0, run.message
        now = run.t[-1]
        while done < len(times) and times[done] <= now:
            found[done] = run.sol(times[done])
            done += 1
        if done == len(times):
            return found
        way = next(way for way, hits in zip(ways, run.t_events, strict=True) if len(hits))
        mode, y = way.then(run.y[:, -1])
    raise AssertionError(f"more than {PIECES} pieces, at {now:.6g} s")


class DryFriction:
    """Coulomb's law by hand: a mode says of each coordinate whether it slides forth (1) or back (-1) or sticks (0).

    Which of those at rest stick is found by trying every choice, for systems of a few coordinates.

    Args:
        mass: of q, the mass matrix. force: of q and qd, all that accelerates but friction. bounds: of friction.
    """

    def __init__(self, mass: Callable, force: Callable, bounds: Sequence[float]):
        self.mass, self.force, self.bounds = mass, force, np.array(bounds, dtype=float)

    def motion(self, times: Sequence[float], q: Sequence[float], qd: Sequence[float]) -> np.ndarray:
        """(q, qd) at `times`, shape (frames, 2 n)."""
        start = np.array([*q, *qd], dtype=float)
        return follow(times, start, self.settle(start, {}), self.rates, self.exits)

    def solve(self, mode: tuple[int, ...], y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(accelerations, forces of friction)."""
        q, qd = np.split(y, 2)
        M, f = np.array(self.mass(q)), np.array(self.force(q, qd))
        slides = np.flatnonzero(mode)
        friction = -np.array(mode) * self.bounds
        qdd = np.zeros(len(q))
        qdd[slides] = np.linalg.solve(M[np.ix_(slides, slides)], (f + friction)[slides])
        return qdd, np.where(np.array(mode) == 0, M @ qdd - f, friction)

    def rates(self, mode: tuple[int, ...], y: np.ndarray) -> np.ndarray:
        qd = np.where(np.array(mode) == 0, 0.0, np.split(y, 2)[1])
        return np.concatenate([qd, self.solve(mode, y)[0]])

    def exits(self, mode: tuple[int, ...]) -> list[Exit]:
        ways = []
        for i, sign in enumerate(mode):
            if sign:
                ways.append(Exit(lambda y, i=i, s=sign: s * y[len(mode) + i], lambda y, i=i: self.stop(mode, y, i)))
                continue
            for s in (1, -1):  # the force that holds it reaches its bound, against a motion of sign s

                def room(y, i=i, s=s):
                    return self.bounds[i] + s * self.solve(mode, y)[1][i]

                ways.append(Exit(room, lambda y, i=i, s=s: (self.settle(y, {i: s}), y)))
        return ways

    def stop(self, mode: tuple[int, ...], y: np.ndarray, i: int) -> tuple[tuple[int, ...], np.ndarray]:
        y = y.copy()
        y[len(mode) + i] = 0.0
        return self.settle(y, {}), y

    def settle(self, y: np.ndarray, breaking: dict[int, int]) -> tuple[int, ...]:
        """The mode that agrees with itself; `breaking` are coordinates that have just begun to slide, and where to."""
        qd = np.split(y, 2)[1]
        choices = [
            (breaking[i],) if i in breaking else (int(np.sign(speed)),) if abs(speed) > 1e-10 else (0, 1, -1)
            for i, speed in enumerate(qd)
        ]
        for mode in itertools.product(*choices):
            qdd, friction = self.solve(mode, y)
            free = [i for i, choice in enumerate(choices) if len(choice) > 1]
            if all(
                mode[i] * qdd[i] > 0.0 if mode[i] else abs(friction[i]) <= self.bounds[i] * (1.0 + 1e-12) for i in free
            ):
                return mode
        raise AssertionError(f"no choice of sticking agrees with itself at {y}")
