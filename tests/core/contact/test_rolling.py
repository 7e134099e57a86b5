# SPDX-License-Identifier: GPL-3.0-or-later
"""What rolls on curved surfaces and rims moves as closed forms, conserved quantities and other equations have it."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Cylinder, Ellipsoid, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import Link
from support.touching import LEVEL, NO_TURN, STILL, G, moved, pose_of, scene, sloped, turned, velocity_of


def round_link(mass, moments, shape, surface, pose=(0.0, 0.0, 0.0, *NO_TURN)):
    (xx, xy, yy, zz) = moments
    collision = Shape("shape", shape, pose, surface=surface)
    return Link("link", mass, inertia=(xx, xy, 0.0, yy, 0.0, zz), collisions=[collision])


def energies(found):
    return found.trajectory.kinetic + found.trajectory.potential


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_cylinder_rolls_down_a_slope(accuracy):
    """a = g sin / (1 + 1/2), on both of its rims."""
    surface, r, length = Surface(friction=0.5), 0.2, 0.05
    across = 3.0 * (r * r / 4.0 + length**2 / 12.0)
    link = round_link(3.0, (across, 0.0, across, 1.5 * r * r), Cylinder(r, length), surface)
    found = moved(
        scene(surface, sloped(15.0), (link, (0.0, 0.0, r, *turned("x", math.pi / 2.0)))),
        [0.0, 1.0],
        accuracy,
        link=STILL,
    )
    gone = 0.5 * G * math.sin(math.radians(15.0)) / 1.5
    assert pose_of(found, "link")[0] == pytest.approx(gone, rel=1e-4 if accuracy == "draft" else 1e-8)


def test_a_weighted_ball_rocks():
    """Its mass sits below its middle: while it rolls, energy is kept, and small swings have their period."""
    surface, r, low, inertia = Surface(friction=1.0), 0.1, 0.04, 0.003
    link = round_link(1.0, (inertia, 0.0, inertia, inertia), Sphere(r), surface, (0.0, 0.0, low, *NO_TURN))
    tilt = math.radians(0.1)
    pose = (-low * math.sin(tilt), 0.0, r - low * math.cos(tilt), *turned("y", tilt))
    period = math.tau * math.sqrt((inertia + (r - low) ** 2) / (G * low))
    found = moved(scene(surface, LEVEL, (link, pose)), [0.0, period / 2.0, period], link=STILL)
    assert pose_of(found, "link", 1)[4:6] == pytest.approx((0.0, -math.sin(tilt / 2.0)), abs=1e-8)
    assert pose_of(found, "link", 2)[4:6] == pytest.approx((0.0, math.sin(tilt / 2.0)), abs=1e-8)
    assert np.ptp(energies(found)) < 1e-12


def test_a_rattleback_turns_round():
    """A stone whose inertia is askew reverses its spin; ../shared's own equations of it give the time."""
    surface = Surface(friction=1.0)
    moments = 4.3848546310211e-05, -3.255903331254944e-05, 0.0004131514536897891, 0.000425
    link = round_link(0.2, moments, Ellipsoid((0.1, 0.025, 0.02)), surface)
    spin = np.array([0.05, 0.05, -5.0])
    start = (*np.cross(spin, (0.0, 0.0, 0.02)), *spin)
    found = moved(scene(surface, LEVEL, (link, (0.0, 0.0, 0.02, *NO_TURN))), np.arange(0.0, 2.3, 0.01), link=start)
    spins = found.trajectory.qd[:, 5]
    at = int(np.flatnonzero((spins[:-1] < 0.0) & (spins[1:] >= 0.0))[0])
    reversal = found.trajectory.times[at] - 0.01 * spins[at] / (spins[at + 1] - spins[at])
    assert reversal == pytest.approx(2.12826, rel=1e-3)
    assert np.ptp(energies(found)) < 1e-10 * energies(found)[0]


def test_a_disc_rolls_round_on_its_rim():
    """Euler's disc: at 20 degrees its contact goes round with W^2 sin = 4 g / r, and its middle stays."""
    surface, r, thick, tilt = Surface(friction=1.0), 0.15, 1e-5, math.radians(20.0)
    round_rate = math.sqrt(4.0 * G / (r * math.sin(tilt)))
    link = round_link(0.5, (0.5 * r * r / 4.0, 0.0, 0.5 * r * r / 4.0, 0.5 * r * r / 2.0), Cylinder(r, thick), surface)
    pose = (0.0, 0.0, r * math.sin(tilt) + 0.5 * thick * math.cos(tilt), *turned("y", tilt))
    found = moved(
        scene(surface, LEVEL, (link, pose)),
        np.linspace(0.0, 0.5, 51),
        link=(0.0, 0.0, 0.0, round_rate * math.sin(tilt), 0.0, 0.0),
    )
    assert np.abs(pose_of(found, "link")[:2]).max() < 1e-5
    assert pose_of(found, "link")[2] == pytest.approx(pose[2], abs=1e-5)
    assert np.ptp(energies(found)) < 1e-6 * energies(found)[0]


def test_a_top_keeps_jelletts_integral():
    """Under any friction at the contact, L . (contact - centre of mass) of a ball's top stays; here it is smoothed."""
    surface = Surface(friction=0.15, slip_speed=0.01)
    r, low, inertia = 0.02, 0.004, 3.2e-6
    link = round_link(0.02, (inertia, 0.0, inertia, inertia), Sphere(r), surface, (0.0, 0.0, low, *NO_TURN))
    tilt = math.radians(10.0)
    pose = (0.0, 0.0, r - low * math.cos(tilt), *turned("y", tilt))
    found = moved(scene(surface, LEVEL, (link, pose)), np.linspace(0.0, 0.5, 26), "good", link=(0.0,) * 5 + (160.0,))
    kept = []
    for frame in range(26):
        w, x, y, z = pose_of(found, "link", frame)[3:]
        axis = np.array([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)])
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), axis[0]],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), axis[1]],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), axis[2]]])  # fmt: skip
        momentum = inertia * turn @ velocity_of(found, "link", frame)[3:]
        kept.append(float(momentum @ (low * axis - np.array([0.0, 0.0, r]))))
    assert kept == pytest.approx([kept[0]] * 26, rel=1e-6)
