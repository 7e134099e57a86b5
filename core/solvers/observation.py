# SPDX-License-Identifier: GPL-3.0-or-later
"""Observations of a motion at one instant: energies, gaps, accelerations and forces.

Recorders and the doctor read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compilation.jit import kernel
from ..contact.loads import soft_contact_energy
from ..controls.inputs import Inputs, set_inputs_at
from ..dynamics.constraints import EQUATION, ConstraintSet
from ..dynamics.energy import energies_of
from ..dynamics.set_valued_forces import add_chart_drive, add_drive
from ..kinematics.forward import write_link_poses
from ..model.compiling.compiled import ON_DOF, CompiledModel
from ..spatial import rotate_back
from ..spatial.storage import get9
from .assembly import write_position_errors
from .system import ENERGY_TOTALS, System, write_rates

if TYPE_CHECKING:
    from .protocol import State

NO_LINKS = np.zeros(0, np.int64)
"""The bodies of no links, for energies without poses."""
NO_POSES = np.zeros((0, 7))
"""The poses of no links."""


class Observation:
    """A view of a `System` at a state. Each method computes its result and changes nothing that the motion depends on.

    Args:
        stored: energy of compliant contacts [J] as the last convex step has found it, which includes that of contacts
            that are recorded as impacts. If None, it is computed from the active contact points.

    Attributes:
        force_states: FORCE_STATE records, one for each set-valued force. bodies: BODY_WORK records. multipliers: of the
            rows of the constraints, shape (rows,). The latter two belong to the state once `accelerations` has been
            called.
    """

    def __init__(self, system: System, state: State, stored: float | None = None):
        self.system, self.state, self._stored = system, state, stored
        if len(system.inputs.changes):
            set_inputs_at(system, state.time)

    @property
    def inputs(self) -> Inputs:
        return self.system.inputs

    @property
    def force_states(self) -> np.recarray:
        return self.system.work.force_states

    @property
    def bodies(self) -> np.recarray:
        return self.system.work.bodies

    @property
    def multipliers(self) -> np.ndarray:
        return self.system.scratch.multipliers

    def energies(self) -> tuple[float, float]:
        """Return (kinetic, potential) [J]. The latter includes the energy of compliant contacts."""
        return self._poses_and_energies(NO_LINKS, NO_POSES, NO_POSES)

    def place(self, compiled: CompiledModel, X_WL: np.ndarray) -> tuple[float, float]:
        """Write the poses of links to `X_WL`, shape (L, 7), and return the result of `energies`."""
        return self._poses_and_energies(compiled.link_body, compiled.X_BL, X_WL)

    def _poses_and_energies(self, link_body: np.ndarray, X_BL: np.ndarray, X_WL: np.ndarray) -> tuple[float, float]:
        state = self.state
        kinetic, potential, stored = poses_and_energies(self.system, state.q, state.qd, link_body, X_BL, X_WL)
        return kinetic, potential + (stored if self._stored is None else self._stored)

    def gaps(self) -> np.ndarray:
        """Return the position error of each row of the constraints, shape (rows,) [rad or m]."""
        write_position_errors(self.system, self.state.time, self.state.q)
        return self.system.scratch.error

    def accelerations(self) -> np.ndarray:
        """Return qdd, shape (nv,)."""
        y = np.concatenate([self.state.q, self.state.qd, np.zeros(ENERGY_TOTALS)])
        rates = np.zeros_like(y)
        write_rates(self.system, self.state.time, y, rates)
        return rates[len(self.state.q) : -ENERGY_TOTALS]

    def efforts(self, constraints: ConstraintSet) -> np.ndarray:
        """Return the driving force on each dof, shape (nv,) [N m or N]. `accelerations` must have been called.

        It is the sum of the forces of drives, of the callback, and of prescribed motion.
        """
        found = self.inputs.applied_tau.copy()
        add_drives(self.system, self.state.q, self.state.qd, found)
        for record in constraints.active:
            signal = constraints.signal_of(record)
            multipliers = self.multipliers[record.row : record.row + record.rows]
            if signal is None or signal.of_link:
                continue
            if record.kind == EQUATION:
                for term in constraints.arrays.terms[record.term : record.term_end]:
                    found[term.v] += term.weight * multipliers[0]
            else:  # of a ball or free joint, in its child-side axes
                body = self.system.model.bodies[record.body_b]
                R = get9(self.bodies[record.body_b].rotation)
                parts = np.concatenate([rotate_back(R, tuple(multipliers[3:])), rotate_back(R, tuple(multipliers[:3]))])
                found[body.v : body.v_end] += parts[6 - (body.v_end - body.v) :]
        return found


@kernel
def compliant_contact_energy(touch):
    """Return the energy of the active compliant contacts [J]."""
    return soft_contact_energy(touch)


@kernel
def poses_and_energies(system, q, qd, link_body, X_BL, X_WL):
    """Write the poses of links to `X_WL`, shape (L, 7). Return (kinetic, potential, stored in compliant contacts) [J].

    The first two are those of `mechanical_energy`. link_body and X_BL are those of the `CompiledModel`.
    """
    kinetic, potential = energies_of(system.model, system.work, q, qd)
    write_link_poses(system.work, link_body, X_BL, X_WL)
    return kinetic, potential, soft_contact_energy(system.touch)


@kernel
def add_drives(system, q, qd, out):
    """Add to `out`, shape (nv,), the forces of drives at a state, as `add_set_valued_forces` applies them."""
    model, work = system.model, system.work
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], work.force_states[k]
        if element.kind == ON_DOF and force_state.is_disabled == 0:
            add_drive(element, force_state, work.dofs[element.v], q, qd, 0.0, out)
    for k in range(model.chart_drives.shape[0]):
        add_chart_drive(model, work, model.chart_drives[k], q, qd, 0.0, out)
