# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints: their frames, axes, limits and drives, as Empties show them.

Coordinates of poses belong to `posing`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import dials as dials
    from . import driving as driving
    from . import frames as frames
    from . import hinge_axes as hinge_axes
    from . import joining as joining
    from . import motion_ranges as motion_ranges
    from . import read_joints as read_joints
    from . import rigging as rigging
    from . import settling as settling
    from . import shifting as shifting

__getattr__ = late_modules(__name__)
