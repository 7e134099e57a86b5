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

from ...compilation.jit import subroutine
from .block_cholesky import factor_island, solve_island
from .conjugate_gradient import conjugate_gradient, factor_block, solve_block
from .constraint_jacobians import add_constraint_hessian, constraint_velocity
from .constraint_potentials import hessian_at, impulse_at, update_friction_bounds
from .mass_matrix import multiply_mass
from .problem import (
    FIRST_CONSTRAINT,
    FIRST_TREE,
    HAS_HESSIAN,
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
SAME_HESSIAN = 0.05
"""Change of the Hessian of each constraint up to which Newton's method goes on with the factors that it has. Each step
then leaves about this share of the error, and takes less time.
"""
LOOSE_ROUNDS = 1
"""Number of solutions at the start of a step that are solved only to LOOSE_TOLERANCE.

Their friction bounds change next.
"""
LOOSE_TOLERANCE = 3e-3
"""Relative residual of the momentum at which these solutions stop. Velocities that were only predicted seldom meet it:
friction bounds that follow from them would be off by as much.
"""


@subroutine
def find_velocities(step, momentum_residual, friction_bound_change, h):
    """Minimise the step's convex cost over the velocities of all islands.

    Writes the velocities to `v`, and velocities and impulses to the constraints. Trees outside of islands get `v_free`.

    Args:
        momentum_residual: relative residual of the momenta at which Newton's method stops.
        friction_bound_change: relative error of the friction bounds at which the outer iteration stops.
        h: length of the step [s].
    """
    forest = step.forest
    for t in range(step.roots.shape[0]):
        # No constraint acts on a tree without an island.
        if step.roots[t] < 0:
            for n in range(forest.first_dof[t], forest.first_dof[t + 1]):
                step.v[forest.dofs[n]] = step.v_free[forest.dofs[n]]
    for s in range(step.counts[ISLAND_COUNT]):
        predict_velocities(step, s, h)
        find_island_velocities(step, s, momentum_residual, friction_bound_change)
    for j in range(step.v.shape[0]):
        step.acceleration[j] = (step.v[j] - step.v0[j]) / h


@subroutine
def predict_velocities(step, s, h):
    """Start island s from the velocities to which the acceleration of the last step leads, or from `v0` if the gradient
    is smaller there, as just after an impact.
    """
    begin, end = step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE]
    update_constraints(step, s)
    write_gradient(step, s, begin, end, 0.0)
    still = squared_residual(step, begin, end)
    write_prediction(step, begin, end, h)
    update_constraints(step, s)
    write_gradient(step, s, begin, end, 0.0)
    if squared_residual(step, begin, end) > still:
        write_prediction(step, begin, end, 0.0)


@subroutine
def write_prediction(step, begin, end, h):
    """Write the velocities of an island after h seconds at the acceleration of the last step."""
    forest = step.forest
    for k in range(begin, end):
        for i in range(forest.first_dof[step.graph.order[k]], forest.first_dof[step.graph.order[k] + 1]):
            dof = forest.dofs[i]
            step.v[dof] = step.v0[dof] + h * step.acceleration[dof]


@subroutine
def find_island_velocities(step, s, momentum_residual, friction_bound_change):
    """Minimise the cost over the velocities of island s; see `find_velocities`."""
    for turn in range(MAX_BOUND_UPDATES):
        loose = max(momentum_residual, LOOSE_TOLERANCE)
        tolerance = loose if turn < LOOSE_ROUNDS else momentum_residual
        step.counts[NEWTON_STEPS] += minimise(step, s, tolerance)
        error, most = update_bounds(step, s, turn > LOOSE_ROUNDS)
        if error <= friction_bound_change * most and turn >= LOOSE_ROUNDS:
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
def update_bounds(step, s, has_slope):
    """Update the friction bounds of island s; see `update_friction_bounds`."""
    error, most = 0.0, 0.0
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        k = step.sorted_constraints[n]
        own_error, own_most = update_friction_bounds(step.constraints, k, k + 1, has_slope)
        error, most = max(error, own_error), max(most, own_most)
    return error, most


@subroutine
def minimise(step, s, tolerance):
    """Run Newton's method on island s, with fixed friction bounds. Return the number of Newton steps."""
    begin, end = step.islands[s, FIRST_TREE], step.islands[s + 1, FIRST_TREE]
    update_constraints(step, s)
    for count in range(MAX_NEWTON_STEPS):
        if write_gradient(step, s, begin, end, tolerance):
            return count
        if not has_same_hessian(step, s):
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
    order, gradient = step.graph.order, step.gradient
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
    return squared_residual(step, begin, end) <= tolerance * tolerance * size


@subroutine
def squared_residual(step, begin, end):
    """Return the squared norm of an island's gradient, weighted by the inverse mass diagonal."""
    forest, total = step.forest, 0.0
    for k in range(begin, end):
        for i in range(forest.first_dof[step.graph.order[k]], forest.first_dof[step.graph.order[k] + 1]):
            dof = forest.dofs[i]
            total += step.gradient[dof] * step.gradient[dof] / step.mass_diagonal[dof]
    return total


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
def has_same_hessian(step, s):
    """Return whether the graph has a Hessian of island s that is nearly the present one; see SAME_HESSIAN."""
    if step.islands[s, HAS_HESSIAN] == 0:
        return False
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        xx, xy, yy = hessian_at(constraint, constraint.velocity[0], constraint.velocity[1])
        known = constraint.hessian
        change = abs(xx - known[0]) + 2.0 * abs(xy - known[1]) + abs(yy - known[2])
        if change > SAME_HESSIAN * (known[0] + known[2]):
            return False
    return True


@subroutine
def write_hessian(step, s, begin, end):
    """Write the Hessian of an island's cost to the graph's panels: the mass matrix plus J' G J of each constraint.
    Cholesky's method then puts its factors in their place, unless conjugate gradients solve the island.
    """
    write_mass_blocks(step, begin, end)
    for n in range(step.islands[s, FIRST_CONSTRAINT], step.islands[s + 1, FIRST_CONSTRAINT]):
        constraint = step.constraints[step.sorted_constraints[n]]
        xx, xy, yy = hessian_at(constraint, constraint.velocity[0], constraint.velocity[1])
        constraint.hessian[0], constraint.hessian[1], constraint.hessian[2] = xx, xy, yy
        if xx != 0.0 or yy != 0.0:
            add_constraint_hessian(step, constraint, xx, xy, yy)
    if not step.islands[s, IS_ITERATIVE]:
        factor_island(step.graph, begin, end)
    step.islands[s, HAS_HESSIAN] = 1


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
