# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Simbody's test suite (Gazebo's reaction forces and collisions, gimbals, constraints).

Simbody gives a pin's reaction on the child in the child's axes; here wrenches are in world axes.
"""

from math import cos, pi, sin, sqrt

import numpy as np
import pytest

import limberjack as lj
from support.peers import (
    UNIT,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    add_body,
    add_floor,
    at,
    axis,
    differs,
    moments,
    rotation,
    rpy,
    slide,
    solid,
    wrench_of,
)


@pytest.fixture(scope="module")
def reactions():
    """Motion of three links at rest on a floor, with stiff drives at both pins, under a gravity of 50 m/s^2."""
    model, rough = lj.Model("reactions", gravity=(0, 0, -50)), {"friction": 0.1, "static_friction": 0.15}
    add_floor(model, **rough)
    middle = (0.5, 0, 0.5)
    box = solid(lj.Box((1, 1, 1)), at(*middle), **rough)
    lj.add_link(model, lj.Link("one", mass=100, com=middle, inertia=UNIT, collisions=box))
    for name, parent, mass, com, inertia, target, stiffness, damping in (
        ("two", "one", 5, middle, moments(0.05, 0.05, 0.05), 0.0, 5e6, 1e4),
        ("three", "two", 1, (0.5, 0.5, 0.5), moments(0.001, 0.001, 1e-6), -pi / 4, 1e6, 3e3),
    ):
        drive = {"drive_mode": "position", "drive_stiffness": stiffness, "drive_target": target, "damping": damping}
        add_body(
            model,
            name,
            "revolute",
            parent,
            at=at(1, 0, 1),
            axes=[axis(Y_AXIS, **drive)],
            mass=mass,
            com=com,
            inertia=inertia,
        )
    return lj.simulate(model, 0.4, frame_rate=50, q={"to three": -pi / 4}, record=["wrenches"])


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("two", [0, 0, 300, 25, -175, 0]),
        ("three", [25 * sqrt(2), 0, 25 * sqrt(2), 12.5 * sqrt(2), 0, -12.5 * sqrt(2)]),
    ],
)
def test_gazebo_reaction_force_rigid(reactions, link, expected):
    """Guards reactions at pins. Simbody's springs give way by 1/300, hence its -1 N along x; these drives hardly do."""
    turn, wrench = rotation(reactions.link(link)[-1][3:]), wrench_of(reactions, f"to {link}")
    assert differs(np.r_[turn.T @ wrench[:3], turn.T @ wrench[3:]], expected) < 0.1


def test_gazebo_inelastic_collision():
    """Guards a collision without restitution of two equal masses on slides: both go on at half of the speed."""
    model = lj.Model("collision", gravity=(0, 0, 0))
    bodies = (("cube", 0.0, lj.Box((1, 1, 1))), ("ball", 2 - 0.005, lj.Sphere(0.5)))
    for name, x, shape in bodies:
        body = {"mass": 1, "inertia": moments(0.1, 0.1, 0.1), "collisions": solid(shape)}
        add_body(model, name, "prismatic", at=at(x, 2), axes=[axis(X_AXIS)], **body)
    pushed = {"cube": {"force": lambda t: (100.0, 0, 0) if t < 0.01 - 1e-9 else (0, 0, 0)}}
    controls = lj.Controls(schedule=lj.Schedule(links=pushed))
    motion = lj.simulate(model, 2, frame_rate=200, controls=controls)
    speed = motion.joint_velocity("to cube")[4, 0]
    found = [motion.joint_velocity(name)[-1, 0] for name in ("to cube", "to ball")]
    assert differs(found, [speed / 2, speed / 2]) < 1e-9


def test_gimbal():
    """Guards an Euler joint against three pins in a row between massless links, over 5 s."""
    com = np.array([0.1, 0.2, 0.3])
    about_origin = np.array([[1.2, 0.01, 0.02], [0.01, 1.1, 0.03], [0.02, 0.03, 1.3]]) * 3.1
    I = about_origin - 3.1 * (com @ com * np.eye(3) - np.outer(com, com))
    lump = {"mass": 3.1, "com": tuple(com), "inertia": tuple(I[np.triu_indices(3)])}
    base, outer, none = at(0.1, 0.5, -1), at(0.2, -0.2, 0), {"mass": 0, "inertia": (0,) * 6}
    model = lj.Model("gimbal", gravity=(0, -9.81, 0))
    add_body(model, "euler", "euler_xyz", at=base, child=outer, **lump)
    add_body(model, "first", "revolute", at=base, axes=[axis(X_AXIS)], **none)
    add_body(model, "second", "revolute", "first", axes=[axis(Y_AXIS)], **none)
    add_body(model, "pins", "revolute", "second", child=outer, **lump)
    names = ("to first", "to second", "to pins")
    q = {"to euler": [0.1, 0.2, 0.3], **dict(zip(names, (0.1, 0.2, 0.3), strict=True))}
    qd = {"to euler": [1, 2, 3], **dict(zip(names, (1, 2, 3), strict=True))}
    motion = lj.simulate(model, 5, frame_rate=20, accuracy="exact", q=q, qd=qd)
    assert differs(motion.link("euler")[-1], motion.link("pins")[-1]) < 1e-7


TURNS = (X_AXIS, Y_AXIS, Z_AXIS)


def free_body(inertia=UNIT, gravity=(0, 0, -9.81), **link):
    """A body on an explicit free joint, so that constraints can close loops with the world."""
    model = lj.Model("free", gravity=gravity)
    lj.add_link(model, lj.Link("body", mass=1.0, inertia=inertia, **link))
    model.joints.append(lj.Joint("floats", "free", "world", "body"))
    return model


def constrain(model, kind, **fields):
    model.joints.append(lj.Joint("constraint", kind, "world", "body", closes_loop=True, **fields))


SLOPE = pi / 6


@pytest.fixture(scope="module")
def in_plane():
    """Motion of a body whose centre stays in a plane that is tilted by 30°: two slides and three turns."""
    model = free_body()
    axes = [slide(X_AXIS), slide(Y_AXIS), *map(axis, TURNS)]
    constrain(model, "custom", X_PJ=at(quat=rpy(SLOPE, 0, 0)), axes=axes)
    start = {"floats": [0.3, 0, 0, 1.0, 2.0, -1.5]}
    return lj.simulate(model, 1, frame_rate=50, qd=start, record=["wrenches"])


def test_point_in_plane_motion(in_plane):
    """Guards that it slides down the plane while it turns, and keeps its speed across."""
    expected = [0.3, -9.81 * sin(SLOPE) * cos(SLOPE) / 2, -9.81 * sin(SLOPE) ** 2 / 2]
    assert differs(in_plane.link("body")[-1][:3], expected) < 1e-7


def test_point_in_plane_reaction(in_plane):
    """Guards the reaction, m g cos along the normal."""
    expected = [0, -9.81 * cos(SLOPE) * sin(SLOPE), 9.81 * cos(SLOPE) ** 2]
    assert differs(wrench_of(in_plane, "constraint", 25)[:3], expected) < 1e-6


def test_point_on_line():
    """Guards a point on a line that slopes by 45°, while the body turns freely."""
    along, model = np.array([1, 0, -1]) / sqrt(2), free_body(moments(1, 2, 3))
    constrain(model, "custom", axes=[slide(tuple(along)), *map(axis, TURNS)])
    motion = lj.simulate(model, 1, frame_rate=50, qd={"floats": [0, 0, 0, 1.0, 2.0, -1.5]})
    assert differs(motion.link("body")[-1, :3], along * 9.81 / sqrt(2) / 2) < 1e-7


@pytest.fixture(scope="module")
def at_right_angles():
    """Motion of a body whose y axis stays at right angles with the world's x axis, and that is free otherwise."""
    model = free_body(moments(1, 2, 3), gravity=(0, 0, 0))
    constrain(model, "custom", axes=[*map(slide, TURNS), axis(X_AXIS), axis(Y_AXIS)])
    return lj.simulate(model, 3, frame_rate=50, qd={"floats": [0, 0, 0, 0.7, 1.1, 0]}, accuracy="exact")


def test_constant_angle(at_right_angles):
    """Guards that the angle stays a right one."""
    assert max(abs(rotation(pose[3:])[0, 1]) for pose in at_right_angles.link("body")) < 1e-8


def test_constant_angle_keeps_its_energy(at_right_angles):
    """Guards that the constraint does no work."""
    assert abs(at_right_angles.kinetic[-1] - at_right_angles.kinetic[0]) < 1e-8


@pytest.fixture(scope="module")
def upright():
    """The last pose of a body that may not turn, and falls for a second."""
    model = free_body(moments(1, 2, 3), com=(0.3, 0.2, 0.1))
    constrain(model, "translation")
    return lj.simulate(model, 1, frame_rate=50).link("body")[-1]


def test_constant_orientation(upright):
    """Guards that it does not turn, though its centre of mass is off its origin."""
    assert differs(upright[3:], [1, 0, 0, 0]) < 1e-9


def test_constant_orientation_falls(upright):
    """Guards that it falls freely."""
    assert abs(upright[2] + 4.905) < 1e-8
