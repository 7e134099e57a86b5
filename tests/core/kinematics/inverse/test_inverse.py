# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics where the answer is known: by closed forms, or by what a nearest pose must fulfil."""

import math

import numpy as np
import pytest

from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import Target, inverse_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Mimic, Model, ModelError
from limberjack.core.spatial import quat_rotate
from support.arms import FORE, HAND, UPPER, elbows, hand_at, pan_tilt, planar_chain, sector, slider_crank, two_links
from support.mechanisms import Z, four_bar, join

REACH = UPPER + FORE


@pytest.mark.parametrize("joint_type", ["universal", "ball", "planar"])
def test_a_locked_joint_keeps_all_of_its_axes(joint_type):
    """Guards Lock for Posing on joints with several dofs: the hand turns by the elbow alone."""
    axes = [Axis(xyz=xyz) for xyz in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    count = len(JOINT_TYPES[joint_type].axes)
    shoulder = Joint("shoulder", joint_type, WORLD, "upper", axes=axes[:count])
    elbow = Joint("elbow", "revolute", "upper", "fore", (UPPER, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), axes=[Axis(xyz=Z)])
    model = Model(links=[Link("upper"), Link("fore")], joints=[shoulder, elbow])
    solution = inverse_kinematics(model, [Target("fore", place=(0.3, 0.4, 0.5), point=HAND)], held=["shoulder"])
    assert solution.X_WL["upper"] == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), abs=1e-12)


def about_z(angle: float) -> tuple:
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def hand(x: float, y: float, weight: float = 1.0) -> Target:
    return Target("fore", place=(x, y, 0.0), point=HAND, weight=weight)


def place_of(solution, link: str, point=(0.0, 0.0, 0.0)) -> np.ndarray:
    X = solution.X_WL[link]
    return np.array(X[:3]) + quat_rotate(X[3:], point)


def values(solution) -> dict[str, float]:
    return {name: numbers[0] for name, numbers in solution.q.items()}


@pytest.mark.parametrize("angle", [0.3, 2.0, -2.9])
@pytest.mark.parametrize("distance", [0.35, 1.0, 1.65])
@pytest.mark.parametrize("side", [0, 1])
def test_both_elbows(side, distance, angle):
    """Guards the closed form of two links, and that the elbow stays on the side where it starts."""
    x, y = distance * math.cos(angle), distance * math.sin(angle)
    shoulder, elbow = elbows(x, y)[side]
    found = inverse_kinematics(two_links(), [hand(x, y)], q={"shoulder": shoulder + 0.2, "elbow": 0.8 * elbow})
    assert found.reach.is_reached
    assert found.starts == 1
    assert math.remainder(values(found)["shoulder"] - shoulder, math.tau) == pytest.approx(0.0, abs=1e-7)
    assert values(found)["elbow"] == pytest.approx(elbow, abs=1e-7)


@pytest.mark.parametrize("at", [0.55, 0.8, 1.05])
def test_slider_crank(at):
    """Guards loops: the slider led to a place turns the crank to where the cosine theorem has it."""
    crank, rod = 0.3, 0.8
    drawn = math.sqrt(rod**2 - crank**2)
    found = inverse_kinematics(slider_crank(crank, rod), [Target("slider", place=(at - drawn, 0.0, 0.0))])
    assert found.reach.is_reached
    angle = math.acos((at**2 + crank**2 - rod**2) / (2.0 * at * crank))
    turned = values(found)["axle"] + math.pi / 2.0
    assert abs(math.remainder(turned, math.tau)) == pytest.approx(angle, abs=1e-7)


@pytest.mark.parametrize("crank", [0.4, -0.7, 1.5])
def test_four_bar(crank):
    """Guards a loop of hinges: the coupler's pin led along the rocker's circle turns the crank by the cosine theorem.

    The rocker's pin is put where a crank angle has it, and found again are the angles that fit it.
    """
    coupler, rocker, ground = math.dist((0.0, 1.0), (2.0, 1.5)), 1.5, 2.0
    pin = (-math.sin(crank), math.cos(crank))
    dq = math.dist(pin, (ground, 0.0))
    spread = math.acos((rocker**2 + dq**2 - coupler**2) / (2.0 * rocker * dq))
    angle = math.atan2(pin[1], pin[0] - ground) - spread
    wanted = (ground + rocker * math.cos(angle), rocker * math.sin(angle), 0.0)
    found = inverse_kinematics(four_bar(), [Target("coupler", place=wanted, point=(2.0, 1.5, 0.0))])
    assert found.reach.is_reached
    back = math.hypot(*wanted)
    bend = math.acos((1.0 + back**2 - coupler**2) / (2.0 * back))
    both = [math.atan2(wanted[1], wanted[0]) + sign * bend - math.pi / 2.0 for sign in (1.0, -1.0)]
    assert any(abs(math.remainder(crank - each, math.tau)) < 1e-9 for each in both)
    off = [abs(math.remainder(values(found)["crank_pivot"] - each, math.tau)) for each in both]
    assert min(off) < 1e-7


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
@pytest.mark.parametrize("distance", [1.8, 3.0, 1000.0])
def test_points_at_what_is_out_of_reach(distance, angle):
    """Guards the nearest pose: the arm is stretched straight at its target, and says by how far it misses it."""
    target = hand(distance * math.cos(angle), distance * math.sin(angle))
    found = inverse_kinematics(two_links(), [target], q={"shoulder": 0.5, "elbow": 1.0})
    x, y, _ = place_of(found, "fore", HAND)
    assert math.remainder(math.atan2(y, x) - angle, math.tau) == pytest.approx(0.0, abs=1e-4)
    assert found.reach.distance == pytest.approx(distance - REACH, abs=1e-5)
    assert not found.reach.is_reached
    assert found.reach.words == f"link 'fore' stays {distance - REACH:.3g} m from its target: out of reach"


def test_too_near_is_out_of_reach_as_well():
    """Guards the hole that an arm of unequal links cannot enter."""
    found = inverse_kinematics(two_links(), [hand(0.0, 0.1)], q={"shoulder": 0.5, "elbow": 1.0})
    assert place_of(found, "fore", HAND) == pytest.approx([0.0, UPPER - FORE, 0.0], abs=1e-4 * (UPPER - FORE))
    assert found.reach.distance == pytest.approx(UPPER - FORE - 0.1, abs=1e-6)


def nearest_in_sector(x: float, y: float, angle: float, least: float, most: float) -> tuple[float, float]:
    """The point of a sector of an annulus about the x axis that is nearest, from the middle of which it is seen."""
    turned = min(max(math.atan2(y, x), -angle), angle)
    along = x * math.cos(turned) + y * math.sin(turned)
    distance = min(max(along, least), most)
    return distance * math.cos(turned), distance * math.sin(turned)


@pytest.mark.parametrize(
    ("x", "y", "stopped"),
    [
        (2.0, 0.3, ["slide"]),
        (0.2, -0.05, ["slide"]),
        (0.3, 0.8, ["hinge"]),
        (0.8, -0.7, ["hinge"]),
        (1.0, 1.5, ["hinge", "slide"]),
        (0.1, 0.3, ["hinge", "slide"]),
    ],
)
def test_limits_in_the_way(x, y, stopped):
    """Guards limits: the hand goes to the nearest point of the sector that they leave, and the joints are named."""
    found = inverse_kinematics(sector(), [Target("hand", place=(x, y, 0.0))])
    wanted = nearest_in_sector(x, y, 0.5, 0.4, 1.2)
    assert place_of(found, "hand")[:2] == pytest.approx(wanted, abs=1e-5)
    distance = math.dist(wanted, (x, y))
    named = ", ".join(f"'{name}'" for name in stopped)
    assert found.reach.words == f"link 'hand' stays {distance:.3g} m from its target; at a limit: {named}"


@pytest.mark.parametrize(("one", "other"), [(1.0, 1.0), (1.0, 2.0)])
def test_targets_that_contradict_each_other(one, other):
    """Guards weights: a link asked to be at two places a metre apart is between them, by the squares of the weights."""
    model = Model("slide", [Link("cart")])
    join(model, "rail", "prismatic", WORLD, "cart", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))
    asked = [Target("cart", place=(x, 0.0, 0.0), weight=weight) for x, weight in ((0.0, one), (1.0, other))]
    found = inverse_kinematics(model, asked)
    wanted = other**2 / (one**2 + other**2)
    assert place_of(found, "cart")[0] == pytest.approx(wanted, abs=1e-7)
    assert [miss.distance for miss in found.reach.misses] == pytest.approx(
        sorted((wanted, 1.0 - wanted), reverse=True), abs=1e-7
    )
    assert found.reach.words.endswith("they cannot all be met")


def test_all_joints_held():
    """Guards `held`: nothing moves, and a person is told why."""
    start = {"shoulder": 0.3, "elbow": 0.4}
    found = inverse_kinematics(two_links(), [hand(1.0, 1.0)], q=start, held=["shoulder", "elbow"])
    assert values(found) == start
    assert found.reach.words.endswith("everything that could move is held")


def test_one_joint_held():
    """Guards `held`: the others do what they can, here a circle's nearest point about the elbow."""
    found = inverse_kinematics(two_links(), [hand(UPPER, 2.0)], q={"elbow": 0.3}, held=["shoulder"])
    assert values(found)["shoulder"] == 0.0
    assert values(found)["elbow"] == pytest.approx(math.pi / 2.0, abs=1e-5)
    with pytest.raises(ModelError, match="wrist"):
        inverse_kinematics(two_links(), [hand(1.0, 1.0)], held=["wrist"])


def test_bases_stay_unless_they_may_move():
    """Guards what floats: it is held like a joint, until it is given free."""
    model = Model("arm", [Link("base"), Link("arm")])
    join(model, "hinge", "revolute", "base", "arm", (1.0, 0.0, 0.0), Z)
    target = Target("arm", place=(5.0, 4.0, 3.0), turn=about_z(1.0))
    still = inverse_kinematics(model, [target])
    assert still.X_WL["base"] == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), abs=0.0)
    assert not still.reach.is_reached
    moved = inverse_kinematics(model, [target], moves_base=True)
    assert moved.reach.is_reached
    assert moved.X_WL["arm"][:3] == pytest.approx((5.0, 4.0, 3.0), abs=1e-7)
    assert math.dist(moved.X_WL["base"][:3], (0.0, 0.0, 0.0)) > 1.0


@pytest.mark.parametrize("point", [(3.0, 2.0, 0.0), (-1.0, 0.5, 4.0), (-2.0, 0.0, 1.5)])
def test_camera_looks_at_a_point(point):
    """Guards `look_at`: pan and tilt by the arc tangents; what a turn about the line of sight would be is left free."""
    found = inverse_kinematics(
        pan_tilt(), [Target("camera", look_at=point, axis=(2.0, 0.0, 0.0), point=(0.0, 0.0, 1.5))]
    )
    assert found.reach.is_reached
    eye = place_of(found, "camera", (0.0, 0.0, 1.5))
    dq = np.array(point) - eye
    seen = quat_rotate(found.X_WL["camera"][3:], (1.0, 0.0, 0.0))
    assert seen == pytest.approx(dq / np.linalg.norm(dq), abs=1e-7)
    level = math.hypot(point[0], point[1])
    assert math.sin(values(found)["tilt"]) == pytest.approx(
        -(point[2] - 1.5) / math.hypot(level, point[2] - 1.5), abs=1e-7
    )


def test_looks_from_a_place():
    """Guards a place and a look at once, of a camera that floats."""
    model = Model("drone", [Link("camera")])
    target = Target("camera", place=(1.0, 1.0, 1.0), look_at=(4.0, 5.0, 1.0), axis=(1.0, 0.0, 0.0))
    found = inverse_kinematics(model, [target], moves_base=True)
    assert found.reach.is_reached
    assert found.X_WL["camera"][:3] == pytest.approx((1.0, 1.0, 1.0), abs=1e-7)
    assert quat_rotate(found.X_WL["camera"][3:], (1.0, 0.0, 0.0)) == pytest.approx((0.6, 0.8, 0.0), abs=1e-7)


def test_behind_a_limit_it_cannot_look():
    """Guards the words of a turn that is missed: by how many degrees, and at whose limit."""
    model = pan_tilt()
    model.joint("pan").axes[0] = Axis(xyz=Z, lower=-1.0, upper=1.0)
    model.joint("tilt").axes[0].locked = True
    found = inverse_kinematics(
        model, [Target("camera", look_at=(0.0, 9.0, 1.5), axis=(1.0, 0.0, 0.0), point=(0.0, 0.0, 1.5))]
    )
    assert found.reach.angle == pytest.approx(math.pi / 2.0 - 1.0, abs=1e-6)
    assert found.reach.words == "link 'camera' stays 32.7 degrees from its target; at a limit: 'pan'"


@pytest.mark.parametrize("rest", [(0.0, 0.5, 0.5, 0.5), (1.0, -1.0, 0.3, -0.4), (0.2, 0.2, -1.5, 1.0)])
def test_rest_is_neared_as_far_as_targets_let_it(rest):
    """Guards `rest`: what is left of the way to it has no part along which the hand would stay where it is.

    And no pose nearby with the hand in place is nearer: poses are tried along the arm's own free motion.
    """
    model, count = planar_chain(4), 4
    names = [f"hinge{i}" for i in range(count)]
    asked = [Target("link3", place=(0.9, 0.8, 0.0), point=(2.0, 0.0, 0.0))]
    found = inverse_kinematics(model, asked, q={"hinge1": 0.4}, rest=dict(zip(names, rest, strict=True)))
    assert place_of(found, "link3", (2.0, 0.0, 0.0)) == pytest.approx([0.9, 0.8, 0.0], abs=1e-8)
    q = np.array([values(found)[name] for name in names])
    sums = np.cumsum(q)
    J = np.array(
        [[-0.5 * np.sin(sums[i:]).sum() for i in range(count)], [0.5 * np.cos(sums[i:]).sum() for i in range(count)]]
    )
    _, _, axes = np.linalg.svd(J)
    free = axes[2:]
    assert free @ (np.array(rest) - q) == pytest.approx(np.zeros(2), abs=1e-6)
    least = np.sum((np.array(rest) - q) ** 2)
    for dq in np.random.default_rng(0).normal(size=(50, 2)) @ free * 0.3:
        other = inverse_kinematics(model, asked, q=dict(zip(names, q + dq, strict=True)))
        tried = np.array([values(other)[name] for name in names])
        assert np.sum((np.array(rest) - tried) ** 2) > least - 1e-9


def test_pins_are_kept_while_targets_are_followed():
    """Guards pins: what is pinned does not give way to a target that cannot be met."""
    pin = Target("link1", place=(0.6, 0.5, 0.0), point=(1.0, 0.0, 0.0))
    asked = [Target("link3", place=(3.0, 0.5, 0.0), point=(2.0, 0.0, 0.0))]
    found = inverse_kinematics(planar_chain(4), asked, pins=[pin])
    assert place_of(found, "link1", pin.point) == pytest.approx(pin.place, abs=1e-9)
    assert place_of(found, "link3", (2.0, 0.0, 0.0)) == pytest.approx([1.6, 0.5, 0.0], abs=1e-5)


def test_pins_that_contradict_each_other():
    """Guards the words for what can never be closed."""
    pins = [Target("fore", place=(x, 0.0, 0.0), point=HAND) for x in (1.0, 1.5)]
    found = inverse_kinematics(two_links(), [hand(1.0, 0.5)], pins=pins, starts=3)
    assert not found.reach.is_closed
    assert "loops, couplings or pins stay open by" in found.reach.words
    assert found.reach.words.endswith("they contradict each other")


def test_mimics_are_kept():
    """Guards couplings: a finger's second joint bends as the first, so that the tip has one way to go."""
    model = two_links()
    model.joint("elbow").mimic = Mimic("shoulder", multiplier=0.5, offset=0.1)
    wanted = hand_at(0.9, 0.55)
    found = inverse_kinematics(model, [hand(*wanted[:2])])
    assert values(found) == pytest.approx({"shoulder": 0.9, "elbow": 0.55}, abs=1e-7)
    astray = inverse_kinematics(model, [hand(-0.4, 1.4)])
    assert values(astray)["elbow"] == pytest.approx(0.5 * values(astray)["shoulder"] + 0.1, abs=1e-9)


def test_a_model_that_cannot_move():
    """Guards the smallest model: a link fixed to the world is where it is."""
    model = Model("post", [Link("post")], [Joint("nailed", "fixed", WORLD, "post")])
    found = inverse_kinematics(model, [Target("post", place=(0.0, 0.0, 1.0))])
    assert found.reach.distance == pytest.approx(1.0)
    assert found.reach.words.endswith("everything that could move is held")
