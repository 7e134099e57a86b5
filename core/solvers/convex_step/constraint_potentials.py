# SPDX-License-Identifier: GPL-3.0-or-later
"""The constraints of a convex step and their impulses, each the negative gradient of a convex potential of velocities.

`impulse_at` gives the impulse of a constraint at a velocity, `hessian_at` its derivative, and newton.py calls both.
Each impulse decreases monotonically with its velocity, so the sum of all potentials has one minimum. The bound of
friction comes from the normal impulse of the previous solution, because a bound that follows the present one would not
derive from a potential.

Source: Castro, Han, Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023), sections 3 and 4.
"""

from __future__ import annotations

import math

import numpy as np

from ...compilation.jit import jitable, subroutine

UNILATERAL, BOUNDED = 0, 1
"""Kinds of constraints. UNILATERAL: the impulse pushes and never pulls, as at contacts along the normal and at stops.
BOUNDED: the size of the impulse has an upper bound, as of friction and drives; of loops it is infinite."""

KEEPS_APART, BOUNCES, INACTIVE = range(3)
"""Roles of a rigid constraint in an impact: it keeps the bodies from approaching, it makes them bounce, or it exerts
no impulse."""

CONVEX_CONSTRAINT = np.dtype(
    [
        ("kind", np.int64),  # UNILATERAL or BOUNDED
        ("rows", np.int64),  # number of velocity components, 1 or 2
        ("first_dof", np.int64),  # its dofs in `ConvexStep.dofs` are first_dof ... first_dof + dof_count - 1
        ("dof_count", np.int64),
        ("jacobian_start", np.int64),  # row r of its Jacobian begins at jacobian_start + r * dof_count
        ("island", np.int64),
        # impulse = bias_impulse - stiffness * velocity [N s or N m s], before the kind limits it
        ("bias_impulse", np.float64, 2),
        ("stiffness", np.float64),  # 1 / R, with the regularization R of Castro et al. [N s per m/s, N m s per rad/s]
        ("dissipation", np.float64),  # of a compliant contact or stop: Hunt and Crossley's coefficient [s/m or s/rad]
        ("is_rigid", np.int64),  # whether it keeps a gap from closing, with a stiffness that the step length sets
        ("gap", np.float64),  # that gap [m or rad]
        ("restitution", np.float64),
        ("role", np.int64),  # in the impact at the end of the step
        ("ends_impact", np.int64),  # whether its gap has closed in the last step, in an impact
        ("is_angular", np.int64),  # whether it is friction against rolling or spinning, and not against sliding
        ("is_drive", np.int64),  # whether it is a drive, whose work counts as supplied
        ("bound", np.float64),  # of a BOUNDED impulse [N s or N m s]
        ("coefficient", np.float64),  # of friction: `bound` divided by the impulse of the normal constraint
        ("normal_constraint", np.int64),  # number of that constraint; -1 if `bound` does not follow another impulse
        ("bias_velocity", np.float64, 2),  # velocity of the rows while all dofs are at rest, as of a belt
        ("velocity", np.float64, 2),  # of the rows [m/s or rad/s]
        ("velocity_change", np.float64, 2),  # of the rows along the full Newton step
        ("arrival_velocity", np.float64),  # of the first row just before an impact
        ("impulse", np.float64, 2),
        # where it comes from
        ("contact", np.int64),  # number of the contact, or -1
        ("element", np.int64),  # number of the set-valued force (a joint's stop, friction, speed limit or drive), or -1
        ("free_response", np.float64),  # what `delassus_estimate` would be if no joint blocked the bodies
        ("element_sign", np.float64),  # 1 if a positive impulse acts along the coordinate of `element`, else -1
        ("multiplier", np.int64),  # its row among the multipliers of loops and couplings; -1 for none
    ],
    align=True,
)
"""One constraint of a convex step: one or two velocity components and the law of their impulse."""


@jitable
def impulse_at(constraint, x, y):
    """Return the impulses of both rows at the velocities x and y [N s or N m s]; the second is 0 if there is one row.

    A compliant contact is Hunt and Crossley's, with an exponent of 1.
    """
    if constraint.kind == UNILATERAL:
        elastic, damping = constraint.bias_impulse[0] - constraint.stiffness * x, 1.0 - constraint.dissipation * x
        return (elastic * damping if elastic > 0.0 and damping > 0.0 else 0.0), 0.0
    a = constraint.bias_impulse[0] - constraint.stiffness * x
    b = constraint.bias_impulse[1] - constraint.stiffness * y if constraint.rows == 2 else 0.0
    size = math.sqrt(a * a + b * b)
    if size > constraint.bound:
        a, b = a * constraint.bound / size, b * constraint.bound / size
    return a, b


@jitable
def hessian_at(constraint, x, y):
    """Return the Hessian (xx, xy, yy) of the potential: the negative derivative of the impulses by the velocities.

    It is positive semidefinite.
    """
    if constraint.kind == UNILATERAL:
        elastic, damping = constraint.bias_impulse[0] - constraint.stiffness * x, 1.0 - constraint.dissipation * x
        if elastic > 0.0 and damping > 0.0:
            return constraint.stiffness * damping + constraint.dissipation * elastic, 0.0, 0.0
        return 0.0, 0.0, 0.0
    a = constraint.bias_impulse[0] - constraint.stiffness * x
    b = constraint.bias_impulse[1] - constraint.stiffness * y if constraint.rows == 2 else 0.0
    size = math.sqrt(a * a + b * b)
    if size <= constraint.bound:
        return constraint.stiffness, 0.0, constraint.stiffness
    part = constraint.stiffness * constraint.bound / size
    a, b = a / size, b / size
    return part * (1.0 - a * a), -part * a * b, part * (1.0 - b * b)


@subroutine
def update_friction_bounds(constraints, begin, end, part):
    """Move the bounds of friction towards the coefficient times the present normal impulse.

    Args:
        begin, end: the range of constraints.
        part: share of the way, 0 to 1.

    Returns:
        The largest difference of a bound, and the largest bound.
    """
    change, most = 0.0, 0.0
    for k in range(begin, end):
        constraint = constraints[k]
        if constraint.normal_constraint >= 0:
            bound = constraint.coefficient * constraints[constraint.normal_constraint].impulse[0]
            change, most = max(change, abs(bound - constraint.bound)), max(most, bound)
            constraint.bound += part * (bound - constraint.bound)
    return change, most
