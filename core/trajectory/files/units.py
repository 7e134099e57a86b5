# SPDX-License-Identifier: GPL-3.0-or-later
"""The units in which files may give numbers, {unit: its size in SI units}."""

from __future__ import annotations

import math
from collections.abc import Mapping

TIME = {"s": 1.0, "ms": 1e-3}
LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
ANGLE = {"rad": 1.0, "deg": math.pi / 180.0}
NUMBER: Mapping[str, float] = {}
FORCE, TORQUE, ENERGY = {"N": 1.0}, {"N m": 1.0}, {"J": 1.0}
POSITION = ANGLE | LENGTH
RATE = {f"{unit}/s": factor for unit, factor in POSITION.items()}
EFFORT = FORCE | TORQUE


def si_name(unit: str) -> str:
    """Return the SI unit of the quantity of a unit; "" if there is no unit."""
    base, over, per = unit.partition("/")
    named = "rad" if base in ANGLE else "m" if base in LENGTH else base
    return named + over + per
