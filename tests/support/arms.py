# SPDX-License-Identifier: GPL-3.0-or-later
"""Small arms whose every pose has a closed form."""

from __future__ import annotations

import math

from limberjack.core.model import WORLD, Link, Model

from .mechanisms import X, Y, Z, join

UPPER, FORE = 1.0, 0.7
HAND = (UPPER + FORE, 0.0, 0.0)
"""In the forearm's frame, which as drawn is the world's."""


def two_links(upper: float = UPPER, fore: float = FORE) -> Model:
    """An arm in the XY plane, stretched along x as drawn; its hand is `upper` + `fore` from the shoulder."""
    model = Model("arm", [Link("upper"), Link("fore")])
    join(model, "shoulder", "revolute", WORLD, "upper", (0.0, 0.0, 0.0), Z)
    join(model, "elbow", "revolute", "upper", "fore", (upper, 0.0, 0.0), Z)
    return model


def hand_at(shoulder: float, elbow: float, upper: float = UPPER, fore: float = FORE) -> tuple[float, float, float]:
    turned = shoulder + elbow
    return (
        upper * math.cos(shoulder) + fore * math.cos(turned),
        upper * math.sin(shoulder) + fore * math.sin(turned),
        0.0,
    )


def elbows(x: float, y: float) -> list[tuple[float, float]]:
    """Both (shoulder, elbow) at which the hand is there, by the cosine theorem."""
    bend = math.acos((x * x + y * y - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE))
    return [
        (math.atan2(y, x) - math.atan2(FORE * math.sin(elbow), UPPER + FORE * math.cos(elbow)), elbow)
        for elbow in (bend, -bend)
    ]


def planar_chain(count: int, length: float = 0.5) -> Model:
    """Links of one length in the XY plane on hinges about z, stretched along x as drawn."""
    model = Model("chain", [Link(f"link{i}") for i in range(count)])
    for i in range(count):
        join(model, f"hinge{i}", "revolute", f"link{i - 1}" if i else WORLD, f"link{i}", (length * i, 0.0, 0.0), Z)
    return model


def sector(angle: float = 0.5, least: float = 0.4, most: float = 1.2) -> Model:
    """A hand on a slide on a hinge: it reaches a sector of an annulus; as drawn it is at its outermost along x."""
    model = Model("sector", [Link("boom"), Link("hand")])
    hinge = join(model, "hinge", "revolute", WORLD, "boom", (0.0, 0.0, 0.0), Z)
    slide = join(model, "slide", "prismatic", "boom", "hand", (0.0, 0.0, 0.0), X)
    hinge.axes[0].lower, hinge.axes[0].upper = -angle, angle
    slide.axes[0].lower, slide.axes[0].upper = least, most
    slide.home = (0.5 * (least + most),)
    return model


def slider_crank(crank: float = 0.3, rod: float = 0.8) -> Model:
    """Drawn with the crank along y; the slider moves along x."""
    model = Model("slider_crank", [Link("crank"), Link("rod"), Link("slider")])
    out = math.sqrt(rod**2 - crank**2)
    join(model, "axle", "revolute", WORLD, "crank", (0.0, 0.0, 0.0), Z)
    join(model, "big_end", "revolute", "crank", "rod", (0.0, crank, 0.0), Z)
    join(model, "small_end", "revolute", "rod", "slider", (out, 0.0, 0.0), Z)
    join(model, "rail", "prismatic", WORLD, "slider", (out, 0.0, 0.0), X)
    return model


def pan_tilt(height: float = 1.5) -> Model:
    """A camera that looks along its x axis, on a tilt about y that crosses a pan about z."""
    model = Model("pan_tilt", [Link("head"), Link("camera")])
    join(model, "pan", "revolute", WORLD, "head", (0.0, 0.0, height), Z)
    join(model, "tilt", "revolute", "head", "camera", (0.0, 0.0, height), Y)
    return model
