# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a motion, simulated or from a file, as F-curves.

`simulation_bake` and `replay_bake` run a bake, `inputs` collects what it needs, `keys` writes its result, and
`receipts` stores what a bake was made from, to tell later whether it is up to date.
"""

from typing import TYPE_CHECKING

from ..late import late_modules

if TYPE_CHECKING:
    from . import (
        bake_checks,
        inputs,
        keys,
        receipts,
        record,
        replay_bake,
        settings,
    )

__getattr__ = late_modules(__name__)
