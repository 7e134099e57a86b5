"""Mesh files, read by Blender's own importers: each file once, as one mesh in its own axes, with Z up.

OBJ, STL and PLY are taken as they are, which is what robotics means by them. glTF is Y up by its specification, and
COLLADA says which axis is up in the file: Blender turns both.
"""

from __future__ import annotations

from pathlib import Path

import bpy
from mathutils import Matrix

from ..quiet import quiet
from .scratch_scene import all_data, remove_new, scratch_scene


class MeshFileError(Exception):
    """A mesh file that cannot be shown; the message says why and what to do."""


class MeshFiles:
    """unit: metres in a Blender unit."""

    def __init__(self, unit: float):
        self.unit = unit
        self._known: dict[Path, bpy.types.Mesh | MeshFileError] = {}

    def mesh(self, path: str) -> bpy.types.Mesh:
        """The mesh in a file, which everybody who asks for it shares. Raises MeshFileError."""
        place = Path(path).resolve()
        if place not in self._known:
            try:
                self._known[place] = _read(place, self.unit)
            except MeshFileError as error:
                self._known[place] = error
        found = self._known[place]
        if isinstance(found, MeshFileError):
            raise found
        return found


def _read(path: Path, unit: float) -> bpy.types.Mesh:
    importer = _IMPORTERS.get(path.suffix.lower())
    if importer is None:
        raise MeshFileError(f"'{path.suffix}' files are not read; convert it to {', '.join(sorted(_IMPORTERS))}")
    before = all_data()
    kept: set[bpy.types.ID] = set()
    try:
        with scratch_scene() as scene:
            try:
                with quiet():
                    importer(str(path))
            except (RuntimeError, AttributeError, OSError, ValueError) as error:  # of Blender's own and of its scripts
                raise MeshFileError(f"Blender cannot read it: {_last_line(error)}") from error
            scene.view_layers[0].update()
            mesh = _joined(scene)
            mesh.transform(Matrix.Scale(1.0 / unit, 4))
            mesh.name = path.stem
            kept.add(mesh)
    finally:
        remove_new(before, kept)
    return mesh


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


def _joined(scene: bpy.types.Scene) -> bpy.types.Mesh:
    """All the meshes of a scene as one, in the world's axes."""
    objects = [obj for obj in scene.objects if obj.type == "MESH"]
    places = [obj.matrix_world.copy() for obj in objects]
    for obj, place in zip(objects, places, strict=True):
        if obj.data.users > 1:
            obj.data = obj.data.copy()
        obj.shape_key_clear()
        obj.data.transform(place)
        if place.determinant() < 0.0:
            obj.data.flip_normals()
        obj.parent = None
        obj.modifiers.clear()
        obj.matrix_world = Matrix.Identity(4)
    filled = [obj for obj in objects if len(obj.data.polygons)]
    if not filled:
        raise MeshFileError("it has no faces; export it again, with the mesh")
    if len(filled) > 1:
        with bpy.context.temp_override(
            active_object=filled[0], object=filled[0], selected_objects=filled, selected_editable_objects=filled
        ):
            bpy.ops.object.join()
    mesh = filled[0].data
    assert isinstance(mesh, bpy.types.Mesh)
    return mesh


def _obj(path: str) -> None:
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z", use_split_objects=False, validate_meshes=True)


def _stl(path: str) -> None:
    bpy.ops.wm.stl_import(filepath=path, forward_axis="Y", up_axis="Z", use_scene_unit=False, use_mesh_validate=True)


def _ply(path: str) -> None:
    bpy.ops.wm.ply_import(filepath=path, forward_axis="Y", up_axis="Z", use_scene_unit=False)


def _gltf(path: str) -> None:
    bpy.ops.import_scene.gltf(filepath=path, import_select_created_objects=False)


def _can_read_collada() -> bool:
    return "collada_import" in dir(bpy.ops.wm)


def _collada(path: str) -> None:
    if not _can_read_collada():
        raise MeshFileError("this Blender reads no COLLADA; convert it to .glb or .obj, with Blender 4.5 for one")
    bpy.ops.wm.collada_import(filepath=path, import_units=False)


_IMPORTERS = {".obj": _obj, ".stl": _stl, ".ply": _ply, ".glb": _gltf, ".gltf": _gltf, ".dae": _collada}
