# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the visuals and collisions of a link from its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import bpy
import numpy as np

from ....core.geometry import Geometry, Material, Mesh, Shape
from ....core.model.naming import claim
from ....core.spatial import Pose, compose
from ....core.spatial.arrays import det, matmul, norm
from ...nodes import Node, owner_of
from ...props.settings import link_settings
from ..meshes.meshes import hull_of, turned_inside_out
from ..meshes.primitives import primitive_of
from ..posing.link_poses import pose_of_matrix
from ..values.file_extras import original_name, parse_extras, parse_foreign
from ..values.materials import MaterialReader
from ..values.numbers import Units, scaled_pose, shortest_vec3, tidy_pose
from .bone_shapes import collision_name, shape_of
from .contact_settings import contact_settings_of
from .gltf import glb_of
from .parts import EvaluatedScene, Part, Source, parts_of
from .recognition import in_metres, recognized_in

MeshFormat = Literal["OBJ", "GLTF"]


@dataclass
class ShapeReader:
    """Reads the shapes of many links. Objects that share a mesh have shapes that share it.

    Attributes:
        units: of the scene. mesh_format: format in which meshes are exported.
        pieces: parts of deformed meshes by the links that they follow, which are visuals.
        skinned: armatures whose meshes are written as skins. The shapes of their bones are no visuals.
        notes: what was left out.
    """

    evaluated_scene: EvaluatedScene
    units: Units
    mesh_format: MeshFormat = "OBJ"
    pieces: Mapping[Node, list[Part]] = field(default_factory=dict)
    skinned: Collection[bpy.types.Object] = ()
    notes: list[str] = field(default_factory=list)
    materials: MaterialReader = field(default_factory=MaterialReader)

    def of_link(self, link: Node) -> tuple[list[Shape], list[Shape]]:
        """Return the link's visuals and collisions."""
        parts = parts_of(link, self.evaluated_scene)
        visuals, collisions = self.of_parts(parts, link)
        own = self._own_shape(link, parts)
        pieces = [self._shape(part) for part in self.pieces.get(link, ())]
        shown = [] if owner_of(link) in self.skinned else pieces or own
        return visuals + shown, collisions + self._own_colliding(link, parts, own)

    def of_parts(self, parts: Iterable[Part], link: Node | None = None) -> tuple[list[Shape], list[Shape]]:
        """Return the visuals and collisions of parts.

        Args:
            link: to which the parts belong; None for parts that belong to no link.
        """
        parts = [part for part in parts if not self._is_empty(part)]
        visuals = [self._shape(part) for part in parts if part.is_visual]
        return _distinct(visuals), self._collisions(parts, link, with_materials=True)

    def collisions_of(self, link: Node) -> list[Shape]:
        """Return the link's collisions for simulations. Their meshes have no materials."""
        parts = parts_of(link, self.evaluated_scene)
        collisions = self._collisions([part for part in parts if not self._is_empty(part)], link)
        return collisions + self._own_colliding(link, parts, self._own_shape(link, parts))

    def _own_shape(self, link: Node, parts: list[Part]) -> list[Shape]:
        """Return the shape of a bone itself in a list, which is empty for other links, and for bones with objects."""
        if any(part.is_visual for part in parts) and not link_settings(link).is_fitted:
            return []
        shape = shape_of(link, self.evaluated_scene.unit)
        return [Shape(link.name, shape.geometry, shape.pose)] if shape else []

    def _own_colliding(self, link: Node, parts: list[Part], own: list[Shape]) -> list[Shape]:
        """Return the collisions of the shape of a bone.

        There are none if the link has collision shapes or does not collide.
        """
        settings = link_settings(link)
        if not settings.collides or any(part.settings.role in ("COLLISION", "BOTH") for part in parts):
            return []
        if parts and not settings.is_fitted:
            return []
        contact = contact_settings_of(link, link, self.units)
        return [replace(shape, name=collision_name(link), **vars(contact)) for shape in own]

    def _collisions(self, parts: list[Part], link: Node | None, with_materials: bool = False) -> list[Shape]:
        if link is not None and not link_settings(link).collides:
            return []
        marked = any(part.settings.role in ("COLLISION", "BOTH") for part in parts)
        found = []
        for part in parts:
            role = part.settings.role
            if role == "COLLISION":
                shape = self._shape(part, with_materials)
                found.append(self._colliding(part, shape, shape.name, link, with_materials))
            elif role == "BOTH" or (role == "AUTO" and not marked):
                shape = replace(self._shape(part, with_materials), extras=())
                if role == "AUTO" and link is not None:
                    shape = self._recognized(part, shape, link)
                found.append(self._colliding(part, shape, f"{shape.name}_collision", link, with_materials))
        return _distinct(found)

    def _recognized(self, part: Part, shape: Shape, link: Node) -> Shape:
        """Return the shape as a primitive if its mesh is one, the link is free, and recognition is switched on."""
        settings = link_settings(link)
        if not settings.recognizes or settings.motion != "FREE" or part.primitive != "MESH" or not part.has_mesh:
            return shape
        scale, matrix = split_scale(part.matrix)
        linear = part.matrix[:3, :3] if scale is None else np.diag(scale)
        found = recognized_in(part.source().data, linear)
        if found is None:
            return shape
        unit, (geometry, pose) = self.evaluated_scene.unit, found
        return replace(
            shape, geometry=in_metres(geometry, unit), pose=compose(_pose(matrix, unit), scaled_pose(pose, unit))
        )

    def _is_empty(self, part: Part) -> bool:
        if not part.has_mesh or len(part.mesh().starts):
            return False
        self.notes.append(f"object '{part.name}' has no faces, so it is left out")
        return True

    def _shape(self, part: Part, with_materials: bool = True) -> Shape:
        settings = part.settings
        name = part.name if part.instance else original_name(part.obj)
        extras = parse_extras(settings.extras, f"object '{part.obj.name}'")
        scale, matrix = split_scale(part.matrix)
        if part.is_placeholder:
            factors = (1.0, 1.0, 1.0) if scale is None else shortest_vec3(scale)
            geometry = (
                parse_foreign(settings.foreign, f"object '{part.obj.name}'")
                if settings.foreign
                else Mesh(uri=settings.mesh_uri, scale=factors)
            )
            return Shape(name, geometry, _pose(matrix, self.evaluated_scene.unit), None, extras)
        found = primitive_of(part.primitive, part.mesh(), scale, self.evaluated_scene.unit)
        geometry, center = found or (self._mesh(part, scale, with_materials=with_materials), np.zeros(3))
        matrix = matrix.copy()
        matrix[:3, 3] += matmul(matrix[:3, :3], center)
        material = self._material(part, geometry) if with_materials else None
        return Shape(name, geometry, _pose(matrix, self.evaluated_scene.unit), material, extras)

    def _colliding(self, part: Part, shape: Shape, name: str, link: Node | None, with_materials: bool) -> Shape:
        """Return the shape as a collision: without a material, and as its hull if the user has chosen that."""
        geometry = shape.geometry
        if part.primitive == "HULL" and part.has_mesh:
            geometry = self._mesh(part, split_scale(part.matrix)[0], as_hull=True, with_materials=with_materials)
        contact = contact_settings_of(part.obj, link, self.units)
        return replace(shape, name=name, geometry=geometry, material=None, **vars(contact))

    def _mesh(self, part: Part, scale: np.ndarray | None, as_hull: bool = False, with_materials: bool = True) -> Mesh:
        """Return the mesh with its scale in `Mesh.scale`.

        Reflections and shear, which three positive factors cannot express, are applied to the vertices.
        """
        source = part.source()
        linear = part.matrix[:3, :3]
        is_mirrored = bool(det(linear) < 0.0)
        key = (as_hull, with_materials, is_mirrored, None if scale is not None else linear.tobytes())
        if key not in source.meshes:
            turn = linear if scale is None else np.diag(np.sign(scale))
            source.meshes[key] = self._new_mesh(source, turn, is_mirrored, as_hull, with_materials)
        mesh = source.meshes[key]
        return mesh if scale is None else replace(mesh, scale=shortest_vec3(np.abs(scale)))

    def _new_mesh(
        self, source: Source, turn: np.ndarray, is_mirrored: bool, as_hull: bool, with_materials: bool
    ) -> Mesh:
        data = turned_inside_out(source.data) if is_mirrored else source.data
        vertices = matmul(data.vertices, turn.T) * self.evaluated_scene.unit
        if as_hull:
            points, faces = hull_of(replace(data, vertices=vertices))
            if faces:  # points in a plane have no hull faces
                return Mesh(vertices=points, faces=faces)
        if not with_materials:
            return Mesh(vertices=vertices, faces=data.faces)
        glb = (
            glb_of(source, turn * self.evaluated_scene.unit, self.evaluated_scene)
            if self.mesh_format == "GLTF"
            else b""
        )
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
        """Return the materials that faces use, and their indices by face; both empty if no slot is filled."""
        slots = source.materials
        if not any(slots) or not len(source.data.slots):
            return (), ()
        used, numbers = np.unique(np.minimum(source.data.slots, len(slots) - 1), return_inverse=True)
        appearances = tuple(self.materials.read(slots[slot]) if slots[slot] else Material() for slot in used)
        return (appearances if any(slots[slot] for slot in used) else ()), tuple(numbers.ravel().tolist())

    def _material(self, part: Part, geometry: Geometry) -> Material | None:
        """Return the material of a shape that has only one.

        It is None for a mesh with several materials or an image, which are stored in the mesh.
        """
        materials, _ = self._materials(part.source())
        if isinstance(geometry, Mesh) and (len(materials) > 1 or any(appearance.texture for appearance in materials)):
            return None
        return materials[0] if materials else None


def _distinct(shapes: list[Shape]) -> list[Shape]:
    """Return the shapes with unique names."""
    taken: set[str] = set()
    for shape in shapes:
        shape.name = claim(shape.name, taken)
    return shapes


def split_scale(matrix: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the scale along the object's axes, shape (3,), and the matrix without it.

    For a sheared matrix, the scale is None, and the matrix has the translation only.
    """
    linear = matrix[:3, :3]
    sizes = norm(np.transpose(linear))
    if det(linear) < 0.0:
        sizes = sizes * (-1.0, 1.0, 1.0)
    rigid = matrix.copy()
    rigid[:3, :3] = linear / sizes
    if np.allclose(matmul(rigid[:3, :3].T, rigid[:3, :3]), np.eye(3), atol=2e-6):
        return sizes, rigid
    rigid[:3, :3] = np.eye(3)
    return None, rigid


def _pose(matrix: np.ndarray, unit: float) -> Pose:
    return scaled_pose(tidy_pose(pose_of_matrix(matrix, np.ones(3))), unit)
