# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of a model in the viewport: read as coordinates, changed by values or by pulling, and stored by name."""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        link_poses,
        named_poses,
        posing,
        posing_cache,
        present_poses,
        pulling,
    )

__getattr__ = late_modules(__name__)
