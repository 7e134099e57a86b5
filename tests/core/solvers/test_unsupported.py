"""What does not act yet is told, where it means something, and nothing else is."""

import math

import pytest

from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model, compile_model
from limberjack.core.solvers.unsupported import unsupported_features


def notes_of(model):
    return unsupported_features(model, compile_model(model, split_loops=True))


def features(kind, *, number=0, **fields):
    """All notes on a model whose one joint has these fields on one of its axes."""
    axes = [*(Axis() for _ in range(number)), Axis(**fields)]
    return " ".join(notes_of(Model("m", [Link("a")], [Joint("j", kind, WORLD, "a", axes=axes)])))


@pytest.mark.parametrize(
    ("words", "fields"),
    [
        ("position limits", {"lower": -1.0}),
        ("position limits", {"upper": 1.0}),
        ("dry friction", {"friction": 1.0}),
        ("velocity limits", {"velocity": 1.0}),
        ("effort limits", {"effort": 1.0}),
        ("drives", {"drive_mode": "position"}),
    ],
)
def test_what_does_not_act_yet_is_told_where_it_means_something(words, fields):
    """Guards against silence, and against noise: an endless hinge has no limits, and a cable no drive."""
    assert words in features("revolute", **fields)
    assert features("revolute", **fields, locked=True) == ""
    assert (words in features("continuous", **fields)) == (words != "position limits")
    assert (words in features("cable", **fields)) == (words == "dry friction")


def test_limits_that_leave_no_room_act():
    """Guards against noise: an axis whose limits are one number is held there."""
    assert features("prismatic", lower=0.25, upper=0.25) == ""
    assert "position limits" in features("prismatic", lower=0.25, upper=0.26)


@pytest.mark.parametrize(
    ("fields", "is_told"),
    [
        ({}, False),
        ({"lower": 0.0}, False),
        ({"lower": 2.0, "upper": 2.0}, False),
        ({"spring_stiffness": 5.0, "spring_reference": 1.0, "damping": 0.1}, False),
        ({"upper": 2.0}, True),
        ({"lower": 1.0}, True),
        ({"lower": 1.0, "upper": 2.0}, True),
        ({"lower": 0.0, "upper": 0.0}, True),
    ],
)
def test_distances(fields, is_told):
    """Guards ropes, which do not hold yet, against being taken for rods and springs, which do."""
    told = "nearest and farthest distances are kept but do not act in the simulation yet: 'j'"
    assert features("distance", **fields) == (told if is_told else "")


def test_cone_and_twist():
    """Guards the limits of a ball: each is told by its name, and one as wide as it can be is none."""
    assert "cone limits" in features("ball", number=3, upper=0.5)
    assert features("ball", number=3, upper=math.pi) == ""
    assert "twist limits" in features("ball", number=4, lower=-0.5, upper=0.5)
    assert features("ball", number=4, lower=0.2, upper=0.2) == ""


def test_what_acts_is_no_note():
    """Guards against what was true once: loops, mimics and couplings act."""
    model = Model("m", [Link(name) for name in "abc"])
    model.joints = [Joint(name, "revolute", WORLD, name) for name in "abc"]
    model.joints[1].mimic = Mimic("a", 2.0)
    model.couplings.append(Coupling("teeth", "gear", [("a", 0), ("c", 0)], 3.0))
    model.joints.append(Joint("rod", "distance", "a", "b", axes=[Axis(lower=1.0, upper=1.0)]))
    assert notes_of(model) == []


def test_what_a_marked_joint_holds_does_not_float():
    """Guards against a false alarm: a joint that is marked for nothing holds its link all the same."""
    model = Model("m", [Link("a"), Link("b"), Link("c")])
    model.joints = [Joint("one", "revolute", WORLD, "a"), Joint("two", "revolute", "a", "b")]
    for joint in model.joints:
        joint.closes_loop = True
    assert notes_of(model) == ["link 'c' is not joined to the world: it floats, and falls"]


def test_one_sentence_a_feature():
    """Guards long lists: the first joints are named, and the rest are counted."""
    model = Model("m", [Link(str(i)) for i in range(6)])
    model.joints = [Joint(f"j{i}", "revolute", WORLD, str(i), axes=[Axis(upper=1.0)]) for i in range(6)]
    (note,) = notes_of(model)
    assert note.endswith("'j0', 'j1', 'j2', 'j3' and 2 more")
