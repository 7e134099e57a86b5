# SPDX-License-Identifier: GPL-3.0-or-later
"""Cables as chains of stiff pieces, against the curve in which a rope hangs."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import link_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, inverse, quat_of_rotvec

PIECES, LENGTH, SPAN = 50, 2.0, 1.2
PIECE = LENGTH / PIECES
TIP = (0.0, 0.0, PIECE, 1.0, 0.0, 0.0, 0.0)


def hung_as_a_wedge():
    """A cable of 1 kg between two points of the world at one height, drawn in two straight halves.

    It stretches by 0.1 % under its weight, resists bending next to not at all, and swings for some seconds.
    """
    axes = [Axis(spring_stiffness=1e5, damping=20.0), Axis(spring_stiffness=1e-4, damping=0.05)]
    axes.append(Axis(spring_stiffness=1e-2, damping=1e-3))
    mass, slope = 1.0 / PIECES, math.asin(SPAN / LENGTH)
    across, along = mass * PIECE**2 / 12, mass * 0.005**2 / 2
    poses = [(0.0, 0.0, 0.0, *quat_of_rotvec((0.0, math.pi - slope, 0.0)))]
    for i in range(1, PIECES):
        bend = 2.0 * slope - math.pi if i == PIECES // 2 else 0.0
        poses.append(compose(compose(poses[-1], TIP), (0.0, 0.0, 0.0, *quat_of_rotvec((0.0, bend, 0.0)))))
    model = Model()
    for i, pose in enumerate(poses):
        inertia = (across, 0.0, 0.0, across, 0.0, along)
        model.links.append(Link(f"piece{i}", mass, (0.0, 0.0, PIECE / 2), inertia, pose))
        X_PJ = compose(inverse(poses[i - 1]), pose) if i else pose
        model.joints.append(Joint(f"cable{i}", "cable", f"piece{i - 1}" if i else WORLD, f"piece{i}", X_PJ, axes=axes))
    last, end = f"piece{PIECES - 1}", compose(poses[-1], TIP)
    model.joints.append(Joint("end", "cable", WORLD, last, end, TIP, axes, closes_loop=True))
    return model


def catenary(arcs):
    """Points (x, z), shape (n, 2) [m], of a rope between (0, 0) and (SPAN, 0) at arc lengths from the first.

    z = a cosh((x - SPAN / 2) / a) + const., with a such that 2 a sinh(SPAN / 2 a) is the rope's length (Newton).
    """
    a = 0.25 * SPAN
    for _ in range(50):
        u = SPAN / (2.0 * a)
        a -= (2.0 * a * math.sinh(u) - LENGTH) / (2.0 * math.sinh(u) - 2.0 * u * math.cosh(u))
    assert 2.0 * a * math.sinh(SPAN / (2.0 * a)) == pytest.approx(LENGTH, rel=1e-14)
    x = a * np.arcsinh((arcs - LENGTH / 2.0) / a)
    return np.stack([x + SPAN / 2.0, a * np.cosh(x / a) - a * math.cosh(SPAN / (2.0 * a))], axis=1)


def test_it_is_drawn_from_point_to_point():
    """Guards the model of the test below: a wedge whose end lies at (SPAN, 0, 0), a tenth of it away from the rope."""
    model = hung_as_a_wedge()
    poses = link_poses(model)
    for link in model.links:
        assert poses[link.name] == pytest.approx(link.pose, abs=1e-12)
    assert model.joints[-1].X_PJ[:3] == pytest.approx((SPAN, 0.0, 0.0), abs=1e-12)
    assert model.joints[-1].X_PJ == pytest.approx(compose(poses[f"piece{PIECES - 1}"], TIP), abs=1e-12)
    assert poses[f"piece{PIECES // 2}"][:3] == pytest.approx((SPAN / 2, 0.0, -0.8), abs=1e-12)
    joints = np.array([poses[link.name] for link in model.links])[1:, (0, 2)]
    away = np.linalg.norm(joints - catenary(PIECE * np.arange(1, PIECES)), axis=1)
    assert 0.05 * SPAN < away.max() < 0.2 * SPAN


def test_a_cable_comes_to_rest_as_a_catenary():
    """Guards cables between two points, and stiff springs and dampers: after 8 s it hangs within 1 % of its span."""
    run = Simulation(hung_as_a_wedge(), np.linspace(0.0, 8.0, 81), "good")
    motion = run.run()
    hangs = motion.X_WL[-1, 1:, :3]
    expected = catenary(PIECE * np.arange(1, PIECES))
    assert np.linalg.norm(hangs[:, (0, 2)] - expected, axis=1).max() < 0.01 * SPAN
    assert np.abs(hangs[:, 1]).max() < 1e-6
    assert np.abs(motion.X_WL[-1, :, :3] - motion.X_WL[-2, :, :3]).max() < 1e-3 * SPAN
    assert motion.kinetic[-1] < 1e-4 * motion.kinetic.max()
