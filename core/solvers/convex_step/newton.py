# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton's method for the velocities of a convex step, which minimise a convex cost, island by island.

With the mass matrix A and the constraints' Jacobian J, the cost is (v - v_free)' A (v - v_free) / 2 plus the potentials
of the constraints. Its gradient is A (v - v_free) - J' impulses, which is 0 where momentum is balanced. Its Hessian is
sparse and positive definite. The line search is exact up to SLOPE_TOLERANCE.

Source: Castro, Permenter, Han, An unconstrained convex formulation of compliant contact, IEEE Trans. Robotics 39
(2023), section V; Nocedal, Wright, Numerical Optimization (2nd ed., 2006), chapter 3.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from .block_cholesky import column_offset, factor_island, solve_island
from .conjugate_gradient import conjugate_gradient, factor_block, solve_block
from .constraint_jacobians import constraint_velocity
from .constraint_potentials import hessian_at, impulse_at, update_friction_bounds
from .mass_matrix import multiply_mass
from .problem import (
    FIRST_CONSTRAINT,
    FIRST_TREE,
    IS_ITERATIVE,
    ISLAND_COUNT,
    NEWTON_STEPS,
)

MAX_NEWTON_STEPS = 60
"""Upper bound of the Newton steps for one set of friction bounds. A solution that would need more is used as it is."""
MAX_LINE_SEARCH_STEPS = 40
"""Upper bound of the iterations of a line search. Bisection alone reaches rounding in that many."""
SLOPE_TOLERANCE = 0.05
"""Share of the slope at the start of a line search below which its end counts as a minimum."""
MAX_BOUND_UPDATES = 5
"""Number of solutions in a step after which the bounds of friction are taken as they are."""
LOOSE_ROUNDS = 1
"""Number of solutions at the start of a step that are solved only to LOOSE_TOLERANCE.

Their friction bounds change next.
"""
LOOSE_TOLERANCE = 0.03
"""Relative residual of the momentum at which these solutions stop."""


@subroutine
def find_velocities(step, momentum_residual, friction_bound_change):
    """Minimise the step's convex cost over the velocities of all islands, starting from `v`.

    Writes the velocities to `v`, and velocities and impulses to the constraints. Trees outside of islands get `v_free`.

    Args:
        momentum_residual: relative residual of the momenta at which Newton's method stops.
        friction_bound_change: relative change of the friction bounds at which the outer iteration stops.
    """
    forest = step.forest
    for t in range(step.roots.shape[0]):
        # No constraint acts on a tree without an island.
        if step.roots[t] < 0:
            for n in range(forest.first_dof[t], forest.first_dof[t + 1]):
                step.v[forest.dofs[n]] = step.v_free[forest.dofs[n]]
    for s in range(step.counts[ISLAND_COUNT]):
        find_island_velocities(step, s, momentum_residual, friction_bound_change)


@subroutine
def find_island_velocities(step, s, momentum_residual, friction_bound_change):
    """Minimise the cost over the velocities of island s; see `find_velocities`."""
    for turn in range(MAX_BOUND_UPDATES):
        loose = max(momentum_residual, LOOSE_TOLERANCE)
        tolerance = loose if turn < LOOSE_ROUNDS else momentum_residual
        step.counts[NEWTON_STEPS] += minimise(step, s, tolerance)
        change, most = update_bounds(step, s, 1.0 if turn < LOOSE_ROUNDS else 0.5)
        if change <= friction_bound_change * most and turn >= LOOSE_ROUNDS:
            break
    balance_momentum(step, s)


@subroutine
def balance_momentum(step, s):
    """Give island s exactly the velocities that its impulses cause, so that the solver's tolerance changes no momentum.

    This is one step with the mass matrix in place of the Hessian.
    """
    forest, begin, end = step.forest, step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE]
    residual = step.work_vectors[0]
    write_gradient(step, s, begin, end, 0.0)
    copy_negative_gradient(step, begin, end, residual)
    for k in range(begin, end):
        tree = step.graph.order[k]
        size, at = forest.first_dof[tree + 1] - forest.first_dof[tree], forest.mass_start[tree]
        factor_block(step.mass_blocks, at, size, size, step.block_factors, at)
        solve_block(step.block_factors, at, size, residual, forest.first_dof[tree])
        for i in range(forest.first_dof[tree], forest.first_dof[tree + 1]):
            step.v[forest.dofs[i]] += residual[i]


@subroutine
def update_bounds(step, s, part):
    """Update the friction bounds of island s; see `update_friction_bounds`."""
    change, most = 0.0, 0.0
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        k = step.sorted_constraints[n]
        own_change, own_most = update_friction_bounds(step.constraints, k, k + 1, part)
        change, most = max(change, own_change), max(most, own_most)
    return change, most


@subroutine
def minimise(step, s, tolerance):
    """Run Newton's method on island s, with fixed friction bounds. Return the number of Newton steps."""
    begin, end = step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE]
    update_constraints(step, s)
    for count in range(MAX_NEWTON_STEPS):
        if write_gradient(step, s, begin, end, tolerance):
            return count
        write_hessian(step, s, begin, end)
        write_newton_step(step, s, begin, end)
        if not line_search(step, s, begin, end):
            return count + 1
    return MAX_NEWTON_STEPS


@subroutine
def write_newton_step(step, s, begin, end):
    """Solve H dv = -gradient for an island, by Cholesky or conjugate gradients. Writes dv to `newton_step`."""
    forest, x = step.forest, step.work_vectors[0]
    copy_negative_gradient(step, begin, end, x)
    if step.islands[s, IS_ITERATIVE]:
        conjugate_gradient(step, begin, end)
    else:
        factor_island(step.graph, begin, end)
        solve_island(step.graph, begin, end, forest.first_dof, x)
    for k in range(begin, end):
        for i in range(forest.first_dof[step.graph.order[k]], forest.first_dof[step.graph.order[k] + 1]):
            step.newton_step[forest.dofs[i]] = x[i]


@subroutine
def update_constraints(step, s):
    """Write the velocities and impulses of the constraints of island s at the present `v`."""
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        for r in range(constraint.rows):
            constraint.velocity[r] = constraint.bias_velocity[r] + constraint_velocity(step, constraint, r, step.v)
        x, y = impulse_at(constraint, constraint.velocity[0], constraint.velocity[1])
        constraint.impulse[0], constraint.impulse[1] = x, y


@subroutine
def write_gradient(step, s, begin, end, tolerance):
    """Write the gradient of the cost.

    Return whether its norm, weighted by the inverse mass diagonal, is at most `tolerance` times that of the momenta
    that it is a sum of.
    """
    forest, order, gradient = step.forest, step.graph.order, step.gradient
    size = 0.0
    for k in range(begin, end):
        size += add_momentum_residual(step, order[k])
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        for r in range(constraint.rows):
            impulse, at = constraint.impulse[r], constraint.jacobian_start + r * constraint.dof_count
            if impulse != 0.0:
                for m in range(constraint.dof_count):
                    gradient[step.dofs[constraint.first_dof + m]] -= step.jacobian[at + m] * impulse
    residual = 0.0
    for k in range(begin, end):
        for i in range(forest.first_dof[order[k]], forest.first_dof[order[k] + 1]):
            dof = forest.dofs[i]
            residual += gradient[dof] * gradient[dof] / step.mass_diagonal[dof]
    return residual <= tolerance * tolerance * size


@subroutine
def add_momentum_residual(step, tree):
    """Write A (v - v_free) of a tree to the gradient.

    Return its squared norm, weighted by the inverse mass diagonal, plus that of the momenta that forces have added.
    """
    forest, size = step.forest, 0.0
    change, momentum = step.work_vectors[0], step.work_vectors[1]
    for i in range(forest.first_dof[tree], forest.first_dof[tree + 1]):
        change[i] = step.v[forest.dofs[i]] - step.v_free[forest.dofs[i]]
    multiply_mass(step, tree, change, momentum)
    for i in range(forest.first_dof[tree], forest.first_dof[tree + 1]):
        dof = forest.dofs[i]
        step.gradient[dof] = momentum[i]
        from_forces = step.v_free[dof] - step.v0[dof]
        size += (
            momentum[i] * momentum[i] / step.mass_diagonal[dof] + step.mass_diagonal[dof] * from_forces * from_forces
        )
    return size


@subroutine
def copy_negative_gradient(step, begin, end, out):
    """Write the negative gradient of an island to `out`, in the order of forest.dofs."""
    forest = step.forest
    for k in range(begin, end):
        for i in range(forest.first_dof[step.graph.order[k]], forest.first_dof[step.graph.order[k] + 1]):
            out[i] = -step.gradient[forest.dofs[i]]


@subroutine
def write_hessian(step, s, begin, end):
    """Write the Hessian of an island's cost to the graph's panels: the mass matrix plus J' G J of each constraint."""
    write_mass_blocks(step, begin, end)
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        xx, xy, yy = hessian_at(constraint, constraint.velocity[0], constraint.velocity[1])
        if xx != 0.0 or yy != 0.0:
            add_constraint_hessian(step, constraint, xx, xy, yy)


@subroutine
def write_mass_blocks(step, begin, end):
    """Write the mass matrix of an island to the graph's panels, and 0 elsewhere."""
    forest, graph = step.forest, step.graph
    for k in range(begin, end):
        tree = graph.order[k]
        size, width, at = graph.sizes[tree], graph.row_width[tree], graph.panel_start[tree]
        mass = forest.mass_start[tree]
        for i in range(size):
            for c in range(size):
                graph.panels[at + i * width + c] = step.mass_blocks[mass + i * size + c]
            for c in range(size, width):
                graph.panels[at + i * width + c] = 0.0


@jitable
def add_constraint_hessian(step, constraint, xx, xy, yy):
    """Add J' G J of one constraint to the panels, with G = (xx, xy, yy) its Hessian by its own velocities.

    Its rows are scattered to the dofs of one tree after the other, so that the inner loops run over contiguous entries.
    The functions below are called for each constraint. They take single arrays, since a call with all arrays of `step`
    takes longer than their loops.
    """
    jacobian, scattered_rows = step.jacobian, step.scattered_rows
    end, begin = constraint.first_dof + constraint.dof_count, constraint.first_dof
    while begin < end:
        node, after = step.trees[begin], begin + 1
        while after < end and step.trees[after] == node:
            after += 1
        first, last = begin - constraint.first_dof, after - constraint.first_dof
        span = scatter_rows(jacobian, step.local_dofs, scattered_rows, constraint, first, last)
        curvature = (xx, xy, yy)
        add_hessian_columns(
            step.graph, step.trees, step.local_dofs, jacobian, scattered_rows, constraint, node, span, curvature
        )
        begin = after


@subroutine
def add_hessian_columns(graph, trees, local_dofs, jacobian, scattered_rows, constraint, node, span, curvature):
    """Add the columns of J' G J that belong to one tree, to which the constraint's rows are scattered.

    Args:
        graph, trees, local_dofs, jacobian, scattered_rows: those of the `ConvexStep`.
        node: that tree.
        span: (low, high) range of the tree's dofs that the constraint moves, as from `scatter_rows`.
        curvature: G as (xx, xy, yy).
    """
    (low, high), (xx, xy, yy) = span, curvature
    before, offset = node, 0
    for i in range(constraint.dof_count):
        tree, row = trees[constraint.first_dof + i], local_dofs[constraint.first_dof + i]
        if graph.position[node] < graph.position[tree]:
            continue
        if tree != before:
            offset, before = column_offset(graph, tree, node), tree
        start = max(low, row) if tree == node else low
        if start >= high:
            continue
        at = graph.panel_start[tree] + row * graph.row_width[tree] + offset
        into, one = graph.panels[at + start : at + high], scattered_rows[0, start:high]
        u = jacobian[constraint.jacobian_start + i]
        if constraint.rows == 1:
            for c in range(high - start):
                into[c] += xx * u * one[c]
            continue
        second_row = constraint.jacobian_start + constraint.dof_count
        v, other = jacobian[second_row + i], scattered_rows[1, start:high]
        a, b = xx * u + xy * v, xy * u + yy * v
        for c in range(high - start):
            into[c] += a * one[c] + b * other[c]


@subroutine
def scatter_rows(jacobian, local_dofs, scattered_rows, constraint, begin, end):
    """Scatter a constraint's Jacobian, over its dofs from `begin` to `end`, to the places of these dofs in their tree.

    Return the range of places (low, high) outside of which the rows are 0. The arrays are those of the `ConvexStep`.
    """
    low, high = scattered_rows.shape[1], 0
    for i in range(begin, end):
        place = local_dofs[constraint.first_dof + i]
        low, high = min(low, place), max(high, place + 1)
    for r in range(constraint.rows):
        row = scattered_rows[r, low:high]
        for c in range(high - low):
            row[c] = 0.0
        for i in range(begin, end):
            at = constraint.jacobian_start + r * constraint.dof_count + i
            row[local_dofs[constraint.first_dof + i] - low] = jacobian[at]
    return low, high


@subroutine
def line_search(step, s, begin, end):
    """Move `v` along the Newton step to the minimum of the cost. Return whether the step led downhill."""
    forest = step.forest
    slope0, inertial_curvature = 0.0, 0.0
    change, momentum = step.work_vectors[0], step.work_vectors[1]  # the Newton step, in the order of forest.dofs
    for k in range(begin, end):
        tree = step.graph.order[k]
        multiply_mass(step, tree, change, momentum)
        for i in range(forest.first_dof[tree], forest.first_dof[tree + 1]):
            slope0 += change[i] * step.gradient[forest.dofs[i]]
            inertial_curvature += change[i] * momentum[i]
    from_constraints = 0.0
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        for r in range(constraint.rows):
            constraint.velocity_change[r] = constraint_velocity(step, constraint, r, step.newton_step)
            from_constraints += constraint.impulse[r] * constraint.velocity_change[r]
    if not slope0 < 0.0:
        return False
    step_share = minimise_along(step, s, slope0 + from_constraints, inertial_curvature, slope0)
    for k in range(begin, end):
        tree = step.graph.order[k]
        for i in range(forest.first_dof[tree], forest.first_dof[tree + 1]):
            step.v[forest.dofs[i]] += step_share * step.newton_step[forest.dofs[i]]
    update_constraints(step, s)
    return True


@subroutine
def minimise_along(step, s, inertial_slope, inertial_curvature, slope0):
    """Return the share of the Newton step at which the cost is least, by Newton's method with bisection.

    Args:
        inertial_slope: slope of the cost's quadratic part at the start of the step.
        inertial_curvature: second derivative of that part along the step.
        slope0: slope of the whole cost at the start of the step; negative.
    """
    low, high, step_share = 0.0, math.inf, 1.0
    for _ in range(MAX_LINE_SEARCH_STEPS):
        slope, curvature = inertial_slope + step_share * inertial_curvature, inertial_curvature
        for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
            constraint = step.constraints[step.sorted_constraints[n]]
            dx, dy = constraint.velocity_change[0], constraint.velocity_change[1]
            x, y = constraint.velocity[0] + step_share * dx, constraint.velocity[1] + step_share * dy
            a, b = impulse_at(constraint, x, y)
            slope -= a * dx + b * dy
            xx, xy, yy = hessian_at(constraint, x, y)
            curvature += xx * dx * dx + 2.0 * xy * dx * dy + yy * dy * dy
        if abs(slope) <= -SLOPE_TOLERANCE * slope0:
            return step_share
        if slope < 0.0:
            low = step_share
        else:
            high = step_share
        following = step_share - slope / curvature if curvature > 0.0 else 2.0 * step_share
        if not low < following < high:
            following = 0.5 * (low + high) if high < math.inf else 2.0 * step_share
        if high - low <= 1e-12 * high:
            return step_share
        step_share = following
    return step_share
