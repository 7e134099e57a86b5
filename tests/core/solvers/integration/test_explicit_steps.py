# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit steps of orders 8 and 5: their errors on an oscillation, and which of them a motion takes."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from limberjack.core.geometry import Box
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from limberjack.core.solvers.integration.dop853 import COUNT, dop853_step
from limberjack.core.solvers.integration.dopri5 import dopri5_step
from limberjack.core.solvers.integration.step_order import WAIT_AFTER_FAILURE
from support.touching import LEVEL, NO_TURN, scene, solid

ROUGH = Surface(friction=0.6)


def stepped(method, h, tolerance=1.0):
    """One step of x'' = -x from x = 1 at rest: its error, and what the method says of it."""
    slopes, y = np.zeros((COUNT + 3, 4)), np.array([1.0, 0.0, 0.0, 0.0])

    def rates(system, time, state, implicit, out):
        out[:] = state[1], -state[0], 0.0, 0.0

    calls = SimpleNamespace(rates=rates, project=lambda *_: True)
    rates(None, 0.0, y, 0.0, slopes[0])
    trial = np.zeros(4)
    found = method(calls, None, y, trial, slopes, 0.0, h, tolerance)
    assert slopes[COUNT] == pytest.approx([trial[1], -trial[0], 0.0, 0.0])
    return max(abs(trial[0] - math.cos(h)), abs(trial[1] + math.sin(h))), found


@pytest.mark.parametrize(("method", "order", "long"), [(dop853_step, 8, 1.2), (dopri5_step, 5, 0.4)])
def test_the_error_of_a_step_falls_with_its_order(method, order, long):
    """Guards coefficients: half the step has 2^(order + 1) times less error, and the estimate falls with it."""
    error, (estimate, rate, *_) = stepped(method, long)
    half, (half_estimate, *_) = stepped(method, 0.5 * long)
    assert error / half == pytest.approx(2.0 ** (order + 1), rel=0.3)
    assert error < estimate
    assert 2.0 ** (order - 1) < estimate / half_estimate < 2.0 ** (order + 2)
    assert rate == pytest.approx(1.0, rel=0.5)


def test_order_8_foretells_the_error_of_order_5():
    """Guards the choice: what a step of order 8 says of order 5 is what this then has, but for a factor of ten."""
    for h in (0.1, 0.3, 0.9):
        foretold = stepped(dop853_step, h, 1e-6)[1][2]
        assert 0.1 < foretold / stepped(dopri5_step, h, 1e-6)[1][0] < 10.0


def pendulum(speed):
    axis = Axis(xyz=(0.0, 1.0, 0.0))
    links = [Link("rod", 1.0, (0.0, 0.0, -0.5), (0.02, 0.0, 0.0, 0.03, 0.0, 0.025))]
    model = Model(links=links, joints=[Joint("pivot", "revolute", WORLD, "rod", axes=[axis])])
    return model, {"qd": {"pivot": speed}}


def evaluations_per_frame(model, initial, accuracy, frames=100, fps=50.0):
    """How often forces are evaluated in a frame, when the motion is under way."""
    run, counts = Simulation(model, np.arange(frames + 1) / fps, accuracy, initial), []
    for _ in run:
        counts.append(run.report.evaluations)
    return (counts[-1] - counts[frames // 2]) / (frames - frames // 2)


def test_slow_motion_takes_half_of_the_evaluations():
    """Guards speed: what hardly moves between frames takes steps of order 5, and what moves far those of order 8."""
    box = solid("box", Box((0.2, 0.2, 0.1)), 1.0, ROUGH), (0.0, 0.0, 0.05, *NO_TURN)
    assert evaluations_per_frame(scene(ROUGH, LEVEL, box), None, "good") <= 7.0
    assert evaluations_per_frame(*pendulum(0.01), "good") <= 7.0
    assert evaluations_per_frame(*pendulum(3.0), "exact") >= 12.0


def test_accuracy_does_not_depend_on_frames():
    """Guards tolerances: a slow swing at 200 frames a second, in steps of order 5, is as near the truth as at ten."""
    model, initial = pendulum(0.3)
    times = np.linspace(0.0, 2.0, 401)
    truth = Simulation(model, times, "exact", initial).run().q[::20]
    often = Simulation(model, times, "good", initial).run().q[::20]
    seldom = Simulation(model, times[::20], "good", initial).run().q
    assert np.abs(seldom - truth).max() < 3e-6
    assert np.abs(often - truth).max() < 3e-6


def test_a_failed_step_of_order_5_is_one_of_order_8():
    """Guards the way back: where the tolerance is missed, order 8 takes the step, and stays for a while."""
    model, initial = pendulum(3.0)
    run = Simulation(model, np.arange(61) / 50.0, "exact", initial)
    now = run._stage.solver._stepping[0]
    frames = iter(run)
    while run.frames_done < 20:
        next(frames)
    steps, rejected, now.is_low_order = int(now.steps), int(now.rejected), 1
    now.step = 1.0
    next(frames)
    assert now.is_low_order == 0
    assert now.low_order_wait in (WAIT_AFTER_FAILURE, WAIT_AFTER_FAILURE - 1)
    assert (now.rejected - rejected, now.steps - steps) == (1, 1)
