# SPDX-License-Identifier: GPL-3.0-or-later
"""Factors of a matrix of blocks against dense ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.solvers.convex_step.block_cholesky import (
    ENTRY_COUNT,
    NEIGHBOUR_COUNT,
    connect,
    count_bits,
    factor_island,
    lay_out_panels,
    make_graph,
    order_nodes,
    solve_island,
)
from support.blocks import linked, put_blocks


@pytest.mark.parametrize(("count", "density"), [(1, 0.0), (2, 1.0), (9, 0.3), (30, 0.1), (75, 0.04), (12, 1.0)])
def test_what_is_solved_by_blocks_is_solved(count, density):
    """Guards order, layout, factors and both sweeps: dense equations have the same solution."""
    rng = np.random.default_rng(count)
    sizes, first, H, meets = linked(rng, count, density)
    graph = make_graph(sizes, count * count, int(first[-1]) ** 2)
    graph.order[:] = np.arange(count)
    for i, j in np.argwhere(meets):
        connect(graph, int(i), int(j))
    assert order_nodes(graph, 0, count)
    lay_out_panels(graph, 0, count)
    assert sorted(graph.order.tolist()) == list(range(count))
    assert graph.counts[NEIGHBOUR_COUNT] >= meets.sum()
    put_blocks(graph, first, H)
    factor_island(graph, 0, count)
    b = rng.normal(size=first[-1])
    x = b.copy()
    solve_island(graph, 0, count, first, x)
    assert_allclose(x, np.linalg.solve(H, b), atol=1e-9 * np.abs(x).max())


def test_a_chain_and_a_star_stay_sparse():
    """Guards the order of least degree: neither has a factor that its matrix has not."""
    for pairs in ([(i, i + 1) for i in range(99)], [(50, i) for i in range(100) if i != 50]):
        graph = make_graph(np.full(100, 2), 10_000, 100_000)
        graph.order[:] = np.arange(100)
        for i, j in pairs:
            connect(graph, i, j)
        order_nodes(graph, 0, 100)
        lay_out_panels(graph, 0, 100)
        assert graph.counts[NEIGHBOUR_COUNT] == 99
        assert graph.counts[ENTRY_COUNT] == 100 * 4 + 99 * 4


def test_bits_are_counted():
    """Guards degrees: of words with any of their sixty bits."""
    rng = np.random.default_rng(1)
    for x in [0, 1, (1 << 60) - 1, 1 << 59, *rng.integers(0, 1 << 60, 200)]:
        assert count_bits(np.int64(x)) == int(x).bit_count()
