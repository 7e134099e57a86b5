# SPDX-License-Identifier: GPL-3.0-or-later
"""Write a mesh as a binary glTF file by Blender's own exporter.

glTF is Y up by its specification, and every reader turns it back. So the exporter turns the mesh (`export_yup`), and
readers see it with Z up again.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ....core.model import ModelError
from ....core.processes.quiet import quiet
from ....core.spatial.arrays import det
from ..meshes.meshes import MeshData
from ..meshes.scratch_scene import scratch_scene
from .parts import EvaluatedScene, Source

NAME = "mesh"


def glb_of(source: Source, linear: np.ndarray, evaluated_scene: EvaluatedScene) -> bytes:
    """Return the source's mesh as the bytes of a .glb file.

    Args:
        linear: matrix that multiplies the vertices, shape (3, 3); it may be a reflection.

    Raises:
        ModelError: if Blender's glTF exporter is disabled or fails.
    """
    mesh = _mesh_of(source, evaluated_scene)
    try:
        mesh.transform(Matrix(linear.tolist()).to_4x4())
        if det(linear) < 0.0:
            mesh.flip_normals()
        return _exported(mesh)
    finally:
        bpy.data.meshes.remove(mesh)


def _mesh_of(source: Source, evaluated_scene: EvaluatedScene) -> bpy.types.Mesh:
    if source.obj is not None:
        evaluated = source.obj.evaluated_get(evaluated_scene.depsgraph)
        mesh = bpy.data.meshes.new_from_object(
            evaluated, preserve_all_data_layers=True, depsgraph=evaluated_scene.depsgraph
        )
    else:
        mesh = _from_arrays(source.data)
    mesh.materials.clear()
    for material in source.materials:
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", source.data.slots)
    return mesh


def _from_arrays(data: MeshData) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(NAME)
    mesh.from_pydata(data.vertices.tolist(), [], data.faces)
    if data.uvs is not None:
        mesh.uv_layers.new().uv.foreach_set("vector", data.uvs.astype(np.float32).ravel())
    return mesh


def _exported(mesh: bpy.types.Mesh) -> bytes:
    with scratch_scene() as scene, tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
        obj = bpy.data.objects.new(NAME, mesh)
        scene.collection.objects.link(obj)
        layer = scene.view_layers[0]
        layer.update()
        obj.select_set(True, view_layer=layer)
        path = Path(folder) / f"{NAME}.glb"
        try:
            with quiet():
                bpy.ops.export_scene.gltf(
                    filepath=str(path),
                    export_format="GLB",
                    use_selection=True,
                    use_active_scene=True,
                    export_yup=True,
                    export_apply=False,
                    export_animations=False,
                    export_cameras=False,
                    export_lights=False,
                )
            return path.read_bytes()
        except (AttributeError, RuntimeError, OSError) as error:
            raise ModelError(
                f"Blender's glTF exporter cannot write the mesh: {str(error).strip()}; switch the add-on 'glTF 2.0 "
                "format' on, or export the meshes as OBJ"
            ) from error
