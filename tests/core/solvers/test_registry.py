# SPDX-License-Identifier: GPL-3.0-or-later
"""A solver of another kind, without a `System`: it is registered, recorded and diagnosed by what the protocols say."""

import numpy as np
import pytest

from limberjack.core.controls.inputs import steady_inputs
from limberjack.core.diagnosis import diagnose
from limberjack.core.geometry import Shape, Sphere
from limberjack.core.kinematics.work import make_work
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import SOLVERS, Simulation, SimulationError, SolverEntry
from limberjack.core.solvers.memory_check import checked_memory
from limberjack.core.solvers.protocol import NO_CONTACTS, Counters, Progress, State, WithoutContact
from limberjack.core.spatial import quat_of_mat
from support.maximal import Maximal, spatial_inertia


class Links:
    """The observation: what links do, each with six velocities, and what joints' reactions are."""

    def __init__(self, solver):
        self.state, self.inputs, self.compiled = solver.state, solver.inputs, solver.compiled
        self.maximal = Maximal(self.compiled, self.state.q, self.state.qd)
        self.force_states = make_work(self.compiled.arrays).force_states

    def place(self, X_WL):
        for row, name in enumerate(self.compiled.link_names):
            X = self.maximal.poses[name]
            X_WL[row] = [*X[:3, 3], *quat_of_mat(tuple(X[:3, :3].ravel()))]
        return self.energies()

    def energies(self):
        kinetic = potential = 0.0
        for name, link in self.maximal.links.items():
            X, V = self.maximal.poses[name], self.maximal.twists[name]
            kinetic += 0.5 * V @ spatial_inertia(link) @ V
            potential -= link.mass * np.dot(self.compiled.model.gravity, X[:3, :3] @ link.com + X[:3, 3])
        return kinetic, potential

    def largest_gap(self):
        return 0.0

    def accelerations(self):
        return self.maximal.accelerations(self.inputs.applied_tau)[0]

    def efforts(self):
        return self.inputs.applied_tau.copy()

    def wrenches(self):
        found = {}
        for name, wrench in self.maximal.accelerations(self.inputs.applied_tau)[1].items():
            R = self.maximal.poses[self.compiled.model.joint(name).child][:3, :3]  # X_CJ of these joints does not turn
            found[name] = np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        return found

    def contacts(self):
        return NO_CONTACTS


class MaximalEuler(WithoutContact):
    """Euler's explicit method in steps of 0.1 ms; it gives up where a joint turns faster than 10 rad/s."""

    STEP = 1e-4
    flow = 0.0

    def __init__(self, compiled, constraints, colliders, state, accuracy):
        assert colliders is None
        self.compiled, self.inputs = compiled, steady_inputs(compiled, constraints)
        self.y, self.time = np.concatenate([state.q, state.qd]), np.array([state.time])
        self.q, self.qd = np.split(self.y, [compiled.nq])
        self.counters = Counters()

    @property
    def state(self):
        return State(float(self.time[0]), self.q.copy(), self.qd.copy())

    def control(self, inputs):
        self.inputs = inputs

    def advance(self, time):
        for h in np.diff(np.append(np.arange(self.time[0], time, self.STEP), time)):
            qdd = self.observe().accelerations()
            self.q += h * self.qd
            self.qd += h * qdd
            if np.abs(self.qd).max() > 10.0:
                return Progress.HOPELESS
            self.time += h
        self.time[0] = time
        return Progress.REACHED

    def observe(self):
        return Links(self)

    def snapshot(self):
        return {"y": self.y.copy(), "time": self.time.copy()}

    def validate_memory(self, arrays):
        return checked_memory(arrays, self.snapshot())

    def restore(self, memory):
        self.y[:], self.time[:] = memory["y"], memory["time"]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(SOLVERS, "maximal", SolverEntry(MaximalEuler))


def pendulum(**floor):
    """Two rods on hinges with skew axes."""
    rods = [Link(f"rod{i}", 1.0 + i, (0.05, 0.0, -0.2), (0.02, 0.0, 0.0, 0.02, 0.0, 0.01), **floor) for i in (0, 1)]
    below = (0.0, 0.0, -0.4, 1.0, 0.0, 0.0, 0.0)
    hinges = [
        Joint("upper", "revolute", WORLD, "rod0", axes=[Axis(xyz=(0.0, 1.0, 0.0))]),
        Joint("lower", "revolute", "rod0", "rod1", below, axes=[Axis(xyz=(0.6, 0.8, 0.0))]),
    ]
    return Model("pendulum", rods, hinges)


START = {"q": {"upper": 0.4, "lower": -0.7}, "qd": {"upper": 1.0, "lower": -2.0}}
TIMES = np.linspace(0.0, 0.1, 6)


def run_of(solver, start=START, **settings):
    return Simulation(pendulum(), TIMES, "exact", start, solver, record=("efforts", "wrenches"), **settings)


def farthest(one, other):
    """The largest difference of poses, whatever the signs of their quaternions."""
    turned = np.abs(np.abs(np.sum(one[..., 3:] * other[..., 3:], axis=-1)) - 1.0)
    return max(np.abs(one[..., :3] - other[..., :3]).max(), turned.max())


def test_it_is_recorded():
    """Guards the protocol of observations: poses, energies and wrenches of the toy are those of the default solver."""
    toy, usual = run_of("maximal").run(), run_of("adaptive").run()
    assert farthest(toy.X_WL[:1], usual.X_WL[:1]) < 1e-12
    assert toy.wrenches[0] == pytest.approx(usual.wrenches[0], abs=1e-9)
    assert farthest(toy.X_WL, usual.X_WL) < 1e-4
    assert toy.kinetic == pytest.approx(usual.kinetic, abs=1e-3)
    assert toy.potential - toy.potential[0] == pytest.approx(usual.potential - usual.potential[0], abs=1e-3)
    assert not toy.efforts.any()


def test_it_goes_on_from_a_state():
    """Guards states as values: a snapshot, and a saved state, continue with the same bits."""
    run = run_of("maximal")
    whole = run.run()
    begun = Simulation(pendulum(), TIMES[:3], "exact", START, "maximal")
    begun.run()
    rest = Simulation(pendulum(), TIMES[2:], "exact", begun.state, "maximal").run()
    assert np.array_equal(rest.q, whole.q[2:])


def test_it_is_diagnosed():
    """Guards the doctor without a `System`: a run that fails names link, frame and cause; a sound one has none."""
    sound = run_of("maximal")
    sound.run()
    assert diagnose(sound) == []
    failing = run_of("maximal", START | {"qd": {"lower": 9.9}})
    with pytest.raises(
        SimulationError, match=r"link 'rod\d': the motion cannot be followed past .*, frame \d: "
    ) as failure:
        failing.run()
    assert [found.code for found in diagnose(failure.value)] == ["step-at-floor"]


def test_it_has_no_contact():
    """Guards answers about contact: none, a note that shapes pass through each other, and no contacts to record."""
    model = pendulum(collisions=[Shape("ball", Sphere(0.5))])
    model.contact_pairs = []
    run = Simulation(model, TIMES[:2], solver="maximal")
    run.prefer_time_stepping()
    run.run()
    assert (run.contacts, run.impacts, run.report.contact) == ([], [], None)
    with pytest.raises(ValueError, match="solver 'maximal' has none of; take adaptive"):
        Simulation(model, TIMES, solver="maximal", record=["contacts"])
