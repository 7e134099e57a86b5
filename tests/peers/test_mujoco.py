# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of MuJoCo's test suite: surface velocities, forces after constraints, damping, distances.

MuJoCo's site sensors measure forces that the child exerts on its parent, with the sign that bears weight upward.
"""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import (
    UPRIGHT,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    add_body,
    add_floor,
    at,
    axis,
    box_moments,
    differs,
    moments,
    quat_mul,
    rotation,
    rpy,
    solid,
    wrench_of,
)

CUBE = lj.Box((0.2, 0.2, 0.2))


def cube_on_belt(velocity):
    model = lj.Model("belt")
    add_floor(model, velocity=velocity)
    add_body(model, "box", at=at(0, 0, 0.1), mass=1, inertia=box_moments(1, 0.2, 0.2, 0.2), collisions=solid(CUBE))
    return lj.simulate(model, 2, frame_rate=50)


def test_surface_velocity_conveyor():
    """Guards a belt: the box on it moves along at its speed."""
    assert differs(cube_on_belt((0.5, 0, 0)).qd[-1][[0, 1, 5]], [0.5, 0, 0]) < 1e-9


def test_surface_velocity_normal_projected():
    """Guards that a belt's velocity along the normal counts for nothing."""
    assert np.abs(cube_on_belt((0, 0, 1)).qd[-1]).max() < 1e-6


def test_surface_velocity_facing_belts():
    """Guards a box that is squeezed by 1 mm between two belts, which carry it up at 1 m/s by friction alone.

    The surfaces give way, as MuJoCo's do: a drawn overlap of rigid ones presses nothing.
    """
    surface = {"stiffness": 2e4, "dissipation": 1}
    model = lj.Model("belts")
    for name, x in (("left", -0.152), ("right", 0.152)):
        belt = solid(lj.Box((0.1, 0.6, 1)), velocity=(0, 0, 1), **surface)
        add_body(model, name, "fixed", pose=at(x, 0, 0.5), at=at(x, 0, 0.5), collisions=belt)
    box = solid(lj.Box((0.206, 0.2, 0.2)), **surface)
    inertia = box_moments(0.2, 0.206, 0.2, 0.2)
    add_body(model, "box", at=at(0, 0, 0.5), mass=0.2, inertia=inertia, collisions=box)
    assert abs(lj.simulate(model, 1, frame_rate=100).qd[:, 2].max() - 1.0) < 5e-3


@pytest.fixture(scope="module")
def on_vehicle():
    """A load on the belt of a vehicle that slides without friction."""
    model = lj.Model("vehicle")
    add_floor(model, friction=0)
    shapes = [
        lj.Shape("hull", lj.Box((1, 0.6, 0.08)), surface=lj.Surface(friction=0)),
        lj.Shape("belt", lj.Box((0.8, 0.5, 0.02)), pose=at(0, 0, 0.05), surface=lj.Surface(velocity=(0.3, 0, 0))),
    ]
    inertia = box_moments(10, 1, 0.6, 0.08)
    add_body(model, "vehicle", at=at(0, 0, 0.04), mass=10.01, inertia=inertia, collisions=shapes)
    cube = solid(lj.Box((0.16, 0.16, 0.16)))
    inertia = box_moments(0.1, 0.16, 0.16, 0.16)
    add_body(model, "load", at=at(0, 0, 0.18), mass=0.1, inertia=inertia, collisions=cube)
    motion = lj.simulate(model, 1, frame_rate=100, qd={"vehicle": [0.2, 0, 0, 0, 0, 0]})
    return motion.qd[-1][0], motion.qd[-1][6]


def test_surface_velocity_composition_speed(on_vehicle):
    """Guards a moving belt: its surface's velocity adds to its link's."""
    vehicle, load = on_vehicle
    assert abs(load - vehicle - 0.3) < 1e-8


def test_surface_velocity_composition_momentum(on_vehicle):
    """Guards that the belt pushes back on what carries it."""
    vehicle, load = on_vehicle
    assert abs(10.01 * vehicle + 0.1 * load - 10.01 * 0.2) < 1e-8


def test_surface_velocity_turntable():
    """Guards a turntable, which is a prescribed hinge here and an angular surface velocity in MuJoCo."""
    model = lj.Model("turntable")
    plate = solid(lj.Box((5, 5, 0.1)), at(0, 0, -0.05))
    add_body(model, "table", "revolute", mass=1, collisions=plate)
    add_body(model, "box", at=at(0, 0, 0.1), mass=1, inertia=box_moments(1, 0.2, 0.2, 0.2), collisions=solid(CUBE))
    driven = lj.Controls(joints={"to table": lambda t: t})
    motion = lj.simulate(model, 2, frame_rate=50, qd={"to table": 1.0}, controls=driven)
    assert differs(motion.qd[-1][[6, 1, 2]], [1, 0, 0]) < 1e-8


TURNED = rpy(0, pi / 4, 0)
SKEW = quat_mul(quat_mul(rpy(pi / 6, 0, 0), rpy(0, pi / 6, 0)), rpy(0, 0, pi / 6))
UNIT_CUBE = moments(1 / 600, 1 / 600, 1 / 600)


def site_wrench(gravity, first, place, joint, loop, anchor, second=UPRIGHT):
    """What a body that is welded to the world bears, in its site, when another is held to it by a loop joint.

    The site of a body that is turned is turned by 90° about z, as in MuJoCo's models.
    """
    model = lj.Model("rne_post", gravity=gravity)
    add_body(model, "one", "fixed", at=at(quat=first), pose=at(quat=first), mass=1, inertia=UNIT_CUBE)
    pose = (*place, *second)
    lj.add_link(model, lj.Link("two", mass=1, inertia=UNIT_CUBE, pose=pose))
    axes = {"axes": [axis()]} if joint == "prismatic" else {}
    model.joints.append(lj.Joint("to two", joint, "world", "two", X_PJ=pose, **axes))
    from_two = rotation(second).T @ (rotation(first) @ np.array(anchor, float) - np.array(place, float))
    turn = UPRIGHT if loop == "ball" else quat_mul((first[0], *(-part for part in first[1:])), second)
    ends = {"X_PJ": (*anchor, *turn), "X_CJ": at(*from_two)}
    model.joints.append(lj.Joint("loop", loop, "one", "two", closes_loop=True, **ends))
    motion = lj.simulate(model, 1, frame_rate=10, record=["wrenches"])
    wrench, site = wrench_of(motion, "to one"), rotation(first)
    if first != UPRIGHT:
        site = site @ rotation(rpy(0, 0, pi / 2))
    return np.concatenate([site.T @ wrench[:3], site.T @ wrench[3:]])


DOWN = (0, 0, -1)
ANCHOR = tuple(rotation(TURNED).T @ np.array([0, 1, 0.0]))


def test_rne_post_connect_force_slide_rotated():
    """Guards the force through a ball that closes a loop, with a slide that leaves half of the weight to it."""
    found = site_wrench(DOWN, TURNED, (0, 0, -0.2), "prismatic", "ball", (0, 0, 0))
    assert differs(found[:3], [0, sqrt(2), sqrt(2)]) < 1e-8


def test_rne_post_connect_torque_free():
    """Guards force and torque of a free body that hangs at a ball, 2 m aside."""
    found = site_wrench(DOWN, UPRIGHT, (0, 2, 0), "free", "ball", (0, 2, 0))
    assert differs(found, [0, 0, 2, 2, 0, 0]) < 1e-8


def test_rne_post_connect_multiple_constraints():
    """Guards gravity along all axes."""
    found = site_wrench((1, 2, 3), UPRIGHT, (1, 2, 3), "free", "ball", (0, 0, 0))
    assert differs(found[:3], [-2, -4, -6]) < 1e-8


def test_rne_post_weld_force_torque_free_rotated():
    """Guards a weld that closes a loop between two bodies that are turned differently."""
    found = site_wrench(DOWN, TURNED, (0, 1, 0), "free", "fixed", ANCHOR, SKEW)
    assert differs(found, [0, sqrt(2), sqrt(2), 0, -0.70710678118, 0.70710678118]) < 1e-8


def test_damp_ratio():
    """Guards critical damping: at 0.99 of it a slide passes its goal by next to nothing, at 1.01 it does not."""
    model, mass = lj.Model("damping"), 4 / 3 * pi * 0.05**3 * 1000
    for name, ratio in (("under", 0.99), ("over", 1.01)):
        drive = {"drive_mode": "position", "drive_stiffness": 10, "drive_damping": 2 * ratio * sqrt(10 * mass)}
        inertia = moments(*[0.4 * mass * 0.0025] * 3)
        add_body(model, name, "prismatic", axes=[axis(X_AXIS, **drive)], mass=mass, inertia=inertia)
    start = {"to under": -0.1, "to over": -0.1}
    motion = lj.simulate(model, 10, frame_rate=200, q=start, accuracy="exact")
    assert 0 < motion.joint("to under").max() < 1e-6
    assert -1e-6 < motion.joint("to over").max() < 0


def test_gravcomp():
    """Guards links without weight, and with a force of twice their weight: MuJoCo's gravcomp of 0, 1 and 2."""
    model = lj.Model("gravcomp", gravity=(0, 0, -10))
    for number, fields in enumerate(({}, {"gravity": False}, {"force": (0, 0, 20)})):
        add_body(model, f"b{number}", "prismatic", at=at(3 * number), mass=1, **fields)
    assert differs(lj.simulate(model, 1, frame_rate=50).q[-1], [-5, 0, 5]) < 1e-9


@pytest.mark.parametrize("angle", [0.5, 2.0, 3.1, 3.3])
def test_ball_spring(angle):
    """Guards a ball joint's spring, whose torque is stiffness times the rotation vector, the shorter way round."""
    model = lj.Model("spring", gravity=(0, 0, 0))
    springs = [axis(each, spring_stiffness=2) for each in (X_AXIS, Y_AXIS, Z_AXIS)]
    lj.add_link(
        model,
        lj.Link("body", mass=1, inertia=moments(0.1, 0.2, 0.3)),
        lj.Joint("j", "ball", "world", "body", axes=[*springs, axis(), axis()]),
    )
    direction = np.array([1, 2, 3]) / sqrt(14)
    quat = (cos(angle / 2), *(direction * sin(angle / 2)))
    turn = angle if angle <= pi else angle - 2 * pi
    assert differs(lj.passive_forces(model, {"j": quat}), -2 * turn * direction) < 1e-9


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [("plane", "small", 0.8), ("small", "large", 0.5), ("large", "small", 0.5), ("box", "small", 0.7)],
)
def test_geom_distance(a, b, expected):
    """Guards distances between a half-space, balls and a box, in either order."""
    model = lj.Model("distances")
    add_body(model, "plane", "fixed", collisions=solid(lj.Plane()))
    add_body(model, "small", at=at(0, 0, 1), collisions=solid(lj.Sphere(0.2)))
    add_body(model, "large", at=at(1, 0, 1), collisions=solid(lj.Sphere(0.3)))
    add_body(model, "box", collisions=solid(lj.Box((0.1, 0.1, 0.1)), at(0.05, 0.05, 0.05)))
    assert abs(lj.distance(model, None, a, b).gap - expected) < 1e-9
