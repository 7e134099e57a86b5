"""The shapes of a link: itself and its children, as triangles to weigh and as visuals and collisions."""

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.geometry import Box, Cylinder, Geometry, Mesh, Plane, Shape, Sphere
from .. import ids
from ..props import is_joint, is_link
from .motion import starting_basis
from .numbers import shortest, shortest_all, tidy_pose
from .poses import pose_of_matrix, to_array, world_scale

SOLID = {"MESH", "CURVE", "SURFACE", "META", "FONT"}


@dataclass(frozen=True)
class Part:
    """An object that gives a link its shape. matrix: its points in the link's frame [Blender units], shape (4, 4)."""

    obj: bpy.types.Object
    matrix: np.ndarray

    @property
    def settings(self):
        return getattr(self.obj, ids.LINK)

    @property
    def has_mesh(self) -> bool:
        return self.obj.type in SOLID

    @property
    def is_seen(self) -> bool:
        return self.settings.role != "COLLISION"


@dataclass(frozen=True)
class MeshData:
    """vertices: shape (n, 3) in the object's own units; faces: vertex numbers of each polygon, one after another."""

    vertices: np.ndarray
    corners: np.ndarray
    corner_edges: np.ndarray
    starts: np.ndarray
    triangles: np.ndarray

    @property
    def faces(self) -> tuple[tuple[int, ...], ...]:
        return (
            tuple(tuple(face.tolist()) for face in np.split(self.corners, self.starts[1:])) if len(self.starts) else ()
        )


def parts_of(link: bpy.types.Object) -> list[Part]:
    """The link's own shape and its children's, in the order of their names; an animated child where it starts."""
    frame = np.diag((*world_scale(link), 1.0))
    parts = [Part(link, frame), *_children_of(link, frame)]
    parts = [part for part in parts if part.has_mesh or part.settings.mesh_uri]
    return sorted(parts, key=lambda part: part.obj.name)


def _children_of(obj: bpy.types.Object, frame: np.ndarray) -> Iterator[Part]:
    for child in obj.children:
        if is_link(child) or is_joint(child):
            continue
        matrix = frame @ to_array(child.matrix_parent_inverse) @ starting_basis(child)
        yield Part(child, matrix)
        yield from _children_of(child, matrix)


def mesh_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> MeshData:
    """The object's mesh with its modifiers, in its own axes."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        return MeshData(np.zeros((0, 3)), *(np.zeros(0, dtype=np.int32),) * 3, np.zeros((0, 3), dtype=np.int32))
    mesh.calc_loop_triangles()
    data = MeshData(
        _column(mesh.vertices, "co", 3, np.float32).astype(np.float64),
        _column(mesh.loops, "vertex_index", 1, np.int32),
        _column(mesh.loops, "edge_index", 1, np.int32),
        _column(mesh.polygons, "loop_start", 1, np.int32),
        _column(mesh.loop_triangles, "vertices", 3, np.int32),
    )
    evaluated.to_mesh_clear()
    return data


def _column(items, name: str, width: int, kind: type) -> np.ndarray:
    values = np.empty(len(items) * width, dtype=kind)
    items.foreach_get(name, values)
    return values.reshape(-1, width) if width > 1 else values


def shapes_of(link: bpy.types.Object, depsgraph, unit: float) -> tuple[list[Shape], list[Shape]]:
    """The link's visuals and collisions. unit: metres in a Blender unit."""
    parts = parts_of(link)
    marked = any(part.settings.role in ("COLLISION", "BOTH") for part in parts)
    visuals, collisions = [], []
    for part in parts:
        shape = _shape(part, depsgraph, unit)
        role = part.settings.role
        if part.is_seen:
            visuals.append(shape)
        if role == "COLLISION":
            collisions.append(shape)
        elif role == "BOTH" or (role == "AUTO" and not marked):
            collisions.append(Shape(f"{shape.name}_collision", shape.geometry, shape.pose))
    return visuals, collisions


def _shape(part: Part, depsgraph, unit: float) -> Shape:
    scale, matrix = _split_scale(part.matrix)
    if part.settings.mesh_uri and not part.has_mesh:
        geometry = Mesh(uri=part.settings.mesh_uri, scale=tuple(shortest_all(scale)))
        return Shape(part.obj.name, geometry, _pose(matrix, unit), None)
    data = mesh_of(part.obj, depsgraph)
    geometry, center = _primitive(part.settings.primitive, data.vertices, scale, unit)
    if geometry is None:
        vertices = (data.vertices if scale is not None else data.vertices @ part.matrix[:3, :3].T) * unit
        factors = (1.0, 1.0, 1.0) if scale is None else tuple(shortest_all(scale))
        geometry = Mesh(scale=factors, vertices=vertices, faces=data.faces)
    matrix = matrix.copy()
    matrix[:3, 3] += matrix[:3, :3] @ center
    return Shape(part.obj.name, geometry, _pose(matrix, unit), color_of(part.obj))


def _split_scale(matrix: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Scale along the object's axes and the matrix without it; for a sheared one no scale, and only the place."""
    linear = matrix[:3, :3]
    sizes = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0.0:
        sizes = sizes * (-1.0, 1.0, 1.0)
    rigid = matrix.copy()
    rigid[:3, :3] = linear / sizes
    if np.allclose(rigid[:3, :3].T @ rigid[:3, :3], np.eye(3), atol=1e-5):
        return sizes, rigid
    rigid[:3, :3] = np.eye(3)
    return None, rigid


def _pose(matrix: np.ndarray, unit: float):
    pose = tidy_pose(pose_of_matrix(matrix, np.ones(3)))
    return tuple(number * unit for number in pose[:3]) + tuple(pose[3:])


def _primitive(kind: str, vertices: np.ndarray, scale, unit: float) -> tuple[Geometry | None, np.ndarray]:
    """The primitive that the mesh stands for, or None, and where its centre is in the mesh's axes, scaled."""
    if kind == "MESH" or scale is None or not len(vertices):
        return None, np.zeros(3)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    size = tuple(shortest(number) * unit for number in (high - low) * np.abs(scale))
    center = (low + high) / 2.0 * scale
    if kind == "BOX":
        return Box(size), center
    if kind == "PLANE":
        return Plane(size=size[:2]), center
    is_round = abs(size[0] - size[1]) <= 1e-5 * size[0]
    if kind == "CYLINDER" and is_round:
        return Cylinder(size[0] / 2.0, size[2]), center
    if kind == "SPHERE" and is_round and abs(size[0] - size[2]) <= 1e-5 * size[0]:
        return Sphere(size[0] / 2.0), center
    return None, np.zeros(3)


def color_of(obj: bpy.types.Object) -> tuple[float, float, float, float] | None:
    """The colour of the object's first material: its shader's where it has one, else the viewport's."""
    material = obj.active_material
    if material is None:
        return None
    if material.node_tree is not None:
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED" and not node.inputs["Base Color"].is_linked:
                color = shortest_all(node.inputs["Base Color"].default_value)
                return (*color[:3], shortest(node.inputs["Alpha"].default_value))
    return shortest_all(material.diffuse_color)
