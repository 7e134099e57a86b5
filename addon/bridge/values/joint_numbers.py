# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert between coordinate numbers of panels and keys and the indices and units of core.

Panels count all coordinates, locked ones included, and show lengths in Blender units. Core counts the coordinates that
can change, in metres.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ....core.joints import Unit

if TYPE_CHECKING:
    from ....core.model import Joint


def q_index_of(joint: Joint, number: int) -> int | None:
    """Return the index of coordinate `number` among the unlocked ones; None if it is locked or a chart's."""
    if joint.kind.chart or number >= len(joint.all_columns):
        return None
    return joint.place_of(joint.all_columns[number].axis)


def whole_turn(joint: Joint, number: int) -> float:
    """Return the change of coordinate `number` in a whole turn [rad]; 0 if it is locked or the joint slides too."""
    if q_index_of(joint, number) is None:
        return 0.0
    column = joint.all_columns[number]
    return math.tau / abs(column.turn) if column.turn and not column.slide_with(joint.pitch) else 0.0


def coordinate_number(joint: Joint, q_index: int) -> int:
    """Return the number of the coordinate with an index among the unlocked ones; the inverse of `q_index_of`.

    For a chart, number and index are the same.
    """
    if joint.kind.chart:
        return q_index
    return [number for number in range(len(joint.all_columns)) if q_index_of(joint, number) is not None][q_index]


def unit_factor(joint: Joint, q_index: int, unit: float) -> float:
    """Return the factor from a number of the panel to the one in core: for a length, the Blender unit [m]; else 1."""
    return unit if joint.q_units[q_index][1] is Unit.LENGTH else 1.0
