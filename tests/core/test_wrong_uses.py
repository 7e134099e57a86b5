# SPDX-License-Identifier: GPL-3.0-or-later
"""What newcomers get wrong in their first hour, and the answer to each: what was found, what is needed, what to do."""

import numpy as np
import pytest

import limberjack as lj
from limberjack.core.kinematics.inverse.inverse import held_dofs


def arm():
    model = lj.Model("arm")
    for number, (parent, name) in enumerate((("world", "upper"), ("upper", "lower"))):
        place = (0.0, 0.0, -1.0 * number, 1.0, 0.0, 0.0, 0.0)
        axis = lj.Axis((0.0, 1.0, 0.0))
        link = lj.Link(name, com=(0.0, 0.0, -0.5))
        lj.add_link(model, link, lj.Joint(f"{name}_hinge", "revolute", parent, name, place, axes=[axis]))
    return model


def simulated(part, name, value, model):
    setattr(part, name, value)
    return lj.simulate(model, 0.1)


CASES = [
    (
        lambda m: lj.Simulation(m, 5.0),
        TypeError,
        r"seconds of all frames.*found 5\.0; for a duration, limberjack\.simul",
    ),
    (lambda m: lj.Simulation(m, "5"), TypeError, "times takes a list of seconds, found '5'"),
    (lambda m: lj.Simulation("crane.sdf", [0, 1]), TypeError, r"found str; .* limberjack\.read\('crane\.sdf'\)\.model"),
    (lambda m: lj.simulate(lj.Reading(m), 1.0), TypeError, r"a Model is needed, found Reading; take its \.model"),
    (
        lambda m: lj.simulate(m, [0, 1]),
        TypeError,
        r"duration takes one number, found \[0, 1\]; Simulation takes the tim",
    ),
    (lambda m: lj.simulate(m, -1.0), ValueError, "duration takes a number above 0, found -1.0"),
    (
        lambda m: lj.simulate(m, 1.0, q={"hip": 0.0}),
        lj.StateError,
        "no joint 'hip' moves; there are: upper_hinge, lower",
    ),
    (lambda m: lj.simulate(m, 1.0, q=[0.0]), lj.StateError, r"q takes 2 number\(s\), found shape \(1,\)"),
    (lambda m: lj.simulate(m, 1.0, q={"upper_hinge": "up"}), lj.StateError, "takes 1 finite number.*found 'up'"),
    (lambda m: lj.forward_dynamics(None), TypeError, "a Model is needed, found NoneType; read one from a file"),
    (lambda m: lj.forward_dynamics("arm.urdf"), TypeError, r"limberjack\.read\('arm\.urdf'\)\.model"),
    (lambda m: lj.mass_matrix(m, [0.0] * 3), lj.StateError, r"q takes 2 number\(s\), found shape \(3,\)"),
    (lambda m: lj.compile_model(lj.read), TypeError, "a Model is needed, found function"),
    (lambda m: lj.transform(m, None, "hand"), lj.ModelError, "no link or frame 'hand'; there are: world, upper, lower"),
    (
        lambda m: setattr(m.joints[0].axes[0], "uper", 1.0),
        AttributeError,
        r"Axis has no field 'uper' to set; did you mean",
    ),
    (lambda m: setattr(m.links[0], "wieght", 1.0), AttributeError, "Link has no field 'wieght' to set; .*mass"),
    (
        lambda m: setattr(m, "gravitiy", (0, 0, 0)),
        AttributeError,
        "Model has no field 'gravitiy' to set; did you mean 'grav",
    ),
    (
        lambda m: setattr(m.joints[0], "type", "pivot"),
        lj.ModelError,
        "type 'pivot' is not known; allowed are fixed, rev",
    ),
    (
        lambda m: lj.Joint("j", "revolute", m.links[0], "b"),
        TypeError,
        "parent takes the name of a link.*give its name, 'upper'",
    ),
    (lambda m: setattr(m.joints[0], "parent", m.links[1]), TypeError, "parent takes the name of a link.*'lower'"),
    (lambda m: setattr(m.joints[0], "axes", [(0, 0, 1)]), TypeError, "axes takes a list of Axis"),
    (lambda m: lj.Joint("j", "revolute", None, "b"), TypeError, "parent takes the name of a link, found None"),
    (
        lambda m: lj.Joint("j", "revolute", "a", "b", axes=[(0, 0, 1)]),
        TypeError,
        r"axes takes a list of Axis.*write axes=",
    ),
    (lambda m: lj.Joint("j", "revolute", "a", "b", axes=lj.Axis()), TypeError, "axes takes a list of Axis"),
    (
        lambda m: lj.Joint("j", "fixed", "a", "b", axes=[lj.Axis()]),
        lj.ModelError,
        "found 1 axis, but a fixed joint has none",
    ),
    (
        lambda m: lj.Joint("j", "fixed", "a", "b", axes=[lj.Axis()]),
        lj.ModelError,
        "a fixed joint has none; leave them out",
    ),
    (lambda m: lj.Link(1.0), TypeError, r"a link takes its name first, a text, found 1\.0"),
    (lambda m: lj.Model([lj.Link("a")]), TypeError, r"takes its name first.*write Model\('arm', links="),
    (lambda m: lj.add_link(m, lj.Link("c"), "revolute"), TypeError, "link 'c' is added with a Joint, found 'revolute'"),
    (lambda m: lj.add_link(m, lj.Link("upper")), lj.ModelError, "there is a link 'upper' already"),
    (
        lambda m: lj.replace_joint(m, "upper_hinge", "ball", name="lower_hinge"),
        lj.ModelError,
        "a joint 'lower_hinge' alr",
    ),
    (lambda m: m.parent("hand"), lj.ModelError, "there is no link 'hand'; there are: upper, lower"),
    (lambda m: m.children("hand"), lj.ModelError, "there is no link 'hand'"),
    (lambda m: lj.simulate(m, 0.1).link("hand"), lj.ModelError, "there is no link 'hand'; there are: upper, lower"),
    (lambda m: lj.simulate(m, 0.1).joint("hip"), lj.ModelError, "no joint 'hip' moves; there are: upper_hinge"),
    (lambda m: lj.simulate(m, 0.1).state(99), IndexError, "there is no frame 99; there are 4"),
    (lambda m: lj.simulate(m, 0.1).state("last"), TypeError, "state takes the number of a frame, found 'last'"),
    (lambda m: lj.show(m, path="arm.gif"), ValueError, r"a picture is saved as \.png, \.svg"),
    (lambda m: lj.simulate_worlds(m, 1.0, [0.0, 0.0]), lj.StateError, r"has shape \(worlds, 2\), found \(2,\)"),
    (lambda m: lj.ArticulationView(m).axis("uper"), lj.ModelError, "an axis has no number 'uper'; there are: lower"),
    (
        lambda m: lj.ArticulationView(m, include=["slidr"]),
        lj.ModelError,
        r"include: joint type 'slidr' is not known; did you mean 'prismatic'\? Allowed are fixed, revolute",
    ),
    (lambda m: lj.ArticulationView(m, exclude="slidr"), lj.ModelError, "exclude: joint type 'slidr' is not known"),
    (
        lambda m: lj.write(m, "arm.sdf", sdf_versoin="1.9"),
        TypeError,
        r"no option 'sdf_versoin'; there are: .*sdf_version",
    ),
    (lambda m: lj.simulate(m, 0.1, accuracy="fine"), ValueError, "'fine' is not known; allowed are draft, good, exact"),
    (
        lambda m: simulated(m.links[0], "pose", (1, 0, 0), m),
        lj.ModelError,
        "pose is '1 0 0', 3 numbers; give 7 numbers: x",
    ),
    (
        lambda m: simulated(m.links[0], "inertia", np.eye(3), m),
        lj.ModelError,
        r"shape \(3, 3\); give 6 numbers: xx, xy",
    ),
    (lambda m: simulated(m.joints[0], "X_PJ", np.eye(4), m), lj.ModelError, r"shape \(4, 4\); give 7 numbers: x, y, z"),
    (lambda m: simulated(m, "gravity", -9.81, m), lj.ModelError, "gravity is -9.81; give 3 numbers: its acceleration"),
    (
        lambda m: simulated(m.joints[0], "home", [[0.3]], m),
        lj.ModelError,
        r"home is an array of shape \(1, 1\); give 1 number",
    ),
    (
        lambda m: lj.Joint("j", "ball", "world", "a", home="up"),
        TypeError,
        "home takes a number for each coo.*found 'up'",
    ),
    (lambda m: lj.Target(m.links[0], place=(0, 0, 0)), TypeError, "takes the name of a link first, found Link"),
    (
        lambda m: lj.inverse_kinematics(m, [("lower", (0, 0, 0))]),
        TypeError,
        r"targets takes a list of Target, found \('lower', \(0, 0, 0\)\); write \[Target\('hand', place=",
    ),
    (lambda m: lj.inverse_kinematics(m, 5), TypeError, "targets takes a list of Target, found 5"),
    (
        lambda m: lj.Model("m", lj.Link("a")),
        TypeError,
        r"the links of a model are a list of Link, found Link\(name='a'\)",
    ),
    (lambda m: lj.Model("m", {"a": lj.Link("a")}), TypeError, "the links of a model are a list of Link, found {'a'"),
    (lambda m: setattr(m, "joints", ["hip"]), TypeError, "the joints of a model are a list of Joint, found 'hip'"),
    (
        lambda m: lj.simulate(m, 1.0, controls={"upper_hinge": 1.0}),
        TypeError,
        r"takes Controls, found .*; write Controls",
    ),
    (
        lambda m: lj.Controls(joints={"upper_hinge": 1.0}),
        TypeError,
        "joints of Controls takes functions of the time, found 1.0 for 'upper_hinge'; write {'upper_hinge': la",
    ),
    (
        lambda m: lj.read("robots/arm.blend"),
        lj.UnreadableError,
        "scene of Blender, which Blender alone can open; .* `limberjack convert arm.blend arm.sdf`",
    ),
    (lambda m: lj.write("arm.urdf", m), TypeError, "a Model is needed, found str"),
    (lambda m: simulated(m.links[0], "mass", -1.0, m), lj.ModelError, "mass is -1 kg; give 0 or more"),
    (lambda m: simulated(m.links[0], "name", "lower", m), lj.ModelError, "'lower'"),
    (lambda m: simulated(m.links[1], "inertia", (np.nan,) * 6, m), lj.ModelError, "inertia is nan .*finite numbers"),
    (lambda m: simulated(m.joints[0], "X_PJ", (np.nan, 0, 0, 1, 0, 0, 0), m), lj.ModelError, "is nan 0 0 .*finite"),
    (lambda m: lj.ArticulationView(m, joints="knee*"), lj.ModelError, r"pattern 'knee\*' finds 0 joints in upper"),
]


@pytest.mark.parametrize(("use", "kind", "answer"), CASES, ids=range(len(CASES)))
def test_a_wrong_use_is_answered(use, kind, answer):
    """Guards each answer: its kind, what was found, and what to do."""
    with pytest.raises(kind, match=answer):
        use(arm())


def test_a_type_that_is_set_is_whole():
    """Guards joint.type = ...: the axes that the type needs are there, those that fit stay, and it simulates."""
    model = arm()
    joint = model.joint("upper_hinge")
    joint.type = "universal"
    assert (joint.nq, len(joint.axes), joint.axes[0].xyz) == (2, 2, (0.0, 1.0, 0.0))
    joint.axes[1].xyz = (1.0, 0.0, 0.0)
    assert lj.simulate(model, 0.1).joint("upper_hinge").shape == (4, 2)
    joint.type = "hinge"
    assert (joint.type, len(joint.axes), len(joint.home)) == ("revolute", 1, 1)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("floating", "free"),
        ("hinge", "revolute"),
        ("slider", "prismatic"),
        ("spherical", "ball"),
        ("wheel", "continuous"),
    ],
)
def test_other_programs_words_for_types_are_known(word, name):
    """Guards aliases, in a joint that is made and in one that takes another's place."""
    assert lj.Joint("j", word, "a", "b").type == name
    assert lj.replace_joint(arm(), "upper_hinge", word).type == name


def test_malformed_numbers_are_told_before_they_are_compiled():
    """Guards Simulation against arrays of the wrong length that a user put in by hand."""
    model = arm()
    model.links[0].inertia = (1.0, 1.0, 1.0)
    with pytest.raises(lj.ModelError, match=r"link 'upper': inertia is '1 1 1', 3 numbers; give 6"):
        lj.simulate(model, 1.0)


def test_reprs_are_a_line(tmp_path):
    """Guards notebooks: what is printed by itself is short, whatever it holds."""
    model = arm()
    motion = lj.simulate(model, 0.1)
    lj.write(model, tmp_path / "arm.sdf")
    every = [model, lj.compile_model(model), motion, lj.Simulation(model, [0.0, 1.0]), lj.read(tmp_path / "arm.sdf")]
    every += [*model.links, *model.joints, *model.joints[0].axes, lj.simulate_worlds(model, 0.1, np.zeros((2, 2)))]
    for value in every:
        assert len(repr(value)) < 250
        assert "\n" not in repr(value)
    assert repr(model) == "<Model 'arm': 2 links, 2 joints>"
    assert repr(model.joints[0].axes[0]) == "Axis(xyz=(0.0, 1.0, 0.0))"


def test_copies_share_nothing():
    """Guards copies of parts, as of models."""
    model = arm()
    link, joint = model.link("upper").copy(), model.joint("upper_hinge").copy()
    link.visuals.append(None)
    joint.axes[0].upper = 1.0
    assert model.link("upper").visuals == []
    assert model.joint("upper_hinge").axes[0].is_unlimited


def test_a_free_joint_keeps_its_links_pose():
    """Guards what was reset without a word: the pose of a link that is added with a free joint."""
    model, tf = lj.Model(), (1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5)
    lj.add_link(model, lj.Link("stone", pose=tf), lj.Joint("loose", "free", "world", "stone"))
    assert model.link("stone").pose == pytest.approx(tf)
    assert lj.transform(model, None, "stone") == pytest.approx(tf)


def test_an_explicit_free_joint_is_a_base_too():
    """Guards moves_base: a base that hangs in the world by a free joint stays as one that floats by itself does."""
    counts = []
    for joints in ([], [lj.Joint("loose", "free", "world", "stone")]):
        compiled = lj.compile_model(lj.Model(links=[lj.Link("stone")], joints=joints))
        counts.append((len(held_dofs(compiled, [], False)), len(held_dofs(compiled, [], True))))
    assert counts == [(6, 0), (6, 0)]


def test_a_subtree_knows_what_it_was_cut_from():
    """Guards the base's name, in the table, and as the place to which a graft returns."""
    model = arm()
    piece = lj.remove_link(model, "lower")
    assert piece.base == "upper"
    assert "upper (0)" in str(piece)
    lj.graft(model, piece)
    assert model.parent("lower") == "upper"


def test_joints_hang_on_named_frames():
    """Guards joints whose ends are frames: the same places as with the frame's pose written out."""
    model = arm()
    tip = (0.1, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0)
    model.frames.append(lj.Frame("tip", "lower", tip))
    joint = lj.Joint("grip", "revolute", "tip", "hand", (0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0))
    lj.add_link(model, lj.Link("hand"), joint)
    assert (joint.parent, model.parent("hand")) == ("lower", "lower")
    assert lj.transform(model, None, "hand", "tip")[:3] == pytest.approx((0.0, 0.0, 0.2))
    with pytest.raises(lj.ModelError, match=r"there is no link 'tap'; there are: world, .*; frames: tip"):
        lj.add_joint(model, lj.Joint("more", "fixed", "tap", "hand"))


def test_children_and_parents():
    """Guards the tree by names, what floats included."""
    model = arm()
    model.links.append(lj.Link("loose"))
    assert model.children() == ["upper", "loose"]
    assert (model.children("upper"), model.children("lower")) == (["lower"], [])
    assert (model.parent("lower"), model.parent("upper"), model.parent("loose")) == ("upper", "world", "world")
    assert (model.carrier("lower").name, model.carrier("loose")) == ("lower_hinge", None)


def test_a_replaced_joint_takes_a_name_along():
    """Guards replace_joint(name=): mimics follow the new name."""
    model = arm()
    model.joint("lower_hinge").mimic = lj.Mimic("upper_hinge")
    lj.replace_joint(model, "upper_hinge", "revolute", name="shoulder")
    assert model.joint("lower_hinge").mimic.leader == "shoulder"
    assert [joint.name for joint in model.joints] == ["shoulder", "lower_hinge"]


def test_one_thing_for_a_list_of_one():
    """Guards what can mean but one thing: a target by itself, and the home of a joint with one coordinate."""
    model = arm()
    one = lj.Target("lower", place=(0.5, 0.0, 0.0))
    assert lj.inverse_kinematics(model, one).q == lj.inverse_kinematics(model, [one]).q
    assert lj.Joint("j", "revolute", "world", "a", home=0.3).home == (0.3,)
    model.joints[0].home = 1
    assert lj.simulate(model, 0.1).q[0].tolist() == [1.0, 0.0]
