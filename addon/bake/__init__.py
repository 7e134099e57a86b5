"""A simulated trajectory, written as F-curves."""

from .errors import BakeError
from .restore import baked_links, clear_bake, foreign_actions
from .session import BakeResult, BakeRun
from .warming import Warming

__all__ = ["BakeError", "BakeResult", "BakeRun", "Warming", "baked_links", "clear_bake", "foreign_actions"]
