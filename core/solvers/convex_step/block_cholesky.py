# SPDX-License-Identifier: GPL-3.0-or-later
"""Sparse Cholesky factors H = U'U of the Hessian, with one dense block row for each kinematic tree.

newton.py assembles H into the panels of a `Graph`, factors it and solves with it. Nodes are eliminated in the order of
minimum degree, which keeps the factors of walls and chains sparse. An island whose factors would fill up, such as a
thousand packed balls, is left to conjugate_gradient.py and keeps the blocks of H alone. The rows of a node hold its own
columns, then those of its later neighbours, one after the other.

Source: George, Liu, The evolution of the minimum degree ordering algorithm, SIAM Review 31 (1989); Golub, Van Loan,
Matrix Computations (4th ed., 2013), section 4.2.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import jitable, subroutine

WORD_BITS = 60
"""Number of nodes that one word of a set of nodes holds. All shifts stay within 64 bits with a sign."""

MIN_PIVOT = 1e-300
"""Lower bound of a pivot, so that rounding below 0 gives no square root of a negative number."""
MAX_FILL_COST = 300.0
"""Multiplications of the factorization per entry of the matrix above which conjugate gradients cost less."""


class Graph(
    KernelTuple,
    namedtuple(
        "Graph",
        "sizes adjacency fill_adjacency degrees order position first_neighbour neighbours column_offsets row_width"
        " panel_start panels column_map counts",
    ),
):
    """The graph of a sparse symmetric block matrix of n nodes, and the blocks of its factors.

    Attributes:
        sizes: number of columns of each node, shape (n,).
        adjacency: for each node a set of the nodes that share a block with it, one bit each, shape (n, words).
        fill_adjacency: the same among the nodes that are not eliminated yet, fill-in included.
        degrees: number of nodes in each set of `fill_adjacency`.
        order: nodes in the order of elimination, island by island. position: place of each node in this order.
        first_neighbour, neighbours, column_offsets: for each place in the order, the later nodes that share a block
            with the node there, and where their columns begin in its rows.
        row_width: number of columns in the rows of each node. panel_start: where these rows begin in `panels`.
        panels: entries of the matrix or its factors, the rows of one node after the other.
        column_map: scratch. counts: numbers of neighbours and of entries, shape (2,).
    """


NEIGHBOUR_COUNT, ENTRY_COUNT = range(2)
"""Entries of `counts`."""


def make_graph(sizes: np.ndarray, neighbours: int, entries: int) -> Graph:
    """Make a graph for nodes of these sizes, with room for so many pairs of neighbours and entries of the panels."""
    count = len(sizes)

    def per_node() -> np.ndarray:
        return np.zeros(count, np.int64)

    def sets() -> np.ndarray:
        return np.zeros((count, count // WORD_BITS + 1), np.int64)

    return Graph(
        sizes=sizes,
        adjacency=sets(),
        fill_adjacency=sets(),
        degrees=per_node(),
        order=per_node(),
        position=per_node(),
        first_neighbour=np.zeros(count + 1, np.int64),
        neighbours=np.zeros(neighbours, np.int64),
        column_offsets=np.zeros(neighbours, np.int64),
        row_width=per_node(),
        panel_start=per_node(),
        panels=np.zeros(entries),
        column_map=per_node(),
        counts=np.zeros(2, np.int64),
    )


@subroutine
def connect(graph, i, j):
    """Note that nodes i and j share a block that is not 0."""
    if i != j:
        graph.adjacency[i, j // WORD_BITS] |= 1 << (j % WORD_BITS)
        graph.adjacency[j, i // WORD_BITS] |= 1 << (i % WORD_BITS)


@jitable
def count_bits(x):
    """Return the number of bits of a word of at most 60 bits."""
    x = x - ((x >> 1) & 0x555555555555555)
    x = (x & 0x333333333333333) + ((x >> 2) & 0x333333333333333)
    x = (x + (x >> 4)) & 0xF0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    return (x + (x >> 32)) & 0x7F


@subroutine
def count_fill(graph, i):
    """Return the number of nodes in the set of node i in `fill_adjacency`."""
    total = 0
    for w in range(graph.fill_adjacency.shape[1]):
        if graph.fill_adjacency[i, w] != 0:
            total += count_bits(graph.fill_adjacency[i, w])
    return total


@subroutine
def order_nodes(graph, begin, end):
    """Order the nodes order[begin:end] of an island, and list the later neighbours of each.

    Return whether the order is one of elimination. If the factors would cost too much, the order is arbitrary, and the
    neighbours are those of the matrix. Neighbours that find no room are counted but not written.
    """
    total = graph.counts[NEIGHBOUR_COUNT]
    if find_elimination_order(graph, begin, end):
        return True
    graph.counts[NEIGHBOUR_COUNT] = total
    for k in range(begin, end):
        graph.position[graph.order[k]] = k
    for k in range(begin, end):
        graph.first_neighbour[k] = graph.counts[NEIGHBOUR_COUNT]
        list_neighbours(graph, graph.adjacency[graph.order[k]], k)
    graph.first_neighbour[end] = graph.counts[NEIGHBOUR_COUNT]
    return False


@subroutine
def find_elimination_order(graph, begin, end):
    """Order an island's nodes by minimum degree. Return whether the factors cost less than conjugate gradients."""
    entries, multiplications = 0.0, 0.0
    for k in range(begin, end):
        p = graph.order[k]
        for w in range(graph.adjacency.shape[1]):
            graph.fill_adjacency[p, w] = graph.adjacency[p, w]
        graph.degrees[p], graph.position[p] = count_fill(graph, p), end
        entries += graph.sizes[p] * graph.sizes[p] * (1.0 + 0.5 * graph.degrees[p])
    for k in range(begin, end):
        least = k
        for m in range(k + 1, end):
            if graph.degrees[graph.order[m]] < graph.degrees[graph.order[least]]:
                least = m
        p, graph.order[least] = graph.order[least], graph.order[k]
        graph.order[k], graph.position[p], graph.first_neighbour[k] = p, k, graph.counts[NEIGHBOUR_COUNT]
        width = graph.sizes[p] + list_neighbours(graph, graph.fill_adjacency[p], k)
        multiplications += graph.sizes[p] * width * width
        if multiplications > MAX_FILL_COST * entries:
            return False
        for m in range(graph.first_neighbour[k], min(graph.counts[NEIGHBOUR_COUNT], graph.neighbours.shape[0])):
            merge_adjacency(graph, graph.neighbours[m], p)
    graph.first_neighbour[end] = graph.counts[NEIGHBOUR_COUNT]
    return True


@subroutine
def list_neighbours(graph, nodes, k):
    """List the nodes of a set whose position is after k. Return how many columns they have."""
    total, columns = graph.counts[NEIGHBOUR_COUNT], 0
    for w in range(nodes.shape[0]):
        word, b = nodes[w], WORD_BITS * w
        while word != 0:
            if word & 1 and graph.position[b] > k:
                if total < graph.neighbours.shape[0]:
                    graph.neighbours[total] = b
                total += 1
                columns += graph.sizes[b]
            word >>= 1
            b += 1
    graph.counts[NEIGHBOUR_COUNT] = total
    return columns


@subroutine
def merge_adjacency(graph, j, p):
    """Update the set of node j as its neighbour p is eliminated: p's neighbours become neighbours of j."""
    for w in range(graph.fill_adjacency.shape[1]):
        graph.fill_adjacency[j, w] |= graph.fill_adjacency[p, w]
    graph.fill_adjacency[j, j // WORD_BITS] &= ~(1 << (j % WORD_BITS))
    graph.fill_adjacency[j, p // WORD_BITS] &= ~(1 << (p % WORD_BITS))
    graph.degrees[j] = count_fill(graph, j)


@subroutine
def lay_out_panels(graph, begin, end):
    """Sort the neighbours of an island's nodes by position, and set the layout of their rows in the panels."""
    entries = graph.counts[ENTRY_COUNT]
    for k in range(begin, end):
        p, first, last = graph.order[k], graph.first_neighbour[k], graph.first_neighbour[k + 1]
        for m in range(first + 1, last):
            node, n = graph.neighbours[m], m
            while n > first and graph.position[graph.neighbours[n - 1]] > graph.position[node]:
                graph.neighbours[n] = graph.neighbours[n - 1]
                n -= 1
            graph.neighbours[n] = node
        width = graph.sizes[p]
        for m in range(first, last):
            graph.column_offsets[m] = width
            width += graph.sizes[graph.neighbours[m]]
        graph.row_width[p], graph.panel_start[p] = width, entries
        entries += width * graph.sizes[p]
    graph.counts[ENTRY_COUNT] = entries


@subroutine
def column_offset(graph, p, j):
    """Return where the columns of node j begin in the rows of node p, which is j itself or comes before it."""
    if p == j:
        return 0
    k = graph.position[p]
    low, high = graph.first_neighbour[k], graph.first_neighbour[k + 1]
    while low + 1 < high:
        middle = (low + high) // 2
        if graph.position[graph.neighbours[middle]] <= graph.position[j]:
            low = middle
        else:
            high = middle
    return graph.column_offsets[low]


@subroutine
def factor_island(graph, begin, end):
    """Factor the panels of an island in place."""
    for k in range(begin, end):
        p = graph.order[k]
        factor_panel(graph.panels, graph.panel_start[p], graph.sizes[p], graph.row_width[p])
        for m in range(graph.first_neighbour[k], graph.first_neighbour[k + 1]):
            update_neighbour(graph, p, m, graph.first_neighbour[k + 1])


@subroutine
def factor_panel(panels, at, size, width):
    """Factor `size` rows of a node in place.

    Two rows are eliminated at a time, which halves the passes over the rows below.
    """
    i = 0
    while i < size:
        row, next_row = at + i * width, at + (i + 1) * width
        scale_pivot_row(panels, row + i, row + width)
        if i + 1 == size:
            return
        subtract_row(panels, panels[row + i + 1], row + i + 1, next_row + i + 1, width - i - 1)
        scale_pivot_row(panels, next_row + i + 1, next_row + width)
        for r in range(i + 2, size):
            subtract_two_rows(panels, row + r, next_row + r, at + r * width + r, width - r)
        i += 2


@jitable
def scale_pivot_row(panels, begin, end):
    """Divide a row by the square root of its pivot, which is its first entry."""
    scale, row = 1.0 / math.sqrt(max(panels[begin], MIN_PIVOT)), panels[begin:end]
    for c in range(end - begin):
        row[c] *= scale


@jitable
def subtract_row(panels, factor, source, target, count):
    """Subtract a multiple of `count` entries from as many others.

    Slices let the compiler see that no index is negative, so it can vectorize the loop.
    """
    if factor != 0.0:
        row, reduced = panels[source : source + count], panels[target : target + count]
        for c in range(count):
            reduced[c] -= factor * row[c]


@jitable
def subtract_two_rows(panels, first, second, target, count):
    """Subtract multiples of two rows from a third one; each factor is the row's own first entry."""
    a, b = panels[first], panels[second]
    if a != 0.0 or b != 0.0:
        one, two, reduced = (
            panels[first : first + count],
            panels[second : second + count],
            panels[target : target + count],
        )
        for c in range(count):
            reduced[c] -= a * one[c] + b * two[c]


@subroutine
def update_neighbour(graph, p, m, last):
    """Subtract the outer products of the rows of node p from the rows of its neighbour number m."""
    panels, q = graph.panels, graph.neighbours[m]
    size, width, at = graph.sizes[p], graph.row_width[p], graph.panel_start[p]
    own, target_width, into = graph.column_offsets[m], graph.row_width[q], graph.panel_start[q]
    for n in range(m, last):
        graph.column_map[n - m] = column_offset(graph, q, graph.neighbours[n])
    for c in range(graph.sizes[q]):
        for i in range(size):
            factor = panels[at + i * width + own + c]
            if factor == 0.0:
                continue
            for n in range(m, last):
                skip = c if n == m else 0
                source = at + i * width + graph.column_offsets[n] + skip
                target = into + c * target_width + graph.column_map[n - m] + skip
                subtract_row(panels, factor, source, target, graph.sizes[graph.neighbours[n]] - skip)


@subroutine
def solve_island(graph, begin, end, first, x):
    """Solve U'U x = b for an island in place. The columns of node p begin at first[p] in x."""
    panels = graph.panels
    for k in range(begin, end):
        p = graph.order[k]
        size, width, at = graph.sizes[p], graph.row_width[p], graph.panel_start[p]
        for i in range(size):
            row, here = at + i * width, first[p] + i
            x[here] /= panels[row + i]
            subtract_multiple(panels, row + i + 1, x[here], x, here + 1, size - i - 1)
            for m in range(graph.first_neighbour[k], graph.first_neighbour[k + 1]):
                q = graph.neighbours[m]
                subtract_multiple(panels, row + graph.column_offsets[m], x[here], x, first[q], graph.sizes[q])
    for k in range(end - 1, begin - 1, -1):
        p = graph.order[k]
        size, width, at = graph.sizes[p], graph.row_width[p], graph.panel_start[p]
        for i in range(size - 1, -1, -1):
            row, here = at + i * width, first[p] + i
            total = x[here] - row_product(panels, row + i + 1, x, here + 1, size - i - 1)
            for m in range(graph.first_neighbour[k], graph.first_neighbour[k + 1]):
                q = graph.neighbours[m]
                total -= row_product(panels, row + graph.column_offsets[m], x, first[q], graph.sizes[q])
            x[here] = total / panels[row + i]


@jitable
def subtract_multiple(panels, at, value, x, first, count):
    """Subtract `count` entries times a value from x, from x[first] on."""
    row, reduced = panels[at : at + count], x[first : first + count]
    for c in range(count):
        reduced[c] -= row[c] * value


@jitable
def row_product(panels, at, x, first, count):
    """Return the dot product of `count` entries and as many of x, from x[first] on."""
    row, other, total = panels[at : at + count], x[first : first + count], 0.0
    for c in range(count):
        total += row[c] * other[c]
    return total
