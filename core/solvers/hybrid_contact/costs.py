# SPDX-License-Identifier: GPL-3.0-or-later
"""Estimated costs of event-driven steps and of convex steps, from which solver.py and event_steps.py choose.

Costs are counted and never timed, so that every machine makes the same choice. Their unit is a nanosecond of a common
machine, fitted to a box on a floor and to a ragdoll of 17 links.
"""

from __future__ import annotations

from ...compilation.jit import jitable
from ..integration.dop853 import COUNT

BODY_COST = 1500.0
"""Cost of one body in one evaluation of the accelerations [ns]."""
ROW_COST = 300.0
"""Cost of one contact row in one evaluation, for the row itself [ns]."""
ROW_BODY_COST = 60.0
"""Cost of one contact row and one body in one evaluation, because every body responds to every row [ns]."""
FACTORIZATION_COST = 1.5
"""Cost of factoring the Delassus matrix, divided by the cube of the number of rows [ns]."""
ROWS_PER_POINT = 3.0
"""Rows of a contact point: normal and two tangents. Points with rolling friction are rare."""
STEPS_PER_EVENT = 5.0
"""Cost of an event in event-driven steps, because the states of all contacts are found anew."""
SWEEP_ENTRY_COST = 5.0
"""Cost of one entry of the Delassus matrix in a Gauss-Seidel sweep over the friction cones [ns]."""
CONVEX_STEP_COST = 2e4
"""Cost of a convex step, without bodies [ns], for as few contacts as event-driven steps can handle."""
CONVEX_BODY_COST = 5e3
"""Cost of one body in a convex step [ns], for as few contacts."""


@jitable
def step_cost(bodies, points):
    """Return the cost of an event-driven step [ns]. points: number of active contact points."""
    rows = ROWS_PER_POINT * points
    factorization = FACTORIZATION_COST * rows * rows * rows
    return COUNT * (BODY_COST * bodies + rows * (ROW_COST + ROW_BODY_COST * bodies) + factorization)


@jitable
def event_cost(bodies, points):
    """Return the cost of an event of a contact [ns]; 0 without contact points."""
    return STEPS_PER_EVENT * step_cost(bodies, points) if points > 0 else 0.0


@jitable
def joint_event_cost(bodies):
    """Return the cost of an event of dry friction in a joint while nothing is in contact [ns]."""
    return STEPS_PER_EVENT * step_cost(bodies, 0)


@jitable
def convex_step_cost(bodies):
    """Return the cost of a convex step [ns]."""
    return CONVEX_STEP_COST + CONVEX_BODY_COST * bodies
