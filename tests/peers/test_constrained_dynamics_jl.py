# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of ConstrainedDynamics.jl (test/pendulum_period.jl, test/nutation.jl)."""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import X_AXIS, add_body, axis, differs, moments, point_at, rotation


def mean(x, y):
    """Return the arithmetic-geometric mean."""
    while abs(x - y) > 1e-15:
        x, y = (x + y) / 2, sqrt(x * y)
    return x


@pytest.mark.parametrize(("amplitude", "ratio"), [(pi / 2, 1.18), (pi / 3, 1.073), (pi / 6, 1.017)])
def test_pendulum_period(amplitude, ratio):
    """Guards the period of large swings: the peer's ratio to that of small ones, and the exact one as a mean."""
    period = 2 * pi * sqrt(1 / 3 / (9.81 * 0.5)) / mean(1, cos(amplitude / 2))
    assert abs(1 / mean(1, cos(amplitude / 2)) - ratio) < 1e-3
    model = lj.Model("pendulum")
    rod = {"mass": 1, "com": (0, 0, -0.5), "inertia": moments(1 / 12, 1 / 12, 1e-4)}
    add_body(model, "rod", "revolute", axes=[axis(X_AXIS)], **rod)
    motion = lj.simulate(model, 2 * period, frame_rate=400 / period, q={"to rod": amplitude}, accuracy="exact")
    assert abs(motion.joint("to rod")[400, 0] - amplitude) < 1e-6


HEIGHT, RADIUS = 0.1, 1.0
MASS = HEIGHT * RADIUS
ACROSS, ALONG = MASS / 12 * (3 * RADIUS**2 + HEIGHT**2), MASS / 2 * RADIUS**2
SPIN, NUDGE = 50 * pi, 2 * 0.005
"""Rate of the disc [rad/s], and the impulse of the peer's force at its rim, 2 N for 5 ms [N s]."""


def turn(direction, angle):
    x, y, z = direction
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + sin(angle) * K + (1 - cos(angle)) * K @ K


@pytest.fixture(scope="module")
def disc():
    """Two seconds of the disc, that starts with what the nudge gives it: a speed along z, and a turn about x."""
    model = lj.Model("disc", gravity=(0, 0, 0))
    lj.add_link(model, lj.Link("disc", mass=MASS, inertia=moments(ACROSS, ACROSS, ALONG)))
    start = {"disc": [0, 0, NUDGE / MASS, NUDGE * RADIUS / ACROSS, 0, SPIN]}
    return lj.simulate(model, 2.0, frame_rate=200, accuracy="exact", qd=start)


def test_nutation_is_that_of_a_symmetric_top(disc):
    """Guards attitude after a hundred turns: precession about the angular momentum, and spin, in closed form."""
    L = np.array([NUDGE * RADIUS, 0, ALONG * SPIN])
    size = np.linalg.norm(L)
    exact = turn(L / size, size / ACROSS * 2.0) @ turn((0, 0, 1), SPIN * (1 - ALONG / ACROSS) * 2.0)
    assert differs(rotation(disc.link("disc")[-1][3:]), exact) < 1e-5


def test_nutation_stays_small(disc):
    """Guards the peer's bound: a point on the rim rises by less than 1 cm above what the disc's middle moves."""
    rim = np.array([point_at(pose, (0, RADIUS, 0))[2] for pose in disc.link("disc")])
    assert (rim - NUDGE / MASS * disc.times).max() < 0.01
