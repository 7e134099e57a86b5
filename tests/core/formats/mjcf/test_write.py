# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as MJCF: names, the initial pose, frames, and what is lost."""

from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core.dynamics.equations import tree_mass_matrix
from limberjack.core.formats import UnwritableError, read, write
from limberjack.core.geometry import Box, Shape
from limberjack.core.kinematics import link_poses
from limberjack.core.model import WORLD, Axis, Frame, Joint, Light, Link, Model
from support.dressed import dressed_model
from support.mjcf_bodies import body_poses, pose_error, random_values
from support.models import matrix, place, random_link, random_pose

SOLID = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)


def written(model: Model, folder):
    losses = write(model, folder / "m.xml")
    return ElementTree.parse(folder / "m.xml").getroot(), losses


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


@pytest.mark.parametrize("seed", range(12))
def test_random_models_move_as_written(seed, tmp_path):
    """Guards the whole writer: random models of all joint types, with odd names, limits and followers."""
    model = dressed_model(seed)
    write(model, tmp_path / "m.xml")
    assert pose_error(model, tmp_path / "m.xml", random_values(model, np.random.default_rng(seed))) < 1e-12
    reading = read(tmp_path / "m.xml")
    assert reading.ok, [issue.message for issue in reading.issues if issue.is_error]
    assert sum(link.mass for link in reading.model.links) == pytest.approx(sum(link.mass for link in model.links))


def floating_arm() -> Model:
    """A floating base with a hinge, a ball and a slide, which start somewhere and move."""
    rng = np.random.default_rng(3)
    model = Model("m", [random_link(rng, name) for name in ("base", "arm", "hand", "tool")])
    kinds = (("shoulder", "revolute", "arm"), ("wrist", "ball", "hand"), ("grip", "prismatic", "tool"))
    for (name, kind, child), parent in zip(kinds, ("base", "arm", "hand"), strict=True):
        model.joints.append(Joint(name, kind, parent, child, random_pose(rng), random_pose(rng)))
    model.links[0].pose = random_pose(rng)
    place(model)
    model.joint("shoulder").home, model.joint("grip").home = (0.4,), (-0.2,)
    quat = np.array([0.5, -0.1, 0.7, 0.2])
    model.joint("wrist").home = tuple((quat / np.linalg.norm(quat)).tolist())
    return model


def test_the_key_home_is_the_initial_pose(tmp_path):
    """Guards qpos of floating bodies, hinges, balls and slides, in MuJoCo's order."""
    model = floating_arm()
    root, losses = written(model, tmp_path)
    key = root.find("keyframe/key")
    qpos = numbers(key.get("qpos"))
    values = {"base": qpos[:7], "shoulder": qpos[7:8], "wrist": qpos[8:12], "grip": qpos[12:]}
    ours = link_poses(model, {joint.name: joint.home for joint in model.joints})
    for name, X in body_poses(tmp_path / "m.xml", values).items():
        assert X[:3, 3] == pytest.approx(ours[name][:3])
    again = read(tmp_path / "m.xml").model
    found = link_poses(again, {joint.name: joint.home for joint in again.joints})
    for name, pose in ours.items():
        assert np.abs(matrix(found[name]) - matrix(pose)).max() < 1e-12
    assert (key.get("name"), losses) == ("home", [])


def test_initial_velocities_are_those_of_mujoco(tmp_path):
    """Guards the velocity of a floating body: that of its origin in world axes, and its rotation in its own axes."""
    model = floating_arm()
    base = model.link("base")
    base.velocity, base.angular_velocity = (1.0, 2.0, 3.0), (0.4, -0.5, 0.6)
    root, _ = written(model, tmp_path)
    qpos, qvel = (np.array(numbers(root.find("keyframe/key").get(name))) for name in ("qpos", "qvel"))
    X = body_poses(tmp_path / "m.xml", {"base": qpos[:7], "shoulder": [0.0], "wrist": [1, 0, 0, 0], "grip": [0.0]})
    R = X["base"][:3, :3]
    turning = R @ qvel[3:6]
    assert turning == pytest.approx(base.angular_velocity)
    assert qvel[:3] + np.cross(turning, R @ base.com) == pytest.approx(base.velocity)


def test_a_model_at_zero_needs_no_key(tmp_path):
    """Guards files of models that start where MuJoCo does."""
    model = floating_arm()
    for joint in model.joints:
        joint.home = joint.neutral
    root, _ = written(model, tmp_path)
    assert root.find("keyframe") is None


def test_names_are_kept_where_another_does_not_have_them(tmp_path):
    """Guards names: those of bodies, joints and geoms are apart in MuJoCo, and `world` is its own."""
    model = Model("m", [Link(name, 1.0, inertia=SOLID) for name in ("a", 'b "c" <d>', "tab\tbed")])
    model.joints = [Joint(link.name, "continuous", WORLD, link.name) for link in model.links]
    root, losses = written(model, tmp_path)
    assert [body.get("name") for body in root.iter("body")] == ["a", 'b "c" <d>', "tab bed"]
    assert [joint.get("name") for joint in root.iter("joint")] == ["a", 'b "c" <d>', "tab bed"]
    assert losses == [
        "joint 'tab bed' is named 'tab bed', since XML has no such name",
        "body 'tab bed' is named 'tab bed', since XML has no such name",
    ]


def test_scenery_goes_into_the_world(tmp_path):
    """Guards the static link of the world's geoms, which would get a body when a file is written again."""
    shape = Shape("wall", Box((1.0, 1.0, 1.0)))
    model = Model("m", [Link("worldbody", 0.0, visuals=[shape]), Link("l", 1.0, inertia=SOLID)])
    model.joints = [Joint("held", "fixed", WORLD, "worldbody"), Joint("j", "continuous", WORLD, "l")]
    root, _ = written(model, tmp_path)
    assert [child.tag for child in root.find("worldbody")] == ["geom", "body"]
    model.joints[0].X_PJ = (0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0)
    root, _ = written(model, tmp_path)
    assert root.find("worldbody/body[@name='worldbody']").get("pos") == "0 0 2"


def test_frames_are_sites(tmp_path):
    """Guards frames, also on a link without mass between two joints, which gets a body for them."""
    rng = np.random.default_rng(0)
    links = [random_link(rng, "l"), Link("between", 0.0), random_link(rng, "end")]
    model = Model("m", links, frames=[Frame("tip", "end", random_pose(rng)), Frame("mid", "between", random_pose(rng))])
    for name, parent in (("l", WORLD), ("between", "l"), ("end", "between")):
        model.joints.append(Joint(f"{name}_joint", "revolute", parent, name))
    _, losses = written(model, tmp_path)
    again = read(tmp_path / "m.xml").model
    for frame in model.frames:
        found = again.frame(frame.name)
        assert found.link == frame.link
        assert found.pose == pytest.approx(frame.pose)
    assert len(losses) == 1  # the mass that MuJoCo wants of the link between


def test_a_link_whose_mass_is_fixed_to_it_has_a_body(tmp_path):
    """Guards links without mass: those that carry one by a fixed joint are not merged into the next body."""
    links = [Link("mount", 0.0), Link("weight", 1.0, inertia=SOLID)]
    joints = [
        Joint("hinge", "revolute", WORLD, "mount", axes=[Axis()]),
        Joint("screws", "fixed", "mount", "weight", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)),
    ]
    _, losses = written(Model("m", links, joints), tmp_path)
    assert losses == []
    assert [link.name for link in read(tmp_path / "m.xml").model.links] == ["mount", "weight"]


def test_what_links_and_models_lack_in_mjcf_is_told(tmp_path):
    """Guards the losses of links and of the model, one line each."""
    link = Link("l", 1.0, inertia=SOLID, linear_damping=0.1, force=(1.0, 0.0, 0.0))
    model = Model("m", [link], [Joint("j", "revolute", WORLD, "l", axes=[Axis()])])
    model.wind, model.lights = (1.0, 0.0, 0.0), [Light("sun")]
    model.joint("j").released_at = 2.0
    _, losses = written(model, tmp_path)
    assert losses == [
        "link 'l': MJCF has no steady forces; what pushes it is left out",
        "link 'l': MJCF has no damping of bodies; it is left out",
        "the wind is left out: in MJCF it acts by a fluid's density",
        "light 'sun' is left out",
        "joint 'j': MJCF cannot say when a joint breaks; it is written as holding",
    ]


def test_gravity_of_the_model_and_of_a_link(tmp_path):
    """Guards gravity, and links without it, as MuJoCo's gravcomp."""
    model = floating_arm()
    model.gravity = (0.0, 1.0, -3.7)
    model.link("hand").gravity = False
    written(model, tmp_path)
    again = read(tmp_path / "m.xml").model
    assert again.gravity == (0.0, 1.0, -3.7)
    assert [link.name for link in again.links if not link.gravity] == ["hand"]


def test_the_mass_matrix_comes_back(tmp_path):
    """Guards inertias and poses together."""
    model = floating_arm()
    written(model, tmp_path)
    again = read(tmp_path / "m.xml").model
    assert tree_mass_matrix(again)[6:, 6:].shape == tree_mass_matrix(model)[6:, 6:].shape
    assert np.trace(tree_mass_matrix(again)) == pytest.approx(np.trace(tree_mass_matrix(model)))


def test_a_model_without_links_is_refused(tmp_path):
    """Guards the error of an empty model, which leaves no file behind."""
    with pytest.raises(UnwritableError, match="link"):
        write(Model("m"), tmp_path / "m.xml")
    assert not (tmp_path / "m.xml").exists()
