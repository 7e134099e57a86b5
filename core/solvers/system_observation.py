# SPDX-License-Identifier: GPL-3.0-or-later
"""`SystemObservation`: the observation of solvers that compute with a `System`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..compilation.jit import kernel
from ..contact.loads import soft_contact_energy
from ..contact.points import POINTS
from ..controls.inputs import Inputs, set_inputs_at
from ..dynamics.constraints import EQUATION, ConstraintSet
from ..dynamics.energy import energies_of
from ..kinematics.forward import write_link_poses
from ..model.compiling.compiled import CompiledModel
from ..spatial import rotate_back
from ..spatial.storage import get9
from .frame_loads import add_drives
from .frames import largest_gap_at
from .protocol import ContactMotion, State
from .reactions import reactions
from .system import ENERGY_TOTALS, System, write_rates

NO_LINKS = np.zeros(0, np.int64)
"""The bodies of no links, for energies without poses."""
NO_POSES = np.zeros((0, 7))
"""The poses of no links."""


class SystemObservation:
    """The observation of a `System` at a state: see `Observation`.

    Args:
        constraints: those of the system.
        owners: for each solid that may touch, the name of its link.
        stored: energy of compliant contacts [J] as the last convex step has found it, which includes that of contacts
            that are recorded as impacts. If None, it is computed from the active contact points.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        system: System,
        state: State,
        owners: Sequence[str] = (),
        stored: float | None = None,
    ):
        self.state, self._compiled, self._constraints, self._system = state, compiled, constraints, system
        self._owners, self._stored = owners, stored
        self._qdd: np.ndarray | None = None
        if len(system.inputs.changes):
            set_inputs_at(system, state.time)

    @property
    def inputs(self) -> Inputs:
        return self._system.inputs

    @property
    def force_states(self) -> np.recarray:
        return self._system.work.force_states

    def energies(self) -> tuple[float, float]:
        return self._poses_and_energies(NO_LINKS, NO_POSES, NO_POSES)

    def place(self, X_WL: np.ndarray) -> tuple[float, float]:
        return self._poses_and_energies(self._compiled.link_body, self._compiled.X_BL, X_WL)

    def _poses_and_energies(self, link_body: np.ndarray, X_BL: np.ndarray, X_WL: np.ndarray) -> tuple[float, float]:
        state = self.state
        kinetic, potential, stored = poses_and_energies(self._system, state.q, state.qd, link_body, X_BL, X_WL)
        return kinetic, potential + (stored if self._stored is None else self._stored)

    def largest_gap(self) -> float:
        return largest_gap_at(self._system, self.state.time, self.state.q)

    def accelerations(self) -> np.ndarray:
        """Return qdd, shape (nv,). The work records, multipliers and contact loads of the system then belong to it."""
        if self._qdd is None:
            y = np.concatenate([self.state.q, self.state.qd, np.zeros(ENERGY_TOTALS)])
            rates = np.zeros_like(y)
            write_rates(self._system, self.state.time, y, rates)
            self._qdd = rates[len(self.state.q) : -ENERGY_TOTALS]
        return self._qdd

    def efforts(self) -> np.ndarray:
        self.accelerations()
        system, constraints = self._system, self._constraints
        found = system.inputs.applied_tau.copy()
        add_drives_at(system, self.state.q, self.state.qd, found)
        for record in constraints.active:
            signal = constraints.signal_of(record)
            multipliers = system.scratch.multipliers[record.row : record.row + record.rows]
            if signal is None or signal.of_link:
                continue
            if record.kind == EQUATION:
                for term in constraints.arrays.terms[record.term : record.term_end]:
                    found[term.v] += term.weight * multipliers[0]
            else:  # of a ball or free joint, in its child-side axes
                body = system.model.bodies[record.body_b]
                R = get9(system.work.bodies[record.body_b].rotation)
                parts = np.concatenate([rotate_back(R, tuple(multipliers[3:])), rotate_back(R, tuple(multipliers[:3]))])
                found[body.v : body.v_end] += parts[6 - (body.v_end - body.v) :]
        return found

    def wrenches(self) -> dict[str, np.ndarray]:
        qdd = self.accelerations()
        return reactions(self._compiled, self._constraints, self._system, self.state, qdd, self._owners)

    def contacts(self) -> ContactMotion:
        touch = self._system.touch
        return ContactMotion(touch.points[: touch.count[POINTS]], self._system.work.bodies)


@kernel
def poses_and_energies(system, q, qd, link_body, X_BL, X_WL):
    """Write the poses of links to `X_WL`, shape (L, 7). Return (kinetic, potential, stored in compliant contacts) [J].

    The first two are those of `mechanical_energy`. link_body and X_BL are those of the `CompiledModel`.
    """
    kinetic, potential = energies_of(system.model, system.work, q, qd)
    write_link_poses(system.work, link_body, X_BL, X_WL)
    return kinetic, potential, soft_contact_energy(system.touch)


@kernel
def add_drives_at(system, q, qd, out):
    """Do what `add_drives` does, for calls from Python."""
    add_drives(system, q, qd, out)
