# SPDX-License-Identifier: GPL-3.0-or-later
"""Coloured triangles in the viewport, made once and drawn at each redraw."""

from __future__ import annotations

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader


class Triangles:
    """Triangles in world space that are seen from their front only, so that a closed surface is drawn once.

    Args:
        points: corners, shape (n, 3).
        triangles: indices of the corners, counterclockwise as seen from the front, shape (m, 3).
        colors: of the corners, shape (n, 4).
    """

    def __init__(self, points: np.ndarray, triangles: np.ndarray, colors: np.ndarray):
        self._batch = None
        if len(triangles):
            self._shader = gpu.shader.from_builtin("SMOOTH_COLOR")
            content: dict = {  # its stubs do not know arrays
                "pos": np.asarray(points, dtype=np.float32),
                "color": np.asarray(colors, dtype=np.float32),
            }
            indices = np.asarray(triangles, dtype=np.int32)
            self._batch = batch_for_shader(self._shader, "TRIS", content, indices=indices)  # type: ignore[arg-type]

    def draw(self) -> None:
        """Draw the triangles, in a view's draw handler."""
        if self._batch is None:
            return
        gpu.state.blend_set("ALPHA")
        gpu.state.face_culling_set("BACK")
        self._batch.draw(self._shader)
        gpu.state.face_culling_set("NONE")
        gpu.state.blend_set("NONE")
