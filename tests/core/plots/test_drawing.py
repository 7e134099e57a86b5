# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces that are drawn of shapes."""

import numpy as np
import pytest

from limberjack.core.geometry import Plane
from limberjack.core.plots.drawing import faces_of


@pytest.mark.parametrize("normal", [(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.6, 0.0, 0.8)])
def test_a_plane_is_drawn_across_its_normal(normal):
    """Guards tilted planes: a rectangle of the plane's size, all of whose corners are across the normal."""
    (corners,) = faces_of(Plane(normal, (2.0, 3.0)))
    assert corners @ np.array(normal) == pytest.approx(np.zeros(len(corners)))
    sides = np.linalg.norm(np.diff(np.vstack([corners, corners[:1]]), axis=0), axis=1)
    assert sorted(sides) == pytest.approx([2.0, 2.0, 3.0, 3.0])
