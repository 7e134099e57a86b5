# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run took, and how well it kept its energy and its loops."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..kinematics.demands import size_of
from ..model.compiled import CompiledModel
from ..spatial import norm
from ..trajectory.trajectory import Trajectory
from .contact_report import ContactReport

STILL = 1e-8
"""Sizes of a model a second at which its links move at most if nothing moves: rounding errors where nothing has weight.

It is no energy, which would call a motion of a speck of dust rest.
"""

ROUNDING = 1e-12
"""Part of the energy at stake below which the energy that moves is rounding error, so that nothing moves."""

NOTHING_MOVES = "nothing moves: all links rest in balance; look at gravity, and at the axes and places of the joints"


@dataclass
class Report:
    """What a run took and how well it kept its energy and its loops.

    Attributes:
        frames: computed so far. wall_time [s].
        steps, implicit_steps, rejected: of the solver, those of them that were implicit, and those tried in vain.
        evaluations: of all accelerations. iterations: of Newton's method, to close loops and couplings after steps.
        events: instants at which something began or ceased to act: stops, sticking, largest speeds and forces.
        impacts: those of them at which velocities jumped.
        energy_drift: largest |kinetic + potential + dissipated - supplied - what they were at the start| [J].
        energy_scale: the largest of the kinetic energy's peak, the potential energy's range, and what goes in and out
            between two frames; 0 if nothing moves [J].
        loop_error: largest gap in a loop joint [m], or error of a coupling [rad or m]; 0 where there are none.
        notes: what a user may wonder at.
        contact: what touched; None where nothing may.
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

    @property
    def relative_drift(self) -> float:
        """energy_drift / energy_scale; 0 where nothing moves."""
        return self.energy_drift / self.energy_scale if self.energy_scale > 0.0 else 0.0

    @np.errstate(all="ignore")  # a run that diverges has energies beyond all numbers
    def weigh(self, done: Trajectory, largest_flow: float, at_stake: float, at_rest: float) -> None:
        """Fill in what the frames tell.

        Args:
            largest_flow: the most energy that goes in and out between two frames [J].
            at_stake: as `energy_at_stake` computes it [J]. at_rest: as `energy_at_rest` does [J].
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
    itself is no such measure, since it is 0 at a height that the file's author has chosen.
    """
    model = compiled.model
    mass = sum(link.mass for link in model.links if link.gravity)
    return mass * norm(model.gravity) * size_of(compiled)


def energy_at_rest(compiled: CompiledModel) -> float:
    """Return the largest energy of a model's motion that counts as none [J]."""
    return sum(link.mass for link in compiled.model.links) * (STILL * size_of(compiled)) ** 2
