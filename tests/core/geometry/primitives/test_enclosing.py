# SPDX-License-Identifier: GPL-3.0-or-later
"""The smallest ball or circle around points, also where many of them lie on it."""

import math

import numpy as np
import pytest

from limberjack.core.geometry.primitives.enclosing import enclosing_ball
from limberjack.core.spatial import quat_of_rotvec, quat_to_mat


@pytest.mark.parametrize("segments", range(12, 48))
def test_the_rim_of_a_tilted_wheel(segments):
    """Guards rims in single precision: rounding puts three of their points nearly in line with the centre of a fourth.

    Their equations had no solution for one rim in thirty, so that Add Collision Shape ended with an error.
    """
    random = np.random.default_rng(segments)
    angles = np.arange(segments) * math.tau / segments
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(segments)])
    for _ in range(30):
        turn = np.reshape(quat_to_mat(quat_of_rotvec(tuple(random.uniform(-3.0, 3.0, 3)))), (3, 3))
        centre, radius = enclosing_ball((rim @ turn.T).astype(np.float32).astype(float))
        assert radius == pytest.approx(1.0, abs=1e-6)
        assert centre == pytest.approx(np.zeros(3), abs=1e-6)
