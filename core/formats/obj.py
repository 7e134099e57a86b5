"""Wavefront OBJ text of a mesh."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np


def write_obj(vertices: np.ndarray, faces: Iterable[tuple[int, ...]], name: str) -> str:
    """What a `Mesh` holds, in metres, Z up."""
    lines = [f"o {name}"]
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in faces]
    return "\n".join(lines) + "\n"
