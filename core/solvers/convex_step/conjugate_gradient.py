# SPDX-License-Identifier: GPL-3.0-or-later
"""Strides of an island whose factors would fill up: conjugate gradients, made short by each articulation's own block.

A thousand packed balls meet each other in all directions, so elimination would leave hardly a block that is 0, and cost
as the cube of their number. A product with the matrix costs as the number of contacts. It need not be solved to the
last digit: the next stride mends what this one has left.

Vectors are in the order of forest.dofs, shape (nv,).

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), section 11.5; Nocedal, Wright, Numerical Optimization (2nd
ed., 2006), section 7.1, on strides that are not exact.
"""

from __future__ import annotations

from ...jit import jitable, subroutine
from .block_cholesky import factor_rows, take_times, times

SOLVED = 0.03
"""Part of the gradient, by the own blocks, that may be left."""
MOST_TURNS = 500


@subroutine
def iterate(crowd, begin, end):
    """Solve for the island of order[begin:end] in place: search[0] has the right side, then the solution."""
    x, left, along, product = crowd.search[0], crowd.search[1], crowd.search[2], crowd.search[3]
    graph, forest = crowd.graph, crowd.forest
    for k in range(begin, end):
        p = graph.order[k]
        factor_own(graph.panels, graph.at[p], graph.width[p], graph.sizes[p], crowd.blocks, forest.mass_at[p])
        for i in range(forest.first[p], forest.first[p + 1]):
            left[i], x[i], along[i] = x[i], 0.0, 0.0
    size, goal = 0.0, 0.0
    for turn in range(MOST_TURNS):
        before, size = size, precondition(crowd, begin, end, left, product)
        goal = SOLVED * SOLVED * size if turn == 0 else goal
        if size <= goal:
            return
        part = size / before if turn > 0 else 0.0
        for k in range(begin, end):
            for i in range(forest.first[graph.order[k]], forest.first[graph.order[k] + 1]):
                along[i] = product[i] + part * along[i]
        part = size / multiply(crowd, begin, end, along, product)
        for k in range(begin, end):
            for i in range(forest.first[graph.order[k]], forest.first[graph.order[k] + 1]):
                x[i] += part * along[i]
                left[i] -= part * product[i]


@subroutine
def precondition(crowd, begin, end, x, out):
    """Write to `out` what solves for x by the own blocks alone. Returns the product of both."""
    graph, forest, total = crowd.graph, crowd.forest, 0.0
    for k in range(begin, end):
        p = graph.order[k]
        first, last = forest.first[p], forest.first[p + 1]
        for i in range(first, last):
            out[i] = x[i]
        solve_block(crowd.blocks, forest.mass_at[p], last - first, out, first)
        for i in range(first, last):
            total += x[i] * out[i]
    return total


@subroutine
def multiply(crowd, begin, end, x, out):
    """Write to `out` the matrix of the island's panels, whose upper half they have, times x. Returns x times that."""
    graph, forest, panels = crowd.graph, crowd.forest, crowd.graph.panels
    for k in range(begin, end):
        for i in range(forest.first[graph.order[k]], forest.first[graph.order[k] + 1]):
            out[i] = 0.0
    for k in range(begin, end):
        p = graph.order[k]
        size, first = graph.sizes[p], forest.first[p]
        for i in range(size):
            row, value = graph.at[p] + i * graph.width[p], x[first + i]
            total = panels[row + i] * value + multiply_row(
                panels, row + i + 1, value, x, out, first + i + 1, size - i - 1
            )
            for m in range(graph.first_link[k], graph.first_link[k + 1]):
                q = graph.links[m]
                at = row + graph.offsets[m]
                total += multiply_row(panels, at, value, x, out, forest.first[q], graph.sizes[q])
            out[first + i] += total
    total = 0.0
    for k in range(begin, end):
        for i in range(forest.first[graph.order[k]], forest.first[graph.order[k] + 1]):
            total += x[i] * out[i]
    return total


@jitable
def multiply_row(panels, at, value, x, out, first, count):
    """Add a row's entries times a value to `out`, as the matrix is symmetric. Returns the row times x."""
    row, of, into = panels[at : at + count], x[first : first + count], out[first : first + count]
    total = 0.0
    for c in range(count):
        into[c] += row[c] * value
        total += row[c] * of[c]
    return total


@subroutine
def factor_own(matrix, at, width, size, blocks, into):
    """Write the factor of the block of `size` columns whose rows of that width begin at `at` to blocks[into]."""
    for i in range(size):
        for c in range(i, size):
            blocks[into + i * size + c] = matrix[at + i * width + c]
    factor_rows(blocks, into, size, size)


@subroutine
def solve_block(blocks, at, size, x, first):
    """Solve in place for x[first : first + size], by a block's factor."""
    for i in range(size):
        x[first + i] /= blocks[at + i * size + i]
        take_times(blocks, at + i * size + i + 1, x[first + i], x, first + i + 1, size - i - 1)
    for i in range(size - 1, -1, -1):
        row = at + i * size + i
        x[first + i] = (x[first + i] - times(blocks, row + 1, x, first + i + 1, size - i - 1)) / blocks[row]
