# SPDX-License-Identifier: GPL-3.0-or-later
"""Preconditioned conjugate gradients for the Newton step of an island whose Cholesky factors would fill up.

A thousand packed balls touch each other in all directions, so elimination would leave hardly a block that is 0, and its
cost grows with the cube of their number. A product with the Hessian costs as much as there are contacts. The diagonal
block of each tree is the preconditioner. Vectors have shape (nv,), in the order of forest.dofs.

Source: Golub, Van Loan, Matrix Computations (4th ed., 2013), section 11.5; Nocedal, Wright, Numerical Optimization (2nd
ed., 2006), section 7.1, on inexact Newton steps.
"""

from __future__ import annotations

from ...compilation.jit import jitable, subroutine
from .block_cholesky import factor_panel, row_product, subtract_multiple

RESIDUAL_TOLERANCE = 0.03
"""Relative residual, in the norm of the preconditioner, at which the iteration stops. The next Newton step corrects the
rest.
"""
MAX_ITERATIONS = 500
"""Upper bound of the iterations; the solution found so far is then used."""


@subroutine
def conjugate_gradient(step, begin, end):
    """Solve H x = b for the island order[begin:end] in place: work_vectors[0] holds b, then x."""
    x, residual = step.work_vectors[0], step.work_vectors[1]
    direction, product = step.work_vectors[2], step.work_vectors[3]
    graph, forest = step.graph, step.forest
    for k in range(begin, end):
        p = graph.order[k]
        factor_block(
            graph.panels,
            graph.panel_start[p],
            graph.row_width[p],
            graph.sizes[p],
            step.block_factors,
            forest.mass_start[p],
        )
        for i in range(forest.first_dof[p], forest.first_dof[p + 1]):
            residual[i], x[i], direction[i] = x[i], 0.0, 0.0
    squared_norm, goal = 0.0, 0.0
    for turn in range(MAX_ITERATIONS):
        previous, squared_norm = squared_norm, apply_preconditioner(step, begin, end, residual, product)
        goal = RESIDUAL_TOLERANCE * RESIDUAL_TOLERANCE * squared_norm if turn == 0 else goal
        if squared_norm <= goal:
            return
        part = squared_norm / previous if turn > 0 else 0.0
        for k in range(begin, end):
            for i in range(forest.first_dof[graph.order[k]], forest.first_dof[graph.order[k] + 1]):
                direction[i] = product[i] + part * direction[i]
        part = squared_norm / multiply_hessian(step, begin, end, direction, product)
        for k in range(begin, end):
            for i in range(forest.first_dof[graph.order[k]], forest.first_dof[graph.order[k] + 1]):
                x[i] += part * direction[i]
                residual[i] -= part * product[i]


@subroutine
def apply_preconditioner(step, begin, end, x, out):
    """Solve with the diagonal blocks alone, and write the solution to `out`. Return the dot product of x and `out`."""
    graph, forest, total = step.graph, step.forest, 0.0
    for k in range(begin, end):
        p = graph.order[k]
        first, last = forest.first_dof[p], forest.first_dof[p + 1]
        for i in range(first, last):
            out[i] = x[i]
        solve_block(step.block_factors, forest.mass_start[p], last - first, out, first)
        for i in range(first, last):
            total += x[i] * out[i]
    return total


@subroutine
def multiply_hessian(step, begin, end, x, out):
    """Write H x to `out`, with the upper half of H in the island's panels. Return x' H x."""
    graph, forest, panels = step.graph, step.forest, step.graph.panels
    for k in range(begin, end):
        for i in range(forest.first_dof[graph.order[k]], forest.first_dof[graph.order[k] + 1]):
            out[i] = 0.0
    for k in range(begin, end):
        p = graph.order[k]
        size, first = graph.sizes[p], forest.first_dof[p]
        for i in range(size):
            row, value = graph.panel_start[p] + i * graph.row_width[p], x[first + i]
            total = panels[row + i] * value + multiply_symmetric_row(
                panels, row + i + 1, value, x, out, first + i + 1, size - i - 1
            )
            for m in range(graph.first_neighbour[k], graph.first_neighbour[k + 1]):
                q = graph.neighbours[m]
                at = row + graph.column_offsets[m]
                total += multiply_symmetric_row(panels, at, value, x, out, forest.first_dof[q], graph.sizes[q])
            out[first + i] += total
    total = 0.0
    for k in range(begin, end):
        for i in range(forest.first_dof[graph.order[k]], forest.first_dof[graph.order[k] + 1]):
            total += x[i] * out[i]
    return total


@jitable
def multiply_symmetric_row(panels, at, value, x, out, first, count):
    """Add a row's entries times a value to `out`, since the matrix is symmetric.

    Return the dot product of the row and x.
    """
    row, other, into = panels[at : at + count], x[first : first + count], out[first : first + count]
    total = 0.0
    for c in range(count):
        into[c] += row[c] * value
        total += row[c] * other[c]
    return total


@subroutine
def factor_block(matrix, at, width, size, blocks, into):
    """Factor the block of `size` columns whose rows, of that width, begin at `at`, and write the factor to
    blocks[into].
    """
    for i in range(size):
        for c in range(i, size):
            blocks[into + i * size + c] = matrix[at + i * width + c]
    factor_panel(blocks, into, size, size)


@subroutine
def solve_block(blocks, at, size, x, first):
    """Solve in place for x[first : first + size] with a block's factor."""
    for i in range(size):
        x[first + i] /= blocks[at + i * size + i]
        subtract_multiple(blocks, at + i * size + i + 1, x[first + i], x, first + i + 1, size - i - 1)
    for i in range(size - 1, -1, -1):
        row = at + i * size + i
        x[first + i] = (x[first + i] - row_product(blocks, row + 1, x, first + i + 1, size - i - 1)) / blocks[row]
