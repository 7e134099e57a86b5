# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint types as data. `types.py` contains the list of types; `parts.py` defines the parts of a type."""

from .limited_quantities import evaluate_quantity
from .parts import BALL, FREE, SCREWS, Chart, Column, JointType, LimitedQuantity, Slot, Unit
from .types import JOINT_TYPES, type_name, unknown_type

__all__ = [
    "BALL",
    "FREE",
    "JOINT_TYPES",
    "SCREWS",
    "Chart",
    "Column",
    "JointType",
    "LimitedQuantity",
    "Slot",
    "Unit",
    "evaluate_quantity",
    "type_name",
    "unknown_type",
]
