"""What meshes in files enclose, for models that are weighed by their shapes."""

from __future__ import annotations

from dataclasses import replace

import bmesh
import bpy
import numpy as np

from ...core.geometry import Mesh
from ...core.geometry.mass import MassProperties, mass_properties
from .mesh_files import MeshFiles
from .mesh_importers import MeshFileError
from .meshes import MeshData, data_of
from .scratch_scene import all_data, remove_new
from .solids import Solid, solid_of

SAME_PLACE = 1e-6
"""Part of a mesh's size within which corners are one: formats split them where normals or textures differ."""


class MeshWeights:
    """Reads each file once. Close it in the end, and nothing stays in the file that is open."""

    def __init__(self):
        self._before = all_data()
        self._files = MeshFiles(1.0)
        self._solids: dict[str, Solid] = {}

    def weigh(self, mesh: Mesh) -> tuple[MassProperties, tuple[str, ...]]:
        """What the mesh in a file encloses, at its scale, and what had to be assumed. Raises ValueError."""
        if mesh.path not in self._solids:
            try:
                self._solids[mesh.path] = solid_of(_welded(self._files.mesh(mesh.path, mesh.within)))
            except MeshFileError as error:
                raise ValueError(f"the mesh '{mesh.uri}': {error}") from error
        solid = self._solids[mesh.path]
        if not len(solid.triangles):
            raise ValueError(f"the mesh '{mesh.uri}' is flat")
        triangles = solid.triangles * mesh.scale
        if np.prod(mesh.scale) < 0.0:
            triangles = triangles[:, ::-1]
        return mass_properties(triangles), tuple(remark.format(mesh.uri) for remark in solid.remarks)

    def close(self) -> None:
        self._files.close()
        remove_new(self._before, set())


def _welded(mesh: bpy.types.Mesh) -> MeshData:
    points = data_of(mesh).vertices
    size = float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    welded = bmesh.new()
    try:
        welded.from_mesh(mesh)
        bmesh.ops.remove_doubles(welded, verts=welded.verts[:], dist=SAME_PLACE * size)
        welded.to_mesh(mesh)
    finally:
        welded.free()
    return replace(data_of(mesh), uvs=None)
