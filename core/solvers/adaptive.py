# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver: its tolerances, its state, and what it remembers. adaptive_steps.py takes its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import jit
from .adaptive_steps import BOTH, EXPLICIT, IMPLICIT, MANY, MOST_CROWDED, STEPPING, advance
from .dop853 import COUNT
from .holding import update_holds
from .inputs import Inputs, set_inputs_at
from .memory_check import checked_memory
from .observation import Observation
from .one_step import Settings
from .protocol import Counters, Memory, Progress, State
from .system import LEDGERS, System, calls_of, close, parts_of, write_rates

WORK_AT_ONCE = {True: 1500, False: 12}
"""Bodies and rows times steps that `advance` takes in one call, compiled or not: some 30 ms, while Esc waits."""

COUNTED = ("steps", "implicit_steps", "rejected", "events", "impacts", "unsettled")
"""Fields of STEPPING that `Counters` has under the same name."""


class Adaptive:
    """Integrates a `System` from a state, by the `methods` that are allowed: BOTH, EXPLICIT or IMPLICIT."""

    TOLERANCES = {"draft": 1e-4, "good": 3e-6, "exact": 1e-10}
    """Of the error in each step, absolute and relative."""
    HELD_TOLERANCES = {"draft": 1e-5, "good": 1e-7, "exact": 3e-10}
    """Likewise of models that hold to something.

    Near a singular position small errors grow large, so these are finer; but there the rounding of constraint forces
    grows as well, and steps that are to be more exact than it become many and no better.
    """
    ORDERS = {"draft": 3, "good": 7, "exact": 8}
    """Of implicit steps; explicit ones have order 8."""
    SHALLOW = {"draft": 1e-3, "good": 3e-5, "exact": 0.0}
    """How far a stop may give way for it to be struck at once, as rigid ones are [m or rad]."""
    RESTING = {"draft": 1e-3, "good": 3e-5, "exact": 1e-10}
    """What would bounce no higher, or slide no farther, comes to rest at once [m or rad]."""
    NEAR = {"draft": 1e-3, "good": 1e-4, "exact": 1e-6}
    LOOSE = {"draft": 3e-2, "good": 1e-2, "exact": 1e-4}
    """Parts of a step by which it may miss an event: where velocities or forces jump, and where they only turn."""
    methods = BOTH

    def __init__(self, system: System, state: State, accuracy: str):
        self._system, self._calls = system, calls_of(system)
        self._y = np.concatenate([state.q, state.qd, [state.dissipated, state.supplied]])
        order = self.ORDERS[accuracy]
        self._stages = np.zeros((max(COUNT + 3, order + 1), len(self._y)))
        self._trial = self._y.copy()
        self._stepping = np.recarray(1, STEPPING)  # no view, so that where it lies is noted
        self._stepping.fill(0)
        self._stepping[0].time = state.time
        self._stepping[0].implicit = self.methods == IMPLICIT
        self._stepping[0].patience = MANY
        rows = len(system.constraints.first)
        tolerance = (self.HELD_TOLERANCES if rows else self.TOLERANCES)[accuracy]
        events = (table[accuracy] for table in (self.SHALLOW, self.RESTING, self.NEAR, self.LOOSE))
        self._settings = Settings(tolerance, order, self.methods, *events)
        work = len(system.model.bodies) + rows
        self._steps_at_once = max(1, WORK_AT_ONCE[jit.is_compiled()] // work)

    @property
    def state(self) -> State:
        """At present; `time` falls short of what was asked where `advance` failed."""
        q, qd = parts_of(self._system, self._y)
        return State(self._stepping.item()[0], q.copy(), qd.copy(), *self._y[-LEDGERS:].tolist())

    @property
    def counters(self) -> Counters:
        evaluations, iterations = self._system.counts.tolist()
        now: dict[str, Any] = dict(zip(STEPPING.names or (), self._stepping.item(), strict=True))
        return Counters(
            evaluations=evaluations,
            iterations=iterations,
            is_crowded=now["crowded"] > MOST_CROWDED,
            **{name: now[name] for name in COUNTED},
        )

    @property
    def flow(self) -> float:
        return float(self._stepping[0].flow)

    def control(self, inputs: Inputs) -> None:
        """Let something else act from now on.

        Where prescribed motion jumps to another speed, the energy that this takes or gives counts as supplied.
        """
        self._system = self._system._replace(inputs=inputs)
        self._stepping[0].fresh = 0
        now = float(self._stepping[0].time)
        set_inputs_at(self._system, now)
        if len(inputs.signals):
            before = sum(self.observe().energies())
            write_rates(self._system, now, self._y, self._trial)
            close(self._system, now, self._y)
            self._y[-1] += sum(self.observe().energies()) - before

    def observe(self) -> Observation:
        return Observation(self._system, self.state)

    def snapshot(self) -> Memory:
        return {name: array.copy() for name, array in self._memory().items()}

    def accept(self, arrays: Sequence[np.ndarray]) -> Memory:
        return checked_memory(arrays, self.snapshot(), 0, len(self._system.model.bodies))

    def restore(self, memory: Memory) -> None:
        for name, array in self._memory().items():
            array[...] = memory[name]
        update_holds(self._system)

    def _memory(self) -> Memory:
        """What outlives a step; all else is worked out anew before it is looked at."""
        system = self._system
        return {
            "y": self._y,
            "stepping": self._stepping,
            "rates": self._stages[0],
            "margins": system.margins[0],
            "counts": system.counts,
            "watches": system.work.watches,
            "asked": system.work.dofs.prescribed_qdd,
        }

    def advance(self, time: float) -> Progress:
        """Bring the state to `time` [s], or a part of the way where that takes long."""
        return Progress(
            advance(
                self._calls,
                self._system,
                self._y,
                self._trial,
                self._stages,
                self._stepping,
                time,
                self._settings,
                self._steps_at_once,
            )
        )


class ExplicitOnly(Adaptive):
    """Never takes an implicit step."""

    methods = EXPLICIT


class ImplicitOnly(Adaptive):
    """Takes no other than implicit steps."""

    methods = IMPLICIT
