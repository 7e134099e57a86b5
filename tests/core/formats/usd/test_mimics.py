# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others: signs, units and axes of Newton's and PhysX's schemas."""

import math

import pytest

from limberjack.core.model import Mimic
from support.usd import body, codes_of, joint, model_of, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

RADIAN = math.pi / 180.0
BODIES = body("a") + body("b") + body("c")


def newton(kind: str = "Revolute", coef0: float = 0.0, coef1: float = 1.0, content: str = "") -> str:
    """A joint that follows /leader by Newton's schema."""
    lines = f"rel newton:mimicJoint = </leader>\nfloat newton:mimicCoef0 = {coef0}\nfloat newton:mimicCoef1 = {coef1}\n"
    return joint(kind, "follower", lines + content, ("/b", "/c"), ["NewtonMimicAPI"])


def leader(kind: str = "Revolute") -> str:
    return joint(kind, "leader", "", ("/a", "/b"))


def mimic_of(text: str, **units: object) -> Mimic | None:
    return model_of(BODIES + text, **units).joint("follower").mimic


def test_newtons_coefficients():
    """follower = coef0 + coef1 * leader, with coef0 in degrees; the follower may come first in the file."""
    for text in (leader() + newton("Revolute", 30, -2), newton("Revolute", 30, -2) + leader()):
        assert mimic_of(text) == Mimic("leader", -2.0, pytest.approx(30 * RADIAN))


def test_units_of_sliders():
    """Coordinates are in units of the stage: a slider that follows a hinge moves by them per degree."""
    assert mimic_of(leader() + newton("Prismatic", 30, 2), unit=0.01) == Mimic(
        "leader", pytest.approx(0.02 / RADIAN), pytest.approx(0.3)
    )
    assert mimic_of(leader("Prismatic") + newton("Revolute", 30, 2), unit=0.01) == Mimic(
        "leader", pytest.approx(2 * RADIAN / 0.01), pytest.approx(30 * RADIAN)
    )
    assert mimic_of(leader("Prismatic") + newton("Prismatic", 30, 2), unit=0.01) == Mimic(
        "leader", pytest.approx(2), pytest.approx(0.3)
    )


def test_a_mimic_that_is_not_enabled():
    """It has no effect."""
    assert mimic_of(leader() + newton(content="bool newton:mimicEnabled = false")) is None


def physx(kind: str = "Revolute", dof: str = "rotX", content: str = "") -> str:
    """A joint that follows /leader by PhysX's schema."""
    prefix = f"physxMimicJoint:{dof}:"
    lines = f"rel {prefix}referenceJoint = </leader>\nfloat {prefix}gearing = 2\nfloat {prefix}offset = 30\n"
    return joint(kind, "follower", lines + content, ("/b", "/c"), [f"PhysxMimicJointAPI:{dof}"])


def test_physxs_gearing():
    """follower + gearing * leader + offset = 0, with the offset in degrees."""
    assert mimic_of(leader() + physx()) == Mimic("leader", -2.0, pytest.approx(-30 * RADIAN))


def test_axes_of_generic_joints():
    """PhysX names the degrees of freedom, of the follower and of the leader."""
    generic = joint("", "leader", "", ("/a", "/b"), ["PhysicsLimitAPI:rotX"]).replace(
        "{", "{\nfloat limit:rotX:physics:low = -10\n", 1
    )
    content = 'token physxMimicJoint:rotX:referenceJointAxis = "transZ"'
    found = mimic_of(generic + physx("Revolute", "rotX", content))
    assert found is not None
    assert (found.axis, found.leader_axis) == (0, 2)
    assert found.multiplier == pytest.approx(-2 * RADIAN)


def test_followers_that_are_one_joint_with_others():
    """A merged joint follows in the axis whose prim says so, and is followed in it."""
    pair = joint("Prismatic", "slide", "", ("/b", "/c"))
    model = model_of(BODIES + leader() + pair + newton("Revolute", 0, 3))
    found = model.joint("slide")
    assert found.mimic == Mimic("leader", 3.0, 0.0, axis=3)
    whole = joint("Prismatic", "slide", "", ("/a", "/b")) + leader()
    found = model_of(BODIES + whole + newton("Revolute", 0, 3)).joint("follower")
    assert found.mimic == Mimic("slide", 3.0, 0.0, leader_axis=3)


def test_followers_to_the_world():
    """Coordinates keep their sign where the world is body 1, so the mimic does, too."""
    text = leader() + newton("Revolute", 30, -2).replace("</c>", "</x>")
    assert mimic_of(text + prim_x()) == Mimic("leader", -2.0, pytest.approx(30 * RADIAN))


def prim_x() -> str:
    return 'def Xform "x" {}\n'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (newton(), "unknown-leader"),
        (leader() + newton("Spherical"), "left-out"),
        (leader("Fixed") + newton(), "left-out"),
    ],
)
def test_mimics_that_cannot_be(text, code):
    """A leader that is not there, and joints without one axis, give a warning."""
    assert codes_of(BODIES + text) == [code]
    assert mimic_of(text) is None


def test_followers_start_where_they_are_led():
    """A follower that is drawn elsewhere is moved there, and a note says so."""
    reading = reading_of(stage(BODIES + leader() + newton("Revolute", 30, -2)))
    assert reading.model.joint("follower").home == pytest.approx((30 * RADIAN,))
    assert reading.issues == []
    assert any("follower" in note and "lead" in note for note in reading.notes)
