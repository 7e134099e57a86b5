# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of gz-physics (test/common_test: joint_transmitted_wrench, joint_mimic_features, joint_features and others).

The worlds are rebuilt from the numbers that the tests compute with. Wrenches there are in the joint's axes, and here in
the world's.
"""

from math import atan2, cos, pi, radians, sin

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
    solid,
    wrench_of,
)

G = 9.8
PLATE, ARM = 0.4, 6.0
"""Masses of the sensor's plate, whose centre is on the motor's axis, and of the arm that is fixed to it [kg]."""
DOWNWARD = rpy(0, pi / 2, 0)
"""The joint's x axis points down, and its z axis, about which the motor turns, along the world's x."""


def pendulum(height=0.0, **arm):
    """A motor, a plate on its axis, and an arm that is fixed to the plate."""
    model = lj.Model("pendulum", gravity=(0, 0, -G))
    plate = {"mass": PLATE, "inertia": moments(0.02, 0.02, 0.02)}
    add_body(model, "plate", "revolute", at=at(0, 0, height, DOWNWARD), axes=[axis()], **plate)
    inertia = moments(0.01, 0.515, 0.515)
    add_body(model, "arm", "fixed", "plate", mass=ARM, com=(0.5, 0, 0), inertia=inertia, **arm)
    return model


ANGLE, SPEED = radians(40), -2.0
JOINT_AXES = rotation(DOWNWARD) @ rotation(rpy(0, 0, ANGLE))


@pytest.fixture(scope="module")
def in_motion():
    """(acceleration, wrenches by joint in the joint's axes) of the pendulum at 40°, turning at -2 rad/s."""
    model, q, qd = pendulum(), {"to plate": ANGLE}, {"to plate": SPEED}
    qdd = lj.forward_dynamics(model, q, qd)
    wrenches = lj.joint_wrenches(model, q, qd, qdd)
    turned = {name: np.r_[JOINT_AXES.T @ each[:3], JOINT_AXES.T @ each[3:]] for name, each in wrenches.items()}
    return float(qdd[0]), turned


def test_pendulum_at_zero_angle():
    """Guards the wrench of a motor from which everything hangs at rest: the weight, and no torque."""
    model = pendulum()
    found = lj.joint_wrenches(model, qdd=lj.forward_dynamics(model))["to plate"]
    assert differs(found, [0, 0, G * (ARM + PLATE), 0, 0, 0]) < 1e-9


def test_pendulum_in_motion_acceleration(in_motion):
    """Guards the acceleration of plate and arm as one."""
    expected = -(ARM * G * 0.5 * sin(ANGLE)) / (0.02 + 0.515 + ARM * 0.25)
    assert abs(in_motion[0] - expected) < 1e-9


def test_pendulum_in_motion_force(in_motion):
    """Guards the motor's force: weight, centrifugal and tangential part."""
    alpha, wrenches = in_motion
    along = -ARM * (SPEED**2 * 0.5 + G * cos(ANGLE)) - PLATE * G * cos(ANGLE)
    across = ARM * (alpha * 0.5 + G * sin(ANGLE)) + PLATE * G * sin(ANGLE)
    assert differs(wrenches["to plate"][:3], [along, across, 0]) < 1e-9


def test_wrench_with_secondary_joint_torque(in_motion):
    """Guards the wrench of a fixed joint: the motor's torque but for what turns the plate."""
    alpha, wrenches = in_motion
    assert differs(wrenches["to plate"][3:] - wrenches["to arm"][3:], [0, 0, 0.02 * alpha]) < 1e-9


def test_wrench_with_secondary_joint_force(in_motion):
    """Guards the same for forces: the difference is the plate's weight."""
    _, wrenches = in_motion
    expected = [-PLATE * G * cos(ANGLE), PLATE * G * sin(ANGLE), 0]
    assert differs(wrenches["to plate"][:3] - wrenches["to arm"][:3], expected) < 1e-9


def test_contact_forces():
    """Guards a joint's wrench under contact: the arm lies on a box with its tip, which bears half of the arm.

    Nothing has friction, so that the box bears along the vertical alone.
    """
    tip = solid(lj.Sphere(0.05), at(1, 0, 0), friction=0)
    model = pendulum(1.0, collisions=tip)
    box = solid(lj.Box((0.4, 0.4, 0.4)), friction=0)
    add_body(model, "box", "fixed", at=at(0, 1, 0.749), pose=at(0, 1, 0.749), collisions=box)
    motion = lj.simulate(model, 1, frame_rate=50, q={"to plate": pi / 2}, record=["contacts", "wrenches"])
    assert differs(wrench_of(motion, "to plate")[:3], [0, 0, 0.5 * G * ARM + G * PLATE]) < 1e-6


def following_error(model, followers, motion):
    """Return the largest error of multiplier (leader - reference) + offset over all followers and frames."""
    errors = []
    for name in followers:
        mimic = model.joint(name).mimic
        leader, follower = motion.joint(mimic.leader)[:, 0], motion.joint(name)[:, 0]
        errors.append(np.abs(mimic.multiplier * (leader - mimic.reference) + mimic.offset - follower).max())
    return max(errors)


@pytest.mark.parametrize(
    ("multiplier", "offset", "reference"),
    [(1, 0, 0), (-1, 0, 0), (1, 0.1, 0), (1, 0.2, 0.1), (-1, 0.2, 0), (-2, 0, 0), (2, 0.1, 0), (2, 0.3, -0.1)],
)
def test_pendulum_mimic(multiplier, offset, reference):
    """Guards a pendulum that follows another one by every combination of numbers in the peer's test."""
    model = lj.Model("mimics", gravity=(0, 0, -G))
    for number in (1, 2):
        bob = {"mass": number, "com": (0, 1, 0), "inertia": UNIT}
        add_body(model, f"p{number}", "revolute", at=at(3 * number), axes=[axis(X_AXIS)], **bob)
    model.joint("to p2").mimic = lj.Mimic("to p1", multiplier, offset, reference)
    motion = lj.simulate(model, 0.3, frame_rate=100)
    assert np.ptp(motion.joint("to p1")) > 1e-3
    assert following_error(model, ["to p2"], motion) < 1e-9


def test_universal_joint_mimic():
    """Guards a mimic of second axes: the first axes stay free, at the start and under gravity."""
    model, turns = lj.Model("universal", gravity=(0, 0, -G)), [axis(X_AXIS), axis(Y_AXIS)]
    arm = {"mass": 1, "com": (-0.02, 0.02, -0.1), "inertia": moments(0.0058333, 0.00125, 0.0058333)}
    for number in (1, 2):
        axes = [each.copy() for each in turns]
        add_body(model, f"arm{number}", "universal", at=at(0, 0, number), axes=axes, **arm)
    model.joint("to arm2").mimic = lj.Mimic("to arm1", 2.0, 0.1, axis=1, leader_axis=1)
    q, qd = lj.closed_state(model, {"to arm1": [0.0, 0.5]}, {"to arm1": [0.0, 0.2]})
    assert differs(q, [0, 0.5, 0, 2 * 0.5 + 0.1]) < 1e-6
    assert differs(qd, [0, 0.2, 0, 2 * 0.2]) < 1e-6
    motion = lj.simulate(model, 0.1, frame_rate=100)
    leader, follower = motion.joint("to arm1"), motion.joint("to arm2")
    assert np.ptp(leader[:, 0]) > 1e-3
    assert np.abs(leader[:, 0] - follower[:, 0]).max() > 1e-6
    assert np.abs(2 * leader[:, 1] + 0.1 - follower[:, 1]).max() < 1e-9


SLOW, FAST = (1.0, 0.5, 0.087), (1.0, 0.25, 0.024)
"""Mass [kg], distance of the centre from the joint [m], and moment about the centre [kg m^2] of both pendulums."""


@pytest.mark.parametrize("leads", ["fast", "slow"])
def test_pendulums_fast_slow(leads):
    """Guards that a mimic adds the follower's load to the leader: both swing at one rate between their own.

    The peer asks that each follows the other. With a multiplier of 1 both are one pendulum, with the sums of their
    moments and of their weights, whose acceleration at the start is known.
    """
    model = lj.Model("fast and slow", gravity=(0, 0, -G))
    for name, (mass, height, inertia) in (("slow", SLOW), ("fast", FAST)):
        rod = {"mass": mass, "com": (0, 0, height), "inertia": moments(inertia, inertia, 0.006)}
        add_body(model, name, "revolute", axes=[axis((-1, 0, 0))], **rod)
    follows = "slow" if leads == "fast" else "fast"
    model.joint(f"to {follows}").mimic = lj.Mimic(f"to {leads}")
    start = {"to slow": pi / 2, "to fast": pi / 2}
    torque = sum(mass * G * height for mass, height, _ in (SLOW, FAST))
    inertia = sum(own + mass * height**2 for mass, height, own in (SLOW, FAST))
    assert differs(lj.forward_dynamics(model, start), [torque / inertia] * 2) < 1e-9
    motion = lj.simulate(model, 1.0, frame_rate=100, q=start)
    assert np.ptp(motion.joint("to slow")) > 1.0
    assert np.abs(motion.joint("to slow") - motion.joint("to fast")).max() < 1e-9


LEADERS = {"slide 2": "slide 1", "hinge 1": "slide 1", "hinge 2": "hinge 1", "slide 3": "hinge 1"}


@pytest.mark.parametrize(("multiplier", "offset", "reference"), [(1, 0, 0), (-1, 0.05, -0.05), (-2, 0, 0)])
def test_prismatic_revolute_mimic(multiplier, offset, reference):
    """Guards slides that follow hinges and hinges that follow slides, by way of each other."""
    model = lj.Model("mixed", gravity=(0, 0, -G))
    for number, name in enumerate(["slide 1", "slide 2", "hinge 1", "hinge 2", "slide 3"]):
        mimic = {"mimic": lj.Mimic(LEADERS[name], multiplier, offset, reference)} if name in LEADERS else {}
        kind, along = ("prismatic", Z_AXIS) if name.startswith("slide") else ("revolute", X_AXIS)
        link = lj.Link(f"link {number}", mass=1 + number, com=(0, 0.1, 0), inertia=UNIT)
        joint = lj.Joint(name, kind, "world", link.name, X_PJ=at(number), axes=[axis(along)], **mimic)
        lj.add_link(model, link, joint)
    motion = lj.simulate(model, 0.4, frame_rate=100)
    assert np.ptp(motion.joint("slide 1")) > 1e-3
    assert following_error(model, LEADERS, motion) < 1e-8


SCREW = """<sdf version="1.9"><world name="screw_world"><model name="screw_joint_test"><link name="link0"/>
<link name="link1"><inertial><mass>1.0</mass><inertia><ixx>0.01</ixx><iyy>0.01</iyy><izz>0.01</izz></inertia>
</inertial></link><joint name="j0" type="screw"><parent>link0</parent><child>link1</child>
<screw_thread_pitch>2</screw_thread_pitch></joint><joint name="world_joint" type="fixed"><parent>world</parent>
<child>link0</child></joint></model></world></sdf>"""
PITCH = 2 / (2 * pi)
"""Metres for a radian; the file gives 2 m for a turn."""


@pytest.fixture(scope="module")
def screw(tmp_path_factory):
    """(angle, pose) of the screw after 0.1 s under its weight."""
    path = tmp_path_factory.mktemp("screw") / "screw.sdf"
    path.write_text(SCREW)
    model = lj.read(path).model
    joint = next(joint.name for joint in model.joints if joint.name.endswith("j0"))
    link = next(link.name for link in model.links if link.name.endswith("link1"))
    motion = lj.simulate(model, 0.1, frame_rate=100)
    return motion.joint(joint)[-1, 0], motion.link(link)[-1]


def test_screw_joint_acceleration(screw):
    """Guards how fast a screw falls: its weight turns it, too."""
    acceleration = -9.8 * PITCH / (0.01 + PITCH**2)
    assert abs(screw[0] - acceleration * 0.1**2 / 2) < 1e-8


def test_screw_joint_height(screw):
    """Guards that the height is the pitch times the angle."""
    assert abs(screw[1][2] - PITCH * screw[0]) < 1e-9


def test_screw_joint_yaw(screw):
    """Guards that the link turns by the angle."""
    assert abs(2 * atan2(screw[1][6], screw[1][3]) - screw[0]) < 1e-9


def test_joint_set_velocity_command_wrench():
    """Guards the wrench of a hinge that turns at 4 rad/s, at 0.1 rad, in the joint's axes."""
    model = lj.Model("offset", gravity=(0, 0, -G))
    add_body(model, "body", "revolute", axes=[axis(X_AXIS)], mass=1, com=(0, -0.5, 0), inertia=UNIT)
    wrench = lj.joint_wrenches(model, {"to body": 0.1}, {"to body": 4.0}, np.zeros(1))["to body"]
    turned = rotation(rpy(0.1, 0, 0))
    found = np.r_[turned.T @ wrench[:3], turned.T @ wrench[3:]]
    assert differs(found, [0, 8 + G * sin(0.1), G * cos(0.1), -0.5 * G * cos(0.1), 0, 0]) < 1e-9


@pytest.fixture(scope="module", params=[0, 12], ids=["alone", "beside boxes at rest"])
def limited_drive(request):
    """Two seconds of a bar on a hinge with a drive of 5 N m and an effort limit of 3 N m.

    A dozen boxes that rest far away bring the simulation to convex steps, and must not change the bar.
    """
    model = lj.Model("bar", gravity=(0, 0, -G))
    drive = axis(Y_AXIS, drive_mode="force", drive_target=5.0, effort=3.0)
    bar = {"mass": 1, "com": (1, 0, 0), "inertia": moments(0.1, 0.1, 0.1)}
    add_body(model, "bar", "revolute", at=at(0, 0, 9), axes=[drive], **bar)
    if request.param:
        add_floor(model)
    for number in range(request.param):
        box = {"mass": 1, "inertia": moments(0.1, 0.1, 0.1), "collisions": solid(lj.Box((1, 1, 1)))}
        add_body(model, f"box{number}", at=at(5 + 3 * (number % 4), 3 * (number // 4), 0.5), **box)
    return lj.simulate(model, 2.0, frame_rate=100, accuracy="exact", record=["efforts"])


def test_joint_set_effort_limits(limited_drive):
    """Guards that the drive gives its limit and no more."""
    efforts = limited_drive.efforts[:, list(limited_drive.qd_names).index(("to bar", "rad/s"))]
    assert np.abs(efforts - 3.0).max() < 1e-9


def test_joint_set_effort_limits_work(limited_drive):
    """Guards the account of energy: the limit times the angle is supplied, and it is all that the bar gains.

    Convex steps are of first order, so that the energy itself is known less well than what is supplied.
    """
    motion = limited_drive
    angle = motion.joint("to bar")[:, 0]
    work = 3.0 * (angle[-1] - angle[0])
    energy = motion.kinetic + motion.potential
    assert abs(work) > 1
    assert abs(motion.supplied[-1] - work) < 1e-5
    assert abs(energy[-1] - energy[0] - work) < 2e-2


def test_detachable_joint():
    """Guards a fixed joint that breaks: the outer link flies on along a parabola, with the velocity that it had."""
    model = lj.Model("detach")
    add_body(model, "a", "revolute", axes=[axis(Y_AXIS)], mass=1, inertia=UNIT)
    tip = lj.Joint("to b", "fixed", "a", "b", X_PJ=at(1), released_at=0.3)
    lj.add_link(model, lj.Link("b", mass=1, inertia=UNIT), tip)
    motion = lj.simulate(model, 1, frame_rate=100, accuracy="exact")
    start, seconds = motion.link("b")[30, :3], 0.7
    velocity = np.cross([0, motion.joint_velocity("to a")[30, 0], 0], start)
    expected = start + velocity * seconds + np.array([0, 0, -9.81]) * seconds**2 / 2
    assert differs(motion.link("b")[-1, :3], expected) < 1e-7
