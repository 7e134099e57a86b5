# SPDX-License-Identifier: GPL-3.0-or-later
"""Receipts of bakes: what a bake was made from, whether it is up to date, and what it replaced."""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import (
        clear_some,
        staleness,
    )

__getattr__ = late_modules(__name__)
