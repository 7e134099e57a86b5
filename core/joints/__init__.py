# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint types as data. `types.py` contains the list of types; `parts.py` defines the parts of a type."""

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
