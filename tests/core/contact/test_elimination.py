"""Factors of a matrix of blocks against dense ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.contact.elimination import (
    ENTRIES,
    LINKS,
    connect,
    count_bits,
    factor_nodes,
    lay_out,
    make_graph,
    offset_of,
    order_nodes,
    solve_nodes,
)


def linked(rng, count: int, density: float):
    """(sizes of nodes, first dofs, a dense matrix that is positive definite, which nodes meet)."""
    sizes = rng.integers(1, 7, count)
    first = np.concatenate([[0], np.cumsum(sizes)])
    meets = np.triu(rng.random((count, count)) < density, 1)
    H = np.eye(first[-1]) * 0.1
    for i, j in [*np.argwhere(meets), *((i, i) for i in range(count))]:
        rows = np.r_[first[i] : first[i + 1], first[j] : first[j + 1]]
        J = rng.normal(size=(3, len(rows)))
        H[np.ix_(rows, rows)] += J.T @ J
    return sizes, first, H, meets


def put_blocks(graph, first, H) -> None:
    graph.panels[:] = 0.0
    count = len(graph.sizes)
    for p in range(count):
        for q in range(count):
            block = H[first[p] : first[p + 1], first[q] : first[q + 1]]
            if graph.place[q] < graph.place[p] or not block.any():
                continue
            for i, row in enumerate(block):
                at = graph.at[p] + i * graph.width[p] + offset_of(graph, p, q)
                graph.panels[at : at + len(row)] = row


@pytest.mark.parametrize(("count", "density"), [(1, 0.0), (2, 1.0), (9, 0.3), (30, 0.1), (75, 0.04), (12, 1.0)])
def test_what_is_solved_by_blocks_is_solved(count, density):
    """Guards order, layout, factors and both sweeps: dense equations have the same solution."""
    rng = np.random.default_rng(count)
    sizes, first, H, meets = linked(rng, count, density)
    graph = make_graph(sizes, count * count, int(first[-1]) ** 2)
    graph.order[:] = np.arange(count)
    for i, j in np.argwhere(meets):
        connect(graph, int(i), int(j))
    order_nodes(graph, 0, count)
    lay_out(graph, 0, count)
    assert sorted(graph.order.tolist()) == list(range(count))
    assert graph.numbers[LINKS] >= meets.sum()
    put_blocks(graph, first, H)
    factor_nodes(graph, 0, count)
    b = rng.normal(size=first[-1])
    x = b.copy()
    solve_nodes(graph, 0, count, first, np.arange(first[-1]), x)
    assert_allclose(x, np.linalg.solve(H, b), atol=1e-9 * np.abs(x).max())


def test_a_chain_and_a_star_stay_sparse():
    """Guards the order of least degree: neither has a factor that its matrix has not."""
    for pairs in ([(i, i + 1) for i in range(99)], [(50, i) for i in range(100) if i != 50]):
        graph = make_graph(np.full(100, 2), 10_000, 100_000)
        graph.order[:] = np.arange(100)
        for i, j in pairs:
            connect(graph, i, j)
        order_nodes(graph, 0, 100)
        lay_out(graph, 0, 100)
        assert graph.numbers[LINKS] == 99
        assert graph.numbers[ENTRIES] == 100 * 4 + 99 * 4


def test_bits_are_counted():
    """Guards degrees: of words with any of their sixty bits."""
    rng = np.random.default_rng(1)
    for x in [0, 1, (1 << 60) - 1, 1 << 59, *rng.integers(0, 1 << 60, 200)]:
        assert count_bits(np.int64(x)) == int(x).bit_count()
