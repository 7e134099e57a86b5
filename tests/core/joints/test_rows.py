"""Constraint rows, where the conformance suite does not look."""

import math

import pytest

from limberjack.core.kinematics import JointMotion
from limberjack.core.model import WORLD, Axis, Joint


def test_only_the_direction_of_an_axis_counts():
    """Guards rows against an axis that is not of length 1, of which only the direction is used."""
    axes = [Axis(), Axis(), Axis(), Axis(xyz=(0.0, 0.0, 2.0))]
    motion = JointMotion(Joint("neck", "ball", WORLD, "head", axes=axes))
    values, gradients = motion.rows((math.cos(0.5), 0.0, 0.0, math.sin(0.5)))
    assert values == pytest.approx([0.0, 1.0])
    assert gradients[1] == pytest.approx([0.0, 0.0, 1.0])
