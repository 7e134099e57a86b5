# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape that gives a bone its form if no object hangs on it, or if it was fitted to meshes: a capsule, box or hull.

Its measures are settings of the bone, relative to the bone's length, so that they need no object, and come along when
an armature is appended, copied or scaled. `bone_capsules` has the capsule, which also stands for a hull that is empty.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import bpy
import numpy as np

from ....core.collision.hulls import HullError, convex_hull
from ....core.geometry import Box, Capsule, Mesh
from ....core.geometry.mass import MassProperties
from ....core.geometry.shape_mass import solid_properties
from ....core.spatial import IDENTITY, Pose, quat_of_rpy, quat_rotate, quat_to_mat
from ....core.spatial.arrays import matmul
from ...nodes import Node, is_part
from ...props.settings import link_settings
from ..values.numbers import shortest, shortest_vec3
from .bone_capsules import BoneCapsule, capsule_of, length_of, solid_of_capsule

KEPT_HULLS = 512
"""Number of hulls whose faces are kept in memory: those of some twenty characters."""

CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
"""The corners of a box whose sizes are 2, shape (8, 3)."""

BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
"""Indices of the corners around each face of a box, counterclockwise as seen from outside."""


@dataclass(frozen=True)
class BoneShape:
    """The shape of a bone.

    Attributes:
        geometry: [m]. A hull is a mesh.
        pose: in the bone's frame [m].
    """

    geometry: Box | Capsule | Mesh
    pose: Pose

    @property
    def capsule(self) -> BoneCapsule | None:
        """The shape as a capsule; None if it is a box or a hull."""
        return BoneCapsule(self.geometry, self.pose) if isinstance(self.geometry, Capsule) else None

    def polyhedron(self) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
        """Return the corners of a box or hull in the frame of the bone, shape (n, 3) [m], and its faces.

        Faces list their corners counterclockwise as seen from outside.

        Raises:
            TypeError: if the shape is a capsule.
        """
        if isinstance(self.geometry, Box):
            points, faces = 0.5 * CORNERS * np.array(self.geometry.size), BOX_FACES
        elif isinstance(self.geometry, Mesh) and self.geometry.vertices is not None:
            points, faces = self.geometry.vertices, self.geometry.faces
        else:
            raise TypeError(f"{type(self.geometry).__name__} is no polyhedron")
        turn = np.array(quat_to_mat(self.pose[3:])).reshape(3, 3)
        return matmul(points, turn.T) + np.array(self.pose[:3]), faces


def shape_of(link: Node, unit: float) -> BoneShape | None:
    """Return the shape of a bone; None for a node of another kind.

    Args:
        unit: length of a Blender unit [m].
    """
    if not is_part(link):
        return None
    shape = link_settings(link).bone_shape
    found = _box_of(link, unit) if shape == "BOX" else _hull_of(link, unit) if shape == "HULL" else None
    if found is not None:
        return found
    capsule = capsule_of(link, unit)
    assert capsule is not None  # every bone has one
    return BoneShape(capsule.geometry, capsule.pose)


def _box_of(bone: bpy.types.PoseBone, unit: float) -> BoneShape:
    settings, length = link_settings(bone), length_of(bone) * unit
    turn = quat_of_rpy(*shortest_vec3(settings.box_turn))
    x, y, z = (shortest(part) * length for part in settings.box_size)
    a, b, c = (shortest(part) * length for part in settings.box_center)
    return BoneShape(Box((x, y, z)), (*quat_rotate(turn, (a, b, c)), *turn))


def _hull_of(bone: bpy.types.PoseBone, unit: float) -> BoneShape | None:
    found = _parsed_hull(link_settings(bone).bone_hull)
    if found is None:
        return None
    vertices, faces = found
    return BoneShape(Mesh(vertices=vertices * (length_of(bone) * unit), faces=faces), IDENTITY)


@lru_cache(maxsize=KEPT_HULLS)
def _parsed_hull(text: str) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]] | None:
    """Return the vertices of a stored hull, shape (n, 3), and its faces; None if it is empty, flat or no numbers."""
    try:
        numbers = np.array(text.split(), dtype=np.float64)
        hull = convex_hull(numbers.reshape(-1, 3)) if len(numbers) else None
    except (ValueError, HullError):  # a text that someone has typed
        return None
    if hull is None or len(hull.faces) < 4:
        return None
    hull.vertices.flags.writeable = False  # meshes of several readings share it
    return hull.vertices, hull.faces


def text_of_points(points: np.ndarray, digits: int) -> str:
    """Return points, shape (n, 3), as the setting of a hull stores them."""
    return " ".join(f"{number:g}" for number in (np.round(points, digits) + 0.0).ravel().tolist())


def mirrored_hull(text: str) -> str:
    """Return the stored hull of the bone on the other side, whose x axis points the other way."""
    numbers = text.split()
    return " ".join(_negated(number) if not index % 3 else number for index, number in enumerate(numbers))


def _negated(number: str) -> str:
    return number.removeprefix("-") if number.startswith("-") or number == "0" else f"-{number}"


def collision_name(link: Node) -> str:
    """Return the name that the shape of a bone has among the collisions of its link."""
    return f"{link.name}_collision"


def solid_of_shape(shape: BoneShape) -> MassProperties:
    """Return the mass properties of the shape in the bone's axes."""
    if shape.capsule is not None:
        return solid_of_capsule(shape.capsule)
    found = solid_properties(shape.geometry)
    assert found is not None  # a box or a hull encloses a volume
    turn = np.array(quat_to_mat(shape.pose[3:])).reshape(3, 3)
    com = matmul(turn, found.com) + np.array(shape.pose[:3])
    return MassProperties(found.volume, com, matmul(matmul(turn, found.inertia), turn.T))
