# SPDX-License-Identifier: GPL-3.0-or-later
"""Orientations in the five forms of MJCF, against closed forms and products of rotations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.spatial import quat_to_mat
from support.mjcf_texts import body, errors_of, model_of

NUMBERS = st.floats(-3.0, 3.0)
VECTORS = st.tuples(NUMBERS, NUMBERS, NUMBERS)
SEQUENCES = [f"{a}{b}{c}" for a in "xY" for b in "yZ" for c in "zX"] + ["xyx", "XYZ", "zyx", "zxz", "xYz"]


def orientation(attributes, compiler=""):
    """R_WB of a body, shape (3, 3)."""
    pose = model_of(body("", attributes), compiler).link("b").pose
    return np.array(quat_to_mat(pose[3:])).reshape(3, 3)


def about(axis, angle):
    """Rotation matrix by Rodrigues' formula."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


def numbers(values):
    return " ".join(map(repr, values))


def long_enough(vector):
    return float(np.linalg.norm(vector)) > 1e-3


@pytest.mark.parametrize(
    "attributes",
    [
        'quat="0.7071067811865476 0 0 0.7071067811865476"',
        'quat="2 0 0 2"',
        'quat="-1e-160 0 0 -1e-160"',
        'axisangle="0 0 1 90"',
        'axisangle="0 0 -7 -90"',
        'xyaxes="0 1 0 -1 0 0"',
        'xyaxes="0 3 0 -2 5 0"',
        'euler="0 0 90"',
    ],
)
def test_a_quarter_turn_about_z(attributes):
    """Each form means the same turn, whatever the lengths of its vectors."""
    assert orientation(attributes) == pytest.approx(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]]), abs=1e-12)


def test_radians():
    """axisangle and euler are in the file's unit, the others have none."""
    expected = about((0, 0, 1), 1.5)
    for attributes in ('axisangle="0 0 1 1.5"', 'euler="0 0 1.5"'):
        assert orientation(attributes, '<compiler angle="radian"/>') == pytest.approx(expected, abs=1e-12)


@given(VECTORS.filter(long_enough), NUMBERS)
def test_axisangle(axis, angle):
    """The body is turned about the axis by the angle."""
    found = orientation(f'axisangle="{numbers((*axis, angle))}"', '<compiler angle="radian"/>')
    assert found == pytest.approx(about(axis, angle), abs=1e-12)


@given(VECTORS.filter(long_enough))
def test_zaxis(axis):
    """The z axis points along the vector, by the smallest turn; a half turn is about x, as MuJoCo has it."""
    z = np.array(axis) / np.linalg.norm(axis)
    turn = np.cross((0.0, 0.0, 1.0), z)
    sine = np.linalg.norm(turn)
    angle = math.atan2(sine, z[2])
    expected = about(turn if sine > 1e-10 else (1, 0, 0), angle)
    assert orientation(f'zaxis="{numbers(axis)}"') == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tilt", [0.0, 5e-324, 1e-311, 1e-170, 1e-155, 1.2e-16, 1e-11])
def test_zaxis_down(tilt):
    """Guards the direction without a smallest turn: MuJoCo turns about x, whatever rounding has left of a zero."""
    assert orientation(f'zaxis="{tilt!r} 0 -2"') == pytest.approx(np.diag([1.0, -1.0, -1.0]), abs=1e-10)


@given(VECTORS.filter(long_enough), VECTORS)
def test_xyaxes(x, y):
    """x points along the first vector, y lies in the plane of both on the second one's side."""
    across = np.cross(x, y)
    if np.linalg.norm(across) < 1e-2:
        return
    first, third = np.array(x) / np.linalg.norm(x), across / np.linalg.norm(across)
    expected = np.column_stack([first, np.cross(third, first), third])
    assert orientation(f'xyaxes="{numbers((*x, *y))}"') == pytest.approx(expected, abs=1e-9)


@given(st.sampled_from(SEQUENCES), VECTORS)
def test_euler(sequence, angles):
    """Small letters turn about axes of the body, capitals about those of the parent, one after the other."""
    axes = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    expected = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        R = about(axes[letter.lower()], angle)
        expected = expected @ R if letter.islower() else R @ expected
    compiler = f'<compiler angle="radian" eulerseq="{sequence}"/>'
    assert orientation(f'euler="{numbers(angles)}"', compiler) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("attributes", "code"),
    [
        ('quat="1 0 0 0" euler="0 0 0"', "two-orientations"),
        ('axisangle="0 0 0 90"', "zero-axis"),
        ('xyaxes="1 0 0 2 0 0"', "zero-axis"),
        ('zaxis="0 0 0"', "zero-axis"),
        ('quat="1 0 0"', "bad-number"),
        ('pos="1 2 x"', "bad-number"),
        ('pos="1 2 nan"', "bad-number"),
    ],
)
def test_wrong_orientations(attributes, code):
    """Guards refusals: each text gives exactly one error, as in MuJoCo."""
    assert errors_of(body("", attributes)) == [code]


def test_quat_of_zeros():
    """MuJoCo reads it as no turn; so do we, and --strict refuses it."""
    assert orientation('quat="0 0 0 0"') == pytest.approx(np.eye(3))
    assert errors_of(body("", 'quat="0 0 0 0"'), strict=True) == ["bad-number"]
