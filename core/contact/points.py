# SPDX-License-Identifier: GPL-3.0-or-later
"""A point in which two solids touch, as a piece of each surface that moves along with its body.

While solids roll, slide and tip on each other, a point of contact is where two pieces of surface are nearest: a face,
a corner, an edge, a rim, or a curved surface. Each piece is fixed in its body, so at any pose of these place.py tells
where they are nearest, and how that place moves, without a search.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from ..slots import Bundled

FACE, ROUND, LINE, RING, OVAL = range(5)
"""Pieces: a plane; a corner or a ball; an edge, or a side about an axis; a rim; an ellipsoid."""

FREE, STICKS, SLIPS = 0, 1, 2
"""What friction does of one kind: nothing as there is none, hold, or resist."""

PIECE = np.dtype(
    [
        ("kind", np.int64),
        ("body", np.int64),
        ("at", np.float64, 3),  # a point of the plane; the corner; a point of the axis; a middle: in the body [m]
        ("along", np.float64, 3),  # outward normal of a face; direction of a line; axis of a ring
        ("radius", np.float64),  # that it is blown up by; of a ring's circle [m]
        ("half", np.float64, 3),  # of an ellipsoid, its radii [m]
        ("rotation", np.float64, 9),  # and its axes in the body's
        ("belt", np.float64, 3),  # velocity of the surface against the body, in the body's axes [m/s]
    ],
    align=True,
)

POINT = np.dtype(
    [
        # which it is
        ("first", np.int64),  # solids
        ("second", np.int64),
        ("name", np.int64),
        ("island", np.int64),  # by the number of one of its bodies
        ("one", PIECE),
        ("other", PIECE),
        # what the pair of surfaces is like
        ("friction", np.float64),
        ("holding", np.float64),  # the coefficient up to which it sticks
        ("restitution", np.float64),
        ("stiffness", np.float64),  # [N/m]; infinite if rigid
        ("dissipation", np.float64),  # [s/m]
        ("rolling", np.float64),  # [m]
        ("spinning", np.float64),  # [m]
        ("slip_speed", np.float64),  # of a friction law that is smoothed; 0 for Coulomb's [m/s]
        # what holds
        ("is_soft", np.int64),
        ("candidate", np.int64),  # whether it might hold, while that is found out
        ("holds", np.int64),  # whether it pushes; one that does not is about to be forgotten
        ("given", np.int64),  # whether what acts in it is told by a crowd's last step, and not to be found
        ("strained", np.int64),  # its loads lie on its cone's edge, though it need not yield: the cones are asked anew
        ("limit", np.float64),  # the coefficient of friction at present
        ("row", np.int64),  # its first
        ("slide", np.int64),  # FREE, STICKS or SLIPS
        ("roll", np.int64),
        ("spin", np.int64),
        ("slip", np.float64, 3),  # directions that slip had, or has as it begins; the spin's sign is in spin_slip
        ("roll_slip", np.float64, 3),
        ("spin_slip", np.float64),
        ("level", np.float64),  # the gap at which a rigid one is held [m]
        ("bounces", np.int64),
        # where it is, by place.py
        ("normal", np.float64, 3),  # from one to the other, in the world
        ("place", np.float64, 3),  # halfway between both surfaces [m]
        ("gap", np.float64),
        ("v", np.float64, 3),  # slip of the other's surface against the one's, belts included [m/s]
        ("w", np.float64, 3),  # of the other body against the one [rad/s]
        ("rate", np.float64),  # of the gap [m/s]
        ("normal_rate", np.float64, 3),
        ("one_rate", np.float64, 3),  # how the nearest point of either surface moves through space [m/s]
        ("other_rate", np.float64, 3),
        # what acts in it, on the other body, at `place`; in an impact the impulse
        ("load", np.float64),  # along the normal [N]
        ("force", np.float64, 3),  # of friction [N]
        ("torque", np.float64, 3),  # of rolling and spinning friction [N m]
        ("known_load", np.float64),  # the same three as the cones found them last
        ("known_force", np.float64, 3),
        ("known_torque", np.float64, 3),
        ("gain", np.float64),  # the gap's second rate [m/s^2]
        ("pull", np.float64, 3),  # the rate of v, across the normal [m/s^2]
        ("turn", np.float64, 3),  # the rate of w [rad/s^2]
        ("margins", np.float64, 6),  # from events of each kind, as a step starts
        ("pace", np.float64),  # in an impact, the rate with which it is to part at least [m/s]
    ],
    align=True,
)

ROW = np.dtype(
    [
        ("point", np.int64),
        ("kind", np.int64),
        ("begin", np.int64),  # of its island's rows
        ("end", np.int64),
        ("first_dof", np.int64),  # of those that feel it, or yield to it
        ("last_dof", np.int64),  # and the one after them
        ("direction", np.float64, 3),  # in the world
        ("asked", np.float64),  # what the row's rate is to change by
        ("load", np.float64),
        ("total", np.float64),  # sum of its impulses in all rounds of an impact so far
        ("known", np.float64),  # the part of it that is taken from what the cones found
        ("left", np.float64),
        # of the linear equations among what the cones found
        ("kept", np.float64),  # its load before them
        ("share", np.float64),  # 1 if it is solved for; part of another row's load that it goes with; 0 if neither
        ("goes_with", np.int64),  # the row, or -1
        # of the factors
        ("scale", np.float64),
        ("turn", np.float64),
        ("from_row", np.int64),
        ("rank", np.int64),  # at an island's first row: how many of its rows are independent
        ("found", np.float64),
        ("before", np.float64),  # its rate, or its rate's rate, without what acts in the points
    ],
    align=True,
)

NORMAL, ACROSS, SPIN, ROLL = range(4)
"""Kinds of rows: forces along the normal and across it, torques about the normal and across it."""

POINTS, ROWS, BASED, WORK, ALLOWED = range(5)
"""Entries of `count`. BASED: whether loads are the nearest to those that the cones found, and not the least. WORK: how
many entries of W the cones have gone through since that was set to 0. ALLOWED: at how many they give up."""

UNLIMITED = 1 << 62

MEMORY = 8
"""Sweeps that mixing.py remembers."""

MOST_ROWS = 6
"""Of a point."""


class Touch(Bundled, namedtuple("Touch", "points saved rows count order roots felt yields held answers matrix mixing")):
    """What contact needs while rates are found.

    Attributes:
        points: POINT records, of which the first count[POINTS] are closed; saved: room for them. rows: ROW records.
        felt, yields: of each row's force, as dofs feel it and yield to it, shape (2 rows, nv). A second half has the
            directions in which rates are taken, where these are others.
        held, answers: what the row's forces ask of the model's constraints, and what those answer with, shape
            (2 rows, constraint rows) and (rows, constraint rows).
        order: points island by island; roots: a body that stands for all that has to do with a body.
        mixing: room for the equations of mixing.py, shape (MEMORY, MEMORY + 1).
        matrix: how rows answer to each other's forces, and the factors of that, shape (2, rows, rows): a block for
            each island.
    """


def make_touch(points: int, bodies: int, dofs: int, constraint_rows: int) -> Touch:
    rows = MOST_ROWS * points
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
        np.zeros((MEMORY, MEMORY + 1)),
    )
