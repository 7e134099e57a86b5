# SPDX-License-Identifier: GPL-3.0-or-later
"""Conjugate gradients on an island's blocks, against dense equations; and when they take the place of factors."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.convex_step import block_cholesky
from limberjack.core.solvers.convex_step.block_cholesky import (
    ENTRY_COUNT,
    NEIGHBOUR_COUNT,
    connect,
    lay_out_panels,
    make_graph,
    order_nodes,
)
from limberjack.core.solvers.convex_step.conjugate_gradient import (
    RESIDUAL_TOLERANCE,
    conjugate_gradient,
    multiply_hessian,
)
from limberjack.core.solvers.convex_step.steps import advance_convex
from limberjack.core.solvers.hybrid_contact.solver import HybridContactSolver
from support.blocks import linked, put_blocks
from support.touching import LEVEL, NO_TURN, scene, solid


def make_island(sizes, pairs, H):
    """Return what conjugate_gradient.py reads of a convex step of one island, laid out without elimination."""
    count, first = len(sizes), np.concatenate([[0], np.cumsum(sizes)])
    graph = make_graph(sizes, count * count, int(first[-1]) ** 2)
    graph.order[:] = graph.position[:] = np.arange(count)
    for i, j in pairs:
        connect(graph, int(i), int(j))
    graph.degrees[:] = 0
    ordered = order_nodes(graph, 0, count)
    lay_out_panels(graph, 0, count)
    put_blocks(graph, first, H)
    squares = np.concatenate([[0], np.cumsum(sizes**2)])
    forest = SimpleNamespace(first_dof=first, mass_start=squares)
    vectors, factors = np.zeros((4, first[-1])), np.zeros(squares[-1])
    step = SimpleNamespace(graph=graph, forest=forest, work_vectors=vectors, block_factors=factors)
    return step, ordered


@pytest.mark.parametrize(("count", "density"), [(1, 0.0), (2, 1.0), (9, 0.3), (30, 0.1), (75, 0.04)])
def test_what_is_iterated_is_solved(count, density):
    """Guards products, own blocks and turns: what is left of the right side is as little as is said, seen densely."""
    rng = np.random.default_rng(count)
    sizes, first, H, meets = linked(rng, count, density)
    step, _ = make_island(sizes, np.argwhere(meets), H)
    x, product = rng.normal(size=first[-1]), np.zeros(first[-1])
    assert multiply_hessian(step, 0, count, x, product) == pytest.approx(x @ H @ x)
    assert_allclose(product, H @ x, atol=1e-12 * np.abs(H @ x).max())
    b = rng.normal(size=first[-1])
    step.work_vectors[0] = b
    conjugate_gradient(step, 0, count)
    blocks = [slice(first[p], first[p + 1]) for p in range(count)]

    def size(r):
        return np.sqrt(sum(r[own] @ np.linalg.solve(H[own, own], r[own]) for own in blocks))

    assert size(b - H @ step.work_vectors[0]) <= 1.001 * RESIDUAL_TOLERANCE * size(b)


def test_balls_in_a_grid_are_not_eliminated_and_a_wall_is():
    """Guards the choice: a grid in three dimensions would fill up and keeps just its own links, one in two does not."""
    for shape, eliminated in (((9, 9, 9), False), ((18, 18, 1), True)):
        count = math.prod(shape)
        numbers = np.arange(count).reshape(shape)
        pairs = [pair for axis in range(3) for pair in zip(*(a.ravel() for a in both(numbers, axis)), strict=True)]
        sizes = np.full(count, 6)
        graph = make_graph(sizes, count * count, 1)
        graph.order[:] = np.arange(count)
        for i, j in pairs:
            connect(graph, int(i), int(j))
        assert order_nodes(graph, 0, count) == eliminated
        lay_out_panels(graph, 0, count)
        if not eliminated:
            assert graph.counts[NEIGHBOUR_COUNT] == len(pairs)
            assert graph.counts[ENTRY_COUNT] == 36 * (count + len(pairs))
            assert sorted(graph.order.tolist()) == list(range(count))


def both(numbers, axis):
    """The numbers on either side of each step along an axis."""
    last = numbers.shape[axis] - 1
    return numbers.take(range(last), axis), numbers.take(range(1, last + 1), axis)


@pytest.mark.parametrize(("friction", "near"), [(0.0, 1e-11), (0.5, 1e-4)])
def test_iteration_finds_what_elimination_finds(monkeypatch, friction, near):
    """Guards that both find the one minimum of a step's cost: a tower with an impact moves alike.

    Momenta balance to a part of 1e-10 here. With friction, its bounds are found to a part of 1e-3 only.
    """
    monkeypatch.setitem(HybridContactSolver.MOMENTUM_RESIDUAL, "good", 1e-10)
    boxes = [
        (solid(f"b{i}", Box((0.2, 0.2, 0.1)), 1.0, Surface(friction=friction)), (0.05 * i, 0, 0.05 + 0.1 * i, *NO_TURN))
        for i in range(3)
    ]
    start = {"free b2": [0.5, 0.0, -0.5, 0.0, 0.0, 0.0]}
    found = []
    for cost in (block_cholesky.MAX_FILL_COST, 0.0):
        monkeypatch.setattr(block_cholesky, "MAX_FILL_COST", cost)
        times = np.linspace(0.0, 0.04, 3)
        simulation = Simulation(scene(Surface(friction=friction), LEVEL, *boxes), times, "good", initial={"qd": start})
        simulation.prefer_time_stepping()
        with advance_convex.standing_in(advance_convex.python):
            simulation.run()
        found.append(simulation.trajectory.q)
    assert not (found[0] == found[1]).all()
    assert_allclose(found[1], found[0], atol=near)
