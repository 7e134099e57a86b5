# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of coordinates and of limited quantities, as bounds of a step of inverse kinematics."""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from ...compilation.abi import KernelTuple
from ...compilation.jit import subroutine
from ...joints import BALL, Unit
from ...model.compiling.compiled import CompiledModel
from ...spatial import ZERO
from ...spatial.storage import put3
from ..limited_quantities import chart_quantity

LIMIT = np.dtype(
    [
        ("q", np.int64),  # of a column; -1 for a limited quantity
        ("v", np.int64),
        ("body", np.int64),
        ("code", np.int64),
        ("direction", np.float64, 3),
        ("centre", np.float64),
        ("weight", np.float64),  # by which values [m, rad] are multiplied
        ("lower", np.float64),
        ("upper", np.float64),
    ],
    align=True,
)


INSIDE = 2e-13
"""Distance from a limit at which coordinates stop [rad or model sizes].

Without it, rounding would decide on which side of the limit a coordinate is. An arm that is stretched at its elbow's
limit might then never bend again, since each step that brings the hand nearer would bend the elbow beyond its limit.
"""


class Bounds(KernelTuple, namedtuple("Bounds", "rows low high")):
    """Work arrays: rates of limited quantities, shape (p, nv), and the lowest and highest change, shape (p,) each."""


def limits_of(compiled: CompiledModel, size: float) -> np.recarray:
    """Return a LIMIT record for each axis with limits whose lower limit is not above the upper one.

    Args:
        size: of the model [m]; lengths are divided by it.
    """
    found = []
    for span in compiled.spans.values():
        joint = span.joint
        if not joint.kind.chart:
            for place, column in enumerate(joint.columns):
                lower, upper = joint.range_of(column.axis)
                weight = 1.0 / size if column.unit is Unit.LENGTH else 1.0
                found.append((span.q_at(place), span.v_at(place), span.body, 0, ZERO, 0.0, weight, lower, upper))
            continue
        for row in joint.kind.limited_quantities:
            limits = joint.range_of(row.axis)
            lower, upper = row.stops(*limits)
            quantity = (row.code, joint.unit_direction(row.axis), row.centre(*limits))
            weight = 1.0 / size if joint.axis_unit(row.axis) is Unit.LENGTH else 1.0
            found.append((-1, -1, span.body, *quantity, weight, lower, upper))
    return np.array([limit for limit in found if _limits(*limit[-2:])], LIMIT).view(np.recarray)


def _limits(lower: float, upper: float) -> bool:
    return lower <= upper and (math.isfinite(lower) or math.isfinite(upper))


def make_bounds(limits: np.recarray, nv: int) -> Bounds:
    return Bounds(np.zeros((len(limits), nv)), np.zeros(len(limits)), np.zeros(len(limits)))


@subroutine
def write_bounds(model, limits, dof_scale, q, bounds):
    """Write the range of change of each limited quantity from q on.

    A coordinate stops `INSIDE` its limit, and one beyond its limit may not move farther beyond it. A limited quantity
    beyond its limit must come back, since a step along its linearised rate leads beyond again.
    """
    for n in range(limits.shape[0]):
        limit = limits[n]
        if limit.q >= 0:
            value = q[limit.q]
            bounds.rows[n, limit.v] = limit.weight * dof_scale[limit.v]
            bounds.low[n] = min(limit.weight * (limit.lower - value) + INSIDE, 0.0)
            bounds.high[n] = max(limit.weight * (limit.upper - value) - INSIDE, 0.0)
        else:
            value = write_quantity(model, limit, dof_scale, q, bounds.rows[n])
            bounds.low[n] = limit.weight * (limit.lower - value)
            bounds.high[n] = limit.weight * (limit.upper - value)


@subroutine
def excess(bounds):
    """Return the largest amount by which a limited quantity is beyond its limit."""
    most = 0.0
    for n in range(bounds.low.shape[0]):
        most = max(most, bounds.low[n], -bounds.high[n])
    return most


@subroutine
def write_quantity(model, limit, dof_scale, q, rates):
    """Write the rates of a limited quantity. Return its value."""
    body = model.bodies[limit.body]
    value, (torque, force) = chart_quantity(model, limit, q)
    put3(rates, torque, body.v_end - 3)
    if body.kind != BALL:
        put3(rates, force, body.v)
    for j in range(body.v, body.v_end):
        rates[j] *= limit.weight * dof_scale[j]
    return value
