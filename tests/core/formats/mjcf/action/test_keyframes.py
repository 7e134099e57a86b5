# SPDX-License-Identifier: GPL-3.0-or-later
"""The key `home` as the initial pose."""

import math

import pytest

from limberjack.core.spatial import compose, quat_of_rotvec
from support.mjcf_texts import MASS, errors_of, issues_of, model_of, poses_of, reading_of

HALF = math.sqrt(0.5)
BODIES = f"""<body name="b" pos="0 0 1"><freejoint/>{MASS}
<body name="c" pos="1 0 0">{MASS}<joint name="j" axis="0 0 1" range="-90 90"/></body>
<body name="d" pos="2 0 0">{MASS}<joint name="k" type="ball"/></body></body>"""
POSE = (5.0, 6.0, 7.0, HALF, 0.0, 0.0, HALF)
QPOS = " ".join(map(repr, (*POSE, 0.5, 2.0, 0.0, 0.0, 0.0)))


def key(attributes, name="home"):
    return f'<keyframe><key name="{name}" {attributes}/></keyframe>'


@pytest.mark.parametrize("name", ["home", "Home", "HOME"])
def test_home(name):
    """Joints start at the key's qpos, and a floating base and what hangs on it stand there."""
    model = model_of(BODIES, key(f'qpos="{QPOS}"', name))
    assert model.joint("j").home == (0.5,)
    assert model.joint("k").home == (1.0, 0.0, 0.0, 0.0)
    poses = poses_of(model, {})
    assert poses["b"] == pytest.approx(POSE)
    turned = (1.0, 0.0, 0.0, *quat_of_rotvec((0.0, 0.0, 0.5)))
    assert poses["c"] == pytest.approx(compose(POSE, turned))


def test_other_keys_change_nothing():
    """Guards models whose first key is a fall, a crouch or a grasp."""
    assert model_of(BODIES, key(f'qpos="{QPOS}"', "crouch")).joint("j").home == (0.0,)
    assert model_of(BODIES, key('time="1"')).joint("j").home == (0.0,)


@pytest.mark.parametrize(
    ("qpos", "errors"),
    [
        ("0 0", ["bad-number"]),
        (f"{QPOS} 1", ["bad-number"]),
        ("a", ["bad-number"]),
        (QPOS.replace("0.5", "nan"), ["not-finite"]),
        ("", []),
    ],
)
def test_wrong_numbers(qpos, errors):
    """qpos that does not fit the joints is one error, as in MuJoCo; an empty one is none."""
    assert errors_of(BODIES, key(f'qpos="{qpos}"')) == errors


def test_a_home_outside_of_limits():
    """It is told."""
    outside = QPOS.replace("0.5", "2.5")
    assert ("warning", "home-outside-limits") in issues_of(BODIES, key(f'qpos="{outside}"'))


def test_a_note_says_so():
    """The user learns which pose it is."""
    reading = reading_of(f"<mujoco><worldbody>{BODIES}</worldbody>" + key(f'qpos="{QPOS}"') + "</mujoco>")
    assert any("'home' is the initial pose" in note for note in reading.notes)


def test_controls():
    """ctrl of the key is what servos start with; one that does not fit the actuators is told."""
    drives = '<actuator><position name="p" joint="j" kp="10"/></actuator>'
    model = model_of(BODIES, drives + key(f'qpos="{QPOS}" ctrl="0.25"'))
    assert model.joint("j").axes[0].drive_target == 0.25
    assert ("warning", "bad-number") in issues_of(BODIES, drives + key(f'qpos="{QPOS}" ctrl="1 2"'))


def test_followers_start_where_they_are_led():
    """A key may have a follower elsewhere than its leader leads it; it starts there, and a note tells it."""
    bodies = "".join(f'<body name="b{i}">{MASS}<joint name="j{i}"/></body>' for i in range(2))
    rest = """<equality><joint joint1="j1" joint2="j0" polycoef="0.1 2"/></equality>
        <keyframe><key name="home" qpos="0.5 0.2"/></keyframe>"""
    reading = reading_of(f"<mujoco>{rest}<worldbody>{bodies}</worldbody></mujoco>")
    assert reading.model.joint("j1").home == pytest.approx((1.1,))
    assert any("1 joint ('j1') would not start where" in note for note in reading.notes)
