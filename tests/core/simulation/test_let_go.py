# SPDX-License-Identifier: GPL-3.0-or-later
"""Links whose prescribed motion ends while they move, against closed forms."""

import math

import numpy as np
import pytest

from limberjack.core.controls.controls import Controls
from limberjack.core.geometry import Shape, Sphere, Surface
from limberjack.core.model import WORLD, Joint, Link, Model, StateError
from limberjack.core.simulation import Simulation

G = 9.81
NOWHERE = (0.0, 0.0, 0.0)
RATE, RADIUS = 3.0, 0.5
UNTURNED = (1.0, 0.0, 0.0, 0.0)
EVEN = (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
TIMES = np.linspace(0.0, 1.0, 41)
AT = TIMES[20]


def whirled(time):
    """Round a circle about Z, without turning."""
    return (RADIUS * math.cos(RATE * time), RADIUS * math.sin(RATE * time), 0.0, *UNTURNED)


def test_a_sling():
    """Guards the velocity at the moment of release: a stone leaves its circle along the tangent, and then falls."""
    model = Model(links=[Link("stone", 1.0, NOWHERE, EVEN)])
    run = Simulation(model, TIMES, "exact", controls=Controls(links={"stone": whirled}, released={"stone": AT}))
    places = run.run().X_WL[:, 0, :3]
    led = TIMES <= AT
    circle = np.array([whirled(time)[:3] for time in TIMES])
    assert np.abs(places[led] - circle[led]).max() < 1e-8
    tangent = RADIUS * RATE * np.array([-math.sin(RATE * AT), math.cos(RATE * AT), 0.0])
    t = (TIMES[~led] - AT)[:, None]
    flight = circle[20] + t * tangent - 0.5 * G * t**2 * (0.0, 0.0, 1.0)
    assert np.abs(places[~led] - flight).max() < 1e-7


def test_a_spin_goes_on():
    """Guards the angular velocity: a link that was turned evenly goes on turning at the same rate."""

    def turned(time):
        return (0.0, 0.0, 0.0, math.cos(time), 0.0, 0.0, math.sin(time))  # 2 rad/s about Z

    model = Model(links=[Link("top", 1.0, NOWHERE, EVEN)], gravity=NOWHERE)
    motion = Simulation(model, TIMES, "exact", controls=Controls(links={"top": turned}, released={"top": AT})).run()
    expected = np.array([turned(time)[3:] for time in TIMES])
    assert np.abs(np.abs(np.sum(motion.X_WL[:, 0, 3:] * expected, axis=1)) - 1.0).max() < 1e-9


def test_what_hangs_on_it_is_let_go_along():
    """Guards machines: the momentum at the release is kept by the link and the pendulum that hangs on it."""
    arm = Link("arm", 1.0, (0.0, 0.0, -0.4), EVEN)
    hinge = Joint("hinge", "revolute", "stone", "arm")
    hinge.axes[0].xyz = (1.0, 0.0, 0.0)
    model = Model(links=[Link("stone", 1.0, NOWHERE, EVEN), arm], joints=[hinge])
    run = Simulation(model, TIMES, "exact", controls=Controls(links={"stone": whirled}, released={"stone": AT}))
    motion = run.run()
    w, x, y, z = motion.X_WL[:, 1, 3:].T
    down = -np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    middle = 0.5 * (motion.X_WL[:, 0, :3] + motion.X_WL[:, 1, :3] + 0.4 * down)
    free = TIMES >= AT
    t = TIMES[free] - AT
    bends = np.polyfit(t, middle[free], 2)
    assert np.abs(bends[0] - (0.0, 0.0, -0.5 * G)).max() < 1e-5
    assert np.abs(np.polyval(bends[:, 2], t) - middle[free][:, 2]).max() < 1e-7


def test_it_pushes_others_until_then():
    """Guards contact: what is led strikes like a wall, however light; an elastic ball leaves twice as fast."""
    bouncy = Shape("ball", Sphere(0.1), surface=Surface(restitution=1.0, friction=0.0))
    links = [
        Link("led", 1e-3, NOWHERE, EVEN, collisions=[bouncy]),
        Link("struck", 5.0, NOWHERE, EVEN, pose=(0.5, 0.0, 0.0, *UNTURNED), collisions=[bouncy]),
    ]

    def along(time):
        return (time, 0.0, 0.0, *UNTURNED)  # touches at 0.3 s

    model = Model(links=links, gravity=NOWHERE)
    controls = Controls(links={"led": along}, released={"led": AT})
    motion = Simulation(model, TIMES, controls=controls).run()
    assert np.abs(motion.X_WL[:, 0, 0] - TIMES).max() < 1e-6
    expected = 0.5 + 2.0 * np.maximum(TIMES - 0.3, 0.0)
    assert np.abs(motion.X_WL[:, 1, 0] - expected).max() < 1e-6


def test_going_back_before_the_release():
    """Guards previews: a motion that is cut before the release, and computed again, is the same to the last bit."""
    model = Model(links=[Link("stone", 1.0, NOWHERE, EVEN)])
    run = Simulation(model, TIMES, controls=Controls(links={"stone": whirled}, released={"stone": AT}))
    frames = iter(run)
    while run.frames_done < 10:
        next(frames)
    kept = run.snapshot()
    first = run.run().X_WL.copy()
    run.restore(kept)
    assert (run.run().X_WL == first).all()


def test_a_link_that_is_not_led_cannot_be_released():
    """Guards misspelt names."""
    model = Model(links=[Link("stone", 1.0, NOWHERE, EVEN)])
    with pytest.raises(
        StateError, match="link 'stone' is released, but its motion is not prescribed; prescribed are: none"
    ):
        Simulation(model, TIMES, controls=Controls(released={"stone": AT}))


def test_it_may_be_led_to_the_end():
    """Guards a release after the last frame: nothing changes."""
    model = Model(links=[Link("stone", 1.0, NOWHERE, EVEN)])
    late = Controls(links={"stone": whirled}, released={"stone": 2.0})
    never = Controls(links={"stone": whirled})
    one, other = (Simulation(model, TIMES, controls=controls).run().X_WL for controls in (late, never))
    assert (one == other).all()


def test_joints_that_hold_the_world_hold_it_then():
    """Guards a hand-over to a joint: a bob that is led along its arc swings on as a pendulum from there."""
    bob = Link("bob", 1.0, (0.0, 0.0, -1.0), (0.0,) * 6)
    hinge = Joint("hinge", "revolute", WORLD, "bob")
    hinge.axes[0].xyz = (0.0, 1.0, 0.0)

    def swung(time):
        return (0.0, 0.0, 0.0, math.cos(0.5 * time), 0.0, math.sin(0.5 * time), 0.0)  # 1 rad/s

    model = Model(links=[bob], joints=[hinge])
    run = Simulation(model, TIMES, "exact", controls=Controls(links={"bob": swung}, released={"bob": AT}))
    motion = run.run()
    q, qd = motion.q[:, 0], motion.qd[:, 0]
    free = TIMES >= AT
    assert np.abs(q[~free] - TIMES[~free]).max() < 1e-8
    energy = 0.5 * qd[free] ** 2 - G * np.cos(q[free])
    assert np.abs(energy - (0.5 - G * math.cos(AT))).max() < 1e-6
