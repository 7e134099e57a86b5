# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on a model from outside between two frames, and its own numbers that change meanwhile.

Such a number, as what a drive aims at, goes evenly from what it is at the one frame to what it is at the other, so a
motion can be followed as exactly as ever. A kernel writes the numbers of the moment into the system's own copy of the
model's arrays, where all else reads them; the compiled model stays as it is.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..jit import jitable, kernel, subroutine
from ..slots import Bundled
from ..spatial import add, dot, rotate, scale
from ..spatial.storage import get3, get9

TARGET, SPEED, PUSH_FORCE, STIFFNESS, DRIVE_DAMPING, EFFORT = range(6)
CHART_TARGET, CHART_SPEED, CHART_PUSH, CHART_STIFFNESS, CHART_DAMPING = range(6, 11)
DAMPING, WRENCH, GRAVITY, WIND = range(11, 15)
"""What a number is: of a guard's drive, of a chart's drive, of a column, of a push, or of the world."""

INPUT = np.dtype(
    [
        ("what", np.int64),
        ("row", np.int64),  # of the array that it is in
        ("part", np.int64),  # which of three or six numbers
        ("value", np.float64),  # at the beginning of the frame
        ("rate", np.float64),  # by which it changes until the next one [1/s]
    ],
    align=True,
)

DEGREE = 7
"""Of the polynomials that prescribed motion becomes between two frames."""


class Inputs(Bundled, namedtuple("Inputs", "window signals changes pushes tethers thrust")):
    """What kernels see of all that acts in the time `window`, shape (2,) [s].

    Attributes:
        signals: coefficients of prescribed motion, shape (signals, DEGREE + 1), over -1 .. 1 for that time.
        changes: INPUT records. pushes: PUSH records. tethers: TETHER records.
        thrust: forces on the dofs, shape (nv,) [N m or N].
    """


@kernel
def set_inputs_at(system, time):
    """As `set_inputs`, from outside kernels."""
    set_inputs(system, time)


@subroutine
def set_inputs(system, time):
    """Write the numbers of a time [s] of the inputs' window into the system's arrays."""
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
        put_on_column(model.guards[row], what, number, entry.rate)


@jitable
def put_on_column(guard, what, number, rate):
    if what == TARGET:
        guard.drive_target, guard.drive_rate = number, rate
    elif what == SPEED:
        guard.drive_rate = number
    elif what == PUSH_FORCE:
        guard.drive_push = number
    elif what == STIFFNESS:
        guard.drive_stiffness = number
    elif what == DRIVE_DAMPING:
        guard.drive_damping = number
    else:
        guard.effort = number


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
    """The power that a change of gravity brings in, by lifting the potential energy of all that has weight [W]."""
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
    """mass * com in the world [kg m], of a body that is placed."""
    return add(rotate(get9(placed.rotation), moment), scale(get3(placed.origin), mass))
