# SPDX-License-Identifier: GPL-3.0-or-later
"""Flight of single bodies through a convex step: they keep their momenta, and turn without a gain of kinetic energy.

free_flight.py calls `choose_mean_velocities` before positions advance, and `rotate_velocities` after it.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from ...joints import FREE
from ...kinematics.motion import rigid_inertia_of
from ...spatial import (
    add,
    articulated,
    articulated_solve,
    cross,
    dot,
    momentum,
    norm,
    quat_mul,
    quat_of_rotvec,
    quat_to_mat,
    rotate,
    rotate_back,
    rotvec_of_quat,
    scale,
    sub,
)
from ...spatial.storage import get3, get4, put3
from .problem import ARRIVING, RUBBED

MIN_FLIGHT_ANGLE = 0.01
"""Rotation in a step from which on bodies move in free flight [rad]. Slower ones keep their rates, which costs less."""
SUBSTEP_ANGLE = 0.2
"""Rotation in a substep, at first [rad]. If the energy of a tree changes too much, there are twice as many substeps."""
MAX_SUBSTEPS = 64
"""Number of substeps above which they are not doubled again."""
MOST_ITERATIONS = 10
"""Upper bound of the steps of Newton's method that find the rotation of a single body; three are enough."""
ROUNDING = 1e-14
"""Relative change of a mean angular velocity after which another iteration would not change the motion."""


@jitable
def is_floating(model, i):
    """Return whether a free joint connects body i to the world."""
    return model.bodies[i].kind == FREE and model.bodies[i].parent == 0


@jitable
def is_single_body(model, step, i):
    """Return whether body i floats, carries no other body, and has no armatures besides its own inertia."""
    tree = step.forest.tree_of_body[i]
    if not is_floating(model, i) or step.forest.first_dof[tree + 1] - step.forest.first_dof[tree] != 6:
        return False
    return model.dofs[model.bodies[i].v].armature == 0.0 and model.dofs[model.bodies[i].v + 3].armature == 0.0


@subroutine
def choose_mean_velocities(model, step, i, h):
    """Write the velocities to `v_position` at which a single body ends where inertia alone brings it in h seconds.

    Its centre of mass moves along a straight line. Where the body turns fast, it keeps its kinetic energy: with the
    angular velocity before the flight, a body that tumbles would gain energy in each step.
    """
    body, inertia = model.bodies[i], rigid_inertia_of(model.bodies[i])
    slide, turn = get3(step.v_position, body.v), get3(step.v_position, body.v + 3)
    centre, turned = scale(inertia[1], 1.0 / inertia[0]), quat_of_rotvec(scale(turn, h))
    if h * norm(turn) > MIN_FLIGHT_ANGLE:
        is_arriving = step.tree_states[step.forest.tree_of_body[i]] == ARRIVING
        turned = spin(inertia, centre, turn if is_arriving else get3(step.v, body.v + 3), turn, h)
        put3(step.v_position, scale(rotvec_of_quat(turned), 1.0 / h), body.v + 3)
    slide = add(slide, cross(turn, centre))
    around = sub(centre, rotate(quat_to_mat(turned), centre))
    put3(step.v_position, add(slide, scale(around, 1.0 / h)), body.v)


@jitable
def spin(inertia, centre, w, turn, h):
    """Return the rotation of a single body in h seconds, as a quaternion.

    Args:
        w: its angular velocity as the flight begins [rad/s].
        turn: the same with half of what moments change in the step, as positions advance by it.
    """
    columns = (
        spin_momentum(inertia, centre, (1.0, 0.0, 0.0)),
        spin_momentum(inertia, centre, (0.0, 1.0, 0.0)),
        spin_momentum(inertia, centre, (0.0, 0.0, 1.0)),
    )
    count = min(1 + int(h * norm(turn) / SUBSTEP_ANGLE), MAX_SUBSTEPS)
    offset, turned = sub(turn, w), (1.0, 0.0, 0.0, 0.0)
    for _ in range(count):
        mean = mean_spin(columns, spin_momentum(inertia, centre, w), w, offset, h / count)
        turned = quat_mul(turned, quat_of_rotvec(scale(add(mean, offset), h / count)))
        w = sub(scale(mean, 2.0), w)
    return turned


@jitable
def spin_momentum(inertia, centre, w):
    """Return the angular momentum of a body about its centre of mass, in its own axes, at an angular velocity w."""
    return momentum(inertia, (w, cross(centre, w)))[0]


@jitable
def mean_spin(columns, L, w, offset, h):
    """Return the mean angular velocity m in h seconds of a body on which no moments act [rad/s].

    Its angular momentum L = I w stays where it is in space. After a rotation by h m it is I w1 = exp(-h m) L in the
    axes of the body, so the energy changes by (w + w1) / 2 . (I w1 - L), which is 0 if m = (w + w1) / 2. Newton's
    method finds this m.

    Args:
        columns: of the inertia I about the centre of mass.
        offset: what is added to m, for moments that act [rad/s].

    Source: Simo, Wong, Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and
    momentum, Int. J. Numerical Methods in Engineering 31 (1991).
    """
    mean = w
    for _ in range(MOST_ITERATIONS):
        angle = scale(add(mean, offset), h)
        L_end = rotate_back(quat_to_mat(quat_of_rotvec(angle)), L)
        L_mean = add(add(scale(columns[0], mean[0]), scale(columns[1], mean[1])), scale(columns[2], mean[2]))
        error = sub(scale(add(L, L_end), 0.5), L_mean)
        a = sub(columns[0], rotated_change(L_end, angle, (1.0, 0.0, 0.0), h))
        b = sub(columns[1], rotated_change(L_end, angle, (0.0, 1.0, 0.0), h))
        c = sub(columns[2], rotated_change(L_end, angle, (0.0, 0.0, 1.0), h))
        volume = 1.0 / dot(a, cross(b, c))
        change = (
            volume * dot(error, cross(b, c)),
            volume * dot(a, cross(error, c)),
            volume * dot(a, cross(b, error)),
        )
        mean = add(mean, change)
        if norm(change) <= ROUNDING * norm(mean):
            break
    return mean


@jitable
def rotated_change(L_end, angle, axis, h):
    """Return the derivative of (L + L_end) / 2 by the mean angular velocity about an axis, for small angles."""
    turn = cross(angle, axis)
    return scale(cross(L_end, add(sub(axis, scale(turn, 0.5)), scale(cross(angle, turn), 1.0 / 6.0))), 0.5 * h)


@subroutine
def rotate_velocities(model, step, i, before, q, qd):
    """Express a floating body's velocities in the axes that it has at the end of a step; a single body keeps momentum.

    Forces follow the centre of mass, about which the angular momentum of a single body is kept. If friction acts on the
    body (RUBBED), its impulse acts where the centre was as the step began, so the angular momentum is corrected for the
    displacement of the centre. Both keep the sum over all bodies.

    Args:
        before, q: positions at the beginning and at the end of the step.
    """
    body = model.bodies[i]
    R, R_now = quat_to_mat(get4(before, body.q + 3)), quat_to_mat(get4(q, body.q + 3))
    v = get3(qd, body.v)
    w = get3(qd, body.v + 3)
    if is_single_body(model, step, i):
        inertia = rigid_inertia_of(body)
        angular, linear = momentum(inertia, (w, v))
        centre = scale(inertia[1], 1.0 / inertia[0])
        place = centre
        if step.tree_states[step.forest.tree_of_body[i]] == RUBBED:
            centre_now = add(get3(q, body.q), rotate(R_now, centre))
            place = rotate_back(R, sub(centre_now, get3(before, body.q)))
        angular = sub(angular, cross(place, linear))
        angular, linear = rotate_back(R_now, rotate(R, angular)), rotate_back(R_now, rotate(R, linear))
        angular = add(angular, cross(centre, linear))
        w, v = articulated_solve(articulated(inertia), (angular, linear))
    else:
        w, v = rotate_back(R_now, rotate(R, w)), rotate_back(R_now, rotate(R, v))
    put3(qd, v, body.v)
    put3(qd, w, body.v + 3)
