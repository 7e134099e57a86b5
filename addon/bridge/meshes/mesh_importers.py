# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's own importers of mesh files, and a process that runs them, so that a crash ends that process only.

OBJ, STL and PLY files are read without rotation, as is usual in robotics. glTF is Y up by its specification, and
COLLADA files name their up axis; Blender rotates both.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path

import bpy
from mathutils import Matrix

from ....core.mesh_files import MeshFileError
from ....core.processes.quiet import quiet
from .scratch_scene import all_data, remove_new, scratch_scene

MOST_MEMORY = 32 * 2**30
"""Largest address space of the process, on systems that can limit it [bytes]."""


def require_importer(path: Path) -> None:
    """Raise `MeshFileError` if this Blender has no importer for the type of a file."""
    suffix = path.suffix
    if suffix.lower() not in _IMPORTERS:
        raise MeshFileError(f"'{suffix}' files are not read; convert it to {', '.join(sorted(_IMPORTERS))}")
    if suffix.lower() == ".dae" and not can_read_collada():
        raise MeshFileError("this Blender reads no COLLADA; convert it to .glb or .obj, with Blender 4.5 for one")


def import_mesh(path: Path) -> bpy.types.Mesh:
    """Return the mesh in a file [m].

    Raises:
        MeshFileError: if it cannot be imported.
    """
    before = all_data()
    kept: set[bpy.types.ID] = set()
    try:
        with scratch_scene() as scene:
            try:
                with quiet():
                    _IMPORTERS[path.suffix.lower()](str(path))
            except (RuntimeError, AttributeError, OSError, ValueError) as error:  # from C and from scripts
                raise MeshFileError(f"Blender cannot read it: {_last_line(error)}") from error
            scene.view_layers[0].update()
            mesh = _joined(scene)
            kept.add(mesh)
    finally:
        remove_new(before, kept)
    return mesh


def serve() -> None:
    """Answer requests until stdin ends.

    Each line of stdin is a JSON list: a mesh file, and the .blend file to which its mesh is to be written. The answer
    is a JSON string on a line of stdout: empty if the mesh was written, else the reason why not.
    """
    _limit_memory()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # other output goes to stderr
        print(json.dumps("ready"), file=answers, flush=True)
        for line in sys.stdin:
            source, target = json.loads(line)
            print(json.dumps(_served(Path(source), target)), file=answers, flush=True)


def _served(source: Path, target: str) -> str:
    try:
        mesh = import_mesh(source)
    except MeshFileError as error:
        return str(error)
    except MemoryError:
        return "it takes more memory than there is; reduce it"
    except Exception as error:  # bad files make Blender's scripts raise anything
        return f"Blender cannot read it: {_last_line(error)}"
    bpy.data.libraries.write(target, {mesh}, path_remap="ABSOLUTE", fake_user=True)
    bpy.data.meshes.remove(mesh)
    return ""


def _limit_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows cannot limit it
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _last_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__


def _joined(scene: bpy.types.Scene) -> bpy.types.Mesh:
    """Return all meshes of a scene as one, in world axes.

    Raises:
        MeshFileError: if there are no faces.
    """
    objects = [obj for obj in scene.objects if obj.type == "MESH"]
    matrices = [obj.matrix_world.copy() for obj in objects]
    for obj, matrix in zip(objects, matrices, strict=True):
        if obj.data.users > 1:
            obj.data = obj.data.copy()
        obj.shape_key_clear()
        obj.data.transform(matrix)
        if matrix.determinant() < 0.0:
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


def can_read_collada() -> bool:
    return "collada_import" in dir(bpy.ops.wm)


def _collada(path: str) -> None:
    bpy.ops.wm.collada_import(filepath=path, import_units=False)


_IMPORTERS = {".obj": _obj, ".stl": _stl, ".ply": _ply, ".glb": _gltf, ".gltf": _gltf, ".dae": _collada}
