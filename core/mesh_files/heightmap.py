# SPDX-License-Identifier: GPL-3.0-or-later
"""Height maps: grey PNG images as terrain, as SDF's <heightmap> describes it."""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .checking import checked_status
from .errors import MeshFileError

MAX_BYTES = 256 * 2**20
"""Largest size of an image [bytes]."""

MAX_PIXELS = 2049 * 2049
"""Largest number of pixels of a height map, which make twice as many triangles."""


def read_heightmap(path: str | Path, size: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of a terrain, shape (n, 3) [m], Z up, and its triangles, shape (t, 3).

    Black is at height 0, and the brightest pixel of the image is at the height that `size` gives, as in Gazebo. The
    centre of the image is at the origin, and its first row has the greatest y.

    Args:
        size: lengths along x, y and z [m].

    Raises:
        MeshFileError: if the file is not a PNG, if it is too large, or if the package that reads PNG is not installed.
    """
    found = checked_status(path, MAX_BYTES)
    grey = _grey(os.path.realpath(path), found.st_mtime_ns, found.st_size)
    rows, columns = grey.shape
    x = size[0] * (np.arange(columns) / (columns - 1) - 0.5)
    y = size[1] * (0.5 - np.arange(rows) / (rows - 1))
    z = grey * (size[2] / max(float(grey.max()), 1.0))
    vertices = np.stack([np.broadcast_to(x, z.shape), np.broadcast_to(y[:, None], z.shape), z], axis=-1).reshape(-1, 3)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    below = corner + columns
    triangles = np.stack([corner, below, below + 1, corner, below + 1, corner + 1], axis=1).reshape(-1, 3)
    return vertices, triangles


@lru_cache(maxsize=4)
def _grey(path: str, _changed: int, _size: int) -> np.ndarray:
    """Return the first channel of an image, shape (rows, columns).

    Raises:
        MeshFileError: as `read_heightmap`.
    """
    if find_spec("png") is None:
        raise MeshFileError("height maps need the package pypng, which is in the wheel and in the zips for a system")
    import png  # late: only terrain needs it

    try:
        width, height, rows, info = png.Reader(filename=path).asDirect()
        if not min(width, height) >= 2 or width * height > MAX_PIXELS:
            raise MeshFileError(f"it has {width} x {height} pixels; allowed are 2 x 2 to {MAX_PIXELS:,} in all")
        table = np.array([np.array(row, dtype=np.float64) for row in rows])
    except (png.Error, OSError, EOFError) as error:
        raise MeshFileError(f"it is no PNG that can be read ({error}); save it as a grey PNG") from error
    return table.reshape(height, width, info["planes"])[:, :, 0]
