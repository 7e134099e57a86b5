# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion in one call, and many worlds: the same as Simulation gives one by one."""

import numpy as np
import pytest

from limberjack.core.kinematics import ArticulationView
from limberjack.core.model import Axis, Frame, Joint, Link, Model
from limberjack.core.model.editing.editing import add_joint, add_link
from limberjack.core.simulation import Simulation, simulate, simulate_worlds
from limberjack.core.simulation.simulate import frame_times
from limberjack.core.trajectory.files.reading import read_trajectory
from support.mechanisms import four_bar


def arm(joints=3):
    model = Model("arm")
    for i in range(joints):
        place = (0.0, 0.0, -0.5 * bool(i), 1.0, 0.0, 0.0, 0.0)
        joint = Joint(
            f"j{i}", "revolute", f"bar{i - 1}" if i else "world", f"bar{i}", place, axes=[Axis((0.0, 1.0, 0.0))]
        )
        add_link(model, Link(f"bar{i}", com=(0.0, 0.0, -0.25), inertia=(0.02, 0, 0, 0.02, 0, 0.001)), joint)
    return model


def test_one_call_is_the_simulation():
    """Guards simulate: frames, start by names or by arrays, and options."""
    model, start = arm(), {"j0": 0.4, "j2": -1.0}
    motion = simulate(model, 1.0, q=start, qd=[0.0, 2.0, 0.0], frame_rate=50.0, accuracy="exact", record=["efforts"])
    state = {"q": start, "qd": {"j1": 2.0}}
    truth = Simulation(model, np.arange(51) / 50.0, "exact", state).run()
    assert np.array_equal(motion.q, truth.q)
    assert motion.efforts is not None
    assert np.array_equal(simulate(model, 1.0, initial=state).times, np.arange(25) / 24.0)
    assert np.array_equal(simulate(model, 1.0, q=[0.4, 0.0, -1.0]).q[0], [0.4, 0.0, -1.0])


@pytest.mark.parametrize(
    ("duration", "frames"),
    [(0.3, 9), (0.04, 2), (0.01, 2), (0.25, 7), (1.0, 25), (0.1 + 0.2, 9)],
)
def test_the_last_frame_is_at_the_end_of_the_duration(duration, frames):
    """Guards the end of simulate: a falling ball is where free fall puts it at the asked time, on a frame or not."""
    ball = Model("ball", [Link("ball", pose=(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0))])
    motion = simulate(ball, duration)
    assert len(motion) == frames
    assert motion.times[-1] == pytest.approx(duration, rel=1e-15)
    assert np.array_equal(motion.times[:-1], np.arange(frames - 1) / 24.0)
    assert motion.link("ball")[-1, 2] == pytest.approx(1.0 - 0.5 * 9.81 * duration**2, abs=1e-12)
    worlds = simulate_worlds(ball, duration, motion.q[:1])
    assert np.array_equal(worlds.times, motion.times)


@pytest.mark.parametrize("duration", [5.0, 0.7, 123.456789, 3000.1])
@pytest.mark.parametrize("rate", [24.0, 30.0, 29.97, 1000.0 / 7.0])
@pytest.mark.parametrize("begin", [0.0, 0.5, 0.3, 1e5])
def test_times_of_frames_ascend_to_the_end(duration, rate, begin):
    """Guards rounding in frame_times: no frame is lost, doubled or beyond the end, whatever the numbers are."""
    times = frame_times(duration, rate, begin)
    steps = np.diff(times)
    assert times[0] == begin
    assert times[-1] == pytest.approx(begin + duration, rel=1e-14)
    assert (steps > 0.0).all()
    assert np.abs(steps[:-1] * rate - 1.0).max() < 1e-5
    assert steps[-1] <= (1.0 + 1e-5) / rate


@pytest.mark.parametrize("model", [arm(), four_bar()], ids=["arm", "four bar"])
def test_worlds_know_nothing_of_each_other(model):
    """Guards simulate_worlds: each world's rows are what a simulation of it alone gives, in the view's layout."""
    view = ArticulationView(model)
    q, qd = view.worlds(4)
    first = next(iter(view.compiled.spans))
    if model.name == "arm":
        view.set_q(q, np.random.default_rng(0).uniform(-1.0, 1.0, (4, 1, 3)))
    else:
        qd[:] = 0.0
    found = simulate_worlds(model, 0.5, q, qd)
    assert (found.q.shape, found.qd.shape) == ((4, 13, view.compiled.nq), (4, 13, view.compiled.nv))
    for world in range(4):
        alone = simulate(model, 0.5, q=view.compiled.q_by_joint(q[world]), qd={})
        assert np.array_equal(found.X_WL[world], alone.X_WL)
        at = view.compiled.spans[first].q_at(0)
        assert np.array_equal(found.q[world, :, at], alone.joint(first)[:, 0])
    assert np.abs(view.link_poses(found.q[:, -1])[:, 0] - found.X_WL[:, -1]).max() < 1e-9 or model.name != "arm"


def test_a_view_reads_and_writes_many_worlds():
    """Guards the dimension of worlds in all that a view has, and twists against the rates of poses."""
    model = Model("herd")
    for i in range(2):
        add_link(model, Link(f"robot{i}::base"), Joint(f"robot{i}::loose", "free", "world", f"robot{i}::base"))
        hinge = Joint(f"robot{i}::hinge", "revolute", f"robot{i}::base", f"robot{i}::arm", axes=[Axis((1.0, 0.0, 0.0))])
        add_link(model, Link(f"robot{i}::arm"), hinge)
    view = ArticulationView(model, "robot*", joints="hinge", links="arm")
    q, qd = view.worlds(3)
    values = np.arange(6.0).reshape(3, 2, 1)
    view.set_q(q, values)
    view.set_qd(qd, 2.0 * values)
    assert np.array_equal(view.q(q), values)
    assert np.array_equal(view.qd(qd), 2.0 * values)
    assert view.link_poses(q).shape == (3, 2, 1, 7)
    twists = view.link_twists(q, qd)
    assert twists[..., 3] == pytest.approx(2.0 * values)
    assert twists[..., :3] == pytest.approx(0.0)
    roots = view.root_poses(q)
    assert roots.shape == (3, 2, 7)
    roots[..., 2] = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    view.set_root_poses(q, roots)
    assert np.array_equal(view.root_poses(q), roots)
    assert view.link_poses(q)[2, 1, 0, 2] == 6.0
    view.set_axis("damping", [[0.1], [0.2]])
    assert np.array_equal(view.axis("damping"), [[0.1], [0.2]])
    assert [joint.axes[0].damping for joint in model.joints if joint.type == "revolute"] == [0.1, 0.2]


def test_a_trajectory_is_read_by_name(tmp_path):
    """Guards link, joint, joint_velocity and state, of a run and of its file, which must be told the model."""
    model = arm()
    motion = simulate(model, 0.5, q={"j1": 0.3})
    assert np.array_equal(motion.link("bar2"), motion.X_WL[:, 2])
    assert np.array_equal(motion.joint("j1")[:, 0], motion.q[:, 1])
    assert np.array_equal(motion.joint_velocity("j1")[:, 0], motion.qd[:, 1])
    assert motion.state(-1) == motion.state(12) == motion.state(12, model) == motion.state(model, 12)
    assert motion.state(0)["q"] == {"j0": [0.0], "j1": [0.3], "j2": [0.0]}
    motion.save(str(tmp_path / "motion.npz"))
    read = read_trajectory(str(tmp_path / "motion.npz"))
    assert np.array_equal(read.joint("j1"), motion.joint("j1"))
    assert read.state(3, model) == motion.state(3)
    with pytest.raises(ValueError, match="does not tell its joints: name the model"):
        read.state(3)


def test_states_go_on_where_joints_hang_on_frames():
    """Guards a state's way back in, with a joint that was hung on a named frame."""
    model = arm(1)
    model.frames.append(Frame("tip", "bar0", (0.0, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0)))
    model.links.append(Link("bob"))
    add_joint(model, Joint("wrist", "hinge", "tip", "bob", axes=[Axis((0.0, 1.0, 0.0))]))
    motion = simulate(model, 0.5, q={"j0": 1.0})
    again = simulate(model, 0.5, initial=motion.state(-1))
    assert again.X_WL[0] == pytest.approx(motion.X_WL[-1], abs=1e-12)
