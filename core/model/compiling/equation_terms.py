# SPDX-License-Identifier: GPL-3.0-or-later
"""Equations between coordinates of joints, such as those of gears, as terms of a compiled model's coordinates."""

from __future__ import annotations

from ..couplings import Equation
from .compiled import CompiledModel


def equation_terms(compiled: CompiledModel, equation: Equation) -> tuple[list[tuple[int, int, float]], float]:
    """Return ((index in q, index in qd, weight) of each coordinate, constant). Locked axes are part of the constant."""
    terms, constant = [], equation.constant
    for term in equation.terms:
        joint = compiled.model.joint(term.joint)
        place = joint.place_of(term.axis)
        if place is None:
            constant -= term.weight * joint.home[[column.axis for column in joint.all_columns].index(term.axis)]
        else:
            span = compiled.spans[term.joint]
            terms.append((span.q_at(place), span.v_at(place), term.weight))
    return terms, constant
