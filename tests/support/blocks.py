# SPDX-License-Identifier: GPL-3.0-or-later
"""Matrices of blocks, some of which are 0: dense, and in the rows of a graph."""

import numpy as np

from limberjack.core.solvers.convex_step.block_cholesky import column_offset


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
            if graph.position[q] < graph.position[p] or not block.any():
                continue
            for i, row in enumerate(block):
                at = graph.panel_start[p] + i * graph.row_width[p] + column_offset(graph, p, q)
                graph.panels[at : at + len(row)] = row
