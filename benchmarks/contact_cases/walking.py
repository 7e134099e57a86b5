# SPDX-License-Identifier: GPL-3.0-or-later
"""What rolls over its edges and feet: a wheel of spokes, a biped, a block that rocks."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from limberjack.core.geometry import Box, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Joint

from .asking import Asker, MissedError
from .bouncing import between_blows
from .curves import at, crossings, peaks
from .worlds import UPRIGHT, World, Y, about, diagonal, down_a_slope, matrix, prism

Values = Iterator[tuple[str, float]]


def rimless_wheel(ask: Asker) -> Values:
    """A prism whose corners are the feet; it starts slower than it ends, and is read at its twentieth step."""
    p, steps = ask.p, 20
    n, length, half = p["spokes"], p["length"], math.pi / p["spokes"]
    after = 0.95 * ask.reference.measures["omega_after"].value
    world, surface = World(down_a_slope(math.radians(p["slope_deg"]), p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    corners = -0.5 * math.pi + half + 2.0 * half * np.arange(n)
    outline = length * np.column_stack([np.cos(corners), np.sin(corners)])
    moments = diagonal(p["inertia"], p["inertia"], p["inertia"])
    hub = np.array([0.0, 0.0, length * math.cos(half)])
    w = np.array([0.0, after, 0.0])
    foot = np.array([length * math.sin(half), 0.0, -hub[2]])
    shape = prism(outline, 0.4)
    world.solid("wheel", shape, surface, p["mass"], hub, v=-np.cross(w, foot), w=w, inertia=moments)
    motion = ask.simulate(world, np.linspace(0.0, 14.5, 726))
    blows = motion.blows()
    if len(blows) < steps + 1:
        raise MissedError(f"it has made {len(blows)} steps in 14.5 s")
    begin, end = blows[steps - 1][0].time, blows[steps][0].time
    rate, x = motion.w("wheel")[:, 1], motion.x("wheel")[:, 0]
    t, rates, places = between_blows(motion, steps, rate, x)
    yield "omega_before", at(t, rates, end)
    yield "omega_after", at(t, rates, begin)
    yield "step_time", end - begin
    yield "mean_speed", (at(t, places, end) - at(t, places, begin)) / (end - begin)


SOLE = 1e-6
"""Metres: the radius of a foot, which the reference has as a point."""


class Walker:
    """Two legs in a plane, the hip's mass on the first; which foot may meet the floor is chosen for each run.

    Angles are turns about y from the floor's normal: a leg at more than 0 has its foot behind, uphill of, the hip.
    """

    def __init__(self, p: dict, feet: tuple[bool, bool], state: np.ndarray):
        """state: x and z of the hip, both angles, and the rates of all four."""
        self.world = world = World(down_a_slope(math.radians(p["slope_deg"]), p["g"]))
        surface, length = Surface(friction=10.0), p["a"] + p["b"]
        world.floor(surface)
        masses = (p["ml"] + p["mH"], p["ml"])
        for i, mass in enumerate(masses):
            com = -p["b"] * p["ml"] / mass
            moment = p["ml"] * (p["b"] + com) ** 2 + (mass - p["ml"]) * com**2
            sole = Shape("sole", Sphere(SOLE), (0.0, 0.0, SOLE - length, *UPRIGHT), surface=surface)
            shapes = [sole] if feet[i] else []
            world.body(f"leg{i}", shapes, mass, diagonal(moment, moment, 0.0), (0.0,) * 3, com=(0.0, 0.0, com))
        self.world.model.joints += [
            # a planar joint turns about its own z, here the world's y, so that its x is the world's z
            Joint("hip", "planar", WORLD, "leg0", X_PJ=(0, 0, 0, *FLAT), X_CJ=(0, 0, 0, *FLAT)),
            Joint("between", "continuous", "leg0", "leg1", axes=[Axis(xyz=Y)]),
        ]
        x, z, one, other, vx, vz, w, w_other = state.tolist()
        self.world.initial = {
            "q": {"hip": [z, x, one], "between": other - one},
            "qd": {"hip": [vz, vx, w], "between": w_other - w},
        }


FLAT = (0.5, -0.5, -0.5, -0.5)
"""The quaternion that takes x to z, y to x and z to y of the world."""


def compass_walker(ask: Asker) -> Values:
    """The second step is read, for which the first one's impact counts; the reference's start is just after one."""
    p = ask.p
    length, rates = p["a"] + p["b"], (-1.092383590, -0.377373949)
    slope = math.radians(p["slope_deg"])
    # the reference counts from the true vertical, forward of the hip; ours are turns about y from the floor's normal
    angles = (0.218668803 + slope, -0.323388558 + slope)
    stance, swing = -angles[0], -angles[1]
    w, w_swing = -rates[0], -rates[1]
    state = np.array(
        [
            length * math.sin(stance),
            (length - SOLE) * math.cos(stance) + SOLE,
            stance,
            swing,
            w * length * math.cos(stance),
            -w * length * math.sin(stance),
            w,
            w_swing,
        ]
    )
    begin, struck, standing = 0.0, [0.0], 0
    places = []
    for _ in range(2):
        begin, state, place = _step(ask, state, begin, standing)
        struck.append(begin)
        places.append(place)
        standing = 1 - standing
    step_time, step_length = struck[2] - struck[1], places[1] - places[0]
    yield "step_time", step_time
    yield "step_length", step_length
    yield "mean_speed", step_length / step_time


def _state(motion, frame: int) -> np.ndarray:
    q, qd = motion.trajectory.q[frame], motion.trajectory.qd[frame]
    return np.array([q[1], q[0], q[2], q[2] + q[3], qd[1], qd[0], qd[2], qd[2] + qd[3]])


def _step(ask: Asker, state: np.ndarray, begin: float, standing: int) -> tuple[float, np.ndarray, float]:
    """From after an impact to just after the next: (time [s], state, where the foot strikes along the slope [m]).

    The swinging foot meets the floor only once it lies ahead and above.
    """
    p, length, swinging = ask.p, ask.p["a"] + ask.p["b"], 1 - standing
    alone = (standing == 0, standing == 1)
    swing = ask.simulate(Walker(p, alone, state).world, begin + np.linspace(0.0, 1.0, 201))
    sole, hip = swing.point(f"leg{swinging}", (0.0, 0.0, -length)), swing.point("leg0", (0.0, 0.0, 0.0))
    foot = swing.point(f"leg{standing}", (0.0, 0.0, -length))
    ahead = (sole[:, 0] > hip[:, 0]) & (sole[:, 2] > 1e-3 * length) & (sole[:, 0] > foot[:, 0])
    if not ahead.any():
        raise MissedError("its foot does not come to lie ahead of it")
    frame = int(np.argmax(ahead))
    both = Walker(p, (True, True), _state(swing, frame)).world
    landing = ask.simulate(both, float(swing.t[frame]) + np.linspace(0.0, 0.6, 601))
    hits = [impact for impact in landing.impacts if f"leg{swinging}" in (impact.first, impact.second)]
    if not hits:
        raise MissedError("its foot does not strike the floor")
    after = int(np.searchsorted(landing.t, hits[0].time, side="right"))
    # the state is taken back to the impact along the motion after it, in which the old foot leaves the floor
    states = np.array([_state(landing, i) for i in range(after, after + 8)])
    t = landing.t[after : after + 8]
    back = np.array([at(t, values, hits[0].time) for values in states.T])
    return hits[0].time, back, float(hits[0].point[0])


def housner(ask: Asker) -> Values:
    p = ask.p
    b, h, tilt = p["half_width"], p["half_height"], math.radians(p["theta0_deg"])
    world, surface = World((0.0, 0.0, -p["g"])), Surface(friction=p["mu"])
    world.floor(surface)
    quat = about(Y, tilt)
    place = np.array([b, 0.0, 0.0]) + matrix(quat) @ (-b, 0.0, h)
    world.solid("a", Box((2.0 * b, 0.2, 2.0 * h)), surface, p["mass"], place, quat)
    motion = ask.simulate(world, np.linspace(0.0, 1.5, 301))
    up = motion.rotations("a")[:, :, 2]
    angle, rate = np.arctan2(up[:, 0], up[:, 2]), motion.w("a")[:, 1]
    level = crossings(motion.t, angle, points=2)  # each of them is an impact, whose time the engine tells
    times = [min((i.time for i in motion.impacts), key=lambda time, near=near: abs(time - near)) for near in level[:4]]
    if len(times) < 4:
        raise MissedError(f"it rocks over {len(times)} times")
    for i, time in enumerate(times):
        yield f"impact{i + 1}", time
    before = at(*_within(motion.t, rate, 0.0, times[0]), times[0])
    after = at(*_within(motion.t, rate, times[0], times[1]), times[0])
    for i, (begin, end) in enumerate(zip(times, [*times[1:], math.inf], strict=True)):
        top = peaks(*_within(motion.t, np.abs(angle), begin, end))
        yield f"peak{i + 1}_deg", math.degrees(top[0][1]) if top else math.nan
    yield "velocity_ratio", after / before


def _within(t: np.ndarray, x: np.ndarray, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    inside = (t > begin) & (t < end)
    return t[inside], x[inside]


CASES = (rimless_wheel, compass_walker, housner)
