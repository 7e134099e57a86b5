# SPDX-License-Identifier: GPL-3.0-or-later
"""Animation of objects besides simulations: keys, drivers, strips, and bakes that were moved.

Bakes themselves belong to `bake`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        keyed_motion,
        motion,
        moved_bakes,
    )

__getattr__ = late_modules(__name__)
