# SPDX-License-Identifier: GPL-3.0-or-later
"""SET_VALUED_FORCE and CHART_DRIVE records: forces on the axes of a joint that switch on and off.

These are limits of position and speed, dry friction, and drives whose force is limited. A record takes its values from
an `Axis`, without the fields that have no meaning on the slot of that axis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...spatial import ZERO
from ..drives import DRIVES, DriveLaw
from ..elements import Axis, Joint
from .compiled import ON_CHART, ON_DOF, ON_QUANTITY

PASSIVE_AXIS = Axis(stiffness=math.inf)
"""An axis without limits, friction and drive. Fields that have no meaning on a slot take their values from it."""

STOP_FIELDS = ("lower", "upper", "stiffness", "dissipation", "restitution")
"""Fields of an `Axis` that describe its stops."""


def _law(axis: Axis) -> DriveLaw:
    return DRIVES[axis.drive_mode].law(axis)


def dof_forces(joint: Joint, body: int, axes: list[int], q: int, v: int) -> Iterator[tuple]:
    """Yield the SET_VALUED_FORCE records of a body's dofs.

    Args:
        axes: for each dof, the number of the joint's axis.
        q, v: indices of the first position and velocity coordinate of the body.
    """
    for index, number in enumerate(axes):
        axis = effective(joint, number)
        limited = not (axis.is_unlimited or axis.has_no_room)
        if limited or axis.friction > 0.0 or math.isfinite(axis.velocity_limit) or DRIVES[axis.drive_mode].is_on(axis):
            effective_axis = axis if limited else effective(joint, number, without=STOP_FIELDS)
            yield _record(effective_axis, ON_DOF, body, q + index, v + index)


def chart_forces(joint: Joint, body: int, v: int) -> Iterator[tuple]:
    """Yield the SET_VALUED_FORCE records of a joint with a chart.

    They are for friction on components of the velocity, and for the stops of limited quantities.

    Args:
        v: index of the first velocity coordinate of the body.
    """
    for index, number in enumerate(joint.kind.spring_axes):
        axis = effective(joint, number, without=STOP_FIELDS)
        if axis.friction > 0.0:
            yield _record(axis, ON_CHART, body, -1, v + index)
    for quantity in joint.kind.limited_quantities:
        axis = effective(joint, quantity.axis)
        if not axis.has_no_room and (axis.lower > quantity.least or axis.upper < quantity.most):
            limits = (axis.lower, axis.upper)
            fields = (quantity.code, joint.unit_direction(quantity.axis), quantity.centre(*limits))
            stops = (*quantity.stops(*limits), *_stops(axis)[2:])
            yield (ON_QUANTITY, body, -1, -1, *fields, *stops, 0.0, math.inf, math.inf, *[0.0] * 5)


def chart_drive(joint: Joint, body: int) -> tuple | None:
    """Return the CHART_DRIVE record of a ball joint; None if none of its axes has a drive."""
    axes = [effective(joint, number) for number in joint.kind.spring_axes]
    if len(axes) != 3 or not any(DRIVES[axis.drive_mode].is_on(axis) for axis in axes):
        return None
    stiffness, damping, target, rate, push = zip(*map(_law, axes), strict=True)
    return body, stiffness, damping, target, ZERO, rate, push


def effective(joint: Joint, number: int, without: tuple[str, ...] = ()) -> Axis:
    """Return an axis of a joint with the fields that have an effect on its slot.

    Other fields, and those in `without`, have the values of `PASSIVE_AXIS`.
    """
    fields = joint.kind.slot(number).fields
    axis, passive = joint.axes[number], PASSIVE_AXIS
    names = [name for name in vars(passive) if name not in fields or name in without]
    return _replaced(axis, {name: getattr(passive, name) for name in names})


def _replaced(axis: Axis, values: dict[str, Any]) -> Axis:
    return Axis(**(vars(axis) | values))


def _record(axis: Axis, kind: int, body: int, q: int, v: int) -> tuple:
    return (kind, body, q, v, 0, ZERO, 0.0, *_stops(axis), axis.friction, axis.velocity_limit, axis.effort, *_law(axis))


def _stops(axis: Axis) -> tuple[float, ...]:
    return axis.lower, axis.upper, axis.stop_stiffness, axis.dissipation, axis.restitution
