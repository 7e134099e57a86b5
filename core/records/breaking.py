# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that break under load: when their loads are checked, and which joints break.

The load of a joint is its wrench in `Trajectory.wrenches`. An impact of rigid bodies has no duration, so its force
would be infinite. Its impulse is divided by IMPACT_TIME instead.
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

CHECKS_PER_SECOND = 240.0
"""Number of checks of loads per second of motion [1/s]. A joint breaks at most 1/240 s after its load exceeds its
strength. 240 is a multiple of 24, 30 and 60 frames per second, so that few steps become shorter."""

SAME_TIME = 1e-6
"""Share of the time between two checks by which rounding may separate a check from a frame."""

SAME_OVERLOAD = 1e-6
"""Relative difference of two overloads up to which joints break together, so that symmetric models break
symmetrically."""

IMPACT_TIME = 1.0 / 60.0
"""Duration by which an impulse is divided to give a force [s]. It is a usual step of game engines, for which thresholds
in files were chosen."""


@dataclass(frozen=True)
class Break:
    """A joint that broke.

    Attributes:
        time: at which it broke [s]. frame: number of the first frame without it.
        force, torque: sizes of the wrench that it carried [N, N m].
    """

    joint: str
    time: float
    frame: float
    force: float
    torque: float

    def sentence(self, model: Model, zero: float) -> str:
        """Return what happened, for a user.

        Args:
            model: one that has the joint. zero: the time at which the motion begins [s].
        """
        joint = model.joint(self.joint)
        loads = ((self.force, joint.break_force, "N"), (self.torque, joint.break_torque, "N m"))
        overloads = " and ".join(
            f"{in_digits(load, 4)} {unit} (it bears {in_digits(most, 4)})" for load, most, unit in loads if load > most
        )
        when = "the start" if self.time == zero else f"{timed(self.time)}, frame {self.frame:g}"
        return f"joint '{self.joint}' broke at {when}, under {overloads}"


class LoadChecks:
    """Checks the loads of the joints of a motion, at regular times.

    Args:
        model: the model. zero: the time at which the motion begins [s].
    """

    def __init__(self, model: Model, zero: float):
        self._strengths = {
            joint.name: (joint.break_force, joint.break_torque) for joint in model.joints if joint.is_breakable
        }
        self._zero, self._number = zero, 0

    @property
    def are_needed(self) -> bool:
        """Whether any joint can break."""
        return bool(self._strengths)

    def sync(self, now: float) -> None:
        """Continue after a time [s], at which loads have been checked if they are checked at that time at all."""
        self._number = math.floor((now - self._zero) * CHECKS_PER_SECOND + SAME_TIME) + 1

    def next_time(self, end: float) -> float:
        """Return the time of the next check, or `end` if the check is not earlier [s]."""
        if not self._strengths:
            return end
        due = self._zero + self._number / CHECKS_PER_SECOND
        return due if due < end - SAME_TIME / CHECKS_PER_SECOND else end

    def is_due(self, now: float) -> bool:
        """Return whether loads are to be checked at a time [s], and have not been."""
        if not self._strengths:
            return False
        return (now - self._zero) * CHECKS_PER_SECOND > self._number - SAME_TIME

    def overloaded_joints(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        seen: Observation,
        impacts: Sequence[Impact],
        now: float,
        frame: float,
    ) -> list[Break]:
        """Return the joints of a model that break at the time `now` [s]: those with the largest overload.

        Joints with a smaller overload stay, since the first break may relieve them. They are to be checked again at
        once, in the model without the broken ones.

        Args:
            constraints: those of the model, as the solver has them. seen: the present state.
            impacts: those in the last IMPACT_TIME. frame: number of the next frame.
        """
        loads = seen.wrenches()
        if impacts:
            impulses = impact_reactions(compiled, constraints, seen.state, impacts, now)
            loads = {name: load + impulses[name] / IMPACT_TIME for name, load in loads.items()}
        shares: dict[Break, float] = {}
        for name, (most_force, most_torque) in self._strengths.items():
            if name in loads:
                force, torque = float(arrays.norm(loads[name][:3])), float(arrays.norm(loads[name][3:]))
                found = Break(name, now, frame, force, torque)
                shares[found] = max(force / most_force, torque / most_torque)
        largest = max(1.0, max(shares.values(), default=0.0) * (1.0 - SAME_OVERLOAD))
        broken = [found for found, share in shares.items() if share > largest]
        if not broken:
            self.sync(now)
        return broken
