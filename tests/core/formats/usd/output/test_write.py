# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as USD: pxr's validators accept the files, and what is read again moves as before."""

import sys
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.formats import UnwritableError, read, write
from limberjack.core.geometry import Box, Ellipsoid, Mesh, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.geometry.shapes import ALL_LAYERS
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, ContactPair, Joint, Link, Mimic, Model
from limberjack.core.prove.comparing import behaviour_of, mass_difference, pose_difference
from limberjack.core.simulation import simulate
from support.dressed import dressed_model
from support.models import aimed, axes, place, random_link, random_pose, random_unit
from support.usd import body, stage
from support.usd_played import complaints

pxr = pytest.importorskip("pxr", reason="no pxr: pip install usd-core")

SAMPLES = Path(__file__).parents[5] / "sample_scenes"
LOST = {
    "desk_lamp": "distance joints have no springs in USD",
    "gear_train": "gears are couplings, which USD has not",
    "hand": "the thumb follows the second axis of a joint",
}
"""Samples that move differently, and why; their losses say so."""
WRITTEN = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "ball",
    "cylindrical",
    "planar",
    "euler_xyz",
    "d6",
    "translation",
)
"""Joint types that USD has."""


def names():
    return sorted(path.stem for path in SAMPLES.glob("*.sdf"))


@pytest.mark.parametrize("name", names())
def test_a_sample_comes_back(name, tmp_path):
    """Guards poses, masses and a second of motion, to the precision of USD's single floats."""
    model = read(SAMPLES / f"{name}.sdf").model
    path = tmp_path / f"{name}.usda"
    write(model, path)
    assert complaints(path) == []
    before, after = behaviour_of(model, 1.0), behaviour_of(read(path).model, 1.0)
    assert before.start.keys() == after.start.keys()
    assert pose_difference(before.start, after.start).largest < 1e-6
    assert mass_difference(before.masses, after.masses).relative < 1e-6
    apart = pose_difference(before.end, after.end).largest
    assert (apart > 1e-3) == (name in LOST)


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_joint_moves_as_before(kind, tmp_path):
    """Guards frames, axes and initial coordinates of each type, on the world and between links, by half a second."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        model = Model("m", [random_link(rng, "arm"), random_link(rng, "hand")])
        for number, ends in enumerate(((WORLD, "arm"), ("arm", "hand"))):
            directions = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)] if kind == "universal" else [random_unit(rng)] * axes(kind)
            drawn = aimed(kind, [Axis(direction, damping=0.1) for direction in directions])
            model.joints.append(Joint(f"j{number}", kind, *ends, random_pose(rng), random_pose(rng), drawn))
            if model.joints[-1].all_columns:
                model.joints[-1].home = tuple(rng.uniform(-0.6, 0.6, len(model.joints[-1].home)).tolist())
        place(model)
        path = tmp_path / "m.usda"
        write(model, path)
        assert complaints(path) == []
        before, after = behaviour_of(model, 0.5), behaviour_of(read(path).model, 0.5)
        if kind == "ball":  # its damping is told as lost
            before = behaviour_of(undamped(model), 0.5)
        assert pose_difference(before.start, after.start).largest < 2e-6
        assert pose_difference(before.end, after.end).largest < 2e-4


@pytest.mark.parametrize("kind", [*JOINT_TYPES])
def test_validators_accept_every_type(kind, tmp_path):
    """Guards what usdchecker does: no complaint about a type with limits, drives, friction, and one that is off."""
    rng = np.random.default_rng(1)
    model = Model("m", [random_link(rng, name) for name in ("arm", "hand", "tool")])
    given = {"lower": -0.5, "upper": 0.5, "drive_mode": "position", "drive_stiffness": 4.0, "effort": 9.0}
    resists = {"damping": 0.1, "friction": 0.2, "armature": 0.3}
    for number, ends in enumerate(((WORLD, "arm"), ("arm", "hand"), ("hand", "tool"), (WORLD, "tool"))):
        directions = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)] if kind == "universal" else [random_unit(rng)] * axes(kind)
        each = aimed(kind, [Axis(direction, **given, **resists) for direction in directions])
        model.joints.append(Joint(f"j{number}", kind, *ends, random_pose(rng), random_pose(rng), each))
    model.joints[2].enabled = False
    place(model)
    for suffix in (".usda", ".usdc"):
        path = tmp_path / f"m{suffix}"
        write(model, path)
        assert complaints(path) == []


@pytest.mark.parametrize("seed", range(6))
def test_validators_accept_odd_models(seed, tmp_path):
    """Guards names, shapes, surfaces, followers, loops and links without mass, in models of every oddity."""
    write(dressed_model(seed), tmp_path / "m.usda")
    assert complaints(tmp_path / "m.usda") == []


def test_validators_are_those_of_physics(tmp_path):
    """Guards the judge itself: UsdPhysics' four validators run, and object to a scaled body in another one."""
    from pxr import UsdValidation

    names = {each.name for each in UsdValidation.ValidationRegistry().GetAllValidatorMetadata()}
    physics = ("RigidBodyChecker", "ColliderChecker", "ArticulationChecker", "PhysicsJointChecker")
    assert {f"usdPhysicsValidators:{name}" for name in physics} <= names
    path = tmp_path / "m.usda"
    path.write_text(stage(body("a", body("b"))), encoding="utf-8")
    assert complaints(path) != []


def test_planes_are_on_no_body(tmp_path):
    """Guards grounds, whose links have a mass in SDF: planes are beside their bodies, and those that move are told."""
    ground, sheet, arm = Link("ground", 1.0), Link("sheet", 1.0), Link("arm", 1.0)
    for link in (ground, sheet):
        link.collisions.append(Shape("plane", Plane()))
    arm.collisions.append(Shape("ball", Sphere(0.1)))
    at = (0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0)
    joints = [Joint("holds", "fixed", WORLD, "ground", at), Joint("hinge", "revolute", "ground", "arm")]
    model = Model("m", [ground, sheet, arm], joints)
    place(model)
    losses = write(model, tmp_path / "m.usda")
    assert losses == ["link 'sheet': 'plane' is left out: planes of USD are on no body that moves"]
    assert complaints(tmp_path / "m.usda") == []
    again = read(tmp_path / "m.usda").model
    *_, beside = again.links
    (plane,) = beside.collisions
    assert isinstance(plane.geometry, Plane)
    assert plane.pose[2] == pytest.approx(-1.0)
    assert again.contact_pairs == [ContactPair(beside.name, "arm", meets=False)]


def test_meshes_that_stand_still_collide_as_they_are(tmp_path):
    """Guards approximations: a mesh of what moves is its hull, and one that is fixed to the world is as drawn."""
    from pxr import Usd

    links = [Link(name, 1.0) for name in ("base", "shelf", "arm")]
    for link in links:
        points = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
        mesh = Mesh(vertices=points, faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)))
        link.collisions.append(Shape(f"mesh_{link.name}", mesh))
    joints = [Joint("a", "fixed", WORLD, "base"), Joint("b", "fixed", "base", "shelf")]
    joints.append(Joint("c", "revolute", "base", "arm"))
    write(Model("m", links, joints), tmp_path / "m.usda")
    made = Usd.Stage.Open(str(tmp_path / "m.usda"))
    found = {each.GetName(): each.GetAttribute("physics:approximation").Get() for each in made.Traverse()}
    assert {name: kind for name, kind in found.items() if kind} == {
        "mesh_base": "none",
        "mesh_shelf": "none",
        "mesh_arm": "convexHull",
    }


def undamped(model: Model) -> Model:
    for joint in model.joints:
        for axis in joint.axes:
            axis.damping = 0.0
    return model


def test_types_that_usd_lacks_are_told(tmp_path):
    """Guards one line for each joint that is left out."""
    for kind in ("screw", "cable"):
        assert JOINT_TYPES[kind]
        model = Model("m", [Link("a", 1.0)], [Joint("odd", kind, WORLD, "a")])
        losses = write(model, tmp_path / "m.usda")
        assert losses == [f"joint 'odd': USD has no {kind} joint; left out, so its links are loose"]


def test_names_that_no_prim_may_have_come_back(tmp_path):
    """Guards display names of links, joints and shapes."""
    link = Link("1. arm::élan", 1.0)
    link.collisions.append(Shape("box #1", Box((1.0, 1.0, 1.0))))
    model = Model("my robot", [link], [Joint("a b", "revolute", WORLD, link.name)])
    write(model, tmp_path / "m.usda")
    again = read(tmp_path / "m.usda").model
    assert (again.name, again.links[0].name, again.joints[0].name) == ("my robot", "1. arm::élan", "a b")
    assert again.links[0].collisions[0].name == "box #1"


def test_what_collides_comes_back(tmp_path):
    """Guards surfaces, links of a family that do not collide, pairs, and ellipsoids as hulls."""
    links = [Link(name, 1.0) for name in "abc"]
    for link in links:
        surface = Surface(0.4, 0.6, 0.3)
        link.collisions.append(Shape("shape", Ellipsoid((0.1, 0.2, 0.3)), surface=surface))
    joints = [Joint("ab", "revolute", "a", "b"), Joint("bc", "revolute", "b", "c")]
    model = Model("m", links, joints, contact_pairs=[ContactPair("a", "b", meets=True)])
    losses = write(model, tmp_path / "m.usda")
    assert complaints(tmp_path / "m.usda") == []
    assert losses == [
        f"link '{name}': 'shape' is a mesh in USD, whose scaled spheres collide as spheres" for name in "abc"
    ]
    again = read(tmp_path / "m.usda").model
    pairs = {(frozenset((pair.a, pair.b)), pair.meets) for pair in again.contact_pairs}
    assert pairs == {(frozenset("ab"), True), (frozenset("ac"), False)}
    found = again.links[0].collisions[0].surface
    assert (found.friction, found.static_friction, found.restitution) == pytest.approx((0.4, 0.6, 0.3), abs=1e-7)


def test_links_without_mass_are_parts_of_bodies(tmp_path):
    """Guards frames of robots without mass: on the world, on a body, and one that moves, which needs a mass."""
    tool = Link("tool", 0.0, inertia=(0.0,) * 6)
    tool.collisions.append(Shape("tip", Box((0.1, 0.1, 0.1))))
    links = [Link("base", 0.0, inertia=(0.0,) * 6), Link("arm", 2.0), tool, Link("loose", 0.0, inertia=(0.0,) * 6)]
    at = (0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0)
    joints = [
        Joint("root", "fixed", WORLD, "base", at),
        Joint("hinge", "revolute", "base", "arm", at),
        Joint("flange", "fixed", "arm", "tool", at),
        Joint("spin", "revolute", "tool", "loose"),
    ]
    model = Model("m", links, joints)
    place(model)
    losses = write(model, tmp_path / "m.usda")
    assert complaints(tmp_path / "m.usda") == []
    assert losses == [
        "link 'base' has no mass; it is a part of the body to which it is fixed",
        "link 'tool' has no mass; it is a part of the body to which it is fixed",
        "link 'loose' moves without mass; it is written with 1e-06 kg, since 0 means that the mass is not given",
    ]
    again = read(tmp_path / "m.usda").model
    assert [(link.name, link.mass) for link in again.links] == [("arm", 2.0), ("loose", pytest.approx(1e-6))]
    assert again.link("arm").collisions[0].pose[:3] == pytest.approx((0.0, 0.0, 0.5))
    assert [(joint.name, joint.parent, joint.child) for joint in again.joints] == [
        ("hinge", WORLD, "arm"),
        ("spin", "arm", "loose"),
    ]
    assert pose_difference(behaviour_of(model, 0.0).start, behaviour_of(again, 0.0).start).largest < 1e-7


def test_joints_break_at_the_same_loads_again(tmp_path):
    """Guards breaking: a bar on two joints hangs below their strength, and falls above it, before and after."""
    model = Model("m", links=[Link("bar", 2.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0))], gravity=(0.0, 0.0, -10.0))
    for name, x in (("left", -0.5), ("right", 0.5)):
        side = (x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        axis = Axis((0.0, 1.0, 0.0))
        model.joints.append(Joint(name, "revolute", WORLD, "bar", side, side, [axis], break_torque=3.0))
    for strength, depth in ((9.9, 5.0), (10.1, 0.0)):
        for joint in model.joints:
            joint.break_force = strength
        assert write(model, tmp_path / "m.usda") == []
        again = read(tmp_path / "m.usda").model
        assert [joint.break_torque for joint in again.joints] == [3.0, 3.0]
        for each in (model, again):
            assert simulate(each, 1.0).link("bar")[-1, 2] == pytest.approx(-depth, abs=1e-6)


def test_a_throw_comes_back(tmp_path):
    """Guards initial velocities of a link that is drawn turned."""
    stone = Link("stone", 1.0, pose=(1.0, 2.0, 3.0, 0.5, 0.5, 0.5, 0.5))
    stone.velocity, stone.angular_velocity = (1.0, -2.0, 3.0), (0.1, 0.2, -0.3)
    assert write(Model("m", [stone]), tmp_path / "m.usda") == []
    again = read(tmp_path / "m.usda").model.link("stone")
    assert again.velocity == pytest.approx(stone.velocity, rel=1e-6)
    assert again.angular_velocity == pytest.approx(stone.angular_velocity, rel=1e-6)


def test_layers_come_back(tmp_path):
    """Guards layers, which are groups in USD: the same shapes collide, also two of one layer."""
    kinds = [(1, 1), (2, 5), (4, 2), (2, 5), (ALL_LAYERS, ALL_LAYERS)]
    links = [Link(f"l{number}", 1.0) for number in range(len(kinds))]
    for link, (layers, meets) in zip(links, kinds, strict=True):
        link.collisions.append(Shape("shape", Box((1.0, 1.0, 1.0)), layers=layers, meets=meets))
    assert write(Model("m", links), tmp_path / "m.usda") == []
    assert complaints(tmp_path / "m.usda") == []
    again = read(tmp_path / "m.usda").model

    def collisions(model: Model) -> list[bool]:
        shapes = [model.link(link.name).collisions[0] for link in links]
        return [one.may_meet(other) for one in shapes for other in shapes]

    assert collisions(again) == collisions(Model("m", links))
    assert not all(collisions(again))


def test_a_joint_that_is_switched_off_is_written(tmp_path):
    """Guards joints that are off: they stay off, and their links lie where they are drawn."""
    at = (0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0)
    model = Model("m", [Link("a"), Link("b", pose=at)], [Joint("j", "revolute", "a", "b", at, enabled=False)])
    assert write(model, tmp_path / "m.usda") == []
    again = read(tmp_path / "m.usda").model
    assert again.joints[0].enabled is False
    assert again.link("b").pose == pytest.approx(at)


def test_what_is_seen_of_a_link_that_stands_still_comes_back(tmp_path):
    """Guards visuals of a floor: they are prims beside its colliders, and belong to no body."""
    floor = Link("floor", 0.0, inertia=(0.0,) * 6)
    floor.visuals.append(Shape("tiles", Box((2.0, 2.0, 0.2))))
    floor.collisions.append(Shape("slab", Box((2.0, 2.0, 0.1))))
    model = Model("m", [floor, Link("a")], [Joint("holds", "fixed", WORLD, "floor")])
    write(model, tmp_path / "m.usda")
    assert complaints(tmp_path / "m.usda") == []
    reading = read(tmp_path / "m.usda")
    assert reading.notes == []
    assert [shape.name for shape in reading.model.link("surroundings").visuals] == ["tiles"]


def test_a_long_chain_does_not_collide_with_itself(tmp_path):
    """Guards large families, which are one group: their links meet others, and not each other."""
    links = [Link(f"l{number}", 1.0) for number in range(61)]
    for link in links:
        link.collisions.append(Shape("shape", Box((1.0, 1.0, 1.0))))
    joints = [Joint(f"j{number}", "revolute", f"l{number}", f"l{number + 1}") for number in range(59)]
    write(Model("m", links, joints), tmp_path / "m.usda")
    assert complaints(tmp_path / "m.usda") == []
    again = read(tmp_path / "m.usda").model
    first, other, loose = (again.link(name).collisions[0] for name in ("l0", "l30", "l60"))
    assert not first.may_meet(other)
    assert first.may_meet(loose)


def test_a_joint_follows_another(tmp_path):
    """Guards mimics: a turn follows a slide, with factor and offset."""
    push, turn = Joint("push", "prismatic", WORLD, "a"), Joint("turn", "revolute", "a", "b")
    turn.mimic = Mimic("push", 2.0, 0.5, 0.1)
    write(Model("m", [Link("a", 1.0), Link("b", 1.0)], [push, turn]), tmp_path / "m.usda")
    mimic = read(tmp_path / "m.usda").model.joint("turn").mimic
    assert (mimic.leader, mimic.axis) == ("push", 0)
    assert (mimic.multiplier, mimic.offset - mimic.multiplier * mimic.reference) == pytest.approx((2.0, 0.3), abs=1e-6)


@pytest.mark.parametrize("name", ["crane", "ragdoll"])
def test_pxr_plays_a_motion(name, tmp_path):
    """Guards time samples: pxr alone has the links where the motion has them, between frames too."""
    from pxr import Usd, UsdGeom

    model = read(SAMPLES / f"{name}.sdf").model
    motion = simulate(model, 1.0)
    path = tmp_path / "played.usda"
    write(model, path, motion=motion)
    assert complaints(path) == []
    stage = Usd.Stage.Open(str(path))
    rate = stage.GetTimeCodesPerSecond()
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, pytest.approx(rate))
    bodies = [prim for prim in stage.Traverse() if "PhysicsRigidBodyAPI" in prim.GetAppliedSchemas()]
    assert len(bodies) == len(model.links)
    for frame, time in enumerate(motion.times):
        cache = UsdGeom.XformCache(float(time) * rate)
        for prim in bodies:
            name = prim.GetMetadata("displayName") or prim.GetName()
            x, y, z = cache.GetLocalToWorldTransform(prim).ExtractTranslation()
            expected = motion.X_WL[frame, motion.link_names.index(name), :3]
            assert (x, y, z) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("suffix", [".usdc", ".usdz"])
def test_binary_files(suffix, tmp_path, monkeypatch):
    """Guards crates and archives: they hold the same model; without pxr, one sentence says what to do."""
    model = read(SAMPLES / "crane.sdf").model
    write(model, tmp_path / "crane.usda")
    write(model, tmp_path / f"crane{suffix}")
    assert not (tmp_path / f"crane{suffix}").read_bytes().startswith(b"#usda")
    text, crate = (read(tmp_path / f"crane{each}").model for each in (".usda", suffix))
    assert crate.digest() == text.digest()
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(UnwritableError, match=r"usd-core writes .*; or name it m\.usda"):
        write(model, tmp_path / f"m{suffix}")
    assert not (tmp_path / f"m{suffix}").exists()
