# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about a model: each is found, alone, and a good model has none."""

import math
import time

import pytest

from limberjack.core.check import FINDINGS, SAFE_FINDINGS, WHOLE_FINDINGS, Issue, check_definition
from limberjack.core.geometry import Box, Mesh, Shape, Sphere, Surface
from limberjack.core.model import Axis, ContactPair, Coupling, Gearbox, Joint, Link, Mimic, Model, ModelError
from limberjack.core.model.properties import Setting, set_property
from limberjack.core.model.soundness.malformed import sound_part

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


def lock(joint):
    joint.axes[0].locked = True


def touching(link, **surface):
    """It has a collision that says so."""
    link.collisions.append(Shape("hull", Box((1.0, 1.0, 1.0)), surface=Surface(**surface)))


def gear():
    return Coupling("mesh", "gear", [("j", 0), ("k", 1)])


def bent_ball(model):
    """A ball whose cone leaves no room for its home, half a radian aside."""
    cone = Axis(upper=0.2)
    home = (math.cos(0.25), math.sin(0.25), 0.0, 0.0)
    model.joints.append(Joint("neck", "ball", "world", "a", axes=[Axis(), Axis(), Axis(), cone], home=home))


def ball(model, **changes):
    setting_of = {"home": (1.0, 0.0, 0.0, 0.0)} | changes
    model.joints.append(Joint("neck", "ball", "world", "a"))
    setting(model.joints[-1], **setting_of)


def colliding_with(link, geometry):
    link.collisions.append(Shape("hull", geometry))


def rope(model, **limits):
    model.joints.append(Joint("rope", "distance", "world", "a", axes=[Axis(**limits)]))


def cone(model, upper):
    model.joints.append(Joint("neck", "ball", "world", "a", axes=[Axis(), Axis(), Axis(), Axis(upper=upper)]))


def wrist(model, **changes):
    """Three hinges in one joint, about X, then Y, then Z."""
    model.links.append(Link("d"))
    model.joints.append(Joint("wrist", "euler_xyz", "a", "d"))
    setting(model.joints[-1], **changes)


def coupled(model, kind, *axes, **changes):
    """Couple axes of joints that turn, but for the slider."""
    model.links.append(Link("d"))
    model.joints.append(Joint("slider", "prismatic", "a", "d"))
    model.couplings.append(Coupling("g", kind, [*axes]))
    setting(model.couplings[0], **changes)


def summed(model, *weights):
    """Couple two hinges by the sum of their angles, times weights."""
    model.couplings.append(Coupling("s", "sum", [("j", 0), ("k", 0)], weights=[*weights]))


def apart(model):
    """A gear between two hinges with limits of a radian, and an offset of nine."""
    model.joints[1].axes[0].lower, model.joints[1].axes[0].upper = -1.0, 1.0
    model.couplings.append(Coupling("g", "gear", [("j", 0), ("k", 0)], offset=9.0))


def geared(model, **changes):
    """A gearbox whose reference carries both hinges."""
    model.links.append(Link("d"))
    model.joints.append(Joint("hinge", "revolute", "a", "d"))
    model.couplings.append(Gearbox("g", "b", "d", "a"))
    setting(model.couplings[0], **changes)


MALFORMED = [
    ("error", "wrong-shape", lambda a, j, m: ball(m, home=(1, 0))),
    ("error", "not-a-rotation", lambda a, j, m: ball(m, home=(0, 0, 0, 0))),
    ("error", "not-a-rotation", lambda a, j, m: ball(m, home=(2, 0, 0, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(j, home=())),
    ("error", "wrong-shape", lambda a, j, m: setting(j, axes=[])),
    ("error", "wrong-shape", lambda a, j, m: setting(j.axes[0], xyz=(1, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(j, X_PJ=(0, 0, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(j, X_CJ=(0,) * 8)),
    ("error", "not-a-rotation", lambda a, j, m: setting(j, X_PJ=(0,) * 7)),
    ("error", "not-a-rotation", lambda a, j, m: setting(j, X_CJ=(0, 0, 0, 1, 1, 0, 0))),
    ("error", "unknown-type", lambda a, j, m: vars(j).update(type="zzz")),
    ("error", "unknown-drive-mode", lambda a, j, m: setting(j.axes[0], drive_mode="fast")),
    ("error", "wrong-shape", lambda a, j, m: setting(a, pose=(0, 0, 0))),
    ("error", "not-a-rotation", lambda a, j, m: setting(a, pose=(0, 0, 0, 1.1, 0, 0, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(a, inertia=(1, 0, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(a, com=())),
    ("error", "wrong-shape", lambda a, j, m: setting(m, gravity=(0, 0))),
    ("error", "wrong-shape", lambda a, j, m: setting(m, couplings=[gear()]) or m.couplings[0].axes.pop()),
    ("error", "wrong-shape", lambda a, j, m: summed(m, 1.0, 2.0) or m.couplings[0].weights.pop()),
    ("error", "unknown-type", lambda a, j, m: m.couplings.append(gear()) or setting(m.couplings[0], type="belt")),
    ("error", "wrong-shape", lambda a, j, m: geared(m, axis=(0, 1))),
]

CASES = [
    *MALFORMED,
    ("error", "mass-not-finite", lambda a, j, m: setting(a, mass=NAN)),
    ("error", "mass-not-finite", lambda a, j, m: setting(a, mass=math.inf)),
    ("error", "negative-mass", lambda a, j, m: setting(a, mass=-1.0)),
    ("warning", "massless", lambda a, j, m: setting(a, mass=0.0)),
    ("error", "not-finite", lambda a, j, m: setting(a, velocity=(NAN, 0.0, 0.0))),
    ("warning", "idle-velocity", lambda a, j, m: setting(m.link("b"), angular_velocity=(0.0, 0.0, 1.0))),
    ("warning", "no-pitch", lambda a, j, m: setting(j, type="screw", pitch=0.0)),
    ("error", "not-finite", lambda a, j, m: setting(a, pose=(NAN, 0, 0, 1, 0, 0, 0))),
    ("error", "not-finite", lambda a, j, m: setting(a, inertia=(NAN, 0, 0, 1, 0, 1))),
    ("error", "not-finite", lambda a, j, m: setting(j, X_PJ=(NAN, 0, 0, 1, 0, 0, 0))),
    ("error", "not-finite", lambda a, j, m: setting(j.axes[0], damping=NAN)),
    ("error", "not-finite", lambda a, j, m: setting(j.axes[0], xyz=(NAN, 0.0, 1.0))),
    *(
        case
        for what in ("linear_damping", "angular_damping")
        for case in (
            ("error", "not-finite", lambda a, j, m, what=what: setting(a, **{what: NAN})),
            ("error", "not-finite", lambda a, j, m, what=what: setting(a, **{what: math.inf})),
            ("warning", "negative-damping", lambda a, j, m, what=what: setting(a, **{what: -0.1})),
        )
    ),
    ("warning", "inertia-not-positive", lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, -1.0))),
    ("warning", "inertia-not-physical", lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.1))),
    ("warning", "no-links", lambda a, j, m: setting(m, links=[], joints=[])),
    ("error", "repeated-name", lambda a, j, m: m.links.append(Link("a"))),
    ("error", "repeated-name", lambda a, j, m: setting(m.joints[1], name="j")),
    ("error", "reserved-name", lambda a, j, m: m.links.append(Link("world"))),
    ("error", "bad-surface", lambda a, j, m: touching(a, friction=-0.1)),
    ("error", "bad-surface", lambda a, j, m: touching(a, friction=NAN)),
    ("error", "bad-surface", lambda a, j, m: touching(a, friction=math.inf)),
    ("error", "bad-surface", lambda a, j, m: touching(a, static_friction=NAN)),
    ("error", "bad-surface", lambda a, j, m: touching(a, restitution=1.01)),
    ("error", "bad-surface", lambda a, j, m: touching(a, restitution=-0.5)),
    ("error", "bad-surface", lambda a, j, m: touching(a, stiffness=0.0)),
    ("error", "bad-surface", lambda a, j, m: touching(a, stiffness=NAN)),
    ("error", "bad-surface", lambda a, j, m: touching(a, dissipation=-1.0)),
    ("error", "bad-surface", lambda a, j, m: touching(a, rolling_friction=-1.0)),
    ("error", "bad-surface", lambda a, j, m: touching(a, slip_speed=-0.1)),
    ("warning", "static-below-sliding", lambda a, j, m: touching(a, friction=0.5, static_friction=0.4)),
    ("error", "unknown-contact-link", lambda a, j, m: m.contact_pairs.append(ContactPair("a", "z", True))),
    ("error", "unknown-contact-link", lambda a, j, m: m.contact_pairs.append(ContactPair("a", "a", True))),
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
    ("warning", "limits-in-degrees", lambda a, j, m: setting(j.axes[0], lower=-90.0, upper=90.0)),
    ("warning", "limits-in-degrees", lambda a, j, m: setting(j.axes[0], lower=0.0, upper=45.0)),
    ("warning", "gimbal-lock", lambda a, j, m: wrist(m, home=(0.3, 0.5 * math.pi, 0.2))),
    ("warning", "negative-damping", lambda a, j, m: setting(j.axes[0], damping=-1.0)),
    ("warning", "negative-drive-stiffness", lambda a, j, m: setting(j.axes[0], drive_stiffness=-1.0)),
    ("warning", "too-bouncy", lambda a, j, m: setting(j.axes[0], restitution=1.5)),
    ("warning", "idle-drive", lambda a, j, m: setting(j.axes[0], drive_mode="position", drive_target=0.5)),
    ("warning", "idle-drive", lambda a, j, m: setting(j.axes[0], drive_mode="velocity", drive_stiffness=2.0)),
    ("warning", "idle-drive", lambda a, j, m: setting(j.axes[0], drive_mode="force", drive_damping=2.0)),
    ("warning", "idle-drive", lambda a, j, m: setting(j.axes[0], drive_mode="force", drive_target=2.0, effort=0.0)),
    ("error", "not-finite", lambda a, j, m: setting(j, released_at=NAN)),
    ("error", "no-strength", lambda a, j, m: setting(j, break_force=0.0)),
    ("error", "no-strength", lambda a, j, m: setting(j, break_torque=NAN)),
    ("warning", "never-holds", lambda a, j, m: setting(j, released_at=0.0)),
    ("warning", "never-holds", lambda a, j, m: setting(j, released_at=-math.inf)),
    ("error", "negative-limit", lambda a, j, m: setting(j.axes[0], velocity=-1.0)),
    ("error", "negative-limit", lambda a, j, m: setting(j.axes[0], effort=-1.0)),
    ("note", "velocity-not-given", lambda a, j, m: setting(j.axes[0], velocity=0.0)),
    ("note", "switched-off", lambda a, j, m: setting(m.joints[1], mimic=Mimic("j")) or setting(j, enabled=False)),
    (
        "note",
        "switched-off",
        lambda a, j, m: coupled(m, "gear", ("j", 0), ("k", 1)) or setting(m.joints[1], enabled=False),
    ),
    ("note", "switched-off", lambda a, j, m: geared(m) or setting(m.joints[-1], enabled=False)),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("z"))),
    ("error", "unknown-leader", lambda a, j, m: setting(j, mimic=Mimic("j"))),
    ("error", "mimic-cycle", lambda a, j, m: (setting(j, mimic=Mimic("k")), setting(m.joints[1], mimic=Mimic("j")))),
    ("error", "no-such-axis", lambda a, j, m: setting(j, mimic=Mimic("k", leader_axis=2))),
    ("error", "no-such-axis", lambda a, j, m: setting(m.joints[1], mimic=Mimic("j", axis=3))),
    ("error", "no-such-axis", lambda a, j, m: m.couplings.append(Coupling("g", "gear", [("j", 0), ("k", 5)]))),
    ("error", "unknown-coupled-joint", lambda a, j, m: m.couplings.append(Coupling("g", "gear", [("j", 0), ("z", 0)]))),
    ("warning", "reference-not-shared", lambda a, j, m: m.couplings.append(Gearbox("g", "b", "c", "a"))),
    ("error", "repeated-name", lambda a, j, m: setting(m, couplings=[gear(), gear()])),
    ("error", "no-such-axis", lambda a, j, m: setting(m.joints[1], mimic=Mimic("j")) or lock(m.joints[1])),
    ("error", "not-finite", lambda a, j, m: setting(m, gravity=(0, 0, NAN))),
    ("warning", "empty-name", lambda a, j, m: m.links.append(Link(""))),
    ("warning", "empty-name", lambda a, j, m: setting(j, name="")),
    ("warning", "empty-name", lambda a, j, m: m.couplings.append(gear()) or setting(m.couplings[0], name="")),
    *(
        ("error", "not-finite", lambda a, j, m, what=what: setting(j.axes[0], **{what: math.inf}))
        for what in ("damping", "armature", "friction", "spring_stiffness", "drive_stiffness", "drive_target")
    ),
    ("error", "not-finite", lambda a, j, m: setting(j.axes[0], upper=NAN)),
    *(
        ("error", "not-finite", lambda a, j, m, what=what: setting(j, mimic=Mimic("k", **{what: NAN})))
        for what in ("multiplier", "offset", "reference")
    ),
    ("error", "not-finite", lambda a, j, m: coupled(m, "gear", ("j", 0), ("k", 1), ratio=NAN)),
    ("error", "not-finite", lambda a, j, m: coupled(m, "gear", ("j", 0), ("k", 1), offset=math.inf)),
    ("error", "not-finite", lambda a, j, m: geared(m, ratio=NAN)),
    ("error", "not-finite", lambda a, j, m: geared(m, axis2=(0, NAN, 1))),
    ("error", "zero-axis", lambda a, j, m: geared(m, axis=(0, 0, 0))),
    ("error", "couples-itself", lambda a, j, m: geared(m, child="b")),
    ("error", "couples-itself", lambda a, j, m: coupled(m, "gear", ("j", 0), ("j", 0))),
    ("warning", "zero-ratio", lambda a, j, m: coupled(m, "gear", ("j", 0), ("k", 0), ratio=0.0)),
    ("warning", "zero-ratio", lambda a, j, m: geared(m, ratio=0.0)),
    ("warning", "zero-ratio", lambda a, j, m: summed(m, 1.0, 0.0)),
    ("error", "not-finite", lambda a, j, m: summed(m, 1.0, NAN)),
    ("warning", "units-differ", lambda a, j, m: coupled(m, "gear", ("j", 0), ("slider", 0))),
    ("warning", "units-differ", lambda a, j, m: coupled(m, "rack", ("slider", 0), ("j", 0))),
    ("warning", "units-differ", lambda a, j, m: coupled(m, "differential", ("j", 0), ("k", 0), ("slider", 0))),
    ("error", "bad-size", lambda a, j, m: colliding_with(a, Box((1.0, -1.0, 1.0)))),
    ("error", "bad-size", lambda a, j, m: colliding_with(a, Sphere(NAN))),
    ("error", "bad-size", lambda a, j, m: colliding_with(a, Mesh("gone.stl", scale=(1.0, 0.0, 1.0)))),
    ("warning", "collision-shape", lambda a, j, m: colliding_with(a, Mesh("gone.stl"))),
    ("warning", "no-room", lambda a, j, m: apart(m)),
    ("warning", "led-outside-limits", lambda a, j, m: setting(j, mimic=Mimic("k", offset=1.5))),
    ("warning", "limit-never-met", lambda a, j, m: cone(m, -0.1)),
    ("warning", "limit-never-met", lambda a, j, m: rope(m, upper=-1.0)),
    ("warning", "limit-never-reached", lambda a, j, m: cone(m, 4.0)),
    ("warning", "home-outside-limits", lambda a, j, m: rope(m, lower=1.0, upper=2.0)),
]


def test_a_bad_surface_is_told_in_a_line():
    """Guards which collision, the value with its unit, and what is allowed, of each number that is wrong."""
    issues = check_definition(spoiled(lambda a, j, m: touching(a, stiffness=-5.0, restitution=2.0)))
    assert [(issue.subject, issue.message) for issue in issues] == [
        ("link 'a'", "collision 'hull': restitution is 2; give 0, where nothing bounces, to 1, where no speed is lost"),
        ("link 'a'", "collision 'hull': stiffness is -5 N/m; give more than 0, or leave it out where it is rigid"),
    ]


def test_good_model_has_no_finding():
    """No finding cries wolf, not even for an axis given with four digits or a flat body."""
    model = spoiled(lambda a, j, m: setting(a, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 2.0)))
    model.joints[0].axes[0].xyz = (0.7071, 0.7071, 0.0)
    assert check_definition(model) == []


@pytest.mark.parametrize(("severity", "code", "what"), CASES)
def test_each_finding(severity, code, what):
    """One mistake is one finding, with its subject, and a message that says more than the code."""
    (issue,) = check_definition(spoiled(what))
    assert (issue.severity, issue.code) == (severity, code)
    assert issue.subject.split()[0] in ("model", "link", "joint", "coupling", "gearbox")
    assert len(issue.message) > 20


def test_every_finding_is_provoked():
    """Guards this file: a finding without a case here is a message that nobody has read."""
    models = [spoiled(what) for _, _, what in CASES]
    sound = [sound_part(model) for model in models]
    whole = [spoiled(what) for severity, _, what in CASES if severity != "error"]
    asked = {finding: models if finding in SAFE_FINDINGS else sound for finding in FINDINGS}
    asked |= dict.fromkeys(WHOLE_FINDINGS, whole)
    assert not [finding for finding, those in asked.items() if not any(list(finding(model)) for model in those)]


def test_all_at_once():
    """Guards that one finding does not hide another."""
    model = good()
    model.links[0].mass = -1.0
    model.joints[0].axes[0].upper = -2.0
    model.joints[1].mimic = Mimic("nobody")
    codes = {issue.code for issue in check_definition(model)}
    assert {"negative-mass", "crossed-limits", "unknown-leader"} <= codes


@pytest.mark.parametrize(("severity", "code", "what"), MALFORMED)
def test_what_is_malformed_hides_nothing_else(severity, code, what):
    """Guards the first stage: other findings come with it, and none that follows from what was left out."""

    def worse(a, j, m):
        what(a, j, m)
        m.links.append(Link("heavy", mass=-1.0))
        m.joints.append(Joint("follower", "revolute", "a", "heavy", mimic=Mimic("j"), axes=[Axis(damping=-1.0)]))
        m.couplings.append(Gearbox("box", "b", "heavy", "a"))

    codes = [issue.code for issue in check_definition(spoiled(worse))]
    assert sorted(codes) == sorted([code, "negative-mass", "negative-damping"])


def test_a_sound_part_leaves_the_model_alone():
    """Guards the user's model against what is done to look at it."""
    model = spoiled(lambda a, j, m: setting(m.joints[1], mimic=Mimic("j")))
    vars(model.joints[0])["type"] = "zzz"  # as nothing but a hand can
    assert [issue.code for issue in check_definition(model)] == ["unknown-type"]
    assert model.joints[1].mimic == Mimic("j")
    assert len(model.joints) == 2


def test_a_joint_may_follow_its_own_other_axis():
    """Guards mimics between coordinates, not joints: an axis may follow its neighbour, and two joints each other's."""
    model = spoiled(lambda a, j, m: setting(m.joints[1], mimic=Mimic("k", axis=0, leader_axis=1)))
    assert check_definition(model) == []
    model.joints[0] = Joint("j", "universal", "a", "b", mimic=Mimic("k", axis=0, leader_axis=1))
    model.joints[0].axes = [Axis(xyz=(1.0, 0.0, 0.0)), Axis(xyz=(0.0, 1.0, 0.0))]
    model.joints[1].mimic = Mimic("j", axis=0, leader_axis=0)
    assert check_definition(model) == []
    model.joints[0].mimic.leader_axis = 0
    (issue,) = check_definition(model)
    assert (issue.code, issue.subject) == ("mimic-cycle", "joint 'j'")
    assert "by way of 'k'" in issue.message


def test_a_long_chain_of_mimics_is_checked_at_once():
    """Guards the time: a walk from each joint to the end of its chain takes minutes here."""
    count = 2000
    links = [Link(f"l{i}") for i in range(count)]
    joints = [Joint(f"j{i}", "revolute", "world", f"l{i}", mimic=Mimic(f"j{i + 1}")) for i in range(count)]
    joints[-1].mimic = Mimic("j1000")
    start = time.process_time()  # which does not depend on what else the machine does
    (issue,) = check_definition(Model("m", links, joints))
    assert time.process_time() - start < 10.0
    assert (issue.code, issue.subject) == ("mimic-cycle", "joint 'j1000'")


def test_limits_at_the_edge_are_no_finding():
    """Guards against noise: pi in single precision, racks and gears the right way round, two slides geared."""
    model = spoiled(lambda a, j, m: coupled(m, "rack", ("j", 0), ("slider", 0)))
    model.links.append(Link("e"))
    model.joints.append(Joint("other", "prismatic", "world", "e"))
    model.couplings.append(Coupling("h", "gear", [("slider", 0), ("other", 0)]))
    cone(model, 3.14159274)
    assert check_definition(model) == []


def test_words_name_the_axis_and_what_is_allowed():
    """Guards the remedy: which axis of several, and where home may be."""
    (of_rope,) = check_definition(spoiled(lambda a, j, m: rope(m, lower=1.0)))
    assert "its distance axis at 0" in of_rope.message
    assert "a home whose distance is at least 1" in of_rope.message
    (of_neck,) = check_definition(spoiled(lambda a, j, m: bent_ball(m)))
    assert "its cone axis at 0.5" in of_neck.message


def test_limits_are_told_in_degrees_too():
    """Guards the panel, which shows degrees, and files, which have radians."""
    crossed = Joint("knee", "revolute", "world", "shin", axes=[Axis(lower=0.5 * math.pi, upper=-1.0)])
    (found,) = check_definition(Model("m", [Link("shin")], [crossed]))
    assert "lower limit 1.571 rad (90°) is above the upper limit -1 rad (-57.3°)" in found.message
    crossed.type = "prismatic"
    (found,) = check_definition(Model("m", [Link("shin")], [crossed]))
    assert "lower limit 1.571 m is above the upper limit -1 m;" in found.message


def test_a_base_without_mass_is_told_how_to_hold_it():
    """Guards the remedy of a root, which needs no mass once it is held."""
    model = Model("m", [Link("base", 0.0), Link("arm")], [Joint("j", "revolute", "base", "arm")])
    (found,) = check_definition(model)
    assert (found.code, found.subject) == ("massless", "link 'base'")
    assert "--fix-base base" in found.message


def test_axes_that_mean_nothing_are_not_judged():
    """Guards against noise: a slide shares the turn's direction, and a SCARA's parallel hinges are apart."""
    model = good()
    scara = [Axis(), Axis(point=(1.0, 0.0, 0.0)), Axis(point=(2.0, 0.0, 0.0))]
    model.joints = [
        Joint("c", "cylindrical", "world", "a"),
        Joint("s", "custom", "a", "b", axes=scara),
        Joint("p", "planar", "b", "c"),
    ]
    model.joints[-1].axes[0].xyz = (0.0, 0.0, 0.0)
    assert check_definition(model) == []


def test_only_the_direction_of_a_cone_counts():
    """Guards rows measured for home: an axis of length 2 is told as such, and does not bend what is measured."""
    axes = [Axis(), Axis(), Axis(), Axis(xyz=(0.0, 0.0, 2.0)), Axis(lower=-1.2, upper=1.2)]
    home = (math.cos(0.5), 0.0, 0.0, math.sin(0.5))
    model = Model("m", [Link("head")], [Joint("neck", "ball", "world", "head", axes=axes, home=home)])
    assert [issue.code for issue in check_definition(model)] == ["axis-not-unit"]


def test_drives_and_releases_that_act_are_no_finding():
    """Guards against noise: a drive that only brakes, one whose numbers are zeros in a mode that asks for others."""
    drives = [
        {"drive_mode": "position", "drive_damping": 1.0},
        {"drive_mode": "velocity", "drive_damping": 1.0, "effort": 2.0},
        {"drive_mode": "force", "drive_target": -1.0},
        {"drive_mode": "off", "drive_target": -1.0, "effort": 0.0},
    ]
    for drive in drives:
        assert check_definition(spoiled(lambda a, j, m, drive=drive: setting(j.axes[0], **drive))) == []
    assert check_definition(spoiled(lambda a, j, m: setting(j, released_at=0.5))) == []
    assert check_definition(spoiled(lambda a, j, m: setting(j, enabled=False, released_at=-1.0))) == []
    both_off = spoiled(lambda a, j, m: setting(j, mimic=Mimic("k"), enabled=False))
    both_off.joint("k").enabled = False
    assert check_definition(both_off) == []


def test_words_about_a_release():
    """Guards the words for one who reads seconds: before the start, or at it."""
    for when, words in ((-0.25, "lets go 0.25 s before the start"), (0.0, "lets go at the start")):
        (issue,) = check_definition(spoiled(lambda a, j, m, when=when: setting(j, released_at=when)))
        assert words in issue.message


def test_format():
    """An issue prints as compilers do, with or without a line."""
    issue = Issue("error", "zero-axis", "joint 'j'", "is 0 0 0", 7)
    assert issue.format("m.sdf") == "m.sdf:7: error zero-axis: joint 'j': is 0 0 0"
    issue.line = None
    assert issue.format("m.sdf") == "m.sdf: error zero-axis: joint 'j': is 0 0 0"


@pytest.mark.parametrize("text", ["0,0,0,0", "1e308,1e308,1e308,1e308"])
def test_a_home_that_is_no_rotation_is_refused(text):
    """Guards --set: no home goes in that `check_definition` would refuse."""
    model = spoiled(lambda a, j, m: ball(m))
    with pytest.raises(ModelError, match=r"joint 'neck': home '.*' ends in a quaternion of length .*write 1,0,0,0"):
        set_property(model, Setting("neck", "home", text))


def test_a_home_set_by_name_is_a_rotation():
    """Guards --set: a quaternion of another length means its direction; positions before it stay."""
    model = spoiled(lambda a, j, m: (ball(m), rope(m)))
    assert set_property(model, Setting.parse("neck.home=3,0,0,4")).home == pytest.approx((0.6, 0.0, 0.0, 0.8))
    assert set_property(model, Setting.parse("rope.home=1,2,3,0,2,0,0")).home == (1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0)
    assert check_definition(model) == []


def test_limits_of_many_turns_are_no_degrees():
    """Guards against a false alarm: cables, placeholders and threads have large limits that are radians."""
    for lower, upper in ((-6.28, 6.28), (-20.0, 20.0), (-31.4, 31.4), (-1e16, 1e16), (-90.0, 91.5), (-math.inf, 1.0)):
        model = spoiled(lambda a, j, m, ends=(lower, upper): setting(j.axes[0], lower=ends[0], upper=ends[1]))
        assert check_definition(model) == []
    lead = [Joint("lead", "screw", "a", "d", axes=[Axis(lower=-90.0, upper=90.0)], pitch=0.01)]
    model = spoiled(lambda a, j, m: (m.links.append(Link("d")), m.joints.extend(lead)))
    assert check_definition(model) == []
    (issue,) = check_definition(spoiled(lambda a, j, m: setting(j.axes[0], lower=-math.inf, upper=90.0)))
    assert issue.message.endswith("if so, give at most 1.571 rad (90°)")


def test_infinity_is_set_by_name_only_where_it_means_something():
    """Guards --set against what `check_definition` refuses."""
    model = good()
    assert set_property(model, Setting.parse("j.effort=inf")).axes[0].effort == math.inf
    with pytest.raises(ModelError, match="damping takes a number"):
        set_property(model, Setting.parse("j.damping=inf"))


def flange(mass_of_tool=0.0, **joint) -> Model:
    """An arm whose flange, and the tool that is fixed to it, have no mass."""
    links = [Link("arm"), Link("flange", 0.0), Link("tool", mass_of_tool)]
    joints = [
        Joint("shoulder", "revolute", "world", "arm"),
        Joint("wrist", "revolute", "arm", "flange"),
        Joint("grip", "fixed", "flange", "tool", **joint),
    ]
    return Model("m", links, joints)


@pytest.mark.parametrize(
    ("model", "found"),
    [
        (flange(), ["flange"]),
        (flange(1.0), []),
        (flange(released_at=1.0), ["flange", "tool"]),
        (flange(1.0, enabled=False), ["flange"]),
        (Model("m", [Link("base", 0.0)], [Joint("stand", "fixed", "world", "base")]), []),
        (Model("m", [Link("base", 0.0)]), ["base"]),
    ],
    ids=["tool0", "with a tool", "let go", "switched off", "held", "floats"],
)
def test_what_is_fixed_to_another_needs_no_mass(model, found):
    """Guards real robots, whose frames for tools are links without mass: of such only what moves by itself is told."""
    assert [issue.subject for issue in check_definition(model) if issue.code == "massless"] == [
        f"link '{n}'" for n in found
    ]
