# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics by the Levenberg-Marquardt method on the configurations that satisfy the constraints.

Each step is a damped least-squares step in the null space of the constraints. Newton's method then removes the
constraint errors of the step. A step that does not reduce the error is discarded, and the damping grows.

Source: Madsen, Nielsen, Tingleff, Methods for Non-Linear Least Squares Problems (2004), section 3.2; Absil, Mahony,
Sepulchre, Optimization Algorithms on Matrix Manifolds (2008), section 4.1, for the retraction; Fan and Yuan, On the
quadratic convergence of the Levenberg-Marquardt method without nonsingularity assumption (2005), for damping in
proportion to the residual.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import kernel, subroutine
from ...joints import FREE, SCREWS
from ...model.compiling.compiled import CompiledModel
from ...spatial import quat_mul, quat_normalized, quat_to_mat, rotate_back, rotvec_of_quat, sub
from ...spatial.storage import copy, get3, get4, put3
from ..motion import integrate_positions, update_bodies
from ..work import largest, make_work
from .limits import excess, limits_of, make_bounds, write_bounds
from .steps import find_step, make_step
from .tasks import Tasks, make_rows, write_errors, write_slopes

CLOSED = 1e-11
"""Largest error of a constraint that counts as satisfied [rad or model sizes]."""

LIMIT_TOLERANCE = 1e-10
"""Largest violation of a limit [rad or model sizes]. A start beyond a limit may stay as far beyond it."""

MOST_NEWTON_STEPS = 15
"""Maximum number of Newton steps in one call of `close`. They converge quadratically except at singularities."""

LONGEST_STEP = 0.5
"""Largest move of a coordinate in one step [rad or model sizes], so that no loop jumps to another assembly."""

DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-2, 1e-9, 1e9
"""Damping as a part of the residual: initial value, lower and upper bound."""

LEAST_PROGRESS = 1e-9
"""Relative reduction of the residual below which a step makes no progress [1].

For a target at a distance of a thousand model sizes, the error of the direction is then at most 1e-4 rad.
"""

SHORTEST_STEP = 1e-12
"""Largest move of a step below which the search has converged [rad or model sizes]."""

MOST_STEPS_WITHOUT_PROGRESS = 4
"""Number of consecutive steps without progress after which one more ends the search."""


class Problem(KernelTuple, namedtuple("Problem", "model work tasks limits rows bounds step tried moved")):
    """Arguments of the kernels. tried: positions, shape (nq,). moved: a step, shape (nv,) [rad or m]."""


def make_problem(compiled: CompiledModel, tasks: Tasks, kept: int, size: float) -> Problem:
    """Return a `Problem`. kept: number of rows that must be satisfied; they come first. size: of the model [m]."""
    limits, rows, nv = limits_of(compiled, size), make_rows(tasks), compiled.nv
    step = make_step(len(rows.error), len(limits), len(rows.error) - kept, nv)
    tried, moved = np.zeros(compiled.nq), np.zeros(nv)
    work = make_work(compiled.arrays)
    return Problem(compiled.arrays, work, tasks, limits, rows, make_bounds(limits, nv), step, tried, moved)


@kernel
def descend(problem, q, kept_tasks, kept, slack, tolerance, most):
    """Move q, shape (nq,), as near to the targets as possible. Return (largest constraint error, number of steps).

    Args:
        kept_tasks, kept: number of tasks that are constraints, and of their rows. They come first; the others are
            targets.
        slack: constraint error that is accepted if Newton's method cannot reduce it [rad or model sizes].
        tolerance: error at which a target counts as reached [m, rad].
        most: maximum number of steps.
    """
    gap = close(problem, q, kept_tasks, kept, slack)
    allowed_excess = max(excess(problem.bounds), LIMIT_TOLERANCE)
    damping, growth, idle, steps = DAMPING, 2.0, 0, 0
    while steps < most:
        error_before = evaluate(problem, q, kept)
        if are_satisfied(problem, kept_tasks, tolerance):
            break
        steps += 1
        find_target_step(problem, kept, slack, damping * min(error_before, 1.0))
        dq = take_step(problem, q)
        predicted_reduction = error_before - predicted_error(problem, kept)
        new_gap = close(problem, problem.tried, kept_tasks, kept, slack)
        reduction = error_before - target_error(problem, problem.tried, kept_tasks, kept)
        is_closed = new_gap <= max(gap, slack) and excess(problem.bounds) <= allowed_excess
        if is_closed and reduction > 0.0:
            gap = new_gap
            copy(problem.tried, q)
            gain_ratio = min(reduction / max(predicted_reduction, 1e-300), 1.0)
            deviation = 2.0 * gain_ratio - 1.0
            damping *= max(1.0 / 3.0, 1.0 - deviation * deviation * deviation)
            damping, growth = max(damping, LEAST_DAMPING), 2.0
            idle = idle + 1 if reduction < LEAST_PROGRESS * error_before else 0
        else:
            damping, growth = damping * growth, 2.0 * growth
        if dq < SHORTEST_STEP or damping > MOST_DAMPING or idle > MOST_STEPS_WITHOUT_PROGRESS:
            break
    return gap, steps


@kernel
def relax(problem, q, rest, slack, most):
    """Move q as near to positions `rest` as possible, with all reached tasks kept. Return the largest error."""
    rows, bounds, step = problem.rows, problem.bounds, problem.step
    tasks, count = problem.tasks.records.shape[0], rows.error.shape[0]
    gap = close(problem, q, tasks, count, slack)
    allowed_excess = max(excess(bounds), LIMIT_TOLERANCE)
    damping = 0.0
    for _ in range(most):
        evaluate(problem, q, count)
        error_before = write_preferred_step(problem, q, rest)
        multiply(step.preferred_dq, 1.0 / (1.0 + damping))
        find_step(step, rows.error, rows.slope, count, count, bounds.rows, bounds.low, bounds.high, slack, 0.0)
        dq = take_step(problem, q)
        if dq < SHORTEST_STEP:
            break
        new_gap = close(problem, problem.tried, tasks, count, slack)
        is_closed = new_gap <= max(gap, slack) and excess(bounds) <= allowed_excess
        if is_closed and write_preferred_step(problem, problem.tried, rest) < error_before:
            copy(problem.tried, q)
            damping *= 0.3
        else:
            damping = max(4.0 * damping, 0.1)
    return gap


@kernel
def assess(problem, q, kept, slack):
    """Evaluate all rows at q, and find the next step with the limits that are active."""
    error_before = evaluate(problem, q, kept)
    find_target_step(problem, kept, slack, DAMPING * min(error_before, 1.0))


@subroutine
def close(problem, q, tasks, count, slack):
    """Satisfy the first `tasks` tasks, of `count` rows, by the shortest steps within limits. Return the largest
    error.
    """
    rows, bounds, step = problem.rows, problem.bounds, problem.step
    gap = before = np.inf
    for n in range(MOST_NEWTON_STEPS + 1):
        update_bodies(problem.model, problem.work, q, problem.work.zeros)
        write_errors(problem.work, problem.tasks, 0, tasks, q, rows.error)
        write_bounds(problem.model, problem.limits, problem.tasks.dof_scale, q, bounds)
        before, gap = gap, largest(rows.error[:count])
        is_done = gap <= CLOSED or 0.5 * before < gap <= slack
        if (is_done and excess(bounds) <= CLOSED) or n == MOST_NEWTON_STEPS:
            break
        write_slopes(problem.model, problem.work, problem.tasks, 0, tasks, rows)
        set_all(step.preferred_dq, 0.0)
        find_step(step, rows.error, rows.slope, count, count, bounds.rows, bounds.low, bounds.high, slack, 0.0)
        take_step(problem, q)
        copy(problem.tried, q)
    return gap


@subroutine
def find_target_step(problem, kept, slack, damping):
    """Compute the damped step towards the targets in the null space of the first `kept` rows."""
    rows, bounds, step = problem.rows, problem.bounds, problem.step
    set_all(step.preferred_dq, 0.0)
    end = rows.error.shape[0]
    find_step(step, rows.error, rows.slope, kept, end, bounds.rows, bounds.low, bounds.high, slack, damping)


@subroutine
def evaluate(problem, q, kept):
    """Evaluate all rows and bounds at q. Return the sum of squares of the targets' errors."""
    update_bodies(problem.model, problem.work, q, problem.work.zeros)
    tasks = problem.tasks.records.shape[0]
    write_errors(problem.work, problem.tasks, 0, tasks, q, problem.rows.error)
    write_slopes(problem.model, problem.work, problem.tasks, 0, tasks, problem.rows)
    write_bounds(problem.model, problem.limits, problem.tasks.dof_scale, q, problem.bounds)
    return sum_of_squares(problem.rows.error, kept)


@subroutine
def target_error(problem, q, kept_tasks, kept):
    """Return the sum of squares of the targets' errors at q, to which the poses in `problem.work` must belong."""
    write_errors(problem.work, problem.tasks, kept_tasks, problem.tasks.records.shape[0], q, problem.rows.error)
    return sum_of_squares(problem.rows.error, kept)


@subroutine
def are_satisfied(problem, first, tolerance):
    """Return whether all tasks from number `first` on are satisfied."""
    for n in range(first, problem.tasks.records.shape[0]):
        task = problem.tasks.records[n]
        for row in range(task.row, task.row + task.rows):
            if not abs(problem.rows.error[row]) <= tolerance * task.weight:
                return False
    return True


@subroutine
def take_step(problem, q):
    """Write the positions after the step, shortened if it is too long, to `tried`. Return its largest component."""
    dq = problem.step.dq
    longest = largest(dq)
    multiply(dq, min(1.0, LONGEST_STEP / max(longest, 1e-300)))
    for j in range(dq.shape[0]):
        problem.moved[j] = dq[j] * problem.tasks.dof_scale[j]
    copy(q, problem.tried)
    integrate_positions(problem.model, problem.tried, problem.moved, 1.0)
    return min(longest, LONGEST_STEP)


@subroutine
def predicted_error(problem, kept):
    """Return the sum of squares of the targets' errors after the step, by linear prediction."""
    error, slope, dq = problem.rows.error, problem.rows.slope, problem.step.dq
    squares = 0.0
    for row in range(kept, error.shape[0]):
        total = error[row]
        for j in range(dq.shape[0]):
            total += slope[row, j] * dq[j]
        squares += total * total
    return squares


@subroutine
def write_preferred_step(problem, q, rest):
    """Write the differences from q to `rest` to `step.preferred_dq`, and 0 where `rest` is NaN. Return the sum of
    squares.
    """
    preferred_dq, dof_scale = problem.step.preferred_dq, problem.tasks.dof_scale
    for i in range(1, problem.model.bodies.shape[0]):
        body = problem.model.bodies[i]
        if body.kind == SCREWS:
            for j in range(body.v, body.v_end):
                preferred_dq[j] = rest[body.q + j - body.v] - q[body.q + j - body.v]
        else:
            quat_index = body.q + (3 if body.kind == FREE else 0)
            w, x, y, z = quat_normalized(get4(q, quat_index))
            put3(
                preferred_dq,
                rotvec_of_quat(quat_mul((w, -x, -y, -z), quat_normalized(get4(rest, quat_index)))),
                body.v_end - 3,
            )
            if body.kind == FREE:
                dq = sub(get3(rest, body.q), get3(q, body.q))
                put3(preferred_dq, rotate_back(quat_to_mat((w, x, y, z)), dq), body.v)
    total = 0.0
    for j in range(preferred_dq.shape[0]):
        is_wanted = dof_scale[j] > 0.0 and preferred_dq[j] == preferred_dq[j]
        preferred_dq[j] = preferred_dq[j] / dof_scale[j] if is_wanted else 0.0
        total += preferred_dq[j] * preferred_dq[j]
    return total


@subroutine
def sum_of_squares(values, first):
    total = 0.0
    for i in range(first, values.shape[0]):
        total += values[i] * values[i]
    return total


@subroutine
def set_all(values, value):
    for i in range(values.shape[0]):
        values[i] = value


@subroutine
def multiply(values, part):
    for i in range(values.shape[0]):
        values[i] *= part
