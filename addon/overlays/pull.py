# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the target of a link that is pulled: a line from the held point to the target."""

from __future__ import annotations

import numpy as np
from mathutils import Vector

from .lines import Lines
from .sizes import size_of_pixel

HALF = 5.0
"""Half the size of the cross at the target [pixels at resolution scale 1]."""

_shown: list[tuple[Vector, Vector, bool]] = []


def show(held_at: Vector, wanted: Vector, is_reached: bool) -> None:
    """Show a line between two points in world axes, in place of the one before."""
    _shown[:] = [(held_at, wanted, is_reached)]


def clear() -> None:
    _shown.clear()


def draw(context, look) -> None:
    for held_at, wanted, is_reached in _shown:
        half = HALF * context.preferences.system.ui_scale * size_of_pixel(wanted, context.region, context.region_data)
        color = look.line_color if is_reached else look.problem_color
        Lines(segments(held_at, wanted, half), color).draw(look.width)


def segments(held_at: Vector, wanted: Vector, half: float) -> np.ndarray:
    """Return the line, and a cross along the world's axes at its end, shape (4, 2, 3)."""
    end = np.array(wanted)
    cross = end + half * np.stack([-np.eye(3), np.eye(3)], axis=1)
    return np.concatenate([np.array([[held_at, wanted]]), cross])
