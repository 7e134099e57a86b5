# SPDX-License-Identifier: GPL-3.0-or-later
"""The mouse in the viewport: its ray, the surfaces and edges near it, and directions of drags.

Nothing here changes a scene.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        picking,
        rays,
        silhouettes,
        wires,
    )

__getattr__ = late_modules(__name__)
