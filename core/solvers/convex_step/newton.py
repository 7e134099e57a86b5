# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocities that a crowd takes in a step: the least of a convex function, island by island, by Newton's method.

With A the mass matrix, v0 the velocities that all but the laws would give, and J those of the laws by the dofs, it is
v'Av / 2 - v'A v0 plus the potentials of the laws. Its slope is A (v - v0) - J' impulses, and 0 where momentum balances;
its curvature is sparse, and never singular. Along each stride the least is found exactly.

Source: Castro, Permenter, Han, An unconstrained convex formulation of compliant contact, IEEE Trans. Robotics 39
(2023), section V; Nocedal, Wright, Numerical Optimization (2nd ed., 2006), chapter 3.
"""

from __future__ import annotations

import math

from ...jit import subroutine
from .block_cholesky import factor_nodes, offset_of, solve_nodes
from .conjugate_gradient import factor_own, iterate, solve_block
from .constraint_jacobians import row_velocity
from .constraint_potentials import impulse_at, renew_bounds, yield_at
from .problem import (
    ISLANDS,
    ITERATES,
    LAWS,
    NODES,
    STRIDES,
    multiply_mass,
)

MOST_STRIDES = 60
MOST_CUTS = 40
"""Steps of a search along a stride."""
FLAT = 0.05
"""Part of the slope at a stride's beginning that is none at its end."""
MOST_ROUNDS = 5
"""In which the bounds of friction follow normal impulses."""
ROUGH_ROUNDS, ROUGHLY = 1, 0.03
"""How many of them, at first, are done to this tolerance only."""


@subroutine
def find_velocities(crowd, tolerance, agreement):
    """Find velocities from `aim`, starting at `v`, for all islands; the laws then have their impulses.

    tolerance: part of all momenta by which they may be out of balance. agreement: part by which bounds of friction may
    differ from what normal impulses say.
    """
    forest = crowd.forest
    for t in range(crowd.roots.shape[0]):
        if crowd.roots[t] < 0:  # no law touches it
            for n in range(forest.first[t], forest.first[t + 1]):
                crowd.v[forest.dofs[n]] = crowd.aim[forest.dofs[n]]
    for s in range(crowd.counts[ISLANDS]):
        find_velocities_of(crowd, s, tolerance, agreement)


@subroutine
def find_velocities_of(crowd, s, tolerance, agreement):
    """Find the velocities of island `s`, as `find_velocities` does for all islands."""
    for turn in range(MOST_ROUNDS):
        rough = max(tolerance, ROUGHLY) if turn < ROUGH_ROUNDS else tolerance
        crowd.counts[STRIDES] += descend(crowd, s, rough)
        change, most = agree(crowd, s, 1.0 if turn < ROUGH_ROUNDS else 0.5)
        if change <= agreement * most and turn >= ROUGH_ROUNDS:
            break
    balance_momenta(crowd, s)


@subroutine
def balance_momenta(crowd, s):
    """Give an island the velocities that its impulses make, whatever the tolerance has left: momenta stay."""
    forest, begin, end = crowd.forest, crowd.islands[s, NODES], crowd.islands[s + 1, NODES]
    left = crowd.search[0]
    write_gradient(crowd, s, begin, end, 0.0)
    copy_gradient(crowd, begin, end, left)
    for k in range(begin, end):
        tree = crowd.graph.order[k]
        size, at = forest.first[tree + 1] - forest.first[tree], forest.mass_at[tree]
        factor_own(crowd.mass, at, size, size, crowd.blocks, at)
        solve_block(crowd.blocks, at, size, left, forest.first[tree])
        for i in range(forest.first[tree], forest.first[tree + 1]):
            crowd.v[forest.dofs[i]] += left[i]


@subroutine
def agree(crowd, s, part):
    change, most = 0.0, 0.0
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        k = crowd.sorted_laws[n]
        law_change, law_most = renew_bounds(crowd.laws, k, k + 1, part)
        change, most = max(change, law_change), max(most, law_most)
    return change, most


@subroutine
def descend(crowd, s, tolerance):
    """Newton's method for an island. Returns how many strides it took."""
    begin, end = crowd.islands[s, NODES], crowd.islands[s + 1, NODES]
    write_velocities(crowd, s)
    for stride in range(MOST_STRIDES):
        if write_gradient(crowd, s, begin, end, tolerance):
            return stride
        write_curvature(crowd, s, begin, end)
        write_stride(crowd, s, begin, end)
        if not go_along(crowd, s, begin, end):
            return stride + 1
    return MOST_STRIDES


@subroutine
def write_stride(crowd, s, begin, end):
    """Write the stride against the gradient, by the curvature."""
    forest, x = crowd.forest, crowd.search[0]
    copy_gradient(crowd, begin, end, x)
    if crowd.islands[s, ITERATES]:
        iterate(crowd, begin, end)
    else:
        factor_nodes(crowd.graph, begin, end)
        solve_nodes(crowd.graph, begin, end, forest.first, x)
    for k in range(begin, end):
        for i in range(forest.first[crowd.graph.order[k]], forest.first[crowd.graph.order[k] + 1]):
            crowd.stride[forest.dofs[i]] = x[i]


@subroutine
def write_velocities(crowd, s):
    """Write the laws' velocities and impulses."""
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        for r in range(law.rows):
            law.velocity[r] = law.given[r] + row_velocity(crowd, law, r, crowd.v)
        law.impulse[0], law.impulse[1] = impulse_at(law, law.velocity[0], law.velocity[1])


@subroutine
def write_gradient(crowd, s, begin, end, tolerance):
    """Write the gradient. Returns whether it is as good as 0, against the momenta that it is the sum of."""
    forest, order, gradient = crowd.forest, crowd.graph.order, crowd.gradient
    pushed = 0.0
    for k in range(begin, end):
        pushed += add_momenta(crowd, order[k])
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        for r in range(law.rows):
            push, at = law.impulse[r], law.at + r * law.count
            if push != 0.0:
                for m in range(law.count):
                    gradient[crowd.dofs[law.first + m]] -= crowd.slopes[at + m] * push
    left = 0.0
    for k in range(begin, end):
        for i in range(forest.first[order[k]], forest.first[order[k] + 1]):
            dof = forest.dofs[i]
            left += gradient[dof] * gradient[dof] / crowd.weights[dof]
    return left <= tolerance * tolerance * pushed


@subroutine
def add_momenta(crowd, tree):
    """Write A (v - aim) of an articulation to the gradient. Returns its size, with what forces gave, by the weights."""
    forest, size = crowd.forest, 0.0
    change, momenta = crowd.search[0], crowd.search[1]
    for i in range(forest.first[tree], forest.first[tree + 1]):
        change[i] = crowd.v[forest.dofs[i]] - crowd.aim[forest.dofs[i]]
    multiply_mass(crowd, tree, change, momenta)
    for i in range(forest.first[tree], forest.first[tree + 1]):
        dof = forest.dofs[i]
        crowd.gradient[dof] = momenta[i]
        given = crowd.aim[dof] - crowd.start[dof]
        size += momenta[i] * momenta[i] / crowd.weights[dof] + crowd.weights[dof] * given * given
    return size


@subroutine
def copy_gradient(crowd, begin, end, out):
    """Write the gradient, turned about, to `out`, in the order of forest.dofs."""
    forest = crowd.forest
    for k in range(begin, end):
        for i in range(forest.first[crowd.graph.order[k]], forest.first[crowd.graph.order[k] + 1]):
            out[i] = -crowd.gradient[forest.dofs[i]]


@subroutine
def write_curvature(crowd, s, begin, end):
    """Write the second derivatives to the graph's rows: the mass matrix, and what each law adds."""
    write_blocks(crowd, begin, end)
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        xx, xy, yy = yield_at(law, law.velocity[0], law.velocity[1])
        if xx != 0.0 or yy != 0.0:
            add_law(crowd, law, xx, xy, yy)


@subroutine
def write_blocks(crowd, begin, end):
    """Write the mass matrix to the graph's rows."""
    forest, graph = crowd.forest, crowd.graph
    for k in range(begin, end):
        tree = graph.order[k]
        size, width, at = graph.sizes[tree], graph.width[tree], graph.at[tree]
        mass = forest.mass_at[tree]
        for i in range(size):
            for c in range(size):
                graph.panels[at + i * width + c] = crowd.mass[mass + i * size + c]
            for c in range(size, width):
                graph.panels[at + i * width + c] = 0.0


@subroutine
def add_law(crowd, law, xx, xy, yy):
    """Add J' G J of a law: its rows are spread over one articulation's dofs after the other, which makes vectors."""
    end, begin = law.first + law.count, law.first
    while begin < end:
        node, after = crowd.nodes[begin], begin + 1
        while after < end and crowd.nodes[after] == node:
            after += 1
        low, high = spread_rows(crowd, law, begin - law.first, after - law.first)
        add_columns(crowd, law, node, low, high, (xx, xy, yy))
        begin = after


@subroutine
def add_columns(crowd, law, node, low, high, curvature):
    """Add those columns of J' G J, of an articulation, to which a law's rows have been spread."""
    graph, (xx, xy, yy) = crowd.graph, curvature
    before, offset = node, 0
    for i in range(law.count):
        tree, row = crowd.nodes[law.first + i], crowd.places[law.first + i]
        if graph.place[node] < graph.place[tree]:
            continue
        if tree != before:
            offset, before = offset_of(graph, tree, node), tree
        start = max(low, row) if tree == node else low
        if start >= high:
            continue
        at = graph.at[tree] + row * graph.width[tree] + offset
        into, one = graph.panels[at + start : at + high], crowd.spread[0, start:high]
        u = crowd.slopes[law.at + i]
        if law.rows == 1:
            for c in range(high - start):
                into[c] += xx * u * one[c]
            continue
        v, other = crowd.slopes[law.at + law.count + i], crowd.spread[1, start:high]
        a, b = xx * u + xy * v, xy * u + yy * v
        for c in range(high - start):
            into[c] += a * one[c] + b * other[c]


@subroutine
def spread_rows(crowd, law, begin, end):
    """Write a law's slopes by the dofs begin to end to their places in the articulation. Returns where these lie."""
    low, high = crowd.spread.shape[1], 0
    for i in range(begin, end):
        place = crowd.places[law.first + i]
        low, high = min(low, place), max(high, place + 1)
    for r in range(law.rows):
        row = crowd.spread[r, low:high]
        for c in range(high - low):
            row[c] = 0.0
        for i in range(begin, end):
            row[crowd.places[law.first + i] - low] = crowd.slopes[law.at + r * law.count + i]
    return low, high


@subroutine
def go_along(crowd, s, begin, end):
    """Go along the stride to where the function is least. Returns whether that changed anything."""
    forest = crowd.forest
    down, bend = 0.0, 0.0
    change, momenta = crowd.search[0], crowd.search[1]  # the stride, in the order of forest.dofs
    for k in range(begin, end):
        tree = crowd.graph.order[k]
        multiply_mass(crowd, tree, change, momenta)
        for i in range(forest.first[tree], forest.first[tree + 1]):
            down += change[i] * crowd.gradient[forest.dofs[i]]
            bend += change[i] * momenta[i]
    still = 0.0
    for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
        law = crowd.laws[crowd.sorted_laws[n]]
        for r in range(law.rows):
            law.change[r] = row_velocity(crowd, law, r, crowd.stride)
            still += law.impulse[r] * law.change[r]
    if not down < 0.0:
        return False
    part = least_along(crowd, s, down + still, bend, down)
    for k in range(begin, end):
        tree = crowd.graph.order[k]
        for i in range(forest.first[tree], forest.first[tree + 1]):
            crowd.v[forest.dofs[i]] += part * crowd.stride[forest.dofs[i]]
    write_velocities(crowd, s)
    return True


@subroutine
def least_along(crowd, s, inertial, bend, down):
    """Part of the stride at which the function is least.

    inertial: its slope at the beginning, without the laws; bend: how that grows; down: its slope with the laws.
    """
    low, high, part = 0.0, math.inf, 1.0
    for _ in range(MOST_CUTS):
        slope, growth = inertial + part * bend, bend
        for n in range(crowd.islands[s, LAWS], crowd.islands[s + 1, LAWS]):
            law = crowd.laws[crowd.sorted_laws[n]]
            dx, dy = law.change[0], law.change[1]
            x, y = law.velocity[0] + part * dx, law.velocity[1] + part * dy
            a, b = impulse_at(law, x, y)
            slope -= a * dx + b * dy
            xx, xy, yy = yield_at(law, x, y)
            growth += xx * dx * dx + 2.0 * xy * dx * dy + yy * dy * dy
        if abs(slope) <= -FLAT * down:
            return part
        if slope < 0.0:
            low = part
        else:
            high = part
        ahead = part - slope / growth if growth > 0.0 else 2.0 * part
        if not low < ahead < high:
            ahead = 0.5 * (low + high) if high < math.inf else 2.0 * part
        if high - low <= 1e-12 * high:
            return part
        part = ahead
    return part
