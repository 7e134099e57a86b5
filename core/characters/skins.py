# SPDX-License-Identifier: GPL-3.0-or-later
"""Skinned meshes: a skeleton that moves, and the meshes whose points follow its bones by weights.

Points follow by linear blend skinning, as UsdSkel's `classicLinear` and Blender's Armature modifier without *Preserve
Volume* compute it: a point is the weighted mean of where each of its bones would carry it. Source: Kavan, "Skinning:
Real-time Shape Deformation", SIGGRAPH Course Notes (2014), section 1.2.

Matrices multiply columns from the left, and their last column is the translation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..spatial.arrays import inverse, matmul, matvec

REPORTED_DISTANCE = 1e-4
"""Distance of a point of a skin from its exact place that is reported [m]: the accuracy of exports."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A hierarchy of n bones, and its motion in F frames.

    Attributes:
        name: of the skeleton.
        bones: names of the bones, each after its parent.
        parents: number of each bone's parent; -1 for a bone without one.
        bind: poses X_SB of the bones to which meshes were bound, in the space S of the skeleton [m], shape (n, 4, 4).
        poses: poses X_SB of the bones in each frame, which may have scale and shear [m], shape (F, n, 4, 4).
        places: transforms X_WS of the skeleton's space in each frame, which may have scale and shear [m], shape
            (F, 4, 4).
    """

    name: str
    bones: tuple[str, ...]
    parents: tuple[int, ...]
    bind: np.ndarray
    poses: np.ndarray
    places: np.ndarray


@dataclass(frozen=True, eq=False)
class Skin:
    """A mesh of p points whose points follow up to k bones each.

    Attributes:
        name: of the mesh.
        points: in the axes of the mesh [m], shape (p, 3).
        face_sizes: number of corners of each face, shape (f,).
        corners: point at each corner of each face, one face after another, shape (c,).
        place: transform X_SM from the axes of the mesh to the skeleton's space when it was bound [m], shape (4, 4).
        bones: numbers of the bones that each point follows, the strongest first, shape (p, k). Unused entries are 0.
        weights: of these bones, not negative, with a sum of at most 1 for each point, shape (p, k). The rest
            to 1 keeps the point where it is in the skeleton's space.
        uvs: texture coordinates of each corner, shape (c, 2); None without any.
        color: diffuse colour, red, green and blue; None without one.
    """

    name: str
    points: np.ndarray
    face_sizes: np.ndarray
    corners: np.ndarray
    place: np.ndarray
    bones: np.ndarray
    weights: np.ndarray
    uvs: np.ndarray | None = None
    color: tuple[float, float, float] | None = None

    @property
    def remainders(self) -> np.ndarray:
        """The difference between 1 and the sum of the weights of each point, shape (p,); 0 where the sum exceeds 1."""
        return np.maximum(0.0, 1.0 - self.weights.sum(axis=1))

    def points_at(self, bind: np.ndarray, poses: np.ndarray) -> np.ndarray:
        """Return the points in the skeleton's space for poses of its bones [m], shape (p, 3).

        Args:
            bind, poses: of the bones when the mesh was bound, and for the result, shape (n, 4, 4).
        """
        moves = matmul(poses, inverse(bind))
        bound = transformed(self.place, self.points)
        found = self.remainders[:, None] * bound
        for bones, weights in zip(self.bones.T, self.weights.T, strict=True):
            carried = matvec(moves[bones, :3, :3], bound) + moves[bones, :3, 3]
            found += weights[:, None] * carried
        return found


@dataclass(frozen=True, eq=False)
class Character:
    """A skeleton and the meshes that follow it."""

    skeleton: Skeleton
    skins: tuple[Skin, ...]


def transformed(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return points, shape (p, 3), moved by an affine matrix, shape (4, 4)."""
    return matmul(points, matrix[:3, :3].T) + matrix[:3, 3]


def influences(count: int, points: np.ndarray, bones: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return `Skin.bones` and `Skin.weights` of a mesh.

    Args:
        count: number of points of the mesh.
        points, bones, weights: one entry for each bone that a point follows, in any order, shape (n,) each.
    """
    order = np.lexsort((bones, -weights, points))
    sizes = np.bincount(points, minlength=count)
    ranks = np.arange(len(points)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    shape = count, max(1, int(sizes.max(initial=0)))
    found, strengths = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    found[points[order], ranks] = bones[order]
    strengths[points[order], ranks] = weights[order]
    return found, strengths
