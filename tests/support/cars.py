# SPDX-License-Identifier: GPL-3.0-or-later
"""A car on four wheels with springs, on struts or on trailing arms that are loops, and its inertia in its mid-plane."""

from __future__ import annotations

import math

import numpy as np

from limberjack.core.geometry import Cylinder, Shape, Sphere
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model

from .mechanisms import Y, Z, join
from .touching import LEVEL, NO_TURN, G, floor, turned

CHASSIS, UPRIGHT, WHEEL, ARM = 400.0, 4.0, 12.0, 1.5
"""Masses [kg]; an arm's is at its pin on the upright."""
PITCH, UPRIGHT_TURN, SPIN, ARM_TURN = 150.0, 0.05, 0.6, 0.08
"""Inertias about y [kg m^2]."""
REACH, TRACK, RADIUS, ABOVE = 1.0, 0.7, 0.3, 0.2
"""Of wheels from the car's middle, lengthwise and across; of a wheel; of the chassis's middle above hubs [m]."""
SPRING, DAMPER, LENGTH, SPREAD = 15e3, 1200.0, 0.4, 0.1
"""Of a wheel [N/m, N s/m]; of a trailing arm, and half the distance of a pair of these [m]."""
HEIGHT = RADIUS + ABOVE
CORNERS = {"front left": (1, 1), "front right": (1, -1), "rear left": (-1, 1), "rear right": (-1, -1)}


def car(surface: Surface, bump: float, at: float, on_arms: bool) -> Model:
    """At rest on its springs, its front axle at x = REACH. bump: radius of half a cylinder across its way at x = at."""
    ridge = Shape("bump", Cylinder(bump, 4.0), (at, 0.0, 0.0, *turned("x", math.pi / 2.0)), surface=surface)
    ground = floor(surface)
    ground.collisions.append(ridge)
    model = Model("car", [ground, _link("chassis", CHASSIS, PITCH, (0.0, 0.0, HEIGHT))])
    model.gravity = LEVEL
    model.joints.append(Joint("held", "fixed", WORLD, "floor"))
    join(model, "free chassis", "free", WORLD, "chassis", (0.0, 0.0, HEIGHT))
    for name, (along, across) in CORNERS.items():
        hub = (along * REACH, across * TRACK, RADIUS)
        wheel = _link(f"{name} wheel", WHEEL, SPIN, hub)
        wheel.collisions = [Shape("tyre", Sphere(RADIUS), surface=surface)]
        model.links += [_link(f"{name} upright", UPRIGHT, UPRIGHT_TURN, hub), wheel]
        (_hang_on_arms if on_arms else _hang_on_strut)(model, name, hub)
        join(model, f"{name} axle", "continuous", f"{name} upright", f"{name} wheel", hub, Y)
    return model


def _link(name: str, mass: float, inertia: float, place, com=(0.0, 0.0, 0.0)) -> Link:
    return Link(name, mass, com, (inertia, 0.0, 0.0, inertia, 0.0, inertia), (*place, *NO_TURN))


def _hang_on_strut(model: Model, name: str, hub) -> None:
    axis = join(model, f"{name} strut", "prismatic", "chassis", f"{name} upright", hub, Z).axes[0]
    axis.spring_stiffness, axis.damping = SPRING, DAMPER
    axis.spring_reference = -CHASSIS * G / 4.0 / SPRING


def _hang_on_arms(model: Model, name: str, hub) -> None:
    """Two arms that trail from the chassis to the upright; the spring is on the lower one's hinge."""
    for part, side in (("lower", -1), ("upper", 1)):
        pin = hub[0], hub[1], hub[2] + side * SPREAD
        hinge = pin[0] + LENGTH, *pin[1:]
        model.links.append(_link(f"{name} {part}", ARM, ARM_TURN, hinge, (-LENGTH, 0.0, 0.0)))
        axis = join(model, f"{name} {part} hinge", "revolute", "chassis", f"{name} {part}", hinge, Y).axes[0]
        join(model, f"{name} {part} pin", "revolute", f"{name} {part}", f"{name} upright", pin, Y)
        if part == "lower":
            axis.spring_stiffness, axis.damping = SPRING * LENGTH**2, DAMPER * LENGTH**2
            axis.spring_reference = -(CHASSIS / 4.0) * G * LENGTH / axis.spring_stiffness


def rolling(speed: float) -> dict:
    """A state in which all wheels roll."""
    axles = {f"{name} axle": speed / RADIUS for name in CORNERS}
    return {"qd": {"free chassis": [speed, 0.0, 0.0, 0.0, 0.0, 0.0], **axles}}


def plane_inertia(on_arms: bool) -> np.ndarray:
    """Of the car as drawn, shape (7, 7).

    Coordinates: the chassis's way along x and up, its pitch, how far uprights rise against it, front and rear, and how
    far the wheels have turned in space, front and rear.
    """
    M = np.diag([CHASSIS, CHASSIS, PITCH, 0.0, 0.0, 2.0 * SPIN, 2.0 * SPIN])
    for axle in range(2):
        way = hub_rates(axle)
        M += 2.0 * (UPRIGHT + WHEEL) * way.T @ way
        M[2, 2] += 2.0 * UPRIGHT_TURN
        for side in (-1, 1) if on_arms else ():
            pin, turn = hub_rates(axle), np.zeros(7)
            pin[0, 2] += side * SPREAD
            turn[2], turn[3 + axle] = 1.0, 1.0 / LENGTH
            M += 2.0 * (ARM * pin.T @ pin + ARM_TURN * np.outer(turn, turn))
    return M


def point_rates(x: float, z: float) -> np.ndarray:
    """How a point of the chassis moves along x and up, shape (2, 7)."""
    rates = np.zeros((2, 7))
    rates[:, :3] = (1.0, 0.0, z), (0.0, 1.0, -x)
    return rates


def hub_rates(axle: int) -> np.ndarray:
    """The same of the hubs of an axle, 0 being the front one."""
    rates = point_rates((1 - 2 * axle) * REACH, -ABOVE)
    rates[1, 3 + axle] = 1.0
    return rates


def tyre_rates(axle: int, normal) -> np.ndarray:
    """The same of the tyres' material where a normal that points to the hub meets it."""
    rates = hub_rates(axle)
    rates[:, 5 + axle] = -RADIUS * normal[1], RADIUS * normal[0]
    return rates
