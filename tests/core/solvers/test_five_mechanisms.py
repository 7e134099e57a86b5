# SPDX-License-Identifier: GPL-3.0-or-later
"""The five mechanisms of the IFToMM benchmark: that they are what the benchmark says, and that they move as it says."""

import json
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from limberjack.core.dynamics import mechanical_energy, tree_mass_matrix
from limberjack.core.joints import FREE
from limberjack.core.kinematics import forward_kinematics, make_work, mobility
from limberjack.core.model.compiling.compiled import coordinate_names
from limberjack.core.simulation import Simulation
from limberjack.core.spatial import compose, inverse, norm
from limberjack.core.trajectory.trajectory import Trajectory
from support.benchmarks import load
from support.cases import some
from support.constrained import Constrained

five = load("five_mechanisms")
program = load("mechanisms")

FIVE = [*(make() for make in five.MECHANISMS.values()), five.four_bars(40)]


def start_of(mechanism):
    """(system, q, qd) as it starts, for mechanisms that have no quaternions."""
    system = Constrained(mechanism.model, mechanism.forces)
    initial = mechanism.initial
    q, qd = system.compiled.q_from(initial.get("q")), system.compiled.q_from(initial.get("qd"), velocities=True)
    return system, q, qd


def motion_of(system, times, q, qd):
    """Coordinates of the tree, shapes (frames, nv), as a trajectory without energies."""
    compiled, zeros = system.compiled, np.zeros(len(times))
    X_WL = np.array([forward_kinematics(compiled, at)[0] for at in q])
    names = [tuple(coordinate_names(compiled, velocities)) for velocities in (False, True)]
    return Trajectory(np.array(times), compiled.link_names, X_WL, names[0], q, names[1], qd, zeros, zeros, zeros, zeros)


def integrated(mechanism, times, method, tolerance):
    """What it measures at times [s] from 0, by SciPy and the null space of its constraints."""
    system, q, qd = start_of(mechanism)
    run = solve_ivp(
        system.rates, (0.0, times[-1]), np.concatenate([q, qd]), method, times, rtol=tolerance, atol=tolerance
    )
    at, rates = np.split(run.y.T, 2, axis=1)
    return mechanism.value(motion_of(system, times, at, rates))


def energy_of(mechanism):
    """(kinetic, potential) at the start [J]."""
    system, q, qd = start_of(mechanism)
    return mechanical_energy(system.compiled.arrays, make_work(system.compiled.arrays), q, qd)


@pytest.mark.parametrize("mechanism", FIVE, ids=lambda mechanism: mechanism.name)
def test_they_are_drawn_closed(mechanism):
    """Guards the geometry: as they start, the two frames of each hinge that closes a loop are one, to 1e-12."""
    system, q, _ = start_of(mechanism)
    for hinge in system.hinges:
        X_WP, X_WC = system.frames(hinge, q)
        apart = compose(inverse(X_WP), X_WC)
        assert norm(apart[:3]) < 1e-12
        assert norm(apart[4:]) < 1e-12


@pytest.mark.parametrize("mechanism", FIVE, ids=lambda mechanism: mechanism.name)
def test_they_start_where_the_benchmark_says(mechanism):
    """Guards what is measured: its values at the start, and as many names as values."""
    system, q, qd = start_of(mechanism)
    value = mechanism.value(motion_of(system, [0.0], q[None], qd[None]))
    known = mechanism.exact([0.0])[0] if mechanism.exact else mechanism.known[0.0]
    assert value.shape == (1, len(mechanism.names))
    assert value[0] == pytest.approx(known, abs=1e-15)
    for time, values in mechanism.known.items():
        if mechanism.exact:
            assert mechanism.exact([time])[0] == pytest.approx(values, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "by_rank", "by_count"),
    [
        (five.simple_pendulum(), 1, 1),
        (five.four_bars(2), 1, -5),
        (five.four_bars(7), 1, -20),
        (five.squeezing_mechanism(), 1, -8),
        (five.bricard(), 1, 0),
        (five.flyball_governor(), 4, 4),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_they_move_in_as_many_ways_as_they_should(mechanism, by_rank, by_count):
    """Guards the joints: one freedom each, but the governor, whose springs hold nothing; flat loops lose 3 a loop."""
    found = mobility(mechanism.model)
    assert (found.by_rank, found.by_count) == (by_rank, by_count)


@pytest.mark.parametrize(
    ("mechanism", "total"),
    [
        (five.simple_pendulum(), 0.0),
        (five.four_bars(2), 35.835),
        (five.four_bars(40), 620.338333333333),
        (five.bricard(), -29.43),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_they_start_with_the_published_energy(mechanism, total):
    """Guards masses, inertias, heights and speeds at once."""
    assert sum(energy_of(mechanism)) == pytest.approx(total, abs=1e-9)


def test_the_governor_weighs_what_its_boxes_weigh():
    """Guards A05's inertias: of a rod with its ball about the pivot, of all about the shaft, and what slides."""
    system, q, _ = start_of(five.flyball_governor())
    M, spans = tree_mass_matrix(system.compiled, q), system.compiled.spans
    of = {name: M[span.v, span.v].item() for name, span in spans.items()}
    rod = 0.3 / 3 + 0.3 * 0.01**2 / 12
    assert of["right_pivot"] == pytest.approx(rod + 5.0, rel=1e-12)
    assert of["left_pivot"] == pytest.approx(rod + 5.0, rel=1e-12)
    assert of["slide"] == pytest.approx(3.0, rel=1e-12)
    cosine = math.cos(math.radians(30.0))
    middle, ball = 0.05 + 0.5 * cosine, 0.05 + cosine
    own = 0.3 / 12 * ((0.01**2 + 1.0) * cosine**2 + 2 * 0.01**2 * (1 - cosine**2))
    shaft, slider = 0.3 * 2 * 0.01**2 / 12, 3.0 * 2 * 0.1**2 / 12
    assert of["spin"] == pytest.approx(shaft + slider + 2 * (0.3 * middle**2 + own + 5.0 * ball**2), rel=1e-12)


def test_springs_start_with_their_lengths():
    """Guards the ends of springs: 0.5 m in the governor, at rest, and Andrews' from C to D as its formulas place D."""
    system, q, _ = start_of(five.flyball_governor())
    assert len(system.springs) == 2
    for spring in system.springs:
        start, end = system.frames(spring, q)
        assert math.dist(start[:3], end[:3]) == pytest.approx(0.5, abs=1e-15)
    system, q, _ = start_of(five.squeezing_mechanism())
    c, s = math.cos(0.4552798191630703803), math.sin(0.4552798191630703803)
    D = (-0.03635 + 0.018 * s + 0.02 * c, 0.03273 - 0.018 * c + 0.02 * s)
    start, end = system.frames(system.springs[0], q)
    assert (start[:2], end[:2]) == (pytest.approx((0.014, 0.072)), pytest.approx(D, abs=1e-15))
    assert system.springs[0].kind.code == FREE


def test_andrews_mechanism_starts_with_the_published_accelerations():
    """Guards A03 whole: torque, masses and geometry decide beta'' and Theta''; all else, spring too, is in balance."""
    system, q, qd = start_of(five.squeezing_mechanism())
    found = dict(zip(system.compiled.spans, system.accelerations(q, qd), strict=True))
    assert found.pop("beta") == pytest.approx(14222.4439199541387, rel=1e-12)
    assert found.pop("Theta") == pytest.approx(-10666.8329399655854, rel=1e-12)
    assert list(found.values()) == pytest.approx([0.0] * 5, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "times", "method", "tolerance", "within"),
    [
        (five.simple_pendulum(), [0.0, 1.0, 2.0], "DOP853", 1e-12, 1e-9),
        (five.four_bars(2), [0.0, 0.2, 0.35], "DOP853", 1e-10, 1e-8),
        pytest.param(five.squeezing_mechanism(), [0.0, 0.03], "DOP853", 1e-8, 1e-6, marks=pytest.mark.slow),
        (five.bricard(), [0.0, 1.0], "DOP853", 1e-7, 1e-5),
        (five.flyball_governor(), [0.0, 0.1], "Radau", 1e-8, 1e-7),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_the_models_are_those_of_the_benchmark(mechanism, times, method, tolerance, within):
    """Guards the models against our engine: another way of solving them, by SciPy, comes to the published values."""
    expected = [mechanism.exact([t])[0] if mechanism.exact else mechanism.known[t] for t in times]
    assert integrated(mechanism, times, method, tolerance) == pytest.approx(np.array(expected), abs=within)


@pytest.mark.parametrize("mechanism", some(FIVE, FIVE[:-1]), ids=lambda mechanism: mechanism.name)
def test_the_engine_moves_them_as_published(mechanism):
    """Guards loops, motors and stiff springs: at exact 1e-5 of each value, loops within 1e-9 m, energy within 1e-6."""
    times = [0.0, *mechanism.known]
    run = program.simulate(mechanism, times, "exact")
    expected = np.array([program.reference_at(mechanism, time) for time in times])
    error = np.abs(run.values_at(times) - expected) / np.maximum(np.abs(expected), 1e-3)
    assert error.max() < 1e-5
    assert run.report.loop_error <= 1e-9
    assert run.energy_drift < 1e-6 * run.report.energy_scale


def test_the_program_tells_values_in_the_order_asked(monkeypatch, capsys):
    """Guards the one line of JSON: keys, and a row a time, in any order, twice the same, and 0."""
    monkeypatch.setattr("sys.argv", ["mechanisms.py", "A01", "--at", "2", "1", "0", "1", "--json"])
    assert program.main() == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert set(told) == {"values", "energy_drift", "loop_error", "wall_s"}
    expected = [*five.simple_pendulum().exact([2.0, 1.0, 0.0, 1.0])]
    assert np.array(told["values"]) == pytest.approx(np.array(expected), abs=1e-5)
    assert 0.0 < told["energy_drift"] < 1e-3
    assert told["wall_s"] > 0.0


@pytest.mark.parametrize(
    ("count", "coarse", "fine", "at_most"),
    [(5, "draft", "good", 2.5), (20, "draft", "good", 2.5), (5, "good", "exact", 4.3)],
)
def test_steps_keep_their_order_where_loops_pass_through_singular_positions(count, coarse, fine, at_most):
    """Guards the order of explicit steps in loops: errors 100 times smaller take 100^(1/8) = 1.8 times as many of them.

    With order 4 it would be 3.2 times as many; 333 times smaller, 2.1 and 4.3 times. Near where all bars lie in a line,
    some steps are rejected; of 20 loops at "exact" a third are, by rounding, so that these tell nothing of the order.
    """
    mechanism = five.four_bars(count)
    steps = []
    for accuracy in (coarse, fine):
        run = Simulation(mechanism.model, np.linspace(0.0, 5.0, 6), accuracy, mechanism.initial, "explicit")
        run.run()
        steps.append(run.report.steps)
        assert run.report.relative_drift < (1e-8 if accuracy != "draft" else 1e-5)
    assert steps[1] < at_most * steps[0]
