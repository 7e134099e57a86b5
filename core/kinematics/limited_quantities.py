# SPDX-License-Identifier: GPL-3.0-or-later
"""Limited quantities of joints with charts, such as the length of a rope, from the coordinates of a model."""

from __future__ import annotations

from ..compilation.jit import subroutine
from ..joints import BALL, evaluate_quantity
from ..spatial import ZERO, quat_normalized
from ..spatial.storage import get3, get4


@subroutine
def chart_quantity(model, row, q):
    """Return (value, gradient) of a limited quantity at q.

    row: a record with body, code, direction and centre, the latter three as `evaluate_quantity` takes them.
    """
    body, direction = model.bodies[row.body], get3(row.direction)
    if body.kind == BALL:
        return evaluate_quantity(row.code, ZERO, quat_normalized(get4(q, body.q)), direction, row.centre)
    p, r = get3(q, body.q), quat_normalized(get4(q, body.q + 3))
    return evaluate_quantity(row.code, p, r, direction, row.centre)
