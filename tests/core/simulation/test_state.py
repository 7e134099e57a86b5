# SPDX-License-Identifier: GPL-3.0-or-later
"""A state is a value: what is taken at a frame, kept or written down, goes on bit for bit as if nobody had stopped."""

import copy
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.model import WORLD, Axis, Joint, Link, Model, StateError
from limberjack.core.simulation import Controls, Forces, Schedule, Simulation, Tether, failure
from support.cases import some

SAMPLES = sorted((Path(__file__).parents[3] / "sample_scenes").glob("*.sdf"))
TIMES = np.arange(49) / 24.0
RECORD = ("efforts", "wrenches")


def same(one, other):
    """Whether all that two motions tell is the same, bit for bit."""
    fields = [item.name for item in dataclasses.fields(one) if isinstance(getattr(one, item.name), np.ndarray)]
    assert {"X_WL", "q", "qd", "kinetic", "supplied", "efforts", "wrenches"} <= set(fields)
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True) for name in fields)


def arms(**second):
    """Two bars on hinges, the first with a stop and friction, the second with what is given."""
    bar = (1e-3, 0.0, 0.0, 0.1, 0.0, 0.1)
    links = [Link(name, 1.0, (0.5, 0.0, 0.0), bar) for name in ("upper", "lower")]
    links[1].pose = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    first = Axis((0.0, 1.0, 0.0), upper=0.8, restitution=0.4, friction=0.1)
    joints = [
        Joint("shoulder", "revolute", WORLD, "upper", axes=[first]),
        Joint("elbow", "revolute", "upper", "lower", X_PJ=(1, 0, 0, 1, 0, 0, 0), axes=[Axis((0, 1, 0), **second)]),
    ]
    return Model(links=links, joints=joints)


def scheduled():
    """All kinds of numbers that change in time, of `arms` with a position drive."""
    axes = {
        ("elbow", 0): {
            "drive_target": lambda time: 0.3 * time,
            "drive_stiffness": lambda time: 50.0 + time,
            "damping": lambda time: 0.1 * time,
            "effort": lambda time: 8.0 - time,
        }
    }
    force = {"lower": {"force": lambda time: (0.0, time, 1.0)}}
    return Schedule(axes, force, gravity=lambda time: (0.0, time, -9.81), wind=lambda time: (time, 0.0, 0.0))


def driven():
    return arms(drive_mode="position", drive_stiffness=50.0, drive_damping=2.0)


def pinned(**pin):
    """With a second hold, on the lower bar's end, where it is drawn."""
    model = arms()
    end = Joint("pin", "ball", WORLD, "lower", X_PJ=(2, 0, 0, 1, 0, 0, 0), X_CJ=(1, 0, 0, 1, 0, 0, 0), **pin)
    model.joints.append(end)
    return model


def pushed(moment):
    return Forces(links={"lower": [*np.cross(moment.X_WL[1, :3], (0.0, 3.0, 0.0)), 0.0, 0.0, 0.0]})


CASES = {
    "scheduled": (driven(), Controls(schedule=scheduled())),
    "prescribed": (arms(), Controls(joints={"shoulder": lambda time: 0.4 * np.sin(3.0 * time)})),
    "pulled": (arms(), Controls(tethers=[Tether("lower", (1.0, 0.0, 0.0), lambda time: (1.0, time, 0.0), 40.0, 4.0)])),
    "pushed": (arms(), Controls(forces=pushed)),
    "caught": (pinned(enabled=False), Controls(schedule=Schedule(enabled={"pin": lambda time: 0.5 < time < 1.5}))),
    "released": (pinned(released_at=0.6), Controls()),
}
"""A model each, and what acts on it."""


@pytest.mark.parametrize("solver", some(("adaptive", "explicit", "implicit"), ["adaptive"]))
@pytest.mark.parametrize("name", CASES)
def test_a_motion_goes_on_from_a_snapshot(name, solver):
    """Guards `restore`: whatever acts, the frames after a snapshot are the same the second time, and the report."""
    model, controls = CASES[name]
    run = Simulation(model, TIMES, solver=solver, controls=controls, record=RECORD)
    kept = []
    for done in run:
        if done in (1, 9, 20, 33) and done not in [state.frames for state in kept]:
            kept.append(run.snapshot())
    whole, report = copy.deepcopy(run.trajectory), run.report
    for state in reversed(kept):
        run.restore(state)
        assert len(run.trajectory) == run.frames_done == state.frames
        assert same(run.run(), whole)
        assert dataclasses.replace(run.report, wall_time=0.0) == dataclasses.replace(report, wall_time=0.0)


@pytest.mark.parametrize("path", some(SAMPLES, SAMPLES[::4]), ids=lambda path: path.stem)
def test_two_halves_are_the_whole(path):
    """Guards states that are written down: text goes from one simulation to another, and not a bit is lost."""
    model = read(path).model
    whole = Simulation(model, TIMES, record=RECORD).run()
    first = Simulation(model, TIMES[:25], record=RECORD)
    first.run()
    second = Simulation(model, TIMES[24:], initial=json.loads(json.dumps(first.state)), record=RECORD)
    assert same(second.run(), whole.since(24))
    assert second.report.steps < first.report.steps + second.report.steps


@pytest.mark.parametrize("name", ["scheduled", "prescribed", "pulled", "pushed", "released"])
def test_two_halves_of_what_is_controlled(name):
    """Guards that inputs go on by the time that a state carries, and that the forces of a callback are held in it."""
    model, controls = CASES[name]
    whole = Simulation(model, TIMES, controls=controls, record=RECORD).run()
    first = Simulation(model, TIMES[:21], controls=controls, record=RECORD)
    first.run()
    second = Simulation(model, TIMES[20:], initial=first.state, controls=controls, record=RECORD)
    own, rest = second.run(), whole.since(20)
    if name == "released":  # what acts no more is no part of the second half
        assert np.array_equal(own.X_WL, rest.X_WL)
    else:
        assert same(own, rest)


def test_a_compiled_model_stays_as_it_is():
    """Guards the constant model: what is scheduled is written to no array of it."""
    model, controls = CASES["scheduled"]
    run = Simulation(model, TIMES, controls=controls)
    before = copy.deepcopy(run.compiled.arrays)
    run.run()
    for name, array in before._asdict().items():
        assert np.array_equal(array, getattr(run.compiled.arrays, name)), name


def test_a_state_that_was_changed_starts_anew():
    """Guards a stale memory: another number, model, solver or accuracy is told, and q and qd alone count."""
    run = Simulation(arms(), TIMES[:25])
    run.run()
    state, text = run.state, "starts anew from its q and qd"
    turned = copy.deepcopy(state)
    turned["q"]["elbow"][0] += 0.1
    heavier = arms()
    heavier.links[1].mass = 1.5
    for settings in (
        {"model": arms(), "initial": turned},
        {"model": heavier, "initial": state},
        {"model": arms(), "initial": state, "accuracy": "draft"},
        {"model": arms(), "initial": state, "solver": "implicit"},
    ):
        other = Simulation(times=TIMES[24:], **settings)
        assert any(text in note for note in other.report.notes)
        motion = other.run()
        assert motion.q[0] == pytest.approx([settings["initial"]["q"][name][0] for name in ("shoulder", "elbow")])
    fresh = Simulation(arms(), TIMES, initial=state)  # from the beginning of another time
    assert not fresh.report.notes
    assert fresh.run().q[0] == pytest.approx(run.trajectory.q[-1])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"continuation": 3}, "'continuation' is not as it was saved"),
        ({"continuation": {"memory": ""}}, "'continuation' is not as it was saved"),
        ({"time": "noon"}, "'time' must be a finite number of seconds, found 'noon'"),
        ({"tau": {}}, "'tau' is not known; allowed are q, qd, time, continuation, broken"),
    ],
)
def test_what_is_no_state(change, said):
    """Guards files that were edited: one line says what is wrong with them."""
    run = Simulation(arms(), TIMES[:2])
    run.run()
    with pytest.raises(StateError, match=said):
        Simulation(arms(), TIMES[1:], initial=run.state | change)


def test_a_state_is_that_of_a_frame():
    """Guards the middle of a frame, and joints that hold what no state can say."""
    model, controls = CASES["caught"]
    run = Simulation(model, TIMES, controls=controls)
    with pytest.raises(RuntimeError, match="a state is that of a frame"):
        run.snapshot()
    for done in run:
        if done == 25:
            break
    with pytest.raises(StateError, match="joint 'pin' took hold of its links while they moved"):
        _ = run.state


def test_a_trajectory_gives_the_state_at_a_frame():
    """Guards `Trajectory.state`: a simulation begins where and as fast as another was, every kind of joint included."""
    for path in SAMPLES[:4]:
        if path.stem == "car":
            continue  # without its tyres, which SDF has no words for, it drops onto the floor, and each digit counts
        model = read(path).model
        whole = Simulation(model, TIMES, "exact").run()
        again = Simulation(model, TIMES[20:], "exact", whole.state(model, 20)).run()
        assert again.q[0] == pytest.approx(whole.q[20], abs=1e-12)
        assert again.qd[0] == pytest.approx(whole.qd[20], abs=1e-9)
        assert again.X_WL[-1] == pytest.approx(whole.X_WL[-1], abs=1e-6)
    missing = Simulation(arms(), TIMES[:2]).run().state(pinned(), 0)
    assert list(missing["q"]) == ["shoulder", "elbow"]


def test_the_doctor_comes_when_called(monkeypatch):
    """Guards the price of a report: looking at it asks the doctor nothing."""
    visits = []
    monkeypatch.setattr(failure, "_doctors", [lambda facts: visits.append(facts) or []])
    run = Simulation(arms(), TIMES[:3])
    run.run()
    assert run.report.frames == 3
    assert not visits
    assert run.diagnose() == []
    assert len(visits) == 1
