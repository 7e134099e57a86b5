# SPDX-License-Identifier: GPL-3.0-or-later
"""Equality constraints: loops and joints that follow others."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import closed_state, link_poses
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import compose, inverse, quat_of_rotvec
from support.mjcf_texts import MASS, body, errors_of, issues_of, model_of, reading_of

TWO = f"""<body name="a" pos="1 0 0" euler="0 0 90">{MASS}<joint name="i"/><site name="s" pos="0 1 0"/></body>
<body name="c" pos="0 2 0" euler="0 90 0">{MASS}<joint name="j" ref="{{}}"/><site name="t" pos="0 0 1"/></body>"""


def equality(content, ref="0"):
    return model_of(TWO.format(ref), f"<equality>{content}</equality>")


def loop(content, ref="0"):
    (found,) = [joint for joint in equality(content, ref).joints if joint.closes_loop]
    return found


def ends(model, joint):
    """The joint's frames at home, on its parent and on its child, in the world."""
    poses = link_poses(model)
    return compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)


@pytest.mark.parametrize("ref", ["0", "40"])
def test_connect(ref):
    """A ball joint holds together the two points that coincide as drawn, where joints are at their refs."""
    model = equality('<connect body1="a" body2="c" anchor="0.1 0.2 0.3"/>', ref)
    joint = model.joints[-1]
    assert (joint.type, joint.parent, joint.child, joint.closes_loop) == ("ball", "a", "c", True)
    assert joint.X_PJ[:3] == (0.1, 0.2, 0.3)
    on_a, on_c = ends(model, joint)
    assert on_a[:3] == pytest.approx(on_c[:3])
    assert on_a[:3] == pytest.approx((1 - 0.2, 0.1, 0.3))


def test_connect_to_the_world():
    """A body that is not named is the world; it becomes the parent."""
    joint = loop('<connect body1="a" anchor="0 0 1"/>')
    assert (joint.parent, joint.child) == ("world", "a")
    assert joint.X_PJ[:3] == pytest.approx((1, 0, 1))


def test_sites():
    """Two sites are held together, wherever they are drawn."""
    joint = loop('<connect site1="s" site2="t"/>')
    assert (joint.type, joint.X_PJ[:3], joint.X_CJ[:3]) == ("ball", (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    assert loop('<weld site1="s" site2="t"/>').type == "fixed"


def test_weld():
    """A weld without relpose holds two bodies as drawn."""
    model = equality('<weld body1="a" body2="c"/>')
    joint = model.joints[-1]
    assert (joint.type, joint.closes_loop) == ("fixed", True)
    on_a, on_c = ends(model, joint)
    assert on_a == pytest.approx(on_c)


def test_relpose():
    """relpose is the pose of the second body in the first one; anchor is a point of the second body."""
    quat = quat_of_rotvec((0.0, 0.0, 1.0))
    text = " ".join(map(repr, (1.0, 2.0, 3.0, *(2.0 * part for part in quat))))
    joint = loop(f'<weld body1="a" body2="c" relpose="{text}" anchor="0 0 5"/>')
    assert compose(joint.X_PJ, inverse(joint.X_CJ)) == pytest.approx((1, 2, 3, *quat))
    assert joint.X_CJ[:3] == (0.0, 0.0, 5.0)


def test_a_weld_of_points():
    """torquescale="0" leaves turns free, so that it is a ball joint."""
    assert loop('<weld body1="a" body2="c" torquescale="0"/>').type == "ball"


def test_a_constraint_that_is_off():
    """active="false" keeps the joint, switched off."""
    assert not equality('<connect body1="a" body2="c" anchor="0 0 0" active="false"/>').joints[-1].enabled


def test_a_floating_body_is_held():
    """A weld of a free body to the world holds it; it is the joint of that body, and closes no loop."""
    model = model_of(body("<freejoint/>", 'pos="1 2 3"'), '<equality><weld body1="b"/></equality>')
    (joint,) = model.joints
    assert (joint.type, joint.child, joint.closes_loop) == ("fixed", "b", False)
    assert link_poses(model)["b"][:3] == pytest.approx((1, 2, 3))


@pytest.mark.parametrize("ref", [0.0, 30.0])
@pytest.mark.parametrize(("polycoef", "constant", "factor"), [("", 0.0, 1.0), ("0.2 -3", 0.2, -3.0)])
def test_joints_that_follow(ref, polycoef, constant, factor):
    """q1 - ref1 = a0 + a1 (q2 - ref2)."""
    given = f'polycoef="{polycoef}"' if polycoef else ""
    model = equality(f'<joint joint1="i" joint2="j" {given}/>', str(ref))
    compiled = compile_model(model)
    q, _ = closed_state(compiled, {"j": 0.5})
    expected = constant + factor * (0.5 - math.radians(ref))
    assert q[compiled.spans["i"].q] == pytest.approx([expected])


def test_refs_of_followers():
    """The follower's own ref counts as well."""
    model = equality('<joint joint1="j" joint2="i" polycoef="0 2"/>', "30")
    compiled = compile_model(model)
    q, _ = closed_state(compiled, {"i": 0.25})
    assert q[compiled.spans["j"].q] == pytest.approx([math.radians(30.0) + 0.5])


def test_a_joint_that_is_held():
    """An equality of one joint holds it at ref + a0."""
    axis = equality('<joint joint1="j" polycoef="0.1"/>', "30").joint("j").axes[0]
    assert axis.lower == axis.upper == pytest.approx(math.radians(30.0) + 0.1)


def test_axes_of_stacks_follow():
    """Guards joints in one body, which are axes of one joint here."""
    joints = '<joint name="i" axis="1 0 0"/><joint name="j" axis="0 1 0"/>'
    model = model_of(body(joints), '<equality><joint joint1="j" joint2="i" polycoef="0 2"/></equality>')
    compiled = compile_model(model)
    (joint,) = model.joints
    assert joint.mimic.axis == 1
    assert joint.mimic.leader_axis == 0
    assert compiled.nv == 2


def test_what_is_lost():
    """Curved couplings are told."""
    curved = issues_of(TWO.format(0), '<equality><joint joint1="i" joint2="j" polycoef="0 1 0.5"/></equality>')
    assert ("warning", "curved-coupling") in curved
    curved = issues_of(FINGERS, TENDONS + '<equality><tendon tendon1="t" polycoef="0 1 0.5"/></equality>')
    assert ("warning", "curved-coupling") in curved
    spatial = '<tendon><spatial name="s"><site site="a"/><site site="b"/></spatial></tendon>'
    reading = reading_of(
        f"<mujoco>{spatial}<equality><tendon tendon1='s'/></equality><worldbody>{FINGERS}</worldbody></mujoco>"
    )
    assert any("the length of a spatial tendon is not constrained here" in note for note in reading.notes)
    assert errors_of(FINGERS, TENDONS + '<equality><tendon tendon1="none"/></equality>') == ["unknown-tendon"]


def test_a_second_leader():
    """A joint that follows one joint and is tied to a second one, or to itself, is coupled by an equation."""
    model = model_of(
        FINGERS, "<equality>" + "".join(f'<joint joint1="j0" joint2="j{i}"/>' for i in (1, 2)) + "</equality>"
    )
    assert model.joint("j0").mimic.leader == "j1"
    assert model.joint("j2").mimic.leader == "j0"
    assert model.couplings == []
    ring = "".join(f'<joint joint1="j{i}" joint2="j{(i + 1) % 3}" polycoef="0 2"/>' for i in range(3))
    (coupling,) = model_of(FINGERS, f"<equality>{ring}</equality>").couplings
    assert (coupling.axes, coupling.weights) == ([("j2", 0), ("j0", 0)], [1.0, -2.0])


# ---- tendons

FINGERS = "".join(f'<body name="b{i}">{MASS}<joint name="j{i}" ref="{10 * i}"/></body>' for i in range(4))
TENDONS = """<tendon>
<fixed name="t"><joint joint="j0" coef="0.5"/><joint joint="j1" coef="-2"/><joint joint="j2" coef="1"/></fixed>
<fixed name="u"><joint joint="j2" coef="0.5"/><joint joint="j3" coef="3"/></fixed>
<fixed name="one"><joint joint="j3" coef="-2"/></fixed>
<fixed name="v"><joint joint="j0" coef="2"/><joint joint="j1" coef="4"/></fixed>
</tendon>"""


def tendons(content):
    return model_of(FINGERS, f"{TENDONS}<equality>{content}</equality>")


def test_a_tendon_of_constant_length():
    """The sum of the coordinates, times coefficients, stays what it is at ref, plus a0; a1 means nothing for it."""
    (coupling,) = tendons('<tendon name="e" tendon1="t" polycoef="0.3 7 0 0 0"/>').couplings
    assert (coupling.name, coupling.type) == ("e", "sum")
    assert (coupling.axes, coupling.weights) == ([("j0", 0), ("j1", 0), ("j2", 0)], [0.5, -2.0, 1.0])
    assert coupling.offset == pytest.approx(0.3 - 2.0 * math.radians(10) + math.radians(20))


def test_a_tendon_that_follows_another():
    """l1 - l1' = a0 + a1 (l2 - l2'); a joint of both tendons has one weight."""
    (coupling,) = tendons('<tendon tendon1="t" tendon2="u" polycoef="0.1 0.5"/>').couplings
    assert dict(zip(coupling.axes, coupling.weights, strict=True)) == {
        ("j0", 0): 0.5,
        ("j1", 0): -2.0,
        ("j2", 0): 0.75,
        ("j3", 0): -1.5,
    }
    at_ref = sum(weight * math.radians(10 * i) for i, weight in enumerate((0.5, -2.0, 0.75, -1.5)))
    assert coupling.offset == pytest.approx(0.1 + at_ref)


def test_tendons_of_one_and_two_joints():
    """One joint is held, and of two one follows, so that an actuator on them drives the other."""
    axis = tendons('<tendon tendon1="one" polycoef="0.2"/>').joint("j3").axes[0]
    assert axis.lower == axis.upper == pytest.approx(math.radians(30) - 0.1)
    mimic = tendons('<tendon tendon1="v"/>').joint("j0").mimic
    assert (mimic.leader, mimic.multiplier, mimic.offset) == ("j1", -2.0, pytest.approx(2.0 * math.radians(10)))
    assert tendons('<tendon tendon1="v" active="false"/>').joint("j0").mimic is None
    assert tendons('<tendon tendon1="t" tendon2="t"/>').couplings == []


def test_equalities_that_are_off():
    """The flag switches all of them off."""
    rest = '<option><flag equality="disable"/></option><equality><weld body1="a" body2="c"/></equality>'
    assert len(model_of(TWO.format(0), rest).joints) == 2


def test_defaults():
    """Guards `active` of a class, which connect, weld and joint share."""
    rest = '<default><equality active="false"/></default><equality><weld body1="a" body2="c"/></equality>'
    assert not model_of(TWO.format(0), rest).joints[-1].enabled


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('<connect body1="z" body2="c" anchor="0 0 0"/>', "unknown-body"),
        ('<connect site1="s" site2="z"/>', "unknown-site"),
        ('<joint joint1="z"/>', "unknown-joint"),
        ('<joint joint1="i" joint2="z"/>', "unknown-joint"),
        ('<joint joint1="i" joint2="j" polycoef="a"/>', "bad-number"),
        ('<weld body1="a" body2="c" relpose="1 2 3"/>', "bad-number"),
        ('<weld body1="a" body2="c" active="maybe"/>', "bad-value"),
    ],
)
def test_wrong_constraints(content, code):
    """Guards refusals: each text gives exactly one error."""
    assert errors_of(TWO.format(0), f"<equality>{content}</equality>") == [code]


def test_a_tiny_quaternion():
    """Guards relpose with a quaternion whose square is 0."""
    joint = loop('<weld body1="a" body2="c" relpose="0 0 0 1e-200 0 0 0"/>')
    assert np.isfinite(joint.X_PJ).all()
