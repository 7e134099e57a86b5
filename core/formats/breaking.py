# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of joints that break, for the writers of formats."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..model import Joint


def losses_of_breaking(joint: Joint, name: str, knows_loads: bool = False) -> Iterator[str]:
    """Yield lines about when a joint breaks, which a format does not say.

    Args:
        name: of the format. knows_loads: whether it has the loads at which a joint breaks.
    """
    if math.isfinite(joint.released_at):
        yield f"{name} cannot say when a joint breaks; it is written as holding"
    if joint.is_breakable and not knows_loads:
        yield f"{name} cannot say at which load a joint breaks; it is written as holding"
