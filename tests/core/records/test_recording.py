# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded reactions against Newton and Euler's equations of every link, and the files that keep them."""

import csv
import math

import numpy as np
import pytest

from limberjack.core.controls.controls import Controls, Forces
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose
from limberjack.core.trajectory.files.reading import read_trajectory
from support.maximal import central_inertia
from support.mechanisms import four_bar
from support.models import aimed, matrix
from support.rings import grounded, ring

G = 9.81
STEP = 1e-4
"""Seconds to either side, over which momenta are taken to change evenly."""


def balanced(model, at=0.2, controls=None, pushed=None, initial=None):
    """Check Newton's and Euler's equations of each link by itself, and return the motion and its middle frame.

    Forces are the recorded wrenches, each at its joint's child-side origin, on the link that the joint carries and
    reversed on the other; weights and drag; and `pushed`, {link: wrench at its origin}.
    """
    times = np.array([0.0, at - STEP, at, at + STEP])
    run = Simulation(model, times, "exact", initial, controls=controls, record=("wrenches", "efforts"))
    motion = run.run()
    compiled = run.compiled
    frames = [moving(compiled, motion, frame) for frame in (1, 2, 3)]
    found = dict(zip(motion.wrench_names, motion.wrenches[2], strict=True))
    assert set(found) >= {joint.name for joint in model.joints if joint.type != "free"}
    carried = {weld.joint.name: weld.branch.outer for weld in compiled.welds}
    carried |= {branch.joint.name: branch.outer for branch in compiled.tree.branches}
    for link in model.links:
        (before, _), (during, origins), (after, _) = frames
        needed = (after[link.name] - before[link.name]) / (2.0 * STEP)
        pose = matrix(origins[link.name])
        com = pose[:3, :3] @ link.com + pose[:3, 3]
        given = np.zeros(6)
        if link.gravity:
            weight = link.mass * np.array(model.gravity)
            given += [*weight, *np.cross(com, weight)]
        linear, angular = np.split(during[link.name], 2)
        drag = -link.linear_damping * (linear - link.mass * np.array(model.wind))
        given += [*drag, *(np.cross(com, drag) - link.angular_damping * (angular - np.cross(com, linear)))]
        if link.name in (pushed or {}):
            force, torque = np.split(np.array(pushed[link.name]), 2)
            given += [*force, *(torque + np.cross(pose[:3, 3], force))]
        for joint in model.joints:
            if joint.name in found and link.name in (joint.parent, joint.child):
                force, torque = np.split(found[joint.name], 2)
                point = np.array(compose(origins[joint.child], joint.X_CJ)[:3])
                sign = 1.0 if carried[joint.name] == link.name else -1.0
                given += sign * np.array([*force, *(torque + np.cross(point, force))])
        assert given == pytest.approx(needed, abs=1e-4 * max(1.0, np.abs(motion.wrenches[2]).max())), link.name
    return motion, found


def moving(compiled, motion, frame):
    """({link: momentum, linear and angular about the world's origin}, {link: pose}) in a frame."""
    X_WL, V_WL = forward_kinematics(compiled, motion.q[frame], motion.qd[frame])
    momenta, poses = {}, {WORLD: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    for link, X, V in zip(compiled.model.links, X_WL, V_WL, strict=True):
        R = matrix(X)[:3, :3]
        arm = R @ link.com
        linear = link.mass * (V[:3] + np.cross(V[3:], arm))
        angular = R @ central_inertia(link) @ R.T @ V[3:] + np.cross(X[:3] + arm, linear)
        momenta[link.name], poses[link.name] = np.array([*linear, *angular]), tuple(X.tolist())
    return momenta, poses


@pytest.mark.parametrize("joint_type", ["fixed", "revolute", "ball", "prismatic", "d6"])
def test_a_hanging_chain_bears_the_weight_below(joint_type):
    """Guards reactions at rest: each joint carries what hangs below it, upward, and no torque."""
    count = len(JOINT_TYPES[joint_type].axes)
    axes = [Axis(xyz=(1.0, 0.0, 0.0), locked=joint_type == "d6" and i < 3) for i in range(count)]
    axes = aimed(joint_type, axes)
    model = Model(links=[Link(f"link{i}", 1.0 + i, (0.0, 0.0, -0.5)) for i in range(4)])
    for i in range(4):
        place = (0.0, 0.0, -1.0 if i else 0.0, 1.0, 0.0, 0.0, 0.0)
        parent = f"link{i - 1}" if i else WORLD
        model.joints.append(Joint(f"joint{i}", joint_type, parent, f"link{i}", place, axes=axes))
    run = Simulation(model, [0.0, 0.1], record=("wrenches",))
    motion = run.run()
    for i in range(4):
        weight = G * sum(1.0 + k for k in range(i, 4))
        at = motion.wrench_names.index(f"joint{i}")
        assert motion.wrenches[:, at] == pytest.approx(np.tile([0, 0, weight, 0, 0, 0], (2, 1)), abs=1e-8)


def test_a_pendulum_at_its_lowest():
    """Guards reactions in motion: m (g + v^2 / l) upward."""
    m, l, v = 1.7, 0.6, 2.3
    model = Model(links=[Link("bob", m, (0.0, 0.0, -l), (1e-6, 0.0, 0.0, 1e-6, 0.0, 1e-6))])
    model.joints.append(Joint("pivot", "revolute", WORLD, "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))]))
    motion = Simulation(model, [0.0, 0.1], initial={"qd": {"pivot": v / l}}, record=("wrenches",)).run()
    assert motion.wrenches[0, 0] == pytest.approx([0, 0, m * (G + v**2 / l), 0, 0, 0], abs=1e-8)


def heavy_four_bar(closing="rocker_pivot"):
    model = four_bar()
    for i, link in enumerate(model.links):
        link.mass, link.com, link.inertia = 1.0 + i, (0.2 + 0.3 * i, 0.5, 0.1 * i), (0.3, 0.01, 0.0, 0.2, 0.0, 0.3)
    model.gravity = (1.0, -G, 2.0)
    model.joint(closing).closes_loop = True
    return model


@pytest.mark.parametrize("closing", ["crank_pivot", "crank_pin", "rocker_pin", "rocker_pivot"])
def test_every_link_of_a_four_bar_obeys_newton_and_euler(closing):
    """Guards reactions around a redundant loop, loop joint included: of all that balance each link, they are some."""
    balanced(heavy_four_bar(closing), initial={"qd": {"crank_pivot": 1.0}})


@pytest.mark.parametrize("closing", ["left", "tested", "right"])
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize(
    "joint_type", ["fixed", "revolute", "prismatic", "screw", "cylindrical", "ball", "distance", "d6"]
)
def test_every_link_of_a_ring_obeys_newton_and_euler(joint_type, backward, closing):
    """Guards reactions of loop joints of several types, their springs included, wherever the ring is cut."""
    balanced(ring(joint_type, closing, backward))


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("joint_type", ["revolute", "prismatic", "cylindrical", "ball"])
def test_every_link_obeys_them_beside_what_is_fixed_to_the_world(joint_type, backward):
    """Guards reactions of a loop joint that leads to fixed links: its welded part lends no weight."""
    balanced(grounded(joint_type, "tested", backward))


@pytest.mark.parametrize("joint_type", ["revolute", "prismatic", "cylindrical", "screw", "d6"])
def test_every_link_obeys_them_where_the_cut_is_at_the_parent(joint_type):
    """Guards backward cuts, where the child has no mass: a wrench is about the child-side origin there too."""
    model = grounded(joint_type, "tested")
    base = model.link("base")
    base.mass, base.inertia = 0.0, (0.0,) * 6
    balanced(model)


def test_what_is_guided_hangs_on_nothing():
    """Guards reactions of guided links: the free joint of a base bears nothing, and its load's joint obeys Newton."""
    model = Model(links=[Link("base", 2.0), Link("arm", 1.0, (0.1, 0.0, -0.5))])
    model.joints.append(Joint("hook", "ball", "base", "arm", (0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0)))
    guide = Controls(links={"base": lambda t: [0.0, math.sin(3 * t), 0.2 * t, math.cos(t), math.sin(t), 0.0, 0.0]})
    motion = Simulation(model, [0.0, 0.2, 0.4], "exact", controls=guide, record=("wrenches",)).run()
    assert motion.wrenches[:, motion.wrench_names.index("base")] == pytest.approx(np.zeros((3, 6)), abs=1e-8)
    assert np.abs(motion.wrenches[1, motion.wrench_names.index("hook"), :3]).max() > 5.0


@pytest.mark.parametrize(("closing", "wind"), [("left", 0.0), ("tested", 0.0), ("right", 0.0), ("left", 4.0)])
def test_dragged_and_weightless_links_obey_them(closing, wind):
    """Guards reactions where drag acts on all links of a ring, in still air and in wind, and gravity on one."""
    model = ring("universal", closing)
    model.wind = (wind, -2.0 * wind, 0.5 * wind)
    for i, link in enumerate(model.links):
        link.linear_damping, link.angular_damping, link.gravity = 3.0 + i, 2.0, i == 0
    balanced(model)


def test_pushed_and_driven_links_obey_them():
    """Guards reactions under a callback's wrench and a prescribed crank: what is outside is no joint's."""
    wrench = [1.0, 2.0, -3.0, 0.5, -0.6, 0.7]
    controls = Controls({"crank_pivot": math.sin}, forces=lambda _: Forces({"rocker_pin": 2.0}, {"coupler": wrench}))
    balanced(heavy_four_bar("rocker_pin"), controls=controls, pushed={"coupler": wrench})


@pytest.mark.parametrize("joint_type", ["revolute", "cylindrical", "universal", "ball", "d6"])
def test_the_same_wrench_whichever_joint_closes(joint_type):
    """Guards that a reaction is a fact of the mechanism: without redundance, the cut changes none of them."""
    found = {}
    for closing in ("left", "tested", "right"):
        model = ring(joint_type, closing)
        run = Simulation(model, [0.0, 0.1, 0.2], "exact", record=("wrenches",))
        motion = run.run()
        carried = {weld.joint.name: weld.branch.outer for weld in run.compiled.welds}
        carried |= {branch.joint.name: branch.outer for branch in run.compiled.tree.branches}
        for joint in model.joints:
            sign = 1.0 if carried[joint.name] == joint.child else -1.0
            own = sign * motion.wrenches[:, motion.wrench_names.index(joint.name)]
            assert own == pytest.approx(found.setdefault(joint.name, own), abs=1e-5), (closing, joint.name)


def test_the_gap_of_every_frame_is_recorded():
    """Guards the loop error: hinges that are parallel cannot close a gap along them, which is as it was drawn."""
    gap = 4e-7
    model = heavy_four_bar()
    model.gravity = (1.0, -G, 0.0)
    x, y, z, *turn = model.joint("rocker_pin").X_CJ
    model.joint("rocker_pin").X_CJ = (x, y, z + gap, *turn)
    run = Simulation(model, np.linspace(0.0, 0.5, 13))
    motion = run.run()
    assert np.ptp(motion.q[:, 0]) > 0.1
    assert motion.loop_error == pytest.approx(np.full(13, gap), rel=1e-6)
    assert run.report.loop_error == motion.loop_error.max()
    tree = Simulation(Model(links=[Link("stone")]), [0.0, 0.1]).run()
    assert not tree.loop_error.any()


def slider(**axis):
    rail = Joint("rail", "prismatic", WORLD, "cart", axes=[Axis(xyz=(1.0, 0.0, 0.0), **axis)])
    return Model(links=[Link("cart", 2.0)], joints=[rail])


def effort_of(model, **settings):
    """Efforts of a motion of 3 s, shape (F, nv), and the motion."""
    motion = Simulation(model, np.linspace(0.0, 3.0, 73), "exact", record=("efforts",), **settings).run()
    return motion.efforts, motion


@pytest.mark.parametrize("start", [4.0, -4.0])
def test_a_drive_exerts_what_it_asks_for_and_no_more_than_its_effort(start):
    """Guards efforts of position drives, saturated and not: what Newton's law says the cart was pushed with."""
    axis = {"drive_mode": "position", "drive_stiffness": 3.0, "drive_damping": 4.0, "effort": 5.0}
    efforts, motion = effort_of(slider(**axis), initial={"q": {"rail": start}})
    asked = -3.0 * motion.q[:, 0] - 4.0 * motion.qd[:, 0]
    assert efforts[:, 0] == pytest.approx(np.clip(asked, -5.0, 5.0), abs=1e-9)
    assert 5 < (np.abs(efforts[:, 0]) > 5.0 - 1e-9).sum() < 60
    impulse = np.diff(motion.times) @ (0.5 * (efforts[1:, 0] + efforts[:-1, 0]))
    assert impulse == pytest.approx(2.0 * (motion.qd[-1, 0] - motion.qd[0, 0]), abs=2e-3)


def test_drives_and_callbacks_add_up():
    """Guards that efforts are all that drives a joint: a force drive and a callback's force."""
    push = Controls(forces=lambda _: Forces({"rail": 1.5}))
    efforts, motion = effort_of(slider(drive_mode="force", drive_target=3.0), controls=push)
    assert efforts == pytest.approx(np.full((73, 1), 4.5), abs=1e-12)
    assert motion.qd[-1, 0] == pytest.approx(4.5 / 2.0 * 3.0, rel=1e-9)


def test_a_drive_is_no_effort_where_motion_is_prescribed():
    """Guards prescribed joints: their drives do nothing, and the effort is what the motion takes."""
    model = slider(drive_mode="force", drive_target=3.0, effort=1.0)
    efforts, motion = effort_of(model, controls=Controls({"rail": math.sin}))
    assert efforts[:, 0] == pytest.approx(-2.0 * np.sin(motion.times), abs=1e-6)


def test_a_balls_drive_exerts_torques():
    """Guards efforts on charts: of a round body held at its target, the torques of Euler's equation."""
    axes = [Axis(drive_mode="velocity", drive_damping=2.0, drive_target=rate) for rate in (0.5, -1.0, 2.0)]
    model = Model(links=[Link("globe", 1.0, inertia=(0.7, 0.0, 0.0, 0.7, 0.0, 0.7))])
    model.joints.append(Joint("centre", "ball", WORLD, "globe", axes=axes))
    efforts, motion = effort_of(model)
    assert efforts == pytest.approx(2.0 * (np.array([0.5, -1.0, 2.0]) - motion.qd), abs=1e-9)
    accelerations = np.gradient(motion.qd, motion.times, axis=0)[1:-1]
    assert efforts[1:-1] == pytest.approx(0.7 * accelerations, abs=0.05)
    assert np.abs(efforts[0]).min() > 0.9


def test_files_keep_efforts_and_wrenches(tmp_path):
    """Guards .npz and .csv: efforts and wrenches come back to the last bit, under their names."""
    controls = Controls({"crank_pivot": math.sin})
    record = ("efforts", "wrenches")
    motion = Simulation(heavy_four_bar(), np.linspace(0.0, 0.2, 5), controls=controls, record=record).run()
    motion.save(tmp_path / "motion.npz")
    back = read_trajectory(tmp_path / "motion.npz")
    assert back.wrench_names == motion.wrench_names
    for name in ("times", "X_WL", "q", "qd", "efforts", "wrenches", "supplied", "dissipated", "loop_error"):
        assert getattr(back, name).tobytes() == getattr(motion, name).tobytes(), name
    motion.save(tmp_path / "motion.csv")
    with (tmp_path / "motion.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    table = np.array(rows[1:], dtype=float)
    for j, (name, _) in enumerate(motion.qd_names):
        at = [k for k, header in enumerate(rows[0]) if header.split(" [")[0] == f"effort {name}"]
        assert len(at) == 1
        assert table[:, at[0]].tobytes() == np.ascontiguousarray(motion.efforts[:, j]).tobytes()
    for j, name in enumerate(motion.wrench_names):
        at = [k for k, header in enumerate(rows[0]) if header.startswith(f"{name}.")]
        assert [rows[0][k] for k in at] == [
            f"{name}.{part}" for part in ("fx [N]", "fy [N]", "fz [N]", "tx [N m]", "ty [N m]", "tz [N m]")
        ]
        assert table[:, at].tobytes() == np.ascontiguousarray(motion.wrenches[:, j]).tobytes()


def test_nothing_is_recorded_that_was_not_asked_for(tmp_path):
    """Guards the default: no efforts and no wrenches, neither in memory nor in a file and back."""
    motion = Simulation(heavy_four_bar(), [0.0, 0.1]).run()
    motion.save(tmp_path / "motion.npz")
    for one in (motion, read_trajectory(tmp_path / "motion.npz")):
        assert one.efforts is None
        assert one.wrenches is None
        assert one.wrench_names == ()
