"""Findings about a model: each is found, alone, and a good model has none."""

import math

import pytest

from limberjack.core.check import Issue, check_model
from limberjack.core.model import Axis, Joint, Link, Mimic, Model

NAN = math.nan


def good():
    return Model(
        "m",
        [Link("a"), Link("b"), Link("c")],
        [Joint("j", "revolute", "a", "b", axes=[Axis(lower=-1.0, upper=1.0)]), Joint("k", "universal", "b", "c")],
    )


def spoiled(what):
    """A good model but for one thing."""
    model = good()
    model.joints[1].axes = [Axis(xyz=(1.0, 0.0, 0.0)), Axis(xyz=(0.0, 1.0, 0.0))]
    what(model.links[0], model.joints[0], model)
    return model


def setting(target, **changes):
    for name, value in changes.items():
        setattr(target, name, value)


CASES = [
    ("error", "mass-not-finite", lambda a, j, m: setting(a, mass=NAN)),
    ("error", "mass-not-finite", lambda a, j, m: setting(a, mass=math.inf)),
    ("error", "negative-mass", lambda a, j, m: setting(a, mass=-1.0)),
    ("warning", "massless", lambda a, j, m: setting(a, mass=0.0)),
    ("error", "not-finite", lambda a, j, m: setting(a, pose=(NAN, 0, 0, 1, 0, 0, 0))),
    ("error", "not-finite", lambda a, j, m: setting(a, inertia=(NAN, 0, 0, 1, 0, 1))),
    ("error", "not-finite", lambda a, j, m: setting(j, X_PJ=(NAN, 0, 0, 1, 0, 0, 0))),
    ("error", "not-finite", lambda a, j, m: setting(j.axes[0], damping=NAN)),
    ("error", "not-finite", lambda a, j, m: setting(j.axes[0], xyz=(NAN, 0.0, 1.0))),
    ("warning", "inertia-not-positive", lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, -1.0))),
    ("warning", "inertia-not-physical", lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.1))),
    ("error", "no-links", lambda a, j, m: setting(m, links=[], joints=[])),
    ("error", "repeated-name", lambda a, j, m: m.links.append(Link("a"))),
    ("error", "repeated-name", lambda a, j, m: setting(m.joints[1], name="j")),
    ("error", "reserved-name", lambda a, j, m: m.links.append(Link("world"))),
    ("error", "unknown-parent", lambda a, j, m: setting(j, parent="z")),
    ("error", "unknown-child", lambda a, j, m: setting(j, child="z")),
    ("error", "child-is-world", lambda a, j, m: setting(j, child="world")),
    ("error", "parent-is-child", lambda a, j, m: setting(j, parent="b")),
    ("error", "zero-axis", lambda a, j, m: setting(j.axes[0], xyz=(0.0, 0.0, 0.0))),
    ("warning", "axis-not-unit", lambda a, j, m: setting(j.axes[0], xyz=(0.0, 0.0, 2.0))),
    ("warning", "parallel-axes", lambda a, j, m: setting(m.joints[1].axes[1], xyz=(-1.0, 0.0, 0.0))),
    ("warning", "crossed-limits", lambda a, j, m: setting(j.axes[0], lower=2.0)),
    ("warning", "spring-outside-limits", lambda a, j, m: setting(j.axes[0], spring_stiffness=1.0, spring_reference=3)),
    ("warning", "home-outside-limits", lambda a, j, m: setting(j, home=(2.0,))),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("z"))),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("j"))),
]


def test_good_model_has_no_finding():
    """No finding cries wolf, not even for an axis given with four digits or a flat body."""
    model = spoiled(lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.0)))
    model.joints[0].axes[0].xyz = (0.7071, 0.7071, 0.0)
    assert check_model(model) == []


@pytest.mark.parametrize(("severity", "code", "what"), CASES)
def test_each_finding(severity, code, what):
    """One mistake is one finding, with its subject, and a message that says more than the code."""
    (issue,) = check_model(spoiled(what))
    assert (issue.severity, issue.code) == (severity, code)
    assert issue.subject.split()[0] in ("model", "link", "joint")
    assert len(issue.message) > 20


def test_format():
    """An issue prints as compilers do, with or without a line."""
    issue = Issue("error", "zero-axis", "joint 'j'", "is 0 0 0", 7)
    assert issue.format("m.sdf") == "m.sdf:7: error zero-axis: joint 'j': is 0 0 0"
    issue.line = None
    assert issue.format("m.sdf") == "m.sdf: error zero-axis: joint 'j': is 0 0 0"
