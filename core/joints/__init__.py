# SPDX-License-Identifier: GPL-3.0-or-later
"""What a joint type is: data. `types.py` holds the list; `parts.py` says what a type is made of."""

from .parts import BALL, FREE, SCREWS, Chart, Column, JointType, Row, Slot, Unit
from .rows import measure
from .types import JOINT_TYPES, type_name

__all__ = [
    "BALL",
    "FREE",
    "JOINT_TYPES",
    "SCREWS",
    "Chart",
    "Column",
    "JointType",
    "Row",
    "Slot",
    "Unit",
    "measure",
    "type_name",
]
