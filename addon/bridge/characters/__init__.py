# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdolls: which bones of an armature become links, with which shapes, joints and masses.

`core.characters` knows bodies, and `skins` fits the shapes; this package reads armatures for both and stores the
results. Operators belong to the packages above.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import ragdoll_bodies, ragdoll_joints, ragdoll_plans, rig_limits

__getattr__ = late_modules(__name__)
