# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks and feet that slide, and stick."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface

from .asking import Asker, Motion
from .curves import end_of_fall, turned
from .worlds import ORIGIN, UPRIGHT, World, diagonal, down_a_slope

STUCK = 1e-5
"""Metres that what sticks may move. The reference's 1 cm in 2 s would itself move the threshold by 0.026 degrees."""

Values = Iterator[tuple[str, float | Callable[[], float]]]


def block(size: tuple, mass: float, mu: float, gravity: tuple, **start) -> World:
    """A box "a" that lies on the floor."""
    world, surface = World(gravity), Surface(friction=mu)
    world.floor(surface)
    world.solid("a", Box(tuple(size)), surface, mass, (0.0, 0.0, 0.5 * size[2]), **start)
    return world


def moved(motion: Motion, name: str, since: int = 0) -> float:
    x = motion.x(name)
    return float(np.linalg.norm(x[-1] - x[since]))


def incline_stick(ask: Asker) -> Values:
    p = ask.p

    def at_slope(degrees: float) -> World:
        return block(p["size"], p["mass"], p["mu"], down_a_slope(math.radians(degrees), p["g"]))

    motion = ask.simulate(at_slope(p["slope_deg"]), [0.0, 0.1, p["duration"]])
    yield "displacement", moved(motion, "a", since=1)

    def sticks(degrees: float) -> bool:
        return moved(ask.simulate(at_slope(degrees), [0.0, 2.0]), "a") < STUCK

    yield "threshold_angle_deg", lambda: ask.threshold("threshold_angle_deg", sticks)


def incline_slide(ask: Asker) -> Values:
    p = ask.p
    world = block(p["size"], p["mass"], p["mu"], down_a_slope(math.radians(p["slope_deg"]), p["g"]))
    motion = ask.simulate(world, [0.0, p["time"]])
    yield "acceleration", motion.v("a")[-1, 0] / p["time"]
    yield "distance", motion.x("a")[-1, 0]


def block_decelerates(ask: Asker) -> Values:
    p = ask.p
    heading = math.radians(p["heading_deg"])
    v = (p["v0"] * math.cos(heading), p["v0"] * math.sin(heading), 0.0)
    motion = ask.simulate(block(p["size"], p["mass"], p["mu"], (0.0, 0.0, -p["g"]), v=v), np.linspace(0.0, 1.2, 25))
    yield "stop_time", end_of_fall(motion.t, np.linalg.norm(motion.v("a"), axis=1))
    x, y, _ = motion.x("a")[-1]
    yield "stop_distance", math.hypot(x, y)
    yield "heading_error_deg", math.degrees(abs(math.atan2(y, x) - heading))


def skier_half_speed(ask: Asker) -> Values:
    """The box has its centre of mass in its base, as a block of height 0: a higher one turns a little."""
    p = ask.p
    slope = math.radians(p["slope_deg"])
    world, surface, size = World(down_a_slope(slope, p["g"])), Surface(friction=p["mu"]), (0.3, 0.3, 0.02)
    world.floor(surface)
    shape = Shape("shape", Box(size), (0.0, 0.0, 0.01, *UPRIGHT), surface=surface)
    link = world.body("a", [shape], p["mass"], diagonal(0.0075, 0.0075, 0.015), ORIGIN)
    world.free(link, (0.0, p["v0"], 0.0))
    end = 10.0 * p["v0"] / (p["mu"] * p["g"] * math.cos(slope))
    v = ask.simulate(world, np.linspace(0.0, end, 50)).v("a")
    yield "final_downhill_speed", v[-1, 0]
    sums = np.linalg.norm(v, axis=1) + v[:, 0]
    yield "speed_plus_downhill", sums[np.argmax(np.abs(sums - p["v0"]))]


def spin_box(ask: Asker) -> Values:
    p = ask.p
    size = (2.0 * p["half"], 2.0 * p["half"], p["height"])
    world = block(size, p["mass"], p["mu"], (0.0, 0.0, -p["g"]), w=(0.0, 0.0, p["omega0"]))
    motion = ask.simulate(world, np.linspace(0.0, 0.5, 26))
    yield "stop_time", end_of_fall(motion.t, motion.w("a")[:, 2])
    yield "turned", turned(motion.rotations("a")[:, :2, 0])[-1]


def tripod(ask: Asker) -> Values:
    """It stops along no straight line, and with all its parts at once; so frames are dense where it does."""
    p = ask.p
    world, surface, tip = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"]), 1e-3
    world.floor(surface)
    feet = []
    for i, angle in enumerate(np.radians([30.0, 150.0, 270.0])):
        place = p["radius"] * np.array([math.cos(angle), math.sin(angle)])
        pose = (*place.tolist(), tip - p["com_height"], *UPRIGHT)
        feet.append(Shape(f"foot{i}", Sphere(tip), pose, surface=surface))
    inertia = diagonal(0.003, 0.003, p["inertia_zz"])
    link = world.body("a", feet, p["mass"], inertia, (0.0, 0.0, p["com_height"]))
    world.free(link, (p["v0"], 0.0, 0.0), (0.0, 0.0, p["omega0"]))
    motion = ask.simulate(world, np.concatenate([np.linspace(0.0, 0.78, 40), np.linspace(0.79, 0.9, 111), [1.0]]))
    w, v = motion.w("a")[:, 2], motion.v("a")
    speed = np.hypot(v[:, 0], v[:, 1]) + p["radius"] * np.abs(w)
    yield "stop_time", _last_stretch(motion.t, speed)
    yield "x", motion.x("a")[-1, 0]
    yield "y", motion.x("a")[-1, 1]
    yield "turned", turned(motion.rotations("a")[:, :2, 0])[-1]


def _last_stretch(t: np.ndarray, speed: np.ndarray) -> float:
    """Where the line through the last two frames that move comes to 0."""
    i = int(np.flatnonzero(speed > 1e-3 * speed[0])[-1])
    return float(t[i] + speed[i] * (t[i] - t[i - 1]) / (speed[i - 1] - speed[i]))


def belt(ask: Asker) -> Values:
    p = ask.p
    world = World((0.0, 0.0, -p["g"]))
    world.floor(Surface(friction=p["mu"], velocity=(p["speed"], 0.0, 0.0)))
    world.solid("a", Box((0.2, 0.2, 0.1)), Surface(friction=p["mu"]), p["mass"], (0.0, 0.0, 0.05))
    motion = ask.simulate(world, np.linspace(0.0, 1.0, 21))
    yield "sync_time", end_of_fall(motion.t, p["speed"] - motion.v("a")[:, 0])
    yield "slip", p["speed"] * motion.t[-1] - motion.x("a")[-1, 0]


CASES = (incline_stick, incline_slide, block_decelerates, skier_half_speed, spin_box, tripod, belt)
