# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that break under their loads: when they are weighed, and what they bear.

The load of a joint is the wrench that `Trajectory.wrenches` shows. An impact of rigid bodies takes no time, so that its
force would be infinite. Its impulse counts as a force that acts for IMPACT_TIME.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..dynamics.constraints import ConstraintSet
from ..model import Model
from ..model.compiling.compiled import CompiledModel
from ..model.text import in_digits, timed
from ..solvers.protocol import Observation
from ..spatial import arrays
from .impact_reactions import impact_reactions
from .named_contacts import Impact

WEIGHINGS_PER_SECOND = 240.0
"""How often joints are weighed in a second of motion: a joint breaks at most so much later than in reality. It is a
multiple of usual frame rates, so that few steps become shorter."""

SAME_TIME = 1e-6
"""Part of the time between two weighings by which rounding may move one of them away from a frame."""

ALIKE = 1e-6
"""Relative difference of two overloads up to which joints break together, so that what is symmetric stays so."""

IMPACT_TIME = 1.0 / 60.0
"""Time in which an impact counts as a force [s]: a step of game engines, for which thresholds in files were chosen."""


@dataclass(frozen=True)
class Break:
    """A joint that broke.

    Attributes:
        time: at which it broke [s]. frame: number of the first frame without it.
        at_start: whether that is when the motion begins.
        force, torque: sizes of what it carried [N, N m].
    """

    joint: str
    time: float
    frame: float
    force: float
    torque: float
    at_start: bool

    def sentence(self, model: Model) -> str:
        """Return what happened, for a user. model: one that has the joint."""
        joint = model.joint(self.joint)
        loads = ((self.force, joint.break_force, "N"), (self.torque, joint.break_torque, "N m"))
        overloads = " and ".join(
            f"{in_digits(load, 4)} {unit} (it bears {in_digits(most, 4)})" for load, most, unit in loads if load > most
        )
        when = "the start" if self.at_start else f"{timed(self.time)}, frame {self.frame:g}"
        return f"joint '{self.joint}' broke at {when}, under {overloads}"


class Weighing:
    """The times at which the joints of a motion are weighed, and their weighing.

    Args:
        model: the model. zero: the time at which the motion begins [s].
    """

    def __init__(self, model: Model, zero: float):
        self._strengths = {
            joint.name: (joint.break_force, joint.break_torque) for joint in model.joints if joint.is_breakable
        }
        self._zero, self._number = zero, 0

    def sync(self, now: float) -> None:
        """Go on from a time [s] at which joints have been weighed, if they are weighed at that time at all."""
        self._number = math.floor((now - self._zero) * WEIGHINGS_PER_SECOND + SAME_TIME) + 1

    def first_until(self, end: float) -> float:
        """Return the time of the next weighing, or `end` if that is not later [s]."""
        if not self._strengths:
            return end
        due = self._zero + self._number / WEIGHINGS_PER_SECOND
        return due if due < end - SAME_TIME / WEIGHINGS_PER_SECOND else end

    def is_due(self, now: float) -> bool:
        """Return whether joints are to be weighed at a time [s], and have not been."""
        if not self._strengths:
            return False
        return (now - self._zero) * WEIGHINGS_PER_SECOND > self._number - SAME_TIME

    def broken(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        seen: Observation,
        impacts: Sequence[Impact],
        now: float,
        frame: float,
    ) -> list[Break]:
        """Weigh the joints of a model at the time `now` [s], and return those that break: the most overloaded ones.

        Those that are overloaded less stay, since the first break may relieve them. They are to be weighed again at
        once, in the model without the broken ones.

        Args:
            constraints: those of the model, as the solver has them. seen: the present state.
            impacts: those in the last IMPACT_TIME. frame: number of the next frame.
        """
        loads = seen.wrenches()
        if impacts:
            impulses = impact_reactions(compiled, constraints, seen.state, impacts)
            loads = {name: load + impulses[name] / IMPACT_TIME for name, load in loads.items()}
        shares: dict[Break, float] = {}
        for name, (most_force, most_torque) in self._strengths.items():
            if name in loads:
                force, torque = float(arrays.norm(loads[name][:3])), float(arrays.norm(loads[name][3:]))
                found = Break(name, now, frame, force, torque, now == self._zero)
                shares[found] = max(force / most_force, torque / most_torque)
        largest = max(1.0, max(shares.values(), default=0.0) * (1.0 - ALIKE))
        broken = [found for found, share in shares.items() if share > largest]
        if not broken:
            self.sync(now)
        return broken
