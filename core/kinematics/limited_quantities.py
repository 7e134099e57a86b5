# SPDX-License-Identifier: GPL-3.0-or-later
"""Limited quantities of joints with charts, such as the length of a rope, from the coordinates of a model."""

from __future__ import annotations

from ..compilation.jit import subroutine
from ..joints import BALL, evaluate_quantity
from ..joints.limited_quantities import TWIST, nearest_turn
from ..spatial import ZERO, quat_normalized
from ..spatial.storage import get3, get4


@subroutine
def chart_quantity(model, row, q):
    """Return (value, gradient) of a limited quantity at q.

    row: a record with body, code, direction and centre. A twist is at most half a turn from its centre, so that a
    motion through half a turn is continuous where a limit or a spring is near.
    """
    body, direction = model.bodies[row.body], get3(row.direction)
    if body.kind == BALL:
        value, gradient = evaluate_quantity(row.code, ZERO, quat_normalized(get4(q, body.q)), direction)
    else:
        p, r = get3(q, body.q), quat_normalized(get4(q, body.q + 3))
        value, gradient = evaluate_quantity(row.code, p, r, direction)
    return nearest_turn(value, row.centre) if row.code == TWIST else value, gradient
