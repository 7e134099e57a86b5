# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes, the mass and the contact settings of links.

Joints belong to `joints`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        bone_capsules,
        bone_shapes,
        capsule_views,
        collision_fitting,
        collisions,
        contact_settings,
        deforming,
        mass,
        on_bones,
        parts,
        recognition,
        shapes,
        tagging,
    )

__getattr__ = late_modules(__name__)
