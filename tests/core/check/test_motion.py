# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on loops and mobility: each is provoked, and its words are read."""

import math

import pytest

from limberjack.core.check import check_model, check_motion
from limberjack.core.check.motion import FINDINGS
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.simulation import Simulation
from support.mechanisms import Z, bricard, four_bar, join, stewart


def ring():
    """Three links that carry each other in a circle, and nothing carries them."""
    model = Model("ring", [Link(name) for name in "abc"])
    for i, (parent, child) in enumerate(("ab", "bc", "ca")):
        join(model, f"j{i}", "revolute", parent, child, (float(i), float(i * i), 0.0), Z)
    return model


def torn():
    """A four-bar whose last pin misses its hole by a centimetre."""
    model = four_bar()
    x, *rest = model.joints[2].X_CJ
    model.joints[2].X_CJ = (x + 0.01, *rest)
    return model


def marked():
    model = four_bar()
    model.joints[1].closes_loop = True
    return model


def needlessly_marked():
    """An open chain whose outermost joint is marked."""
    model = four_bar()
    del model.joints[1]
    model.joints[1].closes_loop = True
    return model


def doubly_held():
    joints = [Joint("one", "ball", WORLD, "bar"), Joint("two", "revolute", WORLD, "bar")]
    return Model("m", [Link("bar")], joints)


def met_backward():
    """Two pillars that carry nothing by their own joints: both beams hold on to a pillar, and then to each other."""
    model = Model("m", [Link(name) for name in "aebc"])
    join(model, "a", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "e", "revolute", WORLD, "e", (3.0, 0.0, 0.0), Z)
    join(model, "b", "revolute", "b", "a", (0.0, 1.0, 0.0), Z)
    join(model, "c", "revolute", "c", "e", (3.0, 1.0, 0.0), Z)
    join(model, "cb", "revolute", "c", "b", (1.0, 2.0, 0.0), Z)
    return model


def weightless():
    flag = Link("flag", 0.0, inertia=(0.0,) * 6)
    return Model("m", [flag], [Joint("pole", "revolute", WORLD, "flag")])


def weightless_ring():
    """A loop that closes between two links of no mass, which each hang on one that has some."""
    model = Model("m", [Link("a"), Link("b"), *(Link(name, 0.0, inertia=(0.0,) * 6) for name in ("tip", "hook"))])
    join(model, "one", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "other", "revolute", WORLD, "b", (2.0, 0.0, 0.0), Z)
    join(model, "wrist", "revolute", "a", "tip", (0.0, 1.0, 0.0), Z)
    join(model, "ankle", "revolute", "b", "hook", (2.0, 1.0, 0.0), Z)
    join(model, "clasp", "revolute", "tip", "hook", (1.0, 1.0, 0.0), Z)
    return model


def jammed():
    return Model("m", [Link("a")], [Joint("j", "revolute", WORLD, "a", axes=[Axis(lower=0.1, upper=0.1)])])


def misplaced():
    """A link drawn a centimetre and a little turn from where its joint holds it, below one that floats elsewhere."""
    quat = (math.cos(0.05), 0.0, 0.0, math.sin(0.05))
    base, arm = Link("base", pose=(1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0)), Link("arm", pose=(1.01, 2.0, 3.0, 1.0, 0, 0, 0))
    joint = Joint("j", "revolute", "base", "arm", X_PJ=(0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0), X_CJ=(0, 0, 0, *quat))
    return Model("m", [base, arm], [joint])


CASES = [
    (ring, "cycle", "joint 'j1'", "goes back to where its joints began, round by 'j0', 'j2'"),
    (doubly_held, "second-parent", "joint 'two'", "holds link 'bar', which joint 'one' holds as well"),
    (marked, "loop", "joint 'crank_pin'", "is marked to close a loop"),
    (
        four_bar,
        "second-parent",
        "joint 'rocker_pin'",
        "holds link 'rocker', which joint 'rocker_pivot' holds as well, round by 'crank_pivot', 'crank_pin'",
    ),
    (needlessly_marked, "no-loop", "joint 'rocker_pin'", "nothing else holds link 'coupler': it holds it all the same"),
    (met_backward, "loop", "joint 'cb'", "closes a loop, round by 'e', 'c', 'a', 'b'"),
    (torn, "open-loop", "joint 'rocker_pin'", "0.01 m and 0 rad apart"),
    (four_bar, "mobility", "model 'four_bar'", "has 1 degree of freedom as drawn; by Gruebler's count, -2"),
    (four_bar, "redundant-loop", "joint 'rocker_pin'", "3 of its 5 constraints are given already"),
    (bricard, "redundant-loop", "joint 'hinge3'", "1 of its 5 constraints"),
    (lambda: stewart("ball"), "mobility", "model 'stewart_ball'", "has 12 degrees of freedom"),
    (lambda: stewart("ball"), "spin", "links 'tube0', 'rod0'", "can spin about their own axis"),
    (weightless, "massless-moving", "link 'flag'", "joint 'pole' moves it"),
    (weightless_ring, "massless-loop", "joint 'clasp'", "cannot be simulated as it is: closes a loop, but link 'hook'"),
    (misplaced, "not-as-drawn", "link 'arm'", "0.01 m and 0.1 rad from where its joints hold it"),
    (jammed, "no-room", "joint 'j'", "its limits leave no room"),
]


@pytest.mark.parametrize(("make", "code", "subject", "words"), CASES, ids=[case[1] for case in CASES])
def test_each_note(make, code, subject, words):
    """Guards the words: which joint or link, what was found."""
    model = make()
    assert not [issue for issue in check_model(model) if issue.is_error]
    notes = [issue for issue in check_motion(model) if (issue.code, issue.subject) == (code, subject)]
    assert len(notes) == 1, [issue.format("m") for issue in check_motion(model)]
    assert notes[0].severity == "note"
    assert words in notes[0].message


def test_every_note_is_provoked():
    """Guards this file: a note without a case here is one that nobody has read."""
    made = [make() for make, *_ in CASES]
    assert all(any(list(finding(model)) for model in made) for finding in FINDINGS)


def test_loops_can_be_simulated():
    """Guards against what was true once: no note on a sound loop says that it cannot move."""
    for make in (four_bar, marked, ring, needlessly_marked, met_backward):
        notes = check_motion(make())
        assert not [issue.format("m") for issue in notes if "simulated" in issue.message]
        Simulation(make(), [0.0, 0.01]).run()


def test_a_weightless_link_beside_a_loop_is_told():
    """Guards what is told of trees where there are loops, too: nothing decides how the link moves."""
    model = four_bar()
    model.links.append(Link("flag", 0.0, inertia=(0.0,) * 6))
    join(model, "pole", "revolute", "crank", "flag", (0.0, 0.5, 0.0), Z)
    assert [issue.subject for issue in check_motion(model) if issue.code == "massless-moving"] == ["link 'flag'"]


def test_a_tree_has_nothing_to_tell():
    """Guards against noise on ordinary models."""
    assert check_motion(Model("m", [Link("a")], [Joint("j", "revolute", WORLD, "a")])) == []


def test_poses_as_drawn_are_told_alone():
    """Guards against noise: only the link that is off is told, whatever the sign of quaternions, and whatever floats
    beside it without a joint."""
    model = misplaced()
    model.links.append(Link("loose", pose=(0.0, 5.0, 0.0, 0.6, 0.8, 0.0, 0.0)))
    told = [(issue.code, issue.subject) for issue in check_motion(model)]
    assert told == [("not-as-drawn", "link 'arm'")]
    assert "not-as-drawn" not in {issue.code for issue in check_motion(stewart("universal"))}


def test_open_loops_go_by_the_joints():
    """Guards one truth: a loop that the joints close is closed, wherever a link is drawn."""
    model = four_bar()
    model.links[1].pose = (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    codes = {issue.code for issue in check_motion(model)}
    assert "not-as-drawn" in codes
    assert "open-loop" not in codes


def test_what_is_switched_off_is_not_there():
    """Guards one truth with simulations: no loop through a joint that is off, and its link may be drawn anywhere."""
    model = four_bar()
    pin = model.joints[-1]
    assert {"mobility", "redundant-loop"} <= {issue.code for issue in check_motion(model)}
    pin.enabled = False
    assert check_motion(model) == []
    pin.enabled, pin.released_at = True, 0.0
    assert check_motion(model) == []
    model = misplaced()
    model.joints[-1].enabled = False
    assert "not-as-drawn" not in {issue.code for issue in check_motion(model)}


def test_a_model_with_errors_is_refused():
    """Guards the promise: the first error's words, not a traceback from deep inside."""
    model = four_bar()
    model.joints[0].home = ()
    model.links[0].mass = -1.0
    with pytest.raises(ModelError, match="joint 'crank_pivot': home is"):
        check_motion(model)
