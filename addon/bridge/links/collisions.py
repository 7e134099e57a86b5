# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the collision shapes of links, fitted to all of their visible meshes."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix

from ....core.geometry.mass import mass_properties
from ....core.model import ModelError
from ....core.spatial.arrays import det, matmul
from ...nodes import Node, children_of, hang_on, model_name, owner_of
from ...props.settings import link_settings
from ..meshes.meshes import MeshData, turned_inside_out
from ..meshes.primitives import new_mesh
from ..posing.link_poses import world_scale
from .collision_fitting import Fit, LinkMesh, is_of
from .parts import EvaluatedScene, Part, parts_of

FITTED_SUFFIX = "_collision"
"""Suffix that follows the link's name in the name of a fitted shape."""


def link_mesh_of(link: Node, evaluated_scene: EvaluatedScene) -> LinkMesh:
    """Return the mesh of a link, to which `collision_fitting.search` fits shapes.

    Raises:
        ModelError: if the link has no visible mesh.
    """
    return LinkMesh(
        link.name,
        visible_mesh(link, evaluated_scene),
        enclosed_volume(link, evaluated_scene),
        fitted_from(link, evaluated_scene),
    )


def require_fitted_collisions(link: Node) -> None:
    """Raise `ModelError` if the user has chosen objects that collide, which are not replaced by fitted shapes."""
    shapes = [link_settings(child) for child in children_of(link)]
    if any(shape.role == "COLLISION" and not shape.is_fitted for shape in shapes):
        raise ModelError(
            f"link '{model_name(link)}' touches with objects that you chose: divide these into convex ones by hand"
        )


def put_collisions(link: Node, fit: Fit, evaluated_scene: EvaluatedScene) -> None:
    """Give the link its collision shapes. They replace the shapes that were fitted before."""
    _remove_fitted(link, evaluated_scene)
    for number, (geometry, matrix) in enumerate(fit.shapes, start=1):
        name = f"{link.name}{FITTED_SUFFIX}" if len(fit.shapes) == 1 else f"{link.name}{FITTED_SUFFIX}_{number}"
        mesh, _ = new_mesh(name, geometry, 1.0)
        obj = bpy.data.objects.new(name, mesh)
        for collection in owner_of(link).users_collection:
            collection.objects.link(obj)
        hang_on(obj, link, Matrix.Diagonal((*(1.0 / world_scale(link)), 1.0)))
        obj.matrix_basis = Matrix(matrix.tolist())
        obj.display_type, obj.hide_render = "WIRE", True
        settings = link_settings(obj)
        settings.role, settings.primitive, settings.is_fitted = "COLLISION", fit.kind, True
        settings.fitted_from, settings.fit_note = fit.source, fit.description


def fitted_from(link: Node, evaluated_scene: EvaluatedScene) -> str:
    """Return the `Fit.source` that all fitted shapes of the link have; empty if they differ or some are missing."""
    sources = [link_settings(child).fitted_from for child in _fitted(link, evaluated_scene)]
    count = sources[0].rpartition(" ")[2] if sources else ""
    return sources[0] if set(sources) == set(sources[:1]) and count == str(len(sources)) else ""


def is_outdated(link: Node, evaluated_scene: EvaluatedScene) -> bool:
    """Return whether the fitted pieces were made from another mesh than the present visible mesh."""
    source = next((each for child in _fitted(link, evaluated_scene) if (each := link_settings(child).fitted_from)), "")
    try:
        return bool(source) and not is_of(visible_mesh(link, evaluated_scene), source)
    except ModelError:  # no mesh is seen any more
        return True


def _fitted(link: Node, evaluated_scene: EvaluatedScene) -> list[bpy.types.Object]:
    return [child for child in evaluated_scene.children.get(link, ()) if link_settings(child).is_fitted]


def _remove_fitted(link: Node, evaluated_scene: EvaluatedScene) -> None:
    for child in _fitted(link, evaluated_scene):
        mesh = child.data
        bpy.data.objects.remove(child)
        if isinstance(mesh, bpy.types.Mesh) and not mesh.users:
            bpy.data.meshes.remove(mesh)


def visible_mesh(link: Node, evaluated_scene: EvaluatedScene) -> MeshData:
    """Return all visible meshes of the link as one mesh, in the link's axes [Blender units].

    Raises:
        ModelError: if the link has no visible mesh.
    """
    pieces = [_in_link(part) for part in _visible_parts(link, evaluated_scene)]
    vertices = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    corners = np.cumsum([0, *(len(piece.corners) for piece in pieces)])
    return MeshData(
        np.concatenate([piece.vertices for piece in pieces]),
        np.concatenate([piece.corners + first for piece, first in zip(pieces, vertices, strict=False)]),
        np.zeros(corners[-1], dtype=np.int32),
        np.concatenate([piece.starts + first for piece, first in zip(pieces, corners, strict=False)]),
        np.concatenate([piece.triangles + first for piece, first in zip(pieces, vertices, strict=False)]),
    )


def enclosed_volume(link: Node, evaluated_scene: EvaluatedScene) -> float:
    """Return the volume of all visible meshes of the link, as it is computed for the mass [Blender units^3].

    Raises:
        ModelError: if the link has no visible mesh.
    """
    return sum(_volume(part) for part in _visible_parts(link, evaluated_scene))


def _volume(part: Part) -> float:
    try:
        volume = mass_properties(part.source().solid.triangles).volume
    except ValueError:  # the mesh is flat
        return 0.0
    return abs(float(det(part.matrix[:3, :3]))) * volume


def _visible_parts(link: Node, evaluated_scene: EvaluatedScene) -> list[Part]:
    """Return the parts of the link with visible meshes. Raise `ModelError` if there are none."""
    parts = [
        part
        for part in parts_of(link, evaluated_scene)
        if part.is_visual and part.has_mesh and len(part.mesh().vertices)
    ]
    if not parts:
        raise ModelError(f"link '{model_name(link)}' has no mesh to fit a shape to: give it a mesh as a child")
    return parts


def _in_link(part: Part) -> MeshData:
    linear = part.matrix[:3, :3]
    data = turned_inside_out(part.mesh()) if det(linear) < 0.0 else part.mesh()
    return replace(data, vertices=matmul(data.vertices, linear.T) + part.matrix[:3, 3])
