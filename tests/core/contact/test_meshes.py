# SPDX-License-Identifier: GPL-3.0-or-later
"""Floors of triangles, as drawn: what slides, rolls and tips over them moves as on a plane; nothing flies through."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import quat_to_mat
from support.touching import LEVEL, NO_TURN, G, pose_of, sloped, solid, velocity_of

SIDE, CELLS = 4.0, 71
"""10,082 triangles."""


def grid() -> Mesh:
    """A flat square in the plane z = 0, of unequal triangles."""
    rng = np.random.default_rng(1)
    at = np.linspace(-0.5 * SIDE, 0.5 * SIDE, CELLS + 1)
    x, y = np.meshgrid(at, at, indexing="ij")
    shaken = rng.uniform(-0.2, 0.2, (2, CELLS + 1, CELLS + 1)) * SIDE / CELLS
    shaken[:, [0, -1]] = shaken[:, :, [0, -1]] = 0.0
    vertices = np.stack([x + shaken[0], y + shaken[1], np.zeros_like(x)], axis=-1).reshape(-1, 3)
    faces = []
    for i in range(CELLS):
        for j in range(CELLS):
            a = i * (CELLS + 1) + j
            b, c, d = a + CELLS + 1, a + CELLS + 2, a + 1
            faces += [(a, b, c), (a, c, d)]
    return Mesh(vertices=vertices, faces=tuple(faces))


FLOOR = grid()


def on_mesh(link: Link, pose, gravity, surface: Surface, mesh: Mesh = FLOOR) -> Model:
    ground = Link("floor", collisions=[Shape("floor", mesh, surface=surface)])
    joints = [Joint("held", "fixed", WORLD, "floor"), Joint(f"free {link.name}", "free", WORLD, link.name, X_PJ=pose)]
    model = Model("scene", [ground, link], joints)
    model.gravity = gravity
    return model


def run(model: Model, times, accuracy="good", **velocities) -> Simulation:
    start = {f"free {name}": list(velocity) for name, velocity in velocities.items()}
    found = Simulation(model, times, accuracy, initial={"qd": start})
    found.run()
    return found


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_box_slides_over_inner_edges(accuracy):
    """Guards against tripping: its height stays, its normals are the floor's, and its way is the closed form's."""
    surface, slope = Surface(friction=0.2), math.radians(20.0)
    box = solid("box", Box((0.3, 0.2, 0.1)), 1.0, surface)
    times = np.linspace(0.0, 0.8, 17)
    found = run(on_mesh(box, (-1.0, 0.123, 0.05, *NO_TURN), sloped(20.0), surface), times, accuracy)
    heights = found.trajectory.X_WL[:, 1, 2]
    assert_allclose(heights, 0.05, atol=1e-6)
    pull = G * (math.sin(slope) - 0.2 * math.cos(slope))
    assert_allclose(pose_of(found, "box")[:2], (-1.0 + 0.5 * pull * 0.8**2, 0.123), atol=1e-5)
    for contact in found.contacts:
        assert_allclose(np.abs(contact.normal), (0.0, 0.0, 1.0), atol=1e-9)


@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.3)], ids=["ball", "capsule"])
def test_what_is_round_rolls_over_inner_edges(shape):
    """Guards against edges that brake: rolling down a slope it gains g sin(slope) / (1 + I / m r^2)."""
    surface, slope = Surface(friction=0.8), math.radians(10.0)
    quat, moment = NO_TURN, 0.4 * 0.01
    if isinstance(shape, Capsule):  # its axis lies across the slope
        quat, moment = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), 0.5 * 0.01
    link = Link("thing", 1.0, inertia=(moment, 0.0, 0.0, moment, 0.0, moment))
    link.collisions = [Shape("shape", shape, (0.0, 0.0, 0.0, *quat), surface=surface)]
    found = run(on_mesh(link, (-1.0, 0.0, 0.1, *NO_TURN), sloped(10.0), surface), np.linspace(0.0, 1.0, 11))
    gained = G * math.sin(slope) / (1.0 + moment / 0.01)
    assert_allclose(found.trajectory.X_WL[:, 1, 2], 0.1, atol=1e-6)
    assert_allclose(pose_of(found, "thing")[:2], (-1.0 + 0.5 * gained, 0.0), atol=1e-5)
    assert_allclose(velocity_of(found, "thing")[3:], (0.0, gained / 0.1, 0.0), atol=1e-4)


def test_a_box_tips_over_on_triangles():
    """Guards corners that pivot on a mesh: pushed beyond its edge it falls onto its next side, energy never grows."""
    surface = Surface(friction=1.0)
    angle = math.radians(48.0)
    pose = (
        0.01,
        0.02,
        0.1 * math.sqrt(2.0) * math.cos(angle - math.pi / 4.0),
        math.cos(angle / 2),
        0.0,
        math.sin(angle / 2),
        0.0,
    )
    found = run(on_mesh(solid("box", Box((0.2, 0.2, 0.2)), 1.0, surface), pose, LEVEL, surface), np.linspace(0, 1, 21))
    energy = found.trajectory.kinetic + found.trajectory.potential
    assert np.diff(energy).max() < 1e-7
    assert pose_of(found, "box")[2] == pytest.approx(0.1, abs=1e-6)
    assert_allclose(velocity_of(found, "box"), 0.0, atol=1e-6)


SHEET = Mesh(
    vertices=np.array([(-2.0, -2.0, 0.0), (2.0, -2.0, 0.0), (2.0, 2.0, 0.0), (-2.0, 2.0, 0.0)]),
    faces=((0, 1, 2), (0, 2, 3)),
)


def bullet(rng, r: float, surface: Surface) -> Link:
    """A ball, a bar, a rod with round ends or a disc, of 10 g and some millimetres."""
    m, square = 0.01, 0.01 * r * r
    shape, moments = [
        (Sphere(r), None),
        (Box((r, 2.0 * r, 10.0 * r)), None),
        (Capsule(0.3 * r, 8.0 * r), (6.0 * square, 6.0 * square, 0.05 * square)),
        (Cylinder(r, 0.1 * r), (0.25 * square, 0.25 * square, 0.5 * square)),
    ][rng.integers(4)]
    return solid("bullet", shape, m, surface, moments)


def thin(rng):
    """A plate or a disc of 0.1 to 10 mm, a sheet of two triangles, or a floor of ten thousand."""
    thickness = 10.0 ** rng.uniform(-4.0, -2.0)
    return [Box((4.0, 4.0, thickness)), Cylinder(1.5, thickness), SHEET, FLOOR][rng.integers(4)]


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_no_bullet_passes(accuracy):
    """Guards what is fast and thin: bullets of up to 300 m/s, which tumble at up to 1,000 rad/s, meet thin things."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        surface = Surface(friction=rng.uniform(0.0, 1.0), restitution=rng.uniform(0.0, 0.9))
        shot, target = bullet(rng, rng.uniform(0.001, 0.01), surface), thin(rng)
        speed, turn = 10.0 ** rng.uniform(1.3, 2.5), rng.normal(size=4)
        down = np.array([rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7), -1.0])
        down, turn, meets = down / np.linalg.norm(down), turn / np.linalg.norm(turn), 0.5 / speed
        in_own_axes = speed * np.reshape(quat_to_mat(tuple(turn)), (3, 3)).T @ down
        twist = [*in_own_axes, *rng.normal(size=3) * 10.0 ** rng.uniform(0.0, 3.0)]
        model = on_mesh(shot, (*(-0.5 * down), *turn), LEVEL, surface, target)
        found = run(model, [0.0, 1.4 * meets, 3.0 * meets], accuracy, bullet=twist)
        assert found.impacts, (shot, target)
        assert (found.trajectory.X_WL[:, 1, 2] > 0.0).all(), (shot, target)
