# SPDX-License-Identifier: GPL-3.0-or-later
"""Equations between joints."""

import itertools
import math

import numpy as np
import pytest

from limberjack.core.kinematics import link_poses
from limberjack.core.model import WORLD, Axis, Coupling, Gearbox, Joint, Link, Mimic, Model, ModelError
from limberjack.core.model.couplings import at_led_homes
from limberjack.core.spatial import compose, inverse
from support.models import matrix, random_pose, random_unit


def left_over(equation, q):
    """By how much coordinates {(joint, axis): value} miss an equation."""
    return sum(term.weight * q[term.joint, term.axis] for term in equation.terms) - equation.constant


def only(coupling):
    """Its equation; those of `Coupling` ask nothing of the joints."""
    (equation,) = Model(couplings=[coupling]).equations()
    return equation


def test_gears_turn_in_their_ratio():
    """Guards the gear's equation: output = ratio * input + offset."""
    gear = only(Coupling("gear", "gear", [("in", 0), ("out", 1)], ratio=-2.5, offset=0.1))
    assert left_over(gear, {("in", 0): 0.4, ("out", 1): -2.5 * 0.4 + 0.1}) == pytest.approx(0.0, abs=1e-15)
    assert abs(left_over(gear, {("in", 0): 0.4, ("out", 1): 2.5 * 0.4 + 0.1})) > 1.0


def test_a_rack_follows_the_pitch_circle():
    """Guards the rack: a pinion of radius r rolls off r metres for a radian, tau r for a turn."""
    rack = only(Coupling("steering", "rack", [("pinion", 0), ("rack", 0)], ratio=0.02))
    assert left_over(rack, {("pinion", 0): math.tau, ("rack", 0): math.tau * 0.02}) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_a_differential_obeys_willis(ratio):
    """Guards the differential: with its carrier held the sides turn against each other by the ratio; as a block, alike.

    Source: Willis' equation, (side - carrier) / (other - carrier) = -ratio.
    """
    axle = only(Coupling("axle", "differential", [("c", 0), ("s", 0), ("o", 0)], ratio=ratio))
    rng = np.random.default_rng(0)
    for carrier, other in rng.normal(size=(5, 2)):
        side = carrier - ratio * (other - carrier)
        assert left_over(axle, {("c", 0): carrier, ("s", 0): side, ("o", 0): other}) == pytest.approx(0.0, abs=1e-14)
    assert [term.weight for term in axle.terms] == [-(1.0 + ratio), 1.0, ratio]


def test_a_sum_has_weights_of_its_own():
    """Guards the weighted sum of any number of axes, which `offset` equals."""
    axes = [("a", 0), ("b", 1), ("c", 0), ("d", 0)]
    tendon = only(Coupling("tendon", "sum", axes, offset=0.3, weights=[0.5, -1.0, 2.0, 0.25]))
    q = dict(zip(axes, [0.1, 0.2, 0.4, -2.2], strict=True))
    assert left_over(tendon, q) == pytest.approx(0.5 * 0.1 - 0.2 + 0.8 - 0.55 - 0.3, abs=1e-15)


def test_a_mimic_is_an_equation_too():
    """Guards the mimic: multiplier * (leader - reference) + offset, on the axes it names."""
    follower = Joint("f", "universal", WORLD, "a", mimic=Mimic("l", 2.0, 0.3, 0.1, axis=1, leader_axis=0))
    (equation,) = Model(links=[Link("a")], joints=[follower]).equations()
    assert equation.name == "f"
    assert left_over(equation, {("l", 0): 0.7, ("f", 1): 2.0 * (0.7 - 0.1) + 0.3}) == pytest.approx(0.0, abs=1e-15)


def test_followers_start_where_they_are_led():
    """Guards chains of mimics, joints of several axes, and joints that start right, which stay the same objects."""
    joints = [
        Joint("lead", "revolute", WORLD, "a", home=(0.5,)),
        Joint("chain", "revolute", WORLD, "b", mimic=Mimic("two", 3.0, 0.0, 0.0, leader_axis=1), home=(9.0,)),
        Joint("two", "universal", WORLD, "c", mimic=Mimic("lead", 2.0, 0.1, 0.2, axis=1), home=(0.3, 0.4)),
        Joint("right", "revolute", WORLD, "d", mimic=Mimic("lead"), home=(0.5,)),
    ]
    found = at_led_homes(joints)
    assert found[2].home == pytest.approx((0.3, 2.0 * (0.5 - 0.2) + 0.1))
    assert found[1].home == pytest.approx((3.0 * 0.7,))
    assert found[0] is joints[0]
    assert found[3] is joints[3]
    assert joints[2].home == (0.3, 0.4)


def geared(axis, axis2, signs, forward, seed=0):
    """Two wheels on hinges of an arm, about `axis` and `axis2` of the arm's frame, or against where a sign is -1."""
    rng = np.random.default_rng(seed)
    model = Model(links=[Link("arm"), Link("one"), Link("two")])
    model.joints.append(Joint("swing", "ball", WORLD, "arm", random_pose(rng), random_pose(rng)))
    for link, along, sign, ahead in zip(("one", "two"), (axis, axis2), signs, forward, strict=True):
        X_RJ, X_LJ = random_pose(rng), random_pose(rng)
        local = tuple((matrix(X_RJ)[:3, :3].T @ along * sign).tolist())
        ends = ("arm", link, X_RJ, X_LJ) if ahead else (link, "arm", X_LJ, X_RJ)
        model.joints.append(Joint(f"hinge_{link}", "continuous", *ends, axes=[Axis(xyz=local)]))
    model.couplings.append(Gearbox("box", "one", "two", "arm", 3.0, axis, axis2))
    return model


def turned_about(axis, model, q, link):
    """The angle of a link against the arm about an axis in the arm's frame, from the poses before and after."""
    X_RL = [compose(inverse(poses["arm"]), poses[link]) for poses in (link_poses(model), link_poses(model, q))]
    turn = matrix(X_RL[1])[:3, :3] @ matrix(X_RL[0])[:3, :3].T
    return 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]) @ axis


@pytest.mark.parametrize(
    ("signs", "forward"),
    list(itertools.product(itertools.product((1, -1), repeat=2), itertools.product((True, False), repeat=2))),
)
def test_a_gearbox_counts_angles_against_its_reference(signs, forward):
    """Guards the signs of SDF's gearbox: angle 2 = -ratio * angle 1 seen from the arm, whichever way hinges point."""
    rng = np.random.default_rng(1)
    axis, axis2 = random_unit(rng), random_unit(rng)
    model = geared(axis, axis2, signs, forward)
    (equation,) = model.equations()
    weights = {term.joint: term.weight for term in equation.terms}
    first = 0.2
    q = {
        "hinge_one": first,
        "hinge_two": -weights["hinge_one"] * first / weights["hinge_two"],
        "swing": [0.6, 0.8, 0, 0],
    }
    one, two = turned_about(axis, model, q, "one"), turned_about(axis2, model, q, "two")
    assert abs(one) == pytest.approx(math.sin(0.2))
    assert math.asin(two) == pytest.approx(-3.0 * math.asin(one), abs=1e-12)


def test_a_gearbox_without_hinges_is_explained():
    """Guards the message: which link, which reference, what to name; a slider is no hinge, nor are two joints."""
    model = geared((0, 0, 1.0), (0, 0, 1.0), (1, 1), (True, True))
    model.couplings[0].reference = "two"
    with pytest.raises(
        ModelError, match=r"gearbox 'box': link 'one' does not turn on one hinge.*'two'; name as reference"
    ):
        model.equations()
    for change in (
        lambda joints: joints.append(Joint("second", "revolute", "arm", "two")),
        lambda joints: joints.__setitem__(2, Joint("slider", "prismatic", "arm", "two")),
    ):
        model = geared((0, 0, 1.0), (0, 0, 1.0), (1, 1), (True, True))
        change(model.joints)
        with pytest.raises(ModelError, match="link 'two' does not turn on one hinge of the reference link 'arm'"):
            model.equations()


def test_a_coupling_says_what_it_takes():
    """Guards the messages for an unknown type and a wrong count of axes."""
    with pytest.raises(ModelError, match="type 'belt' is not known; allowed are gear, rack, differential, sum"):
        Coupling("b", "belt", [])
    with pytest.raises(ModelError, match="couples 1 axis; a gear takes 2: give input, output"):
        Coupling("b", "gear", [("a", 0)])
    with pytest.raises(ModelError, match="has weights, and those of a gear follow from its ratio"):
        Coupling("b", "gear", [("a", 0), ("b", 0)], weights=[1.0, 2.0])
    with pytest.raises(ModelError, match="couples 2 axes with 1 weight; give each of its axes one"):
        Coupling("b", "sum", [("a", 0), ("b", 0)], weights=[1.0])
    with pytest.raises(ModelError, match="couples 0 axes with 0 weights"):
        Coupling("b", "sum", [])
