"""The shapes of a link: itself and its children, as triangles to weigh and as visuals and collisions."""

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ...core.geometry import Box, Color, Cylinder, Geometry, Material, Mesh, Plane, Shape, Sphere
from ...core.model import ModelError
from ...core.spatial import Pose
from .. import ids
from ..props import is_joint, is_link
from .motion import starting_basis
from .numbers import scaled_pose, shortest, shortest_all, shortest_vec3, tidy_pose, unit_length
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


@dataclass(frozen=True)
class Surroundings:
    """What is found once for all of a scene's objects.

    Attributes:
        unit: metres in a Blender unit.
        children: of each object that has any; Blender itself searches the whole file for them every time.
    """

    depsgraph: bpy.types.Depsgraph
    unit: float
    children: dict[bpy.types.Object, list[bpy.types.Object]]


def surroundings_of(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> Surroundings:
    children: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for obj in scene.objects:
        if obj.parent is not None:
            children.setdefault(obj.parent, []).append(obj)
    return Surroundings(depsgraph, unit_length(scene), children)


def parts_of(link: bpy.types.Object, around: Surroundings) -> list[Part]:
    """The link's own shape and its children's, in the order of their names; an animated child where it starts."""
    frame = np.diag((*world_scale(link), 1.0))
    parts = [Part(link, frame), *_parts_below(link, frame, around)]
    parts = [part for part in parts if part.has_mesh or part.settings.mesh_uri]
    for part in parts:
        _require_rigid(part.obj, link)
    return sorted(parts, key=lambda part: part.obj.name)


def _parts_below(obj: bpy.types.Object, frame: np.ndarray, around: Surroundings) -> Iterator[Part]:
    for child in around.children.get(obj, ()):
        if is_link(child) or is_joint(child):
            continue
        matrix = frame @ to_array(child.matrix_parent_inverse) @ starting_basis(child)
        yield Part(child, matrix)
        yield from _parts_below(child, matrix, around)


def _require_rigid(obj: bpy.types.Object, link: bpy.types.Object) -> None:
    """Bones and vertices move against the object that has them, and what hangs on them is no part of a rigid body."""
    if obj == link or obj.parent is None:
        return
    if obj.parent_type != "OBJECT":
        raise ModelError(
            f"object '{obj.name}' is a shape of link '{link.name}' but hangs on a {obj.parent_type.lower()} of "
            f"'{obj.parent.name}': parent it to the object as a whole, or make it a link"
        )
    _require_rigid(obj.parent, link)


def mesh_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> MeshData:
    """The object's mesh with its modifiers, in its own axes."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        nothing = np.zeros(0, dtype=np.int32)
        return MeshData(np.zeros((0, 3)), nothing, nothing, nothing, nothing.reshape(0, 3))
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


def shapes_of(link: bpy.types.Object, around: Surroundings) -> tuple[list[Shape], list[Shape]]:
    """The link's visuals and collisions."""
    parts = parts_of(link, around)
    marked = any(part.settings.role in ("COLLISION", "BOTH") for part in parts)
    visuals, collisions = [], []
    for part in parts:
        shape = _shape(part, around.depsgraph, around.unit)
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
    factors = (1.0, 1.0, 1.0) if scale is None else shortest_vec3(scale)
    if part.settings.mesh_uri and not part.has_mesh:
        geometry = Mesh(uri=part.settings.mesh_uri, scale=factors)
        return Shape(part.obj.name, geometry, _pose(matrix, unit), None)
    data = mesh_of(part.obj, depsgraph)
    geometry, center = _primitive(part.settings.primitive, data.vertices, scale, unit)
    if geometry is None:
        vertices = (data.vertices if scale is not None else data.vertices @ part.matrix[:3, :3].T) * unit
        geometry = Mesh(scale=factors, vertices=vertices, faces=data.faces)
    matrix = matrix.copy()
    matrix[:3, 3] += matrix[:3, :3] @ center
    return Shape(part.obj.name, geometry, _pose(matrix, unit), material_of(part.obj))


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


def _pose(matrix: np.ndarray, unit: float) -> Pose:
    return scaled_pose(tidy_pose(pose_of_matrix(matrix, np.ones(3))), unit)


def _primitive(kind: str, vertices: np.ndarray, scale, unit: float) -> tuple[Geometry | None, np.ndarray]:
    """The primitive that the mesh stands for, or None, and where its centre is in the mesh's axes, scaled."""
    if kind == "MESH" or scale is None or not len(vertices):
        return None, np.zeros(3)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    x, y, z = (shortest(number) * unit for number in (high - low) * np.abs(scale))
    center = (low + high) / 2.0 * scale
    if kind == "BOX":
        return Box((x, y, z)), center
    if kind == "PLANE":
        return Plane(size=(x, y)), center
    is_round = abs(x - y) <= 1e-5 * x
    if kind == "CYLINDER" and is_round:
        return Cylinder(x / 2.0, z), center
    if kind == "SPHERE" and is_round and abs(x - z) <= 1e-5 * x:
        return Sphere(x / 2.0), center
    return None, np.zeros(3)


def material_of(obj: bpy.types.Object) -> Material | None:
    """How the object's first material looks."""
    color = _color_of(obj)
    return Material(color) if color else None


def _color_of(obj: bpy.types.Object) -> Color | None:
    """The colour of the object's first material: its shader's where it has one, else the viewport's."""
    material = obj.active_material
    if material is None:
        return None
    if material.node_tree is not None:
        for node in material.node_tree.nodes:
            if node.type == "BSDF_PRINCIPLED" and not node.inputs["Base Color"].is_linked:
                red, green, blue, _ = shortest_all(node.inputs["Base Color"].default_value)
                return red, green, blue, shortest(node.inputs["Alpha"].default_value)
    red, green, blue, alpha = shortest_all(material.diffuse_color)
    return red, green, blue, alpha
