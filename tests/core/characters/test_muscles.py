# SPDX-License-Identifier: GPL-3.0-or-later
"""Muscles of joints: how stiff, how damped, and what that means for a rod that hangs on one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from limberjack.core.characters.muscles import Rod, inertia_about, muscles_about
from limberjack.core.model import WORLD, Link, Model
from limberjack.core.simulation import Simulation
from support.mechanisms import Y, join

MASS, LENGTH, GRAVITY = 4.0, 0.6, 9.81
"""Of an arm that is one rod [kg, m, m/s^2]."""

ROD = Rod(MASS, (LENGTH / 2.0, 0.0, 0.0), LENGTH)
STIFF = 2.0 * math.pi * 1.5
"""Angular frequency of a stiff joint [rad/s]."""


def arm(muscles, gravity):
    """A thin rod along x that hangs by one end on a hinge about y with these muscles, whose drive pulls to 0."""
    across = MASS * LENGTH**2 / 12.0
    link = Link("arm", MASS, com=(LENGTH / 2.0, 0.0, 0.0), inertia=(1e-9, 0.0, 0.0, across, 0.0, across))
    model = Model("arm", [link], gravity=(0.0, 0.0, -gravity))
    made = join(model, "shoulder", "revolute", WORLD, "arm", (0.0, 0.0, 0.0), Y)
    (axis,) = made.axes
    axis.drive_mode, axis.drive_target = "position", 0.0
    axis.drive_stiffness, axis.drive_damping, axis.damping, axis.friction = muscles
    return model


def angles(model, seconds, start=0.0):
    times = np.linspace(0.0, seconds, round(200 * seconds) + 1)
    return times, Simulation(model, times, "exact", {"q": {"shoulder": start}}).run().q[:, 0]


def test_a_stiff_arm_sags_as_statics_says():
    """Guards the scale of the stiffness: an arm that is stretched out comes to rest where the moment of the drive is
    that of its weight, some 15 degrees lower; a limp one hangs down."""
    (muscles,) = muscles_about([ROD], (0.0, 0.0, 0.0), [Y], 1.0)
    smooth = muscles._replace(friction=0.0)
    _, q = angles(arm(smooth, GRAVITY), 6.0)
    expected = brentq(
        lambda angle: muscles.stiffness * angle - MASS * GRAVITY * LENGTH / 2.0 * math.cos(angle), 0.0, 1.5
    )
    assert q[-1] == pytest.approx(expected, abs=1e-4)
    assert 12.0 < math.degrees(expected) < 18.0
    _, limp = angles(arm(smooth._replace(stiffness=0.0, drive_damping=0.0), GRAVITY), 30.0)
    assert limp[-1] == pytest.approx(math.pi / 2.0, abs=1e-3)


def test_an_arm_swings_with_the_period_of_a_rod():
    """Guards the inertia: without damping and gravity, the period is that of the textbook, 2 π √(m l² / 3 k), and its
    frequency is that of a stiff joint but for the mean over directions, 1/4 + 1/18 instead of 1/3."""
    (muscles,) = muscles_about([ROD], (0.0, 0.0, 0.0), [Y], 1.0)
    period = 2.0 * math.pi * math.sqrt(MASS * LENGTH**2 / 3.0 / muscles.stiffness)
    times, q = angles(arm(muscles._replace(drive_damping=0.0, damping=0.0, friction=0.0), 0.0), 2.0, 0.3)
    np.testing.assert_allclose(q, 0.3 * np.cos(2.0 * math.pi * times / period), atol=1e-5)
    assert 1.0 / period == pytest.approx(1.5 * math.sqrt((1.0 / 4.0 + 1.0 / 18.0) * 3.0))


def test_a_stiff_arm_swings_back_once():
    """Guards the damping: as an oscillator whose damping ratio is that of the drive and of the tissue together."""
    (muscles,) = muscles_about([ROD], (0.0, 0.0, 0.0), [Y], 1.0)
    inertia = MASS * LENGTH**2 / 3.0
    omega = math.sqrt(muscles.stiffness / inertia)
    ratio = (muscles.drive_damping + muscles.damping) / (2.0 * inertia * omega)
    assert 0.7 < ratio < 0.9
    times, q = angles(arm(muscles._replace(friction=0.0), 0.0), 2.0, 0.3)
    damped, decay = omega * math.sqrt(1.0 - ratio**2), ratio * omega
    closed = np.exp(-decay * times) * (np.cos(damped * times) + decay / damped * np.sin(damped * times))
    np.testing.assert_allclose(q, 0.3 * closed, atol=1e-5)
    assert -0.01 < q.min() < -1e-4


@pytest.mark.parametrize("share", [0.9, 1.1])
def test_a_limp_arm_rests_where_friction_holds_its_weight(share):
    """Guards bodies that lie: an arm stays at the angle at which its weight exerts less than the friction of its joint,
    which is a few degrees, and moves from where it exerts more."""
    (muscles,) = muscles_about([ROD], (0.0, 0.0, 0.0), [Y], 1.0)
    limp, moment = muscles._replace(stiffness=0.0, drive_damping=0.0), MASS * GRAVITY * LENGTH / 2.0
    lean = math.asin(share * limp.friction / moment)
    assert 1.0 < math.degrees(lean) < 10.0
    _, q = angles(arm(limp, GRAVITY), 2.0, math.pi / 2.0 + lean)
    assert (abs(q[-1] - q[0]) < 1e-9) == (share < 1.0)


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3), st.tuples(*[st.floats(-2.0, 2.0)] * 3))
def test_inertia_is_the_mean_over_all_directions_of_the_rods(rotvec, point):
    """Guards the formula: the inertia of thin rods about an axis, averaged over the axes of a cube, whose second
    moments are those of all directions."""
    axis = Rotation.from_rotvec(rotvec).apply((0.0, 0.0, 1.0))
    rods = [Rod(2.0, (0.3, -0.4, 1.0), 0.5), Rod(0.7, (-1.0, 0.2, 0.1), 0.2)]
    expected = 0.0
    for mass, middle, length in rods:
        for direction in np.eye(3):
            offsets = np.linspace(-0.5, 0.5, 2001)[:, None] * length * direction
            arms = np.cross(axis, offsets + middle - np.array(point))
            weights = np.full(2001, 1.0)
            weights[[0, -1]] = 0.5
            expected += mass / 3.0 * float(np.average((arms**2).sum(axis=1), weights=weights))
    assert inertia_about(rods, point, tuple(axis)) == pytest.approx(expected, rel=1e-5)


def test_a_forearm_has_muscles_about_its_own_axis():
    """Guards thin limbs: about the axis along them, the inertia counts as at least a tenth of the greatest one, so that
    the drive is not so weak that they spin."""
    rod = Rod(1.5, (0.0, 0.15, 0.0), 0.3)
    across, along, other = muscles_about([rod], (0.0, 0.0, 0.0), [(1, 0, 0), (0, 1, 0), (0, 0, 1)], 1.0)
    assert inertia_about([rod], (0.0, 0.0, 0.0), (0, 1, 0)) < 0.2 * inertia_about([rod], (0.0, 0.0, 0.0), (1, 0, 0))
    thin = Rod(1.5, (0.0, 3.0, 0.0), 0.3)
    wide, narrow = muscles_about([thin], (0.0, 0.0, 0.0), [(1, 0, 0), (0, 1, 0)], 1.0)
    assert narrow.stiffness == pytest.approx(0.1 * wide.stiffness)
    assert across == pytest.approx(other)
    assert along.stiffness < across.stiffness


@given(st.floats(0.2, 5.0), st.floats(0.01, 100.0), st.floats(0.01, 100.0))
def test_limbs_of_all_sizes_behave_alike(tone, mass, size):
    """Guards the scale: frequency and damping ratio do not depend on mass and length, and the tone is a factor of the
    stiffness that keeps the damping ratio of the drive."""
    rod = Rod(mass, (size / 2.0, 0.0, 0.0), size)
    (found,) = muscles_about([rod], (0.0, 0.0, 0.0), [Y], tone)
    inertia = inertia_about([rod], (0.0, 0.0, 0.0), Y)
    assert found.stiffness / inertia == pytest.approx(tone * STIFF**2)
    assert found.drive_damping / (2.0 * math.sqrt(found.stiffness * inertia)) == pytest.approx(0.7)
    assert found.damping / (2.0 * inertia * STIFF) == pytest.approx(0.1)
    assert found.friction == pytest.approx(0.03 * inertia * STIFF**2)
