# SPDX-License-Identifier: GPL-3.0-or-later
"""Removal of a step's rounding errors from the gaps of contacts and from the rates of these gaps."""

from __future__ import annotations

from ...compilation.jit import subroutine
from ...contact.delassus import apply_loads
from ...contact.minimum_norm_loads import solve_loads
from ...contact.points import NORMAL, ROWS, TANGENT
from ...dynamics.aba import acceleration_pass
from ...dynamics.constraint_forces import clear_forces
from ...joints import FREE
from ...kinematics.motion import integrate_positions
from ...spatial import ZERO, dot, quat_of_rotvec, quat_to_mat, rotate_back
from ...spatial.storage import get3, put3
from ..system import parts_of


@subroutine
def remove_rounding_errors(system, y):
    """Restore the gaps of contacts, and set their rates to 0.

    The factors of the Delassus matrix are those of the last evaluation of the step.
    """
    touch = system.touch
    if touch.count[ROWS] == 0:
        return
    q, qd = parts_of(system, y)
    worst = 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point = touch.points[row.point]
        row.rhs = point.rest_gap - point.gap if row.kind == NORMAL else 0.0
        worst = max(worst, abs(row.rhs))
    if worst > 1e-14:
        correct_by_rows(system)
        integrate_positions(system.model, q, system.scratch.dv, 1.0)
        keep_world_velocities(system.model, qd, system.scratch.dv)
    worst = 0.0
    for r in range(touch.count[ROWS]):
        row = touch.rows[r]
        point, direction = touch.points[row.point], get3(row.direction)
        rate = (
            point.rate
            if row.kind == NORMAL
            else dot(direction, get3(point.slip_velocity if row.kind == TANGENT else point.angular_velocity))
        )
        row.rhs = -rate
        worst = max(worst, abs(rate))
    if worst > 1e-15:
        correct_by_rows(system)
        for j in range(qd.shape[0]):
            qd[j] += system.scratch.dv[j]


@subroutine
def keep_world_velocities(model, qd, moved):
    """Keep the world velocities of free bodies, which qd gives in axes of the body.

    moved: the change of positions that has turned these axes, shape (nv,).
    """
    for i in range(1, model.bodies.shape[0]):
        body = model.bodies[i]
        if body.kind == FREE:
            R = quat_to_mat(quat_of_rotvec(get3(moved, body.v + 3)))
            put3(qd, rotate_back(R, get3(qd, body.v)), body.v)
            put3(qd, rotate_back(R, get3(qd, body.v + 3)), body.v + 3)


@subroutine
def correct_by_rows(system):
    """Write to `dv` the motion that removes the `rhs` of all contact rows."""
    solve_loads(system.touch)
    clear_forces(system.work)
    apply_loads(system)
    acceleration_pass(system.model, system.work, ZERO, system.scratch.dv)
