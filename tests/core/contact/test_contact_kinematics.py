# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of a contact point: its normal does not depend on the poses that were tried since the last step."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from limberjack.core.contact.contact_kinematics import update_kinematics
from limberjack.core.contact.points import LINEAR, POINT, SPHERICAL

HEIGHT, RADIUS = 0.03, 0.02
BODY = np.dtype([("rotation", np.float64, 9), ("origin", np.float64, 3), ("velocity", np.float64, 6)])


def turned(degrees: float) -> np.ndarray:
    """Return a rotation about y, row by row."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c])


@pytest.mark.parametrize("kind", [LINEAR, SPHERICAL])
def test_poses_that_are_tried_do_not_turn_a_contact_over(kind):
    """Guards contacts of edges, capsules and spheres. A step that is tried may turn a body by more than a right angle.
    If that reversed the normal, an edge 1 cm from a capsule would later seem to be 5 cm deep in it.
    """
    bodies = np.zeros(2, BODY).view(np.recarray)
    bodies.rotation = turned(0.0)
    point = np.zeros(1, POINT).view(np.recarray)[0]
    point["one"]["kind"], point["one"]["along"], point["one"]["radius"] = kind, (1.0, 0.0, 0.0), RADIUS
    point["other"]["kind"], point["other"]["along"], point["other"]["body"] = LINEAR, (0.0, 1.0, 0.0), 1
    point["start_normal"] = point["normal"] = (0.0, 0.0, 1.0)
    for degrees in (0.0, 80.0, 160.0, 0.0):  # the line goes around the axis, as the body would turn
        rotation = turned(degrees)
        bodies[0].rotation = rotation
        bodies[1].origin = HEIGHT * rotation.reshape(3, 3)[:, 2]
        update_kinematics(SimpleNamespace(bodies=bodies), point)
    assert point["gap"] == pytest.approx(HEIGHT - RADIUS)
    assert point["normal"] == pytest.approx([0.0, 0.0, 1.0])
