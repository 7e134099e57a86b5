# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands, leans, jams and is held, and where it no longer does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from limberjack.core.geometry import Box, Capsule, Cylinder, Plane, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, ContactPair
from limberjack.core.simulation import Controls, Forces

from .asking import Asker
from .sliding import block, moved
from .worlds import ORIGIN, UPRIGHT, World, X, Y, about, diagonal, down_a_slope, prism

Values = Iterator[tuple[str, float | Callable[[], float]]]

STILL = 1e-5
"""Metres that what holds may move while a threshold is sought; what fails by the least amount moves by more."""


def topple(ask: Asker) -> Values:
    p = ask.p

    def stands(degrees: float) -> bool:
        gravity = down_a_slope(math.radians(degrees), p["g"])
        world = block((p["base"], p["base"], p["height"]), p["mass"], p["mu"], gravity)
        motion = ask.simulate(world, np.linspace(0.0, 3.0, 31), until=lambda X_WL: abs(X_WL[1, 5]) > 0.3)
        return abs(motion.rotations("a")[-1, 0, 2]) < 0.1

    yield "threshold_deg", ask.threshold("threshold_deg", stands)


THIN = 1e-4
"""Metres: the ladder's radius. The reference's formula has none, and the centimetre that it names takes 0.15 degrees
off the threshold: tan = (1 - mu_f mu_w) / (2 mu_f) - (1 + mu_w) r / (L cos)."""


def ladder(ask: Asker) -> Values:
    p = ask.p
    length, mass = p["length"], p["mass"]
    across = mass * length**2 / 12.0

    def stands(degrees: float) -> bool:
        angle = math.radians(degrees)
        world = World((0.0, 0.0, -p["g"]))
        world.floor(Surface(friction=p["mu_floor"]))
        reach, rise = 0.5 * length * math.cos(angle), 0.5 * length * math.sin(angle)
        world.standing("wall", Plane((-1.0, 0.0, 0.0)), Surface(friction=p["mu_wall"]), (reach + THIN, 0.0, 0.0))
        # a capsule's ends alone meet floor and wall: balls there are the same, and each has but one point
        ends = [
            Shape(f"end{sign:+d}", Sphere(THIN), (0.0, 0.0, 0.5 * sign * length, *UPRIGHT), surface=Surface())
            for sign in (-1, 1)
        ]
        lean = about(Y, 0.5 * math.pi - angle)
        rod = world.body("rod", ends, mass, diagonal(across, across, mass * 1e-4), (0.0, 0.0, rise + THIN), lean)
        world.free(rod)
        return moved(ask.simulate(world, [0.0, 1.0]), "rod") < STILL

    yield "threshold_deg", ask.threshold("threshold_deg", stands, scale=-1.0)


def three_cylinders(ask: Asker) -> Values:
    """The lower two touch and share no force: they are told not to meet.

    Each of them has its side twice, one for the floor and one for the upper log, with friction of their own.
    """
    p = ask.p
    radius, level = p["radius"], about(X, 0.5 * math.pi)
    below, above = 1, 2

    def stands(between: float, floor: float) -> bool:
        world, log = World((0.0, 0.0, -p["g"])), Cylinder(radius, 0.5)
        world.floor(Surface(friction=floor), layers=below, meets=below)
        for name, side in (("left", -1), ("right", 1)):
            shapes = [
                Shape(str(on), log, surface=Surface(friction=mu), layers=on, meets=on)
                for on, mu in ((below, floor), (above, between))
            ]
            moments = _log(p["mass"], radius, 0.5)
            world.free(world.body(name, shapes, p["mass"], moments, (side * radius, 0.0, radius), level))
        top = Shape("log", log, surface=Surface(friction=between), layers=above, meets=above)
        place = (0.0, 0.0, radius * (1.0 + math.sqrt(3.0)))
        world.free(world.body("top", [top], p["mass"], _log(p["mass"], radius, 0.5), place, level))
        world.model.contact_pairs.append(ContactPair("left", "right", False))
        return moved(ask.simulate(world, [0.0, 1.0]), "top") < STILL

    # below the least friction it gives way
    yield "mu_between", lambda: ask.threshold("mu_between", lambda mu: stands(mu, 1.0), scale=-1.0)
    yield "mu_floor", lambda: ask.threshold("mu_floor", lambda mu: stands(1.0, mu), scale=-1.0)


def _log(mass: float, radius: float, length: float) -> tuple[float, ...]:
    across = mass * (radius**2 / 4.0 + length**2 / 12.0)
    return diagonal(across, across, 0.5 * mass * radius**2)


def wedge_jam(ask: Asker) -> Values:
    """The reference names no stiffness; neither answer depends on it."""
    p, push = ask.p, 100.0

    def stays(degrees: float) -> bool:
        angle = math.radians(degrees)
        world, surface = World(ORIGIN), Surface(friction=p["mu"], stiffness=2e5, dissipation=1.0)
        low, rise = 0.05, 0.1
        high = low + 2.0 * rise * math.tan(angle)
        outline = np.array([(-low, -rise), (low, -rise), (high, rise), (-high, rise)])
        for name, side in (("left", -1), ("right", 1)):
            normal = (-side * math.cos(angle), 0.0, math.sin(angle))
            world.standing(name, Plane(normal), surface, (side * low, 0.0, -rise))
        moments = diagonal(0.01, 0.01, 0.01)
        world.solid("wedge", prism(outline, 0.1), surface, p["mass"], ORIGIN, inertia=moments)
        pressed = Forces(links={"wedge": (0.0, 0.0, -push, 0.0, 0.0, 0.0)})
        controls = Controls(forces=lambda moment: pressed if moment.time < 1.0 - 1e-9 else Forces())
        motion = ask.simulate(world, np.linspace(0.0, 2.0, 21), controls)
        return moved(motion, "wedge", since=10) < 1e-3

    yield "stays", float(stays(p["half_angle_deg"]))
    yield "threshold_half_angle_deg", lambda: ask.threshold("threshold_half_angle_deg", stays)


def gripped(p: dict, force: float) -> World:
    """A capsule between two plates on slides that press its ends, with one point of contact each."""
    world, surface, reach = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"]), 0.08
    held = Capsule(0.03, 0.1)
    moments = diagonal(6e-4, 6e-4, 2e-4)
    world.solid("held", held, surface, p["mass"], ORIGIN, about(Y, 0.5 * math.pi), inertia=moments)
    for name, side in (("left", -1), ("right", 1)):
        plate = Shape("plate", Box((0.02, 0.08, 0.08)), surface=surface)
        link = world.body(name, [plate], 0.1, diagonal(1e-4, 1e-4, 1e-4), (side * (reach + 0.01), 0.0, 0.0))
        link.gravity, link.force = False, (-side * force, 0.0, 0.0)
        world.joint(f"slide {name}", "prismatic", WORLD, link, ORIGIN, X)
    return world


def gripper_creep(ask: Asker) -> Values:
    p = ask.p
    motion = ask.simulate(gripped(p, p["force"]), [0.0, 1.0, p["duration"]])
    yield "creep", moved(motion, "held", since=1)

    def holds(force: float) -> bool:
        return moved(ask.simulate(gripped(p, force), [0.0, 1.0]), "held") < STILL

    yield "least_force", lambda: ask.threshold("least_force", holds, scale=-1.0)


def stack10(ask: Asker) -> Values:
    p, n = ask.p, ask.p["n"]
    world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    for i in range(n):
        world.solid(f"b{i}", Box((p["size"],) * 3), surface, p["mass"], (0.0, 0.0, p["size"] * (i + 0.5)))
    motion = ask.simulate(world, [0.0, 1.0, p["duration"]])
    x = motion.x(f"b{n - 1}")
    yield "top_drift", math.hypot(*x[-1, :2])
    yield "top_sink", abs(x[1, 2] - x[-1, 2])
    yield "force_bottom", motion.force("floor", "b0")[2]
    yield "force_between_5_6", motion.force("b4", "b5")[2]
    yield "penetration", motion.penetration()


def mass_ratio(ask: Asker) -> Values:
    """The force, and the same the other way up, of which the worse counts."""
    p, size = ask.p, ask.p["size"]
    heavy, found = p["light"] * p["ratio"], []
    for masses in ((p["light"], heavy), (heavy, p["light"])):
        world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
        world.floor(surface)
        for i, mass in enumerate(masses):
            world.solid(f"b{i}", Box((size,) * 3), surface, mass, (0.0, 0.0, size * (i + 0.5)))
        motion = ask.simulate(world, [0.0, 5.0])
        x, y, z = motion.x("b1")[-1]
        found.append((motion.force("floor", "b0")[2], abs(1.5 * size - z), math.hypot(x, y)))
    expected = ask.reference.measures["force_bottom"].value
    yield "force_bottom", max((told[0] for told in found), key=lambda force: abs(force - expected))
    yield "sink", max(told[1] for told in found)
    yield "drift", max(told[2] for told in found)


CASES = (topple, ladder, three_cylinders, wedge_jam, gripper_creep, stack10, mass_ratio)
