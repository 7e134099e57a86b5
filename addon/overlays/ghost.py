# SPDX-License-Identifier: GPL-3.0-or-later
"""Show transparent copies of a link's shape at other poses."""

from __future__ import annotations

import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Matrix

_places: list[Matrix] = []
_batch = None


def show(triangles: np.ndarray, places: list[Matrix]) -> None:
    """Show triangles at places.

    Args:
        triangles: shape (n, 3, 3), in a frame of their own. places: poses of this frame in the world.
    """
    global _batch
    points = np.asarray(triangles, dtype=np.float32).reshape(-1, 3)
    content: dict = {"pos": points}
    _batch = batch_for_shader(gpu.shader.from_builtin("UNIFORM_COLOR"), "TRIS", content) if len(points) else None
    move(places)


def move(places: list[Matrix]) -> None:
    """Show the triangles at other places."""
    _places[:] = places


def clear() -> None:
    global _batch
    _batch = None
    _places.clear()


def draw(style) -> None:
    if _batch is None:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    for place in _places:
        gpu.matrix.push()
        gpu.matrix.multiply_matrix(place)
        shader.uniform_float("color", (*style.limit_color[:3], 0.25))
        _batch.draw(shader)
        gpu.matrix.pop()
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")
