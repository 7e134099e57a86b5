# SPDX-License-Identifier: GPL-3.0-or-later
"""`System`: the arrays that determine how a model moves, and the kernels that compute its rates of change.

A state is one vector y: q, then qd, then two energy totals [J]. The first total is the energy that dampers,
friction and stops have removed, and the second is the energy that drives and controls have added.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..compilation.jit import Pointer, jitable, kernel, subroutine
from ..contact.loads import apply_contact_loads
from ..contact.points import make_touch
from ..controls.external_forces import pull_bodies, push_bodies
from ..controls.inputs import DEGREE, power_of_gravity_change, set_inputs, steady_inputs
from ..dynamics.aba import acceleration_pass, articulated_inertia_pass, forward_kinematics_pass
from ..dynamics.constraint_forces import add_constraint_accelerations, solve_multipliers, velocity_change_of_multipliers
from ..dynamics.constraint_rows import position_errors, target_rates, velocity_errors
from ..dynamics.constraints import ACTIVE_COUNT, ROW_COUNT, ConstraintSet, make_scratch
from ..dynamics.forces import joint_forces
from ..dynamics.media import add_medium_forces
from ..dynamics.set_valued_forces import add_set_valued_forces
from ..joints import FREE, SCREWS
from ..kinematics import make_work
from ..kinematics.motion import integrate_positions, update_bodies
from ..kinematics.work import largest
from ..model.compiling.compiled import ON_DOF, Arrays, CompiledModel
from ..spatial import quat_normalized, quat_rate, quat_to_mat, rotate
from ..spatial.storage import get3, get4, put3, put4

ENERGY_TOTALS = 2
"""Number of entries of y after q and qd. They are integrated too, but the motion does not depend on them."""
DISSIPATED, SUPPLIED = -2, -1
"""Indices in y of the energy that was dissipated and of the energy that was supplied so far [J]."""

CLOSED_RESIDUAL = 2e-15
"""Residual to which constraints are closed after each step [rad or m, rad/s or m/s], near rounding error."""

ACCEPTED_RESIDUAL = 1e-6
"""Residual that is accepted if constraints contradict each other [rad or m], as drawings in single precision may."""


EVALUATIONS, ITERATIONS = range(2)
"""Indices in `System.counts`."""


class System(
    KernelTuple, namedtuple("System", "model inputs constraints work scratch gravity_rate tau margins counts touch")
):
    """The arguments of kernels.

    Attributes:
        model: the compiled model's arrays. Those to which inputs are written are copies that belong to the system.
        inputs: see `Inputs`. gravity_rate: how fast they change gravity, shape (3,) [m/s^3].
        work, scratch, tau: arrays that kernels fill, tau of shape (nv,). `work.force_states` has the present modes of
            set-valued forces.
        margins: of each set-valued force at the beginning and at the end of a step, shape (2, set-valued forces, 7, 2);
            see `margins.py`.
        counts: number of evaluations of the accelerations, and of Newton iterations that close constraints, shape (2,);
            see EVALUATIONS.
        touch: the contact points, and arrays for their forces; empty if nothing can touch.
    """


def make_system(compiled: CompiledModel, constraints: ConstraintSet, points: int = 0) -> System:
    """Return a system without inputs, with signals that are 0. Set-valued forces of prescribed joints are disabled.

    points: number of contact points for which there is room.
    """
    scratch = make_scratch(compiled, constraints)
    work = make_work(compiled.arrays)
    prescribed = {signal.name for signal in constraints.signals if not signal.of_link}
    work.force_states.is_disabled = [joint.name in prescribed for joint in compiled.force_joints]
    return System(
        _changeable(compiled.arrays),
        steady_inputs(compiled, constraints),
        constraints.arrays,
        work,
        scratch,
        np.zeros(3),
        np.zeros(compiled.nv),
        np.zeros((2, len(work.force_states), 7, 2)),
        np.zeros(2, dtype=np.int64),
        make_touch(points, len(compiled.arrays.bodies), len(compiled.arrays.dofs), len(constraints.arrays.first)),
    )


def _changeable(arrays: Arrays) -> Arrays:
    """Return a model's arrays, with copies of those to which inputs are written."""
    written = ("dofs", "set_valued_forces", "chart_drives", "gravity", "wind")
    return arrays._replace(**{name: getattr(arrays, name).copy() for name in written})


@kernel
def free_rates(system, time, y, h, out):
    """Write dy/dt to `out` for a model without constraints. For h > 0, the accelerations are those of an implicit step.

    See `joint_forces` for such a step, of h seconds. Poses, velocities and articulated inertias stay in `system.work`.
    """
    write_free_rates(system, time, y, h, out)
    out[DISSIPATED] += store_locking_loads(system, parts_of(system, y)[1])


@kernel
def constrained_rates(system, time, y, h, out):
    """Write dy/dt to `out` as `free_rates` does, with constraints. Their factors and multipliers are kept."""
    write_free_rates(system, time, y, h, out)
    q, qd = parts_of(system, y)
    out[SUPPLIED] += apply_constraints(system, time, q, qd, parts_of(system, out)[1])
    out[DISSIPATED] += store_locking_loads(system, qd)


@kernel
def contact_rates(system, time, y, h, out):
    """Write dy/dt to `out` as `constrained_rates` does, with the forces of contact points. Their loads are kept."""
    write_free_rates(system, time, y, h, out)
    q, qd = parts_of(system, y)
    qdd = parts_of(system, out)[1]
    apply_constraints(system, time, q, qd, qdd)
    lost, gained = apply_contact_loads(system, qdd)
    out[SUPPLIED] += gained + power_of_signals(system)
    out[DISSIPATED] += lost + store_locking_loads(system, qd)


@jitable
def parts_of(system, y):
    """Return (q, qd) of a state, or their rates, as views."""
    end = y.shape[0] - ENERGY_TOTALS
    begin = end - system.tau.shape[0]
    return y[:begin], y[begin:end]


@subroutine
def write_free_rates(system, time, y, h, out):
    model, work, tau = system.model, system.work, system.tau
    q, qd = parts_of(system, y)
    system.counts[EVALUATIONS] += 1
    set_inputs(system, time)
    rates_of_positions(model, q, qd, out)
    lost = joint_forces(model, work, q, qd, h, tau)
    taken, gained = add_set_valued_forces(model, work, q, qd, h, tau)
    lost += taken
    for j in range(tau.shape[0]):
        tau[j] += system.inputs.applied_tau[j]
        gained += system.inputs.applied_tau[j] * qd[j]
    forward_kinematics_pass(model, work, q, qd)
    braked, wind_power = add_medium_forces(model, work)
    lost += braked
    gained += (
        wind_power
        + push_bodies(work, system.inputs.pushes)
        + pull_bodies(system, time)
        + power_of_gravity_change(system)
    )
    articulated_inertia_pass(model, work, tau)
    acceleration_pass(model, work, get3(model.gravity), parts_of(system, out)[1])
    out[DISSIPATED] = lost
    out[SUPPLIED] = gained


@subroutine
def store_locking_loads(system, qd):
    """Store the load of each force that locks its coordinate. Return the power that velocity limits remove [W]."""
    model, force_states, lost = system.model, system.work.force_states, 0.0
    for k in range(force_states.shape[0]):
        if force_states[k].is_locked:
            element = model.set_valued_forces[k]
            if element.kind == ON_DOF:
                force_states[k].load, force_states[k].locked_response = (
                    system.work.dofs[element.v].locking_force,
                    system.work.dofs[element.v].D_inv,
                )
                if force_states[k].motion_sign != 0:
                    lost -= force_states[k].load * qd[element.v]
    for n in range(system.constraints.count[ACTIVE_COUNT]):
        record = system.constraints.records[system.constraints.active[n]]
        if record.force_law >= 0:
            at = system.constraints.start[record.row] + record.row
            force_states[record.force_law].load = system.scratch.multipliers[record.row]
            force_states[record.force_law].locked_response = system.scratch.matrix[at]
    return lost


@subroutine
def apply_constraints(system, time, q, qd, qdd):
    """Correct the accelerations `qdd` for constraint forces. Return the power of prescribed motion [W]."""
    model, work, scratch = system.model, system.work, system.scratch
    read_signals(system, time)
    add_constraint_accelerations(model, work, system.constraints, scratch, q, qd, qdd, get3(model.gravity))
    return power_of_signals(system)


@subroutine
def power_of_signals(system):
    """Return the power that prescribed motion adds, by the present multipliers [W]."""
    scratch, gained = system.scratch, 0.0
    if system.inputs.signals.shape[0] > 0:
        target_rates(system.work, system.constraints, scratch.signal, scratch.error)
        for r in range(system.constraints.count[ROW_COUNT]):
            gained += scratch.error[r] * scratch.multipliers[r]
    return gained


@subroutine
def read_signals(system, time):
    """Write each signal's value, rate and second derivative at a time [s] of the window."""
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
def project_state(system, time, y):
    """Project a state that nearly satisfies the constraints onto them. Return whether it succeeded.

    It uses Newton's method in positions, then in velocities, with the factors that `constrained_rates` has left. The
    correction is the smallest one in the metric of the model's inertia, so light bodies move most.
    """
    q, qd = parts_of(system, y)
    read_signals(system, time)
    return project_positions(system, q) and project_velocities(system, q, qd)


@kernel
def skip_projection(system, time, y):
    """Return True: the counterpart of `project_state` for a model without constraints."""
    return True


class Calls(KernelTuple, namedtuple("Calls", "rates project")):
    """The kernels that integrators call.

    Attributes:
        rates: one of `free_rates`, `constrained_rates` and `contact_rates`.
        project: `project_state` or `skip_projection`.
    """


def calls_of(system: System) -> Calls:
    """Return the kernels of a system, as pointers that kernels can call."""
    y = np.zeros(len(system.model.dofs) + ENERGY_TOTALS)
    return Calls(
        Pointer(_rates_of(system), system, 0.0, y, 0.0, y),
        Pointer(project_state if is_constrained(system) else skip_projection, system, 0.0, y, gives=True),
    )


def write_rates(system: System, time: float, y: np.ndarray, out: np.ndarray) -> None:
    """Write dy/dt to `out`, from outside kernels."""
    _rates_of(system)(system, time, y, 0.0, out)


def _rates_of(system: System) -> kernel:
    if len(system.touch.points):
        return contact_rates
    return constrained_rates if is_constrained(system) else free_rates


def is_constrained(system: System) -> bool:
    """Return whether the system has constraints, active or not."""
    return len(system.constraints.first) > 0


@jitable
def project_positions(system, q):
    model, scratch = system.model, system.scratch
    before = 1e300
    for _ in range(8):
        update_bodies(model, system.work, q, system.work.zeros)
        position_errors(model, system.work, system.constraints, scratch.signal, q, scratch.error)
        worst = largest(scratch.error[: system.constraints.count[ROW_COUNT]])
        if worst <= CLOSED_RESIDUAL:
            return True
        if not worst < 0.5 * before:
            return worst <= ACCEPTED_RESIDUAL
        before = worst
        solve_correction(system)
        integrate_positions(model, q, scratch.dv, 1.0)
    return before <= ACCEPTED_RESIDUAL


@jitable
def project_velocities(system, q, qd):
    model, scratch = system.model, system.scratch
    before = 1e300
    for _ in range(8):
        update_bodies(model, system.work, q, qd)
        velocity_errors(model, system.work, system.constraints, scratch.signal, q, qd, scratch.error)
        worst = largest(scratch.error[: system.constraints.count[ROW_COUNT]])
        if worst <= CLOSED_RESIDUAL * (1.0 + largest(qd)) or not worst < 0.5 * before:
            return True
        before = worst
        solve_correction(system)
        for j in range(qd.shape[0]):
            qd[j] += scratch.dv[j]
    return True


@subroutine
def solve_correction(system):
    """Write to `dv` the smallest motion that removes the present `error`, in the metric of the model's inertia."""
    scratch = system.scratch
    system.counts[ITERATIONS] += 1
    solve_multipliers(system.constraints, scratch, scratch.error, scratch.multipliers)
    velocity_change_of_multipliers(
        system.model, system.work, system.constraints, scratch, scratch.multipliers, scratch.dv
    )


@jitable
def rates_of_positions(model, q, qd, out):
    """Write dq/dt, shape (nq,), to `out`: qd of screw joints, rates of positions and quaternions of all others."""
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
