# SPDX-License-Identifier: GPL-3.0-or-later
"""Position limits: rigid stops throw back what hits them, compliant ones push as Hunt and Crossley say."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Plane, Shape, Sphere
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.piecewise import Exit, follow

G = 9.81
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
MANY_STEPS = 20_000


def hopper(mass=1.0, upside_down=False, **stop):
    """A mass that falls towards a stop at 0: its lower one, or the upper one of an axis that points down."""
    limit = {"upper": 0.0} if upside_down else {"lower": 0.0}
    axis = Axis(xyz=(0.0, 0.0, -1.0 if upside_down else 1.0), **limit, **stop)
    return Model(links=[Link("mass", mass)], joints=[Joint("rail", "prismatic", WORLD, "mass", axes=[axis])])


@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("e", [0.5, 0.8])
def test_a_mass_bounces_lower_and_lower_until_it_rests(e, upside_down):
    """Guards rigid stops: apexes at h e^2n within 1e-6 of themselves, and rest after (1 + e) / (1 - e) times the fall.

    Infinitely many bounces fit into that time; steps must not.
    """
    height, sign = 0.7, -1.0 if upside_down else 1.0
    fall = math.sqrt(2.0 * height / G)
    n = np.arange(1, 7)
    apexes = fall * (1.0 + 2.0 * e * (1.0 - e ** (n - 1)) / (1.0 - e) + e**n)
    rest = fall * (1.0 + e) / (1.0 - e)
    times = [0.0, *apexes, rest + 1e-3, rest + 0.5, rest + 5.0]
    model = hopper(upside_down=upside_down, stiffness=math.inf, restitution=e)
    run = Simulation(model, times, "exact", {"q": {"rail": sign * height}})
    motion = run.run()
    assert sign * motion.q[1:7, 0] == pytest.approx(height * e ** (2 * n), rel=1e-6)
    assert np.abs(motion.q[7:]).max() <= 1e-9
    assert np.abs(motion.qd[7:]).max() <= 1e-9
    assert motion.dissipated[-1] == pytest.approx(G * height, rel=1e-6)
    assert run.report.relative_drift < 1e-6
    assert run.report.impacts >= 6
    assert run.report.steps < MANY_STEPS


def hunt_crossley(times, height, mass, stiffness, dissipation):
    """(x, speed) of a mass that falls on a compliant stop at 0, by SciPy: free, pressed, or let go while still deep."""

    def rates(mode, y):
        push = -stiffness * y[0] * (1.0 - dissipation * y[1]) if mode == "pressed" else 0.0
        return [y[1], push / mass - G]

    def exits(mode):
        if mode == "free":
            return [Exit(lambda y: y[0], lambda y: ("pressed", y))]
        out = Exit(lambda y: -y[0], lambda y: ("free", y))
        turn = 1.0 if mode == "pressed" else -1.0
        other = "loose" if mode == "pressed" else "pressed"
        return [out, Exit(lambda y: turn * (1.0 - dissipation * y[1]), lambda y: (other, y))]

    return follow(times, (height, 0.0), "free", rates, exits, max_step=2e-3)


@pytest.mark.parametrize("upside_down", [False, True])
@pytest.mark.parametrize("dissipation", [0.0, 0.5])
def test_a_compliant_stop_follows_its_law(dissipation, upside_down):
    """Guards Hunt-Crossley's force at either limit: several bounces within 1e-6 m of SciPy's, energy accounted for."""
    mass, height, stiffness, sign = 1.0, 0.5, 1e4, -1.0 if upside_down else 1.0
    times = np.linspace(0.0, 2.5, 251)
    model = hopper(mass, upside_down, stiffness=stiffness, dissipation=dissipation)
    run = Simulation(model, times, "exact", {"q": {"rail": sign * height}})
    motion = run.run()
    expected = hunt_crossley(times, height, mass, stiffness, dissipation)
    assert (np.diff(np.sign(expected[:, 1])) > 0).sum() >= 3
    assert sign * motion.q[:, 0] == pytest.approx(expected[:, 0], abs=1e-6)
    depth = np.minimum(expected[:, 0], 0.0)
    assert motion.potential - motion.potential[0] == pytest.approx(
        mass * G * (expected[:, 0] - height) + 0.5 * stiffness * depth**2, abs=1e-3
    )
    if dissipation == 0.0:
        assert motion.dissipated == pytest.approx(0.0, abs=1e-9)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_heavy_boom_does_not_bounce_on_a_stop_by_default(accuracy):
    """Guards what files mean that say nothing of stops: 4 N m turn 10 kg m^2 by t^2 / 5, and at the limit it stays.

    As a spring with SDF's default dissipation the stop threw it back by 14 degrees, time and again.
    """
    boom = Link("boom", 1.0, inertia=(1.0, 0.0, 0.0, 10.0, 0.0, 10.0))
    pressed = Axis(upper=0.5, drive_mode="force", drive_target=4.0)
    model = Model(links=[boom], joints=[Joint("pivot", "revolute", WORLD, "boom", axes=[pressed])])
    times = np.linspace(0.0, 4.0, 97)
    run = Simulation(model, times, accuracy)
    motion = run.run()
    assert motion.q[:, 0] == pytest.approx(np.minimum(times**2 / 5.0, 0.5), abs=1e-6)
    assert motion.dissipated[-1] == pytest.approx(4.0 * 0.5, rel=1e-6)
    assert run.report.steps < 2 * len(times)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_stop_by_default_brings_to_rest(accuracy):
    """Guards what every scene has: a stop of 1e8 N/m needs no host of steps, adds no energy and ends the bouncing."""
    run = Simulation(hopper(), np.linspace(0.0, 5.0, 501), accuracy, {"q": {"rail": 1.0}})
    motion = run.run()
    energy = motion.kinetic + motion.potential
    assert np.diff(energy).max() <= 1e-6 * G
    assert motion.q.min() >= {"draft": -1e-3, "good": -3e-5}[accuracy]
    assert abs(motion.qd[-1, 0]) < 1e-4
    assert abs(motion.q[-1, 0]) < 3e-5
    assert run.report.steps < MANY_STEPS


def test_a_stop_that_is_struck_gives_back_what_the_law_would():
    """Guards the impulse that stands for a stiff stop: after each bounce at good, the speed of Hunt-Crossley's own."""
    mass, height, stiffness, dissipation = 0.01, 0.05, 9e7, 1.0
    times = np.linspace(0.0, 0.5, 101)
    model = hopper(mass, stiffness=stiffness, dissipation=dissipation)
    motion = Simulation(model, times, "good", {"q": {"rail": height}}).run()
    expected = hunt_crossley(times, height, mass, stiffness, dissipation)
    assert motion.q[:, 0] == pytest.approx(expected[:, 0], abs=1e-4)


def test_a_mass_between_two_walls_keeps_its_speed():
    """Guards both stops in turn: with e = 1 and no gravity, 20 bounces follow the mirror's formula within 1e-8 m."""
    lower, upper, speed, start = -0.3, 0.5, 2.0, 0.1
    axis = Axis(xyz=X, lower=lower, upper=upper, stiffness=math.inf, restitution=1.0)
    model = Model(links=[Link("mass", 1.7)], gravity=(0.0, 0.0, 0.0))
    model.joints.append(Joint("rail", "prismatic", WORLD, "mass", axes=[axis]))
    width = upper - lower
    times = np.linspace(0.0, 20.5 * width / speed, 163)
    run = Simulation(model, times, "exact", {"q": {"rail": start}, "qd": {"rail": speed}})
    motion = run.run()
    unfolded = np.mod(start - lower + speed * times, 2.0 * width)
    assert motion.q[:, 0] == pytest.approx(lower + width - np.abs(unfolded - width), abs=1e-8)
    assert np.abs(motion.qd[:, 0]) == pytest.approx(speed, abs=1e-9)
    assert run.report.impacts == 20
    assert motion.dissipated == pytest.approx(0.0, abs=1e-9)


def test_a_stop_without_restitution_catches_and_holds():
    """Guards e = 0: the speed is gone at once, and gravity presses on without moving anything by 1e-9 m."""
    fall = math.sqrt(2.0 * 0.4 / G)
    times = [0.0, 0.999 * fall, fall + 1e-6, 1.5 * fall, 60.0]
    run = Simulation(hopper(stiffness=math.inf, restitution=0.0), times, "exact", {"q": {"rail": 0.4}})
    motion = run.run()
    assert motion.qd[1, 0] == pytest.approx(-G * times[1], rel=1e-8)
    assert np.abs(motion.q[2:]).max() <= 1e-9
    assert np.abs(motion.qd[2:]).max() <= 1e-9
    assert run.report.impacts == 1


def test_a_stop_lets_go_of_what_pulls_away():
    """Guards that stops push and never pull: a sprung mass hops its carrier off an inelastic stop, as SciPy says.

    The carrier of mass m rests while its stop's force N >= 0; the load M swings on it by M (x'' + y'') = -M g - k y.
    When it lands, the load keeps its own speed, since only the spring joins them.
    """
    m, M, k, lift = 0.5, 1.0, 120.0, 0.35
    axis = Axis(xyz=Z, lower=0.0, stiffness=math.inf, restitution=0.0)
    model = Model(links=[Link("carrier", m), Link("load", M)])
    model.joints.append(Joint("rail", "prismatic", WORLD, "carrier", axes=[axis]))
    model.joints.append(Joint("spring", "prismatic", "carrier", "load", axes=[Axis(xyz=Z, spring_stiffness=k)]))

    def rates(mode, y):
        load = -G - k * y[1] / M  # of the load in the world
        carrier = 0.0 if mode == "rests" else -G + k * y[1] / m
        return [y[2] if mode == "flies" else 0.0, y[3], carrier, load - carrier]

    def land(y):
        mode = "rests" if m * G >= k * y[1] else "flies"  # or is lifted at once, the load being above its middle
        return mode, np.array([0.0, y[1], 0.0, y[3] + y[2]])

    def exits(mode):
        if mode == "rests":
            return [Exit(lambda y: m * G - k * y[1], lambda y: ("flies", y))]
        return [Exit(lambda y: y[0], land)]

    times = np.linspace(0.0, 3.0, 151)
    expected = follow(times, (0.0, -lift, 0.0, 0.0), "rests", rates, exits)
    assert (np.diff((expected[:, 0] > 1e-9).astype(int)) > 0).sum() >= 2
    run = Simulation(model, times, "exact", {"q": {"rail": 0.0, "spring": -lift}})
    assert run.run().q == pytest.approx(expected[:, :2], abs=1e-6)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_a_pendulum_rebounds_with_its_restitution(e):
    """Guards v+ = -e v- on a hinge: a rod that swings into a wall follows SciPy's, within 1e-6 rad."""
    length, mass, wall, start = 0.8, 1.3, -0.2, 1.1
    inertia = mass * length**2 / 12
    axis = Axis(xyz=Y, lower=wall, stiffness=math.inf, restitution=e)
    rod = Link("rod", mass, (0.0, 0.0, -length / 2), (inertia, 0.0, 0.0, inertia, 0.0, 1e-4))
    model = Model(links=[rod], joints=[Joint("hinge", "revolute", WORLD, "rod", axes=[axis])])
    times = np.linspace(0.0, 2.8, 141)

    def exits(_mode):
        return [Exit(lambda y: y[0] - wall, lambda y: ("", np.array([wall, -e * y[1]])))]

    expected = follow(times, (start, 0.0), "", lambda _, y: [y[1], -1.5 * G / length * math.sin(y[0])], exits)
    run = Simulation(model, times, "exact", {"q": {"hinge": start}})
    motion = run.run()
    assert motion.q[:, 0] == pytest.approx(expected[:, 0], abs=1e-6)
    assert motion.q.min() >= wall - 1e-9
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_a_stop_that_is_reached_slowly_is_found_in_few_tries(accuracy):
    """Guards how joints' events are met where things may touch: no more tries for a slow door than for a quick one."""
    floor = Link("floor", collisions=[Shape("top", Plane(Z))])
    door = Link("door", collisions=[Shape("handle", Sphere(0.1))])
    hinge = Joint("hinge", "revolute", WORLD, "door", axes=[Axis(upper=0.1)], X_PJ=(0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0))
    model = Model(links=[floor, door], joints=[Joint("held", "fixed", WORLD, "floor"), hinge], gravity=(0.0, 0.0, 0.0))
    cost = {}
    for rate in (1e-4, 1e-2, 1.0):
        start = {"q": {"hinge": 0.1 - 0.01 * rate}, "qd": {"hinge": rate}}
        run = Simulation(model, [0.0, 0.01, 0.02], accuracy, start)
        assert run.run().q[-1, 0] == pytest.approx(0.1, abs=1e-6)
        assert run.report.impacts == 1
        cost[rate] = run.report.evaluations
    assert max(cost[1e-4], cost[1e-2]) <= cost[1.0]
