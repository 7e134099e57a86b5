# SPDX-License-Identifier: GPL-3.0-or-later
"""What moves objects besides simulations: keys, drivers, strips, and bakes that were moved.

Bakes themselves belong to `bake`.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import keyed_motion as keyed_motion
    from . import motion as motion
    from . import moved_bakes as moved_bakes

__getattr__ = late_modules(__name__)
