# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of a scene, findings about its last simulation, and their remedies.

Panels show them, and operators apply the remedies.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        hollows,
        impacts,
        problems,
        stored_findings,
    )

__getattr__ = late_modules(__name__)
