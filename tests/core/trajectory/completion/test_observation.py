# SPDX-License-Identifier: GPL-3.0-or-later
"""The motion of a model whose links were seen, against simulations that moved them."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import compile_for_posing, forward_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.completion.observation import of_poses
from limberjack.core.trajectory.errors import TrajectoryError
from support.arms import two_links
from support.linkages import upright_four_bar
from support.models import MOVING_TYPES, aimed, axes, random_link, random_pose, random_state, random_unit


def swinging(joint_type: str, seed: int = 1) -> Model:
    """A link on a hinge, and another on a joint of the type."""
    rng = np.random.default_rng(seed)
    model = Model("swinging", [random_link(rng, "one"), random_link(rng, "other")])
    model.joints = [
        Joint("hinge", "revolute", WORLD, "one", random_pose(rng), random_pose(rng), [Axis(random_unit(rng))]),
        Joint(
            "tested",
            joint_type,
            "one",
            "other",
            random_pose(rng),
            random_pose(rng),
            aimed(joint_type, [Axis(random_unit(rng)) for _ in range(axes(joint_type))]),
            pitch=0.3,
        ),
    ]
    return model


@pytest.mark.parametrize("joint_type", MOVING_TYPES)
def test_simulated_motion_is_found_again(joint_type):
    """Guards every joint type: q is the simulation's, and qd nears it as the square of the step."""
    model = swinging(joint_type)
    errors = []
    for count in (40, 80):
        run = Simulation(model, np.linspace(0.0, 0.8, count + 1), "exact")
        _, qd = random_state(run.compiled, 2)
        start = {name: qd[span.v].tolist() for name, span in run.compiled.spans.items()}
        motion = Simulation(model, np.linspace(0.0, 0.8, count + 1), "exact", {"qd": start}).run()
        order = [1, 0]
        seen = of_poses(model, motion.times, motion.X_WL[:, order], [motion.link_names[row] for row in order])
        found = seen.trajectory
        assert seen.gap < 1e-9
        assert found.q_names == motion.q_names
        assert found.qd_names == motion.qd_names
        assert found.link_names == motion.link_names
        assert found.q == pytest.approx(motion.q, abs=1e-9)
        assert np.isnan([found.kinetic, found.potential, found.dissipated, found.supplied]).all()
        errors.append(np.abs(found.qd - motion.qd).max())
    assert errors[1] < 1e-7 or math.log2(errors[0] / errors[1]) > 1.7


def test_joints_that_close_loops():
    """Guards loops: they have coordinates as in a simulation, over more than a turn."""
    model = upright_four_bar()
    motion = Simulation(model, np.linspace(0.0, 2.0, 61), "exact", {"qd": {"crank_pivot": 8.0}}).run()
    assert np.abs(motion.q).max() > math.tau
    seen = of_poses(model, motion.times, motion.X_WL, motion.link_names)
    assert seen.trajectory.q_names == motion.q_names
    assert seen.trajectory.q == pytest.approx(motion.q, abs=1e-8)


def test_whole_turns_are_counted_from_the_middle_of_limits():
    """Guards hinges that stand beyond half a turn in the first frame: limits say which turn is meant."""
    model = two_links()
    elbow = model.joint("elbow")
    elbow.axes[0].lower, elbow.axes[0].upper, elbow.home = 5.0, 12.0, (11.9,)
    angles = np.linspace(6.0, 11.0, 11)
    compiled = compile_for_posing(model)
    X_WL = np.array([forward_kinematics(compiled, np.array([0.5, angle]))[0] for angle in angles])
    seen = of_poses(model, angles, X_WL, compiled.link_names)
    assert seen.trajectory.q == pytest.approx(np.stack([np.full(11, 0.5), angles], axis=1))


def test_poses_that_no_joint_allows():
    """Guards the gap: how far, and at which joint, links were torn from it; the poses stay as they were seen."""
    model = two_links()
    poses = np.zeros((3, 2, 7))
    poses[:, :, 3] = 2.0  # of any length
    poses[:, 1, 0] = 0.0
    poses[1, 1, 2] = 0.25
    seen = of_poses(model, [0.0, 1.0, 2.0], poses, ("upper", "fore"))
    assert (seen.gap, seen.joint) == (pytest.approx(0.25), "elbow")
    assert seen.trajectory.X_WL[1, 1] == pytest.approx([0.0, 0.0, 0.25, 1.0, 0.0, 0.0, 0.0])


def test_one_frame_stands_still():
    """Guards scenes of a single frame: coordinates, and rates of 0."""
    seen = of_poses(two_links(), [0.0], np.tile([0.0, 0, 0, 1, 0, 0, 0], (1, 2, 1)), ("upper", "fore"))
    assert seen.trajectory.q.tolist() == [[0.0, 0.0]]
    assert seen.trajectory.qd.tolist() == [[0.0, 0.0]]
    assert of_poses(Model(), [0.0], np.zeros((1, 0, 7)), ()).joint == ""


@pytest.mark.parametrize(
    ("times", "names", "pose", "said"),
    [
        ([0.0, 1.0], ("upper", "fore"), 0.0, "no quaternion 0 0 0 0"),
        ([0.0, 1.0], ("upper", "fore"), np.nan, "all must be finite"),
        ([0.0, 1.0], ("upper", "hand"), 1.0, "link 'fore' has no pose"),
        ([0.0, 1.0], ("upper", "fore", "hand"), 1.0, "link 'hand' is none of the model's"),
        ([0.0, 1.0, 2.0], ("upper", "fore"), 1.0, r"takes 3 frames of 2 poses .*found shape \(2, 2, 7\)"),
        ([1.0, 0.0], ("upper", "fore"), 1.0, "ascending"),
    ],
)
def test_what_is_no_motion(times, names, pose, said):
    """Guards against arrays that are no poses of the model."""
    with pytest.raises(TrajectoryError, match=said):
        of_poses(two_links(), times, np.full((2, len(names), 7), pose), names)


def test_links_without_joints():
    """Guards what floats: its coordinates are of the pose in which it was drawn."""
    model = Model("box", [Link("box", pose=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0))])
    seen = of_poses(model, [0.0, 1.0], [[[2.0, 0, 0, 0, 0, 0, 1]], [[3.0, 0, 0, 0, 0, 0, 1]]], ("box",))
    assert seen.trajectory.q[:, :3] == pytest.approx(np.array([[-1.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]))
    assert seen.trajectory.qd == pytest.approx(np.array([[-1.0, 0, 0, 0, 0, 0]] * 2))
