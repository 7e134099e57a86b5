# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint rows, where the conformance suite does not look."""

import math

import pytest

from limberjack.core.kinematics import JointMotion
from limberjack.core.model import WORLD, Axis, Joint


@pytest.mark.parametrize("angle", [-3.0, -0.4, 0.0, 1.0, 3.1])
def test_a_quaternion_and_its_negative_have_the_same_twist(angle):
    """Guards limits of twist: q and -q are one rotation, so the angle is between -pi and pi for both."""
    motion = JointMotion(Joint("neck", "ball", WORLD, "head", axes=[Axis() for _ in range(4)]))
    q = (math.cos(angle / 2.0), 0.0, 0.0, math.sin(angle / 2.0))
    for sign in (1.0, -1.0):
        values, _ = motion.rows(tuple(sign * number for number in q))
        assert values[1] == pytest.approx(angle, abs=1e-12)


def test_only_the_direction_of_an_axis_counts():
    """Guards rows against an axis that is not of length 1, of which only the direction is used."""
    axes = [Axis(), Axis(), Axis(), Axis(xyz=(0.0, 0.0, 2.0))]
    motion = JointMotion(Joint("neck", "ball", WORLD, "head", axes=axes))
    values, gradients = motion.rows((math.cos(0.5), 0.0, 0.0, math.sin(0.5)))
    assert values == pytest.approx([0.0, 1.0])
    assert gradients[1] == pytest.approx([0.0, 0.0, 1.0])
