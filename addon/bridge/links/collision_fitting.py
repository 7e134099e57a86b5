# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the collision shapes of a link: the kind that is asked for, or the one that fits its meshes."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ....core.geometry import Mesh
from ....core.geometry.pieces import (
    DEFAULT,
    POLL_INTERVAL,
    Decomposition,
    Pieces,
    PiecesError,
    digest,
    outward_triangles,
)
from ....core.geometry.primitives.enclosing import Placed, enclosing_box
from ....core.geometry.primitives.fitting import CLOSE, FITS, fitting_shape, smallest_box
from ....core.geometry.primitives.recognition import recognized_shape
from ....core.model import ModelError
from ....core.model.text import counted
from ..meshes.meshes import MeshData, hull_of

LABELS = {
    "BOX": "Box",
    "SPHERE": "Sphere",
    "CAPSULE": "Capsule",
    "CYLINDER": "Cylinder",
    "CONE": "Cone",
    "HULL": "Convex Hull",
    "MESH": "Mesh",
}
"""Labels of the menu, by the primitive of the shapes."""

FLAT_DESCRIPTION = "Box, of what is flat"
FLAT_VOLUME = 1e-6
"""Smallest volume of a hull, as a part of the cube of its size. A hull with less is flat; rounding to single precision
causes less.
"""

SAME_VOLUME = 5e-4
"""Largest relative difference of two volumes that is reported as "same volume"."""

CACHE_SIZE = 16
"""Number of decompositions that are cached until Blender ends, so that undo and redo need not repeat them."""

_cache: dict[str, Pieces] = {}

Search = Generator[str, None, "Fit"]
"""A generator that yields progress messages and returns a fit."""


@dataclass(frozen=True)
class LinkMesh:
    """All visible meshes of a link as one mesh, in the link's axes [Blender units].

    Attributes:
        volume: the enclosed volume [Blender units^3].
        fitted_from: `Fit.source` of the shapes that the link has now.
    """

    name: str
    data: MeshData
    volume: float
    fitted_from: str = ""


@dataclass(frozen=True)
class Fit:
    """The collision shapes that were found for a link.

    Attributes:
        kind: the primitive of the shapes.
        shapes: in the link's axes [Blender units]; empty if the link's shapes were made from the same mesh and stay.
        description: how well the shapes fit, in words. note: a message for the user; may be empty.
        source: a digest of the mesh that was decomposed and the number of its pieces; empty for other shapes.
    """

    kind: str
    shapes: tuple[Placed, ...]
    description: str
    note: str = ""
    source: str = ""


def search(mesh: LinkMesh, kind: str) -> Search:
    """Find the collision shapes of a link.

    Args:
        kind: a key of `LABELS`, PIECES, or AUTO.

    Raises:
        ModelError: if the link has no shape of this kind.
    """
    if kind == "AUTO":
        return (yield from _search_any(mesh))
    if kind == "PIECES":
        try:
            return (yield from _search_pieces(mesh))
        except PiecesError as error:
            raise ModelError(f"link '{mesh.name}' has no convex pieces: {error}") from None
    if kind == "MESH":
        return _single_shape(kind, (Mesh(vertices=mesh.data.vertices, faces=mesh.data.faces), np.eye(4)), LABELS[kind])
    points, faces = hull_of(mesh.data)
    if kind in FITS:  # a flat mesh has no hull
        return _single_shape(kind, FITS[kind](points if faces else mesh.data.vertices), LABELS[kind])
    if not faces:
        raise ModelError(f"link '{mesh.name}' is flat, so it has no convex hull: choose another shape")
    return _single_shape(kind, (Mesh(vertices=points, faces=faces), np.eye(4)), LABELS[kind])


def found_fit(running: Search, on_progress: Callable[[str], None]) -> Fit:
    """Return the fit of a search, after waiting for it.

    Args:
        on_progress: called with the progress messages of the search.
    """
    while True:
        try:
            on_progress(next(running))
        except StopIteration as done:
            return done.value
        time.sleep(POLL_INTERVAL)


def _search_any(mesh: LinkMesh) -> Search:
    """Find the shape that fits best.

    It is a primitive or the hull if the mesh is convex, and convex pieces otherwise. The hull is used if the mesh
    cannot be decomposed.
    """
    points, faces = hull_of(mesh.data)
    if not faces:  # the mesh is a line
        return _single_shape("BOX", enclosing_box(mesh.data.vertices), FLAT_DESCRIPTION)
    triangles, hull_volume = outward_triangles(points, faces)
    if hull_volume < FLAT_VOLUME * np.ptp(points, axis=0).max() ** 3:
        return _single_shape("BOX", smallest_box(points, triangles), FLAT_DESCRIPTION)
    hull = Mesh(vertices=points, faces=faces), np.eye(4)
    if abs(mesh.volume / hull_volume - 1.0) > CLOSE:
        try:
            return (yield from _search_pieces(mesh))
        except PiecesError as error:
            more = _volume_difference(hull_volume / mesh.volume - 1.0) if mesh.volume else ""
            note = f"link '{mesh.name}' is concave and has its hull, no convex pieces: {error}"
            return Fit("HULL", (hull,), f"{LABELS['HULL']}{more}", note)
    found = fitting_shape(points, triangles)
    if found is None and (recognized := recognized_shape(points, triangles)):  # a primitive of few segments, or a cone
        return _single_shape(
            recognized.kind, recognized.placed, f"{LABELS[recognized.kind]} through the corners of the mesh"
        )
    if found is None:
        return _single_shape("HULL", hull, f"{LABELS['HULL']}{_volume_difference(hull_volume / mesh.volume - 1.0)}")
    return _single_shape(found.kind, found.placed, f"{LABELS[found.kind]}, fits within {_percent(found.error)}")


def is_of(data: MeshData, source: str) -> bool:
    """Return whether the pieces with this `Fit.source` were made from a mesh."""
    return source.startswith(digest(data.vertices, data.triangles, DEFAULT))


def _search_pieces(mesh: LinkMesh) -> Search:
    """Find a decomposition into convex pieces. Raise `PiecesError` if there is none."""
    vertices, triangles = mesh.data.vertices, mesh.data.triangles
    if is_of(mesh.data, mesh.fitted_from):
        pieces = counted(int(mesh.fitted_from.rpartition(" ")[2]), "piece")
        return Fit("HULL", (), f"{pieces}, as before: the mesh has not changed", source=mesh.fitted_from)
    key = digest(vertices, triangles, DEFAULT)
    if key not in _cache:
        begun = time.monotonic()
        with Decomposition(vertices, triangles) as running:
            for _ in chain([None], running):  # at least once, also if the process has ended already
                yield f"Dividing '{mesh.name}' into convex pieces: {time.monotonic() - begun:.0f} s"
            _cache[key] = running.result()
        for oldest in list(_cache)[:-CACHE_SIZE]:
            del _cache[oldest]
    found = _cache[key]
    shapes = tuple((Mesh(vertices=hull.vertices, faces=hull.faces), np.eye(4)) for hull in found.hulls)
    description = f"{len(shapes)} {'piece' if len(shapes) == 1 else 'pieces'}{_volume_difference(found.volume_error)}"
    return Fit("HULL", shapes, description, source=f"{key} {len(shapes)}")


def _single_shape(kind: str, shape: Placed, description: str) -> Fit:
    return Fit(kind, (shape,), description)


def _volume_difference(part: float) -> str:
    """Return in words by how much a volume is larger or smaller; empty if `part` is NaN."""
    if np.isnan(part):
        return ""
    if abs(part) < SAME_VOLUME:
        return ", same volume"
    return f", {_percent(abs(part))} {'less' if part < 0.0 else 'more'} volume"


def _percent(part: float) -> str:
    return f"{100.0 * part:.{0 if part >= 0.1 else 1}f} %"
