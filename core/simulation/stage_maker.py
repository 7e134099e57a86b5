# SPDX-License-Identifier: GPL-3.0-or-later
"""`StageMaker`: makes the stages of a motion, each with its constraints, its solver and its recorder."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..controls.controls import Controls
from ..controls.inputs import steady_inputs
from ..controls.schedule import ScheduledInputs
from ..dynamics.constraints import ConstraintSet, constraints_of
from ..model.compiling.colliders import Colliders, bodies_led, colliders_of, owners_of
from ..model.compiling.compiled import CompiledModel
from ..records.recording import Recorder
from ..solvers.protocol import State
from ..solvers.registry import SOLVERS
from ..solvers.solver_system import energy_of
from ..trajectory.trajectory import Trajectory
from .snapshot import Stage


@dataclass(frozen=True)
class StageMaker:
    """The settings that all stages of a motion share.

    Attributes:
        solver: a name in `SOLVERS`. contact: whether collision shapes collide.
        trajectory: that of the stages that are known at first, to which their recorders write.
    """

    controls: Controls
    solver: str
    accuracy: str
    contact: bool
    trajectory: Trajectory

    def first(self, compiled: CompiledModel, state: State, since: float) -> Stage:
        """Return the stage with which a motion begins, from a state at the time `since` [s]."""
        constraints = self._constraints(compiled, since)
        return self._stage(compiled, constraints, self._schedule(compiled, constraints), state)

    def following(
        self,
        before: Stage,
        compiled: CompiledModel,
        state: State,
        since: float,
        window: tuple[float, float],
        zero: float,
        is_jump: bool,
    ) -> Stage:
        """Return a stage that continues from a state at the time `since` [s].

        The energy that differs between the two stages counts as dissipated: that of the springs of released joints, and
        the kinetic energy that is lost when joints connect links. At a jump of prescribed motion, it is supplied.

        Args:
            before: the stage before.
            window: times of the frame before and of the next frame [s]. zero: time from which the solver counts [s].
            is_jump: whether the stage begins at a jump of prescribed motion.
        """
        constraints = self._constraints(compiled, since)
        schedule = self._schedule(compiled, constraints)
        energy_before = sum(before.solver.observe().energies())
        lost = energy_before - energy_of(compiled, constraints, schedule.between(*window, zero), state)
        if is_jump:
            state = state._replace(supplied=state.supplied - lost)
        else:
            state = state._replace(dissipated=state.dissipated + lost)
        return self._stage(compiled, constraints, schedule, state, before, zero)

    def _prescribed(self, compiled: CompiledModel, since: float) -> tuple[list[str], Collection[str]]:
        """Return the names of the joints and of the links whose motion is prescribed from the time `since` on [s]."""
        return [name for name in self.controls.joints if name in compiled.spans], self.controls.links_led_at(since)

    def _constraints(self, compiled: CompiledModel, since: float) -> ConstraintSet:
        return constraints_of(compiled, *self._prescribed(compiled, since), set_valued_forces=True)

    def _schedule(self, compiled: CompiledModel, constraints: ConstraintSet) -> ScheduledInputs:
        return ScheduledInputs(self.controls.schedule, compiled, steady_inputs(compiled, constraints))

    def _stage(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        schedule: ScheduledInputs,
        state: State,
        before: Stage | None = None,
        zero: float = 0.0,
    ) -> Stage:
        led = bodies_led(compiled, *constraints.prescribed)
        colliders = meeting_colliders(compiled, led) if self.contact else None
        solver = SOLVERS[self.solver].make(compiled, constraints, colliders, state, self.accuracy)
        owners = owners_of(compiled, colliders.solids) if colliders else ()
        known = before.recorder if before else None
        is_prescribed = bool(constraints.signals)
        recorder = Recorder(compiled, self.trajectory, known, owners, solver.collisions, is_prescribed)
        earlier_impacts = tuple(before.impacts(zero)) if before else ()
        earlier = before.contact_report(zero) if before else None
        return Stage(compiled, constraints, schedule, state, solver, recorder, owners, earlier_impacts, earlier)


def meeting_colliders(compiled: CompiledModel, led: Collection[int]) -> Colliders | None:
    """Return the solids of a model, or None if no two of them may touch. led: as in `colliders_of`."""
    model = compiled.model
    if not model.contact_pairs and sum(bool(link.collisions) for link in model.links) < 2:
        return None
    colliders = colliders_of(compiled, led, only_if_any_meet=True)
    return colliders if len(colliders.solids) > 1 else None
