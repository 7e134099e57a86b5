# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver of motions with contact: event-driven steps for few contacts, convex steps for many.

event_steps.py locates events, and convex_step/ has the convex steps. The costs of both are counted and never timed, so
that every machine makes the same choice.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

import numpy as np

from ...collision.manifold import MAX_POINTS
from ...contact.collision_state import NEEDED_PAIRS, CollisionState, make_collision_state
from ...contact.points import IMPACT, MAX_ROWS, POINTS, ROWS, SAVED_POINT, make_touch, with_rests
from ...contact.touch_log import make_log
from ...controls.inputs import Inputs
from ...dynamics.constraints import ConstraintSet
from ...kinematics.proximity.sunk import is_open_ground
from ...model.compiling.colliders import Colliders, bodies_led, owners_of
from ...model.compiling.compiled import CompiledModel
from ...spatial import arrays
from ..convex_step.constraints import RELAXATION_STEPS, RIGIDITY
from ..convex_step.persistence import is_half_full
from ..convex_step.problem import NEWTON_STEPS, PREVIOUS_COUNT, SAVED_CONTACT, ConvexStep, make_convex_step
from ..convex_step.steps import ARRAYS_TOO_SHORT, ConvexStepSettings, advance_convex
from ..frames import NO_FRAMES, FramesAhead
from ..integration.adaptive import Adaptive
from ..memory_check import checked_memory
from ..protocol import REACHED, Memory, Progress, State
from ..system import System, write_rates
from ..system_observation import SystemObservation
from .contact_events import Impacts
from .costs import convex_step_cost, event_cost
from .event_steps import TAKE_CONVEX_STEPS, EventTolerances, EventWork, advance_touching

SOON = 8
"""Number of convex steps before events are located again, at first."""
LATE = 1024
"""Upper bound of the number of convex steps that begins at SOON and doubles while events cost too much."""
MOST_HALTS = 7
"""Upper bound of n: after n failures of event location in a row, the solver takes 2^n convex steps."""
UNEQUAL = 1e6
"""Ratio of two masses up to which events find the loads between them. At a ratio of 1e8, bodies are thrown apart."""
OVERLAPPING = 100.0
"""Depth up to which rigid solids that overlapped after a jump count as separated.

It is a multiple of the depth to which a body's own weight presses it in, in a convex step.
"""
FROM_ALL, FROM_GROUND = 1, 2
"""Solids from which overlapping ones are to separate: all, or only fixed half-spaces and open meshes. See
`HybridContactSolver.part_overlaps`.
"""
CONTACTS_AT_FIRST = 64
"""Number of contacts for which a convex step has room at first."""


class HybridContactSolver(Adaptive):
    """A solver for a `System` whose solids may touch. Arguments as `SolverEntry.make` takes them.

    If masses differ far, it takes convex steps alone, which are no longer than those of accuracy good; see
    `is_unequal`.
    """

    CLOSED_GAP = {"draft": 1e-6, "good": 1e-8, "exact": 1e-10}
    """Gap up to which contacts are closed at an event [m]."""
    GAP_ERROR = {"draft": 1e-9, "good": 1e-11, "exact": 1e-13}
    """Error of a gap at the time of its event [m]."""
    REST_SPEED = {"draft": 1e-6, "good": 1e-8, "exact": 1e-10}
    """Approach speed up to which it counts as zero [m/s]."""
    SLOW_SLIP = {"draft": 1e-3, "good": 1e-5, "exact": 1e-7}
    """Slip that ends at once [m/s or rad/s]."""
    BOUNCE = {"draft": 1e-5, "good": 1e-8, "exact": 1e-14}
    """Height of a bounce, or length of a slide, below which a motion ends at once [rad or m]."""
    CONTACT_TOLERANCES = {"draft": 1e-5, "good": 1e-8, "exact": 1e-12}
    """Absolute and relative error tolerance of a step [rad, m, rad/s, m/s]."""
    EVENT_COST_LIMIT = {"draft": 60.0, "good": 300.0, "exact": 5e3}
    """Size of the budget of events, in costs of one convex step. Convex steps are taken when it is spent."""
    EVENT_COST_DECAY = {"draft": 1.0, "good": 1.0, "exact": 3.0}
    """Rate at which the budget is refilled, as a multiple of the cost of convex steps for the same time."""
    MIN_EVENT_COST_LIMIT = {"draft": 0.02, "good": 0.15, "exact": 0.5}
    """Lower bound of the budget [s], and of its refill per second of motion [s/s], on the machine of costs.py."""
    RETURN_COST_SHARE = {"draft": 0.1, "good": 0.05, "exact": 0.1}
    """Cost of one event, as a part of the accumulated cost that is allowed, up to which events are located again."""
    CONVEX_STEP = {"draft": 8e-3, "good": 1e-3, "exact": 2e-4}
    """Length of a convex step while bodies move [s]."""
    MOMENTUM_RESIDUAL = {"draft": 1e-5, "good": 1e-7, "exact": 1e-9}
    """Relative residual of the momenta at which Newton's method in a convex step stops."""
    FRICTION_BOUND_CHANGE = {"draft": 0.1, "good": 1e-3, "exact": 1e-5}
    """Relative change of the friction bounds at which the outer iteration of a convex step stops."""
    GROWTH_ERROR = {"draft": 1e-5, "good": 1e-7, "exact": 1e-9}
    """Displacement caused by the change of velocities in a step up to which the next step may be longer [m]."""
    RANGE_ERROR = {"draft": 1e-3, "good": 1e-3, "exact": 1e-4}
    """Angle beyond its range from which on a convex step is taken again in shorter ones [rad]."""
    OVERLAP_SHARE = {"draft": 0.02, "good": 0.005, "exact": 0.001}
    """Growth of an overlap from which on a convex step is taken again in shorter ones, as a share of the thickness of
    the thinner solid."""
    ENERGY_ERROR = {"draft": 1e-2, "good": 5e-3, "exact": 5e-4}
    """Energy from nowhere for which a convex step is taken again in shorter ones, as a share of what moves."""
    SLEEP_DISPLACEMENT = GROWTH_ERROR
    """Displacement in a step up to which a body counts as still [m]."""
    POINTS_AT_FIRST = 16
    MOST_IMPACTS = 4096
    """Number of impacts for which there is room at first. The room doubles when it is half full."""

    def __init__(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        colliders: Colliders,
        state: State,
        accuracy: str,
    ):
        super().__init__(compiled, constraints, colliders, state, accuracy)
        self._accuracy, system = accuracy, self._system
        collisions = make_collision_state(compiled, colliders)
        self._owners = owners_of(compiled, colliders.solids)
        self._convex_step = make_convex_step(
            system.model.bodies, CONTACTS_AT_FIRST, len(system.model.set_valued_forces)
        )
        self._list_points(CONTACTS_AT_FIRST)
        self._nothing_ahead = FramesAhead(NO_FRAMES, make_log(collisions, 0))
        self._convex_settings = ConvexStepSettings(
            base_step=self.CONVEX_STEP[accuracy],
            momentum_residual=self.MOMENTUM_RESIDUAL[accuracy],
            friction_bound_change=self.FRICTION_BOUND_CHANGE[accuracy],
            rest_height=self.BOUNCE[accuracy],
            growth_error=self.GROWTH_ERROR[accuracy],
            sleep_threshold=self.SLEEP_DISPLACEMENT[accuracy],
            range_error=self.RANGE_ERROR[accuracy],
            overlap_share=self.OVERLAP_SHARE[accuracy],
            energy_error=self.ENERGY_ERROR[accuracy],
        )
        self._only_convex_steps = is_unequal(system, collisions, bodies_led(compiled, *constraints.prescribed))
        self._stepping[0].convex_steps_taken = SOON
        self._parting = np.zeros(1, np.int64)  # 0, FROM_ALL or FROM_GROUND
        own = {"tolerance": self.CONTACT_TOLERANCES, "rest_height": self.BOUNCE}
        self._settings = self._settings._replace(**{name: table[accuracy] for name, table in own.items()})
        self._stored: float | None = None  # energy of compliant contacts after a convex step [J]
        impacts = Impacts(np.zeros(self.MOST_IMPACTS, IMPACT).view(np.recarray), np.zeros(1, np.int64))
        self._events = EventWork(collisions, self._event_tolerances(), self._y.copy(), impacts)
        if self._only_convex_steps:
            base_step = min(self.CONVEX_STEP[accuracy], self.CONVEX_STEP["good"])
            # The stiffness of such contacts follows from loads, so shorter steps change the energy that they store.
            self._convex_settings = self._convex_settings._replace(base_step=base_step, energy_error=math.inf)
            self.prefer_time_stepping(LATE)

    def _event_tolerances(self) -> EventTolerances:
        accuracy, bodies = self._accuracy, len(self._system.model.bodies)
        step_cost, cheap = convex_step_cost(bodies), 1e9 * self.MIN_EVENT_COST_LIMIT[accuracy]
        return EventTolerances(
            self._settings,
            self.CLOSED_GAP[accuracy],
            self.GAP_ERROR[accuracy],
            self.REST_SPEED[accuracy],
            self.SLOW_SLIP[accuracy],
            max(self.EVENT_COST_LIMIT[accuracy] * step_cost, cheap),
            max(self.EVENT_COST_DECAY[accuracy] * step_cost / self.CONVEX_STEP[accuracy], cheap),
        )

    @property
    def collisions(self) -> CollisionState:
        return self._events.collisions

    @property
    def impacts(self) -> np.recarray:
        """IMPACT records of all impacts so far."""
        return with_rests(self._events.impacts.records[: self._events.impacts.count[0]])

    @property
    def points(self) -> np.recarray:
        """POINT records of the active contacts, or of the contacts of the last convex step."""
        return self._system.touch.points[: self._system.touch.count[POINTS]]

    def control(self, inputs: Inputs) -> None:
        super().control(inputs)
        self._system.touch.count[ROWS] = 0

    def advance(self, time: float, ahead: FramesAhead | None = None) -> Progress:
        ahead = ahead or self._nothing_ahead
        while True:
            by_convex_steps = self._stepping[0].convex_steps_left
            found = self._advance_convex(time, ahead) if by_convex_steps else self._advance(time, ahead)
            impacts = self._events.impacts
            if is_half_full(impacts):
                more = _longer(impacts.records, 2 * len(impacts.records))
                self._events = self._events._replace(impacts=impacts._replace(records=more))
            if found == TAKE_CONVEX_STEPS:
                self._begin_convex_steps()
            elif found == ARRAYS_TOO_SHORT:
                self._make_room()
            else:
                return Progress(found)

    def observe(self) -> SystemObservation:
        return SystemObservation(
            self._compiled, self._constraints, self._system, self.state, self._owners, self._stored
        )

    def _advance(self, time: float, ahead: FramesAhead) -> int:
        self._stored = None
        return advance_touching(
            self._calls,
            self._system,
            self._events,
            self._y,
            self._trial,
            self._slopes,
            self._stepping,
            ahead,
            time,
            self._steps_at_once,
        )

    def _advance_convex(self, time: float, ahead: FramesAhead) -> int:
        found = advance_convex(
            self._calls,
            self._system,
            self.collisions,
            self._convex_step,
            self._y,
            self._trial,
            self._slopes,
            self._stepping,
            ahead,
            time,
            self._convex_settings,
            self._events.impacts,
            self._steps_at_once,
        )
        if found == REACHED:
            self._stored = float(self._stepping[0].soft_energy)
        if not self._stepping[0].convex_steps_left:
            self._end_convex_steps()
        return found

    def _begin_convex_steps(self) -> None:
        """Take convex steps: twice as many each time if events cost too much, a few if events leave no step."""
        now = self._stepping[0]
        if now.event_cost > self._events.tolerances.cost_limit:
            now.convex_steps_taken = min(2 * now.convex_steps_taken, LATE)
            self.prefer_time_stepping(int(now.convex_steps_taken))
        else:
            self.prefer_time_stepping(1 << min(int(now.halted), MOST_HALTS))
            now.halted += 1

    def prefer_time_stepping(self, steps: int) -> None:
        """Take so many convex steps before events are located again, whatever these cost."""
        now = self._stepping[0]
        if not now.convex_steps_left:
            self._hand_over_springs()
        now.convex_steps_left, now.convex_step, now.event_cost = steps, 0.0, 0.0
        now.crowded, now.stalled, now.yield_step, now.yielded = 0, 0, 0.0, 0
        self._convex_step.asleep[:], self._convex_step.still_time[:], self._convex_step.element_loads[:] = 0, 0.0, 0.0

    def _hand_over_springs(self) -> None:
        """Make the compliant contacts those of a previous convex step, so that their springs keep their energy."""
        now, touch = self._stepping[0], self._system.touch
        if touch.count[POINTS]:
            # A step that was tried may have moved the points.
            write_rates(self._system, float(now.time), self._y, self._trial)
        springs = touch.points[: touch.count[POINTS]]
        springs = springs[springs.is_soft == 1]
        springs = springs[np.lexsort((springs.second, springs.first))]
        compression = np.minimum(springs.gap - springs.rest_gap, 0.0)
        now.soft_energy += float(np.sum(0.5 * springs.stiffness * compression**2))
        while len(springs) > len(self._convex_step.previous_contacts):
            self._widen_convex_step(2 * len(self._convex_step.contacts))
        self._convex_step.counts[PREVIOUS_COUNT] = len(springs)
        known = self._convex_step.previous_contacts[: len(springs)]
        known[:] = 0
        for field in ("first", "second", "name", "position", "normal", "gap", "stiffness"):
            known[field] = springs[field]
        known.spring_gap, known.constraint = springs.gap - springs.rest_gap, -1

    def part_overlaps(self, only_from_ground: bool = False) -> None:
        """Take convex steps until overlapping solids have separated: at events, overlaps only stop growing.

        Args:
            only_from_ground: whether to do so only until nothing is deep in fixed half-spaces and open meshes; else
                until no two solids overlap.
        """
        self._parting[0] = FROM_GROUND if only_from_ground else FROM_ALL
        self.prefer_time_stepping(SOON)

    def _overlap(self) -> bool:
        """Return whether rigid solids overlapped as the last step began, far more than their weights cause."""
        contacts = self._convex_step.previous_contacts[: self._convex_step.counts[PREVIOUS_COUNT]]
        if self._parting[0] == FROM_GROUND:
            is_open = is_open_ground(self.collisions.solids)
            contacts = contacts[is_open[contacts.first] | is_open[contacts.second]]
        weight = float(arrays.norm(self._system.model.gravity))
        penetration = RELAXATION_STEPS * weight * self._convex_settings.base_step**2 / RIGIDITY
        return bool(np.any(contacts.gap[contacts.stiffness == 0.0] < -OVERLAPPING * penetration))

    def _end_convex_steps(self) -> None:
        """Locate events again if they cost little enough, else continue with convex steps."""
        now, step = self._stepping[0], self._convex_step
        if self._parting[0] and self._overlap():
            now.convex_steps_left = SOON
            return
        self._parting[0] = 0
        points = np.count_nonzero(step.previous_contacts[: step.counts[PREVIOUS_COUNT]].load)
        cost = event_cost(len(self._system.model.bodies), points)
        if self._only_convex_steps:
            now.convex_steps_left = LATE
            return
        if cost > self.RETURN_COST_SHARE[self._accuracy] * self._events.tolerances.cost_limit:
            now.convex_steps_left = now.convex_steps_taken
            return
        now.has_slopes, now.started, now.step = 0, 0, 0.0

    def snapshot(self) -> Memory:
        touch, step = self._system.touch, self._convex_step
        points = touch.points[: touch.count[POINTS]].view(SAVED_POINT)
        before = step.previous_contacts[: step.counts[PREVIOUS_COUNT]].view(SAVED_CONTACT)
        kept = {"points": points, "count": touch.count, "before": before, "crowd_counts": step.counts}
        kept |= _persistent(step) | {"parting": self._parting}
        return super().snapshot() | {name: array.copy() for name, array in kept.items()}

    def validate_memory(self, arrays: Sequence[np.ndarray]) -> Memory:
        return checked_memory(arrays, self.snapshot(), len(self.collisions.solids), len(self._system.model.bodies))

    def restore(self, memory: Memory) -> None:
        """Continue from a memory. Impacts after its time are removed."""
        points, before = memory["points"], memory["before"]
        super().restore(memory)
        if not self._stepping[0].convex_steps_left:
            while len(points) * MAX_ROWS > len(self._system.touch.rows):
                self._widen_touch()
        if len(before) > len(self._convex_step.previous_contacts):
            self._widen_convex_step(len(before))
        self._list_points(len(points))
        touch, step = self._system.touch, self._convex_step
        touch.points[: len(points)], step.previous_contacts[: len(before)] = points, before
        touch.count[:] = memory["count"]
        step.counts[:] = 0  # each step counts anew
        step.counts[[PREVIOUS_COUNT, NEWTON_STEPS]] = memory["crowd_counts"][[PREVIOUS_COUNT, NEWTON_STEPS]]
        for name, own in _persistent(step).items():
            own[:] = memory[name]
        self._parting[:] = memory["parting"]
        write_rates(self._system, float(self._stepping[0].time), self._y, self._trial)  # computes the poses of bodies
        self._stored = float(self._stepping[0].soft_energy) if self._stepping[0].convex_steps_left else None
        known = self._events.impacts.records[: self._events.impacts.count[0]]
        self._events.impacts.count[0] = np.count_nonzero(known.time <= self._stepping[0].time)

    def _make_room(self) -> None:
        """Enlarge the arrays that were too short, and keep their contents."""
        if self.collisions.counts[NEEDED_PAIRS]:
            self._enlarge_collision_state()
        elif self._stepping[0].convex_steps_left:
            self._widen_convex_step(2 * len(self._convex_step.contacts))
        else:
            self._widen_touch()

    def _enlarge_collision_state(self) -> None:
        collisions = self.collisions
        pairs = max(2 * len(collisions.pairs), int(collisions.counts[NEEDED_PAIRS]))
        names = ("starts", "ends", "start_states", "end_states")
        more = {name: _longer(getattr(collisions, name), pairs * MAX_POINTS) for name in names}
        collisions.counts[:] = 0
        collisions = collisions._replace(pairs=np.zeros((pairs, 2), np.int64), **more)
        self._events = self._events._replace(collisions=collisions)

    def _widen_convex_step(self, contacts: int) -> None:
        old = self._convex_step
        self._convex_step = make_convex_step(self._system.model.bodies, contacts, len(old.element_loads))
        self._convex_step.previous_contacts[: len(old.previous_contacts)] = old.previous_contacts
        self._convex_step.counts[[PREVIOUS_COUNT, NEWTON_STEPS]] = old.counts[[PREVIOUS_COUNT, NEWTON_STEPS]]
        kept = _persistent(old)
        for name, own in _persistent(self._convex_step).items():
            own[:] = kept[name]
        self._list_points(contacts)

    def _widen_touch(self) -> None:
        system, old = self._system, self._system.touch
        points = 2 * len(old.rows) // MAX_ROWS
        touch = make_touch(points, len(system.model.bodies), len(system.tau), len(system.constraints.first))
        self._system = system._replace(touch=touch)
        self._list_points(len(old.points))
        self._system.touch.points[: len(old.points)] = old.points
        touch.count[:] = old.count

    def _list_points(self, count: int) -> None:
        """Make room to report so many contacts of a convex step; `touch.points` always has it.

        Other arrays, which are needed to solve for loads, keep their size.
        """
        touch = self._system.touch
        if count > len(touch.points):
            order = np.zeros(count, np.int64)
            self._system = self._system._replace(touch=touch._replace(points=_longer(touch.points, count), order=order))


def is_unequal(system: System, collisions: CollisionState, led: Collection[int]) -> bool:
    """Return whether the masses of bodies that may touch differ so far that loads at events would be rounding errors.

    led: numbers of the bodies that forces do not move.
    """
    bodies = {int(body) for body in collisions.solids.body} - set(led)
    masses = [float(system.model.bodies[body].mass) for body in bodies]
    masses = [mass for mass in masses if mass > 0.0]
    return bool(masses) and max(masses) > UNEQUAL * min(masses)


def _persistent(step: ConvexStep) -> Memory:
    """Return the arrays that one convex step leaves to the next, by their names in saved states."""
    return {
        "asleep": step.asleep,
        "quiet": step.still_time,
        "felt": step.sleep_forces,
        "loads": step.element_loads,
    }


def _longer(array: np.recarray, count: int) -> np.recarray:
    longer = np.zeros(max(count, len(array)), array.dtype).view(np.recarray)
    longer[: len(array)] = array
    return longer
