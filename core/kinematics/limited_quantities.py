# SPDX-License-Identifier: GPL-3.0-or-later
"""Limited quantities of joints with charts, such as the length of a rope, from the coordinates of a model."""

from __future__ import annotations

from ..compilation.jit import subroutine
from ..joints import BALL, evaluate_quantity
from ..spatial import ZERO, quat_normalized
from ..spatial.storage import get3, get4


@subroutine
def chart_quantity(model, row, q):
    """Return (value, gradient) of a limited quantity at q. row: a record with body, code and direction."""
    body = model.bodies[row.body]
    if body.kind == BALL:
        return evaluate_quantity(row.code, ZERO, quat_normalized(get4(q, body.q)), get3(row.direction))
    return evaluate_quantity(row.code, get3(q, body.q), quat_normalized(get4(q, body.q + 3)), get3(row.direction))
