"""Findings about a model: each is found, alone, and a good model has none."""

import math

import pytest

from limberjack.core.check import FINDINGS, Issue, check_model
from limberjack.core.model import Axis, Coupling, Gearbox, Joint, Link, Mimic, Model

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


LOCKED = Axis(locked=True)


def gear():
    return Coupling("mesh", "gear", [("j", 0), ("k", 1)])


def bent_ball(model):
    """A ball whose cone leaves no room for its home, half a radian aside."""
    cone = Axis(upper=0.2)
    home = (math.cos(0.25), math.sin(0.25), 0.0, 0.0)
    model.joints.append(Joint("neck", "ball", "world", "a", axes=[Axis(), Axis(), Axis(), cone], home=home))


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
    ("warning", "home-outside-limits", lambda a, j, m: bent_ball(m)),
    ("warning", "cannot-move", lambda a, j, m: setting(j.axes[0], locked=True)),
    ("warning", "cannot-move", lambda a, j, m: m.joints.append(Joint("d6", "d6", "world", "a", axes=[LOCKED] * 6))),
    ("warning", "cannot-move", lambda a, j, m: m.joints.append(Joint("bare", "custom", "world", "a"))),
    ("error", "idle-axis", lambda a, j, m: m.joints.append(Joint("c", "custom", "world", "a", axes=[Axis(turn=0.0)]))),
    ("warning", "no-stiffness", lambda a, j, m: m.joints.append(Joint("c", "cable", "world", "a"))),
    ("warning", "negative-damping", lambda a, j, m: setting(j.axes[0], damping=-1.0)),
    ("warning", "negative-drive-stiffness", lambda a, j, m: setting(j.axes[0], drive_stiffness=-1.0)),
    ("warning", "too-bouncy", lambda a, j, m: setting(j.axes[0], restitution=1.5)),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("z"))),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("j"))),
    ("error", "mimic-cycle", lambda a, j, m: (setting(j, mimic=Mimic("k")), setting(m.joints[1], mimic=Mimic("j")))),
    ("error", "no-such-axis", lambda a, j, m: setting(j, mimic=Mimic("k", leader_axis=2))),
    ("error", "no-such-axis", lambda a, j, m: setting(m.joints[1], mimic=Mimic("j", axis=3))),
    ("error", "no-such-axis", lambda a, j, m: m.couplings.append(Coupling("g", "gear", [("j", 0), ("k", 5)]))),
    ("error", "unknown-coupled-joint", lambda a, j, m: m.couplings.append(Coupling("g", "gear", [("j", 0), ("z", 0)]))),
    ("error", "reference-not-shared", lambda a, j, m: m.couplings.append(Gearbox("g", "b", "c", "a"))),
    ("error", "repeated-name", lambda a, j, m: setting(m, couplings=[gear(), gear()])),
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
    assert issue.subject.split()[0] in ("model", "link", "joint", "coupling", "gearbox")
    assert len(issue.message) > 20


def test_every_finding_is_provoked():
    """Guards this file: a finding without a case here is a message that nobody has read."""
    provoked = {finding for finding in FINDINGS for _, _, what in CASES if list(finding(spoiled(what)))}
    assert provoked == {*FINDINGS}


def test_all_at_once():
    """Guards that one finding does not hide another."""
    model = good()
    model.links[0].mass = -1.0
    model.joints[0].axes[0].upper = -2.0
    model.joints[1].mimic = Mimic("nobody")
    codes = {issue.code for issue in check_model(model)}
    assert {"negative-mass", "crossed-limits", "unknown-leader"} <= codes


def test_axes_that_mean_nothing_are_not_judged():
    """Guards against noise: a slide shares the turn's direction, and a SCARA's parallel hinges are apart."""
    model = good()
    scara = [Axis(), Axis(point=(1.0, 0.0, 0.0)), Axis(point=(2.0, 0.0, 0.0))]
    model.joints = [
        Joint("c", "cylindrical", "world", "a"),
        Joint("s", "custom", "a", "b", axes=scara),
        Joint("p", "planar", "b", "c", axes=[Axis(xyz=(0.0, 0.0, 0.0))]),
    ]
    assert check_model(model) == []


def test_format():
    """An issue prints as compilers do, with or without a line."""
    issue = Issue("error", "zero-axis", "joint 'j'", "is 0 0 0", 7)
    assert issue.format("m.sdf") == "m.sdf:7: error zero-axis: joint 'j': is 0 0 0"
    issue.line = None
    assert issue.format("m.sdf") == "m.sdf: error zero-axis: joint 'j': is 0 0 0"
