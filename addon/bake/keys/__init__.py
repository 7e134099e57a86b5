# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert poses of links to F-curves of objects and joints, and transform such F-curves."""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import pose_keys

__getattr__ = late_modules(__name__)
