# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs: external forces on a model between two frames, and changes of the model's own numbers.

A changing number, such as the target of a drive, is interpolated linearly between its values at two frames, so the
integrators keep their order. A kernel writes the values at the present time into the system's own copy of the model's
arrays, from which all other kernels read them. The compiled model itself does not change.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import jitable, kernel, subroutine
from ..dynamics.constraints import ConstraintSet
from ..model.compiling.compiled import CompiledModel
from ..spatial import add, dot, rotate, scale
from ..spatial.storage import get3, get9
from .external_forces import TETHER, steady_pushes

TARGET, SPEED, PUSH_FORCE, STIFFNESS, DRIVE_DAMPING, EFFORT = range(6)
CHART_TARGET, CHART_SPEED, CHART_PUSH, CHART_STIFFNESS, CHART_DAMPING = range(6, 11)
DAMPING, WRENCH, GRAVITY, WIND = range(11, 15)
"""Codes of INPUT records, which name the quantity that an input changes.

The first six belong to the drive of a set-valued force, and the five that begin with CHART to a drive of a ball or free
joint. DAMPING belongs to a dof, WRENCH to a PUSH record, and GRAVITY and WIND to the world.
"""

INPUT = np.dtype(
    [
        ("code", np.int64),  # one of the codes above
        ("row", np.int64),  # index in the array that has the number
        ("part", np.int64),  # index of the component, of a quantity with three or six
        ("value", np.float64),  # at the beginning of the window
        ("rate", np.float64),  # its change per second until the end of the window [1/s]
    ],
    align=True,
)

DEGREE = 7
"""Degree of the polynomials that approximate prescribed motion between two frames.

Their error is then below that of the integrator, whose order is 8, for motion that is smooth over a frame.
"""


class Inputs(KernelTuple, namedtuple("Inputs", "window signals changes pushes tethers applied_tau")):
    """The inputs that kernels read during the time `window`, shape (2,) [s].

    Attributes:
        signals: coefficients of prescribed motion, shape (signals, DEGREE + 1), for the window mapped to -1 .. 1.
        changes: INPUT records. pushes: PUSH records. tethers: TETHER records.
        applied_tau: forces on the dofs, shape (nv,) [N m or N].
    """


def steady_inputs(compiled: CompiledModel, constraints: ConstraintSet) -> Inputs:
    """Return the inputs without controls: the forces on links that the model has, and signals that are 0."""
    signals = sum(signal.numbers for signal in constraints.signals)
    return Inputs(
        np.array([0.0, 1.0]),
        np.zeros((signals, DEGREE + 1)),
        np.zeros(0, INPUT).view(np.recarray),
        steady_pushes(compiled),
        np.zeros(0, TETHER).view(np.recarray),
        np.zeros(compiled.nv),
    )


@kernel
def set_inputs_at(system, time):
    """Do what `set_inputs` does, for calls from Python."""
    set_inputs(system, time)


@subroutine
def set_inputs(system, time):
    """Write the values of all changing numbers at a time [s] within the window to the system's arrays."""
    elapsed = time - system.inputs.window[0]
    for k in range(system.inputs.changes.shape[0]):
        entry = system.inputs.changes[k]
        write_input(system, entry, entry.value + elapsed * entry.rate)


@jitable
def write_input(system, entry, number):
    """Write a number to the quantity that an INPUT record names."""
    model, code, row, part = system.model, entry.code, entry.row, entry.part
    if code == WRENCH:
        system.inputs.pushes[row].wrench[part] = number
    elif code == GRAVITY:
        model.gravity[part] = number
        system.gravity_rate[part] = entry.rate
    elif code == WIND:
        model.wind[part] = number
    elif code == DAMPING:
        model.dofs[row].damping = number
    elif code >= CHART_TARGET:
        write_chart_drive_input(model.chart_drives[row], code, part, number, entry.rate)
    else:
        write_drive_input(model.set_valued_forces[row], code, number, entry.rate)


@jitable
def write_drive_input(force_law, code, number, rate):
    """Write a number to a drive of a set-valued force. rate: its change per second, the velocity of a target."""
    if code == TARGET:
        force_law.drive_target, force_law.drive_rate = number, rate
    elif code == SPEED:
        force_law.drive_rate = number
    elif code == PUSH_FORCE:
        force_law.drive_push = number
    elif code == STIFFNESS:
        force_law.drive_stiffness = number
    elif code == DRIVE_DAMPING:
        force_law.drive_damping = number
    else:
        force_law.effort_limit = number


@jitable
def write_chart_drive_input(drive, code, part, number, rate):
    """Write component `part` of a quantity of a ball joint's drive. rate: its change per second."""
    if code == CHART_TARGET:
        drive.target[part], drive.target_rate[part] = number, rate
    elif code == CHART_SPEED:
        drive.rate[part] = number
    elif code == CHART_PUSH:
        drive.push[part] = number
    elif code == CHART_STIFFNESS:
        drive.stiffness[part] = number
    else:
        drive.damping[part] = number


@subroutine
def power_of_gravity_change(system):
    """Return the power that a change of gravity supplies, since it changes the potential energy of all masses [W]."""
    rate = get3(system.gravity_rate)
    if dot(rate, rate) == 0.0:
        return 0.0
    model, bodies = system.model, system.work.bodies
    supplied = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        supplied -= dot(rate, first_moment_of(bodies[i], get3(body.moment), body.mass))
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        supplied += dot(
            rate, first_moment_of(bodies[medium.body], get3(medium.weightless_moment), medium.weightless_mass)
        )
    return supplied


@jitable
def first_moment_of(body_work, moment, mass):
    """Return mass * com in the world [kg m] from that in a body, `moment`. body_work: has the pose of the body."""
    return add(rotate(get9(body_work.rotation), moment), scale(get3(body_work.origin), mass))
