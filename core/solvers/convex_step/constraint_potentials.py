# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts between bodies in a step of a crowd: impulses that are the slopes of convex potentials of velocities.

A law takes the velocity of one or two rows to an impulse. One kind pushes and never pulls: contacts along their
normals, stops. The other holds up to a bound: friction, drives with an effort, what closes loops. Both grow against the
velocity, so all laws together have one solution. Friction's bound comes from the normal impulse that was found before,
which is what keeps its potential convex.

Source: Castro, Han, Masterjohn, Irrotational contact fields, arXiv 2312.03908 (2023), sections 3 and 4.
"""

from __future__ import annotations

import math

import numpy as np

from ...jit import jitable, subroutine

PUSHES, HOLDS = 0, 1

STAYS, BOUNCES, LEFT_OUT = range(3)
"""Roles of a rigid law in an impact: it keeps bodies from closing, it parts them, or it exerts nothing."""

LAW = np.dtype(
    [
        ("kind", np.int64),
        ("rows", np.int64),  # 1 or 2
        ("first", np.int64),  # of the dofs that move along it
        ("count", np.int64),
        ("at", np.int64),  # of its slopes: those of row r begin at `at` + r * `count`
        ("island", np.int64),
        # an impulse is force - stiffness * velocity, [N s or N m s], as far as the kind allows
        ("force", np.float64, 2),
        ("stiffness", np.float64),
        ("dissipation", np.float64),  # of a soft contact [s/m]
        ("rigid", np.int64),  # whether it keeps a gap from closing
        ("gap", np.float64),  # which one [m or rad]
        ("restitution", np.float64),
        ("role", np.int64),  # in the impact at the end of the step
        ("turns", np.int64),  # whether friction is against turning, and not against sliding
        ("drives", np.int64),  # whether it is a drive, whose work is supplied
        ("bound", np.float64),  # of what holds; infinite where nothing bounds it
        ("share", np.float64),  # the bound as a part of the impulse of another law
        ("of", np.int64),  # that law; -1 for a bound of its own
        ("given", np.float64, 2),  # the velocity that is there when all dofs rest, as on a belt
        ("velocity", np.float64, 2),
        ("change", np.float64, 2),  # what a stride of the search adds to it
        ("impulse", np.float64, 2),
        # whose it is, to be told what came of it
        ("contact", np.int64),
        ("guard", np.int64),
        ("ease", np.float64),  # what `ease_of` would be at most, if no joint barred the way; 0 where none can
        ("along", np.float64),  # 1 where it pushes along what the guard watches, -1 where against it
        ("row", np.int64),  # its row of the constraints; -1 for none
    ],
    align=True,
)


@jitable
def impulse_at(law, x, y):
    """The impulses of both rows at velocities x and y."""
    if law.kind == PUSHES:
        pressed, damped = law.force[0] - law.stiffness * x, 1.0 - law.dissipation * x
        return (pressed * damped if pressed > 0.0 and damped > 0.0 else 0.0), 0.0
    a = law.force[0] - law.stiffness * x
    b = law.force[1] - law.stiffness * y if law.rows == 2 else 0.0
    size = math.sqrt(a * a + b * b)
    if size > law.bound:
        a, b = a * law.bound / size, b * law.bound / size
    return a, b


@jitable
def yield_at(law, x, y):
    """How fast the impulses shrink as velocities grow: (xx, xy, yy) of a symmetric matrix, never negative."""
    if law.kind == PUSHES:
        pressed, damped = law.force[0] - law.stiffness * x, 1.0 - law.dissipation * x
        if pressed > 0.0 and damped > 0.0:
            return law.stiffness * damped + law.dissipation * pressed, 0.0, 0.0
        return 0.0, 0.0, 0.0
    a = law.force[0] - law.stiffness * x
    b = law.force[1] - law.stiffness * y if law.rows == 2 else 0.0
    size = math.sqrt(a * a + b * b)
    if size <= law.bound:
        return law.stiffness, 0.0, law.stiffness
    part = law.stiffness * law.bound / size
    a, b = a / size, b / size
    return part * (1.0 - a * a), -part * a * b, part * (1.0 - b * b)


@subroutine
def renew_bounds(laws, begin, end, part):
    """Bring friction's bounds a part of the way to what the normal impulses say that were found.

    Returns (the largest difference, the largest bound).
    """
    change, most = 0.0, 0.0
    for k in range(begin, end):
        law = laws[k]
        if law.of >= 0:
            bound = law.share * laws[law.of].impulse[0]
            change, most = max(change, abs(bound - law.bound)), max(most, bound)
            law.bound += part * (bound - law.bound)
    return change, most
