# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as arrays, as Blender evaluates them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import bmesh
import bpy
import numpy as np


@dataclass(frozen=True, eq=False)
class MeshData:
    """A mesh in its object's own axes and units.

    Attributes:
        vertices: shape (n, 3).
        corners, corner_edges: the vertex and the edge at each corner of each polygon, one polygon after another.
        starts: the first corner of each polygon.
        triangles: vertex numbers, shape (t, 3).
        uvs: texture coordinates of each corner, shape (corners, 2), or None.
        slots: the material slot of each polygon.
    """

    vertices: np.ndarray
    corners: np.ndarray
    corner_edges: np.ndarray
    starts: np.ndarray
    triangles: np.ndarray
    uvs: np.ndarray | None = None
    slots: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        return (
            tuple(tuple(face.tolist()) for face in np.split(self.corners, self.starts[1:])) if len(self.starts) else ()
        )


def mesh_data(evaluated: bpy.types.Object) -> MeshData:
    """Return the mesh of an evaluated object, modifiers applied. Curves and texts have one, too."""
    mesh = evaluated.to_mesh()
    if mesh is None:
        nothing = np.zeros(0, dtype=np.int32)
        return MeshData(np.zeros((0, 3)), nothing, nothing, nothing, nothing.reshape(0, 3))
    data = data_of(mesh)
    evaluated.to_mesh_clear()
    return data


def data_of(mesh: bpy.types.Mesh) -> MeshData:
    """Return the arrays of a mesh data-block."""
    mesh.calc_loop_triangles()
    layer = mesh.uv_layers.active
    return MeshData(
        _column(mesh.vertices, "co", 3, np.float32).astype(np.float64),
        _column(mesh.loops, "vertex_index", 1, np.int32),
        _column(mesh.loops, "edge_index", 1, np.int32),
        _column(mesh.polygons, "loop_start", 1, np.int32),
        _column(mesh.loop_triangles, "vertices", 3, np.int32),
        _column(layer.uv, "vector", 2, np.float32).astype(np.float64) if layer else None,
        _column(mesh.polygons, "material_index", 1, np.int32),
    )


def _column(items, name: str, width: int, kind: type) -> np.ndarray:
    values = np.empty(len(items) * width, dtype=kind)
    items.foreach_get(name, values)
    return values.reshape(-1, width) if width > 1 else values


def turned_inside_out(data: MeshData) -> MeshData:
    """Return the mesh with all faces reversed."""
    ends = np.append(data.starts[1:], len(data.corners))[: len(data.starts)]
    pieces = [np.arange(end - 1, start - 1, -1) for start, end in zip(data.starts, ends, strict=True)]
    order = np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.int64)
    return replace(
        data,
        corners=data.corners[order],
        corner_edges=data.corner_edges[order],
        triangles=data.triangles[:, ::-1],
        uvs=None if data.uvs is None else data.uvs[order],
    )


def subset(data: MeshData, chosen: np.ndarray) -> MeshData:
    """Return the mesh of some polygons, with the vertices that they use.

    Args:
        chosen: whether each polygon is kept, shape (polygons,).
    """
    sizes = np.diff(np.append(data.starts, len(data.corners)))
    of_corner, of_triangle = np.repeat(chosen, sizes), np.repeat(chosen, sizes - 2)
    used, corners = np.unique(data.corners[of_corner], return_inverse=True)
    starts = np.cumsum(sizes[chosen]) - sizes[chosen]
    return MeshData(
        data.vertices[used],
        corners.astype(np.int32),
        data.corner_edges[of_corner],
        starts.astype(np.int32),
        np.searchsorted(used, data.triangles[of_triangle]).astype(np.int32),
        None if data.uvs is None else data.uvs[of_corner],
        data.slots[chosen],
    )


def convex_hull(mesh: bmesh.types.BMesh) -> None:
    """Reduce a mesh to its convex hull, in place."""
    for face in list(mesh.faces):
        mesh.faces.remove(face)
    for edge in list(mesh.edges):
        mesh.edges.remove(edge)
    found = bmesh.ops.convex_hull(mesh, input=list(mesh.verts))
    inside = {item for item in found["geom_interior"] + found["geom_unused"] if isinstance(item, bmesh.types.BMVert)}
    bmesh.ops.delete(mesh, geom=list(inside), context="VERTS")


@contextmanager
def rebuilt(data: MeshData, change: Callable[[bmesh.types.BMesh], object]) -> Iterator[bmesh.types.BMesh]:
    """Yield a BMesh of the mesh's triangles to which `change` was applied. It is freed afterwards."""
    mesh = bmesh.new()
    try:
        vertices = [mesh.verts.new(point) for point in data.vertices.tolist()]
        for corners in data.triangles.tolist():
            points = [vertices[i] for i in corners]
            if len(set(corners)) == 3 and mesh.faces.get(points) is None:
                mesh.faces.new(points)
        change(mesh)
        yield mesh
    finally:
        mesh.free()


def hull_of(data: MeshData) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Return vertices, shape (n, 3), and faces of the convex hull. A planar mesh has no faces."""
    with rebuilt(data, convex_hull) as mesh:
        mesh.verts.index_update()
        points = np.array([vertex.co[:] for vertex in mesh.verts], dtype=np.float64).reshape(-1, 3)
        return points, tuple(tuple(vertex.index for vertex in face.verts) for face in mesh.faces)
