# SPDX-License-Identifier: GPL-3.0-or-later
"""The public functions of poses, against scipy's rotations and numpy's matrices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limberjack.core import api as lj  # whose names are loaded before hypothesis measures time

numbers = st.floats(-10.0, 10.0)
vectors = st.tuples(numbers, numbers, numbers)
angles = st.floats(-math.pi, math.pi)
rotations = vectors.map(Rotation.from_rotvec)
poses = st.builds(lambda p, R: (*p, *np.roll(R.as_quat(), 1)), vectors, rotations)


def matrix(pose):
    """The homogeneous matrix of a pose, by scipy, whose quaternions have w last."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix(), pose[:3]
    return T


@given(poses, poses, poses)
def test_products_are_those_of_matrices(a, b, c):
    """Guards the order X_AC = X_AB X_BC, of any number of poses, and matrices and lists as arguments."""
    assert matrix(lj.compose_poses(a, b)) == pytest.approx(matrix(a) @ matrix(b), abs=1e-11)
    expected = matrix(a) @ matrix(b) @ matrix(c)
    assert matrix(lj.compose_poses(a, matrix(b), list(c))) == pytest.approx(expected, abs=1e-11)
    assert math.hypot(*lj.compose_poses(*[a] * 50)[3:]) == pytest.approx(1.0, abs=1e-15)


def test_the_product_of_no_poses_is_the_identity():
    """Guards a loop over a path of no frames."""
    assert lj.compose_poses() == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


@given(poses)
def test_the_inverse_is_that_of_the_matrix(a):
    """Guards X_BA."""
    assert matrix(lj.inverse_pose(a)) == pytest.approx(np.linalg.inv(matrix(a)), abs=1e-11)


@given(poses)
def test_matrices_are_scipys(a):
    """Guards both ways between poses and matrices; of q and -q, the one with w >= 0 comes back."""
    T = lj.pose_to_matrix(a)
    assert T == pytest.approx(matrix(a), abs=1e-14)
    back = lj.pose_from_matrix(T)
    assert back[3] >= 0.0
    assert matrix(back) == pytest.approx(matrix(a), abs=1e-14)


@given(vectors, angles, st.floats(-math.pi / 2, math.pi / 2), angles)
def test_rpy_are_scipys_angles_about_fixed_axes(xyz, roll, pitch, yaw):
    """Guards the order of roll, pitch and yaw, and the way back, gimbal lock included."""
    expected = np.eye(4)
    expected[:3, :3], expected[:3, 3] = Rotation.from_euler("xyz", [roll, pitch, yaw]).as_matrix(), xyz
    pose = lj.pose_from_rpy((*xyz, roll, pitch, yaw))
    assert matrix(pose) == pytest.approx(expected, abs=1e-14)
    x, y, z, *rpy = lj.pose_to_rpy(pose)
    assert (x, y, z) == xyz
    assert Rotation.from_euler("xyz", rpy).as_matrix() == pytest.approx(expected[:3, :3], abs=1e-11)
    if abs(pitch) < 1.5:
        turns = np.subtract(rpy, (roll, pitch, yaw)) / math.tau
        assert turns == pytest.approx(np.round(turns), abs=1e-9)


def test_one_degree_below_gimbal_lock_is_told_by_three_angles_and_at_it_by_two():
    """Guards the rule of the docstring: at a pitch of 90 degrees, yaw is 0."""
    assert lj.pose_to_rpy(lj.pose_from_rpy((0, 0, 0, 0.3, math.radians(89), 0.5)))[5] == pytest.approx(0.5)
    *_, roll, pitch, yaw = lj.pose_to_rpy(lj.pose_from_rpy((0, 0, 0, 0.3, math.radians(90), 0.5)))
    assert (roll, pitch, yaw) == pytest.approx((-0.2, math.radians(90), 0.0), abs=1e-7)


MIRRORED = np.diag([1.0, 1.0, -1.0, 1.0])


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: lj.compose_poses((0, 0, 0, 1, 0, 0, 0), (0, 0, 0)), r"pose 2 takes a pose .*found \(0, 0, 0\)"),
        (lambda: lj.compose_poses(np.zeros((5, 7))), r"one pose at a time, found shape \(5, 7\)"),
        (lambda: lj.inverse_pose((0, 0, 0, 0, 0, 0, 0)), "X_AB: the quaternion .* has length 0; it must be 1"),
        (lambda: lj.inverse_pose((0, 0, math.nan, 1, 0, 0, 0)), "X_AB takes finite numbers"),
        (lambda: lj.pose_to_matrix("here"), "X_AB takes a pose .*found 'here'"),
        (lambda: lj.pose_from_matrix(np.eye(3)), r"T_AB takes a 4 x 4 matrix, found shape \(3, 3\)"),
        (lambda: lj.pose_from_matrix(MIRRORED), "no rotation .determinant -1.; .*right-handed"),
        (lambda: lj.pose_from_matrix(np.ones((4, 4))), "the last row is .*; it must be 0 0 0 1"),
        (lambda: lj.pose_from_rpy((0, 0, 0)), "xyz_rpy takes x y z .* 6 finite numbers, found"),
    ],
)
def test_what_is_no_pose_is_refused(call, told):
    """Guards the messages: which argument, what was found, what is allowed."""
    with pytest.raises(ValueError, match=told):
        call()
