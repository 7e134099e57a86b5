# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes down bit by bit: a chain on a scale, a row of dominoes, an arch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD

from .asking import Asker, MissedError, Motion
from .curves import crossings
from .worlds import ORIGIN, UPRIGHT, World, Z, diagonal, prism

Values = Iterator[tuple[str, float | Callable[[], float]]]

BEAD = 1e-3


def chain_on_scale(ask: Asker) -> Values:
    """Beads on vertical slides beside each other, which is the reference's ideal chain.

    Its bits fall freely and stop dead, and what joins them is slack from the first moment to the last. A chain of stiff
    links that hangs quite straight would stop as a column.
    """
    p, n = ask.p, ask.p["links"]
    world, surface = World((0.0, 0.0, -p["g"])), Surface()
    world.floor(surface)
    heights = p["length"] * np.arange(n) / (n - 1)
    mass = p["mass"] / n
    for i, height in enumerate(heights):
        bead = Shape("bead", Sphere(BEAD), surface=surface)
        place = (4.0 * BEAD * i, 0.0, BEAD + height)
        link = world.body(f"b{i}", [bead], mass, diagonal(*[0.4 * mass * BEAD**2] * 3), place)
        world.joint(f"s{i}", "prismatic", WORLD, link, ORIGIN, Z)
    fall = ask.reference.measures["landed_time"].value
    motion = ask.simulate(world, np.linspace(0.0, 1.2 * fall, 241), keep_contacts=True)
    landed = max((impact.time for impact in motion.impacts), default=math.nan)
    yield "landed_time", landed
    yield "peak_force", _mean_force(motion, 0.95 * fall, fall * (1.0 + 1e-6))
    yield "force_half_time", _mean_force(motion, 0.45 * fall, 0.55 * fall)
    yield "impulse", _impulse(motion, 0.0, fall * (1.0 + 1e-6))
    yield "rest_force", _floor_force(motion.contacts[-1])


def _mean_force(motion: Motion, begin: float, end: float) -> float:
    return _impulse(motion, begin, end) / (end - begin)


def _floor_force(contacts: list) -> float:
    """The force along the vertical in those of the contacts that the floor is in [N].

    In long steps, beads that pass each other may also touch.
    """
    return sum(abs(contact.force[2]) for contact in contacts if "floor" in (contact.first, contact.second))


def _impulse(motion: Motion, begin: float, end: float) -> float:
    """Of the floor between two times: its blows, and the forces of what lies on it, each frame's until the next [N s].

    A force is that which the frame before it has left, for what lands in between is heard of at the next frame.
    """
    found = [impact for impact in motion.impacts if begin < impact.time <= end and "floor" in impact[1:3]]
    blows = sum(abs(impact.impulse[2]) for impact in found)
    forces = np.array([_floor_force(contacts) for contacts in motion.contacts])
    fine = np.linspace(begin, end, 2001)
    between = np.interp(fine, motion.t, forces)
    return blows + float(0.5 * (between[1:] + between[:-1]) @ np.diff(fine))


def dominoes(ask: Asker) -> Values:
    """Feet are rough and faces smooth: a domino is a low box that grips and a high one that does not."""
    p, count, foot = ask.p, 34, 0.0015
    h, d, width, gap = p["height"], p["thickness"], 0.05, p["gap"]
    world, rough = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu_floor"])
    smooth = Surface(friction=p["mu_between"])
    world.floor(rough)
    mass = p["mass"]
    moments = diagonal(*(mass / 12.0 * side for side in (width**2 + h * h, d * d + h * h, width**2 + d * d)))
    for i in range(count):
        shapes = [
            Shape("foot", Box((d, width, foot)), (0.0, 0.0, 0.5 * (foot - h), *UPRIGHT), surface=rough),
            Shape("face", Box((d, width, h - foot)), (0.0, 0.0, 0.5 * foot, *UPRIGHT), surface=smooth),
        ]
        link = world.body(f"d{i}", shapes, mass, moments, (i * (gap + d), 0.0, 0.5 * h))
        w = (0.0, 3.0, 0.0) if i == 0 else ORIGIN
        world.free(link, np.cross(w, (-0.5 * d, 0.0, 0.5 * h)), w)
    motion = ask.simulate(world, np.linspace(0.0, 1.1, 221))
    speed = 15.0 * (gap + d) / (_leans(motion, 30) - _leans(motion, 15))
    yield "speed", speed
    yield "speed_over_sqrt_gh", speed / math.sqrt(p["g"] * h)


def _leans(motion: Motion, number: int) -> float:
    """When a domino has turned by 3 degrees."""
    up = motion.rotations(f"d{number}")[:, :, 2]
    found = crossings(motion.t, np.arctan2(up[:, 0], up[:, 2]) - math.radians(3.0), points=2)
    if not found:
        raise MissedError(f"domino {number} does not fall")
    return found[0]


def arch(ask: Asker) -> Values:
    """400 voussoirs are not tried: `critical_many` only says how far 27 are from many."""
    p = ask.p

    def stands(thick: float) -> bool:
        motion = ask.simulate(voussoirs(p, thick), np.linspace(0.0, 5.0, 51), until=_has_fallen(p["R"]))
        x = motion.X[:, 1:, :3]
        moved = np.linalg.norm(x - x[0], axis=2).max(axis=1)
        if moved[-1] < 0.05 * p["R"] and moved[motion.t <= 3.0].max() > 1e-3 * p["R"]:
            raise MissedError(
                f"at t/R {thick:.4g} it neither keeps its shape nor falls, and moves by {moved[-1]:.1e} m"
            )
        return moved[-1] < 0.05 * p["R"]

    for thick in (0.12, 0.095):
        yield f"stands_at_{thick:g}", lambda thick=thick: float(stands(thick))
    yield "critical_t_over_R", lambda: ask.threshold("critical_t_over_R", stands, scale=-1.0)


def voussoirs(p: dict, thick: float) -> World:
    world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    n, depth = p["voussoirs"], 0.2
    inner, outer = p["R"] * (1.0 - 0.5 * thick), p["R"] * (1.0 + 0.5 * thick)
    step = math.pi / n
    # sectors, as the reference's limit analysis weighs them, which touch by their corners as trapezoids do
    area = 0.5 * (outer**2 - inner**2) * step
    centre = 4.0 * math.sin(0.5 * step) / (3.0 * step) * (outer**3 - inner**3) / (outer**2 - inner**2)
    mass = 2000.0 * area * depth
    size = (outer - inner) ** 2 + (p["R"] * step) ** 2
    moments = diagonal(*(mass / 12.0 * side for side in (depth**2, size, depth**2)))
    for i in range(n):
        middle = (i + 0.5) * step
        edges = [i * step, (i + 1) * step]
        com = centre * np.array([math.cos(middle), math.sin(middle)])
        corners = [(inner, edges[1]), (inner, edges[0]), (outer, edges[0]), (outer, edges[1])]
        outline = np.array([(r * math.cos(a), r * math.sin(a)) for r, a in corners]) - com
        world.solid(f"v{i}", prism(outline, depth), surface, mass, (com[0], 0.0, com[1]), inertia=moments)
    return world


def _has_fallen(radius: float):
    first: list[np.ndarray] = []

    def told(X_WL: np.ndarray) -> bool:
        first.append(X_WL[:, :3].copy())
        del first[1:]
        return bool(np.linalg.norm(X_WL[:, :3] - first[0], axis=1).max() > 0.1 * radius)

    return told


CASES = (chain_on_scale, dominoes, arch)
