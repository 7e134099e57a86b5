# SPDX-License-Identifier: GPL-3.0-or-later
"""Coloured lines in the viewport, made once and drawn at each redraw."""

from __future__ import annotations

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

Color = tuple[float, float, float, float]


class Lines:
    """Segments in world space.

    Args:
        points: both ends of each segment, shape (n, 2, 3).
        colors: of each segment, shape (n, 4), or one for all.
    """

    def __init__(self, points: np.ndarray, colors: np.ndarray | Color):
        self._batch = None
        points = np.asarray(points, dtype=np.float32).reshape(-1, 3)
        if len(points):
            each = np.broadcast_to(np.asarray(colors, dtype=np.float32), (len(points) // 2, 4)).repeat(2, axis=0)
            self._shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
            content: dict = {"pos": points, "color": each}  # its stubs do not know arrays
            self._batch = batch_for_shader(self._shader, "LINES", content)

    def draw(self, width: float) -> None:
        """Draw the lines, in a view's draw handler.

        Args:
            width: [pixels].
        """
        if self._batch is None:
            return
        _, _, *size = gpu.state.viewport_get()  # type: ignore[misc] - the stubs have it return nothing
        self._shader.uniform_float("viewportSize", size)
        self._shader.uniform_float("lineWidth", width)
        gpu.state.blend_set("ALPHA")
        self._batch.draw(self._shader)
        gpu.state.blend_set("NONE")
