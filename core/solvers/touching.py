# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver of what touches: by events while these are few (event_steps.py), by a crowd's steps where they are many.

What both would cost is counted, never timed, so the same motion comes of it everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from ..contact.points import MOST_ROWS, POINTS, ROWS, make_touch
from ..spatial import arrays
from .adaptive import Adaptive
from .contact_events import IMPACT, Impacts
from .convex_step.constraints import FIRM, SLOWLY
from .convex_step.persistence import tell_loads_of_guards, tell_points
from .convex_step.problem import BEFORE, STRIDES, make_crowd
from .convex_step.steps import NO_ROOM, Pace, advance_crowd
from .event_costs import crowd_cost, event_cost
from .event_steps import CROWD, Closeness, advance_touching
from .ground import SHORT
from .inputs import Inputs
from .memory_check import checked_memory
from .observation import Observation, stored_softly
from .protocol import REACHED, Memory, Progress, State
from .system import System, write_rates

SOON, LATE = 8, 1024
"""Steps that a crowd takes before events are looked for again, at first and at most."""
MOST_HALTS = 7
"""Times in a row that events leave no step, up to which twice as many steps of a crowd are taken each time."""
UNEQUAL = 1e6
"""Ratio of two masses up to which events find the loads between them: with 1e8, bodies are thrown apart."""
OVERLAPPING = 100.0
"""Depth up to which rigid solids that overlapped after a jump count as parted, in depths to which gravity presses a
body by its own weight in a crowd's step.
"""
CONTACTS_AT_FIRST = 64
"""Of a crowd, before more room is made."""


class Touching(Adaptive):
    """Integrates a `System` whose solids may touch.

    Args:
        ground: `make_ground`'s, of the same compiled model.
        only_crowds: whether to take no other than a crowd's steps, as `is_unequal` says; they are no longer than those
            of accuracy good.
    """

    SKIN = {"draft": 1e-6, "good": 1e-8, "exact": 1e-10}
    CLOSE = {"draft": 1e-9, "good": 1e-11, "exact": 1e-13}
    LEAST = {"draft": 1e-6, "good": 1e-8, "exact": 1e-10}
    SLOW = {"draft": 1e-3, "good": 1e-5, "exact": 1e-7}
    BOUNCE = {"draft": 1e-5, "good": 1e-8, "exact": 1e-14}
    CONTACT_TOLERANCES = {"draft": 1e-5, "good": 1e-8, "exact": 1e-12}
    BURDEN = {"draft": 60.0, "good": 300.0, "exact": 5e3}
    """What events may cost at once, in steps of a crowd."""
    LEAK = {"draft": 1.0, "good": 1.0, "exact": 3.0}
    """What they may cost for long, times what a crowd's steps would."""
    CHEAP = {"draft": 0.02, "good": 0.15, "exact": 0.5}
    """Part of real time that they may cost in any case, and seconds that they may cost at once."""
    SHARE = {"draft": 0.1, "good": 0.05, "exact": 0.1}
    """Part of what they may cost at once that one event may be, for events to be looked for again."""
    CROWD_STEP = {"draft": 8e-3, "good": 1e-3, "exact": 2e-4}
    """Seconds of a crowd's step while things move."""
    BALANCE = {"draft": 1e-5, "good": 1e-7, "exact": 1e-9}
    AGREEMENT = {"draft": 0.1, "good": 1e-3, "exact": 1e-5}
    """Parts by which a crowd's momenta, and the bounds of its friction, may be off."""
    CALM = {"draft": 1e-5, "good": 1e-7, "exact": 1e-9}
    """Metres of error in a crowd's step up to which the next one may be longer."""
    MOST_IMPACTS = 4096

    def __init__(self, system: System, state: State, accuracy: str, ground, only_crowds: bool = False):
        super().__init__(system, state, accuracy)
        self.ground, self._accuracy = ground, accuracy
        self._crowd = make_crowd(system.model.bodies, CONTACTS_AT_FIRST, len(system.model.guards))
        tables = self.CROWD_STEP, self.BALANCE, self.AGREEMENT, self.BOUNCE, self.CALM
        self._pace = Pace(*(table[accuracy] for table in tables))
        self._only_crowds = only_crowds
        self._stepping[0].lasting = SOON
        self._impacts = Impacts(np.zeros(self.MOST_IMPACTS, IMPACT).view(np.recarray), np.zeros(1, np.int64))
        self._spare = self._y.copy()
        self._parting = np.zeros(1, np.int64)  # whether solids that overlap are to part
        own = {"tolerance": self.CONTACT_TOLERANCES, "resting": self.BOUNCE}
        self._settings = self._settings._replace(**{name: table[accuracy] for name, table in own.items()})
        step, cheap = crowd_cost(len(system.model.bodies)), 1e9 * self.CHEAP[accuracy]
        self._stored: float | None = None  # in soft contacts, where a crowd's step has just found it [J]
        self._closeness = Closeness(
            self._settings,
            self.SKIN[accuracy],
            self.CLOSE[accuracy],
            self.LEAST[accuracy],
            self.SLOW[accuracy],
            max(self.BURDEN[accuracy] * step, cheap),
            max(self.LEAK[accuracy] * step / self.CROWD_STEP[accuracy], cheap),
        )
        if only_crowds:
            self._pace = self._pace._replace(base=min(self._pace.base, self.CROWD_STEP["good"]))
            self.take_crowd_steps(LATE)

    @property
    def impacts(self) -> np.recarray:
        """IMPACT records, of all blows so far."""
        return self._impacts.impacts[: self._impacts.count[0]]

    @property
    def points(self) -> np.recarray:
        """POINT records of what holds at present, or of what a crowd's last step has found."""
        return self._system.touch.points[: self._system.touch.count[POINTS]]

    def control(self, inputs: Inputs) -> None:
        super().control(inputs)
        self._system.touch.count[ROWS] = 0

    def advance(self, time: float) -> Progress:
        while True:
            found = self._advance_crowd(time) if self._stepping[0].trust else self._advance(time)
            if 2 * self._impacts.count[0] > len(self._impacts.impacts):
                more = _longer(self._impacts.impacts, 2 * len(self._impacts.impacts))
                self._impacts = self._impacts._replace(impacts=more)
            if found == CROWD:
                self._begin_crowd()
            elif found == NO_ROOM:
                self._make_room()
            else:
                return Progress(found)

    def observe(self) -> Observation:
        return Observation(self._system, self.state, self._stored)

    def _advance(self, time: float) -> int:
        self._stored = None
        return advance_touching(
            self._calls,
            self._system,
            self.ground,
            self._y,
            self._trial,
            self._stages,
            self._stepping,
            time,
            self._closeness,
            self._spare,
            self._impacts,
            self._steps_at_once,
        )

    def _advance_crowd(self, time: float) -> int:
        found = advance_crowd(
            self._calls,
            self._system,
            self.ground,
            self._crowd,
            self._y,
            self._trial,
            self._stages,
            self._stepping,
            time,
            self._pace,
            self._impacts,
            self._steps_at_once,
        )
        if found == REACHED:
            self._stored = float(self._stepping[0].stored)
            self._list_points(int(self._crowd.counts[BEFORE]))
            tell_points(self._system, self.ground, self._crowd)
            tell_loads_of_guards(self._system, self._crowd)
        if not self._stepping[0].trust:
            self._end_crowd()
        return found

    def _begin_crowd(self) -> None:
        """Ever more steps, where events are too costly; a few, where they are not and yet leave no step."""
        now = self._stepping[0]
        if now.burden > self._closeness.burden:
            now.lasting = min(2 * now.lasting, LATE)
            self.take_crowd_steps(int(now.lasting))
        else:
            self.take_crowd_steps(1 << min(int(now.halted), MOST_HALTS))
            now.halted += 1

    def take_crowd_steps(self, steps: int) -> None:
        """Go on by so many steps of a crowd before events are looked for again, whether they crowd or not."""
        now = self._stepping[0]
        now.trust, now.stretch, now.burden = steps, 0.0, 0.0
        now.stored = stored_softly(self._system.touch)
        now.crowded, now.stalled, now.narrow, now.yielded = 0, 0, 0.0, 0
        self._crowd.counts[BEFORE] = 0
        self._crowd.asleep[:], self._crowd.quiet[:], self._crowd.loads[:] = 0, 0.0, 0.0

    def part_overlaps(self) -> None:
        """Let solids that overlap part gently, as a crowd's steps do. Events keep what overlaps from going deeper."""
        self._parting[0] = 1
        self.take_crowd_steps(SOON)

    def _overlap(self) -> bool:
        """Return whether rigid solids overlapped at the beginning of the last step by more than they are pressed in."""
        held = self._crowd.before[: self._crowd.counts[BEFORE]]
        weight = float(arrays.norm(self._system.model.gravity))
        pressed = SLOWLY * weight * self._pace.base**2 / FIRM
        return bool(np.any(held.gap[held.stiffness == 0.0] < -OVERLAPPING * pressed))

    def _end_crowd(self) -> None:
        """Look for events again, if there are few enough."""
        now, crowd = self._stepping[0], self._crowd
        if self._parting[0] and self._overlap():
            now.trust = SOON
            return
        self._parting[0] = 0
        points = np.count_nonzero(crowd.before[: crowd.counts[BEFORE]].load)
        cost = event_cost(len(self._system.model.bodies), points)
        if self._only_crowds:
            now.trust = LATE
            return
        if cost > self.SHARE[self._accuracy] * self._closeness.burden:
            now.trust = now.lasting
            return
        now.fresh, now.started, now.step = 0, 0, 0.0

    def snapshot(self) -> Memory:
        touch, crowd = self._system.touch, self._crowd
        points, before = touch.points[: touch.count[POINTS]], crowd.before[: crowd.counts[BEFORE]]
        kept = {"points": points, "count": touch.count, "before": before, "crowd_counts": crowd.counts}
        kept |= _lasting(crowd) | {"parting": self._parting}
        return super().snapshot() | {name: array.copy() for name, array in kept.items()}

    def accept(self, arrays: Sequence[np.ndarray]) -> Memory:
        return checked_memory(arrays, self.snapshot(), len(self.ground.solids), len(self._system.model.bodies))

    def restore(self, memory: Memory) -> None:
        """Blows that were later are forgotten."""
        points, before = memory["points"], memory["before"]
        super().restore(memory)
        if not self._stepping[0].trust:
            while len(points) * MOST_ROWS > len(self._system.touch.rows):
                self._widen_touch()
        if len(before) > len(self._crowd.before):
            self._widen_crowd(len(before))
        self._list_points(len(points))
        touch, crowd = self._system.touch, self._crowd
        touch.points[: len(points)], crowd.before[: len(before)] = points, before
        touch.count[:] = memory["count"]
        crowd.counts[:] = 0  # of what is listed anew in each step
        crowd.counts[[BEFORE, STRIDES]] = memory["crowd_counts"][[BEFORE, STRIDES]]
        for name, own in _lasting(crowd).items():
            own[:] = memory[name]
        self._parting[:] = memory["parting"]
        write_rates(self._system, float(self._stepping[0].time), self._y, self._trial)  # places bodies
        self._stored = float(self._stepping[0].stored) if self._stepping[0].trust else None
        known = self.impacts
        self._impacts.count[0] = np.count_nonzero(known.time <= self._stepping[0].time)

    def _make_room(self) -> None:
        """More for what was short, with what is in it kept."""
        if self.ground.numbers[SHORT]:
            self._widen_ground()
        elif self._stepping[0].trust:
            self._widen_crowd(2 * len(self._crowd.contacts))
        else:
            self._widen_touch()

    def _widen_ground(self) -> None:
        ground = self.ground
        pairs = max(2 * len(ground.pairs), int(ground.numbers[SHORT]))
        names = ("starts", "ends", "near_starts", "near_ends")
        more = {name: _longer(getattr(ground, name), pairs * 8) for name in names}
        ground.numbers[:] = 0
        self.ground = ground._replace(pairs=np.zeros((pairs, 2), np.int64), **more)

    def _widen_crowd(self, contacts: int) -> None:
        old = self._crowd
        self._crowd = make_crowd(self._system.model.bodies, contacts, len(old.loads))
        self._crowd.before[: len(old.before)] = old.before
        self._crowd.counts[[BEFORE, STRIDES]] = old.counts[[BEFORE, STRIDES]]
        kept = _lasting(old)
        for name, own in _lasting(self._crowd).items():
            own[:] = kept[name]

    def _widen_touch(self) -> None:
        system, old = self._system, self._system.touch
        points = 2 * len(old.rows) // MOST_ROWS
        touch = make_touch(points, len(system.model.bodies), len(system.tau), len(system.constraints.first))
        self._system = system._replace(touch=touch)
        self._list_points(len(old.points))
        self._system.touch.points[: len(old.points)] = old.points
        touch.count[:] = old.count

    def _list_points(self, count: int) -> None:
        """Have room to tell of so many points; to solve for them, by events, is another matter."""
        touch = self._system.touch
        if count > len(touch.points):
            order = np.zeros(count, np.int64)
            self._system = self._system._replace(touch=touch._replace(points=_longer(touch.points, count), order=order))


def is_unequal(system: System, ground, led: Collection[int]) -> bool:
    """Return whether the masses of bodies that may touch differ so far that the loads at events are rounding errors.

    led: numbers of the bodies that nothing pushes.
    """
    bodies = {int(body) for body in ground.solids.body} - set(led)
    masses = [float(system.model.bodies[body].mass) for body in bodies]
    masses = [mass for mass in masses if mass > 0.0]
    return bool(masses) and max(masses) > UNEQUAL * min(masses)


def _lasting(crowd) -> Memory:
    return {"asleep": crowd.asleep, "quiet": crowd.quiet, "felt": crowd.felt, "loads": crowd.loads}


def _longer(array: np.recarray, count: int) -> np.recarray:
    longer = np.zeros(max(count, len(array)), array.dtype).view(np.recarray)
    longer[: len(array)] = array
    return longer
