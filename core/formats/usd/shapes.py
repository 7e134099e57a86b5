# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry of prims as visuals and collisions of links.

Source: OpenUSD documentation, UsdGeom; "Rigid Body Physics in USD", sections "Collision Shapes" and "Mesh Merging"; for
scaled primitives, ParseSphereShape and the functions beside it in usdPhysics/parseUtils.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from ...geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Geometry, Mesh, Plane, Shape, Sphere
from ...spatial import IDENTITY_QUAT, Pose, Quat, Vec3, quat_mul, quat_rotate, quat_to_mat
from ...spatial.arrays import det, matmul
from ...spatial.arrays import norm as norms
from ..findings import Findings
from .materials import color_of, surface_of
from .stage import Stage, rotation_of

HALF = 0.5**0.5
ALONG: dict[str, Quat] = {"X": (HALF, 0.0, HALF, 0.0), "Y": (HALF, -HALF, 0.0, 0.0), "Z": IDENTITY_QUAT}
"""Rotations that take z to an axis of a prim."""

COLUMNS = {"X": 0, "Y": 1, "Z": 2}

ROUND = ("Capsule", "Capsule_1", "Cylinder", "Cylinder_1", "Cone")
"""Types of prims that have an axis, a radius and a height."""

PRIMITIVES = ("Cube", "Sphere", "Plane", *ROUND)
"""Types of prims that are primitives here too."""

BOUNDS = ("boundingCube", "boundingSphere")
"""Approximations of meshes that are primitives."""

DRAWN = (10.0, 10.0)
"""Size of the rectangle of an infinite plane that is drawn [m]."""


class ShapeReader:
    """Reads the geometry of prims."""

    def __init__(self, stage: Stage, findings: Findings):
        self._stage, self._findings = stage, findings

    def is_shape(self, prim: Any) -> bool:
        """Return whether a prim has a geometry that is read."""
        return str(prim.GetTypeName()) in (*PRIMITIVES, "Mesh")

    def visual(self, prim: Any, name: str, X_LW: Pose) -> Shape | None:
        """Return a prim as a visual, or None. X_LW: pose of the world in the link."""
        geometry, pose = self._geometry(prim, X_LW)
        return Shape(name, geometry, pose, color_of(self._stage, prim, self._findings)) if geometry else None

    def collision(self, prim: Any, name: str, X_LW: Pose) -> Shape | None:
        """Return a prim as a collision, or None. X_LW: pose of the world in the link."""
        geometry, pose = self._geometry(prim, X_LW)
        if not geometry:
            return None
        if isinstance(geometry, Mesh):
            geometry, pose = self._approximated(prim, geometry, pose)
        return Shape(name, geometry, pose, surface=surface_of(self._stage, prim, self._findings))

    def _geometry(self, prim: Any, X_LW: Pose) -> tuple[Geometry | None, Pose]:
        """Return a geometry and its pose in the link."""
        linear, origin = self._stage.matrix(prim)
        turn = np.array(quat_to_mat(X_LW[3:])).reshape(3, 3)
        linear = matmul(turn, linear)
        at = cast(Vec3, tuple((matmul(turn, origin[:, None])[:, 0] + X_LW[:3]).tolist()))
        kind = str(prim.GetTypeName())
        axis = self._stage.word(prim, "axis", "Z")
        rotation, scales = rotation_of(_unmirrored(linear, axis)), norms(linear.T)
        if kind == "Mesh":
            return self._mesh(prim, linear, rotation), (*at, *rotation)
        if kind in ROUND:
            return self._round(prim, kind, axis, scales), (*at, *quat_mul(rotation, ALONG.get(axis, IDENTITY_QUAT)))
        if kind == "Cube":
            size = self._stage.number(prim, "size", 2.0, infinite=False)
            return Box(cast(Vec3, tuple((size * scales).tolist()))), (*at, *rotation)
        if kind == "Sphere":
            return self._sphere(prim, scales), (*at, *rotation)
        return Plane(size=DRAWN), (*at, *quat_mul(rotation, ALONG.get(axis, IDENTITY_QUAT)))

    def _sphere(self, prim: Any, scales: np.ndarray) -> Geometry:
        radii = (self._stage.number(prim, "radius", 1.0, infinite=False) * scales).tolist()
        is_round = max(radii) - min(radii) <= 1e-5 * max(radii)
        return Sphere(max(radii)) if is_round else Ellipsoid(cast(Vec3, tuple(radii)))

    def _round(self, prim: Any, kind: str, axis: str, scales: np.ndarray) -> Geometry:
        """Return a capsule, cylinder or cone. A round end that is scaled unevenly has the larger radius."""
        along = COLUMNS.get(axis, 2)
        across = max(scales[number].item() for number in range(3) if number != along)
        if kind.endswith("_1"):
            top, bottom = (self._stage.number(prim, name, 0.5) for name in ("radiusTop", "radiusBottom"))
            if top != bottom:
                message = f"its radii {top:g} and {bottom:g} differ; the larger one counts at both ends"
                self._findings.warning(self._stage.place(prim), "approximated", message)
            radius = max(top, bottom)
        else:
            radius = self._stage.number(prim, "radius", 0.5 if kind == "Capsule" else 1.0, infinite=False)
        usual = 1.0 if kind.startswith("Capsule") else 2.0
        height = self._stage.number(prim, "height", usual, infinite=False) * scales[along].item()
        made = {"Capsule": Capsule, "Cylinder": Cylinder, "Cone": Cone}[kind.removesuffix("_1")]
        return made(radius * across, height)

    def _mesh(self, prim: Any, linear: np.ndarray, rotation: Quat) -> Mesh | None:
        """Return a mesh in axes of the given rotation in the link, in which its box is taken, too."""
        points, counts, indices = (
            self._stage.raw(prim, name) for name in ("points", "faceVertexCounts", "faceVertexIndices")
        )
        if not points or not counts or not indices:
            self._findings.warning(self._stage.place(prim), "empty-mesh", "its mesh has no points or faces; left out")
            return None
        vertices, numbers = np.array(points, dtype=float), np.array(indices, dtype=int)
        sizes = np.array(counts, dtype=int)
        ends = np.cumsum(sizes)
        if sizes.min() < 0 or ends[-1] != len(numbers) or numbers.min() < 0 or numbers.max() >= len(vertices):
            message = "its faces name points that the mesh does not have; left out"
            self._findings.error(self._stage.place(prim), "bad-mesh", message)
            return None
        if not np.isfinite(vertices).all():
            self._findings.error(self._stage.place(prim), "bad-number", "points has numbers that are not finite")
            return None
        is_turned = (self._stage.word(prim, "orientation", "rightHanded") == "leftHanded") != (det(linear) < 0.0)
        faces = _faces(numbers, ends, is_turned)
        if not faces:
            self._findings.warning(self._stage.place(prim), "empty-mesh", "its faces have no three corners; left out")
            return None
        turn = np.array(quat_to_mat(rotation)).reshape(3, 3)
        return Mesh(vertices=matmul(vertices, matmul(linear.T, turn)), faces=faces)

    def _approximated(self, prim: Any, mesh: Mesh, pose: Pose) -> tuple[Geometry, Pose]:
        """Return the geometry of a collision mesh: a primitive around it if its approximation asks for one."""
        kind = self._stage.word(prim, "physics:approximation", "none")
        if kind not in BOUNDS:
            return mesh, pose
        assert mesh.vertices is not None
        low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
        middle = cast(Vec3, tuple((0.5 * (low + high)).tolist()))
        at = tuple(np.add(pose[:3], quat_rotate(pose[3:], middle)).tolist())
        bound = (*cast(Vec3, at), *pose[3:])
        if kind == "boundingCube":
            return Box(cast(Vec3, tuple((high - low).tolist()))), bound
        return Sphere(norms(mesh.vertices - middle).max().item()), bound


def _unmirrored(linear: np.ndarray, axis: str) -> np.ndarray:
    """Return a linear map that mirrors without its mirroring, which is put into a direction across an axis.

    A primitive is the same with this direction reversed, while its tip or normal along the axis stays.
    """
    signs = np.ones(3)
    if det(linear) < 0.0:
        signs[0 if axis != "X" else 1] = -1.0
    return linear * signs


def _faces(numbers: np.ndarray, ends: np.ndarray, is_turned: bool) -> tuple[tuple[int, ...], ...]:
    """Return point numbers of each face with at least three corners; reversed if `is_turned`."""
    flat, found, start = numbers.tolist(), [], 0
    for end in ends.tolist():
        face: Sequence[int] = flat[start:end]
        if len(face) >= 3:
            found.append(tuple(reversed(face)) if is_turned else tuple(face))
        start = end
    return tuple(found)
