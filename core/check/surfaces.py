# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about the contact properties of collision shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..geometry import Surface
from ..model import Model
from ..model.soundness.issue import Issue, error, name_of, warning

UNITS = {
    "stiffness": " N/m",
    "dissipation": " s/m",
    "rolling_friction": " m",
    "spinning_friction": " m",
    "slip_speed": " m/s",
}
"""Units of the fields that have one, as messages show them."""
NO_LESS_THAN_0 = ("friction", "static_friction", "dissipation", "rolling_friction", "spinning_friction", "slip_speed")
"""Fields that must be finite and not negative."""


def numbers_of_surfaces(model: Model) -> Iterator[Issue]:
    for link in model.links:
        for shape in link.collisions:
            for name, remedy in _wrong(shape.surface) if shape.surface else ():
                value = f"{name.replace('_', ' ')} is {getattr(shape.surface, name):g}{UNITS.get(name, '')}"
                yield error("bad-surface", name_of(link), f"collision '{shape.name}': {value}; {remedy}")


def static_below_sliding(model: Model) -> Iterator[Issue]:
    for link in model.links:
        for shape in link.collisions:
            surface = shape.surface
            if surface and surface.static_friction is not None and surface.static_friction < surface.friction:
                message = (
                    f"static friction is {surface.static_friction:g}, less than the sliding one, {surface.friction:g}, "
                    "which is taken for both; give as much or more, or none"
                )
                yield warning("static-below-sliding", name_of(link), f"collision '{shape.name}': {message}")


def _wrong(surface: Surface) -> Iterator[tuple[str, str]]:
    """Yield the name of each number that no surface can have, and what to do."""
    for name in NO_LESS_THAN_0:
        value = getattr(surface, name)
        if value is not None and not 0.0 <= value < math.inf:
            yield name, "give a finite number, 0 or more"
    if not 0.0 <= surface.restitution <= 1.0:
        yield "restitution", "give 0, where nothing bounces, to 1, where no speed is lost"
    if not surface.stiffness > 0.0:
        yield "stiffness", "give more than 0, or leave it out where it is rigid"


FINDINGS = (numbers_of_surfaces, static_below_sliding)
