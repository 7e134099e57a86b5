# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts that give a link its shape: its own mesh, its children, and the instances that these show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import bpy
import numpy as np

from ....core.geometry import Mesh
from ....core.model import ModelError
from ....core.spatial.arrays import inverse, matmul
from ...nodes import Node, attachment_of, has_own_shape, model_name, object_of, parent_inverse, parent_of
from ...props import is_joint, is_link
from ...props.settings import link_settings
from ..animation.motion_sources import starting_basis
from ..meshes.meshes import MeshData, mesh_data
from ..meshes.solids import Solid, solid_of
from ..posing.link_poses import to_array, world_scale
from ..values.choices import require_known_shape
from ..values.numbers import unit_length

SOLID = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
INSTANCES_ITS_CHILDREN = {"VERTS", "FACES"}


@dataclass(frozen=True, eq=False)
class Source:
    """An evaluated mesh and the materials of its slots. Objects that show the same mesh share it.

    Attributes:
        obj: an object that shows it; None if only geometry nodes use it.
        meshes: meshes of core that were made from it, by the options and the linear map with which they were made.
    """

    data: MeshData
    materials: tuple[bpy.types.Material | None, ...]
    obj: bpy.types.Object | None = None
    meshes: dict[object, Mesh] = field(default_factory=dict)

    @cached_property
    def solid(self) -> Solid:
        """The closed surfaces of the mesh."""
        return solid_of(self.data)


@dataclass(frozen=True)
class Instance:
    """An instance that an object shows.

    Attributes:
        name: of the instanced object.
        matrix: of its vertices in the axes of the object that shows it, shape (4, 4).
    """

    name: str
    matrix: np.ndarray
    primitive: str
    source: Source


@dataclass(frozen=True)
class Part:
    """An object that gives a link its shape, or one of its instances.

    Attributes:
        matrix: of its vertices in the link's frame [Blender units], shape (4, 4).
    """

    obj: bpy.types.Object
    matrix: np.ndarray
    evaluated_scene: EvaluatedScene
    instance: Instance | None = None

    @property
    def settings(self):
        return link_settings(self.obj)

    @property
    def name(self) -> str:
        return f"{self.obj.name}_{self.instance.name}" if self.instance else self.obj.name

    @property
    def has_mesh(self) -> bool:
        return self.instance is not None or self.obj.type in SOLID

    @property
    def is_placeholder(self) -> bool:
        """Whether the object represents a shape of a file that could not be shown."""
        return not self.has_mesh and bool(self.settings.mesh_uri or self.settings.foreign)

    @property
    def is_visual(self) -> bool:
        return self.settings.role != "COLLISION"

    @property
    def primitive(self) -> str:
        return self.instance.primitive if self.instance else self.settings.primitive

    def source(self) -> Source:
        return self.instance.source if self.instance else self.evaluated_scene.source_of(self.obj)

    def mesh(self) -> MeshData:
        """Return its mesh, modifiers applied, in its own axes."""
        return self.source().data


@dataclass(eq=False)
class EvaluatedScene:
    """A scene as its dependency graph evaluates it, with a cache of the meshes and instances of its objects.

    Attributes:
        unit: length of a Blender unit [m].
        children: of each object, and of each bone that is a link, if it has any. Blender's own property searches the
            whole file each time.
    """

    depsgraph: bpy.types.Depsgraph
    unit: float
    children: dict[Node, list[bpy.types.Object]]
    _sources: dict[object, Source] = field(default_factory=dict)
    _instances: dict[bpy.types.Object, list[Instance]] | None = None

    def source_of(self, obj: bpy.types.Object) -> Source:
        evaluated = obj.evaluated_get(self.depsgraph)
        materials = tuple(slot.material for slot in obj.material_slots)
        is_deformed = obj.modifiers or obj.parent_type != "OBJECT" or obj.type != "MESH" or obj.data.shape_keys
        key = (obj if is_deformed else obj.data.name_full, materials)
        if key not in self._sources:
            self._sources[key] = Source(mesh_data(evaluated), materials, obj)
        return self._sources[key]

    def instances_of(self, obj: bpy.types.Object) -> list[Instance]:
        """Return the instances that a collection instance, particles or geometry nodes show."""
        if not (obj.is_instancer or any(modifier.type == "NODES" for modifier in obj.modifiers)):
            return []
        if self._instances is None:
            self._instances = self._all_instances()
        return self._instances.get(obj, [])

    def _all_instances(self) -> dict[bpy.types.Object, list[Instance]]:
        instances: dict[bpy.types.Object, list[Instance]] = {}
        for found in self.depsgraph.object_instances:  # items are valid within one iteration only
            shown = found.object
            if not found.is_instance or shown is None or shown.type not in SOLID or found.parent is None:
                continue
            original, parent = _original(shown), _original(found.parent)
            matrix = matmul(inverse(to_array(found.parent.matrix_world)), to_array(found.matrix_world))
            if original == parent and original.type != "MESH" and np.allclose(matrix, np.eye(4), atol=1e-6):
                continue  # the mesh of a curve itself
            if original == parent:  # geometry that exists in nodes only
                materials = tuple(slot.material and slot.material.original for slot in shown.material_slots)
                source = self._sources.setdefault(
                    (shown.data.as_pointer(), materials), Source(mesh_data(shown), materials)
                )
            else:
                source = self.source_of(original)
            primitive = link_settings(original).primitive
            instances.setdefault(parent, []).append(Instance(original.name, matrix, primitive, source))
        return instances


def _original(evaluated: bpy.types.Object) -> bpy.types.Object:
    original = evaluated.original
    assert isinstance(original, bpy.types.Object)
    return original


def evaluated_scene_of(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> EvaluatedScene:
    """Return a view of a scene through an evaluated dependency graph, with empty caches."""
    children: dict[Node, list[bpy.types.Object]] = {}
    for obj in scene.objects:
        if obj.parent is not None:
            carrier = parent_of(obj)
            children.setdefault(carrier if is_link(carrier) else obj.parent, []).append(obj)
    return EvaluatedScene(depsgraph, unit_length(scene), children)


def parts_of(link: Node, evaluated_scene: EvaluatedScene) -> list[Part]:
    """Return the parts of a link, sorted by name. An animated child is at its first key.

    Raises:
        ModelError: if a bone or a vertex carries a part.
    """
    frame = np.diag((*world_scale(link), 1.0))
    own = [(object_of(link), frame)] if has_own_shape(link) else []
    found = [*own, *objects_below(link, frame, evaluated_scene)]
    parts = [part for obj, matrix in found for part in parts_at(obj, matrix, evaluated_scene)]
    for part in parts:
        _require_rigid(part.obj, link)
        require_known_shape(part.obj)
    return sorted(parts, key=lambda part: part.name)


def parts_at(obj: bpy.types.Object, matrix: np.ndarray, evaluated_scene: EvaluatedScene) -> list[Part]:
    """Return the object's own shape, if it has one, and its instances.

    Args:
        matrix: of the object's vertices in the link's frame, shape (4, 4).
    """
    own = Part(obj, matrix, evaluated_scene)
    instances = [
        Part(obj, matmul(matrix, instance.matrix), evaluated_scene, instance)
        for instance in evaluated_scene.instances_of(obj)
    ]
    return [own, *instances] if own.has_mesh or own.is_placeholder else instances


def objects_below(
    carrier: Node, frame: np.ndarray, evaluated_scene: EvaluatedScene
) -> Iterator[tuple[bpy.types.Object, np.ndarray]]:
    """Yield the objects that a link carries, with the matrices of their vertices in the link's frame [Blender units].

    Args:
        frame: matrix of the vertices of `carrier`, shape (4, 4).
    """
    if isinstance(carrier, bpy.types.Object) and carrier.instance_type in INSTANCES_ITS_CHILDREN:
        return  # the children appear as its instances only
    for child in evaluated_scene.children.get(carrier, ()):
        if is_link(child) or is_joint(child):
            continue
        matrix = matmul(matmul(frame, parent_inverse(child)), starting_basis(child))
        yield child, matrix
        yield from objects_below(child, matrix, evaluated_scene)


def _require_rigid(obj: bpy.types.Object, link: Node) -> None:
    """Raise `ModelError` if a bone or a vertex carries the object.

    Bones and vertices move relative to their object, so the object would not be part of a rigid body.
    """
    is_on_link = parent_of(obj) == link and not has_own_shape(link)
    if obj == link or obj.parent is None or is_on_link:
        return
    if part := attachment_of(obj):
        raise ModelError(
            f"object '{obj.name}' is a shape of link '{model_name(link)}' but hangs on a {part} of "
            f"'{obj.parent.name}': parent it to the object as a whole, or make it a link"
        )
    _require_rigid(obj.parent, link)
