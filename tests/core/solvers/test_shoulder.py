# SPDX-License-Identifier: GPL-3.0-or-later
"""A heavy arm on a ball with cone and twist limits: thrown about, sliding along the cone, turning to and fro."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.piecewise import follow

G = 9.81
MASS, ARM, SPUN = 3.0, 0.3, 0.02
ACROSS = 0.06
"""Inertias [kg m^2]: SPUN about the arm's own line, ACROSS about lines across it, through its com."""
DOWN = np.array([0.0, 0.0, -1.0])


def shoulder(direction, in_loop=False, gravity=G, inertias=(ACROSS, SPUN), arm=ARM, **fields):
    """An arm along `direction`, about which it is round; fields are of the axes: cone={...}, twist={...}."""
    u = np.array(direction)
    I = inertias[0] * np.eye(3) + (inertias[1] - inertias[0]) * np.outer(u, u)
    limb = Link("arm", MASS, tuple((arm * u).tolist()), tuple(I[np.triu_indices(3)].tolist()))
    model = Model(links=[limb], gravity=(0.0, 0.0, -gravity))
    axes = [
        Axis(),
        Axis(),
        Axis(),
        Axis(xyz=tuple(u.tolist()), **fields.get("cone", {})),
        Axis(**fields.get("twist", {})),
    ]
    model.joints.append(Joint("socket", "ball", WORLD, "arm", axes=axes, closes_loop=in_loop))
    if in_loop:
        model.joints.append(Joint("float", "free", WORLD, "arm"))
    return model


def initial(model, spin, turn=None):
    """As `initial` of a simulation: spin in the arm's axes."""
    x, y, z, w = (turn or Rotation.identity()).as_quat()
    if len(model.joints) > 1:
        return {"q": {"float": [0, 0, 0, w, x, y, z]}, "qd": {"float": [0, 0, 0, *spin]}}
    return {"q": {"socket": [w, x, y, z]}, "qd": {"socket": list(spin)}}


def turns_of(motion):
    quats = motion.X_WL[:, 0, 3:]
    return Rotation.from_quat(np.roll(quats, -1, axis=1))


def cone_angles(turns, u):
    carried = turns.apply(u)
    return np.arctan2(np.linalg.norm(np.cross(u, carried), axis=1), carried @ u)


def twist_angles(turns, u):
    """About u, once the shortest turn that takes u back to its place has been taken off."""
    carried = turns.apply(u)
    axis = np.cross(carried, u)
    size = np.linalg.norm(axis, axis=1, keepdims=True)
    back = np.where(size > 1e-12, axis / np.maximum(size, 1e-12), 0.0) * np.arctan2(size, (carried @ u)[:, None])
    return (Rotation.from_rotvec(back) * turns).as_rotvec() @ u


RIGID = {"stiffness": math.inf}


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_thrown_arm_stays_in_its_cone(e, in_loop):
    """Guards the cone as a smooth wall: never 1e-9 rad beyond, with all that it cannot change kept through impacts.

    Its push turns about a line across both the cone's axis, here the vertical, and the arm: so the vertical part of the
    angular momentum stays, and the arm's spin about its own line.
    """
    model = shoulder(DOWN, in_loop, cone={"upper": 0.6, "restitution": e, **RIGID})
    times = np.linspace(0.0, 4.0, 401)
    run = Simulation(model, times, "exact", initial(model, (3.0, 1.0, 2.0)))
    motion = run.run()
    turns = turns_of(motion)
    angles = cone_angles(turns, DOWN)
    assert angles.max() <= 0.6 + 1e-9
    assert run.report.impacts >= (1 if e == 0.0 else 3)
    spin = motion.qd[:, -3:]
    about_pivot = (ACROSS + MASS * ARM**2) * spin
    about_pivot[:, 2] = SPUN * spin[:, 2]
    upright = turns.apply(about_pivot)[:, 2]
    assert upright == pytest.approx(upright[0], abs=1e-8)
    assert spin[:, 2] == pytest.approx(2.0, abs=1e-8)
    energy = motion.kinetic + motion.potential
    assert np.diff(energy).max() <= 1e-6 * run.report.energy_scale
    assert (np.diff(energy) < -1e-6 * run.report.energy_scale).sum() <= run.report.impacts
    if e == 1.0:
        assert energy == pytest.approx(energy[0], abs=1e-6 * run.report.energy_scale)
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_leaning_cone_with_twist_limits_holds_and_adds_no_energy(seed, in_loop):
    """Guards both limits at once, about any line: neither is passed by 1e-9 rad, and energy never grows."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=3)
    u /= np.linalg.norm(u)
    cone = {"upper": 0.6, "restitution": 0.4, **RIGID}
    twist = {"lower": -0.4, "upper": 0.5, "restitution": 0.7, **RIGID}
    model = shoulder(u, in_loop, cone=cone, twist=twist)
    run = Simulation(model, np.linspace(0.0, 3.0, 301), "exact", initial(model, 4.0 * rng.normal(size=3)))
    motion = run.run()
    turns = turns_of(motion)
    twists = twist_angles(turns, u)
    assert cone_angles(turns, u).max() <= 0.6 + 1e-9
    assert twists.max() <= 0.5 + 1e-9
    assert twists.min() >= -0.4 - 1e-9
    assert np.diff(motion.kinetic + motion.potential).max() <= 1e-6 * run.report.energy_scale
    assert run.report.impacts >= 2
    assert run.report.relative_drift < 1e-6


@pytest.mark.parametrize("in_loop", [False, True])
def test_a_body_turns_to_and_fro_between_twist_limits(in_loop):
    """Guards twist limits: with e = 1 and nothing else acting, the angle goes by the mirror's formula, within 1e-8."""
    u, lower, upper, speed = np.array([0.6, 0.0, 0.8]), -0.4, 0.5, 2.0
    twist = {"lower": lower, "upper": upper, "restitution": 1.0, **RIGID}
    model = shoulder(u, in_loop, gravity=0.0, arm=0.0, twist=twist)
    width = upper - lower
    times = np.linspace(0.0, 12.3 * width / speed, 93)
    run = Simulation(model, times, "exact", initial(model, speed * u))
    turns = turns_of(run.run())
    unfolded = np.mod(speed * times - lower, 2.0 * width)
    assert turns.as_rotvec() @ u == pytest.approx(lower + width - np.abs(unfolded - width), abs=1e-8)
    assert cone_angles(turns, u).max() <= 1e-8
    assert run.report.impacts == 12


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize(("lower", "upper"), [(1.0, math.pi), (-math.pi, -1.0), (1.0, 3.1)])
def test_a_limit_at_half_a_turn_is_a_stop(lower, upper, in_loop):
    """Guards twist limits on the circle: compliant stops at half a turn store energy, and give it all back."""
    u, speed, stiffness = np.array([0.6, 0.0, 0.8]), 2.0, 40.0
    twist = {"lower": lower, "upper": upper, "stiffness": stiffness, "dissipation": 0.0}
    model = shoulder(u, in_loop, gravity=0.0, arm=0.0, twist=twist)
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    state = initial(model, speed * u, Rotation.from_rotvec(middle * u))
    depth = speed * math.sqrt(SPUN / stiffness)
    in_stop = math.pi * math.sqrt(SPUN / stiffness)
    times = np.linspace(0.0, 2.0 * (2.0 * half / speed + in_stop), 401)
    motion = Simulation(model, times, "exact", state).run()
    turned = np.unwrap(turns_of(motion).as_rotvec() @ u) - middle
    assert np.abs(turned).max() == pytest.approx(half + depth, rel=1e-3)
    assert turned[-1] == pytest.approx(turned[0], abs=1e-6)
    energy = motion.kinetic + motion.potential
    assert energy == pytest.approx(energy[0], rel=1e-8)


@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize("spin", [0.0, 5.0])
def test_an_arm_slides_along_its_cone_as_a_pendulum(spin, in_loop):
    """Guards resting on a smooth cone with e = 0: about a leaning axis an arm swings by a pendulum's law, within 1e-6.

    At the angle c from the cone's axis, which leans by b, turned by p about it from the lowest line, the arm of inertia
    A about the pivot has A sin^2 c p'' = -m g l sin b sin c sin p; spin about its own line has no part in it, and the
    weight presses it outwards all the while.
    """
    lean, c, start = 0.5, 0.6, 1.0
    u, low = np.array([math.sin(lean), 0.0, math.cos(lean)]), np.array([math.cos(lean), 0.0, -math.sin(lean)])
    side = np.cross(u, low)
    A = ACROSS + MASS * ARM**2
    times = np.linspace(0.0, 4.0, 97)
    pull = MASS * G * ARM * math.sin(lean) / (A * math.sin(c))
    p = follow(times, (start, 0.0), "", lambda _, y: [y[1], -pull * math.sin(y[0])], lambda _: [])[:, 0]
    outward = np.cos(p)[:, None] * low + np.sin(p)[:, None] * side
    expected = math.cos(c) * u + math.sin(c) * outward
    turn = Rotation.from_rotvec(c * np.cross(u, outward[0]))
    model = shoulder(u, in_loop, cone={"upper": c, "restitution": 0.0, **RIGID})
    run = Simulation(model, times, "exact", initial(model, spin * u, turn))
    motion = run.run()
    turns = turns_of(motion)
    assert turns.apply(u) == pytest.approx(expected, abs=1e-6)
    assert np.abs(cone_angles(turns, u) - c).max() <= 1e-9
    assert motion.dissipated == pytest.approx(0.0, abs=1e-6)
    assert run.report.relative_drift < 1e-6
