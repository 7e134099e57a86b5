# SPDX-License-Identifier: GPL-3.0-or-later
"""Fit the shapes of bones to the meshes that the bones deform, and decide which bones are too small to have one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import bpy
import numpy as np

from ....core.geometry.primitives.limbs import limb_capsule_without_strays
from ....core.spatial import Vec3, quat_of_rpy, quat_to_mat
from ....core.spatial.arrays import dot, matmul, norm
from ...props.settings import is_link_bone, link_settings
from ..links.bone_capsules import length_of
from ..posing.link_poses import world_scale
from ..values.numbers import shortest_vec3
from .rest_skins import BonePoints
from .solid_fitting import DIGITS, BoxFit, box_fit, hull_fit, local_points

FEWEST_POINTS = 4
"""Number of points of a mesh to which a capsule can be fitted."""

SAME_PLACE = 1e-3
"""Greatest distance between the heads of bones at rest that stand for each other, relative to the length of one."""

SAME_DIRECTION = 0.999
"""Least cosine between the directions of bones at rest that stand for each other."""

FAN = 3
"""Number of bones that hang on one bone from which each is judged by its own points. Fingers with the bones of the palm
behind them would be long enough for capsules, and belong to the hand.
"""


@dataclass(frozen=True)
class BoneFit:
    """The shapes of a bone, as the settings of a link store them: relative to the length of the bone.

    Attributes:
        radius, start, end, offset: of the capsule.
        turn: angles of the capsule's axes from those of the bone [rad].
        box: None if the points have none.
        hull: corners of the hull; empty if the points have none.
    """

    radius: float
    start: float
    end: float
    offset: tuple[float, float]
    turn: Vec3 = (0.0, 0.0, 0.0)
    box: BoxFit | None = None
    hull: str = ""


@dataclass
class Fits:
    """The shapes that were fitted to a character.

    Attributes:
        by_bone: by the name of the bone.
        small: names of the bones that were left out since they are too small, in the order of the armature.
    """

    by_bone: dict[str, BoneFit] = field(default_factory=dict)
    small: list[str] = field(default_factory=list)


def fit_bones(
    armature: bpy.types.Object,
    skin: Mapping[str, BonePoints],
    wanted: Collection[str],
    smallest: float = 0.0,
    kept: Collection[str] = (),
) -> Fits:
    """Fit shapes to the points that bones dominate.

    A bone that has a fitted shape already keeps the directions of its capsule and of its box.

    The points of a bone that gets no capsule count for the nearest bone above it that does: those of fingers for the
    hand, those of a face for the head.

    Args:
        skin: as `rest_skin` returns it.
        wanted: names of the bones that may have a capsule, with or without points of their own.
        smallest: least length of a capsule in the world [Blender units], with the points of bones below, except in a
            fan of bones.
        kept: names of bones that have a shape already, so that their points count for no other bone.
    """
    wanted = dict.fromkeys(wanted)  # keeps their order
    carriers = _carriers_of(armature, [name for name in skin if name not in kept], wanted, kept)
    points = {name: [part] for name, part in skin.items() if name not in kept}
    counts = Counter(carriers.values())
    found = Fits()
    for name in _deepest_first(carriers):
        parts, carrier, bone = points.get(name, []), carriers[name], _bones_of(armature)[name]
        own = parts[:1] if name in skin else []
        judged = own if carrier is not None and counts[carrier] >= FAN else parts
        turn, box_turn = _known_turns(bone)
        if name in wanted and capsule_fit(bone, judged, smallest) and (fit := capsule_fit(bone, parts, turn=turn)):
            found.by_bone[name] = with_solids(fit, bone, parts, box_turn)
        elif carrier is not None:
            points.setdefault(carrier, []).extend(parts)
    order = [bone.name for bone in _bones_of(armature)]
    found.small = [name for name in order if name in wanted and name in skin and name not in found.by_bone]
    return found


def _known_turns(bone: bpy.types.PoseBone) -> tuple[Vec3, Vec3 | None]:
    """Return the turns of the capsule and of the box of a bone [rad]. None for the box: it was not fitted yet."""
    if not is_link_bone(bone) or not link_settings(bone).is_fitted:
        return (0.0, 0.0, 0.0), None
    settings = link_settings(bone)
    turn, box_turn = (shortest_vec3(angles) for angles in (settings.bone_turn, settings.box_turn))
    return turn, box_turn if settings.is_property_set("box_turn") else None


def store_fit(bone: bpy.types.PoseBone, fit: BoneFit) -> None:
    """Store all shapes of a fit in the settings of a bone."""
    settings = link_settings(bone)
    settings.bone_radius, settings.bone_start, settings.bone_end = fit.radius, fit.start, fit.end
    settings.bone_offset, settings.bone_turn, settings.is_fitted = fit.offset, fit.turn, True
    box = fit.box or box_around(fit)
    settings.box_size, settings.box_center, settings.box_turn = box.size, box.center, box.turn
    settings.bone_hull = fit.hull


def box_around(fit: BoneFit) -> BoxFit:
    """Return the box around the capsule of a fit."""
    (x, z), width = fit.offset, 2.0 * fit.radius
    return BoxFit((width, max(fit.end - fit.start, width), width), (x, 0.5 * (fit.start + fit.end), z), fit.turn)


def with_solids(fit: BoneFit, bone: bpy.types.PoseBone, parts: list[BonePoints], box_turn: Vec3 | None) -> BoneFit:
    """Return a fit with the box and the hull of the points that follow a bone.

    Args:
        box_turn: angles of the box's axes from those of the bone [rad]. None: it lies along the capsule, turned about
            it as the points suggest.
    """
    local = local_points(bone, parts)
    box = box_fit(local, fit.turn if box_turn is None else box_turn, box_turn is not None)
    return replace(fit, box=box, hull=hull_fit(local))


def extent_of(armature: bpy.types.Object, skin: Mapping[str, BonePoints]) -> float:
    """Return the greatest extent of a character at rest along an axis of its armature, in the world [Blender units].

    It is that of the bones if no mesh follows them.
    """
    bones = [point for each in _bones_of(armature) for point in (each.bone.head_local, each.bone.tail_local)]
    points = np.concatenate([part.points for part in skin.values()] if skin else [np.array(bones, dtype=np.float64)])
    return float(((points.max(axis=0) - points.min(axis=0)) * np.abs(world_scale(armature))).max())


def _bones_of(armature: bpy.types.Object) -> bpy.types.bpy_prop_collection[bpy.types.PoseBone]:
    assert armature.pose is not None  # it is an armature
    return armature.pose.bones


def capsule_fit(
    bone: bpy.types.PoseBone, parts: list[BonePoints], smallest: float = 0.0, turn: Vec3 = (0.0, 0.0, 0.0)
) -> BoneFit | None:
    """Return the capsule of a bone; None if it would be too small, or if the points have no extent across the bone.

    Args:
        parts: points that follow the bone. smallest: least length of the capsule in the world [Blender units].
        turn: angles of the capsule's axes from those of the bone [rad], as Blender's Euler angles XYZ.
    """
    if sum(len(part.points) for part in parts) < FEWEST_POINTS:
        return None
    found = local_points(bone, parts)
    local = found.points
    along_y = matmul(local, np.array(quat_to_mat(quat_of_rpy(*turn))).reshape(3, 3)) if any(turn) else local
    capsule = limb_capsule_without_strays(along_y, found.areas)
    if capsule is None or (capsule.end - capsule.start) * length_of(bone) < smallest:
        return None
    radius, start, end, x, z = (
        round(number, DIGITS) + 0.0 for number in (capsule.radius, capsule.start, capsule.end, *capsule.across)
    )
    return BoneFit(radius, start, end, (x, z), turn)


class _Places:
    """The places of some bones at rest.

    Attributes:
        names: of the bones.
    """

    def __init__(self, armature: bpy.types.Object, names: list[str]):
        found = [_bones_of(armature)[name].bone for name in names]
        self.names = names
        self._heads = np.array([bone.head_local for bone in found], dtype=np.float64).reshape(-1, 3)
        self._directions = np.array([_direction(bone) for bone in found], dtype=np.float64).reshape(-1, 3)

    def at(self, bone: bpy.types.Bone) -> list[str]:
        """Return the names of the bones with the head and the direction of a bone."""
        apart = norm(self._heads - np.array(bone.head_local, dtype=np.float64))
        along = dot(self._directions, np.array(_direction(bone), dtype=np.float64))
        is_same = (apart < SAME_PLACE * bone.length) & (along > SAME_DIRECTION)
        return [self.names[number] for number in np.flatnonzero(is_same).tolist()]


def _direction(bone: bpy.types.Bone) -> tuple[float, ...]:
    """Return the direction of a bone at rest, in the axes of its armature."""
    return tuple(bone.matrix_local.col[1][:3])


def _carriers_of(
    armature: bpy.types.Object, names: Collection[str], wanted: Collection[str], kept: Collection[str]
) -> dict[str, str | None]:
    """Return for each bone, and for each wanted one, the wanted bone that gets its points if it has no capsule.

    That is the nearest one above, up to a kept one. The bones that deform a rig may hang on others that steer it (in
    Rigify, the thigh on a bone of the spine that deforms nothing). So each bone above also stands for a wanted bone at
    its place.
    """
    places = _Places(armature, [*wanted])
    carriers: dict[str, str | None] = dict.fromkeys([*wanted, *names])
    for name in carriers:
        bone = _bones_of(armature)[name].bone
        for above in (bone, *bone.parent_recursive):
            if above.name in kept:
                break
            candidates = [*([above.name] if above.name in wanted else []), *places.at(above)]
            fit = [each for each in candidates if each != name and not _leads_to(carriers, each, name)]
            if fit:
                carriers[name] = fit[0]
                break
    return carriers


def _leads_to(carriers: Mapping[str, str | None], start: str, end: str) -> bool:
    """Return whether the carriers above a bone include another one."""
    above: str | None = start
    while above is not None and above != end:
        above = carriers[above]
    return above is not None


def _deepest_first(carriers: Mapping[str, str | None]) -> list[str]:
    """Return the bones in an order in which each comes before its carrier."""

    def depth(name: str | None) -> int:
        steps = 0
        while name is not None:
            name, steps = carriers[name], steps + 1
        return steps

    return sorted(carriers, key=depth, reverse=True)
