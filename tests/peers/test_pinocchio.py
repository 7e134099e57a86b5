# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Pinocchio's test suite (unittest/liegroups.cpp): integration and difference on SE(3)."""

from math import cos, pi, sin

import numpy as np
import pytest

import limberjack as lj
from support.peers import differs, rotation, rpy

ANGLES = [0, 1e-9, 1e-5, 0.5, 2, 3.1, pi - 1e-7, pi - 1e-4]
START = np.array([0.1, 0.2, 0.3, *rpy(0.3, -0.4, 1.2)])


def exponential(v, w):
    """Return (rotation, translation) of the motion that a constant twist in moving axes makes in 1 s."""
    angle = np.linalg.norm(w)
    K = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    if angle < 1e-9:
        return np.eye(3) + K, np.array(v)
    R = np.eye(3) + sin(angle) / angle * K + (1 - cos(angle)) / angle**2 * K @ K
    V = np.eye(3) + (1 - cos(angle)) / angle**2 * K + (angle - sin(angle)) / angle**3 * K @ K
    return R, V @ v


@pytest.fixture(scope="module")
def body():
    model = lj.Model("free")
    lj.add_link(model, lj.Link("body"))
    return lj.compile_model(model)


def twists():
    """Forty random twists, at each of the angles five times."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        direction = random.normal(size=3)
        yield random.normal(size=3), direction / np.linalg.norm(direction) * ANGLES[seed % 8]


def test_integrate_is_the_exponential(body):
    """Guards the free joint's integration from no turn to nearly half a turn."""
    for v, w in twists():
        q = lj.integrate(body, START, np.r_[v, w])
        R, p = exponential(v, w)
        R0 = rotation(START[3:])
        assert differs(rotation(q[3:]), R0 @ R) < 1e-9
        assert differs(q[:3], START[:3] + R0 @ p) < 1e-9


def test_difference_undoes_integrate(body):
    """Guards the logarithm, which is ill-conditioned near half a turn."""
    for v, w in twists():
        q = lj.integrate(body, START, np.r_[v, w])
        assert differs(lj.difference(body, START, q), np.r_[v, w]) < 1e-6
