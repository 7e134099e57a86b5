# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a motion, simulated or from a file, as F-curves.

`session` and `replay` run a bake, `inputs` collects what it needs, `keys` writes its result, and `receipts` tell later
whether it is up to date.
"""

from typing import TYPE_CHECKING

from ..late import late_modules

if TYPE_CHECKING:
    from . import demands, inputs, keys, receipts, record, replay, settings

__getattr__ = late_modules(__name__)
