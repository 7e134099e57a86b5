# SPDX-License-Identifier: GPL-3.0-or-later
"""Ground that gives way."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface

from .asking import Asker, MissedError, Motion
from .curves import between, peaks, through, zero_within
from .worlds import UPRIGHT, World, Y, about, diagonal

Values = Iterator[tuple[str, float]]


def ball_on_springs(p: dict, height: float, g: float, speed: float = 0.0) -> World:
    world = World((0.0, 0.0, -g))
    world.floor(Surface(stiffness=p["k"], dissipation=p["d"]))
    place = (0.0, 0.0, p["radius"] + height)
    world.solid("a", Sphere(p["radius"]), Surface(), p["mass"], place, v=(0.0, 0.0, -speed))
    return world


def hunt_crossley(ask: Asker) -> Values:
    """Both ends of the contact are read off the parabolas of the flights before and after it."""
    p = ask.p
    falls = math.sqrt(2.0 * p["height"] / p["g"])
    times = np.concatenate(
        [[0.0, 0.5 * falls], np.arange(falls - 0.002, falls + 0.03, 5e-4), falls + 0.04 * np.arange(1, 5)]
    )
    motion = ask.simulate(ball_on_springs(p, p["height"], p["g"]), times)
    z, v = motion.x("a")[:, 2] - p["radius"], motion.v("a")[:, 2]
    deep = peaks(*between(motion.t, -z, begin=falls))
    if not deep:
        raise MissedError("it does not turn round")
    yield "max_depth", deep[0][1]
    first, after = motion.t[np.flatnonzero(z < 0.0)[0]], motion.t[np.flatnonzero(z < 0.0)[-1]]
    began = zero_within(through(*between(motion.t, z, end=first), 0.0, points=3), 0.0, 2.0 * falls)
    flight = between(motion.t, z, v, begin=after)
    rising = through(*flight[:2], after, points=3)
    left = zero_within(rising, float(rising.deriv().roots()[0]) - 1.0, float(rising.deriv().roots()[0]))
    yield "contact_time", left - began
    yield "rebound_speed", flight[2][0] + p["g"] * (flight[0][0] - left)
    speed = math.sqrt(2.0 * p["g"] * p["height"])
    motion = ask.simulate(ball_on_springs(p, 1e-3, 0.0, speed), [0.0, 0.05])
    yield "rebound_speed_no_gravity", motion.v("a")[-1, 2]
    # the linear damping m g d leaves exp(-m g d / (2 m) t) of the first swing
    settled = math.log(1e10) * 2.0 / (p["g"] * p["d"])
    motion = ask.simulate(ball_on_springs(p, 0.0, p["g"]), [0.0, settled])
    yield "rest_depth", p["radius"] - motion.x("a")[-1, 2]


def rest_depth(ask: Asker) -> Values:
    """The reference names no dissipation: this one is near what lets it settle fastest."""
    p, size = ask.p, (0.2, 0.2, 0.2)
    world = World((0.0, 0.0, -p["g"]))
    world.floor(Surface(stiffness=p["k"], dissipation=40.0))
    world.solid("a", Box(size), Surface(), p["mass"], (0.0, 0.0, 0.1))
    motion = ask.simulate(world, [0.0, 3.0])
    yield "depth", 0.1 - motion.x("a")[-1, 2]
    yield "total_force", motion.force("floor", "a")[2]


TIP = 1e-6
"""Metres: the radius of the rod's end, which the reference has as a point."""


def painleve_rod(p: dict, stiffness: float, slip_speed: float) -> World:
    world, length, angle = World((0.0, 0.0, -p["g"])), p["length"], math.radians(p["theta_deg"])
    surface = Surface(friction=p["mu"], dissipation=p["d"], slip_speed=slip_speed)
    world.floor(Surface(friction=p["mu"], stiffness=stiffness, dissipation=p["d"], slip_speed=slip_speed))
    across = p["mass"] * length**2 / 12.0
    tip = Shape("tip", Sphere(TIP), (0.0, 0.0, TIP - 0.5 * length, *UPRIGHT), surface=surface)
    lean = about(Y, 0.5 * math.pi - angle)
    low = (0.5 * length - TIP) * math.sin(angle) + TIP
    rod = world.body("rod", [tip], p["mass"], diagonal(across, across, 1e-9), (0.0, 0.0, low), lean)
    world.free(rod, (-p["v0"], 0.0, -1e-6))
    return world


def painleve(ask: Asker) -> Values:
    p = ask.p
    motion = ask.simulate(painleve_rod(p, p["k"], p["vs"]), np.arange(0.0, 0.03, 5e-5))
    yield from _thrown(p, motion)
    yield "fails", float(any(_fails(ask, p, k, slip) for k in (1e7, 1e9, math.inf) for slip in (p["vs"], 0.0)))


def _thrown(p: dict, motion: Motion) -> Values:
    """How its end stops and leaves, and how the rod moves then; it flies freely after that."""
    low = motion.point("rod", (0.0, 0.0, TIP - 0.5 * p["length"]))
    v, w = motion.v("rod"), motion.w("rod")
    arm = low - motion.x("rod") - np.array([0.0, 0.0, TIP])
    slip = (v + np.cross(w, arm))[:, 0]
    stopped = np.flatnonzero((slip[:-1] < -0.01) & (slip[1:] >= -0.01))
    if not len(stopped):
        raise MissedError("its end slides on")
    i = stopped[0]
    curve = through(motion.t, slip + 0.01, motion.t[i], points=4)
    yield "end_stops_at", zero_within(curve, motion.t[i], motion.t[i + 1])
    gap = low[:, 2] - TIP
    last = int(np.flatnonzero(gap < 0.0)[-1])
    if last + 9 > len(gap):
        raise MissedError("its end does not leave the floor")
    left = zero_within(
        through(motion.t[last + 1 :], gap[last + 1 :], 0.0, points=4), motion.t[last - 1], motion.t[last + 1]
    )
    yield "lifts_off_at", left
    up = v[last + 1, 2] + p["g"] * (motion.t[last + 1] - left)
    yield "vx", v[last + 1, 0]
    yield "vz", up
    yield "omega", -w[last + 1, 1]
    energy = motion.energy("rod")
    yield "energy_ratio", energy[last + 1] / energy[0]


def _fails(ask: Asker, p: dict, stiffness: float, slip_speed: float) -> bool:
    motion = ask.simulate(painleve_rod(p, stiffness, slip_speed), [0.0, 0.01, 0.03])
    energy = motion.energy("rod")
    return not (len(motion.t) == 3 and np.isfinite(energy).all() and energy[-1] <= energy[0] * (1.0 + 1e-6))


CASES = (hunt_crossley, rest_depth, painleve)
