# SPDX-License-Identifier: GPL-3.0-or-later
"""Cholesky's factors of a matrix of blocks, one block for each articulation, few of which touch each other.

A graph says which blocks are not 0. They are eliminated in the order of least degree: next comes the node that the
fewest others have to do with, which then all have to do with each other. So the factors of a wall stay sparse, and
islands need no order among each other. Where the factors would fill up, as those of a thousand packed balls do, an
island keeps its own blocks only, for iteration.py.

Of node p the factors keep the rows of U, with U'U = H: its own columns, then those of the nodes that come later and
that it has to do with, one after the other.

Source: George, Liu, The evolution of the minimum degree ordering algorithm, SIAM Review 31 (1989); Golub, Van Loan,
Matrix Computations (4th ed., 2013), section 4.2.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...jit import jitable, subroutine
from ...slots import Bundled

WORD = 60
"""Nodes in a word of a set of nodes: all shifts stay within 64 bits with a sign."""

LEAST_PIVOT = 1e-300
DEAR = 300.0
"""Products of factors, for each entry of the matrix itself, from which on iteration costs less."""


class Graph(
    Bundled,
    namedtuple(
        "Graph", "sizes sets merged degrees order place first_link links offsets width at panels position numbers"
    ),
):
    """Room for n nodes.

    Attributes:
        sizes: columns of each node, shape (n,).
        sets: which others a node has to do with, a bit for each, shape (n, words). merged: the same of those that are
            left, while nodes are eliminated. degrees: how many these are.
        order: nodes as they are eliminated, island by island. place: where each stands there.
        first_link, links, offsets: of each node the later ones that it has to do with, and where their columns begin.
        width: columns of a node's rows. at: where these begin in `panels`.
        position: scratch. numbers: how many links and entries there are, shape (2,).
    """


LINKS, ENTRIES = range(2)


def make_graph(sizes: np.ndarray, links: int, entries: int) -> Graph:
    count = len(sizes)
    integers = [np.zeros(count, np.int64) for _ in range(6)]
    degrees, order, place, width, at, position = integers
    sets, merged = (np.zeros((count, count // WORD + 1), np.int64) for _ in range(2))
    return Graph(
        sizes,
        sets,
        merged,
        degrees,
        order,
        place,
        np.zeros(count + 1, np.int64),
        np.zeros(links, np.int64),
        np.zeros(links, np.int64),
        width,
        at,
        np.zeros(entries),
        position,
        np.zeros(2, np.int64),
    )


@subroutine
def connect(graph, i, j):
    """Say that the block of two nodes is not 0."""
    if i != j:
        graph.sets[i, j // WORD] |= 1 << (j % WORD)
        graph.sets[j, i // WORD] |= 1 << (i % WORD)


@jitable
def count_bits(x):
    x = x - ((x >> 1) & 0x555555555555555)
    x = (x & 0x333333333333333) + ((x >> 2) & 0x333333333333333)
    x = (x + (x >> 4)) & 0xF0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    return (x + (x >> 32)) & 0x7F


@subroutine
def count_set(graph, i):
    total = 0
    for w in range(graph.merged.shape[1]):
        if graph.merged[i, w] != 0:
            total += count_bits(graph.merged[i, w])
    return total


@subroutine
def order_nodes(graph, begin, end):
    """Put the nodes order[begin:end], an island, into an order, and list what each has to do with that comes later.

    Returns whether this is an order of elimination; it is none if the factors would cost too much. Links that find no
    room are counted and not written.
    """
    total = graph.numbers[LINKS]
    if eliminate(graph, begin, end):
        return True
    graph.numbers[LINKS] = total
    for k in range(begin, end):
        graph.place[graph.order[k]] = k
    for k in range(begin, end):
        graph.first_link[k] = graph.numbers[LINKS]
        list_links(graph, graph.sets[graph.order[k]], k)
    graph.first_link[end] = graph.numbers[LINKS]
    return False


@subroutine
def eliminate(graph, begin, end):
    """Order an island's nodes by their degrees. Returns whether the factors are worth their cost."""
    entries, products = 0.0, 0.0
    for k in range(begin, end):
        p = graph.order[k]
        for w in range(graph.sets.shape[1]):
            graph.merged[p, w] = graph.sets[p, w]
        graph.degrees[p], graph.place[p] = count_set(graph, p), end
        entries += graph.sizes[p] * graph.sizes[p] * (1.0 + 0.5 * graph.degrees[p])
    for k in range(begin, end):
        best = k
        for m in range(k + 1, end):
            if graph.degrees[graph.order[m]] < graph.degrees[graph.order[best]]:
                best = m
        p, graph.order[best] = graph.order[best], graph.order[k]
        graph.order[k], graph.place[p], graph.first_link[k] = p, k, graph.numbers[LINKS]
        width = graph.sizes[p] + list_links(graph, graph.merged[p], k)
        products += graph.sizes[p] * width * width
        if products > DEAR * entries:
            return False
        for m in range(graph.first_link[k], min(graph.numbers[LINKS], graph.links.shape[0])):
            merge_sets(graph, graph.links[m], p)
    graph.first_link[end] = graph.numbers[LINKS]
    return True


@subroutine
def list_links(graph, nodes, k):
    """List those of a set of nodes that come after place k. Returns how many columns they have."""
    total, columns = graph.numbers[LINKS], 0
    for w in range(nodes.shape[0]):
        here, b = nodes[w], WORD * w
        while here != 0:
            if here & 1 and graph.place[b] > k:
                if total < graph.links.shape[0]:
                    graph.links[total] = b
                total += 1
                columns += graph.sizes[b]
            here >>= 1
            b += 1
    graph.numbers[LINKS] = total
    return columns


@subroutine
def merge_sets(graph, j, p):
    """Node p is eliminated: what has to do with it has to do with all that had."""
    for w in range(graph.merged.shape[1]):
        graph.merged[j, w] |= graph.merged[p, w]
    graph.merged[j, j // WORD] &= ~(1 << (j % WORD))
    graph.merged[j, p // WORD] &= ~(1 << (p % WORD))
    graph.degrees[j] = count_set(graph, j)


@subroutine
def lay_out(graph, begin, end):
    """Sort the links of an island by their place, and say where in the panels all lies."""
    entries = graph.numbers[ENTRIES]
    for k in range(begin, end):
        p, first, last = graph.order[k], graph.first_link[k], graph.first_link[k + 1]
        for m in range(first + 1, last):
            node, n = graph.links[m], m
            while n > first and graph.place[graph.links[n - 1]] > graph.place[node]:
                graph.links[n] = graph.links[n - 1]
                n -= 1
            graph.links[n] = node
        width = graph.sizes[p]
        for m in range(first, last):
            graph.offsets[m] = width
            width += graph.sizes[graph.links[m]]
        graph.width[p], graph.at[p] = width, entries
        entries += width * graph.sizes[p]
    graph.numbers[ENTRIES] = entries


@subroutine
def offset_of(graph, p, j):
    """Where the columns of node j begin in the rows of node p, which comes first or is j itself."""
    if p == j:
        return 0
    k = graph.place[p]
    low, high = graph.first_link[k], graph.first_link[k + 1]
    while low + 1 < high:
        middle = (low + high) // 2
        if graph.place[graph.links[middle]] <= graph.place[j]:
            low = middle
        else:
            high = middle
    return graph.offsets[low]


@subroutine
def factor_nodes(graph, begin, end):
    """Factor the blocks of an island in place."""
    for k in range(begin, end):
        p = graph.order[k]
        factor_rows(graph.panels, graph.at[p], graph.sizes[p], graph.width[p])
        for m in range(graph.first_link[k], graph.first_link[k + 1]):
            pass_on(graph, p, m, graph.first_link[k + 1])


@subroutine
def factor_rows(panels, at, size, width):
    """Factor a node's rows in place, two at a time, which spares half of all passes over the others."""
    i = 0
    while i < size:
        row, next_row = at + i * width, at + (i + 1) * width
        divide_row(panels, row + i, row + width)
        if i + 1 == size:
            return
        take_row(panels, panels[row + i + 1], row + i + 1, next_row + i + 1, width - i - 1)
        divide_row(panels, next_row + i + 1, next_row + width)
        for r in range(i + 2, size):
            take_two(panels, row + r, next_row + r, at + r * width + r, width - r)
        i += 2


@jitable
def divide_row(panels, begin, end):
    """Divide a row by the root of its pivot, which comes first."""
    scale, row = 1.0 / math.sqrt(max(panels[begin], LEAST_PIVOT)), panels[begin:end]
    for c in range(end - begin):
        row[c] *= scale


@jitable
def take_row(panels, factor, source, target, count):
    """Take so many entries times a factor out of others. Slices, whose indices are never negative, become vectors."""
    if factor != 0.0:
        row, out_of = panels[source : source + count], panels[target : target + count]
        for c in range(count):
            out_of[c] -= factor * row[c]


@jitable
def take_two(panels, first, second, target, count):
    """As `take_row`, of two rows at once, each times its own first entry."""
    a, b = panels[first], panels[second]
    if a != 0.0 or b != 0.0:
        one, two, out_of = (
            panels[first : first + count],
            panels[second : second + count],
            panels[target : target + count],
        )
        for c in range(count):
            out_of[c] -= a * one[c] + b * two[c]


@subroutine
def pass_on(graph, p, m, last):
    """Take what node p does to the node of its link m out of that node's rows."""
    panels, q = graph.panels, graph.links[m]
    size, width, at = graph.sizes[p], graph.width[p], graph.at[p]
    own, reach, into = graph.offsets[m], graph.width[q], graph.at[q]
    for n in range(m, last):
        graph.position[n - m] = offset_of(graph, q, graph.links[n])
    for c in range(graph.sizes[q]):
        for i in range(size):
            factor = panels[at + i * width + own + c]
            if factor == 0.0:
                continue
            for n in range(m, last):
                skip = c if n == m else 0
                source = at + i * width + graph.offsets[n] + skip
                target = into + c * reach + graph.position[n - m] + skip
                take_row(panels, factor, source, target, graph.sizes[graph.links[n]] - skip)


@subroutine
def solve_nodes(graph, begin, end, first, x):
    """Solve for an island in place; of node p, x has the columns from first[p] on."""
    panels = graph.panels
    for k in range(begin, end):
        p = graph.order[k]
        size, width, at = graph.sizes[p], graph.width[p], graph.at[p]
        for i in range(size):
            row, here = at + i * width, first[p] + i
            x[here] /= panels[row + i]
            take_times(panels, row + i + 1, x[here], x, here + 1, size - i - 1)
            for m in range(graph.first_link[k], graph.first_link[k + 1]):
                q = graph.links[m]
                take_times(panels, row + graph.offsets[m], x[here], x, first[q], graph.sizes[q])
    for k in range(end - 1, begin - 1, -1):
        p = graph.order[k]
        size, width, at = graph.sizes[p], graph.width[p], graph.at[p]
        for i in range(size - 1, -1, -1):
            row, here = at + i * width, first[p] + i
            total = x[here] - times(panels, row + i + 1, x, here + 1, size - i - 1)
            for m in range(graph.first_link[k], graph.first_link[k + 1]):
                q = graph.links[m]
                total -= times(panels, row + graph.offsets[m], x, first[q], graph.sizes[q])
            x[here] = total / panels[row + i]


@jitable
def take_times(panels, at, value, x, first, count):
    """Take so many entries times a value out of x, from x[first] on."""
    row, out_of = panels[at : at + count], x[first : first + count]
    for c in range(count):
        out_of[c] -= row[c] * value


@jitable
def times(panels, at, x, first, count):
    """The product of so many entries with as many of x."""
    row, of, total = panels[at : at + count], x[first : first + count], 0.0
    for c in range(count):
        total += row[c] * of[c]
    return total
