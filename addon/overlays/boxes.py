# SPDX-License-Identifier: GPL-3.0-or-later
"""Coloured rectangles in the pixels of a view, made once and drawn at each redraw."""

from __future__ import annotations

from collections.abc import Sequence

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from .graph_layout import Box
from .lines import Color


class Boxes:
    """Rectangles, each over those before it."""

    def __init__(self, boxes: Sequence[tuple[Box, Color]]):
        self._batch = None
        if boxes:
            corners = [_corners(box) for box, _ in boxes]
            content: dict = {  # its stubs do not know arrays
                "pos": np.array(corners, dtype=np.float32).reshape(-1, 3),
                "color": np.array([color for _, color in boxes], dtype=np.float32).repeat(6, axis=0),
            }
            self._shader = gpu.shader.from_builtin("SMOOTH_COLOR")
            self._batch = batch_for_shader(self._shader, "TRIS", content)

    def draw(self) -> None:
        """Draw the rectangles, in a view's handler for pixels."""
        if self._batch is None:
            return
        gpu.state.blend_set("ALPHA")
        self._batch.draw(self._shader)
        gpu.state.blend_set("NONE")


def _corners(box: Box) -> list[tuple[float, float, float]]:
    """Return the corners of the two triangles of a rectangle."""
    a, b = (box.left, box.bottom, 0.0), (box.right, box.bottom, 0.0)
    c, d = (box.right, box.top, 0.0), (box.left, box.top, 0.0)
    return [a, b, c, a, c, d]
