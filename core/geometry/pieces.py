# SPDX-License-Identifier: GPL-3.0-or-later
"""Division of a concave body into convex pieces, which are the solids that can collide.

CoACD does the work in a separate process. So the user sees the progress of a search that takes a minute and can cancel
it, and the result is that of the same library everywhere.

Source: Wei, Liu, Ling, Su, Approximate Convex Decomposition for 3D Meshes with Collision-Aware Concavity and Tree
Search, ACM Trans. Graphics 41 (2022).
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from ..collision.hulls import Hull, convex_hull
from ..processes import helper
from ..spatial.arrays import det
from .mesh_data import fan_triangles
from .shells import containers, shell_numbers

LIBRARY = "coacd"
"""Module name of CoACD."""
FINEST = 0.01
"""Smallest threshold of CoACD: the largest concavity of a piece, as a fraction of the body's size. It gives many
pieces.
"""
COARSEST = 1.0
"""Largest threshold of CoACD, which gives few pieces."""
DEFAULT = 0.05
"""Threshold that is used if none is given."""
MAX_CORNERS = 64
"""Largest number of corners of a piece, as of an exact hull (collision/hulls.py)."""
MAX_BODIES = 64
"""Largest number of bodies of a mesh at which each body is divided separately."""
CONVEX_VOLUME_ERROR = 1e-3
"""Largest relative difference of the volumes of a body and its hull at which the body counts as convex."""
SEED = 0
"""Seed of CoACD's random numbers. It is constant so that one mesh always gives the same pieces."""
POLL_INTERVAL = 0.05
"""Time between two checks whether the process has ended [s]."""


MISSING = "CoACD, which divides meshes, is not installed: take a zip that has it, or limberjack[pieces], or use a hull"


class PiecesError(ValueError):
    """The error if a mesh has no convex pieces. Its message says what was found and what to do."""


@dataclass(frozen=True)
class Pieces:
    """The convex pieces of a mesh.

    Attributes:
        hulls: the pieces, in the mesh's own frame [m].
        volume_error: excess of the sum of their volumes, as a fraction of the mesh's volume; NaN if the mesh is not
            closed or has no volume.
    """

    hulls: tuple[Hull, ...]
    volume_error: float


def is_available() -> bool:
    return find_spec(LIBRARY) is not None


def digest(vertices: np.ndarray, triangles: np.ndarray, threshold: float) -> str:
    """Return a digest of all data that determine the pieces.

    Pieces that are stored with a mesh are out of date if its digest has changed.
    """
    parts = np.ascontiguousarray(vertices, float).tobytes(), np.ascontiguousarray(triangles, np.int32).tobytes()
    return hashlib.sha256(b"".join([*parts, f"{threshold:g} {MAX_CORNERS} {SEED}".encode()])).hexdigest()


def decompose(
    vertices: np.ndarray,
    triangles: np.ndarray,
    threshold: float = DEFAULT,
    on_wait: Callable[[], None] = lambda: None,
) -> Pieces:
    """Return the pieces of a mesh, after waiting for the process of a `Decomposition`.

    Args:
        on_wait: called when the process has been started, and at each check whether it has ended.
    """
    with Decomposition(vertices, triangles, threshold) as running:
        on_wait()
        for _ in running:
            on_wait()
            time.sleep(POLL_INTERVAL)
        return running.result()


class Decomposition:
    """A search for convex pieces that runs in a process of its own. Leaving the `with` block ends the process.

    Args:
        vertices: shape (n, 3) [m].
        triangles: shape (t, 3), counter-clockwise seen from outside.
        threshold: from `FINEST` (many pieces) to `COARSEST` (few).

    Raises:
        PiecesError: if CoACD is not installed, if the threshold is out of range, or if the mesh is open or no body.
    """

    def __init__(self, vertices: np.ndarray, triangles: np.ndarray, threshold: float = DEFAULT):
        if not is_available():
            raise PiecesError(MISSING)
        if not FINEST <= threshold <= COARSEST:
            raise PiecesError(f"the threshold is {threshold:g}; from {FINEST:g} (many pieces) to {COARSEST:g} (few)")
        self._vertices, self._triangles = np.asarray(vertices, float), np.asarray(triangles, np.int32)
        if len(self._triangles) < 4 or not np.isfinite(self._vertices).all():
            raise PiecesError(f"it has {len(self._triangles)} triangles; a body has four or more, at finite places")
        if borders := count_borders(self._vertices, self._triangles):
            raise PiecesError(
                f"it is open, {borders} edges have one face; close it, give it a thickness, or use a hull"
            )
        self._threshold = threshold

    def __enter__(self) -> Decomposition:
        self._folder = tempfile.TemporaryDirectory(prefix="limberjack-")
        self._job, self._done = Path(self._folder.name, "mesh.npz"), Path(self._folder.name, "pieces.npz")
        np.savez(self._job, vertices=self._vertices, triangles=self._triangles, threshold=self._threshold)
        self._process = helper.start("geometry.pieces", "run", self._folder.name)
        return self

    def __exit__(self, *_error: object) -> None:
        helper.end(self._process)
        self._folder.cleanup()

    def __iter__(self) -> Iterator[None]:
        """Yield None at each check, as long as the process has not ended. The caller waits between checks."""
        while self._process.poll() is None:
            yield

    def result(self) -> Pieces:
        """Return the pieces, after the process has ended.

        Raises:
            PiecesError: if no pieces were found.
        """
        if not self._done.is_file():
            raise PiecesError("CoACD found no pieces: the mesh may be torn or too thin; close its holes, or use a hull")
        with np.load(self._done) as found:
            hulls = tuple(convex_hull(found[f"piece{k}"]) for k in range(int(found["count"])))
        hulls = tuple(hull for hull in hulls if hull.faces)
        if not hulls:
            raise PiecesError("its pieces are flat; give it a thickness, or use a hull")
        whole = abs(volume(self._vertices, self._triangles))  # a mesh that is inside out has a negative volume
        together = sum(hull_volume(hull) for hull in hulls)
        return Pieces(hulls, together / whole - 1.0 if whole and is_closed(self._triangles) else float("nan"))


def run(folder: str) -> None:
    """Divide the mesh of mesh.npz and write pieces.npz, completely or not at all. The separate process calls this."""
    import coacd  # only the separate process loads the library

    with np.load(Path(folder, "mesh.npz")) as job:
        vertices, triangles, threshold = job["vertices"], job["triangles"], float(job["threshold"])
    coacd.set_log_level("error")
    found: list[np.ndarray] = []
    for part in bodies(vertices, triangles):
        if is_convex(vertices, part):
            found.append(vertices[np.unique(part)])
            continue
        mesh = coacd.Mesh(vertices, part)
        divided = coacd.run_coacd(mesh, threshold=threshold, max_ch_vertex=MAX_CORNERS, seed=SEED)
        found += [corners for corners, _ in divided]
    pieces = {f"piece{k}": corners for k, corners in enumerate(found)}
    np.savez(Path(folder, "part.npz"), count=len(found), **pieces)
    os.replace(Path(folder, "part.npz"), Path(folder, "pieces.npz"))


def bodies(vertices: np.ndarray, triangles: np.ndarray) -> list[np.ndarray]:
    """Return the triangles of each body of a mesh, including those of its cavities.

    Each body is divided separately: if two bodies touch or cross, CoACD would wrap both in one surface and thicken thin
    parts.
    """
    shells = shell_numbers(triangles, len(vertices))
    outside = containers(vertices, triangles, shells)
    if len(outside) > MAX_BODIES:
        return [triangles]
    outermost = np.array(
        [min([number, *above], key=lambda each: len(outside[each])) for number, above in enumerate(outside)]
    )
    return [triangles[outermost[shells] == number] for number in np.unique(outermost)]


def is_convex(vertices: np.ndarray, triangles: np.ndarray) -> bool:
    """Return whether the volume of a closed mesh is that of its convex hull, within `CONVEX_VOLUME_ERROR`."""
    hull = convex_hull(vertices[np.unique(triangles)])
    return bool(hull.faces) and abs(abs(volume(vertices, triangles)) / hull_volume(hull) - 1.0) < CONVEX_VOLUME_ERROR


def is_closed(triangles: np.ndarray) -> bool:
    """Return whether each edge is passed once in each direction."""
    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    there = start.astype(np.int64) << 32 | end
    back = end.astype(np.int64) << 32 | start
    return bool(np.array_equal(np.sort(there), np.sort(back)))


def count_borders(vertices: np.ndarray, triangles: np.ndarray) -> int:
    """Return the number of edges that belong to one face only. Vertices in the same place count as one."""
    numbers = np.unique(vertices, axis=0, return_inverse=True)[1].reshape(-1)[triangles].astype(np.int64)
    numbers = numbers[(numbers != np.roll(numbers, 1, axis=1)).all(axis=1)]
    ends = np.sort(np.stack([numbers.ravel(), np.roll(numbers, -1, axis=1).ravel()]), axis=0)
    return int((np.unique(ends[0] << 32 | ends[1], return_counts=True)[1] == 1).sum())


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Return the volume that a closed mesh encloses [m^3], by the divergence theorem.

    It is negative if the mesh is inside out.
    """
    p = np.asarray(vertices, float)[triangles]
    p = p - p.reshape(-1, 3).mean(axis=0)
    return float(det(p).sum() / 6.0)


def outward_triangles(vertices: np.ndarray, faces: Iterable[Sequence[int]]) -> tuple[np.ndarray, float]:
    """Return the triangles of a convex body, shape (t, 3), counter-clockwise seen from outside, and its volume [m^3].

    Args:
        vertices: shape (n, 3) [m].
        faces: vertex numbers of each face, all of them counter-clockwise seen from outside, or all from inside.
    """
    triangles = fan_triangles(faces)
    found = volume(vertices, triangles)
    return (triangles[:, ::-1], -found) if found < 0.0 else (triangles, found)


def hull_volume(hull: Hull) -> float:
    """Return the volume of a hull [m^3]."""
    return volume(hull.vertices, fan_triangles(hull.faces))
