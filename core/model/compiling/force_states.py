# SPDX-License-Identifier: GPL-3.0-or-later
"""FORCE_STATE records: the present state of each set-valued force, which kernels read and write.

A SET_VALUED_FORCE record has the constants of a force, and the FORCE_STATE of the same number what changes: whether
the force locks its coordinate, at which stop, and its loads. Source of the terms: Acary, Brogliato, Numerical Methods
for Nonsmooth Dynamical Systems (2008).
"""

from __future__ import annotations

import numpy as np

from ...spatial.storage import renamed_fields
from .compiled import Arrays

FORCE_STATE = np.dtype(
    [
        ("is_disabled", np.int64),  # whether it has no effect, because the motion is prescribed
        ("is_locked", np.int64),  # whether its velocity is kept: at 0 if `motion_sign` is 0, else at the limit
        ("motion_sign", np.int64),  # sign of the velocity, or of one that begins; friction acts against it
        ("stop_side", np.int64),  # rigid stop at which it rests: -1 lower, 1 upper, 0 none
        ("pressed", np.int64),  # compliant stop that is compressed: -1 lower, 1 upper, 0 none
        ("saturated", np.int64),  # sign of the drive's force while it is at its effort limit, else 0
        ("is_step_constraint", np.int64),  # whether its drive is a constraint of the convex step
        ("has_step_loads", np.int64),  # whether `passive_load` and `drive_load` are those of the last convex step
        ("passive_load", np.float64),  # load of its stops, friction and velocity limit in that step [N or N m]
        ("drive_load", np.float64),  # load of its drive in that step, if it has an effort limit [N or N m]
        ("load", np.float64),  # force that kept the velocity when the coordinate was last locked [N or N m]
        ("locked_response", np.float64),  # acceleration per unit of that force, at that time
        ("lower", np.float64),  # position of the lower stop [rad or m]; a start beyond the stop moves it there
        ("upper", np.float64),  # position of the upper stop, likewise
        # The next three have a meaning while `solvers/joint_events/modes.py` decides which coordinates are locked.
        ("candidate", np.int64),  # whether the force may lock its coordinate
        ("rested", np.int64),  # whether the coordinate was at rest, and not at its velocity limit
        ("is_undecided", np.int64),  # whether it is locked because no decision was found
        # The next six have a meaning within an impact, `solvers/joint_events/impacts.py`.
        ("impact_side", np.int64),  # side of the stop or velocity limit that exerts an impulse: -1, 1, or 0 for none
        ("speeding", np.int64),  # whether that is a velocity limit
        ("velocity_before", np.float64),  # before the impact [rad/s or m/s]
        ("velocity_after", np.float64),  # prescribed for the end of the impact [rad/s or m/s]
        ("free_acceleration", np.float64),  # before the impact, without the locking force [rad/s^2 or m/s^2]
        ("impulse", np.float64),  # of this force in the impact [N s or N m s]
        ("bounce_count", np.int64),  # number of impacts at stops since the last frame
    ],
    align=True,
)
"""The state of a set-valued force: the modes of its stops, friction, velocity limit and drive, and their loads."""

SAVED_NAMES = {
    "is_disabled": "asleep",
    "is_locked": "held",
    "motion_sign": "slide",
    "stop_side": "touch",
    "is_step_constraint": "apart",
    "has_step_loads": "told",
    "passive_load": "given",
    "drive_load": "driven",
    "locked_response": "yields",
    "is_undecided": "stubborn",
    "impact_side": "struck",
    "velocity_before": "rate",
    "velocity_after": "pace",
    "free_acceleration": "gain",
    "bounce_count": "bounces",
}
"""Names under which saved states store fields of FORCE_STATE. A file that is read must have the same names."""

SAVED_FORCE_STATE = renamed_fields(FORCE_STATE, SAVED_NAMES)
"""FORCE_STATE with the field names of saved states. The memory layout is the same."""


def make_force_states(arrays: Arrays) -> np.recarray:
    """Return FORCE_STATE records of set-valued forces that lock no coordinate."""
    force_states = np.zeros(len(arrays.set_valued_forces), FORCE_STATE).view(np.recarray)
    force_states.lower, force_states.upper = arrays.set_valued_forces.lower, arrays.set_valued_forces.upper
    return force_states
