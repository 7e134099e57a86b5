# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a motion, simulated or from a file, as F-curves."""

from typing import TYPE_CHECKING

from ..late import late_modules

if TYPE_CHECKING:
    from . import course, demands, pose_keys, record, replay, restore, settings, staleness

__getattr__ = late_modules(__name__)
