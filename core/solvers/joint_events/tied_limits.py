# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of axes that couplings tie together: if several of them limit the same motion, only one of them acts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...dynamics.constraints import EQUATION, Constraints
from ...model.compiling.compiled import ON_DOF
from .margins import ZERO_TOLERANCE

SAME_RATIO = 1e-9
"""Relative difference up to which two speeds, or two weights that cancel, count as equal, since ratios are rounded."""


@dataclass(frozen=True)
class Tie:
    """The relation of a dof to the leading dof of its group: its coordinate is ratio * (the leader's) + offset.

    Attributes:
        leader: number of the leading dof.
        ratio: 0 for a dof to which its equations leave no speed.
        offset: in rad or m.
    """

    leader: int
    ratio: float = 1.0
    offset: float = 0.0


def drop_redundant_limits(set_valued_forces: np.recarray, force_states: np.recarray, constraints: Constraints) -> None:
    """Set limits that hold the same motion as another limit to infinity.

    Equations with two unknowns, such as those of mimics and gears, tie dofs into groups in which one coordinate
    determines all others. If two limits of a group acted at the same instant, the forces of both would not be unique,
    and their impulses could contradict each other. So of the speed limits of a group, only the one that is reached
    first remains. Of rigid stops that a group reaches in the same pose, the one with the largest restitution remains:
    an impulse that lets the axes leave with less would not push at that stop, but pull.

    Args:
        set_valued_forces: SET_VALUED_FORCE records, changed in place.
        force_states: FORCE_STATE records, whose `lower` and `upper` are set likewise.
        constraints: those of the same model.
    """
    ties = _ties(constraints)
    tied = [
        element
        for element in set_valued_forces
        if element.kind == ON_DOF and int(element.v) in ties and ties[int(element.v)].ratio
    ]
    groups: dict[int, list[tuple[np.record, Tie]]] = {}
    for element in tied:
        tie = ties[int(element.v)]
        groups.setdefault(tie.leader, []).append((element, tie))
    for group in groups.values():
        _keep_tightest_speed(group)
        for side in (-1.0, 1.0):
            _keep_one_stop(group, side)
    force_states.lower, force_states.upper = set_valued_forces.lower, set_valued_forces.upper


def _keep_tightest_speed(group: list[tuple[np.record, Tie]]) -> None:
    allowed = [float(element.velocity_limit) / abs(tie.ratio) for element, tie in group]
    least = min(allowed)
    kept = next(place for place, speed in enumerate(allowed) if speed <= least * (1.0 + SAME_RATIO))
    for place, (element, _) in enumerate(group):
        if place != kept:
            element.velocity_limit = math.inf


def _keep_one_stop(group: list[tuple[np.record, Tie]], side: float) -> None:
    """Keep one of the stops that a group reaches together as its leading coordinate moves to a side, -1 or 1."""
    stops = []
    for element, tie in group:
        name = "upper" if side * tie.ratio > 0.0 else "lower"
        place = (float(element[name]) - tie.offset) / tie.ratio
        if math.isinf(element.stiffness) and math.isfinite(place):
            stops.append((side * place, element, name))
    if not stops:
        return
    first = min(place for place, _, _ in stops)
    met = [(element, name) for place, element, name in stops if place <= first + ZERO_TOLERANCE]
    kept = max(met, key=lambda stop: float(stop[0].restitution))[0]
    for element, name in met:
        if element is not kept:
            element[name] = math.inf if name == "upper" else -math.inf


def _ties(constraints: Constraints) -> dict[int, Tie]:
    """Return the tie of each dof that an equation names. A dof that no equation ties is its own leader."""
    equations = list(_equations(constraints))
    ties = {v: Tie(v) for terms, _ in equations for v in terms}
    changed = True
    while changed:
        changed = False
        for terms, constant in equations:
            weights: dict[int, float] = {}
            sizes: dict[int, float] = {}
            for v, weight in terms.items():
                tie = ties[v]
                weights[tie.leader] = weights.get(tie.leader, 0.0) + weight * tie.ratio
                sizes[tie.leader] = sizes.get(tie.leader, 0.0) + abs(weight * tie.ratio)
                constant -= weight * tie.offset
            left = [v for v, weight in weights.items() if abs(weight) > SAME_RATIO * sizes[v]]
            if len(left) == 1 and ties[left[0]].ratio:
                _follow(ties, left[0], Tie(left[0], 0.0, constant / weights[left[0]]))
            elif len(left) == 2:
                first, second = left
                ratio = -weights[first] / weights[second]
                _follow(ties, second, Tie(first, ratio, constant / weights[second]))
            else:
                continue
            changed = True
    return ties


def _equations(constraints: Constraints) -> Iterator[tuple[dict[int, float], float]]:
    """Yield the weights by dof, and the constant, of each equation that always holds and is not prescribed."""
    for record in constraints.records:
        if record.kind == EQUATION and record.force_law < 0 and record.signal < 0:
            terms: dict[int, float] = {}
            for term in constraints.terms[record.term : record.term_end]:
                terms[int(term.v)] = terms.get(int(term.v), 0.0) + float(term.weight)
            yield terms, float(record.constant)


def _follow(ties: dict[int, Tie], dof: int, led: Tie) -> None:
    """Let the group that `dof` leads follow another dof, or rest where `led` has the ratio 0."""
    for v, tie in ties.items():
        if tie.leader == dof:
            ties[v] = Tie(led.leader, tie.ratio * led.ratio, tie.ratio * led.offset + tie.offset)
