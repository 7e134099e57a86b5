# SPDX-License-Identifier: GPL-3.0-or-later
"""Single values between Blender and core: units, numbers, enums, fields, colours and lights.

No module reads a whole scene.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        fields,
        gravity,
        numbers,
        snapshot,
    )

__getattr__ = late_modules(__name__)
