# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses changed by hand: what is led gets where it is led, and all that is tied to it follows."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import Poser, Target, joint_coordinates
from limberjack.core.model import WORLD, Joint, Link, Mimic, Model, ModelError, StateError
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
    dq = math.dist(pin, (2.0, 0.0))
    middle = math.atan2(pin[1], pin[0] - 2.0)
    spread = math.acos((rocker**2 + dq**2 - coupler**2) / (2.0 * rocker * dq))
    return [middle + sign * spread - math.pi / 2.0 for sign in (1.0, -1.0)]


@pytest.mark.parametrize("angle", [0.4, -0.7, 2.0, 5.5, -8.0])
def test_four_bar_follows_its_crank(angle):
    """The rocker stands where the cosine theorem has it, after any number of turns of the crank."""
    model = four_bar()
    led = poser(model)
    assert led.set_coordinate("crank_pivot", 0, angle) == pytest.approx(angle, abs=1e-12)
    rocker = led.value("rocker_pivot", 0)
    found = [abs(math.remainder(rocker - closed, math.tau)) for closed in rocker_angles(angle)]
    assert min(found) < 1e-8
    assert widest_gap(model, led.poses()) < 1e-8


def test_joint_that_closes_the_loop_can_be_led():
    """The user does not know which joint the tree has left over, and leads that one as well."""
    model = four_bar()
    loop = model.loops()[0].joint.name
    led = poser(model)
    assert led.set_coordinate(loop, 0, 0.3) == pytest.approx(0.3, abs=1e-12)
    pin = {joint.name: joint for joint in model.joints}[loop]
    poses = led.poses()
    ends = compose(poses[pin.parent], pin.X_PJ), compose(poses[pin.child], pin.X_CJ)
    assert rotvec_of_quat(compose(inverse(ends[0]), ends[1])[3:])[2] == pytest.approx(0.3, abs=1e-8)
    assert widest_gap(model, poses) < 1e-8


def test_out_of_reach():
    """A rocker is led as far as the linkage goes, and no loop opens there."""
    model = four_bar()
    led = poser(model)
    reached = led.set_coordinate("rocker_pivot", 0, -3.0)
    assert -3.0 < reached < 0.0
    assert widest_gap(model, led.poses()) < 1e-6
    step = 1e-2
    assert led.set_coordinate("rocker_pivot", 0, reached - step) > reached - step


@pytest.mark.parametrize("lower", ["ball", "universal"])
def test_stewart_platform(lower):
    """Leading one leg of six moves the platform, and every ball stays in its socket."""
    model = stewart(lower)
    led = poser(model)
    before = led.poses()["platform"]
    assert led.set_coordinate("slide2", 0, 0.1) == pytest.approx(0.1)
    after = led.poses()
    assert math.dist(before[:3], after["platform"][:3]) > 1e-3
    assert widest_gap(Model(joints=[j for j in model.joints if j.type != "universal"]), after) < 1e-8


def test_bricard():
    """A ring that is rigid by count and yet moves is led through its singular rows."""
    model = bricard()
    led = poser(model)
    assert led.set_coordinate("hinge0", 0, 0.5) == pytest.approx(0.5)
    assert widest_gap(model, led.poses()) < 1e-6


def test_mimic():
    """A follower keeps its ratio to the joint that is led, and the leader follows when its follower is led."""
    model = Model("gears", [Link("a"), Link("b")])
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", multiplier=-2.0, offset=0.1))
    led = poser(model)
    led.set_coordinate("first", 0, 0.5)
    assert led.value("second", 0) == pytest.approx(-0.9, abs=1e-8)
    led.set_coordinate("second", 0, 0.3)
    assert led.value("first", 0) == pytest.approx(-0.1, abs=1e-8)


def test_mimic_on_a_joint_that_closes_a_loop():
    """It is kept: one that a parallelogram obeys lets it move, and one that it cannot obey holds it where it is."""
    for multiplier, reached in ((-1.0, 0.3), (0.5, 0.0)):
        model = Model("parallelogram", [Link("crank"), Link("coupler"), Link("rocker")])
        join(model, "crank_pivot", "revolute", WORLD, "crank", (0.0, 0.0, 0.0), Z)
        join(model, "crank_pin", "revolute", "crank", "coupler", (0.0, 1.0, 0.0), Z)
        join(model, "rocker_pivot", "revolute", WORLD, "rocker", (2.0, 0.0, 0.0), Z)
        join(model, "rocker_pin", "revolute", "coupler", "rocker", (2.0, 1.0, 0.0), Z)
        model.joints[-1].closes_loop = True
        model.joints[-1].mimic = Mimic("crank_pin", multiplier)
        led = poser(model)
        assert led.set_coordinate("crank_pivot", 0, 0.3) == pytest.approx(reached, abs=1e-3)
        assert widest_gap(model, led.poses()) < 1e-8


def test_followers_of_followers():
    """In a chain of mimics, whichever is told first, each stands where the one before has it."""
    model = Model("gears", [Link("a"), Link("b"), Link("c")])
    join(model, "third", "revolute", WORLD, "c", (2.0, 0.0, 0.0), Z, mimic=Mimic("second", multiplier=3.0))
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", offset=0.2))
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    led = poser(model)
    assert led.satisfy_mimics()
    assert [led.value(name, 0) for name in ("first", "second", "third")] == pytest.approx([0.0, 0.2, 0.6], abs=1e-9)


def test_starts_where_the_links_stand():
    """Coordinates are read from the poses, so that touching a posed model makes nothing jump."""
    model = four_bar()
    first = poser(model)
    first.set_coordinate("crank_pivot", 0, 0.8)
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
        led.set_coordinate("shoulder", 0, 1.0)
    with pytest.raises(ModelError, match="'elbow' has no coordinate"):
        led.value("elbow", 0)


def test_a_named_pose_is_taken_exactly():
    """What a closed four-bar was seen in is given back, every joint of it, from wherever it has gone to meanwhile."""
    model = four_bar()
    first = poser(model)
    first.set_coordinate("crank_pivot", 0, 2.0)
    named = {joint.name: first.q_of(joint.name) for joint in model.joints}
    again = poser(model)
    again.set_coordinate("crank_pivot", 0, -1.0)
    assert again.set_coordinates(named)
    for name, values in named.items():
        assert again.q_of(name) == pytest.approx(values, abs=1e-9)
    assert widest_gap(model, again.poses()) < 1e-9


def test_half_a_pose_is_taken():
    """A pose that names the crank alone brings the rest along, to where the cosine theorem has it."""
    model = four_bar()
    led = poser(model)
    assert led.set_coordinates({"crank_pivot": [1.1]})
    assert led.value("crank_pivot", 0) == pytest.approx(1.1, abs=1e-9)
    found = [abs(math.remainder(led.value("rocker_pivot", 0) - closed, math.tau)) for closed in rocker_angles(1.1)]
    assert min(found) < 1e-8


def test_a_pose_that_no_linkage_has_is_neared():
    """Angles that a four-bar never has at once: it says so, stays closed, and goes to the pose that is nearest to them.

    Nearest means that the way to what was asked is across the one motion that the linkage has.
    """
    model, step = four_bar(), 1e-4
    led = poser(model)
    asked = {"crank_pivot": 0.5, "rocker_pivot": -0.3, "crank_pin": 0.1, "rocker_pin": 0.2}
    assert not led.set_coordinates({name: [value] for name, value in asked.items()})
    assert widest_gap(model, led.poses()) < 1e-9
    here = np.array([led.value(name, 0) for name in asked])
    led.set_coordinate("crank_pivot", 0, here[0] + step)
    motion = (np.array([led.value(name, 0) for name in asked]) - here) / step
    left = np.array([*asked.values()]) - here
    assert abs(left @ motion) < 1e-3 * np.linalg.norm(left) * np.linalg.norm(motion)


def test_a_pose_has_balls_too():
    """A quaternion is taken as it is, of any length, together with the hinge beyond it."""
    model = Model("arm", [Link("upper"), Link("fore")], [Joint("shoulder", "ball", WORLD, "upper")])
    join(model, "elbow", "revolute", "upper", "fore", (1.0, 0.0, 0.0), Z)
    led = poser(model)
    turn = (0.5, 0.5, -0.5, 0.5)
    assert led.set_coordinates({"shoulder": turn, "elbow": [0.7]})
    assert led.q_of("shoulder") == pytest.approx(turn, abs=1e-9)
    assert led.value("elbow", 0) == pytest.approx(0.7, abs=1e-9)
    assert led.poses()["upper"][3:] == pytest.approx(turn, abs=1e-9)


def test_poses_of_unknown_joints_are_refused():
    """A pose kept from before a joint was deleted names what is not there."""
    with pytest.raises(ModelError, match="joint 'knee' does not move: it has no coordinates"):
        poser(four_bar()).set_coordinates({"knee": [1.0]})
    with pytest.raises(StateError, match="crank_pivot"):
        poser(four_bar()).set_coordinates({"crank_pivot": [1.0, 2.0]})


def test_a_pose_beyond_limits_is_taken_as_it_is():
    """Who gives a joint its coordinate means it, beyond its limits too; a pull then leads no farther out."""
    model = arm()
    model.joint("hinge1").axes[0].upper = 0.5
    led = poser(model)
    assert led.set_coordinates({"hinge1": [0.9]})
    led.pull([Target("three", place=(-1.0, 2.0, 0.0), point=(3.0, 0.0, 0.0))])
    assert led.value("hinge1", 0) <= 0.9 + 1e-12


def test_pull():
    """A rocker's end is pulled round the circle that it can go on, to the point nearest to where it is pulled."""
    model = four_bar()
    led = poser(model)
    pin = (2.0, 1.5, 0.0)
    angle = 1.8
    wanted = (2.0 + 1.5 * math.cos(angle), 1.5 * math.sin(angle), 0.0)
    beyond = (2.0 + 4.0 * math.cos(angle), 4.0 * math.sin(angle), 0.0)
    for target, left in ((wanted, 0.0), (beyond, 2.5)):
        told = led.pull([Target("rocker", place=target, point=pin)])
        assert told.distance == pytest.approx(left, abs=1e-6)
        assert compose(led.poses()["rocker"], (*pin, 1.0, 0.0, 0.0, 0.0))[:3] == pytest.approx(wanted, abs=1e-4)
        assert widest_gap(model, led.poses()) < 1e-9


def test_pulled_again_elsewhere():
    """The same link pulled by another point, or turned instead, is a new question, and no answer of before is used."""
    model = Model("plate", [Link("plate")])
    join(model, "table", "planar", WORLD, "plate", (0.0, 0.0, 0.0))
    led = poser(model)
    for point in ((1.0, 0.0, 0.0), (0.0, 2.0, 0.0)):
        led.pull([Target("plate", place=(0.3, 0.4, 0.0), point=point)])
        assert compose(led.poses()["plate"], (*point, 1.0, 0.0, 0.0, 0.0))[:3] == pytest.approx(
            (0.3, 0.4, 0.0), abs=1e-7
        )
    led.pull([Target("plate", turn=(math.cos(0.2), 0.0, 0.0, math.sin(0.2)))])
    assert rotvec_of_quat(led.poses()["plate"][3:]) == pytest.approx((0.0, 0.0, 0.4), abs=1e-7)


def arm(base: str = WORLD) -> Model:
    """Three links of 1 m in the XY plane."""
    names = ["one", "two", "three"]
    model = Model("arm", [Link(name) for name in names])
    if base != WORLD:
        model.links.insert(0, Link(base))
    for i, name in enumerate(names):
        join(model, f"hinge{i}", "revolute", names[i - 1] if i else base, name, (float(i), 0.0, 0.0), Z)
    return model


def test_pins_hold_while_a_joint_is_led():
    """A pinned end stays where it is while the base is turned, as far as the links between reach.

    How far that is, the cosine theorem says of a triangle of the first link, the pin, and two links stretched.
    """
    bent = poser(arm())
    assert bent.set_coordinates({"hinge0": [0.4], "hinge1": [-1.0], "hinge2": [0.5]})
    poses, end = bent.poses(), (3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    tip = compose(poses["three"], end)[:3]
    led = Poser(arm(), poses, pins=[Target("three", place=tip, point=end[:3])])
    assert led.set_coordinate("hinge0", 0, 0.45) == pytest.approx(0.45)
    assert compose(led.poses()["three"], end)[:3] == pytest.approx(tip, abs=1e-9)
    far = norm(tip)
    most = math.atan2(tip[1], tip[0]) + math.acos((1.0 + far**2 - 4.0) / (2.0 * far))
    assert led.set_coordinate("hinge0", 0, 3.0) == pytest.approx(most, abs=1e-3)
    assert compose(led.poses()["three"], end)[:3] == pytest.approx(tip, abs=1e-9)


def test_held_joints_hold():
    """What is held does not give way to a pull, and the others do."""
    model = arm()
    led = Poser(model, {link.name: link.pose for link in model.links}, held=["hinge1"])
    told = led.pull([Target("three", place=(1.5, 1.5, 0.0), point=(3.0, 0.0, 0.0))])
    assert told.is_reached
    assert led.value("hinge1", 0) == 0.0


def test_what_floats_is_moved_when_it_may_be():
    """Pulling a hand bends its arm and leaves the body where it floats, unless the body may come along."""
    model = arm("body")
    led = poser(model)
    far = Target("three", place=(0.0, 9.0, 2.0), point=(3.0, 0.0, 0.0))
    told = led.pull([far])
    assert led.poses()["body"] == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), abs=0.0)
    assert told.distance == pytest.approx(math.hypot(6.0, 2.0), abs=1e-4)
    assert led.pull([far], moves_base=True).is_reached
    assert led.pull([far]).is_reached
    assert led.poses()["body"][2] != 0.0
