# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and dampers by a time constant and a damping ratio, against closed forms."""

import time

import pytest

from support.mjcf_texts import MASS, body, errors_of, model_of

POINT = '<inertial pos="0 0 2" mass="3" diaginertia="0.5 0.5 0.5"/>'
TWO = """<body name="b"><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/><joint name="i" type="slide"/>
<body name="c"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/><joint name="j" type="slide" {}/></body></body>"""


def coefficients(inertia, time, ratio):
    return inertia / (time * ratio) ** 2, 2.0 * inertia / time


def found(model, name):
    axis = model.joint(name).axes[0]
    return axis.spring_stiffness, axis.damping


def test_a_hinge():
    """The inertia is that about the hinge, with its armature; its own stiffness and damping do not count."""
    joint = '<joint name="j" axis="1 0 0" springdamper="0.2 0.5" armature="0.25" stiffness="7" damping="8"/>'
    model = model_of(f'<body name="b">{POINT}{joint}</body>')
    assert found(model, "j") == pytest.approx(coefficients(0.5 + 3.0 * 4.0 + 0.25, 0.2, 0.5))


def test_others_are_free():
    """The inertia is 1 / (M^-1)_ii: of two slides in a row, the second one moves the reduced mass of both."""
    model = model_of(TWO.format('springdamper="0.1 1"'))
    assert found(model, "j") == pytest.approx(coefficients(3.0 * 2.0 / 5.0, 0.1, 1.0))
    assert found(model, "i") == (0.0, 0.0)


def test_the_pose_as_drawn_counts():
    """Guards that neither q = 0 nor the key home decides, but the pose as drawn, in which MuJoCo computes inertias."""
    inner = """<body name="c" pos="1 0 0"><inertial pos="1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
    <joint name="j" axis="0 0 1" ref="90"/></body>"""
    outer = f"""<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>
    <joint name="i" axis="0 0 1" springdamper="0.1 1"/>{inner}</body>"""
    a, b = 0.1 + 0.1 + 2.0 * 4.0, 0.1 + 2.0
    coupled = 0.1 + 2.0 * 2.0
    expected = coefficients(a - coupled**2 / b, 0.1, 1.0)
    assert found(model_of(outer), "i") == pytest.approx(expected)
    home = '<keyframe><key name="home" qpos="0 3"/></keyframe>'
    assert found(model_of(outer, home), "i") == pytest.approx(expected)


def test_a_ball():
    """A ball joint has the mean of three entries of M^-1."""
    content = '<inertial pos="0 0 0" mass="1" diaginertia="1 2 2.5"/><joint name="j" type="ball" springdamper="0.1 1"/>'
    model = model_of(f'<body name="b">{content}</body>')
    inertia = 3.0 / (1.0 + 0.5 + 0.4)
    for axis in model.joint("j").axes[:3]:
        assert (axis.spring_stiffness, axis.damping) == pytest.approx(coefficients(inertia, 0.1, 1.0))


def test_without_names():
    """Guards joints of a stack that have no names."""
    joints = '<joint type="slide" axis="1 0 0" springdamper="0.1 1"/><joint type="slide" springdamper="0.2 1"/>'
    model = model_of(body(joints))
    assert [axis.damping for axis in model.joints[0].axes] == pytest.approx([2.0 / 0.1, 2.0 / 0.2])


def test_flags():
    """Springs and dampers that the file switches off stay off."""
    joint = body('<joint name="j" type="slide" springdamper="0.1 1"/>')
    assert found(model_of(joint, '<option><flag spring="disable"/></option>'), "j") == pytest.approx((0.0, 20.0))
    assert found(model_of(joint, '<option><flag damper="disable"/></option>'), "j") == pytest.approx((100.0, 0.0))


def test_extreme_times():
    """Numbers that nobody means overflow nowhere."""
    for text in ("1e200 1e200", "1e-200 1e-200", "1e308 1"):
        assert found(model_of(body(f'<joint name="j" springdamper="{text}"/>')), "j")[0] >= 0.0


def test_many_copies():
    """Guards the time of hundreds of joints, each of which has an inertia of its own."""
    begun = time.process_time()
    joints = '<joint type="slide" springdamper="0.1 1"/>'
    model = model_of(f'<replicate count="500"><body>{MASS}{joints}</body></replicate>')
    assert model.joints[499].axes[0].damping == pytest.approx(20.0)
    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize("text", ["0.1 0", "-1 1", "1", "a b"])
def test_wrong_numbers(text):
    """Guards refusals: each text gives exactly one error. Two zeros are allowed and mean none."""
    assert errors_of(body(f'<joint springdamper="{text}"/>')) == ["bad-number"]
    assert errors_of(body('<joint springdamper="0 0"/>')) == []
