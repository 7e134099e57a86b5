# SPDX-License-Identifier: GPL-3.0-or-later
"""Make meshes that represent the shapes of a model, and read the shapes that such meshes represent."""

from __future__ import annotations

import math
from itertools import pairwise

import bmesh
import bpy
import numpy as np
from mathutils import Matrix, Vector
from mathutils.geometry import tessellate_polygon

from ....core.geometry import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Polyline,
    Sphere,
)
from ..values.numbers import shortest
from .meshes import MeshData

SEGMENTS = 32  # a multiple of four, so that the bounds equal the size
ROUND = ("SPHERE", "CYLINDER", "CAPSULE", "CONE", "ELLIPSOID")
SHARP_ANGLE = 0.7  # angle [rad] above which edges of round shapes, such as the rim of a cylinder, stay sharp
EQUAL_SIZES = 1e-5  # largest relative difference between two sizes of a round shape


def new_mesh(name: str, geometry: Geometry, unit: float) -> tuple[bpy.types.Mesh | None, str]:
    """Return a mesh for a geometry, and the kind of primitive that it represents.

    The mesh is None if the geometry is a mesh that was not read.

    Args:
        unit: length of a Blender unit [m].
    """
    if isinstance(geometry, Mesh):
        return _polygons(name, geometry, unit), "MESH"
    kind, build = _BUILDERS[type(geometry)]
    shape = bmesh.new()
    try:
        build(shape, geometry, 1.0 / unit)
        mesh = bpy.data.meshes.new(name)
        shape.to_mesh(mesh)
    finally:
        shape.free()
    if kind in ROUND:
        mesh.shade_smooth()
        mesh.set_sharp_from_angle(angle=SHARP_ANGLE)
    return mesh, kind


def _polygons(name: str, geometry: Mesh, unit: float) -> bpy.types.Mesh | None:
    if geometry.vertices is None:
        return None
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((geometry.vertices / unit).tolist(), [], [list(face) for face in geometry.faces])
    if geometry.uvs is not None and len(geometry.uvs) == len(mesh.loops):
        mesh.uv_layers.new().uv.foreach_set("vector", np.asarray(geometry.uvs, dtype=np.float32).ravel())
    if geometry.face_materials:
        mesh.polygons.foreach_set("material_index", geometry.face_materials)
    mesh.validate()
    return mesh


def _box(shape: bmesh.types.BMesh, box: Box, factor: float) -> None:
    size = Matrix.Diagonal((*(side * factor for side in box.size), 1.0))
    bmesh.ops.create_cube(shape, size=1.0, matrix=size)


def _sphere(shape: bmesh.types.BMesh, sphere: Sphere, factor: float) -> None:
    _ellipsoid(shape, Ellipsoid((sphere.radius, sphere.radius, sphere.radius)), factor)


def _ellipsoid(shape: bmesh.types.BMesh, ellipsoid: Ellipsoid, factor: float) -> None:
    x, y, z = (radius * factor for radius in ellipsoid.radii)
    size = Matrix.Diagonal((x, y, z, 1.0))
    bmesh.ops.create_uvsphere(shape, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=1.0, matrix=size)
    _snap_to_bounds(shape, (x, y, z))


def _cylinder(shape: bmesh.types.BMesh, cylinder: Cylinder, factor: float) -> None:
    radius, length = cylinder.radius * factor, cylinder.length * factor
    bmesh.ops.create_cone(shape, cap_ends=True, segments=SEGMENTS, radius1=radius, radius2=radius, depth=length)
    _snap_to_bounds(shape, (radius, radius, length / 2.0))


def _cone(shape: bmesh.types.BMesh, cone: Cone, factor: float) -> None:
    radius, length = cone.radius * factor, cone.length * factor
    bmesh.ops.create_cone(shape, cap_ends=True, segments=SEGMENTS, radius1=radius, radius2=0.0, depth=length)
    bmesh.ops.remove_doubles(shape, verts=list(shape.verts), dist=1e-6 * radius)
    _snap_to_bounds(shape, (radius, radius, length / 2.0))


def _capsule(shape: bmesh.types.BMesh, capsule: Capsule, factor: float) -> None:
    radius, half = capsule.radius * factor, capsule.length * factor / 2.0
    count = SEGMENTS // 4
    arc = [(math.cos(i * math.pi / 2 / count), math.sin(i * math.pi / 2 / count)) for i in range(count)]
    upper = [(radius * c, half + radius * s) for c, s in arc]
    profile = [(r, -z) for r, z in reversed(upper)] + (upper if half else upper[1:])
    rings = [[shape.verts.new((*_around(r, i), z)) for i in range(SEGMENTS)] for r, z in profile]
    for low, high in pairwise(rings):
        for i in range(SEGMENTS):
            shape.faces.new((low[i - 1], low[i], high[i], high[i - 1]))
    for ring, z in ((rings[0][::-1], -half - radius), (rings[-1], half + radius)):
        pole = shape.verts.new((0.0, 0.0, z))
        for i in range(SEGMENTS):
            shape.faces.new((ring[i - 1], ring[i], pole))
    _snap_to_bounds(shape, (radius, radius, half + radius))


def _around(radius: float, number: int) -> tuple[float, float]:
    angle = math.tau * number / SEGMENTS
    return radius * math.cos(angle), radius * math.sin(angle)


def _snap_to_bounds(shape: bmesh.types.BMesh, half: tuple[float, float, float]) -> None:
    """Move vertices onto the exact bounds and centre planes of the shape.

    The size of the primitive is read back from the bounds of the mesh.
    """
    for vertex in shape.verts:
        for axis, limit in enumerate(half):
            for bound in (-limit, 0.0, limit):
                if abs(vertex.co[axis] - bound) < 1e-5 * limit:
                    vertex.co[axis] = bound


def _plane(shape: bmesh.types.BMesh, plane: Plane, factor: float) -> None:
    size = Matrix.Diagonal((*(side * factor for side in plane.size), 1.0, 1.0))
    bmesh.ops.create_grid(shape, x_segments=1, y_segments=1, size=0.5, matrix=size)


def _extrusion(shape: bmesh.types.BMesh, polyline: Polyline, factor: float) -> None:
    outlines = [[(x * factor, y * factor) for x, y in outline] for outline in polyline.outlines]
    levels = [
        [[shape.verts.new((x, y, z)) for x, y in outline] for outline in outlines]
        for z in (0.0, polyline.height * factor)
    ]
    for low, high in zip(*levels, strict=True):
        for i in range(len(low)):
            shape.faces.new((low[i - 1], low[i], high[i], high[i - 1]))
    corners = tessellate_polygon([[Vector((x, y, 0.0)) for x, y in outline] for outline in outlines])
    for level in levels:
        vertices = [vertex for ring in level for vertex in ring]
        for triangle in corners:
            shape.faces.new([vertices[i] for i in triangle])
    bmesh.ops.recalc_face_normals(shape, faces=list(shape.faces))


_BUILDERS = {
    Box: ("BOX", _box),
    Sphere: ("SPHERE", _sphere),
    Cylinder: ("CYLINDER", _cylinder),
    Capsule: ("CAPSULE", _capsule),
    Cone: ("CONE", _cone),
    Ellipsoid: ("ELLIPSOID", _ellipsoid),
    Plane: ("PLANE", _plane),
    Polyline: ("POLYLINE", _extrusion),
}


def primitive_of(kind: str, data: MeshData, scale, unit: float) -> tuple[Geometry, np.ndarray] | None:
    """Return the primitive that a mesh represents [m], and its origin in the mesh's axes, scaled [Blender units].

    It is None if the mesh represents no primitive.

    Args:
        unit: length of a Blender unit [m].
    """
    if scale is None or not len(data.vertices):
        return None
    if kind == "POLYLINE":
        return _outlined(data, scale, unit)
    if kind not in _SIZED:
        return None
    low, high = data.vertices.min(axis=0), data.vertices.max(axis=0)
    x, y, z = (shortest(number) * unit for number in (high - low) * np.abs(scale))
    geometry = _SIZED[kind](x, y, z)
    return None if geometry is None else (geometry, (low + high) / 2.0 * scale)


def _is_round(x: float, y: float) -> bool:
    return abs(x - y) <= EQUAL_SIZES * x


_SIZED = {
    "BOX": lambda x, y, z: Box((x, y, z)),
    "PLANE": lambda x, y, _z: Plane(size=(x, y)),
    "ELLIPSOID": lambda x, y, z: Ellipsoid((x / 2.0, y / 2.0, z / 2.0)),
    "SPHERE": lambda x, y, z: Sphere(x / 2.0) if _is_round(x, y) and _is_round(x, z) else None,
    "CYLINDER": lambda x, y, z: Cylinder(x / 2.0, z) if _is_round(x, y) else None,
    "CONE": lambda x, y, z: Cone(x / 2.0, z) if _is_round(x, y) else None,
    "CAPSULE": lambda x, y, z: (
        Capsule(x / 2.0, max(z - x, 0.0)) if _is_round(x, y) and z >= x * (1 - EQUAL_SIZES) else None
    ),
}
"""Functions from the full sizes of a mesh [m] to the primitive, by kind; None if round shapes have unequal sizes."""


def _outlined(data: MeshData, scale, unit: float) -> tuple[Polyline, np.ndarray] | None:
    """Return the polyline that a mesh represents, if its vertices form two levels, one straight above the other."""
    points = np.round(data.vertices * scale, 9)
    low, high = points[:, 2].min(), points[:, 2].max()
    is_low = points[:, 2] == low
    if low == high or not (is_low | (points[:, 2] == high)).all():
        return None
    below, above = points[is_low, :2], points[~is_low, :2]
    if len(below) != len(above) or not np.allclose(np.sort(below, axis=0), np.sort(above, axis=0), rtol=1e-5):
        return None
    loops = _rings(_edges_of_walls(data, is_low))
    if loops is None or sum(map(len, loops)) != len(below):
        return None
    outlines = tuple(
        tuple((shortest(points[i, 0]) * unit, shortest(points[i, 1]) * unit) for i in loop) for loop in loops
    )
    return Polyline(outlines, shortest(high - low) * unit), np.array((0.0, 0.0, low))


def _edges_of_walls(data: MeshData, is_low: np.ndarray) -> dict[int, set[int]]:
    """Return for each lower vertex the lower vertices with which it shares an edge of a wall."""
    neighbours: dict[int, set[int]] = {}
    for face in data.faces:
        if all(is_low[i] for i in face):
            continue
        for one, other in zip(face, face[1:] + face[:1], strict=True):
            if is_low[one] and is_low[other]:
                neighbours.setdefault(one, set()).add(other)
                neighbours.setdefault(other, set()).add(one)
    return neighbours


def _rings(neighbours: dict[int, set[int]]) -> list[list[int]] | None:
    """Return the closed rings that the edges form, each beginning with its lowest number; None if they form others."""
    if any(len(ends) != 2 for ends in neighbours.values()):
        return None
    rings, left = [], sorted(neighbours)
    while left:
        ring = [left[0]]
        following = min(neighbours[ring[0]])
        while following not in ring:
            ring.append(following)
            following = next((i for i in neighbours[following] if i not in ring), ring[0])
        rings.append(ring)
        left = [i for i in left if i not in ring]
    return rings
