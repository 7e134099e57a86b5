# SPDX-License-Identifier: GPL-3.0-or-later
"""Prescribed motion that jumps: what jumps is placed anew without a velocity, and one line says so."""

import math

import numpy as np
import pytest

from limberjack.core.diagnosis import diagnose
from limberjack.core.geometry import Box, Shape
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Controls, Simulation

G = 9.81
TIMES = np.arange(49) / 24
JUMPS_AT = 0.5


def block(name: str, size: tuple[float, float, float], place: tuple[float, float, float]) -> Link:
    inertia = (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)
    return Link(name, 1.0, inertia=inertia, pose=(*place, 1.0, 0.0, 0.0, 0.0), collisions=[Shape(name, Box(size))])


def lift() -> Model:
    """A lift with its surface at 1.1 m, which controls move, and a crate on it; far below them is the ground."""
    model = Model(
        "lift", [block("lift", (2.0, 2.0, 0.2), (0.0, 0.0, 1.0)), block("crate", (0.2,) * 3, (0.0, 0.0, 1.2))]
    )
    model.links.append(block("ground", (60.0, 60.0, 1.0), (0.0, 0.0, -9.5)))
    model.joints.append(Joint("floor", "fixed", WORLD, "ground", (0.0, 0.0, -9.5, 1.0, 0.0, 0.0, 0.0)))
    return model


def stepped(*places, at=JUMPS_AT):
    """A pose that is the first place before the time `at`, then the second one, and so on every 0.25 s."""

    def pose(time):
        number = 0 if time < at else 1 + int((time - at) / 0.25)
        return [*places[min(number, len(places) - 1)], 1.0, 0.0, 0.0, 0.0]

    return pose


def moved(pose, accuracy="good", convex=False, times=TIMES):
    run = Simulation(lift(), times, accuracy, controls=Controls(links={"lift": pose}))
    if convex:
        run.prefer_time_stepping()
    return run, run.run()


def told(run) -> list[str]:
    return [str(found) for found in diagnose(run) if found.code == "motion-jumps"]


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
@pytest.mark.parametrize("convex", [False, True])
def test_what_lies_on_a_lift_that_jumps_away_falls(accuracy, convex):
    """Guards stepped keys: the crate falls from rest, as in closed form, and one line has the link, frame and way."""
    run, motion = moved(stepped((0.0, 0.0, 1.0), (5.0, 0.0, 1.0)), accuracy, convex)
    crate, plate = (motion.X_WL[:, motion.link_names.index(name), :3] for name in ("crate", "lift"))
    fallen = 1.2 - 0.5 * G * np.maximum(TIMES - JUMPS_AT, 0.0) ** 2
    flies = fallen > -8.5
    assert crate[flies, 2] == pytest.approx(fallen[flies], abs=1e-3 if accuracy != "draft" else 1e-2)
    assert np.abs(crate[:, :2]).max() < 1e-6
    assert plate[:, 0] == pytest.approx(np.where(TIMES < JUMPS_AT, 0.0, 5.0), abs=1e-12)
    assert run.report.relative_drift < 1e-6
    (line,) = told(run)
    assert line.startswith("link 'lift': ")
    assert "jumps by 5 m at 0.5 s, frame 12" in line


@pytest.mark.parametrize("place", [(0.0, 0.0, 1.1), (0.0, 0.0, 1.15), (0.95, 0.0, 1.05)])
@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_what_a_lift_jumps_into_is_pushed_out_gently(place, accuracy):
    """Guards overlaps after a jump: the crate comes to rest on the lift, and is slower than 4 m/s on its way."""
    run, motion = moved(stepped((0.0, 0.0, 1.0), place), accuracy)
    crate = motion.X_WL[:, motion.link_names.index("crate"), :3]
    assert crate[-1, 2] == pytest.approx(place[2] + 0.2, abs=3e-3)
    assert crate[:, 2].max() < place[2] + (0.5 if accuracy == "draft" else 0.22)
    assert np.abs(np.diff(crate, axis=0)).max() * 24.0 < 4.0
    assert [found.code for found in diagnose(run)] == ["motion-jumps"]


def test_a_jump_between_two_frames():
    """Guards jumps that no frame is at: the crate falls from that time on."""
    _, motion = moved(stepped((0.0, 0.0, 1.0), (0.0, 0.0, -5.0), at=0.51))
    crate = motion.X_WL[:, motion.link_names.index("crate"), 2]
    before = TIMES < 1.2
    assert crate[before] == pytest.approx(1.2 - 0.5 * G * np.maximum(TIMES[before] - 0.51, 0.0) ** 2, abs=1e-6)


def test_many_jumps_are_one_line():
    """Guards keys stepped again and again: the largest jump is told, with the number of the others."""
    places = [(0.0, 0.0, 1.0), (3.0, 0.0, 1.0), (3.0, 0.0, 3.0), (3.0, 7.0, 3.0)]
    (line,) = told(moved(stepped(*places))[0])
    assert "jumps by 7 m at 1 s, frame 24, and at 2 other times" in line


@pytest.mark.parametrize("seconds", [1.0, 0.04, 1e-3])
def test_fast_motion_is_no_jump(seconds):
    """Guards fast motion: a lift that drops by 9 m in a second, a frame or a millisecond moves and does not jump."""

    def pose(time):
        part = min(max((time - JUMPS_AT) / seconds, 0.0), 1.0)
        return [0.0, 0.0, 1.0 - 9.0 * part**3 * (10.0 - 15.0 * part + 6.0 * part**2), 1.0, 0.0, 0.0, 0.0]

    controls = Controls(links={"lift": pose})
    model = lift()
    for link in model.links:
        link.collisions = []
    run = Simulation(model, TIMES, controls=controls)
    run.run()
    assert told(run) == []


def pendulum() -> Model:
    """A bob of 1 kg, 1 m below a cart that slides along x."""
    cart = Joint("rail", "prismatic", WORLD, "cart", axes=[Axis(xyz=(1.0, 0.0, 0.0))])
    hinge = Joint("hinge", "revolute", "cart", "bob", axes=[Axis(xyz=(0.0, 1.0, 0.0))])
    bob = Link("bob", 1.0, com=(0.0, 0.0, -1.0), inertia=(1e-9,) + (0.0,) * 2 + (1e-9, 0.0, 1e-9))
    return Model("pendulum", [Link("cart"), bob], [cart, hinge])


def test_what_hangs_on_a_joint_that_jumps_swings_on():
    """Guards prescribed joints: a pendulum keeps its angle and its rate, so it swings as if its cart stood still."""
    start = {"q": {"hinge": 0.3}, "qd": {"hinge": 1.0}}
    swings = []
    for place in (0.0, 4.0):
        controls = Controls(joints={"rail": lambda time, place=place: place if time >= 0.77 else 0.0})
        run = Simulation(pendulum(), TIMES, "exact", start, controls=controls)
        motion = run.run()
        swings.append(motion.q[:, motion.joints["hinge"][0][0]])
        assert run.report.relative_drift < 1e-8
    assert swings[1] == pytest.approx(swings[0], abs=1e-8)
    (line,) = told(run)
    assert line.startswith("joint 'rail': ")
    assert "jumps by 4 m at 0.77 s, frame 19" in line


def test_a_jump_in_a_turn_is_told_in_degrees():
    """Guards poses that turn in place: the angle of the jump is told."""

    def pose(time):
        angle = 0.0 if time < JUMPS_AT else 0.5 * math.pi
        return [0.0, 0.0, 1.0, math.cos(0.5 * angle), 0.0, 0.0, math.sin(0.5 * angle)]

    (line,) = told(moved(pose)[0])
    assert "jumps by 1.57 rad (90°)" in line


def test_back_to_a_frame_before_a_jump_and_on_from_one_after_it():
    """Guards snapshots and saved states around a jump: the motion goes on with the same bits."""
    pose = stepped((0.0, 0.0, 1.0), (5.0, 0.0, 1.0))
    run = Simulation(lift(), TIMES, controls=Controls(links={"lift": pose}))
    kept, states = {}, {}
    for done in run:
        if done not in kept:
            kept[done], states[done] = run.snapshot(), run.state
    whole = run.trajectory.X_WL.copy()
    for frames in (8, 13, 20):
        run.restore(kept[frames])
        assert np.array_equal(run.run().X_WL, whole)
        assert len(told(run)) == 1
        later = Simulation(lift(), TIMES[frames - 1 :], controls=Controls(links={"lift": pose}), initial=states[frames])
        assert np.array_equal(later.run().X_WL, whole[frames - 1 :])
