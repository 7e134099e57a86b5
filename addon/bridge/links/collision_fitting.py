# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose the collision shapes of a link: the kind that is asked for, or the one that fits its meshes."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ....core.geometry import Mesh
from ....core.geometry.pieces import DEFAULT, Decomposition, Pieces, PiecesError, digest, outward_triangles
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

FLAT = "Box, of what is flat"
THIN = 1e-6
"""Smallest volume of a hull, as a part of the cube of its size. A hull with less is flat; rounding to single precision
causes less.
"""

SAME = 5e-4
"""Largest relative difference of two volumes that is reported as "same volume"."""

MOST_KNOWN = 16
"""Number of decompositions that are cached until Blender ends, so that undo and redo need not repeat them."""

_known: dict[str, Pieces] = {}

Search = Generator[str, None, "Fit"]
"""A generator that yields progress messages and returns a fit."""


@dataclass(frozen=True)
class Body:
    """All meshes that are seen of a link as one mesh, in the link's axes [Blender units].

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
        says: how well the shapes fit, in words. note: a message for the user; may be empty.
        source: a digest of the mesh that was decomposed and the number of its pieces; empty for other shapes.
    """

    kind: str
    shapes: tuple[Placed, ...]
    says: str
    note: str = ""
    source: str = ""


def search(body: Body, kind: str) -> Search:
    """Find the collision shapes of a link.

    Args:
        kind: a key of `LABELS`, PIECES, or AUTO.

    Raises:
        ModelError: if the link has no shape of this kind.
    """
    if kind == "AUTO":
        return (yield from _search_any(body))
    if kind == "PIECES":
        try:
            return (yield from _search_pieces(body))
        except PiecesError as error:
            raise ModelError(f"link '{body.name}' has no convex pieces: {error}") from None
    if kind == "MESH":
        return _alone(kind, (Mesh(vertices=body.data.vertices, faces=body.data.faces), np.eye(4)), LABELS[kind])
    points, faces = hull_of(body.data)
    if kind in FITS:  # a flat mesh has no hull
        return _alone(kind, FITS[kind](points if faces else body.data.vertices), LABELS[kind])
    if not faces:
        raise ModelError(f"link '{body.name}' is flat, so it has no convex hull: choose another shape")
    return _alone(kind, (Mesh(vertices=points, faces=faces), np.eye(4)), LABELS[kind])


def _search_any(body: Body) -> Search:
    """Find the shape that fits best.

    It is a primitive or the hull if the mesh is convex, and convex pieces otherwise. The hull is used if the mesh
    cannot be decomposed.
    """
    points, faces = hull_of(body.data)
    if not faces:  # the mesh is a line
        return _alone("BOX", enclosing_box(body.data.vertices), FLAT)
    triangles, around = outward_triangles(points, faces)
    if around < THIN * np.ptp(points, axis=0).max() ** 3:
        return _alone("BOX", smallest_box(points, triangles), FLAT)
    hull = Mesh(vertices=points, faces=faces), np.eye(4)
    if abs(body.volume / around - 1.0) > CLOSE:
        try:
            return (yield from _search_pieces(body))
        except PiecesError as error:
            more = _more(around / body.volume - 1.0) if body.volume else ""
            note = f"link '{body.name}' is concave and has its hull, no convex pieces: {error}"
            return Fit("HULL", (hull,), f"{LABELS['HULL']}{more}", note)
    found = fitting_shape(points, triangles)
    if found is None and (recognized := recognized_shape(points, triangles)):  # a primitive of few segments, or a cone
        return _alone(recognized.kind, recognized.placed, f"{LABELS[recognized.kind]} through the corners of the mesh")
    if found is None:
        return _alone("HULL", hull, f"{LABELS['HULL']}{_more(around / body.volume - 1.0)}")
    return _alone(found.kind, found.placed, f"{LABELS[found.kind]}, fits within {_percent(found.error)}")


def is_of(data: MeshData, source: str) -> bool:
    """Return whether the pieces with this `Fit.source` were made from a mesh."""
    return source.startswith(digest(data.vertices, data.triangles, DEFAULT))


def _search_pieces(body: Body) -> Search:
    """Find a decomposition into convex pieces. Raise `PiecesError` if there is none."""
    vertices, triangles = body.data.vertices, body.data.triangles
    if is_of(body.data, body.fitted_from):
        pieces = counted(int(body.fitted_from.rpartition(" ")[2]), "piece")
        return Fit("HULL", (), f"{pieces}, as before: the mesh has not changed", source=body.fitted_from)
    key = digest(vertices, triangles, DEFAULT)
    if key not in _known:
        begun = time.monotonic()
        with Decomposition(vertices, triangles) as running:
            for _ in running:
                yield f"Dividing '{body.name}' into convex pieces: {time.monotonic() - begun:.0f} s"
            _known[key] = running.result()
        for oldest in list(_known)[:-MOST_KNOWN]:
            del _known[oldest]
    found = _known[key]
    shapes = tuple((Mesh(vertices=hull.vertices, faces=hull.faces), np.eye(4)) for hull in found.hulls)
    says = f"{len(shapes)} {'piece' if len(shapes) == 1 else 'pieces'}{_more(found.volume_error)}"
    return Fit("HULL", shapes, says, source=f"{key} {len(shapes)}")


def _alone(kind: str, shape: Placed, says: str) -> Fit:
    return Fit(kind, (shape,), says)


def _more(part: float) -> str:
    """Return in words by how much a volume is larger or smaller; empty if `part` is NaN."""
    if np.isnan(part):
        return ""
    if abs(part) < SAME:
        return ", same volume"
    return f", {_percent(abs(part))} {'less' if part < 0.0 else 'more'} volume"


def _percent(part: float) -> str:
    return f"{100.0 * part:.{0 if part >= 0.1 else 1}f} %"
