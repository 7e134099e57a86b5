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
from ..spatial import add, dot, rotate, scale
from ..spatial.storage import get3, get9

TARGET, SPEED, PUSH_FORCE, STIFFNESS, DRIVE_DAMPING, EFFORT = range(6)
CHART_TARGET, CHART_SPEED, CHART_PUSH, CHART_STIFFNESS, CHART_DAMPING = range(6, 11)
DAMPING, WRENCH, GRAVITY, WIND = range(11, 15)
"""Codes of INPUT records, which name the quantity that an input changes.

The first six belong to the drive of a set-valued force, and the five that begin with CHART to a drive of a ball or free
joint. DAMPING belongs to a dof, WRENCH to a PUSH record, and GRAVITY and WIND to the world.
"""

INPUT = np.dtype(
    [
        ("what", np.int64),  # one of the codes above
        ("row", np.int64),  # index in the array that has the number
        ("part", np.int64),  # index of the component, of a quantity with three or six
        ("value", np.float64),  # at the beginning of the window
        ("rate", np.float64),  # its change per second until the end of the window [1/s]
    ],
    align=True,
)

DEGREE = 7
"""Degree of the polynomials that approximate prescribed motion between two frames."""


class Inputs(KernelTuple, namedtuple("Inputs", "window signals changes pushes tethers applied_tau")):
    """The inputs that kernels read during the time `window`, shape (2,) [s].

    Attributes:
        signals: coefficients of prescribed motion, shape (signals, DEGREE + 1), for the window mapped to -1 .. 1.
        changes: INPUT records. pushes: PUSH records. tethers: TETHER records.
        applied_tau: forces on the dofs, shape (nv,) [N m or N].
    """


@kernel
def set_inputs_at(system, time):
    """Call `set_inputs` from outside kernels."""
    set_inputs(system, time)


@subroutine
def set_inputs(system, time):
    """Write the values of all changing numbers at a time [s] within the window to the system's arrays."""
    elapsed = time - system.inputs.window[0]
    for k in range(system.inputs.changes.shape[0]):
        entry = system.inputs.changes[k]
        put(system, entry, entry.value + elapsed * entry.rate)


@jitable
def put(system, entry, number):
    model, what, row, part = system.model, entry.what, entry.row, entry.part
    if what == WRENCH:
        system.inputs.pushes[row].wrench[part] = number
    elif what == GRAVITY:
        model.gravity[part] = number
        system.gravity_rate[part] = entry.rate
    elif what == WIND:
        model.wind[part] = number
    elif what == DAMPING:
        model.dofs[row].damping = number
    elif what >= CHART_TARGET:
        put_on_chart(model.chart_drives[row], what, part, number, entry.rate)
    else:
        put_on_column(model.set_valued_forces[row], what, number, entry.rate)


@jitable
def put_on_column(element, what, number, rate):
    if what == TARGET:
        element.drive_target, element.drive_rate = number, rate
    elif what == SPEED:
        element.drive_rate = number
    elif what == PUSH_FORCE:
        element.drive_push = number
    elif what == STIFFNESS:
        element.drive_stiffness = number
    elif what == DRIVE_DAMPING:
        element.drive_damping = number
    else:
        element.effort_limit = number


@jitable
def put_on_chart(drive, what, part, number, rate):
    if what == CHART_TARGET:
        drive.target[part], drive.target_rate[part] = number, rate
    elif what == CHART_SPEED:
        drive.rate[part] = number
    elif what == CHART_PUSH:
        drive.push[part] = number
    elif what == CHART_STIFFNESS:
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
    gained = 0.0
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        gained -= dot(rate, moment_of(bodies[i], get3(body.moment), body.mass))
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        gained += dot(rate, moment_of(bodies[medium.body], get3(medium.weightless_moment), medium.weightless_mass))
    return gained


@jitable
def moment_of(placed, moment, mass):
    """Return mass * com in the world [kg m] of a body whose pose is known, given both in the body."""
    return add(rotate(get9(placed.rotation), moment), scale(get3(placed.origin), mass))
