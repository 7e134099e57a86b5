# SPDX-License-Identifier: GPL-3.0-or-later
"""Release of all locked coordinates and active contacts, before an impact or a convex step finds new modes."""

from __future__ import annotations

from ..compilation.jit import subroutine
from ..contact.points import POINTS
from .joint_events.modes import apply_locks


@subroutine
def release_all(system):
    """Deactivate all contacts and unlock all coordinates, before an impact or a convex step finds new modes."""
    for p in range(system.touch.count[POINTS]):
        system.touch.points[p].is_active = 0
    for k in range(system.work.force_states.shape[0]):
        system.work.force_states[k].is_locked = 0
    if system.work.force_states.shape[0] > 0:
        apply_locks(system)
