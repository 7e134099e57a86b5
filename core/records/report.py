# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a run: its cost, and the errors of its energy and its loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model.compiling.compiled import CompiledModel
from ..model.compiling.size import size_of
from ..spatial import norm
from ..trajectory.trajectory import Trajectory
from .breaking import Break
from .contact_report import ContactReport

STILL = 1e-8
"""Speed of links, in sizes of the model per second, up to which a model without gravity counts as still.

Such speeds are rounding errors. A limit of the energy would count the motion of a speck of dust as rest.
"""

ROUNDING = 1e-12
"""Ratio of the energy that moves to the energy at stake, up to which the former counts as rounding error."""

NOTHING_MOVES = "nothing moves: all links rest in balance; look at gravity, and at the axes and places of the joints"


@dataclass
class Report:
    """The cost of a run, and the errors of its energy and its loops.

    Attributes:
        frames: number of frames so far. wall_time: time of computation [s].
        steps: number of accepted steps. implicit_steps: the implicit ones among them. rejected: number of failed
            attempts.
        evaluations: number of evaluations of all accelerations.
        iterations: of Newton's method, which closes loops and couplings after steps.
        events: number of instants at which something began or ceased to act: a stop, sticking friction, a velocity or
            effort limit.
        impacts: number of events at which velocities jumped.
        energy_drift: largest |kinetic + potential + dissipated - supplied - the same at the start| [J].
        energy_scale: the largest of three energies: the peak of the kinetic energy, the range of the potential energy,
            and the energy that is added and removed between two frames; 0 if nothing moves [J].
        loop_error: largest gap in a loop joint [m], or error of a coupling [rad or m]; 0 if there are none.
        notes: sentences about what a user may not expect.
        contact: the report about contact; None if nothing can touch.
        breaks: the joints that broke under load, in the order of time.
    """

    frames: int = 0
    steps: int = 0
    implicit_steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    iterations: int = 0
    events: int = 0
    impacts: int = 0
    wall_time: float = 0.0
    energy_drift: float = 0.0
    energy_scale: float = 0.0
    loop_error: float = 0.0
    notes: list[str] = field(default_factory=list)
    contact: ContactReport | None = None
    breaks: list[Break] = field(default_factory=list)

    @property
    def relative_drift(self) -> float:
        """energy_drift / energy_scale; 0 if nothing moves."""
        return self.energy_drift / self.energy_scale if self.energy_scale > 0.0 else 0.0

    @np.errstate(all="ignore")  # the energies of a run that diverges may be infinite
    def weigh(self, done: Trajectory, largest_flow: float, at_stake: float, at_rest: float) -> None:
        """Fill in the number of frames and the energies.

        Args:
            done: the frames so far.
            largest_flow: the most energy that is added and removed between two frames [J].
            at_stake: the result of `energy_at_stake` [J]. at_rest: the result of `energy_at_rest` [J].
        """
        total = done.kinetic + done.potential + done.dissipated - done.supplied
        scale = max(done.kinetic.max(initial=0.0), np.ptp(done.potential) if len(done) else 0.0, largest_flow)
        moves = scale > max(ROUNDING * max(at_stake, np.abs(total).max(initial=0.0)), at_rest)
        self.frames = len(done)
        self.energy_drift = float(np.abs(total - total[:1]).max(initial=0.0))
        self.energy_scale = float(scale) if moves else 0.0
        if not moves and len(done) > 1:
            self.notes = [*self.notes, NOTHING_MOVES]


def energy_at_stake(compiled: CompiledModel) -> float:
    """Return the energy that lifts all links of a model by the model's size [J]; 0 without gravity.

    Energies are sums of terms of about this size, so their rounding error is proportional to it. The potential energy
    itself does not measure that size, since it is 0 at a height that the file's author has chosen.
    """
    model = compiled.model
    mass = sum(link.mass for link in model.links if link.gravity)
    return mass * norm(model.gravity) * size_of(compiled)


def energy_at_rest(compiled: CompiledModel) -> float:
    """Return the largest energy of a model's motion at which the model counts as still [J]."""
    return sum(link.mass for link in compiled.model.links) * (STILL * size_of(compiled)) ** 2
