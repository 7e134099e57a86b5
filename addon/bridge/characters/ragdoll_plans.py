# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide which bones of an armature become the links of a ragdoll, with which shapes. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from ....core.characters.anatomy import Anatomy, Place, anatomy_of
from ....core.characters.body_parts import CENTRAL, PARTS, ROOT
from ....core.characters.choices import AUTO, BOX, CAPSULE, HULL
from ....core.spatial import Vec3
from ..links.bone_capsules import length_of
from ..posing.link_poses import to_array
from ..skins.bone_fitting import FAN, BoneFit, capsule_fit, extent_of, with_solids
from ..skins.rest_skins import BonePoints
from ..skins.solid_fitting import DIGITS, turn_to_floor
from ..values.numbers import unit_length
from .skeletons import Skeleton, extent_along, parents_first, skeleton_of, turn_along

TOO_SMALL = "small"
"""Reason for which a bone without a known part merges into the one above it."""

NOT_CHOSEN = "not chosen"
"""Reason for which a bone gets no link although it could."""

SIZED = frozenset({"limb", "tail"})
"""Parts that get a link only if they are large enough: what they are for is not known."""


@dataclass(frozen=True)
class RagdollPart:
    """A bone that becomes a link.

    Attributes:
        place: its part of the body, and its side.
        above: the name of the next bone above it that becomes a link; None for the one at the top.
        direction: of the limb, a unit vector in the axes of the armature at rest.
        fit: its shapes.
        shape: the name of the one that it has, one of `BONE_SHAPES`.
    """

    bone: bpy.types.PoseBone
    place: Place
    above: str | None
    direction: Vec3
    fit: BoneFit
    shape: str

    @property
    def rest(self) -> np.ndarray:
        """The bone's matrix at rest, in the axes of the armature, shape (4, 4)."""
        return to_array(self.bone.bone.matrix_local)

    def head(self, scene: bpy.types.Scene) -> np.ndarray:
        """Return the head of the bone at rest, in the axes of the armature [m], shape (3,).

        An armature that is scaled unevenly counts with the mean of its three factors.
        """
        volume = abs(self.bone.id_data.matrix_world.to_3x3().determinant())
        return self.rest[:3, 3] * (volume ** (1.0 / 3.0) * unit_length(scene))


@dataclass(frozen=True)
class RagdollPlan:
    """The links of a ragdoll.

    Attributes:
        parts: by the name of the bone, each after the one above it.
        kept: names of the parts that are links already and stay as they are.
        merged: why other bones get no link, by name.
        anchors: names of the parts that follow the animation, since chosen bones hang on them.
    """

    anatomy: Anatomy
    skeleton: Skeleton
    parts: dict[str, RagdollPart]
    kept: frozenset[str] = frozenset()
    merged: dict[str, str] = field(default_factory=dict)
    anchors: frozenset[str] = frozenset()

    @property
    def new_parts(self) -> dict[str, RagdollPart]:
        """The parts that are set up, by the name of the bone."""
        return {name: part for name, part in self.parts.items() if name not in self.kept}

    @property
    def falling_parts(self) -> dict[str, RagdollPart]:
        """Those of them that follow physics."""
        return {name: part for name, part in self.new_parts.items() if name not in self.anchors}

    @property
    def pieces(self) -> list[str]:
        """The names of the parts that follow physics and hang on nothing."""
        return [name for name, part in self.falling_parts.items() if part.above is None]


def plan_ragdoll(
    armature: bpy.types.Object,
    skin: Mapping[str, BonePoints],
    smallest: float,
    with_fingers: bool = False,
    as_human: bool | None = None,
    wanted: Collection[str] | None = None,
    kept: Collection[str] = (),
    shapes: str = AUTO,
) -> RagdollPlan:
    """Return the links of a ragdoll.

    Args:
        skin: as `rest_skin` returns it.
        smallest: least length of a limb whose part is not known, relative to the extent of the character.
        with_fingers, as_human: as in `anatomy_of`.
        wanted: names of the bones that may become links; None for all.
        kept: names of the bones that are links already and stay as they are.
        shapes: the name of one of `SHAPES`.
    """
    skeleton = skeleton_of(armature, skin)
    up = armature.matrix_world.to_3x3().inverted().col[2].normalized()
    anatomy = anatomy_of(skeleton.core_bones(), (up.x, up.y, up.z), with_fingers, as_human)
    least = smallest * extent_of(armature, skin)
    points = {name: [own] for name, own in skeleton.points.items()}
    merged: dict[str, str] = {}
    fits: dict[str, BoneFit] = {}
    extents = {name: extent_along(name, skeleton, _continuations(name, skeleton, anatomy)) for name in anatomy.places}

    def fit(name: str, own: list[BonePoints]) -> None:
        bone, (direction, length), part = skeleton.bones[name], extents[name], anatomy.places[name].part
        found = capsule_fit(bone, own, turn=turn_along(bone, direction))
        if found is not None:
            level = turn_to_floor(bone, direction, anatomy.axes.up) if PARTS[part].is_level else None
            fits[name] = with_solids(found, bone, own, level)
        else:
            fits[name] = capsule_by_bone(bone, part, direction, length)
        merged.pop(name, None)

    for name in reversed(skeleton.bones):
        place, own = anatomy.places[name], points.get(name, [])
        reason = place.merges or _reason_of_size(name, skeleton, anatomy, own, least, bool(skin))
        if not reason and wanted is not None and name not in wanted:
            reason = NOT_CHOSEN
        if not reason or name in kept:
            fit(name, own)
        else:
            merged[name] = reason
            if (parent := skeleton.parents[name]) is not None:
                points.setdefault(parent, []).extend(own)
    anchors = {each for name in fits if name not in kept and (each := _holder(name, skeleton, fits, merged))}
    for name in anchors:  # without the bones below, which are most of the body
        fit(name, [skeleton.points[name]] if name in skeleton.points else [])
    above = _above_each(skeleton, anatomy, fits)
    carrier = _common_carrier([name for name in above if above[name] is None], skeleton)
    if carrier in merged and merged[carrier] != NOT_CHOSEN:
        fit(carrier, points.get(carrier, []))
        above = _above_each(skeleton, anatomy, fits)
    parts = {
        name: RagdollPart(
            bone=skeleton.bones[name],
            place=anatomy.places[name],
            above=above[name],
            direction=extents[name][0],
            fit=fits[name],
            shape=_shape_for(anatomy.places[name].part, fits[name], shapes),
        )
        for name in parents_first(above)
    }
    reasons = dict(reversed(merged.items()))
    return RagdollPlan(anatomy, skeleton, parts, frozenset(kept) & parts.keys(), reasons, frozenset(anchors))


def _shape_for(part: str, fit: BoneFit, shapes: str) -> str:
    """Return the shape of a part: the chosen one, if points follow the bone of which it can be made; else a capsule."""
    wanted = PARTS[part].shape if shapes == AUTO else shapes
    is_there = {CAPSULE: True, BOX: fit.box is not None, HULL: bool(fit.hull)}
    return wanted if is_there[wanted] else CAPSULE


def capsule_by_bone(bone: bpy.types.PoseBone, part: str, direction: Vec3, length: float) -> BoneFit:
    """Return the capsule of a bone that no mesh follows: as long as its limb, and as thick as that part of a body is.

    Args:
        direction: of the limb, a unit vector in the axes of the armature at rest.
        length: of the limb, in units of the armature.
    """
    end = length / bone.bone.length
    radius = PARTS[part].thickness * end
    return BoneFit(round(radius, DIGITS), 0.0, round(end, DIGITS), (0.0, 0.0), turn_along(bone, direction))


def _above_each(skeleton: Skeleton, anatomy: Anatomy, chosen: Mapping[str, object]) -> dict[str, str | None]:
    """Return the part above each chosen one, None for those that hang on nothing."""
    above = {name: _above(name, skeleton, chosen) for name in skeleton.bones if name in chosen}
    if anatomy.is_humanoid:
        _hang_on_hips(above, anatomy)
    return above


def _above(name: str, skeleton: Skeleton, chosen: Mapping[str, object]) -> str | None:
    parent = skeleton.parents[name]
    return skeleton.carrier(parent, chosen) if parent is not None else None


def _holder(name: str, skeleton: Skeleton, chosen: Mapping[str, object], merged: Mapping[str, str]) -> str | None:
    """Return the nearest bone above a part that could be a part and was not chosen, if the part hangs on nothing else.

    The part would fall off the body without it.
    """
    if _above(name, skeleton, chosen) is not None:
        return None
    unchosen = {each: reason for each, reason in merged.items() if reason == NOT_CHOSEN}
    return _above(name, skeleton, unchosen)


def _common_carrier(names: Sequence[str], skeleton: Skeleton) -> str | None:
    """Return the nearest bone on which several bones hang; None if they are fewer than two, or hang on no common bone.

    A body whose parts all hang on a bone that is no part, since it is small or has the name of a helper, would fall
    apart.
    """
    if len(names) < 2:
        return None
    chains = [skeleton.bones_above(name) for name in names]
    return next((each for each in chains[0] if all(each in chain for chain in chains[1:])), None)


def _hang_on_hips(above: dict[str, str | None], anatomy: Anatomy) -> None:
    """Let all of a human body hang on its hips, also in rigs whose trunk or legs hang on a control, as in MMD's.

    Args:
        above: the part above each part; those of None that are not the hips are changed.
    """
    hips = next((name for name in above if anatomy.places[name].part == ROOT), None)
    if hips is None or above[hips] is not None:
        return
    for name, parent in above.items():
        if parent is None and name != hips:
            above[name] = hips


def _continuations(name: str, skeleton: Skeleton, anatomy: Anatomy) -> list[str]:
    """Return the bones that continue a limb: of the trunk, those of the trunk; of others, all but helpers."""
    place, below = anatomy.places[name], _children_beyond_twists(name, skeleton, anatomy)
    if place.part in CENTRAL:
        return [each for each in below if anatomy.places[each].part in CENTRAL]
    if place.part == "clavicle":
        return [each for each in below if anatomy.places[each].part == "upper_arm"]
    same = [each for each in below if anatomy.places[each].part != "helper"]
    next_parts = [each for each in same if not PARTS[anatomy.places[each].part].merges]
    return next_parts or same


def _children_beyond_twists(name: str, skeleton: Skeleton, anatomy: Anatomy) -> list[str]:
    """Return the bones that hang on a bone, directly or on twist bones in between, without these.

    A twist bone may be at the head of the bone that it twists, or be the second half of a limb.
    """
    found: list[str] = []
    for child in skeleton.children_of(name):
        is_twist = anatomy.places[child].part == "twist"
        found += _children_beyond_twists(child, skeleton, anatomy) if is_twist else [child]
    return found


def _reason_of_size(
    name: str, skeleton: Skeleton, anatomy: Anatomy, own: list[BonePoints], least: float, has_skin: bool
) -> str:
    """Return why a bone is too small to become a link; empty if it is not.

    In a fan of bones, such as fingers, each is judged by its own points without those of the bones below.
    """
    if anatomy.places[name].part not in SIZED or not least:
        return ""
    bone, parent = skeleton.bones[name], skeleton.parents[name]
    if not has_skin:
        return "" if length_of(bone) >= least else TOO_SMALL
    is_in_fan = parent is not None and len(skeleton.children_of(parent)) >= FAN
    judged = own[:1] if is_in_fan else own
    return "" if capsule_fit(bone, judged, least) else TOO_SMALL
