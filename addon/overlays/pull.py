# SPDX-License-Identifier: GPL-3.0-or-later
"""Show the target of a link that is pulled: a line from the grabbed point to the target."""

from __future__ import annotations

import numpy as np
from mathutils import Vector

from .lines import Lines
from .sizes import size_of_pixel

CROSS_HALF_SIZE = 5.0
"""Half the size of the cross at the target [pixels at resolution scale 1]."""

_shown: list[tuple[Vector, Vector, bool]] = []


def show(grabbed_point: Vector, wanted: Vector, is_reached: bool) -> None:
    """Show a line between two points in world axes, in place of the one before."""
    _shown[:] = [(grabbed_point, wanted, is_reached)]


def clear() -> None:
    _shown.clear()


def draw(context, style) -> None:
    for grabbed_point, wanted, is_reached in _shown:
        half = (
            CROSS_HALF_SIZE
            * context.preferences.system.ui_scale
            * size_of_pixel(wanted, context.region, context.region_data)
        )
        color = style.line_color if is_reached else style.problem_color
        Lines(segments(grabbed_point, wanted, half), color).draw(style.width)


def segments(grabbed_point: Vector, wanted: Vector, half: float) -> np.ndarray:
    """Return the line, and a cross along the world's axes at its end, shape (4, 2, 3)."""
    end = np.array(wanted)
    cross = end + half * np.stack([-np.eye(3), np.eye(3)], axis=1)
    return np.concatenate([np.array([[grabbed_point, wanted]]), cross])
