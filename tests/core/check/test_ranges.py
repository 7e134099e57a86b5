# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints that couplings tie together: what leaves no room is reported, and nothing else."""

import math
import time

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.check.ranges import no_room_for_coupling
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.model.couplings import led_homes


def hinged(*limits, couplings=()):
    """Joints j0, j1 … on the world, each with (lower, upper) and perhaps a mimic."""
    links, joints = [], []
    for number, (lower, upper, *mimic) in enumerate(limits):
        links.append(Link(f"l{number}"))
        axis = Axis(lower=lower, upper=upper)
        follows = {"mimic": mimic[0]} if mimic else {}
        joints.append(Joint(f"j{number}", "revolute", WORLD, f"l{number}", axes=[axis], **follows))
    return Model("m", links, joints, couplings=list(couplings))


def found(model):
    return [issue for issue in check_model(model) if issue.code == "no-room"]


def test_a_mimic_without_room_names_the_coupling_and_both_limits():
    """Guards the message: who mimics whom, the limits of both, what is left, and what to change."""
    (issue,) = found(hinged((0.0, 0.8), (0.0, 0.8, Mimic("j0", -1.0))))
    assert (issue.severity, issue.subject) == ("warning", "joint 'j1'")
    assert issue.message == (
        "no room: it mimics 'j0' -1 times, and limits of 'j0' lead 'j1' to -0.8 to 0 rad (-45.84° to 0°), while limits "
        "of 'j1' allow it 0 to 0.8 rad (0° to 45.84°), so 0 rad (0°) is all that is left, and neither can move; change "
        "limits of one, or the multiplier or offset"
    )


@pytest.mark.parametrize(
    ("model", "subject", "words"),
    [
        (hinged((0.0, 1.0), (2.0, 3.0, Mimic("j0"))), "joint 'j1'", "no pose is within all of them"),
        (
            hinged((0.0, 1.0), (-5.0, 5.0, Mimic("j0")), (0.5, 2.0, Mimic("j1", 0.5))),
            "joint 'j2'",
            "limits of 'j0' lead 'j2' to 0 to 0.5 rad",
        ),
        (
            hinged((0.0, 1.0), (0.5, 5.0, Mimic("j0")), (0.0, 0.5, Mimic("j0"))),
            "joint 'j2'",
            "0.5 rad (28.65°) is all that is left",
        ),
        (
            hinged(
                (0.0, math.inf), (-math.inf, 0.0), couplings=[Coupling("mesh", "gear", [("j0", 0), ("j1", 0)], 2.0)]
            ),
            "coupling 'mesh'",
            "limits of 'j1' lead 'j0' to at most 0 rad",
        ),
        (
            hinged(
                (0.0, 1.0),
                (1.0, 2.0),
                (1.0, 2.0),
                couplings=[Coupling("axle", "differential", [("j0", 0), ("j1", 0), ("j2", 0)])],
            ),
            "coupling 'axle'",
            "limits of 'j1', 'j2' lead 'j0' to 1 to 2 rad",
        ),
    ],
    ids=["nothing in common", "by way of another", "three of one leader", "open limits of a gear", "a differential"],
)
def test_no_room(model, subject, words):
    """Guards contradictions over several couplings, with open limits, and of couplings of all kinds."""
    (issue,) = found(model)
    assert issue.subject == subject
    assert words in issue.message


@pytest.mark.parametrize(
    "model",
    [
        hinged((0.0, 0.8), (-0.8, 0.0, Mimic("j0", -1.0))),
        hinged((0.0, 0.0), (-1.0, 1.0, Mimic("j0", 2.0))),
        hinged((0.0, 0.8), (0.8, 1.0, Mimic("j0", 1.0, 0.5))),
        hinged((-math.inf, math.inf), (0.0, 1.0, Mimic("j0"))),
        hinged((1.0, 0.0), (5.0, 6.0, Mimic("j0"))),
    ],
    ids=["the other way", "meant to stand still", "with an offset", "unlimited", "crossed"],
)
def test_what_can_move_is_no_finding(model):
    """Guards against noise: couplings with room, joints meant to stand still, and faults reported elsewhere."""
    assert found(model) == []


def room(limits, slopes, offsets):
    """The values that the leader can take, by all limits: each joint is slope * leader + offset."""
    ends = [
        sorted(((lower - offset) / slope, (upper - offset) / slope))
        for (lower, upper), slope, offset in zip(limits, slopes, offsets, strict=True)
    ]
    return max(low for low, _ in ends), min(high for _, high in ends)


@pytest.mark.parametrize("seed", range(40))
def test_trees_of_mimics(seed):
    """Guards all of it by another way: every joint of a random tree of mimics is a linear function of its leader."""
    random = np.random.default_rng(seed)
    limits, slopes, offsets, joints = [(-1.0, 1.0)], [1.0], [0.0], [(-1.0, 1.0)]
    for number in range(1, 8):
        leader, multiplier, offset = int(random.integers(number)), random.uniform(0.5, 2.0), random.uniform(-0.5, 0.5)
        multiplier *= random.choice([-1.0, 1.0])
        lower, upper = np.sort(random.uniform(-3.0, 3.0, 2)) + random.choice([0.0, 0.0, 1.0])
        slopes.append(multiplier * slopes[leader])
        offsets.append(multiplier * offsets[leader] + offset)
        limits.append((lower, upper))
        joints.append((lower, upper, Mimic(f"j{leader}", multiplier, offset)))
    low, high = room(limits, slopes, offsets)
    assert bool([*no_room_for_coupling(hinged(*joints))]) == (high - low <= 1e-6)


def test_a_ring_of_couplings_ends():
    """Guards the time: each round of a ring makes ranges narrower by a millionth, for ten million rounds."""
    one, two = (
        Coupling("one", "gear", [("j0", 0), ("j1", 0)], 0.999999),
        Coupling("two", "gear", [("j1", 0), ("j0", 0)]),
    )
    start = time.process_time()
    assert found(hinged((-1e3, 1e3), (-1e3, 1e3), couplings=[one, two])) == []
    assert time.process_time() - start < 1.0


def test_a_follower_starts_where_its_leader_puts_it():
    """Guards range checks of followers: their own home counts for nothing, and their leader's decides."""
    fine = hinged((-1.0, 1.0), (0.4, 0.6, Mimic("j0", 1.0, 0.5)))
    assert check_model(fine) == []  # its own home, 0, is outside of its limits
    fine.joints[0].home = (0.3,)
    (issue,) = check_model(fine)
    assert (issue.code, issue.subject) == ("led-outside-limits", "joint 'j1'")
    assert "home of 'j0', which it mimics, puts its axis at 0.8 rad (45.84°), outside its limits" in issue.message
    assert "0.4 to 0.6 rad" in issue.message


def test_homes_down_a_chain_of_mimics():
    """Guards chains in any order, and rings, which lead nowhere."""
    model = hinged((-9, 9, Mimic("j1", 2.0)), (-9, 9, Mimic("j2", 3.0, 1.0, 0.5)), (-9, 9), (-9, 9, Mimic("j4")))
    model.links.append(Link("l4"))
    model.joints.append(Joint("j4", "revolute", WORLD, "l4", mimic=Mimic("j3")))
    model.joints[2].home = (1.0,)
    assert led_homes(model.joints) == {("j1", 0): 2.5, ("j0", 0): 5.0}
