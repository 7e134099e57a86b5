# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations, poses and inertias against numpy's matrices."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core import spatial as sp

numbers = st.floats(-10.0, 10.0)
vectors = st.tuples(numbers, numbers, numbers)
angles = st.floats(-math.pi, math.pi)
quats = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: np.linalg.norm(q) > 0.1).map(sp.quat_normalized)
poses = st.builds(lambda p, q: p + q, vectors, quats)


def matrix(nine):
    return np.array(nine).reshape(3, 3)


def homogeneous(pose):
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = matrix(sp.quat_to_mat(pose[3:])), pose[:3]
    return out


def symmetric(six):
    a, b, c, d, e, f = six
    return np.array([[a, b, c], [b, d, e], [c, e, f]])


@given(poses, poses)
def test_poses_compose_as_matrices(a, b):
    """Guards X_AC = X_AB X_BC."""
    assert homogeneous(sp.compose(a, b)) == pytest.approx(homogeneous(a) @ homogeneous(b), abs=1e-12 * 100)


@given(poses)
def test_a_pose_and_its_inverse_cancel(a):
    """Guards `inverse`."""
    assert homogeneous(sp.compose(a, sp.inverse(a))) == pytest.approx(np.eye(4), abs=1e-12)


@given(quats)
def test_a_quaternion_survives_its_matrix(q):
    """Guards all four branches of Shepperd's method; q and -q are one rotation."""
    back = np.array(sp.quat_of_mat(sp.quat_to_mat(q)))
    assert min(np.abs(back - q).max(), np.abs(back + q).max()) < 1e-12


@given(angles, st.floats(-math.pi / 2, math.pi / 2), angles)
def test_rpy_turns_about_fixed_axes(roll, pitch, yaw):
    """Guards SDF's order, Rz Ry Rx, and the way back, the gimbal lock included."""
    cr, sr, cp, sp_, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    Rx = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    Ry = np.array([[cp, 0, sp_], [0, 1, 0], [-sp_, 0, cp]])
    Rz = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    q = sp.quat_of_rpy(roll, pitch, yaw)
    assert matrix(sp.quat_to_mat(q)) == pytest.approx(Rz @ Ry @ Rx, abs=1e-14)
    again = sp.quat_of_rpy(*sp.rpy_of_quat(q))
    assert matrix(sp.quat_to_mat(again)) == pytest.approx(Rz @ Ry @ Rx, abs=1e-7)


@given(vectors)
def test_z_to_takes_z_to_the_axis(v):
    """Guards the frames in which kernels turn about z: right-handed, and on the axis."""
    if np.linalg.norm(v) < 1e-3:
        v = (0.0, 0.0, 1.0)
    axis = sp.scale(v, 1.0 / sp.norm(v))
    R = matrix(sp.z_to(axis))
    assert R[:, 2] == pytest.approx(axis, abs=1e-14)
    assert R.T @ R == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)


def test_a_motion_that_meets_an_articulated_inertia_comes_back():
    """Guards articulated_solve against articulated_mul, and both against a plain 6 x 6 matrix."""
    rng = np.random.default_rng(1)
    root = rng.normal(size=(6, 6))
    full = root @ root.T + np.eye(6)
    A = (
        tuple(full[:3, :3][np.triu_indices(3)]),
        tuple(full[:3, 3:].ravel()),
        tuple(full[3:, 3:][np.triu_indices(3)]),
    )
    m = rng.normal(size=6)
    motion = (tuple(m[:3]), tuple(m[3:]))
    force = sp.articulated_mul(A, motion)
    assert np.ravel(force) == pytest.approx(full @ m)
    assert np.ravel(sp.articulated_solve(A, force)) == pytest.approx(m)


@given(vectors, quats)
def test_moving_an_inertia_keeps_the_kinetic_energy(arm, q):
    """Guards articulated_from and motion_at: energy does not depend on the reference point."""
    rigid = (2.0, (0.2, -0.4, 0.6), (1.0, 0.1, 0.0, 1.2, 0.05, 0.9))
    turned = sp.articulated(sp.inertia_rotate(sp.quat_to_mat(q), rigid))
    there = ((0.3, -0.2, 0.5), (1.0, 2.0, -1.0))
    here = sp.motion_at(there, sp.scale(arm, -1.0))
    moved = sp.articulated_from(turned, arm)
    assert sp.power(here, sp.articulated_mul(moved, here)) == pytest.approx(
        sp.power(there, sp.articulated_mul(turned, there)), rel=1e-9, abs=1e-9
    )


@given(st.floats(0.1, 10.0), vectors)
def test_the_parallel_axis_theorem(mass, c):
    """Guards sym_shift against its textbook form m (c.c 1 - c c')."""
    c_ = np.array(c)
    assert symmetric(sp.sym_shift(mass, c)) == pytest.approx(mass * (c_ @ c_ * np.eye(3) - np.outer(c_, c_)), abs=1e-9)


@pytest.mark.parametrize(
    "direction",
    [
        (0, 0, 1),
        (0, 0, -2),
        (3, 0, 0),
        (0.6, 0, -0.8),
        (1e-7, 0, -1),
        (1e-3, 2e-3, 5),
        (1e-160, 0, -1),
        (0, 1e-310, -1),
    ],
)
def test_the_least_turn_of_z(direction):
    """Guards `quat_of_z`: z goes there, and no turn about z is in it."""
    q = sp.quat_of_z(direction)
    expected = np.array(direction) / np.linalg.norm(direction)
    assert sp.quat_rotate(q, (0.0, 0.0, 1.0)) == pytest.approx(expected, abs=1e-14)
    assert q[3] == 0.0
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-14)
