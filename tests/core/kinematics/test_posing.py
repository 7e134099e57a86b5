"""Poses changed by hand: what is led gets where it is led, and all that is tied to it follows."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import Poser, joint_coordinates
from limberjack.core.model import WORLD, Joint, Link, Mimic, Model, ModelError
from limberjack.core.spatial import compose, cross, inverse, norm, rotvec_of_quat
from support.mechanisms import Z, bricard, four_bar, join, stewart


def poser(model: Model) -> Poser:
    return Poser(model, {link.name: link.pose for link in model.links})


def widest_gap(model: Model, poses: dict) -> float:
    """How far any joint's frames are from where its coordinates could put them [m, rad]."""
    poses = poses | {WORLD: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    worst = 0.0
    for joint in model.joints:
        ends = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
        X = compose(inverse(ends[0]), ends[1])
        turned = rotvec_of_quat(X[3:])
        if joint.type == "revolute":
            worst = max(worst, norm(X[:3]), norm(cross(turned, joint.axes[0].xyz)))
        elif joint.type == "ball":
            worst = max(worst, norm(X[:3]))
        elif joint.type == "prismatic":
            worst = max(worst, math.hypot(X[0], X[1]), norm(turned))
    return worst


def rocker_angles(crank: float) -> list[float]:
    """Of the four-bar of `mechanisms`, both assemblies, by the cosine theorem: from its drawn place, about z."""
    coupler, rocker = math.dist((0.0, 1.0), (2.0, 1.5)), 1.5
    pin = (-math.sin(crank), math.cos(crank))
    way = math.dist(pin, (2.0, 0.0))
    middle = math.atan2(pin[1], pin[0] - 2.0)
    spread = math.acos((rocker**2 + way**2 - coupler**2) / (2.0 * rocker * way))
    return [middle + sign * spread - math.pi / 2.0 for sign in (1.0, -1.0)]


@pytest.mark.parametrize("angle", [0.4, -0.7, 2.0, 5.5, -8.0])
def test_four_bar_follows_its_crank(angle):
    """The rocker stands where the cosine theorem has it, after any number of turns of the crank."""
    model = four_bar()
    led = poser(model)
    assert led.lead("crank_pivot", 0, angle) == pytest.approx(angle, abs=1e-12)
    rocker = led.value("rocker_pivot", 0)
    found = [abs(math.remainder(rocker - closed, math.tau)) for closed in rocker_angles(angle)]
    assert min(found) < 1e-8
    assert widest_gap(model, led.poses()) < 1e-8


def test_joint_that_closes_the_loop_can_be_led():
    """The user does not know which joint the tree has left over, and leads that one as well."""
    model = four_bar()
    loop = model.loops()[0].joint.name
    led = poser(model)
    assert led.lead(loop, 0, 0.3) == pytest.approx(0.3, abs=1e-12)
    pin = {joint.name: joint for joint in model.joints}[loop]
    poses = led.poses()
    ends = compose(poses[pin.parent], pin.X_PJ), compose(poses[pin.child], pin.X_CJ)
    assert rotvec_of_quat(compose(inverse(ends[0]), ends[1])[3:])[2] == pytest.approx(0.3, abs=1e-8)
    assert widest_gap(model, poses) < 1e-8


def test_out_of_reach():
    """A rocker is led as far as the linkage goes, and no loop opens there."""
    model = four_bar()
    led = poser(model)
    reached = led.lead("rocker_pivot", 0, -3.0)
    assert -3.0 < reached < 0.0
    assert widest_gap(model, led.poses()) < 1e-6
    step = 1e-2
    assert led.lead("rocker_pivot", 0, reached - step) > reached - step


@pytest.mark.parametrize("lower", ["ball", "universal"])
def test_stewart_platform(lower):
    """Leading one leg of six moves the platform, and every ball stays in its socket."""
    model = stewart(lower)
    led = poser(model)
    before = led.poses()["platform"]
    assert led.lead("slide2", 0, 0.1) == pytest.approx(0.1)
    after = led.poses()
    assert math.dist(before[:3], after["platform"][:3]) > 1e-3
    assert widest_gap(Model(joints=[j for j in model.joints if j.type != "universal"]), after) < 1e-8


def test_bricard():
    """A ring that is rigid by count and yet moves is led through its singular rows."""
    model = bricard()
    led = poser(model)
    assert led.lead("hinge0", 0, 0.5) == pytest.approx(0.5)
    assert widest_gap(model, led.poses()) < 1e-6


def test_mimic():
    """A follower keeps its ratio to the joint that is led, and the leader follows when its follower is led."""
    model = Model("gears", [Link("a"), Link("b")])
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", multiplier=-2.0, offset=0.1))
    led = poser(model)
    led.lead("first", 0, 0.5)
    assert led.value("second", 0) == pytest.approx(-0.9, abs=1e-8)
    led.lead("second", 0, 0.3)
    assert led.value("first", 0) == pytest.approx(-0.1, abs=1e-8)


def test_mimic_on_a_joint_that_closes_a_loop():
    """It is no coordinate of the tree, and is let be: the loop is led and stays closed."""
    model = four_bar()
    loop = model.loops()[0].joint
    loop.mimic = Mimic("crank_pivot")
    led = poser(model)
    assert led.lead("crank_pivot", 0, 0.3) == pytest.approx(0.3)
    assert widest_gap(model, led.poses()) < 1e-8


def test_followers_of_followers():
    """In a chain of mimics, whichever is told first, each stands where the one before has it."""
    model = Model("gears", [Link("a"), Link("b"), Link("c")])
    join(model, "third", "revolute", WORLD, "c", (2.0, 0.0, 0.0), Z, mimic=Mimic("second", multiplier=3.0))
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", offset=0.2))
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    led = poser(model)
    assert led.follow()
    assert [led.value(name, 0) for name in ("first", "second", "third")] == pytest.approx([0.0, 0.2, 0.6], abs=1e-9)


def test_starts_where_the_links_stand():
    """Coordinates are read from the poses, so that touching a posed model makes nothing jump."""
    model = four_bar()
    first = poser(model)
    first.lead("crank_pivot", 0, 0.8)
    second = Poser(model, first.poses())
    assert second.value("crank_pivot", 0) == pytest.approx(0.8, abs=1e-9)
    rows = np.array([second.poses()[name] for name in second.compiled.link_names])
    assert joint_coordinates(second.compiled, rows).residual < 1e-9


def test_ball():
    """A ball takes a rotation, and is refused as a coordinate to be led."""
    model = Model("arm", [Link("arm")], [Joint("shoulder", "ball", WORLD, "arm")])
    led = poser(model)
    led.turn("shoulder", (0.0, 2.0, 0.0, 0.0))
    assert led.poses()["arm"] == pytest.approx((0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    with pytest.raises(ModelError, match="'shoulder' has no coordinate 1"):
        led.lead("shoulder", 0, 1.0)
    with pytest.raises(ModelError, match="'elbow' has no coordinate"):
        led.value("elbow", 0)
