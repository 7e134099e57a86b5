# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions that files tell in part, completed for a model."""

import dataclasses
import math

import numpy as np
import pytest

from limberjack.core.kinematics import compile_for_posing, forward_kinematics
from limberjack.core.model import WORLD, Coupling, Joint, Link, Mimic, Model
from limberjack.core.model.compiling.compiled import coordinate_names
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import IDENTITY_QUAT, compose, quat_of_rotvec
from limberjack.core.trajectory.completion.completion import completed
from limberjack.core.trajectory.errors import TrajectoryError
from limberjack.core.trajectory.files.reading import read_trajectory
from limberjack.core.trajectory.trajectory import Trajectory
from support.arms import HAND, hand_at, two_links
from support.linkages import apart, upright_four_bar
from support.mechanisms import X, Z, four_bar, join
from support.models import random_graph, random_tree

TIMES = np.linspace(0.0, 1.0, 21)


def told(times=TIMES, poses: dict | None = None, **curves) -> Trajectory:
    """What a file has: link poses and joint curves by name; `dot` in a name stands for "."."""
    nothing = np.full(len(times), np.nan)
    poses = poses or {}
    named = [(name.replace("_dot_", "."), values) for name, values in curves.items()]
    return Trajectory(
        times,
        tuple(poses),
        np.stack([np.broadcast_to(pose, (len(times), 7)) for pose in poses.values()], axis=1)
        if poses
        else np.zeros((len(times), 0, 7)),
        tuple((name, "") for name, _ in named),
        np.array([np.broadcast_to(values, len(times)) for _, values in named]).reshape(-1, len(times)).T,
        (),
        np.zeros((len(times), 0)),
        *(nothing.copy() for _ in range(4)),
    )


def column(motion: Trajectory, name: str) -> np.ndarray:
    return motion.q[:, [known for known, _ in motion.q_names].index(name)]


def without(motion: Trajectory, poses=(), rates=True, coordinates=()) -> Trajectory:
    """A simulated motion that has lost all link poses but those of `poses`, and some coordinates."""
    rows = [motion.link_names.index(name) for name in poses]
    kept = [at for at, (name, _) in enumerate(motion.q_names) if name.split(".")[0] not in coordinates]
    return dataclasses.replace(
        motion,
        link_names=tuple(poses),
        X_WL=motion.X_WL[:, rows],
        q_names=tuple(motion.q_names[at] for at in kept),
        q=motion.q[:, kept],
        qd_names=motion.qd_names if rates else (),
        qd=motion.qd if rates else motion.qd[:, :0],
    )


def test_a_serial_arm():
    """Guards joint curves of a controller: links stand where forward kinematics has them, rates are the curves'."""
    shoulder, elbow = 0.3 + TIMES**2, -2.0 * TIMES
    model = two_links()
    done = completed(told(elbow=elbow, shoulder=shoulder), model)
    motion = done.trajectory
    assert done.notes == ()
    assert motion.q_names == (("shoulder", "rad"), ("elbow", "rad"))
    assert motion.q[:, 0].tolist() == shoulder.tolist()
    assert motion.qd == pytest.approx(np.stack([2.0 * TIMES, np.full(21, -2.0)], axis=1), abs=1e-12)
    fore = motion.link_names.index("fore")
    for frame, (one, two) in enumerate(zip(shoulder.tolist(), elbow.tolist(), strict=True)):
        hand = compose(tuple(motion.X_WL[frame, fore].tolist()), (*HAND, *IDENTITY_QUAT))[:3]
        assert hand == pytest.approx(hand_at(one, two), abs=1e-12)
    compiled = compile_for_posing(model)
    for frame in (0, 7, 20):
        assert np.array_equal(motion.X_WL[frame], forward_kinematics(compiled, motion.q[frame])[0])


def test_a_tree_of_all_joint_types():
    """Guards every type: coordinates alone give back the poses that the simulation had."""
    motion = Simulation(random_graph(3, 24, floats=True), TIMES[:6]).run()
    done = completed(without(motion), random_graph(3, 24, floats=True))
    assert done.notes == ()
    assert apart(done.trajectory.X_WL, motion.X_WL) < 1e-12
    assert done.trajectory.q_names == motion.q_names
    assert np.array_equal(done.trajectory.q, motion.q)
    assert np.array_equal(done.trajectory.qd, motion.qd)


def test_what_is_left_out_stands_at_home():
    """Guards joints that a log does not have, and that the user is told so."""
    model = two_links()
    model.joint("elbow").home = (0.4,)
    done = completed(told(shoulder=TIMES), model)
    assert column(done.trajectory, "elbow").tolist() == [0.4] * 21
    assert done.notes == ("nothing is given of 'elbow': they stand at home",)


def test_a_four_bar_follows_its_crank():
    """Guards loops: the crank's curve alone gives the motion that a simulation had, also of what closes the loop."""
    model = upright_four_bar()
    motion = Simulation(model, np.linspace(0.0, 2.0, 41), "exact", {"qd": {"crank_pivot": 8.0}}).run()
    crank = column(motion, "crank_pivot")
    assert np.abs(crank).max() > math.tau  # more than a turn
    done = completed(told(motion.times, crank_pivot=crank), model)
    assert done.notes == ()
    assert apart(done.trajectory.X_WL, motion.X_WL) < 1e-7
    assert done.trajectory.q_names == motion.q_names
    assert done.trajectory.q == pytest.approx(motion.q, abs=1e-7)
    assert np.array_equal(column(done.trajectory, "crank_pivot"), crank)


def test_a_four_bar_whose_tree_is_told():
    """Guards what a simulation saved as joint curves: nothing is solved anew, and every number is the file's."""
    model = upright_four_bar()
    motion = Simulation(model, TIMES, "exact", {"qd": {"crank_pivot": 8.0}}).run()
    loop = model.loops()[0].joint.name
    done = completed(without(motion, coordinates={loop}), model)
    assert done.notes == ()
    assert done.trajectory.q == pytest.approx(motion.q, abs=1e-8)
    assert apart(done.trajectory.X_WL, motion.X_WL) < 1e-12


def test_loops_that_the_file_opens_are_told():
    """Guards curves of another machine: joints stand as they are given, and a note says how far loops are open."""
    done = completed(told(crank_pivot=TIMES, crank_pin=0.0, rocker_pin=0.0, rocker_pivot=0.0), four_bar())
    assert column(done.trajectory, "crank_pivot").tolist() == TIMES.tolist()
    assert "loops and couplings stay open by up to" in done.notes[0]


def test_a_rocker_that_cannot_go_so_far():
    """Guards what no assembly can reach: the nearest is taken, loops stay closed, and the frames are counted."""
    done = completed(told(rocker_pivot=-2.0 * TIMES), four_bar())
    rocker = column(done.trajectory, "rocker_pivot")
    assert rocker[5] == pytest.approx(-0.5, abs=1e-9)
    assert rocker[-1] > -1.99
    assert "of 21 frames, first at" in done.notes[0]


def test_a_mimic():
    """Guards followers: told their leader's curve they go where it takes them, and the other way round."""
    model = Model("gears", [Link("a"), Link("b"), Link("c")])
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", multiplier=-2.0, offset=0.1))
    join(model, "rack", "prismatic", WORLD, "c", (2.0, 0.0, 0.0), X)
    model.couplings.append(Coupling("teeth", "rack", [("second", 0), ("rack", 0)], ratio=0.5))
    angles = 3.0 * np.sin(4.0 * TIMES)
    for curves in ({"first": angles}, {"second": 0.1 - 2.0 * angles}, {"rack": 0.05 - angles}):
        done = completed(told(**curves), model)
        assert done.notes == ()
        assert all(column(done.trajectory, name).tolist() == values.tolist() for name, values in curves.items())
        assert column(done.trajectory, "first") == pytest.approx(angles, abs=1e-8)
        assert column(done.trajectory, "second") == pytest.approx(0.1 - 2.0 * angles, abs=1e-8)
        assert column(done.trajectory, "rack") == pytest.approx(0.05 - angles, abs=1e-8)
        assert done.trajectory.X_WL[:, 2, 0] == pytest.approx(0.05 - angles, abs=1e-8)


def test_of_what_is_coupled_nothing_is_told():
    """Guards couplings that no curve has to do with: the leader stands at home, and its follower where it takes it."""
    model = Model("gears", [Link("a"), Link("b")])
    join(model, "second", "revolute", WORLD, "b", (1.0, 0.0, 0.0), Z, mimic=Mimic("first", offset=0.1))
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z, home=(0.3,))
    done = completed(told(), model)
    assert done.trajectory.q == pytest.approx(np.tile([0.4, 0.3], (21, 1)))
    with pytest.raises(TrajectoryError, match="link 'b' has no pose, though others of its piece have"):
        completed(told(poses={"a": (0, 0, 0, 1, 0, 0, 0)}), model)
    closed = completed(told(), four_bar())
    loop = four_bar().loops()[0].joint.name
    assert "stand at home" in closed.notes[0]
    assert loop not in closed.notes[0]


def test_a_log_of_leader_and_follower_that_is_rounded():
    """Guards logs that hold what follows, too, not quite in step: nothing sticks, and nobody is told of rounding."""
    model = Model("hand", [Link(name) for name in "abc"])
    join(model, "first", "revolute", WORLD, "a", (0.0, 0.0, 0.0), Z)
    for name, link in (("second", "b"), ("third", "c")):
        join(model, name, "revolute", WORLD, link, (1.0, 0.0, 0.0), Z, mimic=Mimic("first"))
    done = completed(told(first=TIMES, second=TIMES + 1e-6), model)
    assert done.notes == ()
    assert column(done.trajectory, "third") == pytest.approx(TIMES, abs=2e-6)


def floating_arm() -> Model:
    model = two_links()
    model.link("upper").pose = (1.0, 2.0, 3.0, *quat_of_rotvec((0.3, -0.2, 0.5)))
    model.joints = [model.joint("elbow")]
    return model


def test_a_floating_base():
    """Guards what floats: by its coordinates, or by its link's pose, the rest hangs on it; else it stays as drawn."""
    model = floating_arm()
    compiled = compile_for_posing(model)
    motion = Simulation(model, TIMES, initial={"qd": {"upper": [1.0, 0.0, 2.0, 0.0, 3.0, 1.0], "elbow": 2.0}}).run()
    by_coordinates = completed(without(motion), model).trajectory
    by_pose = completed(without(motion, poses=["upper"], coordinates={"upper"}), model).trajectory
    by_child = completed(without(motion, poses=["fore"], coordinates={"upper"}), model).trajectory
    for found in (by_coordinates, by_pose, by_child):
        assert apart(found.X_WL, motion.X_WL) < 1e-12
        assert found.q_names == motion.q_names
        assert found.q == pytest.approx(motion.q, abs=1e-12)
    drawn = completed(told(elbow=TIMES), model)
    assert drawn.trajectory.X_WL[:, 0] == pytest.approx(np.tile(model.link("upper").pose, (21, 1)))
    assert coordinate_names(compiled) == list(drawn.trajectory.q_names)
    assert drawn.notes == ("nothing is given of 'upper': they stand at home",)


def test_poses_alone():
    """Guards files of link poses without joints: coordinates and rates are found, whole turns counted."""
    model = upright_four_bar()
    motion = Simulation(model, np.linspace(0.0, 2.0, 801), "exact", {"qd": {"crank_pivot": 8.0}}).run()
    bare = dataclasses.replace(motion, q_names=(), q=motion.q[:, :0], qd_names=(), qd=motion.qd[:, :0])
    done = completed(bare, model).trajectory
    assert np.array_equal(done.X_WL, motion.X_WL)
    assert done.q == pytest.approx(motion.q, abs=1e-8)
    assert done.qd == pytest.approx(motion.qd, abs=0.1)
    assert np.array_equal(done.kinetic, motion.kinetic)


def test_some_poses_in_one_piece_and_curves_in_another():
    """Guards scenes of several machines: each is completed from what the file has of it."""
    model = four_bar()
    model.links += [Link("crane"), Link("tower", pose=(0.0, 5.0, 0.0, 1.0, 0.0, 0.0, 0.0))]
    join(model, "tower", "revolute", WORLD, "crane", (9.0, 0.0, 0.0), Z)
    pose = np.array([*(9.0, 0.0, 0.0), math.cos(0.4), 0.0, 0.0, math.sin(0.4)])
    done = completed(told(poses={"crane": pose}, crank_pivot=TIMES), model)
    alone = completed(told(crank_pivot=TIMES), four_bar())
    assert column(done.trajectory, "tower") == pytest.approx([0.8] * 21)
    assert apart(done.trajectory.X_WL[:, :3], alone.trajectory.X_WL) < 1e-9
    assert done.notes == ("nothing is given of '_tower': they stand at home",)


def test_a_joint_that_lets_go():
    """Guards the two stages of a released link: what acts in each has numbers, and poses stay as they were."""
    model = two_links()
    model.joint("elbow").released_at = 0.42
    motion = Simulation(model, TIMES, initial={"qd": {"shoulder": 2.0}}).run()
    again = completed(motion, model)
    assert again.notes == ()
    for name in ("q_names", "qd_names", "link_names"):
        assert getattr(again.trajectory, name) == getattr(motion, name)
    for name in ("q", "qd", "X_WL"):
        assert np.array_equal(getattr(again.trajectory, name), getattr(motion, name), equal_nan=True)
    bare = completed(without(motion, rates=False), model).trajectory
    assert apart(bare.X_WL, motion.X_WL) < 1e-12
    assert np.array_equal(np.isnan(bare.qd), np.isnan(motion.qd))


def test_files_on_the_way(tmp_path):
    """Guards the whole way of joint curves: saved from a simulation, read, completed, all links are back."""
    model = random_tree(4, 12)
    motion = Simulation(model, TIMES[:4]).run()
    motion.save(tmp_path / "m.csv", only_joints=True)
    done = completed(read_trajectory(tmp_path / "m.csv"), model)
    assert apart(done.trajectory.X_WL, motion.X_WL) < 1e-12


def wide_arm() -> Model:
    model = Model("arm", [Link(f"link{i}") for i in range(12)])
    for i in range(12):
        model.joints.append(Joint(f"joint{i}", "revolute", f"link{i - 1}" if i else WORLD, f"link{i}"))
    return model


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (told(joint1=0.0, knee=0.0), "the model has no coordinate 'knee'; it has 'joint0', .*'joint7' and 4 more"),
        (told(poses={"leg": (0, 0, 0, 1, 0, 0, 0)}), "the model has no link 'leg'; it has 'link0', "),
        (
            dataclasses.replace(told(joint1=0.0), q_names=(("joint1", "m"),)),
            "coordinate 'joint1' is in m, and the model has it in rad",
        ),
        (
            told(poses={"link3": (0, 0, 0, 1, 0, 0, 0)}, joint1=0.0, joint2=0.0),
            "link 'link0' has no pose, though others of its piece have, and joint 'joint0' not all",
        ),
        (told(joint1=np.where(TIMES < 0.5, 0.0, np.nan)), "coordinate 'joint1' is no number at 0.5 s"),
    ],
)
def test_motions_of_other_models(motion, said):
    """Guards the one line that a user gets: which name, what the model has."""
    with pytest.raises(TrajectoryError, match=said) as caught:
        completed(motion, wide_arm())
    assert len(str(caught.value).splitlines()) == 1


def test_part_of_a_quaternion():
    """Guards charts, whose numbers mean nothing one by one."""
    model = Model("arm", [Link("arm")], [Joint("socket", "ball", WORLD, "arm")])
    with pytest.raises(TrajectoryError, match=r"'socket\.qy' is missing beside others of its joint"):
        completed(told(socket_dot_qw=1.0, socket_dot_qx=0.0), model)
    turn = quat_of_rotvec((0.0, 0.5, 0.0))
    curves = {f"socket_dot_{part}": 3.0 * value for part, value in zip(("qw", "qx", "qy", "qz"), turn, strict=True)}
    done = completed(told(**curves), model).trajectory
    assert done.X_WL[:, 0, 3:] == pytest.approx(np.tile(turn, (21, 1)))
    assert done.q == pytest.approx(np.tile(turn, (21, 1)))


def test_rates_of_quaternions_of_any_sign():
    """Guards charts in files whose signs flip: both are one rotation, and the rate is that of the motion."""
    model = Model("arm", [Link("arm")], [Joint("socket", "ball", WORLD, "arm")])
    turns = (
        np.array([quat_of_rotvec((0.0, 5.0 * time, 0.0)) for time in TIMES])
        * np.sign(np.sin(40.0 * TIMES + 0.1))[:, None]
    )
    curves = {f"socket_dot_{part}": turns[:, at] for at, part in enumerate(("qw", "qx", "qy", "qz"))}
    done = completed(told(**curves), model).trajectory
    assert done.qd == pytest.approx(np.tile([0.0, 5.0, 0.0], (21, 1)), abs=1e-12)
