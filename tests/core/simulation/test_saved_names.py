# SPDX-License-Identifier: GPL-3.0-or-later
"""States that older versions have saved can be read, although fields of records have other names now."""

import pytest

from limberjack.core.contact.points import POINT, SAVED_POINT
from limberjack.core.model.compiling.force_states import FORCE_STATE, SAVED_FORCE_STATE
from limberjack.core.solvers.convex_step.problem import CONTACT_RECORD, SAVED_CONTACT
from limberjack.core.solvers.integration.adaptive_steps import SAVED_STEPPING, STEPPING
from limberjack.core.solvers.memory_check import LATER_FIELDS

SAVED = {
    "stepping": (
        "time step error explicit_step stride narrow flow started fresh implicit signs patience rescued steps rejected"
        " implicit_steps events impacts crowded yielded stalled burden stretch stored halted lasting trust unsettled"
    ),
    "force_states": (
        "asleep held slide touch pressed saturated apart told given driven load yields lower upper candidate rested"
        " stubborn struck speeding rate pace gain impulse bounces"
    ),
    "points": (
        "first second name island one other friction holding restitution stiffness dissipation rolling spinning"
        " slip_speed is_soft candidate holds given strained limit row slide roll spin slip roll_slip spin_slip level"
        " bounces normal place gap v w rate normal_rate one_rate other_rate load force torque known_load known_force"
        " known_torque gain pull turn margins pace"
    ),
    "before": "first second name place normal gap stiffness slips struck strain twist law load force torque",
}
"""Names of the fields of each record in a saved state, as version 0.1.0 wrote them before the names were changed."""


@pytest.mark.parametrize(
    ("name", "saved", "record"),
    [
        ("stepping", SAVED_STEPPING, STEPPING),
        ("force_states", SAVED_FORCE_STATE, FORCE_STATE),
        ("points", SAVED_POINT, POINT),
        ("before", SAVED_CONTACT, CONTACT_RECORD),
    ],
)
def test_names_in_files_stay(name, saved, record):
    """Guards saved states against renames: a file whose records have other names is refused.

    Fields that were added since are filled in when such a file is read.
    """
    before = SAVED[name].split()
    assert [field for field in saved.names if field in before] == before
    assert all(field in LATER_FIELDS for field in saved.names if field not in before)
    assert [saved.fields[field][1] for field in saved.names] == [record.fields[field][1] for field in record.names]
    assert saved.itemsize == record.itemsize
