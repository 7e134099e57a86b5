"""A simulated trajectory, written as F-curves."""

from .errors import BakeError
from .pose_keys import key_joints, key_links
from .restore import baked_links, clear_bake, foreign_actions
from .session import BakeResult, BakeRun

__all__ = [
    "BakeError",
    "BakeResult",
    "BakeRun",
    "baked_links",
    "clear_bake",
    "foreign_actions",
    "key_joints",
    "key_links",
]
