# SPDX-License-Identifier: GPL-3.0-or-later
"""Blows, one at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limberjack.core.geometry import Box, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD

from .asking import Asker, MissedError, Motion
from .curves import at, between, peaks
from .worlds import ORIGIN, UPRIGHT, World, Y, Z, about, diagonal, matrix

Values = Iterator[tuple[str, float]]


def blow(motion: Motion, number: int) -> float:
    """The time of a blow, counted from 0."""
    blows = motion.blows()
    if number >= len(blows):
        raise MissedError(f"it has {len(blows)} impacts, and none of number {number + 1}")
    return blows[number][0].time


def between_blows(motion: Motion, number: int, *curves: np.ndarray) -> tuple[np.ndarray, ...]:
    """Times and curves from one blow to the next, number 0 being what comes before the first."""
    times = [blows[0].time for blows in motion.blows()]
    return between(motion.t, *curves, begin=[-np.inf, *times][number], end=[*times, np.inf][number])


def dropped_ball(ask: Asker, end: float, rate: int) -> Motion:
    p = ask.p
    world, surface = World((0.0, 0.0, -p["g"])), Surface(restitution=p["e"])
    world.floor(surface)
    world.solid("a", Sphere(p["radius"]), surface, p["mass"], (0.0, 0.0, p["height"] + p["radius"]))
    return ask.simulate(world, np.linspace(0.0, end, 1 + round(rate * end)))


def peak_after(motion: Motion, number: int, radius: float) -> float:
    """How high the ball comes after a blow, the first being number 0; its flight is a parabola."""
    blow(motion, number)
    t, z = between_blows(motion, number + 1, motion.x("a")[:, 2] - radius)
    found = peaks(t, z, points=3)
    if not found:
        raise MissedError(f"no top after impact {number + 1}")
    return found[0][1]


def bounce(ask: Asker) -> Values:
    motion = dropped_ball(ask, 4.5, 50)
    for i in range(5):
        yield f"peak{i + 1}", peak_after(motion, i, ask.p["radius"])
    yield "impact1", blow(motion, 0)
    yield "impact6", blow(motion, 5)
    if abs(motion.v("a")[-1, 2]) > 1e-9:
        raise MissedError(f"it still moves at {motion.v('a')[-1, 2]:.1e} m/s after all bounces")
    yield "rest_time", motion.impacts[-1].time


def bounce_elastic(ask: Asker) -> Values:
    motion = dropped_ball(ask, 18.2, 25)
    yield "peak_after", peak_after(motion, ask.p["count"] - 1, ask.p["radius"])
    yield "impact_last", blow(motion, ask.p["count"] - 1)


def oblique(ask: Asker) -> Values:
    """It starts 1 mm above the floor: nothing changes on the way there."""
    p = ask.p
    world, surface = World(ORIGIN), Surface(friction=p["mu"], restitution=p["e"])
    world.floor(surface)
    place, v, w = (0.0, 0.0, p["radius"] + 1e-3), (p["vx"], 0.0, p["vz"]), (0.0, p["omega_y"], 0.0)
    world.solid("a", Sphere(p["radius"]), surface, p["mass"], place, v=v, w=w)
    motion = ask.simulate(world, [0.0, 0.1])
    yield "vx", motion.v("a")[-1, 0]
    yield "vz", motion.v("a")[-1, 2]
    yield "omega_y", motion.w("a")[-1, 1]


def bounce_oblique_slide(ask: Asker) -> Values:
    return oblique(ask)


def bounce_oblique_grip(ask: Asker) -> Values:
    return oblique(ask)


def pendulum_wall(ask: Asker) -> Values:
    """Smooth, as the reference's impulse has no arm but the rod: friction at the ball's side would have one."""
    p = ask.p
    world, surface, tip = World((0.0, 0.0, -p["g"])), Surface(friction=0.0, restitution=p["e"]), 0.01
    world.standing("wall", Plane((1.0, 0.0, 0.0)), surface, (-tip, 0.0, 0.0))
    length, across = p["length"], p["mass"] * p["length"] ** 2 / 12.0
    end = Shape("tip", Sphere(tip), (0.0, 0.0, -0.5 * length, *UPRIGHT), surface=surface)
    rod = world.body("rod", [end], p["mass"], diagonal(across, across, 1e-4), (0.0, 0.0, -0.5 * length))
    world.joint("hinge", "continuous", WORLD, rod, ORIGIN, Y)
    world.initial["q"]["hinge"] = -math.radians(p["angle0_deg"])  # the rod is at x > 0, where the wall lets it swing
    motion = ask.simulate(world, np.linspace(0.0, 1.4, 141))
    yield "impact_time", blow(motion, 0)
    angle, rate = -motion.trajectory.q[:, 0], -motion.trajectory.qd[:, 0]
    before = at(*between_blows(motion, 0, rate), blow(motion, 0))
    after = at(*between_blows(motion, 1, rate), blow(motion, 0))
    yield "omega_before", -before
    top = peaks(*between_blows(motion, 1, angle))
    yield "peak_deg", math.degrees(top[0][1]) if top else math.nan
    yield "second_impact", blow(motion, 1)
    struck = abs(motion.impacts[0].impulse[0])
    yield "impulse", struck
    yield "hinge_impulse", 0.5 * p["mass"] * length * (after - before) - struck


def door_stop(ask: Asker) -> Values:
    """The stop is a smooth ball that the door's face meets at `stop_at` from the hinge."""
    p = ask.p
    world, surface, half = World((0.0, 0.0, -p["g"])), Surface(friction=0.0, restitution=p["e"]), 0.02
    turned = about(Z, math.radians(p["angle_deg"]))
    world.standing("stop", Sphere(half), surface, matrix(turned) @ (p["stop_at"], 2.0 * half, 0.0))
    moment = p["mass"] * p["width"] ** 2 / 12.0
    leaf = Shape("leaf", Box((p["width"], 2.0 * half, 1.0)), surface=surface)
    door = world.body("door", [leaf], p["mass"], diagonal(1.0, moment, moment), (0.5 * p["width"], 0.0, 0.0))
    world.joint("hinge", "continuous", WORLD, door, ORIGIN, Z, p["omega0"])
    motion = ask.simulate(world, np.linspace(0.0, 1.0, 11))
    yield "time", blow(motion, 0)
    (before,), (after,) = motion.trajectory.qd[0], motion.trajectory.qd[-1]
    yield "omega_after", after
    struck = float(np.linalg.norm(motion.impacts[0].impulse))
    yield "stop_impulse", struck
    yield "hinge_impulse", abs(struck - 0.5 * p["mass"] * p["width"] * (before - after))


GAP = 1e-9
"""Metres above the floor at which an edge starts that is about to strike: on the way it turns by 1e-9 rad."""


def box_edge(ask: Asker, mu: float) -> Values:
    p = ask.p
    world, surface = World(ORIGIN), Surface(friction=mu, restitution=p["e"])
    world.floor(surface)
    quat, size = about(Y, -math.radians(p["tilt_deg"])), (p["w"], p["depth"], p["h"])
    corners = [matrix(quat) @ (0.5 * a * p["w"], 0.0, 0.5 * b * p["h"]) for a in (-1, 1) for b in (-1, 1)]
    place = (0.0, 0.0, GAP - min(corner[2] for corner in corners))
    v, w = (p["vx"], 0.0, p["vz"]), (0.0, -p["omega"], 0.0)
    world.solid("a", Box(size), surface, p["mass"], place, quat, v, w)
    motion = ask.simulate(world, [0.0, 1e-5])
    blow(motion, 0)
    yield "vx", motion.v("a")[-1, 0]
    yield "vz", motion.v("a")[-1, 2]
    yield "omega", -motion.w("a")[-1, 1]
    yield "impulse_z", abs(sum(impact.impulse[2] for impact in motion.blows()[0]))
    # where it starts, it may count as touching already, and have been struck by the first frame
    turning = (p["w"] * p["w"] + p["h"] * p["h"]) / 12.0 * p["omega"] * p["omega"]
    before = 0.5 * p["mass"] * (p["vx"] * p["vx"] + p["vz"] * p["vz"] + turning)
    yield "energy_lost", before - motion.kinetic("a")[-1]


def box_edge_smooth(ask: Asker) -> Values:
    return box_edge(ask, 0.0)


def box_edge_stick(ask: Asker) -> Values:
    return box_edge(ask, 0.5)


def two_spheres(ask: Asker) -> Values:
    p = ask.p
    world, surface = World(ORIGIN), Surface(friction=0.0, restitution=p["e"])
    away = math.sqrt(4.0 * p["radius"] ** 2 - p["offset"] ** 2) + 0.01
    world.solid("a", Sphere(p["radius"]), surface, p["m1"], (-away, 0.0, 0.0), v=(p["v0"], 0.0, 0.0))
    world.solid("b", Sphere(p["radius"]), surface, p["m2"], (0.0, p["offset"], 0.0))
    motion = ask.simulate(world, [0.0, 0.3])
    for number, name in ((1, "a"), (2, "b")):
        vx, vy, _ = motion.v(name)[-1]
        yield f"v{number}x", vx
        yield f"v{number}y", vy


def galilean_cannon(ask: Asker) -> Values:
    """Energy counts from where both balls touch each other, but for the gap, and the floor."""
    p = ask.p
    world, surface = World((0.0, 0.0, -p["g"])), Surface(restitution=p["e"])
    world.floor(surface)
    low, high = p["r1"], 2.0 * p["r1"] + p["r2"] + p["gap"]
    world.solid("big", Sphere(p["r1"]), surface, p["m1"], (0.0, 0.0, low + p["height"]))
    world.solid("small", Sphere(p["r2"]), surface, p["m2"], (0.0, 0.0, high + p["height"]))
    motion = ask.simulate(world, np.linspace(0.0, 0.6, 61))
    hit = next((impact.time for impact in motion.impacts if {impact.first, impact.second} == {"big", "small"}), None)
    if hit is None:
        raise MissedError("the balls do not meet")
    frame = int(np.searchsorted(motion.t, hit, side="right"))
    yield "v2_after", motion.v("small")[frame, 2] + p["g"] * (motion.t[frame] - hit)
    kept = motion.energy("big")[frame] + motion.energy("small")[frame]
    yield "energy", kept - p["g"] * (p["m1"] * low + p["m2"] * high)


def cradle(p: dict, surface: Surface, gap: float, gravity: tuple) -> World:
    world = World(gravity)
    for i in range(p["n"]):
        x = i * (2.0 * p["radius"] + gap)
        shape = Sphere(p["radius"])
        moments = diagonal(*[0.4 * p["mass"] * p["radius"] ** 2] * 3)
        link = world.body(f"b{i}", [Shape("ball", shape, surface=surface)], p["mass"], moments, (x, 0.0, -p["length"]))
        speed = -p["v0"] / p["length"] if i == 0 else 0.0  # a turn about y takes what hangs towards -x
        world.joint(f"h{i}", "continuous", WORLD, link, (x, 0.0, 0.0), Y, speed)
    return world


def newtons_cradle(ask: Asker) -> Values:
    """Without gaps they move without gravity, so that strings do not change speeds while the balls part."""
    p = ask.p
    rigid = Surface(friction=0.0, restitution=p["e"])
    motion = ask.simulate(cradle(p, rigid, 1e-4, (0.0, 0.0, -p["g"])), np.linspace(0.0, 1e-3, 101))
    frame = int(np.searchsorted(motion.t, blow(motion, p["n"] - 2), side="right"))  # later, strings slow the last one
    v = [motion.v(f"b{i}")[frame, 0] for i in range(p["n"])]
    yield "last_speed", v[-1]
    yield "others_speed", max(map(abs, v[:-1]))
    soft = Surface(friction=0.0, stiffness=2.0 * p["k"])
    motion = ask.simulate(cradle(p, soft, 0.0, ORIGIN), [0.0, 0.02])
    for i in range(p["n"]):
        yield f"touching_compliant_v{i + 1}", -p["length"] * motion.w(f"b{i}")[-1, 1]


CASES = (
    bounce,
    bounce_elastic,
    bounce_oblique_slide,
    bounce_oblique_grip,
    pendulum_wall,
    door_stop,
    box_edge_smooth,
    box_edge_stick,
    two_spheres,
    galilean_cannon,
    newtons_cradle,
)
