# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints: their frames, axes, limits and drives, as Empties show them.

Coordinates of poses belong to `posing`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        dials,
        driving,
        frames,
        hinge_axes,
        joining,
        motion_ranges,
        read_joints,
        rigging,
        settling,
        shifting,
    )

__getattr__ = late_modules(__name__)
