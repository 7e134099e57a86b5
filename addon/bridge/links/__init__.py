# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes, the mass and the contact settings of links.

Joints belong to `joints`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import collisions as collisions
    from . import contact_settings as contact_settings
    from . import fitting as fitting
    from . import mass as mass
    from . import on_bones as on_bones
    from . import parts as parts
    from . import recognition as recognition
    from . import shapes as shapes
    from . import tagging as tagging

__getattr__ = late_modules(__name__)
