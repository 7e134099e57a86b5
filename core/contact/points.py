# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of contact points, their features and their rows, and the work arrays of the contact solver.

While solids roll, slide and tip on each other, a contact point is where two features of their surfaces are nearest: a
plane, a vertex, an edge, a circular edge, or a curved surface. Each feature is fixed in its body, so
contact_kinematics.py has closed forms for the nearest points and their velocities, without a search.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..compilation.abi import KernelTuple
from ..spatial.storage import renamed_fields

PLANAR, SPHERICAL, LINEAR, CIRCULAR, ELLIPSOIDAL = range(5)
"""Kinds of contact features by their geometry. PLANAR: a face. SPHERICAL: a vertex or a sphere. LINEAR: an edge, or the
side of a cylinder. CIRCULAR: a circular edge. ELLIPSOIDAL: an ellipsoid.
"""

FRICTIONLESS, STICKS, SLIPS = 0, 1, 2
"""States of one kind of friction (sliding, rolling or spinning) in a point. FRICTIONLESS: the point exerts no such
friction, because the coefficient is 0, the friction cone is not known yet, or the slip is too fast to be stopped.
STICKS: the friction keeps the slip at 0. SLIPS: the friction is as large as its bound, and acts against the slip.
"""

FEATURE = np.dtype(
    [
        ("kind", np.int64),
        ("body", np.int64),
        ("at", np.float64, 3),  # point of the plane, vertex, point of the line, or centre; in body axes [m]
        ("along", np.float64, 3),  # outward normal of a plane, direction of a line, axis of a circle
        ("radius", np.float64),  # by which vertices and lines are rounded; of a circle [m]
        ("half", np.float64, 3),  # radii of an ellipsoid [m]
        ("rotation", np.float64, 9),  # its axes in the body's
        ("belt", np.float64, 3),  # velocity of the surface relative to the body, in body axes [m/s]
    ],
    align=True,
)
"""A feature of a collision shape that is in contact, fixed in its body."""

SURFACE_FIELDS = [
    ("friction", np.float64),  # coefficient while it slips
    ("static_friction", np.float64),  # coefficient up to which it sticks
    ("restitution", np.float64),
    ("stiffness", np.float64),  # infinite if rigid [N/m]
    ("dissipation", np.float64),  # Hunt and Crossley's coefficient [s/m]
    ("rolling", np.float64),  # length of rolling friction [m]
    ("spinning", np.float64),  # length of spinning friction [m]
    ("slip_speed", np.float64),  # below which friction is smoothed; 0 for Coulomb's law [m/s]
]
"""The properties of a surface that contacts need; core/geometry/contact_properties.py defines them."""

POINT = np.dtype(
    [
        # identity
        ("first", np.int64),  # the two solids
        ("second", np.int64),
        ("name", np.int64),  # of the point within their manifold
        ("island", np.int64),  # the number of one of its bodies
        ("one", FEATURE),
        ("other", FEATURE),
        # combined surface of the pair
        *SURFACE_FIELDS,
        # state
        ("is_soft", np.int64),  # whether it is compliant
        ("candidate", np.int64),  # whether it may be active, while the active points are being found
        ("is_active", np.int64),  # whether it is active; an inactive point is about to be removed
        ("has_step_loads", np.int64),  # whether its loads are those of the last convex step, and not to be solved for
        ("is_on_cone", np.int64),  # whether its loads lie on the edge of the friction cone although it need not slip
        ("current_friction", np.float64),  # the coefficient of friction at present
        ("row", np.int64),  # its first row
        ("slide", np.int64),  # FRICTIONLESS, STICKS or SLIPS
        ("roll", np.int64),
        ("spin", np.int64),
        ("slip", np.float64, 3),  # direction of the slip, or of the slip as it begins
        ("roll_slip", np.float64, 3),
        ("spin_slip", np.float64),  # sign
        ("rest_gap", np.float64),  # gap at which a rigid point is kept, or at which a compliant one is relaxed [m]
        ("bounces", np.int64),  # in this frame
        ("start_normal", np.float64, 3),  # the normal as the step starts: a step that is tried may turn it over
        # kinematics, by contact_kinematics.py
        ("normal", np.float64, 3),  # from the first feature to the other, in the world
        ("position", np.float64, 3),  # halfway between both surfaces, in the world [m]
        ("gap", np.float64),  # negative if the surfaces overlap [m]
        ("slip_velocity", np.float64, 3),  # slip velocity of the other surface relative to the first, with belts [m/s]
        ("angular_velocity", np.float64, 3),  # angular velocity of the other body relative to the first [rad/s]
        ("rate", np.float64),  # of the gap [m/s]
        ("normal_rate", np.float64, 3),  # time derivative of the normal [1/s]
        ("one_rate", np.float64, 3),  # velocity of the nearest point on each surface, in the world [m/s]
        ("other_rate", np.float64, 3),
        # loads on the other body at `position`; in an impact the impulses
        ("load", np.float64),  # normal force [N]
        ("force", np.float64, 3),  # friction force [N]
        ("torque", np.float64, 3),  # torque of rolling and spinning friction [N m]
        ("warm_start_load", np.float64),  # the same three as the complementarity problem gave them last
        ("warm_start_force", np.float64, 3),
        ("warm_start_torque", np.float64, 3),
        ("gap_acceleration", np.float64),  # second time derivative of the gap [m/s^2]
        ("slip_acceleration", np.float64, 3),  # time derivative of the slip velocity, tangential [m/s^2]
        ("angular_acceleration", np.float64, 3),  # time derivative of the angular velocity [rad/s^2]
        ("margins", np.float64, 6),  # distance from the events of each kind, as a step starts
        ("separation_velocity", np.float64),  # in an impact, the least velocity with which the bodies separate [m/s]
    ],
    align=True,
)
"""One contact point: its two features, surface, state of friction, kinematics and loads."""

SAVED_NAMES = {
    "position": "place",
    "warm_start_load": "known_load",
    "warm_start_force": "known_force",
    "warm_start_torque": "known_torque",
    "current_friction": "limit",
    "static_friction": "holding",
    "is_active": "holds",
    "has_step_loads": "given",
    "is_on_cone": "strained",
    "rest_gap": "level",
    "slip_velocity": "v",
    "angular_velocity": "w",
    "gap_acceleration": "gain",
    "slip_acceleration": "pull",
    "angular_acceleration": "turn",
    "separation_velocity": "pace",
}
"""Names under which saved states store fields of POINT. A file that is read must have the same names."""

SAVED_POINT = renamed_fields(POINT, SAVED_NAMES)
"""POINT with the field names of saved states. The memory layout is the same."""

ROW = np.dtype(
    [
        ("point", np.int64),
        ("kind", np.int64),  # NORMAL, TANGENT, SPIN or ROLL
        ("begin", np.int64),  # rows of its island: begin ... end - 1
        ("end", np.int64),
        ("first_dof", np.int64),  # the dofs that the row acts on lie in first_dof ... last_dof - 1
        ("last_dof", np.int64),
        ("direction", np.float64, 3),  # unit vector in the world
        ("rhs", np.float64),  # change of the row's rate that its load must cause
        ("load", np.float64),  # force or torque, in an impact an impulse
        ("impulse_sum", np.float64),  # of all rounds of an impact so far
        ("initial_load", np.float64),  # from which the solution starts: that of the last complementarity problem
        ("residual", np.float64),  # rate at the present loads; in the linear equations, the part of `rhs` that is left
        # of the active-set step
        ("saved_load", np.float64),  # load before it
        ("share", np.float64),  # 1: solved for; otherwise the share of the load of row `follows`, or 0
        ("follows", np.int64),  # number of the normal row that this one is proportional to, or -1
        # of the factors
        ("scale", np.float64),  # that makes forces and torques commensurable
        ("householder", np.float64),  # factor of the Householder reflection
        ("pivot_row", np.int64),  # number of the row that the pivoting has put here
        ("rank", np.int64),  # at an island's first row: how many of its rows are independent
        ("has_spring_loads", np.int64),  # at an island's first row: whether its loads avoid the left null space of W
        ("exchanged", np.int64),  # number of the row that the elimination of L'N has exchanged with this one
        ("reflected", np.float64),  # entry of a vector to which the Householder reflections are applied
        # of the projection onto the null space of the normal rows
        ("bears_load", np.int64),  # whether this normal row takes part
        ("normal_row", np.int64),  # number of a normal row that takes part, in a list of the island's
        ("solution", np.float64),  # scaled load, in the order of the pivots
        ("free_rate", np.float64),  # rate, or its time derivative, without loads
    ],
    align=True,
)
"""One row of the contact equations: a direction in which a point's load acts."""

IMPACT = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("first", np.int64),  # number of a solid
        ("second", np.int64),
        ("point", np.float64, 3),  # in the world [m]
        ("normal", np.float64, 3),  # unit vector from the first solid to the second
        ("impulse", np.float64, 3),  # on the second solid, in the world [N s]
        ("rest_of", np.int64),  # number of the earlier record of the same impact, of which this one is the rest; or -1
    ],
    align=True,
)
"""An impact between two solids. A convex step may leave a part of it to the next one; see `with_rests`."""

NORMAL, TANGENT, SPIN, ROLL = range(4)
"""Kinds of rows: forces along the normal and across it, torques about the normal and across it."""

POINTS, ROWS, WARM_STARTED, WORK, ALLOWED = range(5)
"""Entries of `count`. POINTS, ROWS: numbers of these.

WARM_STARTED: whether loads are the nearest to those of the last complementarity problem, and not the smallest ones.
WORK: entries of the Delassus matrix that sweeps have gone through since it was set to 0. ALLOWED: the value of WORK at
which they give up.
"""

UNLIMITED = 1 << 62
"""Value of ALLOWED that no sweep reaches."""

ANDERSON_MEMORY = 8
"""Number of sweeps that Anderson acceleration combines."""

MAX_ROWS = 6
"""Upper bound of the rows of a point."""


class Touch(
    KernelTuple,
    namedtuple(
        "Touch",
        "points saved rows count order roots dof_forces dof_responses constraint_rates constraint_multipliers matrix"
        " anderson",
    ),
):
    """Contact points and the work arrays with which their loads are solved for.

    Attributes:
        points: POINT records, of which the first count[POINTS] are in use. saved: a copy of them. rows: ROW records.
        count: see POINTS and the names after it.
        order: numbers of the points, island by island. roots: union-find forest of the bodies that contacts connect.
        dof_forces, dof_responses: for each row's unit load, the force on each dof, and that times the inverse
            articulated inertia, shape (2 rows, nv). The second half has the directions in which rates are measured, if
            these differ from those of the loads.
        constraint_rates: rates that these loads cause in the model's constraints, shape (2 rows, constraint rows).
        constraint_multipliers: multipliers with which the constraints respond, shape (rows, constraint rows).
        matrix: the Delassus matrix W and its factors, one block for each island, shape (2, rows, rows).
        anderson: equations of Anderson acceleration, shape (ANDERSON_MEMORY, ANDERSON_MEMORY + 1).
    """


def make_touch(points: int, bodies: int, dofs: int, constraint_rows: int) -> Touch:
    """Make the arrays for so many points, bodies, dofs and rows of the model's constraints."""
    rows = MAX_ROWS * points
    return Touch(
        np.zeros(points, POINT).view(np.recarray),
        np.zeros(points, POINT).view(np.recarray),
        np.zeros(rows, ROW).view(np.recarray),
        np.array([0, 0, 0, 0, UNLIMITED]),
        np.zeros(points, np.int64),
        np.zeros(bodies, np.int64),
        np.zeros((2 * rows, dofs)),
        np.zeros((2 * rows, dofs)),
        np.zeros((2 * rows, constraint_rows)),
        np.zeros((rows, constraint_rows)),
        np.zeros((2, rows, rows)),
        np.zeros((ANDERSON_MEMORY, ANDERSON_MEMORY + 1)),
    )


def with_rests(impacts: np.recarray) -> np.recarray:
    """Return IMPACT records in which the impulses of rests are added to those of the impacts that they belong to."""
    rests = np.flatnonzero(impacts.rest_of >= 0)
    if not len(rests):
        return impacts
    whole = impacts.copy()
    np.add.at(whole.impulse, impacts.rest_of[rests], impacts.impulse[rests])
    return np.delete(whole, rests).view(np.recarray)
