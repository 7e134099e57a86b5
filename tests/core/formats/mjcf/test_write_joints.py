# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints as MuJoCo's: poses by the rules of its documentation, and by our own reader."""

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core.formats import read, write
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from support.mjcf_bodies import pose_error, random_values
from support.models import aimed, axes, place, random_graph, random_link, random_pose, random_unit

WRITTEN = [name for name, kind in JOINT_TYPES.items() if not kind.chart or name in ("ball", "free")]
"""Joint types that MJCF has, alone or stacked."""


def one_joint(kind: str, seed: int, backward: bool = False) -> Model:
    """A link on the world, and a link that a joint of this type carries, or that carries its parent."""
    rng = np.random.default_rng(seed)
    model = Model("m", [random_link(rng, "arm"), random_link(rng, "hand")])
    ends = ("hand", "arm") if backward else ("arm", "hand")
    drawn = aimed(kind, [Axis(random_unit(rng)) for _ in range(axes(kind))])
    base = Joint("base", "revolute", WORLD, "arm", random_pose(rng), random_pose(rng), [Axis(random_unit(rng))])
    model.joints = [base, Joint("j", kind, *ends, random_pose(rng), random_pose(rng), drawn, pitch=0.3)]
    place(model)
    return model


def written(model: Model, folder):
    """The file of a model, what was lost, and its root."""
    path = folder / "model.xml"
    losses = write(model, path)
    return path, losses, ElementTree.parse(path).getroot()


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("kind", WRITTEN)
def test_a_body_moves_as_its_link(kind, backward, tmp_path):
    """Guards the lines of hinges and slides, in each type of joint, which the tree may pass from child to parent."""
    for seed in range(3):
        model = one_joint(kind, seed, backward)
        path, _, _ = written(model, tmp_path)
        assert pose_error(model, path, random_values(model, np.random.default_rng(seed))) < 1e-12


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind not in ("free", "screw")])
def test_coordinates_come_back(kind, tmp_path):
    """Guards that a file read again has the same coordinates: columns in the same order, with the same signs."""
    for seed in range(3):
        model = one_joint(kind, seed)
        path, _, _ = written(model, tmp_path)
        again = read(path).model
        q = random_values(model, np.random.default_rng(seed))
        names = {joint.child: joint.name for joint in again.joints}
        values = {names[model.joint(name).child]: value for name, value in q.items()}
        if kind == "ball":  # MuJoCo's ball turns in the axes of the body as drawn
            values = {name: value for name, value in values.items() if len(value) < 4}
            q = {name: value for name, value in q.items() if len(value) < 4}
        for name, pose in tree_poses(again, values).items():
            assert pose == pytest.approx(tree_poses(model, q)[name], abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_graphs_with_locked_axes_move_alike(seed, tmp_path):
    """Guards trees of all joint types together, with axes that are locked off zero, some joints passed backward."""
    model = random_graph(seed, 24, loops=2, floats=seed % 2 == 0)
    path, _, _ = written(model, tmp_path)
    assert pose_error(model, path, random_values(model, np.random.default_rng(seed))) < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_links_without_mass_between_joints_are_joined_into_one_body(seed, tmp_path):
    """Guards chains of joints over links without mass, which MuJoCo refuses as bodies."""
    model = one_joint("universal", seed)
    rng = np.random.default_rng(seed)
    for number, kind in enumerate(("revolute", "prismatic", "ball")):
        model.links.append(Link(f"between {number}", 0.0))
        model.joints.append(
            Joint(
                f"chain {number}", kind, model.links[-2].name, f"between {number}", random_pose(rng), random_pose(rng)
            )
        )
    model.links.append(random_link(rng, "end"))
    model.joints.append(Joint("last", "prismatic", "between 2", "end", random_pose(rng), random_pose(rng), [Axis()]))
    model.link("hand").mass = 0.0
    place(model)
    path, losses, root = written(model, tmp_path)
    assert [body.get("name") for body in root.iter("body")] == ["arm", "end"]
    assert losses == []
    assert pose_error(model, path, random_values(model, rng)) < 1e-12


def test_a_thread_is_a_hinge_and_a_slide_that_follows(tmp_path):
    """Guards the ratio of a screw, which MuJoCo has as an equation between two joints."""
    model = one_joint("screw", 0)
    _, losses, root = written(model, tmp_path)
    equation = root.find("equality/joint")
    assert [joint.get("type") for joint in root.iter("joint") if joint.get("type")] == ["hinge", "hinge", "slide"]
    assert (equation.get("joint1"), equation.get("joint2")) == ("j_slide", "j")
    pitch = model.joint("j").columns[0].slide_with(model.joint("j").pitch)
    assert [float(number) for number in equation.get("polycoef").split()] == pytest.approx([0.0, pitch, 0.0, 0.0, 0.0])
    assert losses == ["joint 'j' is a hinge and a slide that an equality constraint ties"]


def test_limits_without_room_are_a_constant_pose(tmp_path):
    """Guards a range of one value: MuJoCo has none, and would let the joint turn freely."""
    model = one_joint("universal", 1)
    joint = model.joint("j")
    joint.axes[0].lower = joint.axes[0].upper = 0.7
    path, losses, root = written(model, tmp_path)
    assert [item.get("name") for item in root.iter("joint")] == ["base", "j"]
    assert losses == ["joint 'j' is written without the axis whose limits keep it at 0.7: it is fixed"]
    assert pose_error(model, path, {"base": [0.3], "j": [0.7, -1.1]}) < 1e-12


def test_values_of_an_axis_come_back(tmp_path):
    """Guards limits, damping, friction, rotor inertia, springs and effort limits."""
    model = one_joint("revolute", 2)
    given = Axis((0.6, 0.0, 0.8), -0.5, 1.5, effort=7.0, damping=0.1, friction=0.2, armature=0.03)
    given.spring_stiffness, given.spring_reference = 4.0, 0.25
    model.joint("j").axes = [given]
    path, losses, _ = written(model, tmp_path)
    axis = read(path).model.joint("j").axes[0]
    names = ("lower", "upper", "effort", "damping", "friction", "armature", "spring_stiffness", "spring_reference")
    assert [getattr(axis, name) for name in names] == [getattr(given, name) for name in names]
    assert losses == []


def test_what_a_joint_lacks_in_mjcf_is_told_in_one_line_each(tmp_path):
    """Guards the losses of joints: bouncing and soft stops, velocity limits, and types without a form in MuJoCo."""
    model = one_joint("revolute", 3)
    model.joint("j").axes = [Axis(lower=0.0, upper=1.0, restitution=0.5, stiffness=100.0, velocity=2.0)]
    _, losses, _ = written(model, tmp_path)
    assert losses == [
        "joint 'j': MJCF has no restitution of stops; 0.5 is left out",
        "joint 'j': how its stops give way is left out, since MJCF has no newtons there",
        "joint 'j': MJCF has no velocity limits; 2 is left out",
    ]
    model.joint("j").axes = [Axis(lower=-math.inf, upper=1.0)]
    _, losses, root = written(model, tmp_path)
    assert losses == []
    assert root.find(".//joint[@name='j']").get("range").split()[1] == "1"


def test_what_resists_a_free_joint_comes_back(tmp_path):
    """Guards damping, friction and armature of a free joint, and the line that tells of others for rotation."""
    loose = Joint("loose", "free", WORLD, "stone", X_PJ=(1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0))
    for axis in loose.axes:
        axis.damping, axis.friction, axis.armature = 0.1, 0.2, 0.3
    stone = Link("stone", 1.0, inertia=(1.0, 0.0, 0.0, 1.0, 0.0, 1.0), pose=loose.X_PJ)
    model = Model("m", [stone], [loose])
    path, losses, _ = written(model, tmp_path)
    (again,) = read(path).model.joints
    assert losses == []
    assert (again.name, again.type, again.axes) == ("loose", "free", loose.axes)
    loose.axes[1].damping = 0.4
    words = "a free joint of MJCF resists motion and rotation by the same numbers; those of motion are written"
    assert written(model, tmp_path)[1] == [f"joint 'loose': {words}"]


def test_a_ball_has_one_limit(tmp_path):
    """Guards the limit of a ball's whole angle, and the line that tells of cone and twist."""
    model = one_joint("ball", 0)
    joint = model.joint("j")
    joint.axes[3].upper, joint.axes[4].lower, joint.axes[4].upper = 0.8, -0.4, 0.4
    _, losses, root = written(model, tmp_path)
    assert root.find(".//joint[@name='j']").get("range") == "0 0.8"
    words = "a ball of MJCF has one limit, of its whole angle; the largest of cone and twist is written"
    assert losses == [f"joint 'j': {words}"]


def test_disabled_joints_let_go(tmp_path):
    """Guards joints that are switched off: a body floats as its link does, and the joint waits as an equation."""
    model = one_joint("ball", 4)
    model.joint("j").enabled = False
    path, losses, root = written(model, tmp_path)
    assert root.find("worldbody/body[@name='hand']/freejoint") is not None
    assert root.find("equality/connect").get("active") == "false"
    assert losses == []
    assert not read(path).model.joint("j").enabled
    model = one_joint("revolute", 4)
    model.joint("j").enabled, model.joint("j").type = False, "prismatic"
    _, losses, _ = written(model, tmp_path)
    assert losses == ["joint 'j' is switched off, which MJCF cannot say of type prismatic; it is left out"]
