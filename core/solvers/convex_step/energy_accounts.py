# SPDX-License-Identifier: GPL-3.0-or-later
"""The energy that a convex step dissipates and receives, as the work of each constraint and each force.

steps.py calls `energy_of_step`. Velocities change from v0 to v1 at fixed positions, by impulses P: A (v1 - v0) = J'P.
So the kinetic energy changes by exactly P'J (v0 + v1) / 2, and each impulse does work on the mean of both velocities.
No term is computed as the rest of a sum, so the difference of a motion's energies and these works is the error of the
steps, which `Report.energy_drift` shows.

Source: Thomson, Tait, Treatise on Natural Philosophy, part 1 (1879), section 308, for the work of an impulse.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from ...controls.external_forces import pull_bodies, push_bodies
from ...controls.inputs import power_of_gravity_change
from ...dynamics.aba import forward_kinematics_pass
from ...dynamics.constraint_rows import quantity_rate
from ...dynamics.media import add_medium_forces
from ...dynamics.set_valued_forces import chart_drive_torque, drive_force
from ...model.compiling.compiled import ON_DOF
from ...spatial import dot
from ...spatial.storage import get3
from .constraint_jacobians import constraint_velocity
from .constraint_potentials import UNILATERAL
from .free_flight import UNCONSTRAINED
from .problem import ARRIVING, CONSTRAINT_COUNT, CONTACT_COUNT, UNTOUCHED
from .single_bodies import is_floating


@subroutine
def energy_of_step(system, step, q, v_position, time, h):
    """Return the energies that a step of h seconds dissipates and receives, and the work of compliant contacts and
    stops along v_position (lost, gained, pressed) [J].

    The constraints have their impulses, `v0` and `v` are the velocities before and after these, and the model's
    constraints have the multipliers with which the step began.

    Args:
        q: positions as the step begins, at which the bodies are placed.
        v_position: velocities by which positions advance, shape (nv,). Forces do work along them on an ARRIVING body.
    """
    mean, after = step.v_mean, step.work_vectors[0]
    write_mean_velocities(system.model, step, mean)
    for j in range(mean.shape[0]):
        after[j] = step.v[j] + step.v_flight[j]  # the velocities at which drives and dampers take their forces
    lost, gained, pressed = work_of_constraints(step, system.scratch.multipliers, h, mean, v_position)
    for j in range(mean.shape[0]):
        if step.tree_states[step.forest.tree_of_dof[j]] == ARRIVING:
            mean[j] = v_position[j]
    damped = work_of_dampers(system.model, q, h, after, mean)
    driven = work_of_drives(system, q, h, after, mean)
    dragged, supplied = work_from_outside(system, step, q, time, h, mean)
    return lost + damped + dragged, gained + driven + supplied, pressed


@subroutine
def write_mean_velocities(model, step, mean):
    """Write the velocities along which impulses do their work, shape (nv,).

    They are the means of those before and after the impulses. A tree that is UNTOUCHED then flies from these means and
    not from the velocities after the impulses, so its flight changes the kinetic energy, by the work of the impulses
    along half of the velocities that it adds. In the flight of a CONSTRAINED tree, loops exert forces of their own.
    """
    for j in range(mean.shape[0]):
        mean[j] = 0.5 * (step.v0[j] + step.v[j])
    for i in range(1, model.bodies.shape[0]):
        t = step.forest.tree_of_body[i]
        flies_freely = step.tree_states[t] == UNTOUCHED and step.flight_modes[t] == UNCONSTRAINED
        if flies_freely and not is_floating(model, i):
            for j in range(model.bodies[i].v, model.bodies[i].v_end):
                mean[j] += 0.5 * step.v_flight[j]


@subroutine
def work_of_constraints(step, multipliers, h, mean, v_position):
    """Return the energies that constraints dissipate and supply, and the work of compliant contacts and stops along
    v_position, shape (nv,) (lost, gained, pressed) [J].

    A spring does no more work along v_position than the energy that it releases, since its force is that at the end of
    the step.

    Belts, prescribed motion and drives supply energy. So do separating overlaps, if their works add up to a positive
    sum.
    """
    lost, gained, pressed, separating = 0.0, 0.0, 0.0, 0.0
    for k in range(step.counts[CONSTRAINT_COUNT]):
        constraint = step.constraints[k]
        for r in range(constraint.rows):
            multiplier = h * multipliers[constraint.multiplier] if constraint.multiplier >= 0 else 0.0
            impulse = constraint.impulse[r] + multiplier
            if impulse == 0.0:
                continue
            work = impulse * constraint_velocity(step, constraint, r, mean)
            if constraint.kind == UNILATERAL and constraint.is_rigid == 0:
                pressed += impulse * constraint_velocity(step, constraint, r, v_position)
            if constraint.is_drive:
                gained += work
            elif constraint.is_rigid and constraint.gap < 0.0:  # opposed overlaps do opposite works
                separating += work
            else:
                gained -= impulse * constraint.bias_velocity[r]
                lost -= work + impulse * constraint.bias_velocity[r]
    return lost - min(separating, 0.0), gained + max(separating, 0.0), pressed


@subroutine
def work_of_dampers(model, q, h, after, mean):
    """Return the energy that joints' dampers dissipate [J]; their forces are those at the end of the step."""
    lost = 0.0
    for j in range(mean.shape[0]):
        lost += h * model.dofs[j].damping * after[j] * mean[j]
    for m in range(model.quantity_springs.shape[0]):
        damper = model.quantity_springs[m]
        if damper.damping != 0.0:
            force = damper.damping * quantity_rate(model, damper, q, after)
            lost += h * force * quantity_rate(model, damper, q, mean)
    return lost


@subroutine
def work_of_drives(system, q, h, after, mean):
    """Return the energy that controls, and drives without a constraint of their own, supply [J]."""
    model, gained = system.model, 0.0
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], system.work.force_states[k]
        if (
            element.kind == ON_DOF
            and force_state.is_disabled == 0
            and force_state.is_step_constraint == 0
            and element.effort_limit != 0.0
        ):
            force = drive_force(element, q, after) + h * element.drive_stiffness * (
                element.drive_rate - after[element.v]
            )
            gained += h * force * mean[element.v]
    for k in range(model.chart_drives.shape[0]):
        drive = model.chart_drives[k]
        torque = chart_drive_torque(model, system.work, drive, q, after, h, system.tau)
        gained += h * dot(torque, get3(mean, model.bodies[drive.body].v))
    for j in range(mean.shape[0]):
        gained += h * system.inputs.applied_tau[j] * mean[j]
    return gained


@subroutine
def work_from_outside(system, step, q, time, h, mean):
    """Return what drag dissipates, and what wind, pushes, tethers and a change of gravity supply [J]."""
    model, work = system.model, system.work
    gained, drag, wind = h * power_of_gravity_change(system), 0.0, 0.0
    if system.inputs.pushes.shape[0] + system.inputs.tethers.shape[0] > 0:
        forward_kinematics_pass(model, work, q, mean)
        gained += h * (push_bodies(work, system.inputs.pushes) + pull_bodies(system, time))
    if model.media.shape[0] > 0:  # the force at the velocities before, along the mean velocities
        for j in range(mean.shape[0]):
            mean[j] = 0.5 * (step.v0[j] + mean[j])
        forward_kinematics_pass(model, work, q, mean)
        drag, wind = add_medium_forces(model, work)
    return h * drag, gained + h * wind


@jitable
def soft_energy(step):
    """Return the energy of compliant contacts [J]."""
    energy = 0.0
    for c in range(step.counts[CONTACT_COUNT]):
        compression = min(step.contacts[c].spring_gap, 0.0)
        energy += 0.5 * step.contacts[c].stiffness * compression * compression
    return energy
