# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh assets: files or inline vertices, with the scale and the frame that the asset gives them.

Source: MuJoCo documentation, XML Reference, "asset/mesh".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ....collision.hulls import HullError, convex_hull
from ....files.resources import ResourceError
from ....files.xml import Element
from ....geometry import Mesh
from ....geometry.mesh_data import mesh_triangles
from ....mesh_files import MeshFileError, read_parts
from ....spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, Vec3, inverse, quat_to_mat
from ....spatial.arrays import matmul
from ...findings import Findings, numbers_in
from ..model_file import ModelFile, asset_uri
from ..poses import quat_of
from ..settings import word
from .builtin_meshes import BUILTIN_MESHES, make_builtin
from .obj_polygons import cut_as_mujoco
from .solids import MESH_MODES, MeshProperties, mesh_solid

ONES: Vec3 = (1.0, 1.0, 1.0)

LEAST_CORNERS = 4
"""Least number of vertices of a mesh in MuJoCo: those of a tetrahedron."""


@dataclass(eq=False)
class MeshAsset:
    """A mesh asset, as geoms use it.

    Attributes:
        geometry: the mesh in its own frame.
        pose: of that frame in the frame of a geom that uses the mesh [m].
        mode: how its inertia is computed, one of `MESH_MODES`.
        problem: why it has no data; "" if it has.
    """

    geometry: Mesh
    pose: Pose = IDENTITY
    mode: str = MESH_MODES[0]
    problem: str = ""

    @cached_property
    def surface(self) -> tuple[np.ndarray, np.ndarray]:
        """Vertices in the frame of a geom, shape (n, 3) [m], and triangles, shape (t, 3).

        Vertices have single precision before the scale, as in MuJoCo, so that masses are the same.

        Raises:
            MeshFileError: if the file cannot be used.
        """
        vertices, triangles = self._unscaled()
        vertices = vertices.astype(np.float32).astype(np.float64) * np.array(self.geometry.scale)
        if math.prod(self.geometry.scale) < 0.0:
            triangles = triangles[:, ::-1]
        if self.pose != IDENTITY:
            R = np.array(quat_to_mat(self.pose[3:])).reshape(3, 3)
            vertices = matmul(vertices, R.T) + np.array(self.pose[:3])
        return vertices, triangles

    def _unscaled(self) -> tuple[np.ndarray, np.ndarray]:
        """Return vertices and triangles of the file: of an OBJ those of its first part, as MuJoCo reads it."""
        if self.geometry.path.lower().endswith(".obj"):
            first = read_parts(self.geometry.path, self.geometry.within)[0]
            triangles = cut_as_mujoco(*first.polygons, first.vertices) if first.polygons else first.triangles
            return first.vertices, triangles
        return mesh_triangles(replace(self.geometry, scale=ONES))

    @cached_property
    def solid(self) -> MeshProperties:
        """Mass properties per unit of density, in the frame of a geom.

        Raises:
            ValueError: if the mesh has no volume or no data. (`MeshFileError` is one.)
        """
        if self.problem:
            raise ValueError(self.problem)
        return mesh_solid(*self.surface, self.mode)


class MeshAssets:
    """Reads the mesh assets that geoms use, each once."""

    def __init__(self, findings: Findings):
        self.findings = findings
        self._read: dict[Element, MeshAsset] = {}

    def find(self, name: str, at: Element, file: ModelFile) -> MeshAsset | None:
        """Return a mesh asset by its name; None after an error was reported."""
        element = file.asset("mesh", name)
        if element is None:
            message = f"its mesh '{name}' is not among the assets; add a <mesh> to <asset>, or name another"
            self.findings.error(at, "unknown-mesh", message)
            return None
        if element not in self._read:
            self._read[element] = self._open(element, file)
        return self._read[element]

    def _open(self, element: Element, file: ModelFile) -> MeshAsset:
        findings = self.findings
        scale = findings.attribute_vector(element, "scale", ONES)
        if not all(scale):
            findings.error(element, "bad-number", f"its scale is '{element.attributes['scale']}'; no factor may be 0")
            scale = ONES
        mode = word(element, "inertia", {name: name for name in MESH_MODES}, MESH_MODES[0], findings)
        if (kind := BUILTIN_MESHES.get(element.attributes.get("builtin", ""))) and kind.is_shell:
            mode = "shell"
        mesh, problem = self._data(element, file, scale)
        refpos = findings.attribute_vector(element, "refpos", ZERO)
        refquat = quat_of(element, "refquat", findings)
        if refpos == ZERO and refquat == IDENTITY_QUAT:
            return MeshAsset(mesh, IDENTITY, mode, problem)
        X_MA = inverse(refpos + refquat)  # the mesh's frame in that of the asset, before the scale
        if refquat == IDENTITY_QUAT or scale[0] == scale[1] == scale[2] > 0.0:
            x, y, z = (part * factor for part, factor in zip(X_MA[:3], scale, strict=True))
            return MeshAsset(mesh, (x, y, z, *X_MA[3:]), mode, problem)
        try:  # it is turned and then scaled differently along its axes, which only its vertices can express
            vertices, triangles = MeshAsset(replace(mesh, scale=ONES), X_MA).surface
        except MeshFileError as error:
            return MeshAsset(mesh, IDENTITY, mode, problem or str(error))
        faces = tuple(map(tuple, triangles.tolist()))
        return MeshAsset(Mesh(scale=scale, vertices=vertices, faces=faces), IDENTITY, mode, problem)

    def _data(self, element: Element, file: ModelFile, scale: Vec3) -> tuple[Mesh, str]:
        """Return the mesh of an asset in its own frame, and why it has no data, or ""."""
        if "vertex" in element.attributes:
            return self._inline(element, scale)
        if "builtin" in element.attributes:
            return self._builtin(element, scale)
        if not element.attributes.get("file"):
            problem = f"the mesh '{element.name}' has neither a file nor vertices"
            self.findings.warning(element, "mesh-not-read", f"{problem}; give its file")
            return Mesh(scale=scale), problem
        uri = asset_uri(element, file.settings.meshdir, file.settings)
        files = file.document.files
        try:
            return Mesh(uri, scale, str(files.find(uri)), files.resources.reach), ""
        except ResourceError as error:
            self.findings.note(f"the mesh {error} (line {element.line})", once=uri)
            return Mesh(uri, scale), f"the mesh {error}"

    def _inline(self, element: Element, scale: Vec3) -> tuple[Mesh, str]:
        numbers = numbers_in(element.attributes["vertex"])
        corners = numbers_in(element.attributes.get("face", ""))
        count = len(numbers) // 3
        if count < LEAST_CORNERS or len(numbers) % 3 or len(corners) % 3 or not all(map(math.isfinite, numbers)):
            message = "vertex and face take three numbers for each vertex, 4 or more, and each triangle; correct them"
            self.findings.error(element, "bad-number", message)
            return Mesh(scale=scale), message
        if any(not 0 <= corner < count or corner % 1 for corner in corners):
            message = f"a number in face is none of its {count} vertices; give 0 to {count - 1}"
            self.findings.error(element, "bad-number", message)
            return Mesh(scale=scale), message
        vertices = np.array(numbers).reshape(-1, 3)
        if corners:
            triangles = np.array(corners, np.int64).reshape(-1, 3).tolist()
            return Mesh(scale=scale, vertices=vertices, faces=tuple(map(tuple, triangles))), ""
        return self._hull(element, vertices, scale)

    def _builtin(self, element: Element, scale: Vec3) -> tuple[Mesh, str]:
        """Return a mesh that MuJoCo makes."""
        name = element.attributes["builtin"].strip()
        kind = BUILTIN_MESHES.get(name)
        if kind is None:
            problem = f"the mesh '{element.name}' is one that MuJoCo makes ({name}), and is not read"
            self.findings.warning(element, "mesh-not-read", f"{problem}; give its file")
            return Mesh(scale=scale), problem
        try:
            vertices, triangles = make_builtin(kind, numbers_in(element.attributes.get("params", "")))
        except ValueError as error:
            message = f"its builtin {name} cannot be made: {error}"
            self.findings.error(element, "bad-number", message)
            return Mesh(scale=scale), message
        vertices = vertices.astype(np.float64)
        if not len(triangles):
            return self._hull(element, vertices, scale)
        return Mesh(scale=scale, vertices=vertices, faces=tuple(map(tuple, triangles.tolist()))), ""

    def _hull(self, element: Element, vertices: np.ndarray, scale: Vec3) -> tuple[Mesh, str]:
        """Return the convex hull of vertices, shape (n, 3) [m]."""
        try:
            hull = convex_hull(vertices)
        except HullError as error:
            self.findings.error(element, "bad-mesh", f"its vertices have no hull: {error}; give its faces")
            return Mesh(scale=scale), str(error)
        return Mesh(scale=scale, vertices=hull.vertices, faces=hull.faces), ""
