# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that are switched off, or let go at a time: what they held flies on with the motion that it has."""

import math

import numpy as np
import pytest

from limberjack.core.geometry import Box
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.linkages import apart, upright_four_bar
from support.models import matrix
from support.piecewise import follow
from support.touching import NO_TURN, solid

G = 9.81
X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
MASS, LENGTH = 1.2, 0.9
INERTIA = MASS * LENGTH**2 / 12


def rods(count, **settings):
    """Rods that hang one below the other on hinges, `hinge0` from the world on; settings are of `hinge0`."""
    model = Model()
    for i in range(count):
        inertia = (INERTIA, 0.0, 0.0, INERTIA, 0.0, 1e-3)
        model.links.append(Link(f"rod{i}", MASS, (0.0, 0.0, -LENGTH / 2), inertia))
        place = (0.0, 0.0, -LENGTH if i else 0.0, 1.0, 0.0, 0.0, 0.0)
        parent = f"rod{i - 1}" if i else WORLD
        model.joints.append(Joint(f"hinge{i}", "revolute", parent, f"rod{i}", place, axes=[Axis(xyz=Y)]))
    for name, value in settings.items():
        setattr(model.joints[0], name, value)
    return model


SPUN = {"qd": {"crank_pivot": 2.5}}


def coms(motion, model):
    """Of all links together, shape (frames, 3) [m]."""
    total = sum(link.mass for link in model.links)
    return np.array(
        [
            sum(
                link.mass * (matrix(tuple(pose)) @ (*link.com, 1.0))[:3]
                for link, pose in zip(model.links, poses, strict=True)
            )
            / total
            for poses in motion.X_WL
        ]
    )


def pitch(motion, link=0):
    """By how much a link is turned about y, which it is about nothing else, shape (frames,) [rad]."""
    quats = motion.X_WL[:, link, 3:]
    assert np.abs(quats[:, [1, 3]]).max() < 1e-9
    return np.unwrap(2.0 * np.arctan2(quats[:, 2], quats[:, 0]))


@pytest.mark.parametrize("which", ["crank_pivot", "rocker_pin", "rocker_pivot"])
@pytest.mark.parametrize("closes_loop", [False, True])
def test_a_joint_that_is_off_is_as_if_it_were_not_there(which, closes_loop):
    """Guards `enabled`: in a loop or in the tree, a joint that is off leaves the motion of the model without it."""
    times = np.linspace(0.0, 1.0, 25)
    off, without = upright_four_bar(), upright_four_bar()
    off.joint(which).enabled = False
    off.joint(which).closes_loop = closes_loop
    without.joints.remove(without.joint(which))
    start = {"qd": {"crank_pin": -1.5}}
    wanted = Simulation(without, times, "exact", start).run()
    found = Simulation(off, times, "exact", start).run()
    assert found.link_names == wanted.link_names
    assert found.X_WL == pytest.approx(wanted.X_WL, abs=1e-12)


def test_a_joint_that_is_off_bears_nothing_that_it_has():
    """Guards `enabled` against leftovers: neither spring, nor drive, nor limit of a joint that is off acts."""
    axis = Axis(xyz=X, lower=-0.1, upper=0.1, spring_stiffness=100.0, spring_reference=1.0, friction=3.0)
    axis.drive_mode, axis.drive_target = "force", 20.0
    model = Model(links=[Link("cart", 2.0)])
    model.joints.append(Joint("rail", "prismatic", WORLD, "cart", axes=[axis], enabled=False))
    times = np.linspace(0.0, 1.0, 25)
    motion = Simulation(model, times, "exact").run()
    fallen = np.outer(-0.5 * G * times**2, (0.0, 0.0, 1.0))
    assert motion.X_WL[:, 0, :3] == pytest.approx(fallen, abs=1e-9)


def test_a_joint_named_like_its_link_lets_go():
    """Guards names: the free joint that a released link gets has the link's name, but is not the hinge of that name."""
    motions = []
    for name in ("hinge0", "rod0"):
        model = rods(1, released_at=0.3, name=name)
        motions.append(Simulation(model, np.linspace(0.0, 0.6, 16), "exact", {"q": {name: 1.3}}).run())
    assert np.array_equal(motions[0].X_WL, motions[1].X_WL)


@pytest.mark.parametrize("closes_loop", [False, True])
@pytest.mark.parametrize("begin", [0.0, 10.0])
def test_a_pendulum_let_go_flies_off(begin, closes_loop):
    """Guards `released_at`, in the time that frames are counted in: a parabola and an even spin, within 1e-6.

    Before it, the frames are those of a pendulum that is never released.
    """
    start, let_go = 1.3, 0.537
    times = np.linspace(0.0, 1.5, 61)
    model = rods(1, released_at=begin + let_go, closes_loop=closes_loop)
    initial = {"q": {"hinge0": start}}
    if closes_loop:
        half = (math.cos(start / 2.0), 0.0, math.sin(start / 2.0), 0.0)
        model.joints.append(Joint("float", "free", WORLD, "rod0"))
        initial = {"q": {"float": [0.0, 0.0, 0.0, *half]}}
    pull = MASS * G * LENGTH / 2 / (INERTIA + MASS * LENGTH**2 / 4)
    held = np.append(times[times < let_go], let_go)
    swing = follow(held, (start, 0.0), "", lambda _, y: [y[1], -pull * math.sin(y[0])], lambda _: [])
    angle, speed = swing[-1]
    after = times[times >= let_go] - let_go
    at = -LENGTH / 2 * np.array([math.sin(angle), math.cos(angle)])
    velocity = -LENGTH / 2 * speed * np.array([math.cos(angle), -math.sin(angle)])
    flight = at + np.outer(after, velocity) - 0.5 * G * np.outer(after**2, (0.0, 1.0))
    hung = -LENGTH / 2 * np.stack([np.sin(swing[:-1, 0]), np.cos(swing[:-1, 0])], axis=1)
    run = Simulation(model, begin + times, "exact", initial)
    motion = run.run()
    assert pitch(motion) == pytest.approx(np.concatenate([swing[:-1, 0], angle + speed * after]), abs=1e-6)
    assert coms(motion, model)[:, [0, 2]] == pytest.approx(np.concatenate([hung, flight]), abs=1e-6)
    assert run.report.relative_drift < 1e-6
    assert run.report.events == 1
    never = Simulation(rods(1), begin + times, "exact", {"q": {"hinge0": start}}).run()
    before = times < let_go
    assert motion.X_WL[before] == pytest.approx(never.X_WL[before], abs=1e-9)


def test_a_chain_let_go_keeps_its_momentum():
    """Guards what hangs on a released joint: three rods tumble on, their common com on a parabola, energy kept."""
    let_go = 0.61
    times = np.concatenate([np.linspace(0.0, let_go, 12), np.linspace(let_go, 1.6, 41)[1:]])
    model = rods(3, released_at=let_go)
    run = Simulation(model, times, "exact", {"q": {"hinge0": 1.2, "hinge1": -0.7, "hinge2": 0.5}})
    motion = run.run()
    after = times[12:] - let_go
    way = coms(motion, model)[12:] + 0.5 * G * np.outer(after**2, (0.0, 0.0, 1.0))
    straight = way[0] + np.outer(after - after[0], (way[-1] - way[0]) / (after[-1] - after[0]))
    assert way == pytest.approx(straight, abs=1e-7)
    moved = np.array([np.ptp(pitch(motion, i)[12:] - pitch(motion)[12:]) for i in (1, 2)])
    assert moved.min() > 0.1  # the hinges between them still turn
    for i in (1, 2):
        above, below = motion.X_WL[:, i - 1], motion.X_WL[:, i]
        ends = np.array([(matrix(tuple(pose)) @ (0.0, 0.0, -LENGTH, 1.0))[:3] for pose in above])
        assert ends == pytest.approx(below[:, :3], abs=1e-9)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("closes_loop", [False, True])
@pytest.mark.parametrize("which", ["rocker_pin", "crank_pivot"])
def test_a_loop_let_go_becomes_a_chain(which, closes_loop):
    """Guards release in a loop: after it, the links move as the opened chain, begun from what they had, within 1e-6."""
    let_go, end = 0.5, 1.2
    model, chain = upright_four_bar(), upright_four_bar()
    model.joint(which).released_at = let_go
    model.joint(which).closes_loop = closes_loop
    chain.joints.remove(chain.joint(which))
    until, since = np.linspace(0.0, let_go, 11), np.linspace(let_go, end, 21)
    closed = Simulation(upright_four_bar(), until, "exact", SPUN).run()
    at = {name: i for i, (name, _) in enumerate(closed.q_names)}
    kept = [joint.name for joint in chain.joints if joint.name in at]
    state = {
        "q": {name: closed.q[-1, at[name]] for name in kept},
        "qd": {name: closed.qd[-1, at[name]] for name in kept},
    }
    opened = Simulation(chain, since, "exact", state).run()
    assert apart(opened.X_WL[0], closed.X_WL[-1]) < 1e-9  # the reference is in one piece
    run = Simulation(model, np.concatenate([until[:-1], since]), "exact", SPUN)
    motion = run.run()
    assert apart(motion.X_WL[:11], closed.X_WL) <= 1e-9
    assert apart(motion.X_WL[11:], opened.X_WL[1:]) <= 1e-6
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("late", [math.inf, 1.0, 5.0])
def test_what_is_not_released_is_not_touched(late):
    """Guards all other joints: with a time of release at the end or after it, every frame is the very same."""
    times = np.linspace(0.0, 1.0, 25)
    start = {"q": {"hinge0": 1.2, "hinge1": -0.7}}
    motion = Simulation(rods(2, released_at=late), times, "exact", start).run()
    never = Simulation(rods(2), times, "exact", start).run()
    assert motion.X_WL == pytest.approx(never.X_WL, abs=1e-9)
    if math.isinf(late):
        assert np.array_equal(motion.X_WL, never.X_WL)


def test_a_catch_let_go_takes_its_forces_with_it():
    """Guards what a released joint bore: a cart on a spring, a drive and a stop moves on evenly once it is let go."""
    stiffness, mass, start, let_go = 40.0, 2.0, 0.3, 0.25
    axis = Axis(xyz=X, spring_stiffness=stiffness, lower=-0.4, upper=0.35, stiffness=math.inf)
    model = Model(links=[Link("cart", mass)], gravity=(0.0, 0.0, 0.0))
    model.joints.append(Joint("rail", "prismatic", WORLD, "cart", axes=[axis], released_at=let_go))
    times = np.linspace(0.0, 2.0, 49)
    w = math.sqrt(stiffness / mass)
    held = np.minimum(times, let_go)
    x = start * np.cos(w * held) - start * w * math.sin(w * let_go) * (times - held)
    motion = Simulation(model, times, "exact", {"q": {"rail": start}}).run()
    assert motion.X_WL[:, 0, 0] == pytest.approx(x, abs=1e-7)


@pytest.mark.parametrize("accuracy", ["draft", "good", "exact"])
def test_soft_solids_that_overlap_as_a_joint_lets_go_bring_their_energy_in(accuracy):
    """Guards the balance of energies: what two soft boxes get as they spring apart is supplied as they are let go."""
    soft = Surface(friction=0.0, stiffness=1e4)
    boxes = [solid(name, Box((0.2, 0.2, 0.2)), 1.0, soft) for name in ("a", "b")]
    model = Model("boxes", boxes, gravity=(0.0, 0.0, 0.0))
    model.joints = [Joint("glue", "fixed", "a", "b", (0.19, 0.0, 0.0, *NO_TURN), released_at=0.1)]
    run = Simulation(model, np.linspace(0.0, 0.5, 26), accuracy)
    motion = run.run()
    assert motion.supplied[0] == 0.0
    assert motion.kinetic[-1] > 0.1
    assert motion.supplied[-1] == pytest.approx(motion.kinetic[-1], rel=0.05 if accuracy == "draft" else 1e-6)
    assert run.report.relative_drift < (0.05 if accuracy == "draft" else 1e-6)
