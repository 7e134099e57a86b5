# SPDX-License-Identifier: GPL-3.0-or-later
"""Actuators as drives. Each test has an axis q, a control u and the force that MuJoCo's formulas give."""

import math

import pytest

from limberjack.core.formats import read
from support.mjcf_texts import MASS, body, errors_of, model_of, reading_of

JOINT = body('<joint name="j" type="slide" axis="1 0 0" {}/>')
HOME = '<keyframe><key name="home" qpos="0" ctrl="{}"/></keyframe>'
GRIPPER = f"""<body name="l">{MASS}<joint name="left" type="slide" axis="0 1 0"/></body>
<body name="r">{MASS}<joint name="right" type="slide" axis="0 -1 0"/></body>"""


def drive(actuators, control="", rest="", joint="", name="j"):
    keys = HOME.format(control) if control else ""
    return model_of(JOINT.format(joint), f"<actuator>{actuators}</actuator>{keys}{rest}").joint(name).axes[0]


def force(axis, q, qd):
    """The force of a drive, without its limit."""
    if axis.drive_mode == "position":
        return axis.drive_stiffness * (axis.drive_target - q) - axis.drive_damping * qd
    if axis.drive_mode == "velocity":
        return axis.drive_damping * (axis.drive_target - qd)
    return axis.drive_target if axis.drive_mode == "force" else 0.0


AT = [(0.0, 0.0), (0.7, 0.0), (-0.3, 2.0)]
"""(q, q') of the comparisons."""


@pytest.mark.parametrize(
    ("actuator", "expected"),
    [
        ('<motor joint="j"/>', lambda u, q, qd: u),
        ('<motor joint="j" gear="3"/>', lambda u, q, qd: 3 * u),
        ('<motor joint="j" gear="-3 0 0"/>', lambda u, q, qd: -3 * u),
        ('<position joint="j"/>', lambda u, q, qd: u - q),
        ('<position joint="j" kp="5" kv="2"/>', lambda u, q, qd: 5 * (u - q) - 2 * qd),
        ('<position joint="j" kp="5" kv="2" gear="10"/>', lambda u, q, qd: 10 * (5 * (u - 10 * q) - 2 * 10 * qd)),
        ('<velocity joint="j" kv="4"/>', lambda u, q, qd: 4 * (u - qd)),
        ('<velocity joint="j" kv="4" gear="2"/>', lambda u, q, qd: 2 * 4 * (u - 2 * qd)),
        ('<general joint="j"/>', lambda u, q, qd: u),
        ('<general joint="j" gainprm="7"/>', lambda u, q, qd: 7 * u),
        (
            '<general joint="j" gainprm="50" biastype="affine" biasprm="1 -40 -2"/>',
            lambda u, q, qd: 50 * u + 1 - 40 * q - 2 * qd,
        ),
        ('<general joint="j" gainprm="50" biasprm="1 -40 -2"/>', lambda u, q, qd: 50 * u),
        ('<general joint="j" biastype="affine" biasprm="0 0 -2"/>', lambda u, q, qd: u - 2 * qd),
        ('<position joint="j" kp="5"/><velocity joint="j" kv="3"/>', lambda u, q, qd: 5 * (u - q) + 3 * (0 - qd)),
        ('<motor joint="j" gear="2"/><motor joint="j" gear="3"/>', lambda u, q, qd: 2 * u),
    ],
)
def test_forces(actuator, expected):
    """The drive of an axis exerts what its actuators exert together, at the controls of the key home."""
    control = "0.5" + " 0" * (actuator.count("joint=") - 1)
    axis = drive(actuator, control)
    for q, qd in AT:
        assert force(axis, q, qd) == pytest.approx(expected(0.5, q, qd), abs=1e-12)


def test_dampratio():
    """The damping of a servo is 2 zeta sqrt(k m), with the inertia that it moves."""
    axis = drive('<position joint="j" kp="100" dampratio="0.5"/>', joint='armature="3"')
    assert axis.drive_damping == pytest.approx(2.0 * 0.5 * math.sqrt(100.0 * (1.0 + 3.0)))


def test_dampratio_with_gear():
    """Guards the gear n: the stiffness on the axis is kp n^2, and the ratio is that of the axis."""
    axis = drive('<position joint="j" kp="100" dampratio="1" gear="2"/>', joint='armature="3"')
    assert axis.drive_stiffness == pytest.approx(400.0)
    assert axis.drive_damping == pytest.approx(2.0 * math.sqrt(400.0 * 4.0))


@pytest.mark.parametrize(
    "actuator", ['<position joint="j" kp="1" dampratio="1" gear="0"/>', '<motor joint="j" gear="0"/>']
)
def test_a_gear_of_zero(actuator):
    """Such an actuator does nothing, and nothing is divided by its gear."""
    assert drive(actuator).drive_mode == "off"


def test_dampratio_of_a_negative_stiffness():
    """Guards a square root of what is negative: the drive is told and left out."""
    assert drive('<position joint="j" kp="-5" dampratio="1"/>').drive_mode == "off"


def test_dampratio_is_of_the_pose_as_drawn():
    """Guards that the key home does not change inertias, which MuJoCo computes at qpos0."""
    bodies = """<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j" axis="0 0 1"/>
    <body name="c" pos="1 0 0"><inertial pos="1 0 0" mass="1" diaginertia="1 1 1"/><joint name="k" axis="0 0 1"/></body>
    </body>"""
    rest = """<actuator><position joint="j" kp="1" dampratio="1"/></actuator>
    <keyframe><key name="home" qpos="0 3"/></keyframe>"""
    axis = model_of(bodies, rest).joint("j").axes[0]
    assert axis.drive_damping == pytest.approx(2.0 * math.sqrt(1.0 + 1.0 + 4.0))


@pytest.mark.parametrize(
    ("actuator", "effort"),
    [
        ('<motor joint="j"/>', math.inf),
        ('<motor joint="j" ctrlrange="-2 2"/>', 2.0),
        ('<motor joint="j" ctrlrange="-2 2" gear="10"/>', 20.0),
        ('<motor joint="j" ctrlrange="-2 2" ctrllimited="false"/>', math.inf),
        ('<motor joint="j" ctrlrange="-2 2" forcerange="-1 1"/>', 1.0),
        ('<position joint="j" kp="5" ctrlrange="-1 1"/>', math.inf),
        ('<position joint="j" kp="5" forcerange="-8 8" gear="2"/>', 16.0),
        ('<position joint="j" kp="5" forcerange="-8 8" forcelimited="false"/>', math.inf),
        ('<motor joint="j" ctrlrange="-2 2"/><motor joint="j" ctrlrange="-3 3"/>', 5.0),
    ],
)
def test_limits(actuator, effort):
    """The largest force of a drive is that of its actuators together."""
    assert drive(actuator).effort == effort


def test_the_joints_limit_counts_too():
    """actuatorfrcrange limits what all actuators of a joint exert."""
    assert drive('<motor joint="j" ctrlrange="-5 5"/>', joint='actuatorfrcrange="-2 2"').effort == 2.0


def test_controls_are_bounded():
    """A servo whose range excludes 0 starts with the nearest allowed control."""
    assert drive('<position joint="j" kp="5" ctrlrange="1 2"/>').drive_target == 1.0
    assert drive('<position joint="j" kp="5" ctrlrange="1 2" ctrllimited="false"/>').drive_target == 0.0


def test_classes():
    """Actuators of all kinds in a class set the same values, one after the other, and an actuator adds its own."""
    classes = """<default><general forcerange="-9 9"/><default class="servo"><position kp="50" kv="2"/>
    <default class="strong"><position kp="80"/></default></default></default>"""
    axis = drive('<position joint="j" class="strong"/>', rest=classes)
    assert (axis.drive_stiffness, axis.drive_damping, axis.effort) == (80.0, 2.0, 9.0)
    axis = drive('<general joint="j" class="servo"/>', rest=classes)
    assert (axis.drive_stiffness, axis.drive_damping) == (50.0, 2.0)
    axis = drive('<motor joint="j" class="servo"/>', rest=classes)
    assert axis.drive_stiffness == 0.0


def test_general_in_a_class():
    """Menagerie's arms: gains and biases in classes, where an arm gives its own gain alone."""
    classes = """<default><general biastype="affine"/><default class="a"><general gainprm="500" biasprm="0 -500 -20"/>
    </default></default>"""
    axis = drive('<general joint="j" class="a"/>', rest=classes)
    assert (axis.drive_stiffness, axis.drive_damping) == (500.0, 20.0)


def test_a_gripper():
    """A tendon over two fingers, one of which follows the other, drives the leader."""
    rest = """<tendon><fixed name="t"><joint joint="left" coef="0.5"/><joint joint="right" coef="0.5"/></fixed></tendon>
    <equality><joint joint1="left" joint2="right"/></equality>
    <actuator><general tendon="t" gainprm="100" biastype="affine" biasprm="0 -100 -10" forcerange="-7 7"/></actuator>"""
    model = model_of(GRIPPER, rest)
    leader, follower = model.joint("right").axes[0], model.joint("left").axes[0]
    assert (leader.drive_stiffness, leader.drive_damping, leader.effort) == pytest.approx((100.0, 10.0, 7.0))
    assert follower.drive_mode == "off"


def test_a_tendon_with_coefficients():
    """A tendon whose length is 2 q is a gear of 2."""
    rest = """<tendon><fixed name="t"><joint joint="left" coef="2"/></fixed></tendon>
    <actuator><position tendon="t" kp="10"/></actuator>"""
    assert model_of(GRIPPER, rest).joint("left").axes[0].drive_stiffness == pytest.approx(40.0)


def test_a_follower_with_an_offset():
    """Guards the length of a tendon at q = 0: the follower stands at 0.3 + 2 q."""
    rest = """<tendon><fixed name="t"><joint joint="left" coef="1"/><joint joint="right" coef="1"/></fixed></tendon>
    <equality><joint joint1="left" joint2="right" polycoef="0.3 2"/></equality>
    <actuator><position tendon="t" kp="10"/></actuator>"""
    axis = model_of(GRIPPER, rest).joint("right").axes[0]
    assert axis.drive_stiffness == pytest.approx(90.0)
    assert axis.drive_target == pytest.approx(-0.1)


@pytest.mark.parametrize(
    ("actuator", "words"),
    [
        ('<motor joint="j" gear="1 2 0 0 0 0"/>', "six numbers"),
        ('<motor site="s"/>', "transmission"),
        ('<general joint="j" gaintype="affine" gainprm="1 1"/>', "gaintype"),
        ('<position joint="j" timeconst="0.1"/>', "timeconst of <position> is not read"),
        ('<general joint="j" dyntype="integrator"/>', "dyntype of <general> is not read"),
    ],
)
def test_what_is_lost_is_told(actuator, words):
    """Each is a note of one line, and no error."""
    text = JOINT.format("").replace("</body>", '<site name="s"/></body>')
    reading = reading_of(f"<mujoco><worldbody>{text}</worldbody><actuator>{actuator}</actuator></mujoco>")
    assert reading.ok, reading.issues
    assert any(words in note for note in reading.notes), reading.notes


def test_a_drive_that_pushes_away():
    """A negative stiffness is no drive of ours: it is told and left out."""
    text = '<general joint="j" biastype="affine" biasprm="0 5 0"/>'
    reading = reading_of(f"<mujoco><worldbody>{JOINT.format('')}</worldbody><actuator>{text}</actuator></mujoco>")
    assert "unstable-drive" in [issue.code for issue in reading.issues]
    assert reading.model.joint("j").axes[0].drive_mode == "off"


@pytest.mark.parametrize(
    ("actuator", "code"),
    [
        ('<motor joint="z"/>', "unknown-joint"),
        ('<motor joint="j" class="z"/>', "unknown-class"),
        ('<position joint="j" kp="x"/>', "bad-number"),
        ('<motor joint="j" ctrllimited="perhaps"/>', "bad-value"),
        ('<motor joint="j" gear="1 2 3 4 5 6 7"/>', "bad-number"),
        ('<motor tendon="z"/>', "unknown-tendon"),
    ],
)
def test_wrong_actuators(actuator, code):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(JOINT.format(""), f"<actuator>{actuator}</actuator>") == [code]


def test_actuation_that_is_off():
    """The flag switches all drives off."""
    assert (
        drive('<motor joint="j" ctrlrange="-2 2"/>', rest='<option><flag actuation="disable"/></option>').effort
        == math.inf
    )


def test_actuators_of_copies_of_an_attached_file(tmp_path):
    """Each copy brings its own, whose names get its prefix and its number: MuJoCo's 100 humanoids."""
    inner = """<mujoco><worldbody><body name="b"><joint name="j"/><geom size="1"/></body></worldbody>
    <actuator><motor name="m" joint="j" ctrlrange="-3 3"/></actuator></mujoco>"""
    outer = """<mujoco><asset><model name="one" file="inner.xml"/></asset><worldbody>
    <replicate count="2" offset="3 0 0" sep="-"><attach model="one" body="b" prefix="p_"/></replicate>
    </worldbody></mujoco>"""
    (tmp_path / "inner.xml").write_text(inner)
    (tmp_path / "outer.xml").write_text(outer)
    model = read(tmp_path / "outer.xml").model
    assert {joint.name: joint.axes[0].effort for joint in model.joints} == {"p_j-0": 3.0, "p_j-1": 3.0}
