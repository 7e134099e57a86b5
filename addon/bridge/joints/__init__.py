# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints: their frames, axes, limits and drives, as Empties show them.

Coordinates of poses belong to `posing`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        axis_views,
        bone_joints,
        driving,
        frames,
        hinge_axes,
        joining,
        joint_edits,
        motion_ranges,
        moved_zero,
        read_joints,
        storing_frames,
    )

__getattr__ = late_modules(__name__)
