"""Collision shapes that are fitted to all that is seen of a link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from ...core.geometry import Mesh
from ...core.geometry.enclosing import (
    Placed,
    enclosing_box,
    enclosing_capsule,
    enclosing_cylinder,
    enclosing_sphere,
)
from ...core.model import ModelError
from .. import ids
from .meshes import MeshData, hull_of, turned_inside_out
from .parts import Part, Surroundings, parts_of
from .poses import world_scale
from .primitives import new_mesh

NAME = "_collision"
"""What a fitted shape is called, after the link's name."""

FITS: dict[str, Callable[[np.ndarray], Placed]] = {
    "BOX": enclosing_box,
    "SPHERE": enclosing_sphere,
    "CAPSULE": enclosing_capsule,
    "CYLINDER": enclosing_cylinder,
}
"""By the primitive that they make."""


def fitted_shape(link: bpy.types.Object, kind: str, around: Surroundings) -> Placed:
    """A shape around all that is seen of the link, in the link's axes [Blender units].

    kind: a primitive's name in `FITS`, or "HULL" or "MESH".

    Raises:
        ModelError: nothing is seen of the link, or what is has no hull.
    """
    data = seen_mesh(link, around)
    if kind == "MESH":
        return Mesh(vertices=data.vertices, faces=data.faces), np.eye(4)
    points, faces = hull_of(data)
    if kind in FITS:  # what is flat has no hull
        return FITS[kind](points if faces else data.vertices)
    if not faces:
        raise ModelError(f"link '{link.name}' is flat, so it has no convex hull: choose another shape")
    return Mesh(vertices=points, faces=faces), np.eye(4)


def put_collision(link: bpy.types.Object, kind: str, fitted: Placed, around: Surroundings) -> bpy.types.Object:
    """Give the link a collision shape, in the place of one that was made so before."""
    geometry, matrix = fitted
    _remove_fitted(link, around)
    mesh, _ = new_mesh(f"{link.name}{NAME}", geometry, 1.0)
    obj = bpy.data.objects.new(f"{link.name}{NAME}", mesh)
    for collection in link.users_collection:
        collection.objects.link(obj)
    obj.parent = link
    obj.matrix_parent_inverse = Matrix.Diagonal((*(1.0 / world_scale(link)), 1.0))
    obj.matrix_basis = Matrix(matrix.tolist())
    obj.display_type, obj.hide_render = "WIRE", True
    settings = getattr(obj, ids.LINK)
    settings.role, settings.primitive, settings.is_fitted = "COLLISION", kind, True
    return obj


def _remove_fitted(link: bpy.types.Object, around: Surroundings) -> None:
    for child in around.children.get(link, ()):
        if getattr(child, ids.LINK).is_fitted:
            mesh = child.data
            bpy.data.objects.remove(child)
            if isinstance(mesh, bpy.types.Mesh) and not mesh.users:
                bpy.data.meshes.remove(mesh)


def seen_mesh(link: bpy.types.Object, around: Surroundings) -> MeshData:
    """All that is seen of the link as one mesh, in the link's axes [Blender units].

    Raises:
        ModelError: nothing is.
    """
    parts = [part for part in parts_of(link, around) if part.is_seen and part.has_mesh and len(part.mesh().vertices)]
    if not parts:
        raise ModelError(f"link '{link.name}' has no mesh to fit a shape to: give it a mesh as a child")
    pieces = [_in_link(part) for part in parts]
    vertices = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    corners = np.cumsum([0, *(len(piece.corners) for piece in pieces)])
    return MeshData(
        np.concatenate([piece.vertices for piece in pieces]),
        np.concatenate([piece.corners + first for piece, first in zip(pieces, vertices, strict=False)]),
        np.zeros(corners[-1], dtype=np.int32),
        np.concatenate([piece.starts + first for piece, first in zip(pieces, corners, strict=False)]),
        np.concatenate([piece.triangles + first for piece, first in zip(pieces, vertices, strict=False)]),
    )


def _in_link(part: Part) -> MeshData:
    linear = part.matrix[:3, :3]
    data = turned_inside_out(part.mesh()) if np.linalg.det(linear) < 0.0 else part.mesh()
    return replace(data, vertices=data.vertices @ linear.T + part.matrix[:3, 3])
