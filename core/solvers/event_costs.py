# SPDX-License-Identifier: GPL-3.0-or-later
"""What steps by events cost, and what a crowd's would: counted, never timed, so that every machine chooses alike.

Costs are in nanoseconds of a common machine, fitted to a box on a floor and to a ragdoll of 17 links.
"""

from __future__ import annotations

from ..jit import jitable
from .dop853 import COUNT

BODY = 1500.0
"""Of the accelerations, a body."""
ROW, ROW_OF_BODY = 300.0, 60.0
"""Of a row of contact, by itself and a body, since all of these answer to it."""
ROW_CUBED = 1.5
"""Of the factors of all rows."""
ROWS_OF_POINT = 3.0
EVENT = 5.0
"""Steps that an event costs, which finds anew what holds."""
ENTRY = 5.0
"""Of an entry of W that sweeps of the cones go through."""
CROWD, BODY_OF_CROWD = 2e4, 5e3
"""Of a crowd's step, and a body, while there are as few contacts as events can be chosen for."""


@jitable
def step_cost(bodies, points):
    """Of a step by events."""
    rows = ROWS_OF_POINT * points
    return COUNT * (BODY * bodies + rows * (ROW + ROW_OF_BODY * bodies) + ROW_CUBED * rows * rows * rows)


@jitable
def event_cost(bodies, points):
    """Of finding anew what holds; what flies costs nothing here, as no crowd's step would do better."""
    return EVENT * step_cost(bodies, points) if points > 0 else 0.0


@jitable
def crowd_cost(bodies):
    """Of a crowd's step."""
    return CROWD + BODY_OF_CROWD * bodies
