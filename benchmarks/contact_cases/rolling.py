# SPDX-License-Identifier: GPL-3.0-or-later
"""Balls and discs that roll, without and with slip."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limberjack.core.geometry import Cylinder, Mesh, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD
from limberjack.core.simulation import Controls

from .asking import Asker, MissedError, Motion
from .curves import crossings, end_of_fall, turned
from .worlds import ORIGIN, UPRIGHT, World, X, Y, Z, about, diagonal, down_a_slope

Values = Iterator[tuple[str, float]]


def ball(ask: Asker, end: float, v: tuple, w: tuple) -> Motion:
    """A ball "a" on the floor, frames 20 ms apart."""
    p = ask.p
    world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    world.solid("a", Sphere(p["radius"]), surface, p["mass"], (0.0, 0.0, p["radius"]), v=v, w=w)
    return ask.simulate(world, np.linspace(0.0, end, 1 + round(50 * end)))


def slip_ends(motion: Motion, radius: float) -> float:
    """When the slip is over, which falls along a straight line."""
    slip = motion.v("a") + np.cross(motion.w("a"), (0.0, 0.0, -radius))
    return end_of_fall(motion.t, np.linalg.norm(slip, axis=1))


def back_to(motion: Motion, time: float) -> np.ndarray:
    """Where a ball was that has rolled evenly since then."""
    return motion.x("a")[-1] - motion.v("a")[-1] * (motion.t[-1] - time)


def sphere_slip_roll(ask: Asker) -> Values:
    motion = ball(ask, 3.0, (ask.p["v0"], 0.0, 0.0), ORIGIN)
    when = slip_ends(motion, ask.p["radius"])
    yield "roll_time", when
    yield "roll_speed", motion.v("a")[np.searchsorted(motion.t, 1.0), 0]
    yield "slid", back_to(motion, when)[0]
    yield "speed_after_3s", motion.v("a")[-1, 0]


def bowling_backspin(ask: Asker) -> Values:
    motion = ball(ask, 4.0, (ask.p["v0"], 0.0, 0.0), (0.0, ask.p["omega0"], 0.0))
    when = slip_ends(motion, ask.p["radius"])
    yield "roll_time", when
    yield "roll_speed", motion.v("a")[-1, 0]
    yield "slid", back_to(motion, when)[0]


def bowling_hook(ask: Asker) -> Values:
    motion = ball(ask, 2.0, (ask.p["v0"], 0.0, 0.0), tuple(ask.p["omega"]))
    when = slip_ends(motion, ask.p["radius"])
    yield "roll_time", when
    yield "vx", motion.v("a")[-1, 0]
    yield "vy", motion.v("a")[-1, 1]
    x, y, _ = back_to(motion, when)
    yield "x", x
    yield "y", y


def turntable(ask: Asker) -> Values:
    p = ask.p
    world, surface, turn = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"]), p["turn"]
    disc = Shape("shape", Cylinder(3.0, 0.2), (0.0, 0.0, -0.1, *UPRIGHT), surface=surface)
    table = world.body("table", [disc], 1.0, diagonal(1.0, 1.0, 1.0), ORIGIN)
    world.joint("turn", "continuous", WORLD, table, ORIGIN, Z, turn)
    rolling = (-(p["v0"] - turn * p["r0"]) / p["radius"], 0.0, 0.0)
    place = (p["r0"], 0.0, p["radius"])
    world.solid("a", Sphere(p["radius"]), surface, p["mass"], place, v=(0.0, p["v0"], 0.0), w=rolling)
    controls = Controls(joints={"turn": lambda time: turn * time})
    motion = ask.simulate(world, np.linspace(0.0, p["time"], 101), controls)
    x = motion.x("a")[:, :2]
    yield "x", x[-1, 0]
    yield "y", x[-1, 1]
    yield "rate", turned(motion.v("a")[:, :2])[-1] / p["time"]
    # x^2 + y^2 = 2 x cx + 2 y cy + r^2 - c^2
    cx, cy, rest = np.linalg.lstsq(np.column_stack([2.0 * x, np.ones(len(x))]), (x * x).sum(axis=1), rcond=None)[0]
    yield "circle_radius", math.sqrt(rest + cx * cx + cy * cy)


SMALL, LARGE = math.radians(2.0), math.radians(60.0)
STEP = math.radians(0.2)


def trough(radius: float) -> Mesh:
    """The inside of a cylinder about y, open above, of flat strips.

    No shape of ours is hollow: this is for "draft". The strips touch the circle at their middles.
    """
    reach = LARGE + 0.2
    angles = np.linspace(-reach, reach, 2 * round(reach / STEP))  # an even number of corners: the lowest strip is level
    out = radius / math.cos(0.5 * (angles[1] - angles[0]))
    line = out * np.column_stack([np.sin(angles), -np.cos(angles)])
    vertices = [(x, y, z) for x, z in line for y in (-0.2, 0.2)]
    faces = tuple((2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1) for i in range(len(line) - 1))
    return Mesh(vertices=np.array(vertices), faces=faces)


def bowl(ask: Asker) -> Values:
    p = ask.p
    for name, begin in (("small", SMALL), ("large", LARGE)):
        world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
        world.standing("bowl", trough(p["R"]), surface)
        arm = p["R"] - p["r"]
        place = (arm * math.sin(begin), 0.0, -arm * math.cos(begin))
        world.solid("a", Sphere(p["r"]), surface, p["mass"], place)
        motion = ask.simulate(world, np.linspace(0.0, 1.8, 181), keep_contacts=True)
        x = motion.x("a")
        yield f"period_{name}", half_periods(motion.t, np.arctan2(x[:, 0], -x[:, 2]))
        if name == "large":
            yield "mu_needed_large", max(grips(motion, "bowl", "a"), default=math.nan)


def half_periods(t: np.ndarray, angle: np.ndarray) -> float:
    """The period of what starts at rest at its most: it passes 0 after a quarter and after three quarters."""
    zeros = crossings(t, angle)
    if len(zeros) < 2:
        raise MissedError("it does not swing back and forth")
    return 2.0 * (zeros[1] - zeros[0])


def grips(motion: Motion, first: str, second: str) -> list[float]:
    """Friction over normal force of the contacts at each frame that was kept and has any."""
    found = []
    for contacts in motion.contacts:
        for contact in contacts:
            if {contact.first, contact.second} == {first, second}:
                normal = float(contact.force @ contact.normal)
                if normal > 0.0:
                    found.append(float(np.linalg.norm(contact.force - normal * contact.normal)) / normal)
    return found


def eccentric_sphere(ask: Asker) -> Values:
    p = ask.p
    for name, degrees, end in (("5deg", 5.0, 1.0), ("120deg", 120.0, 1.8)):
        world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
        world.floor(surface)
        world.solid(
            "a",
            Sphere(p["R"]),
            surface,
            p["mass"],
            (0.0, 0.0, p["R"]),
            about(Y, math.radians(degrees)),
            inertia=diagonal(*[p["inertia_about_com"]] * 3),
            com=(0.0, 0.0, -p["offset"]),
        )
        motion = ask.simulate(world, np.linspace(0.0, end, 1 + round(100 * end)))
        up = motion.rotations("a")[:, :, 2]
        yield f"period_{name}", half_periods(motion.t, np.arctan2(up[:, 0], up[:, 2]))


def disc_slope(ask: Asker) -> Values:
    p = ask.p
    world, surface = World(down_a_slope(math.radians(p["slope_deg"]), p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    place, level = (0.0, 0.0, p["radius"]), about(X, 0.5 * math.pi)
    world.solid("a", Cylinder(p["radius"], 0.1), surface, p["mass"], place, level)
    motion = ask.simulate(world, np.linspace(0.0, 2.0, 41), keep_contacts=True)
    yield "acceleration", motion.v("a")[-1, 0] / motion.t[-1]
    yield "distance", motion.x("a")[-1, 0]
    yield "turned", -turned(motion.rotations("a")[:, ::2, 0])[-1]  # from x towards z is against a turn about y
    force = motion.force("floor", "a")
    yield "mu_needed", abs(force[0] / force[2])


def race(ask: Asker) -> Values:
    """Their inertia is m r^2 times what the reference's formula has; mass and radius are any."""
    p, mass, radius = ask.p, 2.0, 0.1
    hollow = 0.5 * (1.0 + p["inner"] ** 2)
    parts = {"sphere": 0.4, "solid_cylinder": 0.5, "spherical_shell": 2 / 3, "hollow_cylinder": hollow, "hoop": 1.0}
    for name, part in parts.items():
        world, surface = World(down_a_slope(math.radians(p["slope_deg"]), p["g"])), Surface(friction=p["mu"])
        world.floor(surface)
        shape = Sphere(radius) if name.startswith("sph") else Cylinder(radius, 0.1)
        along = part * mass * radius**2
        inertia = diagonal(*[along] * 3) if name.startswith("sph") else diagonal(0.6 * along, 0.6 * along, along)
        world.solid("a", shape, surface, mass, (0.0, 0.0, radius), about(X, 0.5 * math.pi), inertia=inertia)
        motion = ask.simulate(world, np.linspace(0.0, 2.3, 24))
        there = crossings(motion.t, motion.x("a")[:, 0] - p["length"])
        yield f"time_{name}", there[0] if there else math.nan


CASES = (
    sphere_slip_roll,
    bowling_backspin,
    bowling_hook,
    turntable,
    bowl,
    eccentric_sphere,
    disc_slope,
    race,
)
