# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the shapes of a model into a scene, as objects on their links."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import bpy
import numpy as np
from mathutils import Quaternion

from ....core.geometry import Foreign, Heightmap, Material, Mesh, Plane, Shape
from ....core.geometry.mesh_data import terrain_triangles
from ....core.mesh_files import MeshFileError, read_mesh
from ....core.model import Link
from ....core.spatial import Pose, compose, quat_of_mat, z_to
from ...props.settings import link_settings
from ..links.contact_settings import write_contact_settings
from ..meshes.mesh_files import MeshFiles
from ..meshes.primitives import new_mesh
from ..values.file_extras import format_extras, format_foreign, store_original_name
from ..values.materials import new_material
from ..values.numbers import scaled_pose, units_of

NOT_READ = "was not read, so it is not shown"
"""End of the note about a mesh file that was not found. The reader of the model has reported it already."""


class ShapeWriter:
    """Writes visuals into the model's collection, and collisions into a hidden collection below it.

    Attributes:
        unit: length of a Blender unit [m]. size: of Empties [Blender units].
        notes: what could not be shown.
    """

    def __init__(self, name: str, scene: bpy.types.Scene, collection: bpy.types.Collection, unit: float, size: float):
        self.name = name
        self.scene = scene
        self.collection = collection
        self.unit = unit
        self.size = size
        self.notes: list[str] = []
        self.files = MeshFiles(unit)
        self._reported: set[tuple[str, str]] = set()
        self._collision_collection: bpy.types.Collection | None = None
        self._materials: dict[Material, bpy.types.Material] = {}
        self._meshes: dict[tuple, bpy.types.Mesh] = {}

    def write(self, link: Link, carrier: bpy.types.Object) -> None:
        for shape in link.visuals:
            self._write(shape, link, carrier, self.collection, "VISUAL")
        for shape in link.collisions:
            obj = self._write(shape, link, carrier, self._collisions(), "COLLISION")
            if obj is not None:
                obj.display_type = "WIRE"
                obj.hide_render = True

    def _collisions(self) -> bpy.types.Collection:
        if self._collision_collection is None:
            self._collision_collection = bpy.data.collections.new(f"{self.name} collisions")
            self.collection.children.link(self._collision_collection)
        return self._collision_collection

    def hide_collisions(self) -> None:
        """Hide the collection of collisions.

        Call it after everything is written: Blender does not evaluate the places of new objects in a hidden collection.
        """
        if self._collision_collection is None:
            return
        self._collision_collection.hide_render = True
        for layer in self.scene.view_layers:
            layer.update()
            found = _layer_of(self._collision_collection, layer.layer_collection)
            if found is not None:
                found.hide_viewport = True  # the eye icon: disabling would drop their modifiers

    def _write(
        self, shape: Shape, link: Link, carrier: bpy.types.Object, collection: bpy.types.Collection, role: str
    ) -> bpy.types.Object | None:
        if shape.geometry is None:
            self.notes.append(f"link '{link.name}': '{shape.name}' has a kind of shape that is not known here")
            return None
        if isinstance(shape.geometry, Heightmap):
            shape = self._terrain(shape, shape.geometry, link)
        mesh, kind = self._mesh(shape, link, role)
        obj = bpy.data.objects.new(shape.name, mesh)
        collection.objects.link(obj)
        obj.parent = carrier
        set_transform(obj, scaled_pose(_pose(shape), 1.0 / self.unit))
        store_original_name(obj, shape.name)
        settings = link_settings(obj)
        settings.role, settings.primitive = role, kind
        settings.extras = format_extras(shape.extras)
        if role == "COLLISION":
            changes = write_contact_settings(shape, obj, units_of(self.scene))
            self.notes += [f"link '{link.name}': collision '{shape.name}': {change}" for change in changes]
        if isinstance(shape.geometry, Mesh):
            obj.scale = shape.geometry.scale
        if mesh is None:
            self._store_as_text(obj, shape, settings)
        else:
            self._apply_material(obj, shape)
        return obj

    def _terrain(self, shape: Shape, geometry: Heightmap, link: Link) -> Shape:
        """Return a terrain as a mesh, which can be seen and edited; as it is if its image cannot be read."""
        try:
            vertices, triangles = terrain_triangles(geometry)
        except MeshFileError as error:
            self.notes.append(f"link '{link.name}': '{shape.name}' is a height map that is not shown: {error}")
            return shape
        self.notes.append(f"link '{link.name}': '{shape.name}' is a height map, which becomes a mesh")
        return replace(shape, geometry=Mesh(vertices=vertices, faces=tuple(map(tuple, triangles.tolist()))))

    def _store_as_text(self, obj: bpy.types.Object, shape: Shape, settings) -> None:
        """Store a shape that cannot be shown as text on an Empty."""
        obj.empty_display_size = self.size
        if isinstance(shape.geometry, Foreign):
            settings.foreign = format_foreign(shape.geometry)
        elif isinstance(shape.geometry, Mesh):
            settings.mesh_uri = shape.geometry.uri

    def _mesh(self, shape: Shape, link: Link, role: str) -> tuple[bpy.types.Mesh | None, str]:
        """Return the mesh of a shape, None if it cannot be shown, and the kind of primitive that it represents."""
        geometry = shape.geometry
        assert geometry is not None
        if isinstance(geometry, Foreign):
            self.notes.append(f"link '{link.name}': '{shape.name}' is a <{geometry.tag}>, which is kept but not shown")
            return None, "MESH"
        if not isinstance(geometry, Mesh):
            return new_mesh(shape.name, geometry, self.unit)
        if geometry.vertices is not None:
            return self._shared_mesh(shape.name, geometry), "MESH"
        mesh, note = self._mesh_of_file(geometry, role, is_painted=shape.color is not None)
        if note and (geometry.uri, note) not in self._reported:
            self._reported.add((geometry.uri, note))
            self.notes.append(f"link '{link.name}': the mesh '{geometry.uri}' {note}")
        return mesh, "MESH"

    def _mesh_of_file(self, geometry: Mesh, role: str, is_painted: bool) -> tuple[bpy.types.Mesh | None, str]:
        """Return the mesh in a file, or None, and a note for the user.

        Collisions are read by core's reader, as on every other route. Visuals are read by Blender's importers, which
        support colours.
        """
        if not geometry.path:
            return None, NOT_READ
        why = "Blender's importers choose no sub-meshes"
        if role == "VISUAL" and not geometry.submesh:
            try:
                return self.files.mesh(geometry.path, geometry.within, is_painted), ""
            except MeshFileError as error:
                why = str(error)
        try:
            mesh = self._uncoloured_mesh(geometry)
        except MeshFileError as error:
            return None, f"is left out: {error}, so it is not shown"
        return mesh, f"is shown without colours: {why}" if role == "VISUAL" else ""

    def _uncoloured_mesh(self, geometry: Mesh) -> bpy.types.Mesh:
        """Return the triangles in a file as a mesh that all shapes of the file share.

        Raises:
            MeshFileError: if the file cannot be read.
        """
        key = (geometry.path, geometry.submesh, geometry.is_centered)
        if key not in self._meshes:
            vertices, triangles = read_mesh(
                geometry.path, geometry.within, geometry.submesh, is_centered=geometry.is_centered
            )
            points, numbers = np.unique(vertices, axis=0, return_inverse=True)
            faces = tuple(map(tuple, numbers.ravel()[triangles].tolist()))
            mesh, _ = new_mesh(Path(geometry.path).stem, Mesh(vertices=points, faces=faces), self.unit)
            assert mesh is not None
            self._meshes[key] = mesh
        return self._meshes[key]

    def _shared_mesh(self, name: str, geometry: Mesh) -> bpy.types.Mesh | None:
        key = (id(geometry.vertices), geometry.materials, geometry.face_materials)
        if key not in self._meshes:
            mesh, _ = new_mesh(name, geometry, self.unit)
            assert mesh is not None
            for appearance in geometry.materials:
                mesh.materials.append(self._material(appearance))
            self._meshes[key] = mesh
        return self._meshes[key]

    def _apply_material(self, obj: bpy.types.Object, shape: Shape) -> None:
        """Apply the shape's own material, which overrides those of its mesh.

        It is assigned to the object if the mesh is shared.
        """
        appearance = shape.material
        if appearance is None or appearance == Material():
            return
        if appearance.diffuse:
            obj.color = appearance.diffuse
        if not obj.data.materials:
            obj.data.materials.append(None)
        for slot in obj.material_slots:
            if obj.data.users > 1 or isinstance(shape.geometry, Mesh):
                slot.link = "OBJECT"
            slot.material = self._material(appearance)

    def _material(self, appearance: Material) -> bpy.types.Material | None:
        if appearance == Material():
            return None
        if appearance not in self._materials:
            if appearance.texture and not Path(appearance.texture).is_file():
                self.notes.append(f"the image '{appearance.texture}' is not found, so it is not shown")
            self._materials[appearance] = new_material(self.name, appearance)
        return self._materials[appearance]


def _layer_of(collection: bpy.types.Collection, above: bpy.types.LayerCollection) -> bpy.types.LayerCollection | None:
    if above.collection == collection:
        return above
    found = (_layer_of(collection, below) for below in above.children)
    return next((layer for layer in found if layer is not None), None)


def _pose(shape: Shape) -> Pose:
    """Return the pose of a shape's object. A plane's mesh lies in x and y, so its normal becomes part of the pose."""
    if isinstance(shape.geometry, Plane) and shape.geometry.normal != (0.0, 0.0, 1.0):
        return compose(shape.pose, (0.0, 0.0, 0.0, *quat_of_mat(z_to(shape.geometry.normal))))
    return shape.pose


def set_transform(obj: bpy.types.Object, pose: Pose) -> None:
    """Set location and rotation of the object relative to its parent [Blender units]."""
    obj.rotation_mode = "QUATERNION"
    obj.location = pose[:3]
    obj.rotation_quaternion = Quaternion(pose[3:])
