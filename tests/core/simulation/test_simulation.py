# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion against closed forms, an independent integrator, and what must be conserved."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from limberjack.core.model import WORLD, Axis, Joint, Link, Model, ModelError
from limberjack.core.simulation import Simulation, SimulationError
from support.models import chain, random_tree

G = 9.81
HANGING = Axis(xyz=(0.0, 1.0, 0.0))


def rod(name, length, mass):
    """A thin rod that hangs down from its link's origin."""
    inertia = mass * length**2 / 12
    return Link(name, mass, (0.0, 0.0, -length / 2), (inertia, 0.0, 0.0, inertia, 0.0, 1e-6 * mass))


def double_pendulum(l1=1.0, m1=1.0, l2=0.7, m2=0.6):
    joints = [
        Joint("upper", "revolute", WORLD, "first", axes=[HANGING]),
        Joint("lower", "revolute", "first", "second", (0.0, 0.0, -l1, 1.0, 0.0, 0.0, 0.0), axes=[HANGING]),
    ]
    return Model(links=[rod("first", l1, m1), rod("second", l2, m2)], joints=joints)


def textbook_double_pendulum(times, start, l1=1.0, m1=1.0, l2=0.7, m2=0.6):
    """Lagrange's equations of two rods in absolute angles a, b from the vertical, integrated by SciPy.

    T = (m1 l1²/6 + m2 l1²/2) a'² + m2 l2²/6 b'² + m2 l1 l2/2 a' b' cos(a - b), V from the heights of the middles.
    """
    A, B, C = m1 * l1**2 / 3 + m2 * l1**2, m2 * l2**2 / 3, m2 * l1 * l2 / 2

    def rates(_, y):
        a, b, da, db = y
        c, s = math.cos(a - b), math.sin(a - b)
        right = [
            -C * s * db**2 - (m1 / 2 + m2) * G * l1 * math.sin(a),
            C * s * da**2 - m2 * G * l2 / 2 * math.sin(b),
        ]
        return [da, db, *np.linalg.solve([[A, C * c], [C * c, B]], right)]

    y0 = [start[0], start[0] + start[1], 0.0, 0.0]
    result = solve_ivp(rates, (0, times[-1]), y0, "DOP853", times, rtol=1e-12, atol=1e-12)
    return np.stack([result.y[0], result.y[1] - result.y[0]], axis=1)


def test_double_pendulum_against_scipy():
    """Guards model, dynamics and integrator together: 5 s from (1.0, 0.5) rad within 1e-6 rad at exact."""
    times = np.linspace(0.0, 5.0, 121)
    run = Simulation(double_pendulum(), times, "exact", {"q": {"upper": 1.0, "lower": 0.5}})
    assert np.abs(run.run().q - textbook_double_pendulum(times, (1.0, 0.5))).max() < 1e-6


def test_a_pendulum_keeps_its_period():
    """Guards A01 of the IFToMM benchmark: a point mass from the horizontal, period 2.3678419475762373 s."""
    bob = Link("bob", 1.0, (-1.0, 0.0, 0.0), (0.0,) * 6)
    model = Model(links=[bob], joints=[Joint("pivot", "continuous", WORLD, "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))])])
    period = 2.3678419475762373
    run = Simulation(model, np.array([0.0, period, 4 * period]), "exact")
    assert run.run().q[:, 0] == pytest.approx(np.zeros(3), abs=1e-7)


def test_a_damped_spring_follows_the_closed_form():
    """Guards springs, references, damping and dissipated energy on a sliding joint."""
    m, k, c, reference = 2.0, 50.0, 3.0, 0.1
    axis = Axis(xyz=(1.0, 0.0, 0.0), spring_stiffness=k, spring_reference=reference, damping=c)
    model = Model(links=[Link("cart", m)], joints=[Joint("rail", "prismatic", WORLD, "cart", axes=[axis])])
    times = np.linspace(0.0, 4.0, 97)
    run = Simulation(model, times, "exact", {"q": {"rail": 0.5}})
    rate, swing = c / (2 * m), math.sqrt(k / m - (c / (2 * m)) ** 2)
    x = reference + 0.4 * np.exp(-rate * times) * (np.cos(swing * times) + rate / swing * np.sin(swing * times))
    assert run.run().q[:, 0] == pytest.approx(x, abs=1e-8)
    assert run.report.energy_drift < 1e-8
    assert run.trajectory.dissipated[-1] == pytest.approx(0.5 * k * 0.4**2, rel=1e-2)


def test_a_thrown_body_flies_and_tumbles():
    """Guards the free joint: a parabola for the com, and angular momentum that stays what it is in world axes."""
    inertia = np.diag([1.0, 2.0, 2.5])
    link = Link("body", 3.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 2.0, 0.0, 2.5))
    times = np.linspace(0.0, 2.0, 49)
    run = Simulation(Model(links=[link]), times, "exact", {"qd": {"body": [1.0, 2.0, 3.0, 0.1, 4.0, 0.2]}})
    motion = run.run()
    expected = np.outer(times, [1.0, 2.0, 3.0]) - np.outer(times**2, [0.0, 0.0, G / 2])
    assert motion.X_WL[:, 0, :3] == pytest.approx(expected, abs=1e-8)
    momenta = []
    for frame in range(len(times)):
        w, x, y, z = motion.X_WL[frame, 0, 3:]
        R = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        momenta.append(R @ inertia @ motion.qd[frame, 3:])
    assert np.ptp(momenta, axis=0).max() < 1e-7


@pytest.mark.parametrize(("size", "joint_type"), [(10, "revolute"), (20, "ball"), (12, "universal")])
def test_chains_keep_their_energy(size, joint_type):
    """Guards against explosions: an undamped chain let go from the horizontal, for 10 s, at good and draft."""
    model = chain(size, joint_type)
    if joint_type == "universal":
        for joint in model.joints:
            joint.axes[0].xyz, joint.axes[1].xyz = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    scale = size * G * size / 2
    for accuracy, allowed in (("draft", 1e-2), ("good", 1e-4)):
        run = Simulation(model, np.arange(0, 241) / 24, accuracy)
        assert np.isfinite(run.run().X_WL).all()
        assert run.report.energy_drift / scale < allowed


def test_every_joint_type_conserves_energy():
    """Guards the whole engine on a random tree in which every joint type occurs."""
    run = Simulation(random_tree(1, 16), np.arange(0, 25) / 24, "exact")
    run.run()
    assert run.report.relative_drift < 1e-8


def test_frames_do_not_depend_on_who_asks():
    """Guards determinism: stopping after each frame, or running through, gives the same bytes."""
    times = np.arange(0, 49) / 24
    through = Simulation(chain(5), times).run()
    halting = Simulation(chain(5), times)
    for _ in range(3):
        for frame in halting:
            if frame % 7 == 0:
                break
    halting.run()
    assert through.X_WL.tobytes() == halting.trajectory.X_WL.tobytes()


def test_the_reported_drift_is_the_trajectorys():
    """Guards the report: drift and scale are what the recorded energies say, and draft does drift."""
    run = Simulation(chain(3), np.arange(0, 121) / 24, "draft")
    motion = run.run()
    total = motion.kinetic + motion.potential + motion.dissipated
    assert run.report.energy_drift == pytest.approx(np.abs(total - total[0]).max())
    assert run.report.energy_scale == pytest.approx(max(motion.kinetic.max(), np.ptp(motion.potential)))
    assert 1e-9 < run.report.relative_drift < 1e-1


def test_time_may_begin_anywhere():
    """Guards frame ranges that do not start at zero: the motion starts at the first time."""
    times = np.arange(0, 25) / 24
    early, late = (Simulation(chain(2), times + start).run() for start in (0.0, 100.0))
    assert late.q == pytest.approx(early.q, abs=1e-9)


def test_quaternions_keep_their_length():
    """Guards normalising: what is asked for, and what comes out at draft, are rotations."""
    spin = {"q": {"body": [0, 0, 0, 2, 0, 0, 0]}, "qd": {"body": [0, 0, 0, 1.0, 9.0, 0.2]}}
    link = Link("body", 3.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 2.0, 0.0, 2.5))
    q = Simulation(Model(links=[link]), np.arange(0, 49) / 24, "draft", spin).run().q
    assert np.linalg.norm(q[:, 3:], axis=1) == pytest.approx(np.ones(49), abs=1e-12)


def test_armature_stores_energy():
    """Guards the drive's own inertia: a wheel on a sprung axle keeps its energy, armature's part included."""
    axis = Axis(armature=2.0, spring_stiffness=30.0)
    model = Model(links=[Link("wheel")], joints=[Joint("axle", "continuous", WORLD, "wheel", axes=[axis])])
    run = Simulation(model, np.arange(0, 49) / 24, "exact", {"q": {"axle": 1.0}})
    run.run()
    assert run.report.relative_drift < 1e-8
    assert run.report.energy_scale == pytest.approx(15.0, rel=1e-3)


def test_a_long_frame_can_be_stopped_in():
    """Guards Esc on stiff models: a frame of many steps comes in bits, and the bits make the same motion."""
    axes = [Axis(xyz=(0.0, 1.0, 0.0), damping=3e4)]
    model = chain(10)
    for joint in model.joints:
        joint.axes = axes
    run = Simulation(model, np.array([0.0, 1 / 24]), "draft", solver="explicit")
    counts = list(run)
    assert counts[0] == 1
    assert counts.count(1) > 3
    assert counts[-1] == 2
    again = Simulation(model, np.array([0.0, 1 / 24]), "draft", solver="explicit")
    assert again.run().q.tobytes() == run.trajectory.q.tobytes()


def test_a_hopeless_motion_stops_with_a_reason():
    """Guards against endless tiny steps: the message names the link and the frame, and what was computed is kept."""
    axis = Axis(damping=1e12)
    light = Link("mote", 1e-9, (0.1, 0.0, 0.0), (1e-12, 0.0, 0.0, 1e-12, 0.0, 1e-12))
    model = Model(links=[light], joints=[Joint("pin", "revolute", WORLD, "mote", axes=[axis])])
    run = Simulation(model, np.array([0.0, 0.1]), initial={"qd": {"pin": 1.0}}, solver="explicit")
    with pytest.raises(SimulationError, match=r"link 'mote'.*frame 1"):
        run.run()
    assert len(run.trajectory) == 1


@pytest.mark.parametrize("start", [1e3, 1e160])
def test_energy_from_nowhere_stops_as_well(start):
    """Guards divergence: negative damping, and speeds beyond all numbers, end with the link's name and no warning."""
    axis = Axis(damping=-2e4)
    model = Model(links=[rod("rod", 1.0, 1.0)], joints=[Joint("pin", "revolute", WORLD, "rod", axes=[axis])])
    run = Simulation(model, np.array([0.0, 1.0]), initial={"qd": {"pin": start}})
    with pytest.raises(SimulationError, match=r"link 'rod'.*frame 1"):
        run.run()


def test_a_singular_model_is_refused():
    """Guards against garbage: a floating base without mass that carries a hinge has no acceleration of its own."""
    base = Link("base", 0.0, inertia=(0.0,) * 6)
    model = Model(links=[base, Link("arm")], joints=[Joint("hinge", "revolute", "base", "arm", axes=[HANGING])])
    with pytest.raises(ModelError, match=r"link '(base|arm)'.*singular"):
        Simulation(model, np.array([0.0]))


def test_a_motion_that_is_none_is_told():
    """Guards the beginner whose hinge stands upright: no energy scale made of rounding, and a word on where to look."""
    model = Model(links=[Link("door")], joints=[Joint("hinge", "revolute", WORLD, "door")])
    run = Simulation(model, np.arange(25) / 24)
    run.run()
    assert run.report.energy_scale == 0.0
    assert "nothing moves" in run.report.notes[-1]


def test_an_unknown_key_in_the_initial_state_is_named():
    """Guards --initial against misspelt keys."""
    with pytest.raises(ModelError, match="'positions' is not known"):
        Simulation(chain(1), np.array([0.0]), initial={"positions": {}})
