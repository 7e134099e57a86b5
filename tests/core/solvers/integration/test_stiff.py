# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiff springs and dampers: implicit steps against closed forms and against explicit ones."""

import math

import numpy as np
import pytest

from limberjack.core.controls.controls import Controls
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import quat_of_rotvec

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
SMALL = (0.02, 0.0, 0.0, 0.03, 0.0, 0.025)


def sled(rate, slow=2.0, mass=1.5):
    """A mass on a damper of `rate` [1/s] times its mass and a spring that brings it home at about `slow` [1/s]."""
    damping = rate * mass
    axis = Axis(xyz=(1.0, 0.0, 0.0), damping=damping, spring_stiffness=slow * damping)
    return Model(links=[Link("sled", mass)], joints=[Joint("rail", "prismatic", WORLD, "sled", axes=[axis])])


def overdamped(rate, slow, times, start=0.4):
    """x and its rate for x'' + rate x' + rate slow x = 0 from rest: the sum of two decays."""
    root = math.sqrt(rate**2 / 4.0 - rate * slow)
    fast = -rate / 2.0 - root
    late = rate * slow / fast
    x = start * (fast * np.exp(late * times) - late * np.exp(fast * times)) / (fast - late)
    v = start * fast * late * (np.exp(late * times) - np.exp(fast * times)) / (fast - late)
    return x, v


@pytest.mark.parametrize(("accuracy", "allowed"), [("draft", 1e-3), ("good", 1e-4), ("exact", 1e-8)])
def test_a_sled_in_syrup(accuracy, allowed):
    """Guards implicit steps: a decay of 1e5 /s beside one of 2 /s follows its closed form in few steps."""
    times = np.linspace(0.0, 1.0, 25)
    run = Simulation(sled(1e5), times, accuracy, {"q": {"rail": 0.4}})
    motion = run.run()
    x, v = overdamped(1e5, 2.0, times)
    assert motion.q[:, 0] == pytest.approx(x, abs=allowed)
    assert motion.qd[:, 0] == pytest.approx(v, abs=10.0 * allowed)
    assert run.report.implicit_steps > 0
    assert run.report.steps < 2000
    assert run.report.energy_drift < 0.01 * run.report.energy_scale


def test_implicit_steps_are_few_where_explicit_ones_are_many():
    """Guards that stiffness pays: the same sled takes explicit steps twenty times as many."""
    times = np.linspace(0.0, 0.25, 6)
    steps = {}
    for solver in ("adaptive", "explicit"):
        run = Simulation(sled(1e5), times, "good", {"q": {"rail": 0.4}}, solver)
        run.run()
        steps[solver] = run.report.steps
    assert steps["adaptive"] * 20 < steps["explicit"]


def hung(joint_type, axes, home, in_loop=False):
    """A link with its com off the joint, let go from `home` under gravity, and a pendulum on it."""
    model = Model(links=[Link("body", 1.0, (0.1, 0.05, -0.2), SMALL), Link("bob", 0.3, (0.0, 0.0, -0.4), SMALL)])
    joint = Joint("stiff", joint_type, WORLD, "body", axes=axes)
    joint.home = home
    model.joints = [joint, Joint("hook", "ball", "body", "bob", (0.2, 0.0, 0.0, *UPRIGHT))]
    if in_loop:
        joint.closes_loop = True
        model.links[0].pose = home
    return model


STIFF = {
    "ball": ([Axis(spring_stiffness=3e3, damping=800.0 + 50 * i, spring_reference=0.1 * i) for i in range(3)],
             quat_of_rotvec((0.4, -0.3, 0.2))),
    "cable": ([Axis(spring_stiffness=4e4, damping=8e3), Axis(spring_stiffness=2e3, damping=500.0),
               Axis(spring_stiffness=1e3, damping=400.0)], (0.05, 0.0, -0.05, *quat_of_rotvec((0.2, 0.3, -0.2)))),
    "distance": ([Axis(spring_stiffness=4e4, spring_reference=0.8, damping=2e4)], (0.5, 0.2, -0.7, *UPRIGHT)),
    "d6": ([Axis(spring_stiffness=1e4, damping=4e3 if i < 3 else 600.0) for i in range(6)],
           (0.05, 0.0, -0.05, 0.2, -0.3, 0.2)),
}  # fmt: skip
TIMES = np.linspace(0.0, 0.1, 6)


@pytest.mark.parametrize(
    ("joint_type", "in_loop"),
    [("ball", False), ("cable", False), ("distance", False), ("d6", False), ("cable", True), ("distance", True)],
)
def test_a_stiff_joint_moves_as_by_explicit_steps(joint_type, in_loop):
    """Guards the stiffness that implicit steps count on, in the tree and in a loop: the motion is within 1e-5."""
    found = {}
    for solver in ("explicit", "implicit", "adaptive"):
        run = Simulation(hung(joint_type, *STIFF[joint_type], in_loop), TIMES, "exact", solver=solver)
        found[solver] = run.run().X_WL
        assert (run.report.implicit_steps > 0) == (solver != "explicit")
        assert run.report.energy_drift < 1e-4 * run.report.energy_scale
    for solver in ("implicit", "adaptive"):
        assert found[solver] == pytest.approx(found["explicit"], abs=1e-5), solver


@pytest.mark.parametrize("kind", ["smooth", "damped", "loop"])
def test_tighter_tolerances_bring_smaller_errors(kind):
    """Guards the order of implicit steps: from draft to good to exact, errors fall at least as the tolerances do."""
    model = {"smooth": (0.0, False), "damped": (5.0, False), "loop": (1.0, True)}[kind]
    times = np.linspace(0.0, 1.0, 5)
    start = {"q": {"pivot": 1.0}}
    truth = Simulation(swing(*model), times, "exact", start, "explicit").run().X_WL
    errors = {
        accuracy: np.abs(Simulation(swing(*model), times, accuracy, start, "implicit").run().X_WL - truth).max()
        for accuracy in ("draft", "good", "exact")
    }
    assert errors["draft"] < 100 * 1e-4
    assert errors["good"] < 100 * 3e-6
    assert errors["exact"] < 1000 * 1e-10


def swing(damping, loop=False):
    """A double pendulum; with `loop`, a third link's end slides on a rail."""
    axis = Axis(xyz=(0.0, 1.0, 0.0), damping=damping)
    model = Model(links=[Link(f"rod{i}", 1.0, (0.0, 0.0, -0.5), SMALL) for i in range(2)])
    model.joints.append(Joint("pivot", "revolute", WORLD, "rod0", axes=[axis]))
    model.joints.append(Joint("elbow", "revolute", "rod0", "rod1", (0.0, 0.0, -1.0, *UPRIGHT), axes=[axis]))
    if loop:
        model.links.append(Link("slider", 0.5))
        up = Axis(xyz=(0.0, 0.0, 1.0))
        model.joints.append(Joint("rail", "prismatic", WORLD, "slider", (0.0, 0.0, -2.0, *UPRIGHT), axes=[up]))
        pin = Joint("pin", "revolute", "rod1", "slider", (0.0, 0.0, -1.0, *UPRIGHT), axes=[Axis((0.0, 1.0, 0.0))])
        pin.closes_loop = True
        model.joints.append(pin)
    return model


def test_a_prescribed_slide_drags_a_stiff_spring():
    """Guards implicit steps under prescribed motion: a mass on a damper of 1e5 /s follows with a lag v / rate.

    x'' = -rate (x' - u') for u = sin t: to first order in 1 / rate, x = sin t - cos t / rate + const.
    """
    rate = 1e5
    model = Model(links=[Link("driver"), Link("load", 2.0)], gravity=(0.0, 0.0, 0.0))
    model.joints.append(Joint("drive", "prismatic", WORLD, "driver", axes=[Axis(xyz=(1.0, 0.0, 0.0))]))
    damper = Axis(xyz=(1.0, 0.0, 0.0), damping=2.0 * rate)
    model.joints.append(Joint("damper", "prismatic", "driver", "load", axes=[damper]))
    times = np.linspace(0.0, 1.0, 25)
    controls = Controls({"drive": math.sin})
    run = Simulation(model, times, "exact", {"qd": {"damper": 0.0}}, controls=controls)
    motion = run.run()
    assert motion.q[:, 0] == pytest.approx(np.sin(times), abs=1e-9)
    assert motion.q[:, 1] == pytest.approx((1.0 - np.cos(times)) / rate, abs=1e-8)
    assert run.report.steps < 3000
    assert run.report.energy_drift < 1e-6
