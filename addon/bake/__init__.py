"""A motion, simulated or from a file, written as F-curves."""

from .baking import Bake, BakeResult
from .errors import BakeError
from .pose_keys import key_joints, key_links
from .receipt import receipt_of
from .record import recorded
from .replay import ReplayRun
from .restore import bake_of, baked_links, baked_objects, clear_bake, foreign_actions, is_baked
from .session import BakeRun
from .settings import BakeSettings, settings_of
from .staleness import out_of_date

__all__ = [
    "Bake",
    "BakeError",
    "BakeResult",
    "BakeRun",
    "BakeSettings",
    "ReplayRun",
    "bake_of",
    "baked_links",
    "baked_objects",
    "clear_bake",
    "foreign_actions",
    "is_baked",
    "key_joints",
    "key_links",
    "out_of_date",
    "receipt_of",
    "recorded",
    "settings_of",
]
