# SPDX-License-Identifier: GPL-3.0-or-later
"""A Stewart platform with a toy aeroplane on it: six legs make it heave, circle, bank and turn.

Each leg stands on a universal joint, slides, and ends in a ball. Position drives hold the slides at targets that are
keyed: what `leg_length` gives for the platform's `pose`, less what it is at rest. The truth is this geometry, and the
statics of six forces along the legs that bear the platform's weight.
"""

from __future__ import annotations

import math

import numpy as np
from workshop import ball, bar, begin, box, collide, drive, film, join, key, link, rod, shape, weigh

from limberjack.core.geometry import Ellipsoid

LEGS = 6
BASE_ANGLES = np.radians([12, 108, 132, 228, 252, 348])
PLATFORM_ANGLES = np.radians([48, 72, 168, 192, 288, 312])
BASE_RADIUS, PLATFORM_RADIUS = 0.30, 0.19
FOOT, HEIGHT = 0.05, 0.42  # of the universal joints and of the balls at rest, above the table
LOWER, UPPER = 0.62, 0.55  # parts of a leg that its lower and upper tube are long
MASSES = {"base": 20.0, "platform": 4.0, "propeller": 0.05}
LOWER_MASS, UPPER_MASS = 0.6, 0.4
STIFFNESS, DAMPING = 2e5, 500.0  # of each leg's drive [N/m, N s/m]
PROPELLER_SPEED = 3.0 * math.tau
SPAN, FPS, EVERY = 192, 24, 4
"""The last frame, frames a second, and frames from one key to the next."""


def _on_circle(radius: float, angles: np.ndarray, height: float) -> np.ndarray:
    return np.column_stack([radius * np.cos(angles), radius * np.sin(angles), np.full(LEGS, height)])


FEET = _on_circle(BASE_RADIUS, BASE_ANGLES, FOOT)
HEADS = _on_circle(PLATFORM_RADIUS, PLATFORM_ANGLES, HEIGHT)
"""Ends of the legs at rest [m], shape (6, 3)."""


def _during(seconds: float, first: float, last: float) -> float:
    """A smooth rise from 0 to 1 and back."""
    return math.sin(math.pi * min(max((seconds - first) / (last - first), 0.0), 1.0)) ** 2


def pose(frame: int) -> tuple[np.ndarray, np.ndarray]:
    """The platform's way from rest [m], and its turn as a matrix: yaw after bank about the direction it circles in."""
    seconds = (frame - 1) / FPS
    circle = math.tau * seconds / 1.6
    round_about = _during(seconds, 2.0, 6.6)
    heave = 0.08 * _during(seconds, 0.0, 3.0) * math.sin(math.tau * seconds / 1.5)
    way = np.array([0.045 * round_about * math.cos(circle), 0.045 * round_about * math.sin(circle), heave])
    bank = math.radians(20.0) * round_about
    yaw = math.radians(24.0) * _during(seconds, 4.2, 7.6) * math.sin(math.tau * (seconds - 4.2) / 3.4)
    tilt = _turn((-math.sin(circle), math.cos(circle), 0.0), bank)
    return way, _turn((0.0, 0.0, 1.0), yaw) @ tilt


def _turn(axis, angle: float) -> np.ndarray:
    """Rodrigues' formula, about an axis of length 1."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K


CENTRE = np.array([0.0, 0.0, HEIGHT])
"""Of the platform's turns, and its origin."""


def heads(way: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """Upper ends of the legs [m], shape (6, 3)."""
    return CENTRE + way + (HEADS - CENTRE) @ turn.T


def leg_lengths(way: np.ndarray, turn: np.ndarray) -> np.ndarray:
    return np.linalg.norm(heads(way, turn) - FEET, axis=1)


def build() -> None:
    begin("Stewart Platform", last_frame=SPAN, contact=True)
    base, platform = _base(), _platform()
    propeller = _propeller()
    tubes = [_leg(number) for number in range(LEGS)]
    link(base, motion="STATIC")
    link(platform, propeller, *(tube for leg in tubes for tube in leg))
    for obj in (base, platform, propeller):
        weigh(obj, MASSES[obj.name])
    slides = []
    for number, (lower, upper) in enumerate(tubes):
        weigh(lower, LOWER_MASS)
        weigh(upper, UPPER_MASS)
        slides.append(_joints_of_leg(number, base, lower, upper, platform))
    engine = join("propeller shaft", "continuous", platform, propeller, NOSE, [(1.0, 0.0, 0.0)], size=0.03)
    drive(engine.axes[0], "velocity", PROPELLER_SPEED, damping=0.002)
    frames = range(1, SPAN + 1, EVERY)
    rest = leg_lengths(np.zeros(3), np.eye(3))
    targets = {frame: leg_lengths(*pose(frame)) - rest for frame in frames}
    for number, slide in enumerate(slides):
        drive(slide.axes[0], "position", 0.0, STIFFNESS, DAMPING)
        key(slide.axes[0], "drive_target", {frame: target[number] for frame, target in targets.items()})
    collide(box("table", (1.1, 1.0, 0.03), (0.0, 0.0, -0.015), "wood", collection="Stand"))
    film((1.0, -1.75, 0.95), (0.0, 0.0, 0.33), lens=55.0)


def _joints_of_leg(number: int, base, lower, upper, platform):
    """Foot, slide and head; five of the six heads close loops. Returns the slide."""
    foot, head = FEET[number], HEADS[number]
    along = (head - foot) / np.linalg.norm(head - foot)
    name = f"leg {number + 1}"
    join(f"{name} foot", "universal", base, lower, foot, [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)], size=0.03)
    slide = join(f"{name} slide", "prismatic", lower, upper, (foot + head) / 2.0, [along], size=0.03)
    ball_joint = join(f"{name} head", "ball", upper, platform, head, size=0.03)
    ball_joint.closes_loop = number > 0
    return slide


def _leg(number: int):
    foot, head = FEET[number], HEADS[number]
    name, way = f"leg {number + 1}", head - foot
    lower = rod(f"{name} cylinder", 0.016, foot, foot + LOWER * way, "slate", origin=foot)
    ball(f"{name} foot ball", 0.024, foot, "steel", parent=lower)
    rod(f"{name} gland", 0.020, foot + (LOWER - 0.04) * way, foot + LOWER * way, "ochre", parent=lower)
    upper = rod(f"{name} piston", 0.009, head - UPPER * way, head, "steel", origin=head)
    ball(f"{name} head ball", 0.018, head, "steel", parent=upper)
    return lower, upper


def _base():
    base = rod("base", 0.38, (0.0, 0.0, 0.0), (0.0, 0.0, 0.03), "slate")
    rod("base ring", 0.34, (0.0, 0.0, 0.03), (0.0, 0.0, 0.034), "teal", parent=base)
    for number, (x, y, z) in enumerate(FEET):
        rod(f"base lug {number + 1}", 0.03, (x, y, 0.03), (x, y, z - 0.012), "slate", parent=base)
    return base


FUSELAGE = HEIGHT + 0.16
NOSE = (0.185, 0.0, FUSELAGE)


def _platform():
    """The plate, and the aeroplane that it carries, which flies along x."""
    plate = rod("platform", 0.235, (0.0, 0.0, HEIGHT + 0.012), (0.0, 0.0, HEIGHT + 0.034), "paper", origin=CENTRE)
    rod("platform rim", 0.241, (0.0, 0.0, HEIGHT + 0.017), (0.0, 0.0, HEIGHT + 0.029), "teal", parent=plate)
    bar("stand", 0.010, (0.02, 0.0, HEIGHT + 0.03), (0.02, 0.0, FUSELAGE), "steel", parent=plate)
    parts = (
        ("fuselage", (0.19, 0.044, 0.046), (0.0, 0.0, FUSELAGE), "red"),
        ("cockpit", (0.045, 0.026, 0.030), (0.03, 0.0, FUSELAGE + 0.038), "glass"),
        ("wing", (0.046, 0.235, 0.008), (0.035, 0.0, FUSELAGE - 0.006), "ochre"),
        ("tailplane", (0.026, 0.085, 0.006), (-0.165, 0.0, FUSELAGE + 0.012), "ochre"),
        ("fin", (0.030, 0.006, 0.050), (-0.168, 0.0, FUSELAGE + 0.040), "ochre"),
    )
    for name, radii, place, color in parts:
        shape(name, Ellipsoid(radii), place, color, parent=plate)
    return plate


def _propeller():
    propeller = ball("propeller", 0.016, NOSE, "slate")
    x, y, z = NOSE
    shape("blades", Ellipsoid((0.004, 0.011, 0.085)), (x + 0.006, y, z), "black", parent=propeller)
    return propeller
