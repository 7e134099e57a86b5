# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives and resistance: gains per degree and per unit of the stage, and the words of other schemas."""

import math

import pytest

from support.usd import body, codes_of, joint, joint_of, reading_of, stage

pytest.importorskip("pxr", reason="usd-core is not installed")

PAIR = body("a") + body("b")
RADIAN = math.pi / 180.0


def driven(kind: str, **values: object) -> str:
    """A joint with a drive. values: of the drive's attributes."""
    instance = "angular" if kind == "Revolute" else "linear"
    lines = [f"float drive:{instance}:physics:{name} = {value}" for name, value in values.items() if name != "type"]
    if "type" in values:
        lines.append(f'uniform token drive:{instance}:physics:type = "{values["type"]}"')
    return PAIR + joint(kind, "j", "\n".join(lines), ("/a", "/b"), [f"PhysicsDriveAPI:{instance}"])


def axis_of(text: str, **units: object):
    return joint_of(text, **units).axes[0]


def test_gains_are_per_degree():
    """400 per degree is 22,918.3 N m/rad for a hinge, and 400 N/m for a slider."""
    hinge = axis_of(driven("Revolute", stiffness=400, damping=10, targetPosition=90, maxForce=50))
    assert hinge.drive_mode == "position"
    assert hinge.drive_stiffness == pytest.approx(22918.3, abs=0.05)
    assert hinge.drive_damping == pytest.approx(10 / RADIAN)
    assert hinge.drive_target == pytest.approx(math.pi / 2)
    assert hinge.effort == 50
    slide = axis_of(driven("Prismatic", stiffness=400, damping=10, targetPosition=2, maxForce=50))
    assert (slide.drive_stiffness, slide.drive_damping, slide.drive_target, slide.effort) == (400, 10, 2, 50)


def test_gains_in_centimetres_and_other_masses():
    """Torques have the square of the stage's unit of length, forces the unit; both that of mass."""
    units = {"unit": 0.01, "metadata": "kilogramsPerUnit = 2"}
    hinge = axis_of(driven("Revolute", stiffness=400, maxForce=50), **units)
    assert hinge.drive_stiffness == pytest.approx(400 * 2e-4 / RADIAN)
    assert hinge.effort == pytest.approx(50 * 2e-4)
    slide = axis_of(driven("Prismatic", stiffness=400, maxForce=50, targetPosition=3), **units)
    assert slide.drive_stiffness == pytest.approx(800)
    assert slide.effort == pytest.approx(50 * 2e-2)
    assert slide.drive_target == pytest.approx(0.03)


def test_drives_of_velocity():
    """A drive without stiffness keeps a velocity; one that also has a position is told."""
    hinge = axis_of(driven("Revolute", damping=10, targetVelocity=180))
    assert (hinge.drive_mode, hinge.drive_target) == ("velocity", pytest.approx(math.pi))
    assert axis_of(driven("Prismatic", damping=10, targetVelocity=3), unit=0.01).drive_target == pytest.approx(0.03)
    assert codes_of(driven("Revolute", stiffness=1, damping=1, targetVelocity=5)) == ["left-out"]


def test_drives_without_gains_and_largest_floats():
    """A drive without gains is off; the largest number of single precision is no bound."""
    found = axis_of(driven("Revolute", maxForce=3.4028235e38))
    assert (found.drive_mode, found.effort) == ("off", math.inf)
    assert axis_of(driven("Revolute", stiffness=1, maxForce="inf")).effort == math.inf


def test_drives_that_give_accelerations_are_told():
    """Their gains are read as those of forces, with a warning."""
    assert codes_of(driven("Revolute", stiffness=5, type="acceleration")) == ["approximated"]
    assert codes_of(driven("Revolute", stiffness=5, type="force")) == []


def test_drives_of_a_generic_joint():
    """Each degree of freedom has a drive of its own, per degree about an axis."""
    content = "float drive:rotY:physics:stiffness = 2\nfloat drive:transX:physics:stiffness = 3"
    text = PAIR + joint("", "j", content, ("/a", "/b"), ["PhysicsDriveAPI:rotY", "PhysicsDriveAPI:transX"])
    found = joint_of(text)
    assert found.type == "d6"
    assert [axis.drive_stiffness for axis in found.axes] == pytest.approx([3, 0, 0, 0, 2 / RADIAN, 0])


def test_drives_without_their_schema_have_no_effect():
    """Attributes alone are no drive."""
    text = PAIR + joint("Revolute", "j", "float drive:angular:physics:stiffness = 5", ("/a", "/b"))
    assert axis_of(text).drive_mode == "off"


@pytest.mark.parametrize("kind", ["Spherical", "Fixed", "Distance"])
def test_drives_of_joints_that_have_none_are_told(kind):
    """A drive on a joint that cannot have one is left out, with a warning."""
    text = PAIR + joint(kind, "j", "float drive:rotX:physics:stiffness = 5", ("/a", "/b"), ["PhysicsDriveAPI:rotX"])
    assert codes_of(text) == ["left-out"]


def test_negative_gains_are_errors():
    """A stiffness or damping below 0 is reported, not simulated."""
    for name in ("stiffness", "damping", "maxForce"):
        reading = reading_of(stage(driven("Revolute", **{name: -1})), allow_errors=True)
        assert any(issue.severity == "error" for issue in reading.issues), name


def resisting(kind: str, content: str) -> str:
    return PAIR + joint(kind, "j", content, ("/a", "/b"))


@pytest.mark.parametrize("prefix", ["newton:", "physxJoint:", "mjc:"])
def test_rotor_inertia(prefix):
    """The armature of three schemas is a mass, or a mass times the square of a length."""
    assert axis_of(resisting("Revolute", f"float {prefix}armature = 3"), unit=0.01).armature == pytest.approx(3e-4)
    assert axis_of(resisting("Prismatic", f"float {prefix}armature = 3"), unit=0.01).armature == pytest.approx(3)


def test_friction_and_damping():
    """MuJoCo's damping is per radian, Newton's per degree and first; dry friction is a torque or force."""
    assert axis_of(resisting("Revolute", "double mjc:damping = 2"), unit=0.01).damping == pytest.approx(2e-4)
    both = "double mjc:damping = 2\nfloat newton:damping = 3"
    assert axis_of(resisting("Revolute", both)).damping == pytest.approx(3 / RADIAN)
    assert axis_of(resisting("Prismatic", both)).damping == pytest.approx(3)
    assert axis_of(resisting("Revolute", "double mjc:damping = 2\nfloat newton:damping = -inf")).damping == 2
    for name in ("newton:friction", "physxJoint:jointFriction", "mjc:frictionloss"):
        assert axis_of(resisting("Revolute", f"float {name} = 3"), unit=0.01).friction == pytest.approx(3e-4)
        assert axis_of(resisting("Prismatic", f"float {name} = 3"), unit=0.01).friction == pytest.approx(3e-2)


@pytest.mark.parametrize("name", ["physxJoint:maxJointVelocity", "newton:velocityLimit"])
def test_largest_speeds(name):
    """They are degrees or units of the stage per second; infinity is none."""
    assert axis_of(resisting("Revolute", f"float {name} = 180")).velocity == pytest.approx(math.pi)
    assert axis_of(resisting("Prismatic", f"float {name} = 50"), unit=0.01).velocity == pytest.approx(0.5)
    assert axis_of(resisting("Revolute", f"float {name} = inf")).velocity_limit == math.inf
    assert axis_of(resisting("Revolute", "")).velocity_limit == math.inf
