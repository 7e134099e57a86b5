# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor tells what fell through a hole of a mesh from what left it over its edge."""

import math

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.geometry import Mesh, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, solid

ROUGH = Surface(friction=0.5)
COUNT = 8


def squares(is_there):
    """(vertices, faces) of a plate of 4 m, made of squares of 0.5 m, those for whose middle `is_there` holds."""
    ticks = np.linspace(-2.0, 2.0, COUNT + 1)
    x, y = (each.ravel() for each in np.meshgrid(ticks, ticks, indexing="ij"))
    faces = []
    for i in range(COUNT):
        for j in range(COUNT):
            if is_there(ticks[i] + 0.25, ticks[j] + 0.25):
                a, b = i * (COUNT + 1) + j, (i + 1) * (COUNT + 1) + j
                faces += [(a, b, b + 1), (a, b + 1, a + 1)]
    return np.column_stack([x, y, 0.0 * x]), faces


def sheet(is_there):
    vertices, faces = squares(is_there)
    return Mesh(vertices=vertices, faces=tuple(faces))


def plate(is_there, thickness=0.1):
    """The same as a closed mesh: a top, a bottom, and walls between them at each border."""
    vertices, faces = squares(is_there)
    below = len(vertices)
    edges = {(face[k], face[(k + 1) % 3]) for face in faces for k in range(3)}
    border = [(a, b) for a, b in edges if (b, a) not in edges]
    walls = [each for a, b in border for each in ((b, a, a + below), (b, a + below, b + below))]
    bottom = [(c + below, b + below, a + below) for a, b, c in faces]
    return Mesh(vertices=np.vstack([vertices, vertices - [0.0, 0.0, thickness]]), faces=(*faces, *bottom, *walls))


def everywhere(x, y):
    return True


def holed(x, y):
    return max(abs(x - 1.0), abs(y)) > 0.5


def bent(x, y):
    return x < 0.0 or y < 0.0


def told(mesh, start, speed):
    """What the doctor says of a ball that rolls from (x, y) with a speed, on a mesh that stands."""
    floor = Link("floor", collisions=[Shape("top", mesh, surface=ROUGH)])
    ball = solid("ball", Sphere(0.1), 1.0, ROUGH)
    ball.pose = (start[0], start[1], 0.101, *NO_TURN)
    joints = [
        Joint("held", "fixed", WORLD, "floor"),
        Joint("free ball", "free", WORLD, "ball", X_PJ=ball.pose),
    ]
    model = Model("mesh", [floor, ball], joints, gravity=LEVEL)
    initial = {"qd": {"free ball": [speed[0], speed[1], 0.0, 0.0, 0.0, 0.0]}}
    run = Simulation(model, np.arange(73) / 24, initial=initial)
    run.run()
    (found,) = [each for each in diagnose(run) if each.code == "fell-out"]
    assert found.subject == "link 'ball'"
    return found.message


@pytest.mark.parametrize("make", [sheet, plate])
@pytest.mark.parametrize(
    ("is_there", "start", "speed"),
    [(everywhere, (1.0, 0.3), (3.0, 0.0)), (holed, (-1.0, 1.2), (-3.0, 0.2)), (bent, (-0.5, 0.7), (3.0, 0.0))],
    ids=["whole", "with a hole elsewhere", "at an inner corner"],
)
def test_over_the_edge(make, is_there, start, speed):
    """Guards what rolls off: it is not said that the mesh has a hole, and the place is named."""
    message = told(make(is_there), start, speed)
    assert "it left link 'floor' over the edge of its mesh, at " in message
    assert "hole" not in message
    place = np.array(message.partition(", at ")[2].partition(" m;")[0].split(), float)
    assert place[2] == pytest.approx(0.0, abs=0.05)
    assert math.dist(place[:2], start) > 0.5


@pytest.mark.parametrize("make", [sheet, plate])
def test_through_a_hole(make):
    """Guards what falls through: the hole's place is named, in sheets, and in plates whose holes have walls."""
    message = told(make(holed), (0.0, 0.1), (1.0, 0.0))
    assert "it came through the mesh of link 'floor', which has a hole at " in message
    place = np.array(message.partition("hole at ")[2].partition(" m,")[0].split(), float)
    assert abs(place[0] - 1.0) < 0.6
    assert abs(place[1]) < 0.6


def test_beside_a_mesh():
    """Guards what was never above it: neither hole nor edge."""
    assert "what stands ('floor') is not below it" in told(sheet(everywhere), (2.5, 0.0), (0.0, 0.0))
