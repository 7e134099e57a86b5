# SPDX-License-Identifier: GPL-3.0-or-later
"""Skinned characters as prims of UsdSkel.

Source: OpenUSD documentation, "UsdSkel: Schemas In-Depth". Matrices of USD are multiplied by rows from the left, so
they are the transposes of ours.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....characters.skins import REPORTED_DISTANCE, Character, Skeleton, Skin, transformed
from ....model.naming import claim
from ....spatial import quat_of_mat, quat_to_mat
from ....spatial.arrays import det, inverse, matmul, nearest_rotation, norm
from .motion import continuous
from .usda import Prim, Value, identifier

LEAST_SCALE = 2.0**-14
"""Smallest scale of a bone that is written: the smallest normal number of UsdSkel's half floats. A bone that is scaled
to 0 gets this scale, because the poses of the bones below it need an inverse."""

SAME_SCALE = 1e-6
"""Largest difference of a scale from 1 that counts as none: the rounding errors of Blender's single floats."""


class CharacterWriter:
    """Writes skinned characters.

    Attributes:
        losses: lines about what UsdSkel cannot express.
    """

    def __init__(self, root: Prim, codes: Sequence[float]):
        """Begin without characters.

        Args:
            root: the prim that holds the characters, in the world's axes.
            codes: the time code of each frame.
        """
        self._root, self._codes = root, codes
        self.losses: list[str] = []

    def write(self, character: Character) -> None:
        """Write a skeleton, its motion and its skins.

        The prim that holds them has the transform of the skeleton's space, so that all of them inherit it.

        Raises:
            ValueError: if the skeleton does not have a pose and a place for each frame of the motion.
        """
        skeleton = character.skeleton
        for what, given in (("poses", skeleton.poses), ("places", skeleton.places)):
            if len(given) != len(self._codes):
                found = f"has {len(given)} {what}, and the motion has {len(self._codes)} frames"
                raise ValueError(f"the skeleton '{skeleton.name}' {found}; give one for each frame")
        holder = Prim("SkelRoot", skeleton.name, self._root)
        places = {code: matrix_text(X_WS) for code, X_WS in zip(self._codes, skeleton.places, strict=True)}
        holder.animate("matrix4d", "xformOp:transform", places)
        holder.set("uniform token[]", "xformOpOrder", ["xformOp:transform"])
        joints = joint_paths(skeleton)
        still = len(joints)
        if any(skin.remainders.any() for skin in character.skins):
            joints.append(claim(identifier(skeleton.name), set(joints)))
        written = WrittenPoses(skeleton)
        prim = self._skeleton(holder, skeleton, written, joints)
        prim.relate("skel:animationSource", self._animation(holder, written, joints))
        boxes = np.full((len(self._codes), 2, 3), (3 * (np.inf,), 3 * (-np.inf,)))
        for skin in character.skins:
            self._skin(holder, prim, skin, still)
            self._measure(skeleton, skin, written, boxes)
        if any(len(skin.points) for skin in character.skins):
            extents = {code: [tuple(end) for end in box] for code, box in zip(self._codes, boxes.tolist(), strict=True)}
            holder.animate("float3[]", "extent", extents)

    def _animation(self, holder: Prim, written: WrittenPoses, joints: list[str]) -> Prim:
        """Write the poses of the bones in each frame. A joint behind the bones stays where it is."""
        prim = Prim("SkelAnimation", "Animation", holder)
        prim.set("uniform token[]", "joints", joints)
        extra = len(joints) - written.poses.shape[1]
        kinds = (
            ("float3[]", "translations", written.translations, (0.0, 0.0, 0.0)),
            ("quatf[]", "rotations", written.rotations, (1.0, 0.0, 0.0, 0.0)),
            ("half3[]", "scales", written.scales, (1.0, 1.0, 1.0)),
        )
        for kind, name, values, rest in kinds:
            rows = [[*map(tuple, row), *[rest] * extra] for row in values.tolist()]
            if (values == values[:1]).all():
                prim.set(kind, name, rows[0])
            else:
                prim.animate(kind, name, dict(zip(self._codes, rows, strict=True)))
        return prim

    def _skeleton(self, holder: Prim, skeleton: Skeleton, written: WrittenPoses, joints: list[str]) -> Prim:
        prim = Prim("Skeleton", "Skeleton", holder)
        prim.apply("SkelBindingAPI")
        prim.set("uniform token[]", "joints", joints)
        extra = len(joints) - len(skeleton.bones)
        # UsdSkel asks for names that differ, and the joint behind the bones may have the name of one of them
        taken: set[str] = set()
        names = [claim(name, taken) for name in [*skeleton.bones, *[skeleton.name] * extra]]
        prim.set("uniform token[]", "jointNames", names)
        identity = [np.eye(4)] * extra
        prim.set("uniform matrix4d[]", "bindTransforms", [*map(matrix_text, [*written.bind, *identity])])
        rest = [
            matmul(inverse(written.bind[parent]), own) if parent >= 0 else own
            for own, parent in zip(written.bind, skeleton.parents, strict=True)
        ]
        prim.set("uniform matrix4d[]", "restTransforms", [*map(matrix_text, [*rest, *identity])])
        return prim

    def _skin(self, holder: Prim, skeleton: Prim, skin: Skin, still: int) -> None:
        """Write a mesh. still: number of the joint that does not move in the skeleton's space."""
        prim = Prim("Mesh", skin.name, holder)
        prim.apply("SkelBindingAPI")
        prim.set("matrix4d", "xformOp:transform", matrix_text(skin.place))
        prim.set("uniform token[]", "xformOpOrder", ["xformOp:transform"])
        prim.set("point3f[]", "points", vectors(skin.points))
        prim.set("int[]", "faceVertexCounts", skin.face_sizes.tolist())
        prim.set("int[]", "faceVertexIndices", skin.corners.tolist())
        prim.set("uniform token", "subdivisionScheme", "none")
        if len(skin.points):
            prim.set("float3[]", "extent", vectors(np.array([skin.points.min(axis=0), skin.points.max(axis=0)])))
        if skin.uvs is not None:
            prim.set("texCoord2f[]", "primvars:st", vectors(skin.uvs), {"interpolation": "faceVarying"})
        if skin.color is not None:
            prim.set("color3f[]", "primvars:displayColor", [skin.color])
        bones, weights = with_remainders(skin, still)
        about: dict[str, Value] = {"elementSize": bones.shape[1], "interpolation": "vertex"}
        prim.set("int[]", "primvars:skel:jointIndices", bones.ravel().tolist(), about)
        prim.set("float[]", "primvars:skel:jointWeights", weights.ravel().tolist(), about)
        prim.set("matrix4d", "primvars:skel:geomBindTransform", matrix_text(skin.place))
        prim.relate("skel:skeleton", skeleton)

    def _measure(self, skeleton: Skeleton, skin: Skin, written: WrittenPoses, boxes: np.ndarray) -> None:
        """Extend the box of each frame, shape (F, 2, 3), by a skin's points. Report points that the file misplaces."""
        if not len(skin.points):
            return
        farthest = 0.0
        for number, place in enumerate(skeleton.places):
            points = skin.points_at(written.bind, written.poses[number])
            boxes[number, 0] = np.minimum(boxes[number, 0], points.min(axis=0))
            boxes[number, 1] = np.maximum(boxes[number, 1], points.max(axis=0))
            exact = skin.points_at(skeleton.bind, skeleton.poses[number])
            apart = transformed(place, points) - transformed(place, exact)
            farthest = max(farthest, float(norm(apart).max()))
        if farthest > REPORTED_DISTANCE:
            self.losses.append(
                f"skin '{skin.name}': up to {farthest:.2g} m from where it is, since UsdSkel has three digits for the "
                "animated scale of a bone, and no animated shear"
            )


class WrittenPoses:
    """The poses of a skeleton's bones relative to their parents, as UsdSkel stores them.

    Scales are half floats there, and there is no shear. So the scale and shear of a bone in the first frame are taken
    out of its poses and of its bind pose, between which they cancel. Each pose is computed from what is written for the
    bones above, so that errors do not add up along a chain.

    Attributes:
        bind: poses X_SB of the bones when meshes were bound, shape (n, 4, 4).
        translations, rotations, scales: shapes (F, n, 3), (F, n, 4) and (F, n, 3), rounded to single and half floats.
        poses: in the skeleton's space, as they follow from these numbers, shape (F, n, 4, 4).
    """

    def __init__(self, skeleton: Skeleton):
        frames, count = skeleton.poses.shape[:2]
        self.poses = np.empty((frames, count, 4, 4))
        self.translations, self.scales = np.empty((frames, count, 3)), np.empty((frames, count, 3))
        self.rotations = np.empty((frames, count, 4))
        stretches = np.array([inverse_stretch(X_SB) for X_SB in skeleton.poses[0]]).reshape(-1, 4, 4)
        self.bind, exact = matmul(skeleton.bind, stretches), matmul(skeleton.poses, stretches)
        for bone, parent in enumerate(skeleton.parents):
            above = self.poses[:, parent] if parent >= 0 else np.broadcast_to(np.eye(4), (frames, 4, 4))
            local = matmul(inverse(above), exact[:, bone])
            parts = [rotation_and_scale(matrix[:3, :3]) for matrix in local]
            poses = np.concatenate([local[:, :3, 3], [rotation for rotation, _ in parts]], axis=1)
            rounded = continuous(poses).astype(np.float32).astype(np.float64)
            self.translations[:, bone], self.rotations[:, bone] = rounded[:, :3], rounded[:, 3:]
            scales = np.array([scale for _, scale in parts]).astype(np.float16).astype(np.float64)
            self.scales[:, bone] = np.copysign(np.maximum(np.abs(scales), LEAST_SCALE), scales)
            turns = np.array([quat_to_mat(tuple(quat)) for quat in rounded[:, 3:].tolist()]).reshape(-1, 3, 3)
            own = np.broadcast_to(np.eye(4), (frames, 4, 4)).copy()
            own[:, :3, :3], own[:, :3, 3] = turns * self.scales[:, bone, None, :], rounded[:, :3]
            self.poses[:, bone] = matmul(above, own)


def inverse_stretch(matrix: np.ndarray) -> np.ndarray:
    """Return the matrix that leaves a rotation of a pose X_SB if the pose is multiplied by it, shape (4, 4).

    It is the inverse of the symmetric factor of the polar decomposition. Of a pose without scale and of a singular one,
    it is the identity.
    """
    found, linear = np.eye(4), matrix[:3, :3]
    size = float(det(linear))
    if abs(size) >= LEAST_SCALE**3:
        stretch = matmul(nearest_rotation(np.copysign(1.0, size) * linear).T, linear)
        if np.abs(stretch - np.eye(3)).max() > SAME_SCALE:
            found[:3, :3] = inverse(stretch)
    return found


def rotation_and_scale(linear: np.ndarray) -> tuple[tuple[float, ...], np.ndarray]:
    """Return the quaternion and the signed scales, shape (3,), whose product is nearest to a matrix, shape (3, 3).

    A singular matrix has no rotation, as when a bone is scaled to 0; it gets none.
    """
    size = float(det(linear))
    if abs(size) < LEAST_SCALE**3:
        return (1.0, 0.0, 0.0, 0.0), np.diagonal(linear).copy()
    rotation = nearest_rotation(np.copysign(1.0, size) * linear)
    return quat_of_mat(tuple(rotation.ravel().tolist())), (rotation * linear).sum(axis=0)


def joint_paths(skeleton: Skeleton) -> list[str]:
    """Return the paths of the bones among each other, such as "hips/chest"."""
    paths: list[str] = []
    taken: set[str] = set()
    for name, parent in zip(skeleton.bones, skeleton.parents, strict=True):
        paths.append(claim(f"{paths[parent]}/{identifier(name)}" if parent >= 0 else identifier(name), taken))
    return paths


def with_remainders(skin: Skin, still: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the joints and weights of a skin's points, with sums of 1, shape (p, k) each.

    Args:
        still: number of the joint that gets the remainders.
    """
    remainders = skin.remainders
    if not remainders.any():
        return skin.bones, skin.weights
    bones = np.column_stack([skin.bones, np.where(remainders > 0.0, still, 0)])
    weights = np.column_stack([skin.weights, remainders])
    order = np.argsort(-weights, axis=1, kind="stable")
    return np.take_along_axis(bones, order, axis=1), np.take_along_axis(weights, order, axis=1)


def matrix_text(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """Return a matrix, shape (4, 4), as a value of USD."""
    return tuple(map(tuple, matrix.T.tolist()))


def vectors(rows: np.ndarray) -> list[tuple[float, ...]]:
    """Return rows, shape (n, k), as an array of vectors of USD."""
    return [tuple(row) for row in rows.tolist()]
