# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of objects besides simulations: keys, drivers and strips.

Bakes belong to `bake`, and baked machines that were moved to `baked_machines`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        keyed_motion,
        motion_sources,
    )

__getattr__ = late_modules(__name__)
