# SPDX-License-Identifier: GPL-3.0-or-later
"""Efforts and wrenches of the frames that a kernel writes, which take another evaluation of the accelerations each."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import subroutine
from ..dynamics.set_valued_forces import add_chart_drive, add_drive
from ..model.compiling.compiled import ON_DOF, CompiledModel
from ..trajectory.trajectory import Trajectory
from .reactions import NO_REACTIONS, compute_reactions, names_of_rows, reaction_arrays
from .system import ENERGY_TOTALS, parts_of


class FrameLoads(KernelTuple, namedtuple("FrameLoads", "efforts wrenches at_wrenches reactions rates tau")):
    """The arguments of kernels that write the loads of frames.

    Attributes:
        efforts: of all stages, shape (F, velocities); shape (0, 0) if they are not recorded.
        wrenches: of all stages, shape (F, joints, 6); shape (0, 0, 6) if they are not recorded.
        at_wrenches: place in them of each row of `reactions.out`.
        reactions: a `ReactionArrays`.
        rates, tau: work arrays for the rates of a state, and for the forces on all dofs.
    """


def frame_loads(compiled: CompiledModel, out: Trajectory, owners: Sequence[str]) -> FrameLoads:
    """Return the arrays by which a kernel writes loads to a trajectory.

    owners: for each solid, the name of its link.
    """
    efforts = np.zeros((0, 0)) if out.efforts is None else out.efforts
    rates, tau = np.zeros(compiled.nq + compiled.nv + ENERGY_TOTALS), np.zeros(compiled.nv)
    if out.wrenches is None:
        return FrameLoads(efforts, np.zeros((0, 0, 6)), np.zeros(0, np.int64), NO_REACTIONS, rates, tau)
    column = {name: k for k, name in enumerate(out.wrench_names)}
    places = np.array([column[name] for name in names_of_rows(compiled)], dtype=np.int64)
    return FrameLoads(efforts, out.wrenches, places, reaction_arrays(compiled, owners), rates, tau)


@subroutine
def write_loads(calls, system, now, y, k, columns, loads):
    """Write the efforts and wrenches at the state y to frame k, those that are recorded. columns: of the dofs."""
    if loads.efforts.shape[0] == 0 and loads.wrenches.shape[0] == 0:
        return
    q, qd = parts_of(system, y)
    calls.rates(system, now.time, y, 0.0, loads.rates)
    if loads.efforts.shape[0] > 0:
        for j in range(qd.shape[0]):
            loads.tau[j] = system.inputs.applied_tau[j]
        add_drives(system, q, qd, loads.tau)
        for j in range(qd.shape[0]):
            loads.efforts[k, columns[j]] = loads.tau[j]
    if loads.wrenches.shape[0] > 0:
        arrays = loads.reactions
        for row in range(arrays.outside.shape[0]):
            for j in range(6):
                arrays.outside[row, j] = 0.0
        compute_reactions(system, arrays, now.time, q, qd, parts_of(system, loads.rates)[1])
        for row in range(arrays.out.shape[0]):
            for j in range(6):
                loads.wrenches[k, loads.at_wrenches[row], j] = arrays.out[row, j]


@subroutine
def add_drives(system, q, qd, out):
    """Add to `out`, shape (nv,), the forces of drives at a state, as `add_set_valued_forces` applies them."""
    model, work = system.model, system.work
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], work.force_states[k]
        if element.kind == ON_DOF and force_state.is_disabled == 0:
            add_drive(element, force_state, work.dofs[element.v], q, qd, 0.0, out)
    for k in range(model.chart_drives.shape[0]):
        add_chart_drive(model, work, model.chart_drives[k], q, qd, 0.0, out)
