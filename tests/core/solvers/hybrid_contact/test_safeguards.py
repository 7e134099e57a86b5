# SPDX-License-Identifier: GPL-3.0-or-later
"""The check for steps in which rounding errors grow to velocities."""

import numpy as np
import pytest

from limberjack.core.model import Axis, Joint, Link, Model
from limberjack.core.simulation.simulation import Simulation
from limberjack.core.solvers.hybrid_contact.safeguards import LEAST_JUMP, USUAL_CHANGE, jumps
from limberjack.core.solvers.system import ENERGY_TOTALS

SIZE = 2 + ENERGY_TOTALS
"""Length of the state of a hinge: its position, its velocity and the energies."""


@pytest.fixture
def system():
    """The equations of motion of a hinge."""
    arm = Model("arm", [Link("arm")], [Joint("hinge", "revolute", "world", "arm", axes=[Axis()])])
    return Simulation(arm, [0.0, 1.0])._stage.solver._system


def jumped(system, change, accelerations, step, speed=0.0):
    """Return whether a change of the velocity from `speed` is a jump, with accelerations at both ends of a step [s]."""
    start, end = np.zeros((2, SIZE))
    start[1], end[1] = speed, speed + change
    slopes = np.zeros((3, SIZE))
    slopes[0, 1], slopes[2, 1] = accelerations
    return bool(jumps(system, start, end, slopes, 2, step))


@pytest.mark.parametrize("step", [1e-9, 1e-3, 0.1])
def test_changes_by_accelerations_are_no_jumps(system, step):
    """Guards usual steps: a velocity may change by what the accelerations at the ends of the step cause."""
    assert not jumped(system, 20.0 * step, (20.0, -5.0), step)
    assert not jumped(system, 20.0 * step, (0.0, 20.0), step)
    assert not jumped(system, -20.0 * step, (-20.0, 0.0), step)


@pytest.mark.parametrize("change", [30.0, -30.0])
def test_a_change_without_acceleration_is_a_jump(system, change):
    """Guards falls of ragdolls: a step of 2e-8 s changed velocities by 30 rad/s, which added 58 J."""
    assert jumped(system, change, (1e4, 1e4), 2e-8)


def test_both_bounds(system):
    """Guards the two constants: the bound is a sum, whose second part grows with the velocity."""
    step, acceleration, speed = 1e-3, 10.0, 50.0
    bound = USUAL_CHANGE * step * acceleration + LEAST_JUMP * speed
    assert not jumped(system, 0.999 * bound, (acceleration, 0.0), step, speed)
    assert jumped(system, 1.001 * bound, (acceleration, 0.0), step, speed)
