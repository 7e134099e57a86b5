# SPDX-License-Identifier: GPL-3.0-or-later
"""The default solver: its tolerances, its state, and what it saves. `adaptive_steps.py` has its steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...compilation import jit
from ...controls.inputs import Inputs, set_inputs_at
from ...dynamics.constraints import ConstraintSet
from ...model.compiling.colliders import Colliders
from ...model.compiling.compiled import CompiledModel
from ...model.compiling.force_states import SAVED_FORCE_STATE
from ..frames import NO_FRAMES, FramesAhead
from ..joint_events.modes import apply_locks
from ..memory_check import checked_memory
from ..protocol import Counters, Memory, Progress, State, WithoutContact
from ..solver_system import make_solver_system
from ..system import ENERGY_TOTALS, SUPPLIED, calls_of, parts_of, project_state, write_rates
from ..system_observation import SystemObservation
from .adaptive_steps import BOTH, EXPLICIT, FAIL_AFTER, IMPLICIT, SAVED_STEPPING, STEPPING, SWITCH_AFTER, advance
from .dop853 import COUNT
from .one_step import StepSettings

WORK_AT_ONCE = {True: 1500, False: 12}
"""Work of one call of `advance`, in (bodies + rows) x steps, by whether kernels are compiled.

A call takes about 30 ms, so that Esc is handled in time.
"""

COUNTED = ("steps", "implicit_steps", "rejected", "events", "impacts", "unsettled")
"""Fields of STEPPING that `Counters` has under the same names."""


class Adaptive(WithoutContact):
    """Integrates a `System` from a state. `methods` says which steps are allowed: BOTH, EXPLICIT or IMPLICIT.

    Args: as `SolverEntry.make` takes them; colliders are ignored.
    """

    TOLERANCES = {"draft": 1e-4, "good": 3e-6, "exact": 1e-10}
    """Absolute and relative error tolerance of a step [rad, m, rad/s, m/s], by accuracy."""
    CONSTRAINED_TOLERANCES = {"draft": 1e-5, "good": 1e-7, "exact": 3e-10}
    """Error tolerance of a step for models with constraints, by accuracy.

    They are smaller than `TOLERANCES`, since small errors grow near a singular position. Still smaller ones would need
    more steps without gain, because the rounding error of constraint forces grows there too.
    """
    ORDERS = {"draft": 3, "good": 7, "exact": 8}
    """Order of implicit steps, by accuracy. Explicit steps have order 8."""
    INSTANT_DEPTHS = {"draft": 1e-3, "good": 3e-5, "exact": 0.0}
    """Largest depth of a compliant stop at which its impact is instantaneous, as on a rigid stop [rad or m]."""
    REST_HEIGHTS = {"draft": 1e-3, "good": 3e-5, "exact": 1e-10}
    """Height of a bounce, or length of a slide, below which a motion ends at once [rad or m]."""
    EVENT_TIME_ERRORS = {"draft": 1e-3, "good": 1e-4, "exact": 1e-6}
    """Error of an event's time at which velocities or forces jump, as a share of a step."""
    SMOOTH_EVENT_TIME_ERRORS = {"draft": 3e-2, "good": 1e-2, "exact": 1e-4}
    """Error of an event's time at which forces are continuous, as a share of a step."""
    POINTS_AT_FIRST = 0
    """Number of contact points for which there is room at first."""
    methods = BOTH
    writes_frames = True

    def __init__(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        colliders: Colliders | None,
        state: State,
        accuracy: str,
    ):
        self._compiled, self._constraints = compiled, constraints
        system = make_solver_system(compiled, constraints, self.POINTS_AT_FIRST)
        self._system, self._calls = system, calls_of(system)
        self._y = np.concatenate([state.q, state.qd, [state.dissipated, state.supplied]])
        order = self.ORDERS[accuracy]
        self._slopes = np.zeros((max(COUNT + 3, order + 1), len(self._y)))
        self._trial = self._y.copy()
        self._stepping = np.recarray(1, STEPPING)  # no view, so that where it lies is noted
        self._stepping.fill(0)
        self._stepping[0].time = state.time
        self._stepping[0].implicit = self.methods == IMPLICIT
        self._stepping[0].switch_after = SWITCH_AFTER
        rows = len(system.constraints.first)
        tolerance = (self.CONSTRAINED_TOLERANCES if rows else self.TOLERANCES)[accuracy]
        events = (
            table[accuracy]
            for table in (self.INSTANT_DEPTHS, self.REST_HEIGHTS, self.EVENT_TIME_ERRORS, self.SMOOTH_EVENT_TIME_ERRORS)
        )
        self._settings = StepSettings(tolerance, order, self.methods, *events)
        work = len(system.model.bodies) + rows
        self._steps_at_once = max(1, WORK_AT_ONCE[jit.is_compiled()] // work)

    @property
    def state(self) -> State:
        """The present state. Its `time` is less than what was asked if `advance` failed."""
        q, qd = parts_of(self._system, self._y)
        return State(self._stepping.item()[0], q.copy(), qd.copy(), *self._y[-ENERGY_TOTALS:].tolist())

    @property
    def counters(self) -> Counters:
        evaluations, iterations = self._system.counts.tolist()
        now: dict[str, Any] = dict(zip(STEPPING.names or (), self._stepping.item(), strict=True))
        return Counters(
            evaluations=evaluations,
            iterations=iterations,
            is_crowded=now["crowded"] > FAIL_AFTER,
            **{name: now[name] for name in COUNTED},
        )

    @property
    def flow(self) -> float:
        return float(self._stepping[0].flow)

    def control(self, inputs: Inputs) -> None:
        """Replace the inputs that act from now on.

        If prescribed motion jumps to another velocity, the energy that this takes counts as supplied.
        """
        self._system = self._system._replace(inputs=inputs)
        self._stepping[0].has_slopes = 0
        now = float(self._stepping[0].time)
        set_inputs_at(self._system, now)
        if len(inputs.signals):
            before = sum(self.observe().energies())
            write_rates(self._system, now, self._y, self._trial)
            project_state(self._system, now, self._y)
            self._y[SUPPLIED] += sum(self.observe().energies()) - before

    def observe(self) -> SystemObservation:
        return SystemObservation(self._compiled, self._constraints, self._system, self.state)

    def snapshot(self) -> Memory:
        return {name: array.copy() for name, array in self._memory().items()}

    def validate_memory(self, arrays: Sequence[np.ndarray]) -> Memory:
        return checked_memory(arrays, self.snapshot(), 0, len(self._system.model.bodies))

    def restore(self, memory: Memory) -> None:
        for name, array in self._memory().items():
            array[...] = memory[name]
        apply_locks(self._system)

    def _memory(self) -> Memory:
        """Return what outlives a step. Everything else is computed before it is used."""
        system = self._system
        return {
            "y": self._y,
            "stepping": self._stepping.view(SAVED_STEPPING),
            "rates": self._slopes[0],
            "margins": system.margins[0],
            "counts": system.counts,
            "force_states": system.work.force_states.view(SAVED_FORCE_STATE),
            "asked": system.work.dofs.prescribed_qdd,
        }

    def advance(self, time: float, ahead: FramesAhead | None = None) -> Progress:
        """Integrate to `time` [s] or the last frame ahead, or only a part of the way if that takes long."""
        return Progress(
            advance(
                self._calls,
                self._system,
                self._y,
                self._trial,
                self._slopes,
                self._stepping,
                ahead.frames if ahead else NO_FRAMES,
                time,
                self._settings,
                self._steps_at_once,
            )
        )


class ExplicitOnly(Adaptive):
    """Takes explicit steps only."""

    methods = EXPLICIT


class ImplicitOnly(Adaptive):
    """Takes implicit steps only."""

    methods = IMPLICIT
