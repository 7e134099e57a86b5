# SPDX-License-Identifier: GPL-3.0-or-later
"""Losses of joints that break, for the writers of formats."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..model import Joint


def losses_of_breaking(joint: Joint, name: str, knows_loads: bool = False) -> Iterator[str]:
    """Yield a line for each way in which a joint breaks that a format cannot express.

    Args:
        name: name of the format. knows_loads: whether the format has break forces and torques.
    """
    if math.isfinite(joint.released_at):
        yield f"{name} cannot say when a joint breaks; it is written as holding"
    if joint.is_breakable and not knows_loads:
        yield f"{name} cannot say at which load a joint breaks; it is written as holding"
