# SPDX-License-Identifier: GPL-3.0-or-later
"""Many points at once, by events: what is jammed or held more than once, and islands."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Cone, Cylinder, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, NO_TURN, G, moved, pose_of, scene, sloped, solid, turned

FLOOR_MU, WALL_MU = 0.4, 0.2
LENGTH, END = 3.0, 1e-3


def ladder(degrees: float, times, accuracy: str = "exact") -> Simulation:
    """A rod of 5 kg that leans on a wall, with a small ball at either end."""
    angle = math.radians(degrees)
    ends = [Shape(f"end{sign}", Sphere(END), (0.0, 0.0, 0.5 * sign * LENGTH, *NO_TURN)) for sign in (-1, 1)]
    inertia = 5.0 * LENGTH**2 / 12.0
    rod = Link("rod", 5.0, inertia=(inertia, 0.0, 0.0, inertia, 0.0, 1e-3), collisions=ends)
    ground = Link("ground", collisions=[Shape("top", Plane((0.0, 0.0, 1.0)), surface=Surface(friction=FLOOR_MU))])
    wall = Link("wall", collisions=[Shape("side", Plane((-1.0, 0.0, 0.0)), surface=Surface(friction=WALL_MU))])
    reach, rise = 0.5 * LENGTH * math.cos(angle), 0.5 * LENGTH * math.sin(angle)
    places = [
        Joint("ground", "fixed", WORLD, "ground"),
        Joint("wall", "fixed", WORLD, "wall", X_PJ=(reach + END, 0.0, 0.0, *NO_TURN)),
        Joint("free", "free", WORLD, "rod", X_PJ=(0.0, 0.0, rise + END, *turned("y", 0.5 * math.pi - angle))),
    ]
    model = Model("ladder", [rod, ground, wall], places)
    model.gravity = LEVEL
    for end in ends:
        end.surface = Surface(friction=1.0)
    simulation = Simulation(model, times, accuracy)
    simulation.run()
    return simulation


def least_angle() -> float:
    """Degrees at which a ladder of even density begins to slide: tan = (1 - mu_floor mu_wall) / (2 mu_floor)."""
    return math.degrees(math.atan((1.0 - FLOOR_MU * WALL_MU) / (2.0 * FLOOR_MU)))


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_ladder_stands_by_loads_inside_of_its_cones(accuracy):
    """Guards what is jammed: the least loads would pull at the wall, and the cones find others."""
    found = ladder(least_angle() + 0.1, [0.0, 0.5, 1.0], accuracy)
    assert_allclose(found.trajectory.X_WL[-1, 0], found.trajectory.X_WL[0, 0], atol=1e-9)
    forces = {contact.first if contact.second == "rod" else contact.second: contact for contact in found.contacts}
    pushes = {name: each.force if each.second == "rod" else -each.force for name, each in forces.items()}
    assert_allclose(pushes["ground"] + pushes["wall"], (0.0, 0.0, 5.0 * G), atol=1e-6)
    torque = sum(np.cross(forces[name].point - pose_of(found, "rod")[:3], push) for name, push in pushes.items())
    assert_allclose(torque, 0.0, atol=1e-6)
    assert math.hypot(*pushes["ground"][:2]) <= FLOOR_MU * pushes["ground"][2] * (1.0 + 1e-6)
    assert math.hypot(*pushes["wall"][1:]) <= -WALL_MU * pushes["wall"][0] * (1.0 + 1e-6)


def test_a_ladder_that_is_too_flat_slides():
    """Guards against loads that are made up: below the angle no force inside of both cones holds it."""
    found = ladder(least_angle() - 0.1, [0.0, 0.3])
    assert pose_of(found, "rod")[2] < found.trajectory.X_WL[0, 0, 2] - 1e-4


def test_a_tower_rests_on_what_holds_it_many_times():
    """Guards redundant points: eight blocks stand by four corners each, and each bears what is above it."""
    surface = Surface(friction=0.5)
    blocks = [(solid(f"b{i}", Box((0.1, 0.1, 0.1)), 1.0, surface), (0, 0, 0.05 + 0.1 * i, *NO_TURN)) for i in range(8)]
    found = moved(scene(surface, LEVEL, *blocks), [0.0, 2.0], "exact")
    for i in range(8):
        below = "floor" if i == 0 else f"b{i - 1}"
        held = [each for each in found.contacts if {each.first, each.second} == {below, f"b{i}"}]
        assert_allclose(sum(abs(each.force[2]) for each in held), (8 - i) * G, rtol=1e-8)
        assert_allclose(pose_of(found, f"b{i}")[:3], (0.0, 0.0, 0.05 + 0.1 * i), atol=1e-9)


def test_islands_have_nothing_to_do_with_each_other():
    """Guards equations by islands: what slides beside others has the loads that it has alone."""
    surface = Surface(friction=0.3)

    def run(count):
        boxes = [(solid(f"b{i}", Box((0.2, 0.2, 0.1)), 1.0, surface), (0, i, 0.05, *NO_TURN)) for i in range(count)]
        return moved(scene(surface, sloped(30.0), *boxes), [0.0, 0.4])

    alone, beside = run(1), run(4)
    forces = [
        sorted(each.force[2] for each in one.contacts if "b0" in (each.first, each.second)) for one in (alone, beside)
    ]
    assert_allclose(*forces, rtol=1e-9)
    slid = 0.5 * G * (math.sin(math.radians(30.0)) - 0.3 * math.cos(math.radians(30.0))) * 0.4**2
    for i in range(4):
        assert_allclose(pose_of(beside, f"b{i}")[:3], (slid, i, 0.05), atol=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("shape", [Cylinder(0.15, 0.2), Cone(0.15, 0.2)], ids=["cylinder", "cone"])
def test_a_rim_sinks_in_at_each_place_of_it_once(shape, tilt):
    """Guards soft rims, by energy: each place that is listed was taken for the lowest one, and pushed there as well."""
    soft = Surface(stiffness=1700.0, dissipation=1.0, friction=0.5)
    link = solid("it", shape, 30.0, soft, moments=(0.3, 0.3, 0.3))
    model = scene(soft, LEVEL, (link, (0.0, 0.0, 0.2, *turned("y", tilt))))
    simulation = Simulation(model, np.arange(49) / 48.0)
    simulation.run()
    assert simulation.report.relative_drift < 0.05
