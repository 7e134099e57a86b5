# SPDX-License-Identifier: GPL-3.0-or-later
"""Find links that collide as the hull of a concave mesh, so that nothing gets into the hollows of the mesh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ....core.check.overlapping import MOST_TOLD
from ....core.collision.hulls import HullError, convex_hull
from ....core.geometry import Mesh, pieces
from ....core.geometry.mesh_data import fan_triangles
from ...nodes.naming import node_named
from ...props.settings import link_settings, scene_settings
from ..animation.motion_sources import is_animated
from .problem import Problem

if TYPE_CHECKING:
    from ....core.model import Model, Shape

FILLED_EXCESS = 0.05
"""Relative difference in volume between the hull of a mesh and the mesh above which it is reported."""

HOLLOWS = "many-hollow-filled"
"""Code of the problem that summarises many links whose hollows are filled."""

HOLLOW_MESSAGE = (
    "its mesh moves, so it touches with its convex hull, which has {:.0f} % more volume: nothing gets into its "
    "hollows; give it convex pieces, or let it stand still"
)

MANY_MESSAGE = (
    "the meshes of {} links move, so these touch with their convex hulls, which have more volume: {} and {} more; "
    "nothing gets into their hollows; give them convex pieces, or let them stand still"
)

_excesses: tuple[str, dict[str, float]] = ("", {})
"""Digest of the model that was checked last, and the volume of the fullest hull of each link, as in `_excess`."""


def filled_hollows(scene: bpy.types.Scene, model: Model) -> list[Problem]:
    """Return problems of links that move and collide as the hull of a concave mesh, so that its hollows are filled.

    More than MOST_TOLD of them are one problem.
    """
    global _excesses
    if not scene_settings(scene).contact or not any(link.collisions for link in model.links):
        return []
    digest = model.digest()
    if _excesses[0] != digest:
        _excesses = digest, {link.name: max(map(_excess, link.collisions), default=0.0) for link in model.links}
    found = {name: more for name, more in _excesses[1].items() if more > FILLED_EXCESS and _moves(scene, name)}
    if len(found) > MOST_TOLD:
        return [_of_many(found)]
    return [
        Problem("note", "hollow-filled", name, f"link '{name}': {HOLLOW_MESSAGE.format(100.0 * more)}")
        for name, more in found.items()
    ]


def _moves(scene: bpy.types.Scene, link: str) -> bool:
    """Return whether a simulation moves a link, so that its meshes collide as their hulls."""
    obj = node_named(scene, link)
    return obj is not None and link_settings(obj).motion == "FREE" and not is_animated(obj)


def _of_many(excesses: Mapping[str, float]) -> Problem:
    """Return the problem of many links, which names those whose hulls are the fullest."""
    percents = {name: round(100.0 * excess) for name, excess in excesses.items()}  # else rounding errors would order
    fullest = sorted(percents, key=lambda name: -percents[name])[:MOST_TOLD]
    named = ", ".join(f"'{name}' by {percents[name]} %" for name in fullest)
    message = MANY_MESSAGE.format(len(excesses), named, len(excesses) - len(fullest))
    return Problem("note", HOLLOWS, "", message, tuple(excesses))


def _excess(shape: Shape) -> float:
    """Return the relative difference in volume between the hull of a closed mesh and the mesh; 0 for other shapes."""
    mesh = shape.geometry
    if not isinstance(mesh, Mesh) or not mesh.faces:
        return 0.0
    edges = {edge for face in mesh.faces for edge in pairwise((*face, face[0]))}
    if any((second, first) not in edges for first, second in edges):
        return 0.0  # an open mesh has no volume
    vertices = np.asarray(mesh.vertices, float)
    try:
        hull = convex_hull(vertices)
    except HullError:
        return 0.0
    mesh_volume, hull_volume = (_volume(*each) for each in ((vertices, mesh.faces), (hull.vertices, hull.faces)))
    return hull_volume / mesh_volume - 1.0 if mesh_volume else 0.0


def _volume(vertices: np.ndarray, faces: Iterable[Sequence[int]]) -> float:
    """Return the volume that faces enclose, regardless of their orientation [m^3]."""
    return abs(pieces.volume(vertices, fan_triangles(faces)))
