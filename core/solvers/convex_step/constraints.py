# SPDX-License-Identifier: GPL-3.0-or-later
"""Assembly of the constraints of a convex step: contacts; stops, friction, speed limits and drives of joints; loops.

steps.py calls `add_contact`, `add_set_valued_force_constraints` and `add_bilateral_constraints`. A rigid constraint has
a finite stiffness, set from the step length and the masses, at which it yields by less than can be seen. Sticking
friction is a spring whose deflection is kept from step to step, so that nothing creeps. The base step is the length of
a step while bodies move, at the present accuracy.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...contact.collision_state import thickness
from ...contact.contact_features import combine_pair_surfaces
from ...contact.delassus import tangents
from ...dynamics.constraint_rows import quantity_after, target_frame, velocity_errors
from ...dynamics.constraints import ACTIVE_COUNT, EQUATION, WELD
from ...dynamics.set_valued_forces import force_law_coordinate, force_law_velocity
from ...joints import BALL
from ...kinematics.limited_quantities import chart_quantity
from ...model.compiling.compiled import ON_CHART, ON_DOF, ON_QUANTITY
from ...spatial import dot, rotate, scale, sub
from ...spatial.storage import get3, get9, put3
from .constraint_jacobians import (
    begin_constraint,
    delassus_estimate,
    has_capacity,
    list_dofs,
    set_bias_velocity,
    write_jacobian_row,
)
from .constraint_potentials import BOUNDED, UNILATERAL
from .problem import (
    CONSTRAINT_COUNT,
    CONTACT_COUNT,
    DOF_COUNT,
    FRICTION_STRAIN,
)

RIGIDITY = 1e2
"""Stiffness of a rigid constraint times the Delassus estimate, in a step of the base length.

A body at rest then penetrates by RELAXATION_STEPS g base_step^2 / RIGIDITY under its weight.
"""
RELAXATION_STEPS = 4.0
"""Number of steps in which an overlap or the deflection of a friction spring decays to about 1 / e."""
SEPARATION_STEPS = 30.0
"""Upper bound of the speed at which overlaps separate, as the number of base steps of free fall that reach it."""
STOP_RIGIDITY = 1e7
"""Stiffness of a stop of a joint times the Delassus estimate, in a step of any length. A body that falls on a light
foot presses its ankle against a stop with many times the weight of the foot: with RIGIDITY, it would give way by
degrees.
"""
BILATERAL_RIGIDITY = 1e8
"""The same as RIGIDITY for loops and couplings, whose errors nothing else corrects within a step."""
MAX_PENETRATION = 1e-2
"""Upper bound of the penetration under a body's own weight, as a share of the thickness of the thinner solid."""
LIGHT_LOAD = 10.0
"""Load of a contact above which its stiffness grows with the load, in weights of the lighter body."""
SHORT_STEP = 0.3
"""Length of a step, as a share of the base step, up to which a rigid contact is as stiff as in a base step. A spring
whose stiffness shrinks with the square of the length would stop a fast body only after many short steps, deep in the
other one, and throw it back. Steps that follow one that was taken again are so short; those for frames that lie close
together seldom are.
"""
RIGID_STOP_STIFFNESS = 1e7
"""Stiffness from which on a joint's stop counts as rigid [N/m or N m/rad]. A softer one is a spring in the step."""


@jitable
def rigid_stiffness(step, k, h, base_step):
    """Return the stiffness of a rigid constraint in a step of h seconds [N s per m/s]."""
    response = delassus_estimate(step, k)
    return RIGIDITY * h * h / (base_step * base_step * response) if response > 0.0 else 0.0


@jitable
def loaded_stiffness(contact, h, base_step, gravity):
    """Return the least stiffness of a rigid contact that bore a load in the last step [N s per m/s].

    `rigid_stiffness` follows from the lighter body. Under a heavy body, the penetration would grow by the ratio of the
    masses.
    """
    if not gravity > 0.0:
        return 0.0
    return RIGIDITY * h * h / (base_step * base_step) * contact.load / (LIGHT_LOAD * gravity)


@jitable
def thinness_factor(collisions, contact, base_step, gravity):
    """Return the factor on a contact's stiffness that keeps a weight from pressing thin solids into each other."""
    thinner = min(thickness(collisions.solids[contact.first]), thickness(collisions.solids[contact.second]))
    penetration = RELAXATION_STEPS * gravity * base_step * base_step / RIGIDITY
    return (
        min(max(penetration / (MAX_PENETRATION * thinner), 1.0), BILATERAL_RIGIDITY / RIGIDITY)
        if thinner > 0.0
        else 1.0
    )


@jitable
def target_rate(gap, h, base_step, gravity):
    """Return the velocity of a gap that a rigid constraint enforces as a minimum [m/s or rad/s].

    An open gap may close completely in the step. An overlap separates in RELAXATION_STEPS steps, but no faster than by
    SEPARATION_STEPS.
    """
    return -gap / h if gap > 0.0 else min(-gap / (RELAXATION_STEPS * h), SEPARATION_STEPS * gravity * base_step)


@subroutine
def set_rigid_limit(step, k, gap, restitution, stiffness, rate):
    """Make a constraint keep a gap from closing.

    Args:
        gap: the gap as the step begins [m or rad].
        stiffness: see `rigid_stiffness`.
        rate: see `target_rate`.
    """
    constraint = step.constraints[k]
    constraint.is_rigid, constraint.gap, constraint.restitution = 1, gap, restitution
    constraint.stiffness, constraint.bias_impulse[0] = stiffness, stiffness * rate


# ---- contacts


@jitable  # with one caller: a call would copy more than a thousand numbers to the stack, for each contact
def add_contact(system, collisions, step, point, contact, h, base_step, gravity):
    """Add the constraints of a contact: one along the normal, then those of sliding, spinning and rolling friction.

    point: a POINT, scratch, for the combined surface of the pair. Return whether the arrays were long enough.
    """
    one, other = collisions.solids[contact.first].body, collisions.solids[contact.second].body
    count = list_dofs(system.model, step, one, other)
    if not has_capacity(step, count, 6, 4):
        return False
    if count == 0:
        contact.constraint, contact.stiffness = -1, 0.0
        return True
    combine_pair_surfaces(point, collisions.surfaces[contact.first], collisions.surfaces[contact.second])
    contact.stiffness = point.stiffness if point.is_soft else 0.0
    first = step.counts[DOF_COUNT]
    step.counts[DOF_COUNT] += count
    n = get3(contact.normal)
    a, b = tangents(n)
    contact.constraint = begin_constraint(step, UNILATERAL, 1, first, count)
    normal = step.constraints[contact.constraint]
    normal.contact, normal.ends_impact = step.counts[CONTACT_COUNT], contact.is_impact
    position = get3(contact.position)
    write_jacobian_row(system.model, system.work, step, contact.constraint, 0, one, other, position, n, False)
    if point.is_soft:
        normal.stiffness, normal.dissipation = h * h * point.stiffness, point.dissipation
        normal.bias_impulse[0] = -h * point.stiffness * contact.spring_gap
    else:
        nominal = base_step if h <= SHORT_STEP * base_step else h
        stiffness = rigid_stiffness(step, contact.constraint, nominal, base_step)
        stiffness = max(stiffness, loaded_stiffness(contact, nominal, base_step, gravity))
        stiffness *= thinness_factor(collisions, contact, base_step, gravity)
        # The impulse for an overlap is stiffness times rate. So it is proportional to h in short steps too, and what
        # rests bears its weight at the same depth in steps of any length.
        decay_step = h if contact.gap > 0.0 else nominal * nominal / h
        rate = target_rate(contact.gap, decay_step, base_step, gravity)
        set_rigid_limit(step, contact.constraint, contact.gap, point.restitution, stiffness, rate)
    sliding = point.friction if contact.is_slipping else point.static_friction
    strain = get3(contact.slip_strain)
    if sliding > 0.0:
        k = begin_constraint(step, BOUNDED, 2, first, count)
        set_friction(system, collisions, step, k, contact, (a, b), False, sliding, strain, h, base_step)
    angular_strain = get3(contact.angular_strain)
    if point.spinning > 0.0:
        k = begin_constraint(step, BOUNDED, 1, first, count)
        set_friction(system, collisions, step, k, contact, (n, n), True, point.spinning, angular_strain, h, base_step)
    if point.rolling > 0.0:
        k = begin_constraint(step, BOUNDED, 2, first, count)
        set_friction(system, collisions, step, k, contact, (a, b), True, point.rolling, angular_strain, h, base_step)
    return True


@subroutine
def set_friction(system, collisions, step, k, contact, directions, is_angular, coefficient, strain, h, base_step):
    """Make a constraint friction of a contact, bounded by a coefficient times the normal impulse.

    Args:
        directions: unit vectors of its rows, in the world.
        is_angular: whether it acts against turning about them, and not against sliding along them.
        coefficient: of friction; of spinning and rolling friction, the length [m].
        strain: deflection of the spring that makes the contact stick [m or rad].
    """
    constraint = step.constraints[k]
    one, other = collisions.solids[contact.first].body, collisions.solids[contact.second].body
    position, belts = get3(contact.position), belt_velocity(system.work, collisions, contact, one, other)
    for r in range(constraint.rows):
        write_jacobian_row(system.model, system.work, step, k, r, one, other, position, directions[r], is_angular)
        constraint.bias_velocity[r] = 0.0 if is_angular else dot(directions[r], belts)
    constraint.stiffness = rigid_stiffness(step, k, h, base_step)
    for r in range(constraint.rows):
        constraint.bias_impulse[r] = -constraint.stiffness * dot(directions[r], strain) / (RELAXATION_STEPS * h)
    constraint.coefficient, constraint.normal_constraint = coefficient, contact.constraint
    constraint.is_angular = 1 if is_angular else 0
    constraint.bound = coefficient * contact.load * h
    constraint.contact = step.counts[CONTACT_COUNT]


@jitable
def belt_velocity(work, collisions, contact, one, other):
    """Return the velocity of the second surface relative to the first while both bodies are at rest [m/s]."""
    there = rotate(get9(work.bodies[other].rotation), get3(collisions.surfaces[contact.second].belt))
    return sub(there, rotate(get9(work.bodies[one].rotation), get3(collisions.surfaces[contact.first].belt)))


# ---- joints


@subroutine
def add_set_valued_force_constraints(system, step, q, qd, h, base_step, gravity):
    """Add the constraints of stops, friction, speed limits and drives of joints.

    Return whether the arrays were long enough.
    """
    model, force_states = system.model, system.work.force_states
    for k in range(model.set_valued_forces.shape[0]):
        element, force_state = model.set_valued_forces[k], force_states[k]
        if force_state.is_disabled:
            continue
        if not has_capacity(step, 6, 6, 6):
            return False
        first, count = list_element_dofs(model, step, element)
        if step.asleep[step.forest.tree_of_dof[step.dofs[first]]]:
            step.counts[DOF_COUNT] = first
            continue
        if element.kind != ON_CHART:
            add_stops(model, step, element, force_state, k, (first, count), q, qd, h, base_step, gravity)
        if element.kind == ON_QUANTITY:
            continue
        if element.friction > 0.0:
            n = add_dof_constraint(step, BOUNDED, first, k, 1.0)
            friction, strain = step.constraints[n], step.element_loads[k, FRICTION_STRAIN]
            friction.stiffness, friction.bound = rigid_stiffness(step, n, h, base_step), h * element.friction
            friction.bias_impulse[0] = -friction.stiffness * strain / (RELAXATION_STEPS * h)
        if not math.isinf(element.velocity_limit):
            add_speed_limit(step, element, first, k, h, base_step)
        if force_state.is_step_constraint:
            add_drive(step, element, first, k, q[element.q], h)
    return True


@subroutine
def add_speed_limit(step, element, first, number, h, base_step):
    """Add the two constraints of a joint's speed limit. first: where its dof is listed; number: of the force."""
    for side in (-1.0, 1.0):
        n = add_dof_constraint(step, UNILATERAL, first, number, -side)
        step.constraints[n].stiffness = rigid_stiffness(step, n, h, base_step)
        step.constraints[n].bias_impulse[0] = -step.constraints[n].stiffness * element.velocity_limit


@subroutine
def add_drive(step, element, first, number, value, h):
    """Add the constraint of a drive with an effort limit.

    It is a spring and damper, taken at the end of the step. value: coordinate of its dof as the step begins [rad or m].
    """
    drive = step.constraints[add_dof_constraint(step, BOUNDED, first, number, 1.0)]
    drive.is_drive, drive.stiffness = 1, h * (element.drive_damping + h * element.drive_stiffness)
    error = element.drive_target + h * element.drive_rate - value
    effort = element.drive_push + element.drive_damping * element.drive_rate + element.drive_stiffness * error
    drive.bias_impulse[0], drive.bound = h * effort, h * element.effort_limit


@subroutine
def list_element_dofs(model, step, element):
    """List the dofs of a set-valued force. Return (place of the first in the list, count)."""
    first = step.counts[DOF_COUNT]
    if element.kind != ON_QUANTITY:
        step.dofs[first] = element.v
        step.counts[DOF_COUNT] += 1
        return first, 1
    body = model.bodies[element.body]
    for j in range(body.v, body.v_end):
        step.dofs[first + j - body.v] = j
    step.counts[DOF_COUNT] += body.v_end - body.v
    return first, body.v_end - body.v


@jitable
def add_dof_constraint(step, kind, first, element, slope):
    """Add a constraint of a set-valued force on one dof, with the Jacobian `slope`. Return its number."""
    k = begin_constraint(step, kind, 1, first, 1)
    constraint = step.constraints[k]
    step.jacobian[constraint.jacobian_start] = slope
    constraint.element, constraint.element_sign = element, slope
    return k


@subroutine
def add_stops(model, step, element, force_state, number, dofs, q, qd, h, base_step, gravity):
    """Add the constraints of those stops that may be reached within the step.

    Args:
        number: of the set-valued force.
        dofs: place of its first dof in the list, and their count.
    """
    value, rate = force_law_coordinate(model, element, q), force_law_velocity(model, element, q, qd)
    curvature = 0.0
    if element.kind == ON_QUANTITY:
        curvature = quantity_after(model, element, q, qd, h)[0] - value - h * rate
    for side in (-1.0, 1.0):
        bound = force_state.lower if side < 0.0 else force_state.upper
        distance = side * (bound - value)
        if distance < 2.0 * h * (abs(rate) + h * gravity) + 0.1:
            reach = (distance, side * curvature)
            add_stop(model, step, element, number, dofs, q, reach, side, h, base_step, gravity)


@subroutine
def add_stop(model, step, element, number, dofs, q, reach, side, h, base_step, gravity):
    """Add the constraint of a stop.

    The constraint is linear in velocities. An angle that is not, such as that of a cone around which a limb turns
    fast, would leave its range a little in every step.

    Args:
        number, dofs: as those of `add_stops`.
        reach: distance to the stop, and how much more of it the step takes at constant velocities than the present rate
            tells [m or rad].
        side: -1 for the lower stop, 1 for the upper one.
    """
    distance, curvature = reach
    k = begin_constraint(step, UNILATERAL, 1, dofs[0], dofs[1])
    constraint = step.constraints[k]
    constraint.element, constraint.element_sign = number, -side
    if element.kind == ON_DOF:
        step.jacobian[constraint.jacobian_start] = -side
    else:
        write_quantity_jacobian(model, step, element, constraint, q, -side)
    if element.stiffness < RIGID_STOP_STIFFNESS:
        constraint.stiffness, constraint.dissipation = h * h * element.stiffness, element.dissipation
        constraint.bias_impulse[0] = -h * element.stiffness * distance
    else:
        rate = target_rate(distance, h, base_step, max(gravity, 1.0)) + curvature / h
        response = delassus_estimate(step, k)
        stiffness = STOP_RIGIDITY / response if response > 0.0 else 0.0
        set_rigid_limit(step, k, distance, element.restitution, stiffness, rate)


@subroutine
def write_quantity_jacobian(model, step, record, constraint, q, sign):
    """Write the Jacobian of a quantity measured on a chart, times `sign`, for a constraint."""
    turn, slide = chart_quantity(model, record, q)[1]
    if model.bodies[record.body].kind != BALL:
        put3(step.jacobian, scale(slide, sign), constraint.jacobian_start)
        put3(step.jacobian, scale(turn, sign), constraint.jacobian_start + 3)
    else:
        put3(step.jacobian, scale(turn, sign), constraint.jacobian_start)


# ---- loops, couplings and prescribed motion


@subroutine
def add_bilateral_constraints(system, step, q, qd):
    """Add one constraint for each row of the model's loops, couplings and prescribed motions.

    Signals, and the poses and velocities of bodies, must be up to date. Return whether the arrays were long enough.
    """
    model, constraints, scratch = system.model, system.constraints, system.scratch
    velocity_errors(model, system.work, constraints, scratch.signal, q, qd, scratch.error)
    for n in range(constraints.count[ACTIVE_COUNT]):
        record = constraints.records[constraints.active[n]]
        first, count = list_bilateral_dofs(system, step, record)
        if count < 0:
            return False
        if count == 0:
            continue
        begin = step.counts[CONSTRAINT_COUNT]
        for r in range(record.rows):
            if not has_capacity(step, count, 1, 1):
                return False
            k = begin_constraint(step, BOUNDED, 1, first, count)
            write_bilateral_jacobian(system, step, record, k, r, q)
            set_bias_velocity(step, k, 0, scratch.error[record.row + r])
            step.constraints[k].bound, step.constraints[k].multiplier = math.inf, record.row + r
        set_bilateral_stiffness(step, begin, 3 if record.kind == WELD else 1)
    return True


@subroutine
def set_bilateral_stiffness(step, begin, group_size):
    """Set the stiffness of a model constraint's rows from the row with the largest Delassus estimate.

    If joints alone block a row, its Jacobian is ill-conditioned, because of rounding or of axes that a scene has in
    single precision. A stiffness of its own would then lock the joints.

    begin: number of the first constraint. group_size: number of consecutive rows that share a unit and a stiffness.
    """
    for k in range(begin, step.counts[CONSTRAINT_COUNT]):
        largest, first = 0.0, k - (k - begin) % group_size
        for each in range(first, min(first + group_size, step.counts[CONSTRAINT_COUNT])):
            largest = max(largest, delassus_estimate(step, each))
        step.constraints[k].stiffness = BILATERAL_RIGIDITY / largest if largest > 0.0 else 0.0


@subroutine
def list_bilateral_dofs(system, step, record):
    """List the dofs of a model constraint.

    Return (place of the first, count); the count is -1 if the arrays are too short.
    """
    model, first = system.model, step.counts[DOF_COUNT]
    if record.kind == WELD:
        count = list_dofs(model, step, record.body_a, record.body_b)
        if not has_capacity(step, count, 0, 0):
            return first, -1
    elif record.kind == EQUATION:
        count = record.term_end - record.term
        if not has_capacity(step, count, 0, 0):
            return first, -1
        for k in range(count):
            step.dofs[first + k] = system.constraints.terms[record.term + k].v
    else:
        body = model.bodies[record.body]
        count = body.v_end - body.v
        if not has_capacity(step, count, 0, 0):
            return first, -1
        for k in range(count):
            step.dofs[first + k] = body.v + k
    step.counts[DOF_COUNT] += count
    return first, count


@subroutine
def write_bilateral_jacobian(system, step, record, k, r, q):
    """Write the Jacobian of row r of a model constraint to constraint k."""
    model, constraint = system.model, step.constraints[k]
    if record.kind == WELD:
        position = target_frame(system.work, record, system.scratch.signal)[1]
        unit = (1.0 if r % 3 == 0 else 0.0, 1.0 if r % 3 == 1 else 0.0, 1.0 if r % 3 == 2 else 0.0)
        write_jacobian_row(model, system.work, step, k, 0, record.body_a, record.body_b, position, unit, r < 3)
    elif record.kind == EQUATION:
        for j in range(constraint.dof_count):
            step.jacobian[constraint.jacobian_start + j] = system.constraints.terms[record.term + j].weight
    else:
        write_quantity_jacobian(model, step, record, constraint, q, 1.0)
