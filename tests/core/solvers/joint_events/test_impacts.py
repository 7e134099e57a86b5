# SPDX-License-Identifier: GPL-3.0-or-later
"""What impacts keep and what they lose: momentum, and energy, in models of several links."""

import math

import numpy as np
import pytest

from limberjack.core.dynamics import centre_of_mass, momentum
from limberjack.core.kinematics import forward_kinematics
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.joint_events.impacts import compliant_restitution

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
SMALL = (0.02, 0.0, 0.0, 0.03, 0.0, 0.025)
MANY_STEPS = 20_000


@pytest.mark.parametrize(
    "stop",
    [{"stiffness": math.inf, "restitution": 0.5}, {"stiffness": math.inf}, {"stiffness": 1e4, "dissipation": 0.3}],
    ids=["bouncing", "inelastic", "compliant"],
)
def test_impacts_inside_leave_momentum_alone(stop):
    """Guards the share of an impact among links: two sliders on a floating base hit their ends, and momenta stay."""
    model = Model(gravity=(0.0, 0.0, 0.0))
    model.links.append(Link("base", 3.0, (0.05, -0.02, 0.1), (0.2, 0.01, 0.0, 0.3, 0.02, 0.25)))
    model.links += [Link("one", 0.8, (0.1, 0.0, 0.05), SMALL), Link("two", 1.1, (0.0, 0.1, -0.1), SMALL)]
    model.joints.append(Joint("float", "free", WORLD, "base"))
    ends = {"lower": -0.2, "upper": 0.15} | stop
    for name, xyz, place in (("one", X, (0.0, 0.3, 0.1)), ("two", (0.0, 0.6, 0.8), (0.2, -0.1, 0.0))):
        axes = [Axis(xyz=xyz, **ends)]
        model.joints.append(Joint(f"slide_{name}", "prismatic", "base", name, (*place, 1.0, 0.0, 0.0, 0.0), axes=axes))
    start = {"qd": {"float": [0.3, -0.2, 0.1, 0.5, -0.4, 0.7], "slide_one": 1.8, "slide_two": -1.5}}
    run = Simulation(model, np.linspace(0.0, 0.6, 61), "exact", start)
    motion = run.run()
    kept = np.array([momentum(run.compiled, q, qd) for q, qd in zip(motion.q, motion.qd, strict=True)])
    _, V_WL = forward_kinematics(run.compiled, motion.q[0], motion.qd[0])
    each = np.array([link.mass for link in model.links]) * np.linalg.norm(V_WL[:, :3], axis=1)
    arms = np.linalg.norm(motion.X_WL[0, :, :3] - centre_of_mass(run.compiled, motion.q[0]), axis=1)
    assert run.report.events >= 2
    assert np.abs(kept[:, :3] - kept[0, :3]).max() <= 1e-10 * each.sum()
    assert np.abs(kept[:, 3:] - kept[0, 3:]).max() <= 1e-10 * (each * arms).sum()
    assert np.diff(motion.kinetic + motion.potential).max() <= 1e-6 * motion.kinetic[0]
    assert motion.dissipated[-1] > 0.01 * motion.kinetic[0]
    assert run.report.relative_drift < 1e-6
    if math.isinf(stop["stiffness"]):
        slides = motion.q[:, -2:]
        assert slides.max() <= 0.15 + 1e-9
        assert slides.min() >= -0.2 - 1e-9


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_stops_never_add_energy(seed, accuracy):
    """Guards against gain: a flailing chain with stops of every kind only ever loses, within 1e-6 of its range."""
    rng = np.random.default_rng(seed)
    model = Model()
    for i in range(4):
        model.links.append(Link(f"rod{i}", 1.0, (0.0, 0.0, -0.25), SMALL))
        rigid = rng.random() < 0.7
        stop = Axis(
            xyz=Y if i % 2 else X,
            lower=-rng.uniform(0.2, 0.8),
            upper=rng.uniform(0.2, 0.8),
            stiffness=math.inf if rigid else 10.0 ** rng.uniform(3.0, 5.0),
            dissipation=rng.uniform(0.0, 1.0),
            restitution=rng.choice([0.0, 0.3, 0.9]),
        )
        place = (0.0, 0.0, -0.5 if i else 0.0, 1.0, 0.0, 0.0, 0.0)
        model.joints.append(
            Joint(f"joint{i}", "revolute", f"rod{i - 1}" if i else WORLD, f"rod{i}", place, axes=[stop])
        )
    start = {"qd": {f"joint{i}": float(speed) for i, speed in enumerate(rng.normal(size=4) * 4.0)}}
    run = Simulation(model, np.linspace(0.0, 3.0, 301), accuracy, start)
    motion = run.run()
    energy = motion.kinetic + motion.potential
    tolerance = {"draft": 1e-3, "good": 1e-4, "exact": 1e-6}[accuracy]
    assert np.diff(energy).max() <= tolerance * run.report.energy_scale
    assert motion.dissipated[-1] > 0.01 * run.report.energy_scale
    for joint, q in zip(model.joints, motion.q.T, strict=True):
        if math.isinf(joint.axes[0].stiffness):
            assert q.max() <= joint.axes[0].upper + 1e-9
            assert q.min() >= joint.axes[0].lower - 1e-9
    assert run.report.steps < MANY_STEPS


@pytest.mark.parametrize("x", [1e-6, 5e-4, 0.999e-3, 1.001e-3, 0.1, 3.0])
def test_a_compliant_stop_gives_back_what_its_equation_says(x):
    """Guards the restitution of Hunt and Crossley, slow ones by their series: x - ln(1 + x) = -y - ln(1 - y)."""
    y = x * compliant_restitution(x)
    assert -y - math.log1p(-y) == pytest.approx(x - math.log1p(x), rel=4.0 * min(x, 1e-3) ** 2 + 1e-6, abs=0.0)
