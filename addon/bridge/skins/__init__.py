# SPDX-License-Identifier: GPL-3.0-or-later
"""The meshes that armatures deform: which bones they follow, their skins for files, and shapes that are fitted to them.

The shapes are settings of the bones; `links` reads them. Tagging bones belongs to the operators.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import bone_fitting, bound_meshes, rest_skins

__getattr__ = late_modules(__name__)
