# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that start deep in the ground are reported, with the height that frees them."""

import math

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.check.overlapping import SUNK, overlapping
from limberjack.core.geometry import Box, Mesh, Plane, Shape, Sphere
from limberjack.core.kinematics.proximity.distances import Proximity
from limberjack.core.kinematics.proximity.sunk import sunk_machines
from limberjack.core.model import WORLD, Joint, Link, Model
from support.touching import turned

SHEET = Mesh(
    vertices=np.array([(-5.0, -5.0, 0.0), (5.0, -5.0, 0.0), (5.0, 5.0, 0.0), (-5.0, 5.0, 0.0)]),
    faces=((0, 1, 2), (0, 2, 3)),
)
GROUNDS = {"plane": Plane(), "sheet": SHEET}


def ball_and(ground, *balls: tuple[str, float]) -> Model:
    """Balls of radius 0.5 m at heights, and a floor that stands still."""
    links = [Link("floor", collisions=[Shape("top", ground)])]
    joints = [Joint("held", "fixed", WORLD, "floor")]
    for number, (name, height) in enumerate(balls):
        pose = (2.0 * number, 0.0, height, 1.0, 0.0, 0.0, 0.0)
        links.append(Link(name, 1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1), pose=pose))
        links[-1].collisions = [Shape("ball", Sphere(0.5))]
    return Model("scene", links, joints)


def sunk(model: Model):
    return sunk_machines(Proximity(model))


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("height", [0.4, 0.0, -0.3])
def test_the_height_that_frees_a_ball(ground, height):
    """Guards the lift: it is what is missing to the radius, also where the shortest way out of a sheet is downward."""
    (found,) = sunk(ball_and(GROUNDS[ground], ("ball", height)))
    assert (found.link, found.ground, found.links) == ("ball", "floor", ("ball",))
    assert found.lift == pytest.approx(0.5 - height, abs=2e-5)


def test_no_gravity_or_shallow_or_beside_is_not_reported():
    """Guards against needless warnings: of what floats, stands on the ground, or is in a wall or in a block."""
    assert not sunk(ball_and(Plane(), ("ball", 0.4999)))
    floating = ball_and(Plane(), ("ball", 0.0))
    floating.gravity = (0.0, 0.0, 0.0)
    assert not sunk(floating)
    wall = ball_and(SHEET, ("ball", 0.0))
    wall.joints[0].X_PJ = (0.0, 0.0, 0.0, *turned("y", math.pi / 2.0))
    slab = ball_and(Box((9.0, 9.0, 0.4)), ("ball", 0.2))
    for model in (wall, slab):
        assert not sunk(model)
        assert [issue.code for issue in overlapping(model)] == ["overlapping"]


def test_a_machine_is_lifted_as_a_whole():
    """Guards machines: one finding for all links that hang together, with the height that frees the deepest one."""
    model = ball_and(Plane(), ("high", 0.3), ("low", 0.1), ("alone", 0.2))
    away = (2.0, 0.0, -0.2, 1.0, 0.0, 0.0, 0.0)
    model.joints.append(Joint("hinge", "revolute", "high", "low", X_PJ=away))
    found = {each.link: each for each in sunk(model)}
    assert found.keys() == {"low", "alone"}
    assert set(found["low"].links) == {"high", "low"}
    assert found["low"].lift == pytest.approx(0.4, abs=1e-4)
    assert found["alone"].lift == pytest.approx(0.3, abs=1e-4)


def test_what_is_held_or_starts_elsewhere_is_not_reported():
    """Guards mounts that reach through a floor, and links that start where their keys have them."""
    model = ball_and(Plane(), ("ball", 0.0))
    assert not sunk_machines(Proximity(model), {"ball"})
    model.joints.append(Joint("hinge", "revolute", WORLD, "ball", X_PJ=model.links[1].pose))
    assert not sunk(model)


def test_check_tells_it_once():
    """Guards `check_model` and `check --overlaps`: one warning with the height, and not another one for the overlap."""
    model = ball_and(Plane(), ("ball", 0.2))
    (issue,) = [issue for issue in check_model(model) if issue.code == SUNK]
    assert (issue.severity, issue.subject) == ("warning", "link 'ball'")
    assert "300 mm deep in link 'floor'" in issue.message
    assert "lift it by 300 mm" in issue.message
    assert [issue.code for issue in overlapping(model)] == [SUNK]
