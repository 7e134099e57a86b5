# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion of coupled joints against closed forms: a train of wheels moves as one wheel of their summed inertias."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Coupling, Gearbox, Joint, Link, Mimic, Model
from limberjack.core.simulation import Simulation

G = 9.81
SWING = 0.4
"""Where springs are let go from rest [rad]."""


def wheels(*inertias, stiffness=7.0):
    """Wheels on hinges about z, named `wheel0` on, the first bound to 0 by a spring [N m/rad]."""
    model = Model(gravity=(0.0, 0.0, 0.0))
    for i, inertia in enumerate(inertias):
        model.links.append(Link(f"disc{i}", 1.0, inertia=(inertia, 0.0, 0.0, inertia, 0.0, inertia)))
        place = (float(i), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
        axis = Axis(spring_stiffness=0.0 if i else stiffness)
        model.joints.append(Joint(f"wheel{i}", "continuous", WORLD, f"disc{i}", place, axes=[axis]))
    return model


def moved(model, initial, end=3.0):
    """(times, a row of coordinates a joint in the model's order) at exact."""
    times = np.linspace(0.0, end, 61)
    run = Simulation(model, times, "exact", initial)
    motion = run.run()
    assert run.report.relative_drift < 1e-8
    names = [name for name, _ in motion.q_names]
    return times, [motion.q[:, names.index(joint.name)] for joint in model.joints]


def swing(inertia, times, stiffness=7.0):
    return SWING * np.cos(math.sqrt(stiffness / inertia) * times)


@pytest.mark.parametrize("ratio", [2.5, -0.4])
@pytest.mark.parametrize(
    "couple",
    [
        lambda ratio: Coupling("teeth", "gear", [("wheel0", 0), ("wheel1", 0)], ratio),
        lambda ratio: Gearbox("teeth", "disc0", "disc1", WORLD, -ratio),
    ],
    ids=["gear", "gearbox"],
)
def test_a_gear_adds_inertia_by_the_square_of_its_ratio(couple, ratio):
    """Guards gears: a motor's spring swings J1 + r^2 J2, and the output turns r times as far, from the very start."""
    model = wheels(0.3, 0.2)
    model.couplings.append(couple(ratio))
    times, (motor, output) = moved(model, {"q": {"wheel0": SWING}})
    expected = swing(0.3 + ratio**2 * 0.2, times)
    assert motor == pytest.approx(expected, abs=1e-8)
    assert output == pytest.approx(ratio * expected, abs=1e-8)


def test_a_chain_of_mimics_moves_as_one():
    """Guards mimics of mimics, offsets and references: each follows its leader, and the first bears them all."""
    inertias, multipliers, offsets, references = (0.3, 0.05, 0.2, 0.1), (-2.0, 0.5, 1.5), (0.1, 0.0, -0.2), (0, 0.3, 0)
    model = wheels(*inertias)
    for i, (multiplier, offset, reference) in enumerate(zip(multipliers, offsets, references, strict=True)):
        model.joints[i + 1].mimic = Mimic(f"wheel{i}", multiplier, offset, reference)
    weights = np.cumprod((1.0, *multipliers))
    times, found = moved(model, {"q": {"wheel0": SWING}})
    expected = swing(weights**2 @ inertias, times)
    assert found[0] == pytest.approx(expected, abs=1e-8)
    for i in range(3):
        expected = multipliers[i] * (expected - references[i]) + offsets[i]
        assert found[i + 1] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("ratio", [0.05, -0.2])
def test_a_rack_falls_as_fast_as_its_pinion_lets_it(ratio):
    """Guards couplings of slides with turns: a rack of mass m falls at m g / (m + J / r^2) on a pinion of inertia J."""
    mass, inertia = 2.0, 0.03
    model = wheels(inertia, stiffness=0.0)
    model.gravity = (0.0, 0.0, -G)
    model.links.append(Link("bar", mass))
    model.joints.append(Joint("rack", "prismatic", WORLD, "bar"))
    model.couplings.append(Coupling("teeth", "rack", [("wheel0", 0), ("rack", 0)], ratio))
    times, (pinion, rack) = moved(model, {}, end=1.0)
    fallen = -0.5 * mass * G / (mass + inertia / ratio**2) * times**2
    assert rack == pytest.approx(fallen, abs=1e-8)
    assert pinion == pytest.approx(fallen / ratio, abs=1e-8 / abs(ratio))


@pytest.mark.parametrize("ratio", [1.0, 2.5])
def test_a_differential_shares_out_what_its_carrier_turns(ratio):
    """Guards equations of three: at rest at first, the sides turn as their inertias let them (Lagrange, one cyclic).

    With s1 + r s2 = (1 + r) c, the momentum J2 s2' - r J1 s1' stays 0: s1' = (1 + r) J2 / (J2 + r^2 J1) c', and the
    carrier feels Jc + (1 + r)^2 J1 J2 / (J2 + r^2 J1).
    """
    J, J1, J2 = 0.3, 0.1, 0.25
    model = wheels(J, J1, J2)
    parts = [("wheel0", 0), ("wheel1", 0), ("wheel2", 0)]
    model.couplings.append(Coupling("bevels", "differential", parts, ratio))
    times, (carrier, one, other) = moved(model, {"q": {"wheel0": SWING, "wheel1": 0.1}})
    both = J2 + ratio**2 * J1
    expected = swing(J + (1.0 + ratio) ** 2 * J1 * J2 / both, times)
    side = 0.1 + (1.0 + ratio) * J2 / both * (expected - SWING)
    assert carrier == pytest.approx(expected, abs=1e-8)
    assert one == pytest.approx(side, abs=1e-8)
    assert other == pytest.approx(((1.0 + ratio) * expected - side) / ratio, abs=1e-8)


def test_a_differential_lets_its_sides_turn_against_each_other():
    """Guards the freedom that an equation of three leaves: while the carrier swings, the sides part at an even pace."""
    model = wheels(0.3, 0.2, 0.2)
    model.couplings.append(Coupling("bevels", "differential", [("wheel0", 0), ("wheel1", 0), ("wheel2", 0)]))
    start = {"q": {"wheel0": SWING, "wheel1": SWING}, "qd": {"wheel0": 0.0, "wheel1": 1.5}}
    times, (carrier, one, other) = moved(model, start)
    expected = swing(0.3 + 2 * 0.2, times)
    assert carrier == pytest.approx(expected, abs=1e-8)
    assert one == pytest.approx(expected + 1.5 * times, abs=1e-8)
    assert other == pytest.approx(expected - 1.5 * times, abs=1e-8)


@pytest.mark.parametrize("count", [2, 4, 7])
def test_a_sum_shares_out_a_force_by_its_weights(count):
    """Guards sums of any number of coordinates: the force that keeps sum(w q) = c is lambda w on each wheel (Lagrange).

    At rest at first, q_i'' = k q_0 w_0 w_i / (J_0 J_i S) for i > 0, with S = sum(w^2 / J), and q_0 swings with
    Omega^2 = k / J_0 (1 - w_0^2 / (J_0 S)).
    """
    rng = np.random.default_rng(count)
    J, w = rng.uniform(0.1, 0.4, count), rng.uniform(0.3, 2.0, count) * rng.choice([-1.0, 1.0], count)
    start = np.array([SWING, *rng.normal(size=count - 1)])
    model = wheels(*J)
    axes = [(joint.name, 0) for joint in model.joints]
    model.couplings.append(Coupling("tendon", "sum", axes, offset=float(w @ start), weights=w.tolist()))
    times, found = moved(model, {"q": {name: float(value) for (name, _), value in zip(axes, start, strict=True)}})
    S, k = (w**2 / J).sum(), 7.0
    square = k / J[0] * (1.0 - w[0] ** 2 / (J[0] * S))
    swung = np.cos(math.sqrt(square) * times)
    for i, motion in enumerate(found):
        rate = k * w[0] * w[i] / (J[0] * J[i] * S) if i else -square
        assert motion == pytest.approx(start[i] + rate * SWING / square * (1.0 - swung), abs=1e-8)


def test_a_gear_keeps_the_speed_that_is_given():
    """Guards velocities at the start: those that are given stay, and coupled joints are brought to theirs."""
    model = wheels(0.3, 0.2, stiffness=0.0)
    model.couplings.append(Coupling("teeth", "gear", [("wheel0", 0), ("wheel1", 0)], -3.0))
    times, (motor, output) = moved(model, {"qd": {"wheel0": 2.0}})
    assert motor == pytest.approx(2.0 * times, abs=1e-8)
    assert output == pytest.approx(-6.0 * times, abs=1e-8)
