# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about the limits of joints that mimics and couplings connect."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Coupling, Gearbox, Joint, Model, ModelError
from ..model.couplings import Equation, Term, mimic_equation
from ..model.soundness.issue import Issue, name_of, warning
from ..model.text import measured, measured_span, quoted
from .couplings import Coordinate

NO_ROOM = 1e-6
"""Width of a range at or below which a coordinate cannot move in it [rad or m]. It is the rounding of numbers in files.
"""

MOST_VISITS = 50
"""Mean number of visits to an equation after which the search ends.

A tree of couplings takes as many visits as there are couplings between two joints; a ring may take any number.
"""


@dataclass(frozen=True)
class Range:
    """The values that a coordinate can take.

    Attributes:
        lower, upper: in rad or m; infinite if nothing limits the coordinate.
        sources: the joints whose limits determine these two numbers.
    """

    lower: float
    upper: float
    sources: frozenset[str]

    @property
    def width(self) -> float:
        return self.upper - self.lower

    def within(self, other: Range) -> Range:
        """Return the values that are in both ranges. `lower` is above `upper` if there are none."""
        lower = max((self, other), key=lambda each: each.lower)
        upper = min((self, other), key=lambda each: each.upper)
        return Range(lower.lower, upper.upper, lower.sources | upper.sources)

    def is_narrower(self, other: Range) -> bool:
        return self.lower > other.lower + NO_ROOM or self.upper < other.upper - NO_ROOM


def no_room_for_coupling(model: Model) -> Iterator[Issue]:
    """Yield a warning for each coupling that cannot move within the limits of its joints, or that no pose satisfies.

    Ranges are passed from equation to equation until none becomes narrower (interval propagation, Davis 1987), so the
    limits that contradict each other may be those of joints several couplings apart. A joint whose own two limits are
    equal is meant to stand still, and so are its followers.
    """
    ranges = _own_ranges(model)
    ties = [(item, found) for item, equation in _equations(model) if (found := _usable(equation, ranges))]
    at: dict[Coordinate, list[int]] = {}
    for number, (_, equation) in enumerate(ties):
        for term in equation.terms:
            at.setdefault((term.joint, term.axis), []).append(number)
    waiting, reported = deque(range(len(ties))), set()
    for _ in range(MOST_VISITS * len(ties)):
        if not waiting:
            return
        number = waiting.popleft()
        item, equation = ties[number]
        if number in reported:
            continue
        for term in equation.terms:
            key = term.joint, term.axis
            own, led = ranges[key], _led_range(equation, term, ranges)
            both = own.within(led)
            if both.width < -NO_ROOM or (both.width <= NO_ROOM < min(own.width, led.width)):
                reported.add(number)
                yield warning("no-room", name_of(item), _in_words(model, item, term, own, led, both))
                break
            if both.is_narrower(own) and both.width > NO_ROOM:
                ranges[key] = both
                waiting.extend(other for other in at[key] if other != number)


def _own_ranges(model: Model) -> dict[Coordinate, Range]:
    """Return the limits of each coordinate that a coupling can name. Crossed limits count as none."""
    found = {}
    for joint in model.joints:
        if not joint.enabled or joint.kind.chart:
            continue
        for column in joint.columns:
            lower, upper = joint.range_of(column.axis)
            if lower > upper:
                lower, upper = -math.inf, math.inf
            found[joint.name, column.axis] = Range(lower, upper, frozenset([joint.name]))
    return found


def _equations(model: Model) -> Iterator[tuple[Joint | Coupling | Gearbox, Equation]]:
    for joint in model.joints:
        if joint.mimic and joint.enabled:
            yield joint, mimic_equation(joint.name, joint.mimic)
    for coupling in model.couplings:
        try:
            yield coupling, coupling.equation(model.joints)
        except ModelError:
            continue  # reported by `reference_not_shared`


def _usable(equation: Equation, known: dict[Coordinate, Range]) -> Equation | None:
    """Return the equation without terms of weight 0.

    Return None if it is reported elsewhere, or if one of its joints is disabled.
    """
    terms = tuple(term for term in equation.terms if term.weight)
    keys = [(term.joint, term.axis) for term in terms]
    numbers = [equation.constant, *(term.weight for term in terms)]
    if len({*keys}) < 2 or len({*keys}) < len(keys) or not all(map(math.isfinite, numbers)):
        return None
    return Equation(equation.name, terms, equation.constant) if known.keys() >= {*keys} else None


def _led_range(equation: Equation, term: Term, ranges: dict[Coordinate, Range]) -> Range:
    """Return the range to which the other joints of an equation can move the coordinate of `term`."""
    lower = upper = equation.constant
    sources: frozenset[str] = frozenset()
    for other in equation.terms:
        if other is not term:
            known = ranges[other.joint, other.axis]
            ends = sorted((-other.weight * known.lower, -other.weight * known.upper))
            lower, upper, sources = lower + ends[0], upper + ends[1], sources | known.sources
    lower, upper = sorted((lower / term.weight, upper / term.weight))
    return Range(lower + 0.0, upper + 0.0, sources)  # + 0.0 changes -0.0 to 0.0


def _in_words(model: Model, item: Joint | Coupling | Gearbox, term: Term, own: Range, led: Range, both: Range) -> str:
    unit = model.joint(term.joint).axis_unit(term.axis).value
    if isinstance(item, Joint) and item.mimic:
        how, coupling = f"it mimics '{item.mimic.leader}' {item.mimic.multiplier:g} times", "multiplier or offset"
    else:
        how = f"it couples '{term.joint}' with others"
        coupling = "weights" if isinstance(item, Coupling) and item.weights else "ratio"
    left = (
        "so no pose is within all of them"
        if both.width < -NO_ROOM
        else f"so {measured(0.5 * (both.lower + both.upper), unit)} is all that is left, and neither can move"
    )
    return (
        f"no room: {how}, and limits of {_sources(led)} lead '{term.joint}' to "
        f"{measured_span(led.lower, led.upper, unit)}, while limits of {_sources(own)} allow it "
        f"{measured_span(own.lower, own.upper, unit)}, {left}; change limits of one, or the {coupling}"
    )


def _sources(found: Range) -> str:
    return quoted(sorted(found.sources))


FINDINGS = (no_room_for_coupling,)
