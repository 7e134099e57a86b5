# SPDX-License-Identifier: GPL-3.0-or-later
"""Discs, stones and tops that roll and turn at once."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limberjack.core.geometry import Cylinder, Ellipsoid, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface

from .asking import Asker, Motion
from .curves import at, crossings, peaks, turned
from .worlds import UPRIGHT, World, Y, about, diagonal, matrix, thin_disc

Values = Iterator[tuple[str, float]]


def disc(world: World, surface: Surface, radius: float, mass: float, place: tuple, quat: tuple, v: tuple, w) -> None:
    """A thin disc "a": its plane, which has the centre of mass, is that end of a cylinder which meets the floor."""
    shape = Shape("rim", Cylinder(radius, 0.01), (0.0, 0.0, 0.005, *UPRIGHT), surface=surface)
    world.free(world.body("a", [shape], mass, thin_disc(mass, radius), place, quat), v, w)


def level_world(p: dict, **surface: float) -> tuple[World, Surface]:
    world, made = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"], **surface)
    world.floor(made)
    return world, made


def tilts(motion: Motion) -> np.ndarray:
    """Of the disc's axis from the vertical, in degrees."""
    up = motion.rotations("a")[:, :, 2]
    return np.degrees(np.arctan2(np.hypot(up[:, 0], up[:, 1]), up[:, 2]))


def eulers_disc(ask: Asker) -> Values:
    p, ref = ask.p, ask.reference.measures
    tilted, strays = [], []
    for degrees in p["tilt_deg"]:
        name, tilt = f"tilt{degrees:g}", math.radians(degrees)
        world, surface = level_world(p)
        place, quat = (0.0, 0.0, p["R"] * math.sin(tilt)), about(Y, tilt)
        from_contact = np.array([-math.cos(tilt), 0.0, math.sin(tilt)])
        w = ref[f"precession_{name}"].value * math.sin(tilt) * from_contact
        disc(world, surface, p["R"], p["mass"], place, quat, (0.0, 0.0, 0.0), w)
        motion = ask.simulate(world, np.linspace(0.0, 1.0, 101))
        axis = motion.rotations("a")[:, :, 2]
        yield f"precession_{name}", abs(turned(axis[:, :2])[-1]) / motion.t[-1]
        yield f"spin_about_axis_{name}", float(motion.w("a")[-1] @ axis[-1])
        tilted.append(abs(tilts(motion)[-1] - degrees))
        strays.append(float(np.hypot(*motion.x("a")[-1, :2])))
    yield "tilt_after_1s", max(tilted)
    yield "centre_moves", max(strays)


def circling_disc(ask: Asker) -> Values:
    p, ref = ask.p, ask.reference.measures
    lean, path = math.radians(p["lean_deg"]), p["path_radius_of_centre"]
    precession, spin = ref["precession"].value, ref["spin_about_axis"].value
    axis = np.array([math.cos(lean), 0.0, math.sin(lean)])
    world, surface = level_world(p)
    place, quat = (path, 0.0, p["R"] * math.cos(lean)), about(Y, 0.5 * math.pi - lean)
    w = np.array([0.0, 0.0, precession]) + spin * axis
    disc(world, surface, p["R"], p["mass"], place, quat, (0.0, precession * path, 0.0), w)
    motion = ask.simulate(world, np.linspace(0.0, 4.2, 211))
    lap = crossings(motion.t, turned(motion.x("a")[:, :2]) - 2.0 * math.pi)
    lap_time = lap[0] if lap else math.nan
    yield "precession", 2.0 * math.pi / lap_time
    axes = motion.rotations("a")[:, :, 2]
    along = (motion.w("a") * axes).sum(axis=1) - 2.0 * math.pi / lap_time * axes[:, 2]
    yield "spin_about_axis", at(motion.t, along, lap_time)
    yield "lap_time", lap_time
    yield "lean_change_deg", abs(90.0 - at(motion.t, tilts(motion), lap_time) - p["lean_deg"])


def rattleback(ask: Asker) -> Values:
    p = ask.p
    axes, inertia, low = p["axes"], np.array(p["inertia"]), np.array([0.0, 0.0, -p["axes"][2]])
    w = np.array([0.05, 0.05, -5.0])
    world, surface = level_world(p)
    moments = (*inertia[0].tolist(), *inertia[1, 1:].tolist(), float(inertia[2, 2]))
    stone = Ellipsoid(tuple(axes))
    world.solid("a", stone, surface, p["mass"], -low, v=-np.cross(w, low), w=w, inertia=moments)
    motion = ask.simulate(world, np.linspace(0.0, p["duration"], 1201))
    spin = motion.w("a")[:, 2]
    reversals = crossings(motion.t, spin)
    yield "first_reversal", reversals[0] if reversals else math.nan
    yield "strongest_reverse_spin", max((value for _, value in peaks(motion.t, spin)), default=math.nan)
    yield "reversals_in_duration", float(len(reversals))
    yield "energy", motion.energy("a")[-1]


def tippe_top(ask: Asker) -> Values:
    p, end = ask.p, 8.0
    world, surface = level_world(p, slip_speed=p["vs"])
    quat, com = about(Y, math.radians(p["tilt_deg"])), np.array([0.0, 0.0, -p["offset"]])
    axis = matrix(quat)[:, 2]
    moments = diagonal(p["I1"], p["I1"], p["I3"])
    centre = (0.0, 0.0, p["R"])
    world.solid("a", Sphere(p["R"]), surface, p["mass"], centre, quat, w=p["spin"] * axis, inertia=moments, com=com)
    motion = ask.simulate(world, np.linspace(0.0, end, 1601))
    axes = motion.rotations("a")[:, :, 2]
    to_contact = p["offset"] * axes - np.array([0.0, 0.0, p["R"]])
    kept = -(motion.spin("a") * to_contact).sum(axis=1)
    yield "jellett", kept[-1]
    over = crossings(motion.t, axes[:, 2], points=4)  # it nods: no more than what lies beside
    yield "half_over_time", over[0] if over else math.nan
    yield "final_tilt_deg", tilts(motion)[-1]


CASES = (eulers_disc, circling_disc, rattleback, tippe_top)
