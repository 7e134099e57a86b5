# SPDX-License-Identifier: GPL-3.0-or-later
"""Which shapes a link collides as: the one that is asked for, or the one that suits what is seen of it."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from ...core.geometry import Mesh
from ...core.geometry.enclosing import Placed, enclosing_box
from ...core.geometry.fitting import CLOSE, FITS, fitting_shape, smallest_box
from ...core.geometry.pieces import DEFAULT, Decomposition, Pieces, PiecesError, digest, outward_triangles
from ...core.geometry.recognition import recognized_shape
from ...core.model import ModelError
from ...core.model.text import counted
from .meshes import MeshData, hull_of

LABELS = {
    "BOX": "Box",
    "SPHERE": "Sphere",
    "CAPSULE": "Capsule",
    "CYLINDER": "Cylinder",
    "CONE": "Cone",
    "HULL": "Convex Hull",
    "MESH": "Mesh",
}
"""As the menu has them, by the primitive that the shapes are."""

FLAT = "Box, of what is flat"
THIN = 1e-6
"""Part of its size, cubed, below which a hull has no volume; single precision rounds by less."""

SAME = 5e-4
"""Part of a volume that is shown as none."""

MOST_KNOWN = 16
"""Pieces that are kept for as long as Blender runs, for an operator that is undone and done again."""

_known: dict[str, Pieces] = {}

Search = Generator[str, None, "Fit"]
"""Finds a fit; what it yields meanwhile says what it does."""


@dataclass(frozen=True)
class Body:
    """What is seen of a link, in the link's axes [Blender units].

    Attributes:
        volume: what it encloses. fitted_from: as `Fit.source`, of the shapes that the link has now.
    """

    name: str
    data: MeshData
    volume: float
    fitted_from: str = ""


@dataclass(frozen=True)
class Fit:
    """What a link collides as.

    Attributes:
        kind: which primitive the shapes are. shapes: in the link's axes [Blender units]; none where those that the link
            has were made from the same mesh.
        says: how well they fit. note: what the user should know besides.
        source: a digest of the mesh that pieces are of, and how many they are; else empty.
    """

    kind: str
    shapes: tuple[Placed, ...]
    says: str
    note: str = ""
    source: str = ""


def search(body: Body, kind: str) -> Search:
    """Find what a link collides as.

    kind: one of `LABELS`, PIECES, or AUTO.

    Raises:
        ModelError: it has no such shape.
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
    if kind in FITS:  # what is flat has no hull
        return _alone(kind, FITS[kind](points if faces else body.data.vertices), LABELS[kind])
    if not faces:
        raise ModelError(f"link '{body.name}' is flat, so it has no convex hull: choose another shape")
    return _alone(kind, (Mesh(vertices=points, faces=faces), np.eye(4)), LABELS[kind])


def _search_any(body: Body) -> Search:
    """The primitive that it is, the hull of what is convex, else pieces; the hull where these cannot be had."""
    points, faces = hull_of(body.data)
    if not faces:  # it is a line
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
    if found is None and (recognized := recognized_shape(points, triangles)):  # of few segments, or a cone
        return _alone(recognized.kind, recognized.placed, f"{LABELS[recognized.kind]} through the corners of the mesh")
    if found is None:
        return _alone("HULL", hull, f"{LABELS['HULL']}{_more(around / body.volume - 1.0)}")
    return _alone(found.kind, found.placed, f"{LABELS[found.kind]}, fits within {_percent(found.error)}")


def is_of(data: MeshData, source: str) -> bool:
    """Whether pieces with this `Fit.source` were made of a mesh."""
    return source.startswith(digest(data.vertices, data.triangles, DEFAULT))


def _search_pieces(body: Body) -> Search:
    """Raises PiecesError where there are none."""
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
    """By how much larger or smaller something is, where that is known."""
    if np.isnan(part):
        return ""
    if abs(part) < SAME:
        return ", same volume"
    return f", {_percent(abs(part))} {'less' if part < 0.0 else 'more'} volume"


def _percent(part: float) -> str:
    return f"{100.0 * part:.{0 if part >= 0.1 else 1}f} %"
