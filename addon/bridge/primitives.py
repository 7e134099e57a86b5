"""Meshes that stand for a model's shapes."""

import bmesh
import bpy
from mathutils import Matrix

from ...core.geometry import Box, Cylinder, Geometry, Mesh, Plane, Sphere

SEGMENTS = 32  # a multiple of four, so that the bounds are the true size


def new_mesh(name: str, geometry: Geometry, unit: float) -> tuple[bpy.types.Mesh | None, str]:
    """A mesh for the geometry, and which primitive it stands for. None for a mesh that was not read.

    unit: metres in a Blender unit.
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
    if kind in ("SPHERE", "CYLINDER"):
        mesh.shade_smooth()
        if kind == "CYLINDER":
            mesh.set_sharp_from_angle(angle=0.7)
    return mesh, kind


def _polygons(name: str, geometry: Mesh, unit: float) -> bpy.types.Mesh | None:
    if geometry.vertices is None:
        return None
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((geometry.vertices / unit).tolist(), [], [list(face) for face in geometry.faces])
    mesh.validate()
    return mesh


def _box(shape: bmesh.types.BMesh, box: Box, factor: float) -> None:
    size = Matrix.Diagonal((*(side * factor for side in box.size), 1.0))
    bmesh.ops.create_cube(shape, size=1.0, matrix=size)


def _sphere(shape: bmesh.types.BMesh, sphere: Sphere, factor: float) -> None:
    radius = sphere.radius * factor
    bmesh.ops.create_uvsphere(shape, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=radius)
    _snap_to_bounds(shape, (radius, radius, radius))


def _cylinder(shape: bmesh.types.BMesh, cylinder: Cylinder, factor: float) -> None:
    radius, length = cylinder.radius * factor, cylinder.length * factor
    bmesh.ops.create_cone(shape, cap_ends=True, segments=SEGMENTS, radius1=radius, radius2=radius, depth=length)
    _snap_to_bounds(shape, (radius, radius, length / 2.0))


def _snap_to_bounds(shape: bmesh.types.BMesh, half: tuple[float, float, float]) -> None:
    """Let the mesh be exactly as large as what it stands for: its bounds are where the size is read back from."""
    for vertex in shape.verts:
        for axis, limit in enumerate(half):
            for bound in (-limit, 0.0, limit):
                if abs(vertex.co[axis] - bound) < 1e-5 * limit:
                    vertex.co[axis] = bound


def _plane(shape: bmesh.types.BMesh, plane: Plane, factor: float) -> None:
    size = Matrix.Diagonal((*(side * factor for side in plane.size), 1.0, 1.0))
    bmesh.ops.create_grid(shape, x_segments=1, y_segments=1, size=0.5, matrix=size)


_BUILDERS = {
    Box: ("BOX", _box),
    Sphere: ("SPHERE", _sphere),
    Cylinder: ("CYLINDER", _cylinder),
    Plane: ("PLANE", _plane),
}
