# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths through samples are exact at these, smooth in between, and close to what was sampled."""

import math

import numpy as np
import pytest

from limberjack.core.controls.paths import pose_path, spline_bends

STEP = 1.0 / 24.0


def swing(time):
    """A pose with nothing special about its beginning: place, and a turn of more than one whole one."""
    angle = 3.0 * time + 0.7
    x, y, z = math.cos(2.0 * time), math.exp(-time), math.sin(3.0 * time + 0.4)
    return np.array([x, y, z, math.cos(angle / 2), 0.6 * math.sin(angle / 2), 0.0, 0.8 * math.sin(angle / 2)])


def sampled(step=STEP, count=61):
    """The poses, each with a sign of its own, as matrices give them."""
    poses = np.array([swing(0.5 + step * i) for i in range(count)])
    poses[:, 3:] *= np.where(poses[:, 3:4] < 0.0, -1.0, 1.0)
    return pose_path(0.5, step, poses), poses


def apart(found, expected):
    """The distance of places, and of quaternions of either sign."""
    turn = min(np.abs(found[3:] - expected[3:]).max(), np.abs(found[3:] + expected[3:]).max())
    return max(np.abs(found[:3] - expected[:3]).max(), turn)


def test_exact_at_the_samples():
    """At each sample's time the path is there to the last digits, and before and after all it stays."""
    path, poses = sampled()
    for number, pose in enumerate(poses):
        assert apart(path(0.5 + number * STEP), pose) < 1e-14
    assert apart(path(0.0), poses[0]) < 1e-15
    assert apart(path(9.0), poses[-1]) < 1e-15


def test_fourth_order_up_to_the_ends():
    """Between the samples the error falls sixteenfold as they come twice as close, in the first and last pieces too."""
    errors = []
    for count in (31, 61, 121):
        path, _ = sampled(step=60 * STEP / (count - 1), count=count)
        times = 0.5 + np.linspace(0.0, 60 * STEP, 997)
        errors.append(max(apart(path(time), swing(time)) for time in times))
    assert errors[1] < 1e-5
    assert errors[0] / errors[1] > 12.0
    assert errors[1] / errors[2] > 12.0


def test_acceleration_is_continuous():
    """What a second difference finds just before a sample, it finds just after it."""
    path, _ = sampled()
    h = 1e-4
    for number in range(1, 60):
        before, after = (
            np.array([path(0.5 + number * STEP + side * k * h)[:3] for k in range(3)]) for side in (-1.0, 1.0)
        )
        bends = [(each[2] - 2.0 * each[1] + each[0]) / h**2 for each in (before, after)]
        assert bends[0] == pytest.approx(bends[1], abs=0.02)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_few_samples(count):
    """As many samples as a polynomial up to the third degree needs give that polynomial."""
    times = np.arange(count, dtype=float)
    degree = min(count - 1, 3)
    values = sum((k + 1.0) * times**k for k in range(degree + 1))
    poses = np.column_stack([values, values, values, np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))])
    path = pose_path(0.0, 1.0, poses)
    for time in np.linspace(0.0, count - 1.0, 13):
        assert path(time)[0] == pytest.approx(sum((k + 1.0) * time**k for k in range(degree + 1)), rel=1e-12)
    assert spline_bends(poses).shape == poses.shape
