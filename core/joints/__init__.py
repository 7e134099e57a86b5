"""What a joint type is: data. See `types.py` for the list, and to add one."""

from .types import BALL, FREE, JOINT_TYPES, SCREWS, Chart, Column, JointType, Unit

__all__ = ["BALL", "FREE", "JOINT_TYPES", "SCREWS", "Chart", "Column", "JointType", "Unit"]
