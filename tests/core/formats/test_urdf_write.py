# SPDX-License-Identifier: GPL-3.0-or-later
"""Model to URDF: what comes back moves and weighs as what went, and what cannot be said is told once."""

import dataclasses
import math
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core import formats
from limberjack.core.geometry import (
    Box,
    Material,
    Shape,
    Sphere,
)
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import link_poses
from limberjack.core.model import WORLD, Axis, Coupling, Frame, Gearbox, Joint, Link, Mimic, Model
from limberjack.core.spatial import IDENTITY
from support.models import dump, matrix, place, random_link, random_pose, random_tree, random_unit
from support.urdf import two_links, written

TURNS = ("revolute", "continuous")
HELD = (*TURNS, "prismatic", "fixed", "planar")


def random_axis(rng) -> Axis:
    lower, upper = np.sort(rng.normal(size=2) * 3.0).tolist()
    lower, upper = rng.choice([lower, -math.inf]), rng.choice([upper, math.inf])
    damping, friction, effort, velocity, stiffness = rng.uniform(0.1, 9.0, size=5).tolist()
    axis = Axis(random_unit(rng), float(lower), float(upper), damping=damping, friction=friction)
    if rng.random() < 0.5:
        axis = replace(axis, effort=effort, velocity=velocity)
    return replace(axis, spring_stiffness=stiffness, spring_reference=0.3) if rng.random() < 0.3 else axis


def random_urdf(seed: int, size: int = 8) -> Model:
    """Trees, some afloat, of what URDF has, with frames anywhere, some joints from the outer link to the inner one."""
    rng = np.random.default_rng(seed)
    model = Model(f"tree{seed}")
    for i in range(size):
        link = random_link(rng, f"link {i}")
        link.visuals = [Shape("box", Box((1.0, 2.0, 3.0)), random_pose(rng), Material((0.1, 0.2, 0.3, 1.0)))]
        link.collisions = [Shape("ball", Sphere(0.5), random_pose(rng))]
        link.gravity = bool(rng.random() < 0.7)
        model.links.append(link)
        starts = i == 0 or rng.random() < 0.2
        parent = WORLD if starts else f"link {rng.integers(i)}"
        if starts and rng.random() < 0.5:
            link.pose = random_pose(rng)
            continue
        kind = rng.choice([*HELD, "free"] if starts else HELD)
        X_CJ = random_pose(rng) if rng.random() < 0.7 else IDENTITY
        axes = [random_axis(rng) for _ in JOINT_TYPES[kind].columns]
        if kind == "planar":
            axes = [Axis(damping=0.2) for _ in axes]
        joint = Joint(f"joint {i}", str(kind), parent, link.name, random_pose(rng), X_CJ, axes)
        if parent != WORLD and kind != "planar" and rng.random() < 0.3:
            joint.parent, joint.child = joint.child, joint.parent
        model.joints.append(joint)
    place(model)
    return model


def bodies(model: Model, q: dict) -> dict[str, np.ndarray]:
    """By link: what is true of it whatever its frame is: mass, centre and inertia in the world, its shapes' places."""
    poses = link_poses(model, q)
    told = {}
    for link in model.links:
        X = matrix(poses[link.name])
        xx, xy, xz, yy, yz, zz = link.inertia
        inertia = X[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ X[:3, :3].T
        shapes = [X @ matrix(shape.pose) for shape in (*link.visuals, *link.collisions)]
        told[link.name] = np.concatenate([[link.mass], X @ (*link.com, 1.0), inertia.ravel(), np.ravel(shapes)])
    return told


def random_values(model: Model, seed: int) -> dict:
    rng = np.random.default_rng(seed)
    values = {}
    for joint in model.joints:
        if joint.nq:
            q = rng.normal(size=joint.nq)
            if joint.kind.chart:
                q[-4:] /= np.linalg.norm(q[-4:])
            values[joint.name] = q.tolist()
    return values


def same_bodies(model: Model, back: Model, q: dict, within=1e-9):
    ours, theirs = bodies(model, q), bodies(back, q)
    for name, numbers in ours.items():
        assert np.abs(theirs[name] - numbers).max() < within, name


@settings(deadline=None)
@given(st.integers(0, 100_000))
def test_what_comes_back_moves_and_weighs_the_same(tmp_path_factory, seed):
    """Guards frames that move, joints that turn round, pieces afloat, limits and losses of every axis."""
    model = random_urdf(seed)
    before = dump(model)
    back, losses = written(model, tmp_path_factory.mktemp("urdf"))
    assert dump(model) == before
    assert [link.name for link in back.links] == [link.name for link in model.links]
    q = random_values(model, seed)
    ours, theirs = bodies(model, q), bodies(back, q | inverse_slides(model, back, q))
    for name, numbers in ours.items():
        assert np.abs(theirs[name] - numbers).max() < 1e-9, name
    for joint in model.joints:
        same_axes(joint, back.joint(joint.name))
    assert {link.name: link.gravity for link in back.links} == {link.name: link.gravity for link in model.links}
    assert len(losses) == len(set(losses))


def inverse_slides(model: Model, back: Model, q: dict) -> dict:
    """Of planar joints that were turned round: the other link seen from this one, turned by as much the other way."""
    values = {}
    for joint in model.joints:
        if joint.type == "planar" and back.joint(joint.name).child != joint.child:
            x, y, turn = q[joint.name]
            s, c = math.sin(turn), math.cos(turn)
            values[joint.name] = [-c * x - s * y, s * x - c * y, -turn]
    return values


def same_axes(joint: Joint, back: Joint):
    endless = len(joint.columns) == 1 and joint.columns[0].turn and joint.axes[0].is_unlimited
    assert back.type == ("continuous" if endless else joint.type)
    for ours, theirs in zip(joint.axes, back.axes, strict=True):
        limited = joint.kind.axes[0].limited and len(joint.axes) == 1
        for name in (*("lower", "upper")[: 2 * limited], "effort", "velocity", "damping", "friction"):
            assert getattr(theirs, name) == getattr(ours, name), name
        if ours.spring_stiffness:
            assert (theirs.spring_stiffness, theirs.spring_reference) == (ours.spring_stiffness, ours.spring_reference)


@settings(deadline=None)
@given(st.integers(0, 100_000))
def test_a_second_time_nothing_changes(tmp_path_factory, seed):
    """What URDF can say is said once and for all: written again, the file is the same but for the last digits."""
    folder = tmp_path_factory.mktemp("urdf")
    once, _ = written(random_urdf(seed), folder)
    twice, _ = written(once, folder)
    assert [(j.name, j.type, j.parent, j.child) for j in twice.joints] == [
        (j.name, j.type, j.parent, j.child) for j in once.joints
    ]
    for link in once.links:
        assert np.abs(matrix(twice.link(link.name).pose) - matrix(link.pose)).max() < 1e-12
    same_bodies(once, twice, random_values(once, seed), 1e-11)


@settings(deadline=None)
@given(st.integers(0, 100_000))
def test_sdf_to_urdf_to_sdf(tmp_path_factory, seed):
    """Guards both directions between the two: SDF's joint frames to URDF's, and back."""
    folder = tmp_path_factory.mktemp("both")
    model = random_urdf(seed)
    model.joints = [joint for joint in model.joints if joint.type not in ("planar", "free")]
    formats.write(model, folder / "one.sdf")
    read = formats.read(folder / "one.sdf").model
    middle, _ = written(read, folder)
    formats.write(middle, folder / "two.sdf")
    back = formats.read(folder / "two.sdf").model
    same_bodies(model, back, random_values(model, seed))


@pytest.mark.parametrize("seed", range(4))
def test_with_substitutes_every_tree_stands_and_hangs_together(tmp_path, seed):
    """Every joint that has a substitute is there in the end: only ropes and cables let go of what they hold."""
    model = random_tree(seed, 2 * len(JOINT_TYPES))
    back, losses = written(model, tmp_path, substitute=True)
    lost = [line for line in losses if "left out, as URDF has no" in line]
    assert len(lost) == sum(joint.type in ("distance", "cable") for joint in model.joints)
    same_bodies(model, back, {})


# ---- numbers worked out by hand


def test_bug_12_the_inertia_goes_with_the_frame(tmp_path):
    """A rod of 2 kg along x, whose hinge is at its end: its centre is half a length from its new, turned frame."""
    quarter = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    joint = Joint("j", "continuous", "a", "b", X_CJ=(-1.0, 0.0, 0.0, *quarter))
    model = two_links(joint)
    model.links[1] = Link("b", 2.0, (0.0, 0.0, 0.0), (0.01, 0.0, 0.0, 2 / 3, 0.0, 2 / 3))
    place(model)
    back, _ = written(model, tmp_path)
    rod = back.link("b")
    assert rod.com == pytest.approx((0.0, -1.0, 0.0))
    assert rod.inertia == pytest.approx((2 / 3, 0, 0, 0.01, 0, 2 / 3))


def test_named_frames_stay_where_they_stood(tmp_path):
    """A frame on a link whose own frame moves to its joint is at the same place of the world."""
    rng = np.random.default_rng(2)
    model = two_links(Joint("j", "continuous", "a", "b", random_pose(rng), random_pose(rng)))
    model.frames = [Frame("tool", "b", random_pose(rng))]
    back, _ = written(model, tmp_path)
    places = [matrix(one.link("b").pose) @ matrix(one.frames[0].pose) for one in (model, back)]
    assert np.abs(places[0] - places[1]).max() < 1e-12


def test_nothing_moves_where_frames_are_one(tmp_path):
    """Where a joint is at its child's frame, numbers go out as they are, to the last bit."""
    model = random_urdf(3)
    model.joints = [replace(joint, X_CJ=IDENTITY) for joint in model.joints if joint.type != "planar"]
    place(model)
    back, _ = written(model, tmp_path)
    turned = {joint.parent for joint in model.joints if back.joint(joint.name).child != joint.child}
    assert len(model.links) > len(turned)
    for link in model.links:
        if link.name not in turned:
            assert (back.link(link.name).com, back.link(link.name).inertia) == (link.com, link.inertia)


def test_bug_14_a_hinge_without_limits_is_continuous(tmp_path):
    """Without limits a hinge is continuous; its limits of force, if any, come with bounds that some loaders ask for."""
    _, losses = written(two_links(Joint("j", "revolute", "a", "b", axes=[Axis(effort=2.0)])), tmp_path)
    joint = ElementTree.parse(tmp_path / "m.urdf").find("joint[@name='j']")
    assert joint.get("type") == "continuous"
    assert {name: float(value) for name, value in joint.find("limit").attrib.items()} == {
        "lower": -1e16,
        "upper": 1e16,
        "effort": 2.0,
        "velocity": 1e16,
    }
    assert losses == []
    written(two_links(Joint("j", "continuous", "a", "b")), tmp_path)
    assert ElementTree.parse(tmp_path / "m.urdf").find("joint[@name='j']/limit") is None


def test_bug_15_limits_are_in_radians(tmp_path):
    """90 degrees are 1.5708."""
    axis = Axis(lower=math.radians(-90.0), upper=math.radians(90.0))
    written(two_links(Joint("j", "revolute", "a", "b", axes=[axis])), tmp_path)
    limit = ElementTree.parse(tmp_path / "m.urdf").find("joint[@name='j']/limit")
    assert (float(limit.get("lower")), float(limit.get("upper"))) == (-math.pi / 2, math.pi / 2)


def test_bug_19_mimics_and_gears(tmp_path):
    """q = multiplier * q + offset; a reference is folded in; gears, racks and gearboxes are mimics of their output."""
    model = Model(links=[Link(name) for name in "abcdef"])
    hinges = {"b": "continuous", "c": "continuous", "d": "prismatic", "e": "continuous", "f": "continuous"}
    model.joints = [Joint(f"to {name}", kind, "a", name) for name, kind in hinges.items()]
    model.joints[1].mimic = Mimic("to b", multiplier=-2.0, offset=0.5, reference=0.25)
    model.couplings = [
        Coupling("rack", "rack", [("to b", 0), ("to d", 0)], ratio=0.1, offset=0.2),
        Coupling("gear", "gear", [("to c", 0), ("to e", 0)], ratio=3.0),
        Gearbox("box", "b", "f", "a", ratio=4.0),
    ]
    back, losses = written(model, tmp_path)
    told = {joint.name: joint.mimic and dataclasses.astuple(joint.mimic)[:3] for joint in back.joints}
    assert told == {
        "to b": None,
        "to c": ("to b", -2.0, 1.0),
        "to d": ("to b", 0.1, 0.2),
        "to e": ("to c", 3.0, 0.0),
        "to f": ("to b", -4.0, 0.0),
    }
    assert losses == []


def test_a_coupling_whose_output_follows_already(tmp_path):
    """Guards a coupling that becomes a mimic of its input: input = (output - offset) / ratio."""
    model = Model(links=[Link(name) for name in "abcd"])
    model.joints = [Joint(f"to {name}", "continuous", "a", name) for name in "bcd"]
    model.joints[2].mimic = Mimic("to c")
    model.couplings = [Coupling("gear", "gear", [("to b", 0), ("to d", 0)], ratio=4.0, offset=0.2)]
    back, losses = written(model, tmp_path)
    assert losses == []
    found = back.joint("to b").mimic
    assert (found.leader, found.multiplier, found.offset) == ("to d", 0.25, -0.05)


def test_bug_19_followers_of_slides_are_not_continuous(tmp_path):
    """Pinocchio refuses a mimic between a continuous joint and another: those are written with bounds out of reach."""
    model = Model(links=[Link(name) for name in "abcdef"])
    model.joints = [Joint(name, "continuous", "a", name) for name in "bcdef"]
    model.joints[0] = Joint("b", "prismatic", "a", "b")
    model.joints[1].mimic, model.joints[2].mimic = Mimic("b"), Mimic("c")
    model.joints[4].mimic = Mimic("e")
    back, losses = written(model, tmp_path)
    assert losses == []
    assert [joint.type for joint in back.joints] == ["prismatic", *["revolute"] * 2, *["continuous"] * 2]
    assert all(joint.axes[0].is_unlimited for joint in back.joints)


def test_bug_21_fixed_links_and_frames_stay(tmp_path):
    """Every link is written; a frame is Drake's word, or a link of its own where substitutes are asked for."""
    model = two_links(Joint("j", "fixed", "a", "b", X_CJ=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)))
    model.frames = [Frame("tool", "b", (0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0))]
    back, losses = written(model, tmp_path)
    assert back.frames == model.frames
    assert back.link("b").pose == model.link("b").pose
    assert losses == ["frame 'tool' is said in <frame>, which Drake reads, and others pass over"]
    back, losses = written(model, tmp_path, substitute=True)
    assert losses == ["frame 'tool' is written as a link without mass"]
    assert (back.link("tool").mass, back.link("tool").pose[:3]) == (0.0, (0.0, 0.5, -1.0))


def test_bug_26_a_full_tensor(tmp_path):
    """All six numbers of an inertia are there."""
    model = Model(links=[Link("a", 2.0, (0.1, 0.2, 0.3), (2.0, 0.1, 0.2, 2.5, 0.3, 3.0))])
    back, losses = written(model, tmp_path)
    assert back.links[0].inertia == (2.0, 0.1, 0.2, 2.5, 0.3, 3.0)
    assert losses == []


def test_what_floats(tmp_path):
    """One piece at the origin needs no world; one elsewhere, or several, hang on it by floating joints."""
    model = Model(links=[Link("a")])
    back, _ = written(model, tmp_path)
    assert back.joints == []
    model.links[0].pose = (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0)
    back, losses = written(model, tmp_path)
    assert [(joint.type, joint.parent, joint.child) for joint in back.joints] == [("free", WORLD, "a")]
    assert back.links[0].pose == model.links[0].pose
    model.links.append(Link("b"))
    back, losses = written(model, tmp_path)
    assert {joint.child: joint.type for joint in back.joints} == {"a": "free", "b": "free"}
    assert losses == []


def test_a_chain_that_hangs_on_its_last_link(tmp_path):
    """Joints that lead toward the root are turned round: their coordinates stay what they were."""
    rng = np.random.default_rng(0)
    model = Model(links=[random_link(rng, name) for name in "abc"])
    axis = Axis(random_unit(rng), -1.0, 2.0)
    model.joints = [
        Joint("one", "revolute", "a", "b", random_pose(rng), random_pose(rng), [axis]),
        Joint("two", "prismatic", "b", "c", random_pose(rng), random_pose(rng), [axis]),
        Joint("hold", "fixed", WORLD, "c", random_pose(rng), random_pose(rng)),
    ]
    place(model)
    back, losses = written(model, tmp_path)
    assert losses == []
    assert [(joint.parent, joint.child) for joint in back.joints] == [("b", "a"), ("c", "b"), (WORLD, "c")]
    assert (back.joint("one").axes[0].lower, back.joint("one").axes[0].upper) == (-1.0, 2.0)
    same_bodies(model, back, {"one": 0.7, "two": -0.4})


def test_a_locked_axis_is_fixed_where_it_stands(tmp_path):
    """MuJoCo takes limits without room for none, so a lock is a fixed joint."""
    model = two_links(Joint("j", "revolute", "a", "b", axes=[Axis(locked=True, spring_stiffness=1.0)], home=(0.5,)))
    back, losses = written(model, tmp_path)
    assert losses == ["joint 'j' is locked, which URDF cannot say; it is written as fixed where it stands"]
    same_bodies(model, back, {})


def test_shapes_have_names_that_xacro_would_not_replace(tmp_path):
    """Guards a visual of SDF that is named like an argument of xacro: URDF's readers would refuse it."""
    link = Link("a", visuals=[Shape("${v}", Box((1.0, 1.0, 1.0)))])
    losses = formats.write(Model("m", [link]), tmp_path / "m.urdf")
    reading = formats.read(tmp_path / "m.urdf")
    assert reading.ok
    assert reading.model.links[0].visuals[0].name == "_{v}"
    assert any("named '_{v}'" in loss for loss in losses)
