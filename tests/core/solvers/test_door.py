# SPDX-License-Identifier: GPL-3.0-or-later
"""A door with everything on its hinge: closer, damper, dry friction, a rigid stop where it shuts, a soft one open."""

import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.piecewise import Exit, follow

G = 9.81
MASS, WIDTH = 12.0, 0.8
ABOUT_HINGE = MASS * WIDTH**2 / 3.0
CLOSER, PRELOAD, DAMPING, FRICTION = 6.0, 0.35, 1.2, 1.5
OPEN, STOP, DISSIPATION, E = 1.2, 400.0, 0.6, 0.3


def door(tilt, in_loop):
    """It reaches along y, 0 where it is shut, on a hinge that leans by `tilt` towards x, so that it weighs too."""
    axis = Axis(
        xyz=(math.sin(tilt), 0.0, math.cos(tilt)),
        spring_stiffness=CLOSER,
        spring_reference=-PRELOAD,
        damping=DAMPING,
        friction=FRICTION,
        lower=0.0,
        upper=OPEN,
    )
    axis.stiffness, axis.dissipation = STOP, DISSIPATION
    thin = MASS * WIDTH**2 / 12.0
    leaf = Link("leaf", MASS, (0.0, WIDTH / 2.0, 0.0), (thin, 0.0, 0.0, thin, 0.0, thin))
    model = Model(links=[leaf])
    model.joints.append(Joint("hinge", "revolute", WORLD, "leaf", axes=[axis], closes_loop=in_loop))
    if in_loop:
        model.joints.append(Joint("float", "free", WORLD, "leaf"))
    return model


def shutting_rigidly(model):
    """The hinge in two, so that its lower stop is rigid and its upper one soft: a hinge with no more than the former.

    The second one, of the same axis, closes a loop and brings nothing but that limit.
    """
    hinge = model.joint("hinge")
    end = Axis(xyz=hinge.axes[0].xyz, lower=0.0, stiffness=math.inf, restitution=E)
    hinge.axes[0].lower = -math.inf
    model.joints.append(Joint("jamb", "revolute", WORLD, "leaf", axes=[end], closes_loop=True))
    return model


class Swing:
    """The door by SciPy: a mode is (which way it slides, what it touches), and each change is an event.

    It touches nothing, None, or (a side, whether that pushes). Where it is shut, the stop is rigid or, as the open one,
    soft.
    """

    def __init__(self, tilt, rigid):
        self.tilt, self.rigid = tilt, rigid

    def motion(self, times, start):
        """(angle, speed), shape (frames, 2)."""
        return follow(times, start, (int(math.copysign(1.0, start[1])), None), self.rates, self.exits, max_step=5e-3)

    def rates(self, mode, y):
        way, touch = mode
        return [y[1], (self.force(touch, y) - way * FRICTION) / ABOUT_HINGE] if way else [0.0, 0.0]

    def force(self, touch, y):
        """All but friction."""
        weight = -MASS * G * WIDTH / 2.0 * math.sin(self.tilt) * math.cos(y[0])
        force = weight - CLOSER * (y[0] + PRELOAD) - DAMPING * y[1]
        if touch and touch[1]:
            depth, rate = self.depth(touch[0], y)
            force += (-1.0 if touch[0] == "open" else 1.0) * STOP * depth * (1.0 + DISSIPATION * rate)
        return force

    @staticmethod
    def depth(side, y):
        return (y[0] - OPEN, y[1]) if side == "open" else (-y[0], -y[1])

    def turn(self, touch, y):
        """Where its speed is 0, friction holds it or it goes the other way."""
        force = self.force(touch, (y[0], 0.0))
        held = abs(force) <= FRICTION or (self.rigid and y[0] <= 0.0 and force < 0.0)
        return (0 if held else int(math.copysign(1.0, force)), touch), np.array([y[0], 0.0])

    @staticmethod
    def land(y):
        if -E * y[1] < 1e-9:  # bounces for ever, in no time
            return (0, None), np.zeros(2)
        return (1, None), np.array([0.0, -E * y[1]])

    def exits(self, mode):
        way, touch = mode
        if way == 0:
            return []
        turn = Exit(lambda y: way * y[1], lambda y: self.turn(touch, y))
        if touch is None:
            shut = self.land if self.rigid else lambda y: ((way, ("shut", True)), y)
            opens = Exit(lambda y: OPEN - y[0], lambda y: ((way, ("open", True)), y))
            return [turn, opens, Exit(lambda y: y[0], shut)]
        side, pressed = touch
        sign = 1.0 if pressed else -1.0
        leaves = Exit(lambda y: self.depth(side, y)[0], lambda y: ((way, None), y))
        let_go = (way, (side, not pressed))
        return [
            turn,
            leaves,
            Exit(lambda y: sign * (1.0 + DISSIPATION * self.depth(side, y)[1]), lambda y: (let_go, y)),
        ]


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("tilt", [0.0, 0.05])
@pytest.mark.parametrize("rigid", [False, True])
def test_a_door_swings_open_and_falls_shut(rigid, tilt, in_loop):
    """Guards all that acts on an axis at once: 8 s within 1e-5 rad of SciPy's, and then at rest."""
    start = (0.4, 4.0)
    times = np.linspace(0.0, 8.0, 193)
    expected = Swing(tilt, rigid).motion(times, start)
    assert expected[:, 0].max() > OPEN + 0.01
    assert np.ptp(expected[-12:, 0]) == 0.0
    model = door(tilt, in_loop)
    if rigid:
        shutting_rigidly(model)
    moves = "float" if in_loop else "hinge"
    half = (math.cos(start[0] / 2.0), *(math.sin(start[0] / 2.0) * np.array(model.joint("hinge").axes[0].xyz)))
    spin = [0.0, 0.0, 0.0, *(start[1] * np.array(model.joint("hinge").axes[0].xyz))]
    initial = {
        "q": {moves: [0.0, 0.0, 0.0, *half] if in_loop else start[0]},
        "qd": {moves: spin if in_loop else start[1]},
    }
    run = Simulation(model, times, "exact", initial)
    turns = run.run().X_WL[:, 0, 3:]
    angle = 2.0 * np.arctan2(turns[:, 1:] @ np.array(model.joint("hinge").axes[0].xyz), turns[:, 0])
    assert angle == pytest.approx(expected[:, 0], abs=1e-5)
    if rigid:
        assert np.abs(angle[-12:]).max() <= 1e-9
        assert angle.min() >= -1e-9
    assert np.ptp(angle[-12:]) <= 1e-9
    assert run.report.relative_drift < 1e-5
