# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole scene: read as a `Model`, written from one, and edited as one."""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        mirroring,
        mirroring_bones,
        read,
        store,
        write,
    )

__getattr__ = late_modules(__name__)
