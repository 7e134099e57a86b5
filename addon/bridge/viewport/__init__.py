# SPDX-License-Identifier: GPL-3.0-or-later
"""What is under or near the mouse: rays, surfaces, edges and directions of drags.

Nothing here changes a scene.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import picking as picking
    from . import rays as rays
    from . import silhouettes as silhouettes
    from . import wires as wires

__getattr__ = late_modules(__name__)
