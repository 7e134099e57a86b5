# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses at which coordinates are not unique, or a row has no derivative: the answer stays finite, right and steady."""

import math

import numpy as np
import pytest

from limberjack.core.dynamics import passive_forces
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import JointMotion, coordinates_at
from limberjack.core.kinematics.coordinates import rates_at
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.model.screws import joint_pose
from support.conformance import pose_gap, random_joint
from support.exponentials import pose_at, quat_of_rotation_vector, quat_product, subspace_at
from support.models import random_unit

EULERS = tuple(name for name in JOINT_TYPES if name.startswith("euler_"))
AWAY = (0.0, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-3)
"""Radians from a singularity: on it, within rounding, and where closed forms lose half their digits."""


def gimbal(joint_type):
    """(joint, number of its middle turn)."""
    joint = Joint("joint", joint_type, WORLD, "link")
    return joint, joint.nq - 2


def followed(joint, path, start):
    """The coordinates along `path`, shape (n, nq), found pose by pose, each from the one before."""
    near = np.array(start, dtype=float)
    for wanted in path:
        near = coordinates_at(joint, joint_pose(joint, wanted), near)
        assert np.isfinite(near).all()
        assert pose_gap(joint, near, pose_at(joint, wanted)) <= 1e-9
        yield near


@pytest.mark.parametrize("away", AWAY)
@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("joint_type", [*EULERS, "d6"])
def test_a_gimbal_still_reproduces_its_pose(joint_type, side, away):
    """Guards the way back at and beside gimbal lock, from home, from nearby and from elsewhere."""
    joint, middle = gimbal(joint_type)
    rng = np.random.default_rng(5)
    for start in (np.zeros(joint.nq), None, rng.normal(size=joint.nq)):
        q = rng.uniform(-1.0, 1.0, size=joint.nq)
        q[middle] = side * (0.5 * math.pi - away)
        found = coordinates_at(joint, joint_pose(joint, q), q if start is None else start)
        assert np.isfinite(found).all()
        assert pose_gap(joint, found, pose_at(joint, q)) <= 1e-9


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("joint_type", [*EULERS, "d6"])
def test_a_gimbal_keeps_its_first_angle(joint_type, side):
    """Guards the promise of `joint_coordinates`: where only a sum of turns is known, the first stays where it was."""
    joint, middle = gimbal(joint_type)
    q = np.random.default_rng(6).uniform(-1.0, 1.0, size=joint.nq)
    q[middle] = side * 0.5 * math.pi
    near = q.copy()
    near[middle - 1] += 0.3
    found = coordinates_at(joint, joint_pose(joint, q), near)
    assert found[middle - 1] == pytest.approx(near[middle - 1], abs=1e-6)
    assert found[middle] == pytest.approx(q[middle], abs=1e-6)


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("joint_type", [*EULERS, "d6"])
def test_a_path_through_the_gimbal_has_no_jump(joint_type, side):
    """Guards followed motion: through gimbal lock in steps of 0.01 rad no coordinate jumps, and every pose is met."""
    joint, middle = gimbal(joint_type)
    times = np.arange(-20, 21) * 0.01
    rates = np.random.default_rng(7).uniform(-0.5, 0.5, size=joint.nq)
    rates[middle] = 1.0
    centre = np.full(joint.nq, 0.2)
    centre[middle] = side * 0.5 * math.pi
    path = [centre + time * rates for time in times]
    last = path[0]
    for found, wanted in zip(followed(joint, path, path[0]), path, strict=True):
        assert np.abs(found - last).max() <= 0.03
        assert np.abs(found - wanted).max() <= 0.03
        last = found


@pytest.mark.parametrize("joint_type", ["universal", "revolute2", "euler_zyx", "d6", "custom"])
def test_rates_at_a_singularity_are_the_smallest(joint_type):
    """Guards `rates_at` where two turns are parallel: finite rates that explain the twist, and no larger than any."""
    axes = [Axis(xyz=(0.0, 0.0, 1.0)), Axis(xyz=(0.0, 0.0, 1.0))]
    joint = Joint("joint", joint_type, WORLD, "link", axes=[] if joint_type == "d6" else axes)
    q = np.zeros(joint.nq)
    if joint.nq > 2:
        q[-2] = 0.5 * math.pi
    qd = np.random.default_rng(8).normal(size=joint.nv)
    V = subspace_at(joint, q) @ qd
    found, left = rates_at(joint, q, V)
    assert np.abs(left).max() <= 1e-9
    assert np.linalg.norm(found) <= np.linalg.norm(qd)


@pytest.mark.parametrize("apart", [*AWAY, 0.1])
@pytest.mark.parametrize("joint_type", ["universal", "revolute2", "custom"])
def test_two_turns_about_nearly_one_line(joint_type, apart):
    """Guards a straight pair of hinges: parallel axes let only the sum be known, and the pose is met all the same."""
    axes = [Axis(xyz=(0.0, 0.0, 1.0)), Axis(xyz=(math.sin(apart), 0.0, math.cos(apart)))]
    joint = Joint("joint", joint_type, WORLD, "link", axes=axes)
    for near in ((0.0, 0.0), (0.5, 0.2), (-2.0, 1.0)):
        q = np.array([0.7, -0.3])
        found = coordinates_at(joint, joint_pose(joint, q), np.array(near))
        assert np.isfinite(found).all()
        assert pose_gap(joint, found, pose_at(joint, q)) <= 1e-9


@pytest.mark.parametrize("straight", [0.0, 0.5 * math.pi, math.pi])
def test_a_path_through_a_straight_universal_has_no_jump(straight):
    """Guards a universal joint that passes straight, and one that passes a right angle or folds back."""
    joint = Joint("joint", "universal", WORLD, "link", axes=[Axis(xyz=(1.0, 0.0, 0.0)), Axis(xyz=(0.0, 1.0, 0.0))])
    path = [np.array([straight + time, straight - 2.0 * time]) for time in np.arange(-30, 31) * 0.01]
    for found, wanted in zip(followed(joint, path, path[0]), path, strict=True):
        assert np.abs(found - wanted).max() <= 1e-9


@pytest.mark.parametrize("joint_type", ["ball", "free", "distance", "cable"])
def test_a_chart_passes_half_a_turn(joint_type):
    """Guards the quaternion's sign: through two whole turns in small steps it never flips."""
    joint = random_joint(joint_type, np.random.default_rng(9))
    axis = np.array(random_unit(np.random.default_rng(10)))
    place = np.zeros(joint.nq - 4)
    first = last = np.concatenate([place, quat_of_rotation_vector(0.0 * axis)])
    for angle in np.linspace(0.0, 4.0 * math.pi, 400, endpoint=True)[1:]:
        q = np.concatenate([place, quat_of_rotation_vector(angle * axis)])
        found = coordinates_at(joint, joint_pose(joint, q), last)
        assert np.abs(found - last).max() <= 0.02
        assert pose_gap(joint, found, pose_at(joint, q)) <= 1e-9
        last = found
    assert last == pytest.approx(first, abs=1e-12)


@pytest.mark.parametrize("joint_type", [name for name, kind in JOINT_TYPES.items() if kind.chart])
@pytest.mark.parametrize("angle", [0.0, 1e-13, 1e-9, 1e-4, math.pi - 1e-9, math.pi, math.pi + 1e-9])
def test_rows_and_springs_stay_finite(joint_type, angle):
    """Guards what has no derivative: a distance of nothing, a cone shut or open wide, springs at half a turn."""
    joint = random_joint(joint_type, np.random.default_rng(11))
    compiled = compile_model(Model(links=[Link("link")], joints=[joint]))
    axes = [joint.direction(row.axis) for row in joint.kind.limited_quantities] + [
        random_unit(np.random.default_rng(12))
    ]
    aside = np.cross(axes[0], (0.3, 0.5, 0.8))
    for axis in (*axes, tuple(aside / np.linalg.norm(aside))):
        q = np.concatenate([np.zeros(joint.nq - 4), quat_of_rotation_vector(angle * np.array(axis))])
        values, gradients = JointMotion(joint).rows(q)
        assert np.isfinite(values).all()
        assert np.isfinite(gradients).all()
        assert np.abs(gradients).max(initial=0.0) <= 1.0 + 1e-9 or joint.kind.limited_quantities[-1].code == 2
        assert np.isfinite(passive_forces(compiled, q, np.zeros(joint.nv))).all()


def test_a_twist_is_defined_where_the_swing_is_half_a_turn():
    """Guards the one pose of a ball whose twist is any: it is 0 there, and swinging up to it changes no twist."""
    joint = Joint("joint", "ball", WORLD, "link")
    swing, turned = quat_of_rotation_vector((math.pi, 0.0, 0.0)), quat_of_rotation_vector((0.0, 0.0, 0.4))
    values, gradients = JointMotion(joint).rows(swing)
    assert values == pytest.approx((math.pi, 0.0), abs=1e-12)
    assert not gradients[1].any()
    for angle in (0.5, 2.0, 3.0, 3.1, 3.14, 3.1415):
        q = quat_product(quat_of_rotation_vector((angle, 0.0, 0.0)), turned)
        assert JointMotion(joint).rows(q)[0] == pytest.approx((angle, 0.4), abs=1e-8)
