# SPDX-License-Identifier: GPL-3.0-or-later
"""Many frames in one call of a kernel: they are those of the same motion frame by frame, to the bit."""

import dataclasses

import numpy as np
import pytest

from limberjack.core.controls.schedule import Schedule
from limberjack.core.diagnosis import SimulationError
from limberjack.core.geometry import Box, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint
from limberjack.core.records.recording import Recorder
from limberjack.core.simulation import Controls, Simulation
from limberjack.core.solvers.frames import LAST
from limberjack.core.solvers.protocol import Progress
from support.mechanisms import four_bar
from support.models import chain
from support.touching import LEVEL, NO_TURN, scene, solid

TIMES = np.linspace(0.0, 1.0, 61)
BOUNCY = Surface(friction=0.4, restitution=0.5)
ENERGIES = ("kinetic", "potential", "dissipated", "supplied")


def pile():
    """More boxes and balls than there is room for at first, which fall on each other and come to rest."""
    boxes = [(solid(f"box{k}", Box((0.2, 0.2, 0.2)), 2.0, BOUNCY), (0.3 * k, 0, 0.12, *NO_TURN)) for k in range(20)]
    balls = [(solid(f"ball{k}", Sphere(0.1), 1.0, BOUNCY), (0.3 * k, 0, 0.5, *NO_TURN)) for k in range(20)]
    return scene(BOUNCY, LEVEL, *boxes, *balls)


def bouncing():
    """A ball whose impacts are events."""
    return scene(BOUNCY, LEVEL, (solid("ball", Sphere(0.1), 1.0, BOUNCY), (0.0, 0.0, 0.4, *NO_TURN)))


def let_go():
    """A ball that is released between two frames."""
    model = bouncing()
    model.joints.append(Joint("hook", "fixed", WORLD, "ball", X_PJ=model.joints[1].X_PJ, released_at=0.3333))
    del model.joints[1]
    return model


def breaking():
    """A ball that hangs from a joint that breaks, in the middle of the motion, as a swing."""
    model = bouncing()
    model.joints[1] = Joint("arm", "revolute", WORLD, "ball", X_PJ=(0, 0, 0.6, *NO_TURN), X_CJ=(0.4, 0, 0, *NO_TURN))
    model.joints[1].axes = [Axis(xyz=(0.0, 1.0, 0.0))]
    model.joints[1].break_force = 20.0
    return model


MODELS = {
    "chain": lambda: chain(5),
    "four-bar": four_bar,
    "pile": pile,
    "bouncing": bouncing,
    "let go": let_go,
    "breaking": breaking,
}


def results(run):
    """All that a motion leaves, as bytes and numbers."""
    motion, report, touches = run.trajectory, run.report, run._stage.touches(0.0)
    found = [motion.X_WL, motion.q, motion.qd, *(getattr(motion, name) for name in ENERGIES)]
    contacts = [(*contact.point, *contact.force, contact.gap) for contact in run.contacts]
    lines = touches.lines.tobytes() if touches else b""
    counts = report.steps, report.events, report.impacts, report.loop_error
    return [part.tobytes() for part in found], lines, contacts, counts, run._tally


@pytest.mark.parametrize("name", MODELS)
def test_parts_are_what_single_frames_are(name):
    """Guards bits: frames, contacts, counts and the flow of energy do not depend on how many frames a call computes."""
    single, whole = (Simulation(MODELS[name](), TIMES, "draft") for _ in range(2))
    seen = list(single)
    assert set(range(1, 62)) <= set(seen)
    whole.run()
    assert results(whole) == results(single)


@pytest.mark.parametrize("name", ["chain", "bouncing"])
def test_a_part_has_many_frames(name):
    """Guards speed: a small motion takes few calls, and is at a frame after each, so that a bake may be stopped."""
    run = Simulation(MODELS[name](), np.linspace(0.0, 1.0, 1001), "draft")
    seen = list(run.parts(500))
    assert len(seen) < 50
    assert seen[-1] == run.frames_done == 500
    assert run.snapshot().frames == 500


@pytest.mark.parametrize("name", ["chain", "four-bar", "pile", "bouncing", "let go"])
@pytest.mark.parametrize("convex", [False, True])
def test_loads_are_those_of_observations(monkeypatch, name, convex):
    """Guards efforts and wrenches: a kernel writes what observations tell, in trees, loops and contact."""
    whole, single = (Simulation(MODELS[name](), TIMES, "draft", record=("efforts", "wrenches")) for _ in range(2))
    for run in (whole, single):
        if convex:
            run.prefer_time_stepping()
        run.run()
        monkeypatch.setattr(Recorder, "needs_observations", True)
    assert results(whole)[:3] == results(single)[:3]
    assert whole.trajectory.efforts.tobytes() == single.trajectory.efforts.tobytes()
    assert whole.trajectory.wrenches.tobytes() == single.trajectory.wrenches.tobytes()
    assert np.abs(np.nan_to_num(whole.trajectory.wrenches)).max() > 1.0


def test_inputs_that_change_are_set_at_each_frame():
    """Guards controls: a drive's target changes from frame to frame in a run as it does frame by frame."""

    def driven():
        model = chain(2)
        joint = model.joints[0]
        drive = {"drive_mode": "position", "drive_stiffness": 100.0, "drive_damping": 10.0, "effort": 50.0}
        joint.axes[0] = dataclasses.replace(joint.axes[0], **drive)
        targets = {(joint.name, 0): {"drive_target": lambda time: np.sin(7.0 * time)}}
        return Simulation(model, TIMES, controls=Controls(schedule=Schedule(axes=targets)))

    single, whole = driven(), driven()
    for _ in single:
        pass
    whole.run()
    assert results(whole) == results(single)
    assert np.abs(np.diff(whole.trajectory.supplied)).max() > 0.0


def test_a_failure_keeps_the_frames_before_it():
    """Guards the frames of a call that fails: those before are there, and the message names the next one."""
    run = Simulation(chain(1), np.linspace(0.0, 1.0, 11))
    solver = run._stage.solver
    advance = solver.advance

    def failing(time, ahead=None):
        ahead.frames.numbers[LAST] = 4
        advance(time, ahead)
        return Progress.HOPELESS

    solver.advance = failing
    with pytest.raises(SimulationError, match="frame 5"):
        run.run()
    assert run.frames_done == 5


def test_a_state_within_a_part_is_refused():
    """Guards saved states: between two frames there is none, and the frames that are done stay."""
    run = Simulation(pile(), TIMES, "good", contact=True)
    parts = run.parts()
    while run._stage.solver.state.time == (TIMES[run.frames_done - 1] if run.frames_done else 0.0):
        next(parts)
    with pytest.raises(RuntimeError, match="not at one"):
        _ = run.state
    assert len(run.trajectory) == run.frames_done


def test_nothing_that_moves():
    """Guards the least of models: one that has no coordinate is written too."""
    motion = Simulation(scene(BOUNCY, LEVEL), TIMES).run()
    assert motion.X_WL.shape == (61, 1, 7)
    assert (motion.X_WL == [0, 0, 0, *NO_TURN]).all()
