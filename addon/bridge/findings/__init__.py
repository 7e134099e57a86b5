# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong or remarkable with a scene or with its last simulation, and its remedies.

Panels and operators show it.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import impacts as impacts
    from . import problems as problems
    from . import remedies as remedies

__getattr__ = late_modules(__name__)
