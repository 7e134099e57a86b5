# SPDX-License-Identifier: GPL-3.0-or-later
"""Long ways over floors of ten thousand triangles, through a bent tube, around a bowl: nothing trips, nothing leaves.

Truth is the closed form of the smooth surface, and what its facets may do to that: where two of them meet at an angle d
in a valley, a part d^2 of the energy goes at most; over a ridge none does.
"""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull

from limberjack.core.geometry import Box, Capsule, Mesh, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.surfaces import sphere_from_inside, tube
from support.touching import LEVEL, NO_TURN, G, pose_of, turned

WAY = 10.0
"""That all go over a floor [m], from x = -5 m on."""
TILT = 0.13
"""Of the way against the rows of triangles [rad]."""
LYING = turned("x", math.pi / 2.0)
HIGH, WAVE = 0.05, 2.0
"""Of a wavy floor, z = HIGH cos(WAVE x) [m, 1/m]: it curves by 0.2 / m at most."""


def floor_of(height, along: int, aside: int, shaken: float = 0.0) -> Mesh:
    """A floor of 12 m by 6 m, of so many cells of two triangles; its vertices are moved aside by a part of a cell."""
    rng = np.random.default_rng(1)
    x, y = np.meshgrid(np.linspace(-6.0, 6.0, along + 1), np.linspace(-3.0, 3.0, aside + 1), indexing="ij")
    x += rng.uniform(-shaken, shaken, x.shape) * 12.0 / along
    y += rng.uniform(-shaken, shaken, y.shape) * 6.0 / aside
    vertices = np.stack([x, y, height(x)], axis=-1).reshape(-1, 3)
    corner = np.arange(len(vertices)).reshape(x.shape)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:]))
    faces = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return Mesh(vertices=vertices, faces=tuple(map(tuple, faces.tolist())))


FLAT = floor_of(np.zeros_like, 100, 50, 0.2)
WAVY = floor_of(lambda x: HIGH * np.cos(WAVE * x), 250, 20)
FACET = HIGH * WAVE**2 * 12.0 / 250
"""Between two triangles of the wavy floor, at most [rad]."""


def pebble() -> Mesh:
    """A hull of thirty corners on a flat base, 0.1 m below its origin."""
    rng = np.random.default_rng(4)
    corners = rng.normal(size=(30, 3))
    corners *= 0.15 / np.linalg.norm(corners, axis=1, keepdims=True)
    corners[:, 2] = np.maximum(corners[:, 2], -0.1)
    base = [(0.11 * math.cos(u), 0.11 * math.sin(u), -0.1) for u in np.arange(0.0, math.tau, 1.0)]
    hull = ConvexHull(np.vstack([corners, base]))
    return Mesh(vertices=hull.points, faces=tuple(map(tuple, hull.simplices.tolist())))


BODIES = {
    "box": (Box((0.3, 0.2, 0.1)), 0.05, NO_TURN),
    "ball": (Sphere(0.1), 0.1, NO_TURN),
    "capsule": (Capsule(0.1, 0.3), 0.1, LYING),
    "hull": (pebble(), 0.1, NO_TURN),
    "marble": (Sphere(0.05), 0.05, NO_TURN),
}
"""Shape, height of its origin over the floor [m], how it lies in the link."""
FOUR = ("box", "ball", "capsule", "hull")
MOMENT = 0.004
"""Of all bodies of 1 kg, about each axis [kg m^2]: that of a ball of 0.1 m."""


def moved(name: str, ground: Mesh, surface: Surface, times, pose, velocity, accuracy="good") -> Simulation:
    shape, _, lies = BODIES[name]
    link = Link("thing", 1.0, inertia=(MOMENT, 0.0, 0.0, MOMENT, 0.0, MOMENT))
    link.collisions = [Shape("shape", shape, (0.0, 0.0, 0.0, *lies), surface=surface)]
    floor = Link("floor", collisions=[Shape("floor", ground, surface=surface)])
    joints = [Joint("held", "fixed", WORLD, "floor"), Joint("free", "free", WORLD, "thing", X_PJ=tuple(pose))]
    model = Model("scene", [floor, link], joints)
    model.gravity = LEVEL
    record = ("contacts", "impacts")
    simulation = Simulation(model, times, accuracy, initial={"qd": {"free": list(velocity)}}, record=record)
    simulation.run()
    return simulation


def along(speed: float) -> tuple[float, float]:
    return speed * math.cos(TILT), speed * math.sin(TILT)


def meets_the_floor_alone(found: Simulation, most: float = 1e-9) -> None:
    for table in (found.trajectory.contacts, found.trajectory.impacts):
        assert np.abs(np.abs(table.normal) - (0.0, 0.0, 1.0)).max(initial=0.0) < most


@pytest.mark.slow
@pytest.mark.parametrize("name", ["box", "hull"])
def test_ten_metres_slid_over_a_flat_floor(name):
    """Guards against trips: it stops after v^2 / 2 mu g, at the floor's height all the way, met by no other normal."""
    surface, speed = Surface(friction=0.3), math.sqrt(2.0 * 0.3 * G * WAY)
    height = BODIES[name][1]
    start = np.array([-5.0, -0.4])
    times = np.linspace(0.0, speed / (0.3 * G) + 0.1, 101)
    found = moved(name, FLAT, surface, times, (*start, height, *NO_TURN), (*along(speed), 0, 0, 0, 0))
    assert_allclose(found.trajectory.X_WL[:, 1, 2], height, atol=1e-6)
    assert_allclose(pose_of(found, "thing")[:2], start + along(WAY), atol=1e-4)
    assert np.abs(found.trajectory.qd[-1]).max() < 1e-6
    assert len(found.trajectory.contacts.normal) > 300
    meets_the_floor_alone(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ball", "capsule"])
def test_ten_metres_rolled_over_a_flat_floor(name):
    """Guards against edges that brake: it rolls on as fast as it came."""
    speed, start = 5.0, np.array([-5.0, -0.4])
    pose = (*start, 0.1, math.cos(TILT / 2.0), 0.0, 0.0, math.sin(TILT / 2.0))
    velocity = (speed, 0.0, 0.0, 0.0, speed / 0.1, 0.0)  # in its own axes
    found = moved(name, FLAT, Surface(friction=0.5), np.linspace(0.0, WAY / speed, 101), pose, velocity)
    assert_allclose(found.trajectory.X_WL[:, 1, 2], 0.1, atol=1e-6)
    assert_allclose(pose_of(found, "thing")[:2], start + along(WAY), atol=1e-4)
    meets_the_floor_alone(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_ten_metres_tumbled_over_a_flat_floor(name):
    """Guards what tips from side to side: each blow and contact is along the floor's normal, none gives energy, and no
    corner is below the floor."""
    surface = Surface(friction=0.6, restitution=0.2)
    pose, velocity = (-5.0, -0.4, 0.5, *turned("y", 0.3)), (*along(7.0), 1.0, 3.0, 20.0, 2.0)
    found = moved(name, FLAT, surface, np.linspace(0.0, 3.0, 151), pose, velocity, "exact")
    trajectory = found.trajectory
    assert np.diff(trajectory.kinetic + trajectory.potential).max() < 1e-6
    assert trajectory.X_WL[-1, 1, 0] > -2.0
    assert len(trajectory.impacts.normal) > 3
    assert trajectory.contacts.gap.min(initial=0.0) > -1e-6
    assert np.abs(trajectory.impacts.point[:, 2]).max() < 1e-6
    meets_the_floor_alone(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_ten_metres_over_waves(name):
    """Guards against trips over edges between facets: normals are the surface's there, points lie on it, and what
    rolls or slides loses no more than facets take."""
    speed, rolls = 4.0, name in ("ball", "capsule")
    way, accuracy = (2.0, "good") if name == "hull" else (WAY, "exact")  # it touches with many corners
    surface = Surface(friction=0.5 if rolls else 0.0)
    height = BODIES[name][1] + HIGH * math.cos(5.0 * WAVE) + 0.01
    velocity = (speed, 0.0, 0.0, 0.0, speed / 0.1 if rolls else 0.0, 0.0)
    times = np.linspace(0.0, 1.04 * way / speed, 121)
    found = moved(name, WAVY, surface, times, (-5.0, 0.123, height, *NO_TURN), velocity, accuracy)
    trajectory = found.trajectory
    assert trajectory.X_WL[-1, 1, 0] > -5.0 + 0.9 * way
    for table in (trajectory.contacts, trajectory.impacts):
        x = table.point[:, 0]
        slope = -HIGH * WAVE * np.sin(WAVE * x)
        true = np.column_stack([-slope, np.zeros_like(x), np.ones_like(x)]) / np.hypot(slope, 1.0)[:, None]
        cosines = np.abs((table.normal * true).sum(axis=1))
        assert np.arccos(np.minimum(cosines, 1.0)).max(initial=0.0) < 1.1 * FACET
        sagitta = FACET * 12.0 / 250 / 8.0
        assert np.abs(table.point[:, 2] - HIGH * np.cos(WAVE * x)).max(initial=0.0) < 1.1 * sagitta + 1e-6
    energy = trajectory.kinetic + trajectory.potential
    assert np.diff(energy).max() < 1e-6
    assert energy[-1] > energy[0] - G * 0.02 - (250 * FACET**2 + 0.01) * trajectory.kinetic[0]


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0, 50.0])
def test_a_ball_never_leaves_a_bent_tube(speed):
    """Guards against walls that let through what is fast: it is inside the bore until it has passed the bend."""
    bend, bore, radius = 1.0, 0.1, 0.05
    vertices, triangles = tube(bend, bore, along=60, around=32)
    wall = Mesh(vertices=vertices, faces=tuple(map(tuple, triangles.tolist())))
    surface = Surface(friction=0.1, restitution=0.3)
    start, times = (bend * math.cos(0.05), bend * math.sin(0.05), 0.0), np.linspace(0.0, 2.2 / speed, 201)
    found = moved("marble", wall, surface, times, (*start, *NO_TURN), (0.0, speed, 0.0, 0.0, 0.0, 0.0))
    at = found.trajectory.X_WL[:, 1, :3]
    inside = np.arctan2(at[:, 1], at[:, 0]) < math.pi / 2.0 - 0.02
    first = len(at) if inside.all() else inside.argmin()
    aside = np.hypot(np.hypot(at[:, 0], at[:, 1]) - bend, at[:, 2])[:first]
    assert aside.max() <= bore - radius + 1e-6
    assert first > 50
    if speed > 3.0:
        assert first < len(at), "it stopped on its way"


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.0, 5.0, 20.0, 50.0])
def test_a_marble_never_leaves_a_bowl(speed):
    """Guards the same for what goes around and around: a bowl that is a whole sphere holds a marble at any speed."""
    hollow, radius = 0.5, 0.05
    vertices, triangles = sphere_from_inside(hollow, 36, 72)
    wall = Mesh(vertices=vertices, faces=tuple(map(tuple, triangles.tolist())))
    surface = Surface(friction=0.2, restitution=0.1)
    start = (0.0, 0.2, -math.sqrt((hollow - radius - 0.003) ** 2 - 0.04))
    times = np.linspace(0.0, 1.0, 201)
    found = moved("marble", wall, surface, times, (*start, *NO_TURN), (speed, 0.0, 0.0, 0.0, 0.0, 0.0))
    away = np.linalg.norm(found.trajectory.X_WL[:, 1, :3], axis=1)
    assert away.max() <= hollow - radius + 1e-6
    energy = found.trajectory.kinetic + found.trajectory.potential
    assert np.diff(energy).max() < 1e-6 * max(energy.max(), 1.0)
