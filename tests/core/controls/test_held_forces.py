# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of a callback are constant from one frame to the next, whatever happens to joints in between."""

import itertools
import math

import numpy as np
import pytest

from limberjack.core.model import WORLD, Axis, Joint, Link, Model, StateError
from limberjack.core.simulation import Controls, Forces, Schedule, Simulation

TIMES = np.arange(11) / 50.0
BREAKS = 0.05
"""Between the frames at 0.04 s and 0.06 s [s]."""
SPHERE = (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)
X = (1.0, 0.0, 0.0)


def two_carts(name="rail", **settings):
    """Carts of 2 kg on rails along x, without gravity; the first rail, `name`, has the settings."""
    model = Model(links=[Link(cart, 2.0, inertia=SPHERE) for cart in ("first", "second")], gravity=(0.0, 0.0, 0.0))
    model.joints = [
        Joint(name, "prismatic", WORLD, "first", axes=[Axis(X)], **settings),
        Joint("other", "prismatic", WORLD, "second", axes=[Axis(X)]),
    ]
    return model


class Controller:
    """A controller with a state: a count of its calls, and all that it has seen."""

    def __init__(self, joints=(), links=()):
        self.joints, self.links, self.seen = joints, links, []

    def __call__(self, now):
        self.seen.append(now)
        count = float(len(self.seen))
        return Forces(
            dict.fromkeys(self.joints, count), {name: [count, 0.0, 0.0, 0.0, 0.0, 0.0] for name in self.links}
        )


def run_of(model, controller, **settings):
    run = Simulation(model, TIMES, "exact", controls=Controls(forces=controller, **settings))
    return run, run.run()


def pushed_by(forces):
    """Velocities [m/s] and positions [m] at TIMES of 2 kg, from rest, with one force after the other [N]."""
    speeds = np.concatenate([[0.0], np.cumsum(0.02 * np.array(forces) / 2.0)])
    return speeds, np.concatenate([[0.0], np.cumsum(0.02 * (speeds[1:] + speeds[:-1]) / 2.0)])


SPEEDS, PLACES = pushed_by(range(1, len(TIMES)))
"""Return the simulation of a cart that a `Controller` pushes with 1 N, then 2 N, and so on."""


@pytest.mark.parametrize("released", [math.inf, BREAKS, TIMES[4]], ids=["never", "between frames", "at a frame"])
def test_a_controller_is_called_once_per_period(released):
    """Guards controllers with a state: one call for each interval between frames, at the time of its first frame."""
    controller = Controller()
    run_of(two_carts(released_at=released), controller)
    assert [now.time for now in controller.seen] == TIMES[:-1].tolist()
    assert [now.frame for now in controller.seen] == list(range(1, len(TIMES)))


def test_a_jump_calls_nobody():
    """Guards prescribed motion that jumps between frames: no other call, and the other cart's force goes on."""
    controller = Controller(["other"])
    step = {"rail": lambda time: 0.5 * (time > BREAKS)}
    _, motion = run_of(two_carts(), controller, joints=step)
    assert motion.q[-1, 0] == pytest.approx(0.5, abs=1e-12)
    assert len(controller.seen) == len(TIMES) - 1
    assert motion.qd[:, 1] == pytest.approx(SPEEDS, abs=1e-12)


def test_a_call_has_the_layout_of_its_time():
    """Guards `FrameState.compiled` and `is_new_layout`: values by name are right before and after a break."""
    controller = Controller()
    start = {"q": {"other": 0.25}, "qd": {"rail": 3.0, "other": 4.0}}
    run = Simulation(two_carts(released_at=BREAKS), TIMES, initial=start, controls=Controls(forces=controller))
    run.run()
    counts = [(len(now.q), len(now.qd)) for now in controller.seen]
    assert counts == [(2, 2)] * 3 + [(8, 7)] * 7
    assert [now.is_new_layout for now in controller.seen] == [number in (0, 3) for number in range(10)]
    for now in controller.seen:
        spans = now.compiled.spans
        assert now.q[spans["other"].q] == pytest.approx([0.25 + 4.0 * now.time])
        assert now.qd[spans["other"].v] == pytest.approx([4.0])
        cart = spans["rail"] if now.time < BREAKS else spans["first"]
        assert now.q[cart.q][0] == pytest.approx(3.0 * now.time)
        assert now.X_WL[now.compiled.link_names.index("first"), 0] == pytest.approx(3.0 * now.time)


def test_a_stage_with_the_same_joints_has_no_new_layout():
    """Guards `is_new_layout` where the prescribed motion of a link ends, which begins a stage but changes no joint."""
    model = Model(links=[Link("stone", inertia=SPHERE)])
    controller = Controller()
    path = {"stone": lambda time: (time, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
    run, _ = run_of(model, controller, links=path, released={"stone": BREAKS})
    assert run.report.events == 1
    assert [now.is_new_layout for now in controller.seen] == [True] + [False] * 9


@pytest.mark.parametrize("name", ["rail", "first"])
def test_forces_stay_with_their_joints(name):
    """Guards the hold: a broken joint's force ends with it, and the other joint's goes on, from the same call.

    A free cart keeps the velocity that it had, also if its free joint has the broken joint's name.
    """
    count = itertools.count(1)

    def forces(now):
        joints = [name, "other"] if now.time < BREAKS else ["other"]
        return Forces(dict.fromkeys(joints, float(next(count))))

    _, motion = run_of(two_carts(name, released_at=BREAKS), forces)
    assert motion.X_WL[:, 1, 0] == pytest.approx(PLACES, abs=1e-12)
    speed = SPEEDS[2] + 0.01 * 3.0 / 2.0
    place = PLACES[2] + 0.01 * (SPEEDS[2] + speed) / 2.0
    assert motion.X_WL[3:, 0, 0] == pytest.approx(place + speed * (TIMES[3:] - BREAKS), abs=1e-12)


def test_forces_on_links_go_on_through_a_break():
    """Guards the hold of wrenches: the link that breaks free is pushed on by what was asked for at the frame before."""
    controller = Controller(links=["first"])
    _, motion = run_of(two_carts(released_at=BREAKS), controller)
    assert motion.X_WL[:, 0, 0] == pytest.approx(PLACES, abs=1e-12)


def test_a_force_on_a_joint_that_does_not_act_has_no_effect():
    """Guards callbacks that name a joint before it is enabled and after it breaks, also in a simulation that begins
    then; a joint that never acts is a mistake."""
    controller = Controller(["rail"])
    enabled = {"rail": lambda time: time > BREAKS}
    _, motion = run_of(two_carts(released_at=0.11), controller, schedule=Schedule(enabled=enabled))
    speed = (0.02 * (4 + 5) + 0.01 * 6) / 2.0
    assert motion.X_WL[:4, 0, 0] == pytest.approx(0.0, abs=1e-12)
    assert np.diff(motion.X_WL[6:, 0, 0]) == pytest.approx(0.02 * speed, abs=1e-12)
    late = Simulation(two_carts(released_at=0.11), TIMES + 1.0, controls=Controls(forces=Controller(["rail"])))
    assert late.run().X_WL[:, 0, 0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(StateError, match="no joint 'rail' moves; there are: other, first"):
        run_of(two_carts(enabled=False), Controller(["rail"]))


def test_what_was_returned_is_held():
    """Guards a callback that keeps its `Forces`, and changes the numbers after it has returned them."""
    numbers, asked = [1.0], []

    def forces(_):
        asked.append(numbers[0])
        return Forces({"other": numbers})

    run = Simulation(two_carts(released_at=BREAKS), TIMES, "exact", controls=Controls(forces=forces))
    for _ in run:  # also between frame 2 and the break
        numbers[0] += 1.0
    assert run.trajectory.X_WL[:, 1, 0] == pytest.approx(pushed_by(asked)[1], abs=1e-12)


def test_going_back_calls_again_with_the_layout_of_that_time():
    """Guards `restore`: the frames that are computed again are asked for again, and the break is a new layout again.

    So is the layout before the break, since the controller may remember that of the last call.
    """
    controller = Controller()
    run = Simulation(two_carts(released_at=BREAKS), TIMES, controls=Controls(forces=controller))
    kept = next(run.snapshot() for done in run if done == 2)
    run.run()
    first = [(now.frame, now.time, now.is_new_layout) for now in controller.seen]
    controller.seen.clear()
    run.restore(kept)
    run.run()
    (frame, time, _), *later = first[1:]
    again = [(now.frame, now.time, now.is_new_layout) for now in controller.seen]
    assert again == [(frame, time, True), *later]
