# SPDX-License-Identifier: GPL-3.0-or-later
"""What decides how a model moves on: its own forces, what acts on it from outside, and all that it holds to.

A state is one vector y: q, then qd, then two ledgers of energy [J]: what dampers, friction and stops have taken away,
and what drives and controls have brought in.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..contact.loads import apply_contact_loads
from ..contact.points import make_touch
from ..dynamics.aba import acceleration_pass, articulated_inertia_pass, forward_kinematics_pass
from ..dynamics.constraint_forces import hold_constraints, multipliers_for, respond
from ..dynamics.constraint_rows import position_errors, target_rates, velocity_errors
from ..dynamics.constraints import ConstraintSet, make_scratch
from ..dynamics.forces import joint_forces
from ..dynamics.guards import guard_forces
from ..dynamics.media import add_medium_forces
from ..jit import Pointer, jitable, kernel, subroutine
from ..joints import FREE, SCREWS
from ..kinematics import make_work
from ..kinematics.motion import integrate_positions, move_bodies
from ..kinematics.work import largest
from ..model.compiled import ON_DOF, Arrays, CompiledModel
from ..slots import Bundled
from ..spatial import quat_normalized, quat_rate, quat_to_mat, rotate
from ..spatial.storage import get3, get4, put3, put4
from .external_forces import TETHER, pull_bodies, push_bodies, steady_pushes
from .inputs import DEGREE, INPUT, Inputs, power_of_gravity_change, set_inputs

LEDGERS = 2
"""Entries of y after q and qd; they follow the motion and steer nothing."""

CLOSED = 2e-15
"""Radians and metres to which constraints are closed after each step, and radians and metres a second."""

NEARLY = 1e-6
"""As `CLOSED`, where constraints contradict each other by so little that a drawing's rounding may be the cause."""


class System(
    Bundled, namedtuple("System", "model inputs constraints work scratch gravity_rate tau margins counts touch")
):
    """What kernels take.

    Attributes:
        model: the compiled model's arrays; those into which inputs are written are copies of the system's own.
        inputs: see `Inputs`. gravity_rate: how fast they change gravity, shape (3,) [m/s^3].
        work, scratch, tau: what kernels fill, tau of shape (nv,). `work.watches` says what holds at present.
        margins: of each guard at the beginning and at the end of a step, shape (2, guards, 7, 2); see `margins.py`.
        counts: how often accelerations were evaluated, and constraints closed by an iteration of Newton's method.
        touch: the points in which solids touch, and room for their forces; of no size where nothing may.
    """


def make_system(compiled: CompiledModel, constraints: ConstraintSet, points: int = 0) -> System:
    """With nothing acting from outside, signals that are 0, and guards of prescribed joints asleep.

    points: in how many solids may touch at once.
    """
    scratch = make_scratch(compiled, constraints)
    work = make_work(compiled.arrays)
    prescribed = {signal.name for signal in constraints.signals if not signal.of_link}
    work.watches.asleep = [joint.name in prescribed for joint in compiled.guarded]
    inputs = Inputs(
        np.array([0.0, 1.0]),
        np.zeros((len(scratch.signal), DEGREE + 1)),
        np.zeros(0, INPUT).view(np.recarray),
        steady_pushes(compiled),
        np.zeros(0, TETHER).view(np.recarray),
        np.zeros(compiled.nv),
    )
    return System(
        _changeable(compiled.arrays),
        inputs,
        constraints.arrays,
        work,
        scratch,
        np.zeros(3),
        np.zeros(compiled.nv),
        np.zeros((2, len(work.watches), 7, 2)),
        np.zeros(2, dtype=np.int64),
        make_touch(points, len(compiled.arrays.bodies), len(compiled.arrays.dofs), len(constraints.arrays.first)),
    )


def _changeable(arrays: Arrays) -> Arrays:
    """A model's arrays, with copies of those that inputs write to."""
    written = ("dofs", "guards", "chart_drives", "gravity", "wind")
    return arrays._replace(**{name: getattr(arrays, name).copy() for name in written})


@kernel
def free_rates(system, time, y, h, out):
    """Write dy/dt to `out` where nothing is constrained; for h > 0, the accelerations are those of an implicit step.

    See `joint_forces` for such a step, of h seconds. The model stays placed, moved and factored.
    """
    move_freely(system, time, y, h, out)
    out[y.shape[0] - 2] += weigh_guards(system, parts_of(system, y)[1])


@kernel
def constrained_rates(system, time, y, h, out):
    """As `free_rates`, with all that the model holds to; the constraints stay factored, with their multipliers."""
    move_freely(system, time, y, h, out)
    q, qd = parts_of(system, y)
    out[y.shape[0] - 1] += constrain(system, time, q, qd, parts_of(system, out)[1])
    out[y.shape[0] - 2] += weigh_guards(system, qd)


@kernel
def touching_rates(system, time, y, h, out):
    """As `constrained_rates`, with the forces of all points that hold; they keep their loads."""
    move_freely(system, time, y, h, out)
    q, qd = parts_of(system, y)
    qdd = parts_of(system, out)[1]
    constrain(system, time, q, qd, qdd)
    lost, gained = apply_contact_loads(system, qdd)
    out[y.shape[0] - 1] += gained + power_of_signals(system)
    out[y.shape[0] - 2] += lost + weigh_guards(system, qd)


@jitable
def parts_of(system, y):
    """(q, qd) of a state, or their rates, as views."""
    end = y.shape[0] - LEDGERS
    begin = end - system.tau.shape[0]
    return y[:begin], y[begin:end]


@subroutine
def move_freely(system, time, y, h, out):
    model, work, tau = system.model, system.work, system.tau
    q, qd = parts_of(system, y)
    system.counts[0] += 1
    set_inputs(system, time)
    rates_of_positions(model, q, qd, out)
    lost = joint_forces(model, work, q, qd, h, tau)
    taken, gained = guard_forces(model, work, q, qd, h, tau)
    lost += taken
    for j in range(tau.shape[0]):
        tau[j] += system.inputs.thrust[j]
        gained += system.inputs.thrust[j] * qd[j]
    forward_kinematics_pass(model, work, q, qd)
    braked, blown = add_medium_forces(model, work)
    lost += braked
    gained += (
        blown + push_bodies(work, system.inputs.pushes) + pull_bodies(system, time) + power_of_gravity_change(system)
    )
    articulated_inertia_pass(model, work, tau)
    acceleration_pass(model, work, get3(model.gravity), parts_of(system, out)[1])
    out[y.shape[0] - 2] = lost
    out[y.shape[0] - 1] = gained


@subroutine
def weigh_guards(system, qd):
    """Note what each guard that holds takes. Returns the power that those take away which hold a speed [W]."""
    model, watches, lost = system.model, system.work.watches, 0.0
    for k in range(watches.shape[0]):
        if watches[k].held:
            guard = model.guards[k]
            if guard.kind == ON_DOF:
                watches[k].load, watches[k].yields = (
                    system.work.dofs[guard.v].locking_force,
                    system.work.dofs[guard.v].D_inv,
                )
                if watches[k].slide != 0:
                    lost -= watches[k].load * qd[guard.v]
    for n in range(system.constraints.count[0]):
        record = system.constraints.records[system.constraints.active[n]]
        if record.guard >= 0:
            at = system.constraints.start[record.row] + record.row
            watches[record.guard].load = system.scratch.multipliers[record.row]
            watches[record.guard].yields = system.scratch.matrix[at]
    return lost


@subroutine
def constrain(system, time, q, qd, qdd):
    """Correct accelerations for the forces that constraints take. Returns the power of prescribed motion [W]."""
    model, work, scratch = system.model, system.work, system.scratch
    read_signals(system, time)
    hold_constraints(model, work, system.constraints, scratch, q, qd, qdd, get3(model.gravity))
    return power_of_signals(system)


@subroutine
def power_of_signals(system):
    """What prescribed motion brings in, by the present multipliers [W]."""
    scratch, gained = system.scratch, 0.0
    if system.inputs.signals.shape[0] > 0:
        target_rates(system.work, system.constraints, scratch.signal, scratch.error)
        for r in range(system.constraints.count[1]):
            gained += scratch.error[r] * scratch.multipliers[r]
    return gained


@subroutine
def read_signals(system, time):
    """Write each signal's value, rate and second rate at a time of the window."""
    window, signals = system.inputs.window, system.inputs.signals
    half = 0.5 * (window[1] - window[0])
    s = (time - window[0]) / half - 1.0
    for k in range(signals.shape[0]):
        value, rate, second = 0.0, 0.0, 0.0
        for power_of in range(DEGREE, -1, -1):  # Horner's scheme for a polynomial and its derivatives
            second = second * s + 2.0 * rate
            rate = rate * s + value
            value = value * s + signals[k, power_of]
        put3(system.scratch.signal[k], (value, rate / half, second / (half * half)))


@kernel
def close(system, time, y):
    """Bring a state that nearly obeys the constraints onto them, with the factors that `constrained_rates` has left.

    Returns whether it succeeded: Newton's method in positions, then in velocities, moving what is light first.
    """
    q, qd = parts_of(system, y)
    read_signals(system, time)
    return close_positions(system, q) and close_velocities(system, q, qd)


@kernel
def stay_open(system, time, y):
    """What `close` is where nothing is constrained."""
    return True


class Calls(Bundled, namedtuple("Calls", "rates close")):
    """What integrators know of a model: `free_rates` and `stay_open`, or `constrained_rates` and `close`."""


def calls_of(system: System) -> Calls:
    """For kernels to call."""
    y = np.zeros(len(system.model.dofs) + LEDGERS)
    return Calls(
        Pointer(_rates_of(system), system, 0.0, y, 0.0, y),
        Pointer(close if is_constrained(system) else stay_open, system, 0.0, y, gives=True),
    )


def write_rates(system: System, time: float, y: np.ndarray, out: np.ndarray) -> None:
    """Write dy/dt to `out`, from outside kernels."""
    _rates_of(system)(system, time, y, 0.0, out)


def _rates_of(system: System) -> kernel:
    if len(system.touch.points):
        return touching_rates
    return constrained_rates if is_constrained(system) else free_rates


def is_constrained(system: System) -> bool:
    """Whether anything may ever have to be closed."""
    return len(system.constraints.first) > 0


@jitable
def close_positions(system, q):
    model, scratch = system.model, system.scratch
    before = 1e300
    for _ in range(8):
        move_bodies(model, system.work, q, system.work.still)
        position_errors(model, system.work, system.constraints, scratch.signal, q, scratch.error)
        worst = largest(scratch.error[: system.constraints.count[1]])
        if worst <= CLOSED:
            return True
        if not worst < 0.5 * before:
            return worst <= NEARLY
        before = worst
        correct(system)
        integrate_positions(model, q, scratch.dv, 1.0)
    return before <= NEARLY


@jitable
def close_velocities(system, q, qd):
    model, scratch = system.model, system.scratch
    before = 1e300
    for _ in range(8):
        move_bodies(model, system.work, q, qd)
        velocity_errors(model, system.work, system.constraints, scratch.signal, q, qd, scratch.error)
        worst = largest(scratch.error[: system.constraints.count[1]])
        if worst <= CLOSED * (1.0 + largest(qd)) or not worst < 0.5 * before:
            return True
        before = worst
        correct(system)
        for j in range(qd.shape[0]):
            qd[j] += scratch.dv[j]
    return True


@subroutine
def correct(system):
    """Write to `dv` the smallest motion that takes the present `error` away, measured by the model's inertia."""
    scratch = system.scratch
    system.counts[1] += 1
    multipliers_for(system.constraints, scratch, scratch.error, scratch.multipliers)
    respond(system.model, system.work, system.constraints, scratch, scratch.multipliers, scratch.dv)


@jitable
def rates_of_positions(model, q, qd, out):
    """Write dq/dt, shape (nq,), to `out`: qd itself for columns, the rates of position and quaternion for charts."""
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                out[body.q + j - body.v] = qd[j]
        else:
            turned = body.q
            if body.kind == FREE:
                turned += 3
                R = quat_to_mat(quat_normalized(get4(q, turned)))
                put3(out, rotate(R, get3(qd, body.v)), body.q)
            put4(out, quat_rate(get4(q, turned), get3(qd, body.v_end - 3)), turned)


@jitable
def normalize_quaternions(model, q):
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind != SCREWS:
            turned = body.q
            if body.kind == FREE:
                turned += 3
            put4(q, quat_normalized(get4(q, turned)), turned)
