# SPDX-License-Identifier: GPL-3.0-or-later
"""The energy that a crowd's step loses and gains, as the work of each law and each force.

Velocities change from v0 to v1 while the bodies stand, by impulses P: M (v1 - v0) = J' P. So the kinetic energy changes
by exactly P' J (v0 + v1) / 2, and each impulse does work on the mean of both velocities. Nothing here is found as the
rest of a sum. What the energies of a motion lack against these works is the error of the steps themselves, and
`Report.energy_drift` tells it.

Source: Thomson, Tait, Treatise on Natural Philosophy, part 1 (1879), section 308, for the work of an impulse.
"""

from __future__ import annotations

from ...dynamics.aba import forward_kinematics_pass
from ...dynamics.constraint_rows import measured_rate
from ...dynamics.guards import chart_drive_torque, drive_force
from ...dynamics.media import add_medium_forces
from ...jit import jitable, subroutine
from ...model.compiled import ON_DOF
from ...spatial import dot
from ...spatial.storage import get3
from ..external_forces import pull_bodies, push_bodies
from ..inputs import power_of_gravity_change
from .constraint_jacobians import row_velocity
from .problem import CONTACTS, LAW_COUNT
from .restitution import ARRIVES


@subroutine
def weigh_step(system, crowd, q, stride, time, h):
    """Return the energies that a step of h seconds takes away and brings in (lost, gained) [J].

    q: positions as the step begins, where the bodies stand. The laws have their impulses, `crowd.start` and `crowd.v`
    are the velocities before and after them, and the constraints have the multipliers with which the step began.
    stride: the velocities by which bodies move, shape (nv,). Forces do work along them on a body that arrives at an
    impact, see crowd_bounce.py. `crowd.stride` is lost.
    """
    mean = crowd.stride
    for j in range(mean.shape[0]):
        mean[j] = 0.5 * (crowd.start[j] + crowd.v[j])
    lost, gained = work_of_laws(crowd, system.scratch.multipliers, h, mean)
    for j in range(mean.shape[0]):
        if crowd.roots[crowd.forest.tree_of_dof[j]] == ARRIVES:
            mean[j] = stride[j]
    damped = work_of_dampers(system.model, q, h, crowd.v, mean)
    driven = work_of_drives(system, q, h, crowd.v, mean)
    braked, pushed = work_from_outside(system, crowd, q, time, h, mean)
    return lost + damped + braked, gained + driven + pushed


@subroutine
def work_of_laws(crowd, multipliers, h, mean):
    """Return what laws take away and bring in (lost, gained) [J].

    Belts, prescribed motion and drives bring in; so does what parts overlaps, where they do so on the whole.
    """
    lost, gained, parting = 0.0, 0.0, 0.0
    for k in range(crowd.counts[LAW_COUNT]):
        law = crowd.laws[k]
        for r in range(law.rows):
            push = law.impulse[r] + (h * multipliers[law.row] if law.row >= 0 else 0.0)
            if push == 0.0:
                continue
            work = push * row_velocity(crowd, law, r, mean)
            if law.drives:
                gained += work
            elif law.rigid and law.gap < 0.0:  # two that push against each other do opposite works
                parting += work
            else:
                gained -= push * law.given[r]
                lost -= work + push * law.given[r]
    return lost - min(parting, 0.0), gained + max(parting, 0.0)


@subroutine
def work_of_dampers(model, q, h, after, mean):
    """Return what dampers of joints take away [J]: their forces are those at the end of the step."""
    lost = 0.0
    for j in range(mean.shape[0]):
        lost += h * model.dofs[j].damping * after[j] * mean[j]
    for m in range(model.measures.shape[0]):
        damper = model.measures[m]
        if damper.damping != 0.0:
            force = damper.damping * measured_rate(model, damper, q, after)
            lost += h * force * measured_rate(model, damper, q, mean)
    return lost


@subroutine
def work_of_drives(system, q, h, after, mean):
    """Return what drives without a law of their own, and controls, bring in [J]."""
    model, gained = system.model, 0.0
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], system.work.watches[k]
        if guard.kind == ON_DOF and watch.asleep == 0 and watch.apart == 0 and guard.effort != 0.0:
            force = drive_force(guard, q, after) + h * guard.drive_stiffness * (guard.drive_rate - after[guard.v])
            gained += h * force * mean[guard.v]
    for k in range(model.chart_drives.shape[0]):
        drive = model.chart_drives[k]
        torque = chart_drive_torque(model, system.work, drive, q, after, h, system.tau)
        gained += h * dot(torque, get3(mean, model.bodies[drive.body].v))
    for j in range(mean.shape[0]):
        gained += h * system.inputs.thrust[j] * mean[j]
    return gained


@subroutine
def work_from_outside(system, crowd, q, time, h, mean):
    """Return what drag takes away, and what wind, pushes, tethers and a change of gravity bring in [J]."""
    model, work = system.model, system.work
    gained, braked, blown = h * power_of_gravity_change(system), 0.0, 0.0
    if system.inputs.pushes.shape[0] + system.inputs.tethers.shape[0] > 0:
        forward_kinematics_pass(model, work, q, mean)
        gained += h * (push_bodies(work, system.inputs.pushes) + pull_bodies(system, time))
    if model.media.shape[0] > 0:  # a force of the velocities before, which acts on the mean
        for j in range(mean.shape[0]):
            mean[j] = 0.5 * (crowd.start[j] + mean[j])
        forward_kinematics_pass(model, work, q, mean)
        braked, blown = add_medium_forces(model, work)
    return h * braked, gained + h * blown


@jitable
def stored_ahead(crowd, h, stride):
    """Return the energy in soft contacts once bodies have moved on by h seconds at velocities `stride` [J]."""
    energy = 0.0
    for c in range(crowd.counts[CONTACTS]):
        contact = crowd.contacts[c]
        if contact.stiffness > 0.0:
            gap = contact.gap
            if contact.law >= 0:
                gap += h * row_velocity(crowd, crowd.laws[contact.law], 0, stride)
            energy += 0.5 * contact.stiffness * min(gap, 0.0) * min(gap, 0.0)
    return energy
