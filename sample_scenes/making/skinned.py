# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters for sample scenes: an armature, and a smooth mesh that its bones deform.

A body is a union of limbs, each of which is a rod that may become thinner towards an end, with soft transitions. The
mesh is that union's surface, found by surface nets (Gibson, Constrained elastic surface nets, 1998), so the same
numbers give the same mesh in every version of Blender. Metres, radians, the world's axes; characters look along -y.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Matrix
from workshop import COLORS, collection_of, paint

from limberjack.core.spatial.arrays import dot

Point = tuple[float, float, float]

SOFT = 0.035
"""Distance over which the surfaces of two limbs pass into each other [m]."""

BLEND = 0.07
"""Difference between the distances to two bones over which a vertex passes from one to the other [m]."""

ROUNDS = 4
"""Number of times that vertices move to the middle of their neighbours and back onto the surface. It makes the quads
as large as each other."""

STEPS = 3
"""Newton steps that bring a vertex onto the surface."""

FINEST = 2.0**-12
"""Places of vertices are multiples of this [m], so that files with them become small."""

LEAST_WEIGHT = 1.0 / 64.0
"""Weights are multiples of this, for the same reason."""

PROBE = 1e-4
"""Distance at which the gradient of the distance to the surface is measured [m]."""


@dataclass(frozen=True)
class Bone:
    """A bone at rest. parent: its name; empty if there is none."""

    name: str
    head: Point
    tail: Point
    parent: str = ""


@dataclass(frozen=True)
class Limb:
    """A part of a body's surface.

    Attributes:
        bone: the name of the bone that moves it.
        start, end: centres of its ends. radius, end_radius: there.
        color: of what is nearest to it, a name in `workshop.COLORS` or in `colors` of `skin`.
        chain: limbs of one chain, such as an arm, meet with the same radii, so they need no soft transition.
        is_apart: whether it is a closed surface of its own, such as an eye, that nothing passes softly into.
    """

    bone: str
    start: Point
    end: Point
    radius: float
    end_radius: float
    color: str
    chain: str = ""
    is_apart: bool = False


def mirrored(parts: Iterable) -> list:
    """Return bones or limbs with those of the right side, which mirror those whose bones' names end with .L."""
    found = []
    for part in parts:
        found.append(part)
        if isinstance(part, Bone) and part.name.endswith(".L"):
            found.append(Bone(_right(part.name), _across(part.head), _across(part.tail), _right(part.parent)))
        elif isinstance(part, Limb) and part.bone.endswith(".L"):
            ends = {"start": _across(part.start), "end": _across(part.end)}
            found.append(replace(part, bone=_right(part.bone), chain=_right(part.chain), **ends))
    return found


def _right(name: str) -> str:
    return name.removesuffix(".L") + ".R" if name.endswith(".L") else name


def _across(point: Point) -> Point:
    return -point[0], point[1], point[2]


def armature(name: str, bones: Iterable[Bone]) -> bpy.types.Object:
    """Return a new armature with these bones, in Object Mode."""
    data = bpy.data.armatures.new(name)
    obj = bpy.data.objects.new(name, data)
    collection_of("Machine").objects.link(obj)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in bones:
        made = data.edit_bones.new(bone.name)
        made.head, made.tail = bone.head, bone.tail
        if bone.parent:
            made.parent = data.edit_bones[bone.parent]
    bpy.ops.object.mode_set(mode="OBJECT")
    data.display_type = "STICK"
    return obj


def bend(rig: bpy.types.Object, name: str, axis: Sequence[float], degrees: float) -> None:
    """Turn a bone, with all that hangs on it, about an axis of the armature at rest."""
    bone = rig.pose.bones[name]
    rest = bone.bone.matrix_local.to_3x3()
    turn = rest.inverted() @ Matrix.Rotation(math.radians(degrees), 3, axis) @ rest
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = turn.to_quaternion() @ bone.rotation_quaternion


def skin(
    name: str, rig: bpy.types.Object, limbs: Sequence[Limb], cell: float, colors: Mapping[str, Sequence[float]]
) -> bpy.types.Object:
    """Return a new mesh that the armature deforms.

    Args:
        cell: about the length of an edge [m]. colors: of limbs, besides those of the workshop.
    """
    known = {**COLORS, **colors}
    names = list(dict.fromkeys(limb.color for limb in limbs))
    soft = [limb for limb in limbs if not limb.is_apart]
    vertices, faces = surface_of(soft, cell)
    owners = [soft[number] for number in _nearest(soft, np.array([vertices[face].mean(axis=0) for face in faces]))]
    weights = weights_of(soft, rig, vertices)
    for limb in limbs:
        if limb.is_apart:
            more, quads = surface_of([limb], min(cell, 0.7 * limb.radius))
            faces = [*faces, *(quad + len(vertices) for quad in quads)]
            vertices, owners = np.concatenate([vertices, more]), [*owners, *[limb] * len(quads)]
            weights = [*weights, *[{limb.bone: 1.0}] * len(more)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], [face.tolist() for face in faces])
    for color in names:
        mesh.materials.append(paint(color, known[color]))
    for polygon, owner in zip(mesh.polygons, owners, strict=True):
        polygon.material_index, polygon.use_smooth = names.index(owner.color), True
    obj = bpy.data.objects.new(name, mesh)
    collection_of("Machine").objects.link(obj)
    obj.parent = rig
    for bone in dict.fromkeys(limb.bone for limb in limbs):
        group = obj.vertex_groups.new(name=bone)
        for number, own in enumerate(weights):
            if bone in own:
                group.add([number], own[bone], "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return obj


# The surface


def _distances(limbs: Sequence[Limb], points: np.ndarray) -> np.ndarray:
    """Return the distances of points to the limbs [m], negative inside, shape (limbs, points)."""
    found = []
    for limb in limbs:
        start = np.array(limb.start)
        along = np.array(limb.end) - start
        size = max(float(dot(along, along)), 1e-12)
        part = np.clip(((points - start) * along).sum(axis=-1) / size, 0.0, 1.0)
        away = points - start - part[..., None] * along
        found.append(np.sqrt((away * away).sum(axis=-1)) - limb.radius - part * (limb.end_radius - limb.radius))
    return np.array(found)


def _field(limbs: Sequence[Limb], points: np.ndarray) -> np.ndarray:
    """Return the distance to the soft union of the limbs [m]: Quilez's polynomial smooth minimum of their distances."""
    chains: dict[object, np.ndarray] = {}
    for number, distances in enumerate(_distances(limbs, points)):
        chain = limbs[number].chain or number
        chains[chain] = np.minimum(chains[chain], distances) if chain in chains else distances
    found, *others = chains.values()
    for other in others:
        overlap = np.maximum(SOFT - np.abs(found - other), 0.0) / SOFT
        found = np.minimum(found, other) - overlap * overlap * SOFT * 0.25
    return found


def _nearest(limbs: Sequence[Limb], points: np.ndarray) -> np.ndarray:
    return _distances(limbs, points).argmin(axis=0)


def surface_of(limbs: Sequence[Limb], cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices [m] and the quads of the surface of a union of limbs, with normals outward.

    The grid is symmetric about x = 0 if the limbs are.
    """
    ends = np.array([end for limb in limbs for end in (limb.start, limb.end)])
    radii = np.array([radius for limb in limbs for radius in (limb.radius, limb.end_radius)])[:, None]
    low, high = (ends - radii).min(axis=0) - 2.0 * cell, (ends + radii).max(axis=0) + 2.0 * cell
    counts = np.ceil((high - low) / cell).astype(int) + 1
    first = 0.5 * (low + high) - 0.5 * cell * (counts - 1)
    grid = np.stack(np.meshgrid(*(np.arange(count) for count in counts), indexing="ij"), axis=-1) * cell + first
    values = _field(limbs, grid)
    numbers, vertices = _crossed_cells(values, grid, cell)
    quads = _quads(values, numbers)
    vertices = _onto_surface(limbs, vertices)
    for _ in range(ROUNDS):
        vertices = _onto_surface(limbs, _relaxed(vertices, quads))
    return np.round(vertices / FINEST) * FINEST, quads


def _corner(values: np.ndarray, i: int, j: int, k: int) -> np.ndarray:
    """Return the values at one corner of all cells of a grid."""
    return values[tuple(slice(at, size - 1 + at) for at, size in zip((i, j, k), values.shape[:3], strict=True))]


CORNERS = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]


def _crossed_cells(values: np.ndarray, grid: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each cell's vertex, -1 if the surface does not cross it, and the vertices at the middles."""
    signs = np.stack([_corner(values, *corner) < 0.0 for corner in CORNERS])
    crossed = signs.any(axis=0) & ~signs.all(axis=0)
    numbers = np.full(crossed.shape, -1)
    numbers[crossed] = np.arange(crossed.sum())
    return numbers, _corner(grid, 0, 0, 0)[crossed] + 0.5 * cell


def _quads(values: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Return one quad for each edge of the grid that the surface crosses, of the vertices of the cells around it."""
    found = []
    for axis in range(3):
        across = [other for other in range(3) if other != axis]
        inside = values < 0.0
        steps = np.diff(inside.astype(np.int8), axis=axis)
        for i, j, k in np.argwhere(steps):
            around = []
            for one, other in ((0, 0), (1, 0), (1, 1), (0, 1)):
                cell = [i, j, k]
                cell[across[0]] -= one
                cell[across[1]] -= other
                around.append(numbers[tuple(cell)])
            turned = (steps[i, j, k] < 0) == (axis != 1)  # from inside to outside along the axis; y is the odd one
            found.append(around if turned else around[::-1])
    return np.array(found)


def _relaxed(vertices: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Return vertices at the middle between themselves and the mean of their neighbours."""
    sums, counts = np.zeros_like(vertices), np.zeros(len(vertices))
    for one, other in ((0, 1), (1, 2), (2, 3), (3, 0)):
        np.add.at(sums, quads[:, one], vertices[quads[:, other]])
        np.add.at(counts, quads[:, one], 1.0)
    return 0.5 * (vertices + sums / counts[:, None])


def _onto_surface(limbs: Sequence[Limb], vertices: np.ndarray) -> np.ndarray:
    """Return vertices moved along the gradient of the distance until it is zero."""
    for _ in range(STEPS):
        slopes = [
            (_field(limbs, vertices + step) - _field(limbs, vertices - step)) / (2.0 * PROBE)
            for step in np.eye(3) * PROBE
        ]
        gradient = np.stack(slopes, axis=-1)
        size = np.maximum((gradient * gradient).sum(axis=-1), 1e-3)
        vertices = vertices - (_field(limbs, vertices) / size)[:, None] * gradient
    return vertices


# Weights


def weights_of(limbs: Sequence[Limb], rig: bpy.types.Object, vertices: np.ndarray) -> list[dict[str, float]]:
    """Return the weights of each vertex, by the name of the bone: of the nearest one and its neighbours."""
    bones = list(dict.fromkeys(limb.bone for limb in limbs))
    distances = _distances(limbs, vertices)
    of_bone = np.array(
        [distances[[number for number, limb in enumerate(limbs) if limb.bone == bone]].min(axis=0) for bone in bones]
    )
    found = []
    for own in of_bone.T:
        nearest = int(own.argmin())
        near = [number for number, bone in enumerate(bones) if _are_joined(rig, bone, bones[nearest])]
        shares = {bones[number]: max(1.0 - (own[number] - own[nearest]) / BLEND, 0.0) ** 2 for number in near}
        total = sum(shares.values())
        rounded = {bone: round(share / total / LEAST_WEIGHT) * LEAST_WEIGHT for bone, share in shares.items()}
        found.append({bone: weight for bone, weight in rounded.items() if weight > 0.0})
    return found


def _are_joined(rig: bpy.types.Object, one: str, other: str) -> bool:
    a, b = rig.data.bones[one], rig.data.bones[other]
    return a == b or a.parent == b or b.parent == a
