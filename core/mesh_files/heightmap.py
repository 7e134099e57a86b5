# SPDX-License-Identifier: GPL-3.0-or-later
"""Height maps: grey PNG images as terrain, as SDF's <heightmap> describes it, and MuJoCo's binary height fields."""

from __future__ import annotations

import os
import struct
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

HEADER = struct.Struct("<2i")
"""The numbers of rows and columns in a height field of MuJoCo's, 8 bytes."""


def read_heights(path: str | Path) -> np.ndarray:
    """Return the grey levels of a PNG, shape (rows, columns); of an image with colours, the reds.

    Raises:
        MeshFileError: if the file is not a PNG, if it is too large, or if the package that reads PNG is not installed.
    """
    found = checked_status(path, MAX_BYTES)
    return _grey(os.path.realpath(path), found.st_mtime_ns, found.st_size)


def read_float_heights(path: str | Path) -> np.ndarray:
    """Return the numbers of a height field in MuJoCo's binary format, shape (rows, columns), greatest y first.

    The file consists of the numbers of rows and columns, int32, and the rows in float32 from the least y on.

    Raises:
        MeshFileError: if the file is not one of these, or too large.
    """
    checked_status(path, MAX_BYTES)
    data = Path(path).read_bytes()
    rows, columns = HEADER.unpack_from(data) if len(data) >= HEADER.size else (0, 0)
    if not min(rows, columns) >= 2 or rows * columns > MAX_PIXELS or len(data) != HEADER.size + 4 * rows * columns:
        sizes = f"{rows} x {columns} numbers in {len(data):,} bytes"
        raise MeshFileError(f"it is no height field of MuJoCo's, by its size ({sizes}); write it again")
    return np.frombuffer(data, "<f4", offset=HEADER.size).reshape(rows, columns)[::-1].astype(np.float64)


def float_heights(heights: np.ndarray) -> bytes:
    """Return a height field in MuJoCo's binary format, from heights of shape (rows, columns), greatest y first."""
    return HEADER.pack(*heights.shape) + heights[::-1].astype("<f4").tobytes()


def terrain(
    heights: np.ndarray, size: tuple[float, float, float], rises: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of a terrain, shape (n, 3) [m], Z up, and its triangles, shape (t, 3).

    Height 0 is at z = 0. The greatest height, if it is above 1, is at the z that `size` gives, as in Gazebo; heights up
    to 1 are parts of it. The centre is at the origin, and the first row has the greatest y.

    Args:
        heights: shape (rows, columns), both at least 2.
        size: lengths along x, y and z [m].
        rises: which diagonal divides the cells, as in `Heightmap`.
    """
    rows, columns = heights.shape
    x = size[0] * (np.arange(columns) / (columns - 1) - 0.5)
    y = size[1] * (0.5 - np.arange(rows) / (rows - 1))
    z = heights * (size[2] / max(float(heights.max()), 1.0))
    vertices = np.stack([np.broadcast_to(x, z.shape), np.broadcast_to(y[:, None], z.shape), z], axis=-1).reshape(-1, 3)
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    below = corner + columns
    cut = (
        [corner, below, corner + 1, below, below + 1, corner + 1]
        if rises
        else [corner, below, below + 1, corner, below + 1, corner + 1]
    )
    return vertices, np.stack(cut, axis=1).reshape(-1, 3)


@lru_cache(maxsize=4)
def _grey(path: str, _changed: int, _size: int) -> np.ndarray:
    """Return the first channel of an image, shape (rows, columns).

    Raises:
        MeshFileError: as `read_heights`.
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
