# SPDX-License-Identifier: GPL-3.0-or-later
"""Targets that make no sense are refused, by the name of their link; and what is told of those that are missed."""

import math

import pytest

from limberjack.core.kinematics import Miss, Reach, Target, inverse_kinematics
from limberjack.core.model import ModelError
from support.arms import two_links

ORIGIN = (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "asks for nothing: give a place, a turn or look_at"),
        ({"turn": (1.0, 0.0, 0.0, 0.0), "look_at": ORIGIN}, "asks for two orientations: give turn or look_at"),
        ({"place": (0.0, math.nan, 0.0)}, "takes 3 numbers up to 1e\\+12 as place"),
        ({"place": ORIGIN, "point": (math.inf, 0.0, 0.0)}, "takes 3 numbers up to 1e\\+12 as point"),
        ({"place": (0.0, 1.0)}, "takes 3 numbers"),
        ({"place": "abc"}, "takes 3 numbers"),
        ({"turn": (1.0, 0.0, 0.0)}, "takes 4 numbers"),
        ({"place": ORIGIN, "weight": math.nan}, "takes a weight above 0"),
        ({"turn": (0.0, 0.0, 0.0, 0.0)}, "needs a quaternion w x y z, found 0 0 0 0"),
        ({"look_at": ORIGIN, "axis": ORIGIN}, "needs an axis to look along, found 0 0 0"),
        ({"place": ORIGIN, "weight": -2.0}, "takes a weight above 0, found -2"),
        ({"place": ORIGIN, "weight": 0.0}, "takes a weight above 0, found 0"),
    ],
)
def test_bad_targets_are_refused(asked, told):
    """Guards the message: whose target it is, what was found, and what is allowed."""
    with pytest.raises(ModelError, match=f"link 'hand' {told}"):
        Target("hand", **asked)


@pytest.mark.parametrize("use", ["targets", "pins"])
def test_unknown_links_are_refused(use):
    """Guards targets and pins alike against a name that no link has."""
    asked = {"targets": [], "pins": []} | {use: [Target("hnad", place=ORIGIN)]}
    with pytest.raises(ModelError, match="hnad"):
        inverse_kinematics(two_links(), **asked)


def test_a_quaternion_of_any_length_is_a_turn():
    """Guards turns that are typed by hand: length and sign of a quaternion say nothing."""
    found = [
        inverse_kinematics(two_links(), [Target("fore", turn=turn)]).q
        for turn in ((1.0, 0.0, 0.0, 1.0), (-30.0, 0.0, 0.0, -30.0))
    ]
    assert found[0] == found[1]
    assert sum(value for (value,) in found[0].values()) == pytest.approx(math.pi / 2.0, abs=1e-7)


def reach(*misses: Miss, gap: float = 0.0, at_limits=(), is_held: bool = False) -> Reach:
    return Reach(misses, gap, gap < 1e-7, at_limits, steps=1, is_held=is_held)


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (reach(), ""),
        (reach(Miss("hand", 0.25, 0.0)), "link 'hand' stays 0.25 m from its target: out of reach"),
        (
            reach(Miss("hand", 0.25, math.pi / 6.0), at_limits=("a", "b", "c", "d", "e")),
            "link 'hand' stays 0.25 m and 30 degrees from its target; at a limit: 'a', 'b', 'c' and 2 more",
        ),
        (
            reach(Miss("eye", 2.0, 0.0), Miss("ear", 0.0, 1.0)),
            "link 'eye' stays 2 m from its target; link 'ear' stays 57.3 degrees from its target: "
            "they cannot all be met",
        ),
        (
            reach(Miss("hand", 1.0, 0.0), is_held=True),
            "link 'hand' stays 1 m from its target: everything that could move is held",
        ),
        (
            reach(gap=0.3),
            "loops, couplings or pins stay open by 0.3 (m or rad): they contradict each other",
        ),
    ],
)
def test_words(told, words):
    """Guards the sentence that a person reads in the window."""
    assert told.words == words
    assert told.is_reached == (not words)
