# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of inverse kinematics: damped least squares in the null space of constraints, with bounds.

    minimize |E s + e|^2 + damping |s - preferred_dq|^2   subject to   K s + k = 0   and   low <= B s <= high

K is factored as L Q' by Householder's method with pivoting, since mechanisms such as Bricard's have dependent rows. In
the coordinates Q, the first components of a step follow from K, and the others are free. An active-set method adds
bounds to K as the step meets them, and removes those whose multiplier has the wrong sign.

Source: Nocedal and Wright, Numerical Optimization (2006), sections 15.3 (null spaces) and 16.5 (active sets); Nakamura
and Hanafusa, Inverse kinematic solutions with singularity robustness (1986), for the damping.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import subroutine

INDEPENDENT = 1e-6
"""Smallest norm of a row, without the rows before it, that counts as independent. It is at least ten times the error.
"""

SLACK = 1e-12
"""Distance to a bound that counts as zero, and multiplier that counts as zero."""

ROUNDING = 1e-12
"""Smallest damping, relative to the matrix that is damped."""

CONTRADICTION = 1e-10
"""Violation of an active bound that shows a contradiction with other rows. The step then ends at the bound."""


class Step(
    KernelTuple,
    namedtuple(
        "Step",
        "dq preferred_dq rows diagonal betas order rhs bound_of side row_multipliers free_slope normal_matrix"
        " components preferred_components target_multipliers",
    ),
):
    """Work arrays.

    Attributes:
        dq: the step, shape (nv,). preferred_dq: the step without targets, shape (nv,).
        rows: constraint rows, then their reflectors and L, shape (m, nv). diagonal: of L. betas: of the reflectors.
        order: permutation of the constraint rows. rhs: k, for each of them.
        bound_of: number of the bound of each row, or -1 for a constraint.
        side: for each bound, -1 or 1 if its lower or upper end is active, else 0.
        row_multipliers: multiplier of each row of K.
        free_slope: E in the coordinates Q, shape (n, nv).
        normal_matrix: F F' + damping, then its Cholesky factor, shape (n, n); see `solve`.
        components, preferred_components: the step and the preferred step in the coordinates Q, shape (nv,).
        target_multipliers: multipliers of the rows of E, shape (n,).
    """


def make_step(kept: int, bounds: int, followed: int, nv: int) -> Step:
    """Return work arrays for `kept` constraint rows, `bounds` bounds and `followed` rows of targets."""
    most = kept + bounds
    return Step(
        dq=np.zeros(nv),
        preferred_dq=np.zeros(nv),
        rows=np.zeros((most, nv)),
        diagonal=np.zeros(most),
        betas=np.zeros(most),
        order=np.zeros(most, np.int64),
        rhs=np.zeros(most),
        bound_of=np.zeros(most, np.int64),
        side=np.zeros(bounds, np.int64),
        row_multipliers=np.zeros(most),
        free_slope=np.zeros((followed, nv)),
        normal_matrix=np.zeros((followed, followed)),
        components=np.zeros(nv),
        preferred_components=np.zeros(nv),
        target_multipliers=np.zeros(followed),
    )


@subroutine
def find_step(step, error, slope, kept, end, bounds, low, high, slack, damping):
    """Write the step to `step.dq`.

    Args:
        error, slope: of all rows, up to `end`. kept: number of constraint rows, which come first.
        bounds: B, shape (p, nv). low, high: shape (p,), low <= high. If 0 is not between them, the step leads there.
        slack: accepted error of constraint rows that contradict each other slightly.
    """
    for j in range(step.dq.shape[0]):
        step.dq[j] = 0.0
    for b in range(step.side.shape[0]):
        step.side[b] = -1 if low[b] > 0.0 else (1 if high[b] < 0.0 else 0)
    for _ in range(4 * step.side.shape[0] + 1):
        count = collect_rows(step, error, slope, kept, bounds, low, high)
        rank = factor(step, count, max(INDEPENDENT, 10.0 * slack))
        solve(step, error, slope, kept, end, rank, damping)
        if not move_to_bound(step, bounds, low, high, rank) and not release_bound(step, rank, end - kept):
            return


@subroutine
def collect_rows(step, error, slope, kept, bounds, low, high):
    """Copy the constraint rows and active bounds into `step.rows`. Return their number."""
    nv = step.dq.shape[0]
    for r in range(kept):
        step.rhs[r] = error[r]
        step.bound_of[r] = -1
        for j in range(nv):
            step.rows[r, j] = slope[r, j]
    count = kept
    for b in range(step.side.shape[0]):
        if step.side[b] != 0:
            step.rhs[count] = -(low[b] if step.side[b] < 0 else high[b])
            step.bound_of[count] = b
            for j in range(nv):
                step.rows[count, j] = bounds[b, j]
            count += 1
    for r in range(count):
        step.order[r] = r
    return count


@subroutine
def factor(step, count, independent):
    """Factor the first `count` rows as L Q'. Return their rank. Rows beyond it depend on those before."""
    nv = step.dq.shape[0]
    rows = step.rows
    for k in range(min(count, nv)):
        best, pivot = 0.0, k
        for i in range(k, count):
            square = 0.0
            for j in range(k, nv):
                square += rows[i, j] * rows[i, j]
            if square > best:
                best, pivot = square, i
        if best <= independent * independent:
            return k
        swap(step, k, pivot)
        length = -math.copysign(math.sqrt(best), rows[k, k])
        step.diagonal[k] = length
        rows[k, k] -= length
        step.betas[k] = 1.0 / (best - length * (rows[k, k] + length))
        for i in range(k + 1, count):
            reflect(rows[i], rows[k], step.betas[k], k)
    return min(count, nv)


@subroutine
def swap(step, k, i):
    """Exchange rows k and i."""
    if k == i:
        return
    step.order[k], step.order[i] = step.order[i], step.order[k]
    for j in range(step.rows.shape[1]):
        step.rows[k, j], step.rows[i, j] = step.rows[i, j], step.rows[k, j]


@subroutine
def reflect(x, mirror, beta, k):
    """Apply the reflector whose components from k on are in `mirror` to x."""
    total = 0.0
    for j in range(k, x.shape[0]):
        total += mirror[j] * x[j]
    total *= beta
    for j in range(k, x.shape[0]):
        x[j] -= total * mirror[j]


@subroutine
def apply_Q_transposed(step, x, rank):
    """Replace x by Q' x."""
    for k in range(rank):
        reflect(x, step.rows[k], step.betas[k], k)


@subroutine
def apply_Q(step, x, rank):
    """Replace x by Q x."""
    for k in range(rank - 1, -1, -1):
        reflect(x, step.rows[k], step.betas[k], k)


@subroutine
def solve(step, error, slope, kept, end, rank, damping):
    """Write the components of the step for the present active set to `step.components`.

    The free components are preferred_dq - F' (F F' + damping)^-1 (F preferred_dq + residual of the first components),
    with F those of E.
    """
    nv = step.dq.shape[0]
    n = end - kept
    for j in range(nv):
        step.preferred_components[j] = step.preferred_dq[j]
    apply_Q_transposed(step, step.preferred_components, rank)
    for j in range(rank, nv):
        step.components[j] = step.preferred_components[j]
    for k in range(rank):
        total = -step.rhs[step.order[k]]
        for i in range(k):
            total -= step.rows[k, i] * step.components[i]
        step.components[k] = total / step.diagonal[k]
    for r in range(n):
        row = step.free_slope[r]
        for j in range(nv):
            row[j] = slope[kept + r, j]
        apply_Q_transposed(step, row, rank)
        total = error[kept + r]
        for j in range(nv):
            total += row[j] * step.components[j]
        step.target_multipliers[r] = total
        for i in range(r + 1):
            total = 0.0
            for j in range(rank, nv):
                total += row[j] * step.free_slope[i, j]
            step.normal_matrix[r, i] = total
    add_damping(step.normal_matrix, n, damping)
    solve_positive(step.normal_matrix, step.target_multipliers, n)
    for r in range(n):
        for j in range(rank, nv):
            step.components[j] -= step.free_slope[r, j] * step.target_multipliers[r]


@subroutine
def add_damping(A, n, damping):
    """Add damping to the diagonal, at least `ROUNDING` of it, so that dependent rows do not make it singular."""
    trace = 0.0
    for i in range(n):
        trace += A[i, i]
    for i in range(n):
        A[i, i] += max(damping, ROUNDING * trace)


@subroutine
def solve_positive(A, x, n):
    """Replace x by A^-1 x by Cholesky's method. A, given by its lower half, becomes its factor."""
    for i in range(n):
        for j in range(i + 1):
            total = A[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / A[j, j]
        total = x[i]
        for k in range(i):
            total -= A[i, k] * x[k]
        x[i] = total / A[i, i]
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= A[k, i] * x[k]
        x[i] = total / A[i, i]


@subroutine
def move_to_bound(step, bounds, low, high, rank):
    """Move to the minimum, or up to the first bound on the way, which becomes active. Return whether one was met."""
    apply_Q(step, step.components, rank)
    part, hit, side = 1.0, -1, 0
    for b in range(step.side.shape[0]):
        slack = SLACK if step.side[b] == 0 else CONTRADICTION
        value, end = 0.0, 0.0
        for j in range(step.dq.shape[0]):
            value += bounds[b, j] * step.dq[j]
            end += bounds[b, j] * step.components[j]
        if end > high[b] + slack and end > value and (high[b] - value) / (end - value) < part:
            part, hit, side = (high[b] - value) / (end - value), b, 1
        if end < low[b] - slack and end < value and (low[b] - value) / (end - value) < part:
            part, hit, side = (low[b] - value) / (end - value), b, -1
    part = max(part, 0.0)
    for j in range(step.dq.shape[0]):
        step.dq[j] += part * (step.components[j] - step.dq[j])
    if hit < 0 or step.side[hit] != 0:
        return False
    step.side[hit] = side
    return True


@subroutine
def release_bound(step, rank, n):
    """Deactivate the bound whose multiplier has the wrong sign and is largest. Return whether there is one.

    The row multipliers m solve L' m = gradient of the first components of the step.
    """
    worst, released = SLACK, -1
    apply_Q_transposed(step, step.components, rank)
    for k in range(rank - 1, -1, -1):
        total = step.preferred_components[k] - step.components[k]
        for r in range(n):
            total -= step.free_slope[r, k] * step.target_multipliers[r]
        for i in range(k + 1, rank):
            total -= step.rows[i, k] * step.row_multipliers[i]
        step.row_multipliers[k] = total / step.diagonal[k]
        b = step.bound_of[step.order[k]]
        if b >= 0 and -step.side[b] * step.row_multipliers[k] > worst:
            worst, released = -step.side[b] * step.row_multipliers[k], b
    if released >= 0:
        step.side[released] = 0
    return released >= 0
