"""The visuals and collisions of a link, from its parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

import bpy
import numpy as np

from ...core.geometry import Geometry, Material, Mesh, Shape
from ...core.model.naming import claim
from ...core.spatial import Pose
from .gltf import glb_of
from .kept import kept_name, parse_contact, parse_extras, parse_foreign
from .materials import MaterialReader
from .meshes import hull_of, turned_inside_out
from .numbers import scaled_pose, shortest_vec3, tidy_pose
from .parts import Part, Source, Surroundings, parts_of
from .poses import pose_of_matrix
from .primitives import primitive_of

MeshFormat = Literal["OBJ", "GLTF"]


@dataclass
class ShapeReader:
    """Reads the shapes of many links; what objects share, their shapes share too.

    Attributes:
        mesh_format: what meshes are to leave as.
        notes: what was left out.
    """

    around: Surroundings
    mesh_format: MeshFormat = "OBJ"
    notes: list[str] = field(default_factory=list)
    materials: MaterialReader = field(default_factory=MaterialReader)

    def of_link(self, link: bpy.types.Object) -> tuple[list[Shape], list[Shape]]:
        """The link's visuals and collisions."""
        return self.of_parts(parts_of(link, self.around))

    def of_parts(self, parts: Iterable[Part]) -> tuple[list[Shape], list[Shape]]:
        parts = [part for part in parts if not self._is_empty(part)]
        marked = any(part.settings.role in ("COLLISION", "BOTH") for part in parts)
        visuals, collisions = [], []
        for part in parts:
            shape = self._shape(part)
            role = part.settings.role
            if part.is_seen:
                visuals.append(shape)
            if role == "COLLISION":
                collisions.append(self._colliding(part, shape, shape.name))
            elif role == "BOTH" or (role == "AUTO" and not marked):
                collisions.append(self._colliding(part, replace(shape, extras=()), f"{shape.name}_collision"))
        return _distinct(visuals), _distinct(collisions)

    def _is_empty(self, part: Part) -> bool:
        if not part.has_mesh or len(part.mesh().starts):
            return False
        self.notes.append(f"object '{part.name}' has no faces, so it is left out")
        return True

    def _shape(self, part: Part) -> Shape:
        settings = part.settings
        name = part.name if part.instance else kept_name(part.obj)
        extras = parse_extras(settings.extras, f"object '{part.obj.name}'")
        scale, matrix = split_scale(part.matrix)
        if part.is_placeholder:
            factors = (1.0, 1.0, 1.0) if scale is None else shortest_vec3(scale)
            geometry = (
                parse_foreign(settings.foreign, f"object '{part.obj.name}'")
                if settings.foreign
                else Mesh(uri=settings.mesh_uri, scale=factors)
            )
            return Shape(name, geometry, _pose(matrix, self.around.unit), None, extras)
        found = primitive_of(part.primitive, part.mesh(), scale, self.around.unit)
        geometry, center = found or (self._mesh(part, scale), np.zeros(3))
        matrix = matrix.copy()
        matrix[:3, 3] += matrix[:3, :3] @ center
        return Shape(name, geometry, _pose(matrix, self.around.unit), self._material(part, geometry), extras)

    def _colliding(self, part: Part, shape: Shape, name: str) -> Shape:
        """The shape as what collides: without a look, and as its hull where that is asked for."""
        geometry = shape.geometry
        if part.primitive == "HULL" and part.has_mesh:
            geometry = self._mesh(part, split_scale(part.matrix)[0], as_hull=True)
        contact = parse_contact(part.settings.contact, Shape, f"object '{part.obj.name}'")
        return replace(shape, name=name, geometry=geometry, material=None, **contact)

    def _mesh(self, part: Part, scale: np.ndarray | None, as_hull: bool = False) -> Mesh:
        """The mesh with all of its scale in `Mesh.scale`, but for what no three factors above zero can say."""
        source = part.source()
        linear = part.matrix[:3, :3]
        is_mirrored = bool(np.linalg.det(linear) < 0.0)
        key = (as_hull, is_mirrored, None if scale is not None else linear.tobytes())
        if key not in source.meshes:
            turn = linear if scale is None else np.diag(np.sign(scale))
            source.meshes[key] = self._new_mesh(source, turn, is_mirrored, as_hull)
        mesh = source.meshes[key]
        return mesh if scale is None else replace(mesh, scale=shortest_vec3(np.abs(scale)))

    def _new_mesh(self, source: Source, turn: np.ndarray, is_mirrored: bool, as_hull: bool) -> Mesh:
        data = turned_inside_out(source.data) if is_mirrored else source.data
        vertices = data.vertices @ turn.T * self.around.unit
        if as_hull:
            points, faces = hull_of(replace(data, vertices=vertices))
            if faces:  # as there are none around points in a plane
                return Mesh(vertices=points, faces=faces)
        glb = glb_of(source, turn * self.around.unit, self.around) if self.mesh_format == "GLTF" else b""
        materials, numbers = self._materials(source)
        return Mesh(
            vertices=vertices,
            faces=data.faces,
            uvs=data.uvs,
            materials=materials,
            face_materials=numbers if len(materials) > 1 else (),
            glb=glb,
        )

    def _materials(self, source: Source) -> tuple[tuple[Material, ...], tuple[int, ...]]:
        """The materials that faces have, and the number of each face's; none where no slot is filled."""
        slots = source.materials
        if not any(slots) or not len(source.data.slots):
            return (), ()
        used, numbers = np.unique(np.minimum(source.data.slots, len(slots) - 1), return_inverse=True)
        looks = tuple(self.materials.read(slots[slot]) if slots[slot] else Material() for slot in used)
        return (looks if any(slots[slot] for slot in used) else ()), tuple(numbers.ravel().tolist())

    def _material(self, part: Part, geometry: Geometry) -> Material | None:
        """Of a shape that has but one look; those of a mesh that has more, or an image, stand in the mesh."""
        materials, _ = self._materials(part.source())
        if isinstance(geometry, Mesh) and (len(materials) > 1 or any(look.texture for look in materials)):
            return None
        return materials[0] if materials else None


def _distinct(shapes: list[Shape]) -> list[Shape]:
    """The shapes with a name each."""
    taken: set[str] = set()
    for shape in shapes:
        shape.name = claim(shape.name, taken)
    return shapes


def split_scale(matrix: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Scale along the object's axes and the matrix without it; for a sheared one no scale, and only the place."""
    linear = matrix[:3, :3]
    sizes = np.linalg.norm(linear, axis=0)
    if np.linalg.det(linear) < 0.0:
        sizes = sizes * (-1.0, 1.0, 1.0)
    rigid = matrix.copy()
    rigid[:3, :3] = linear / sizes
    if np.allclose(rigid[:3, :3].T @ rigid[:3, :3], np.eye(3), atol=2e-6):
        return sizes, rigid
    rigid[:3, :3] = np.eye(3)
    return None, rigid


def _pose(matrix: np.ndarray, unit: float) -> Pose:
    return scaled_pose(tidy_pose(pose_of_matrix(matrix, np.ones(3))), unit)
