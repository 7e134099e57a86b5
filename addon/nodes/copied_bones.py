# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the bones that only copy others, and so the hierarchy of a rig that its bones' own parents do not show.

In many rigs, the bones that deform meshes copy the bones that move them, and the parents of either say only half of the
hierarchy. In Rigify, `DEF-thigh.L` hangs on `ORG-spine` but `ORG-spine.001` hangs on a control, so that the spine is
connected by its deforming bones only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import bpy

from .animation import all_curves_of

DEFORMING = "DEF-"
"""Beginning of the names of Rigify's bones that deform meshes."""

MOVING = "ORG-"
"""Beginning of the names of Rigify's bones that have the shape of the original rig, and that controls move."""

SEGMENT = re.compile(r"\.\d{3}$")
"""End of the name of a segment, which Rigify adds if several bones deform what one bone moves."""

KIND_OF_CONTROL = re.compile(r"_(?:fk|ik)(?=$|\.)")
"""Pattern of the text that Rigify adds to the name of the original bone for a control of it."""

_COPYING = (bpy.types.CopyTransformsConstraint, bpy.types.CopyLocationConstraint, bpy.types.CopyRotationConstraint)
"""Types of constraints by which a bone can copy another one."""


class _Copies(NamedTuple):
    """The bones of an armature that copy others, by name.

    Attributes:
        copied: the bone that a bone copies, if it does nothing else.
        copiers: the inverse of `copied`: the bones that copy a bone, in the order of the armature.
        following: the bones of a rig by Rigify that have a Copy Transforms constraint with a bone.
    """

    copied: dict[str, str]
    copiers: dict[str, list[str]]
    following: dict[str, list[str]]


_known: dict[int, _Copies] = {}
"""The bones that copy others, by session uid of the armature. `watch` drops an entry when its armature changes."""


def forget_copies(obj: bpy.types.Object | None = None) -> None:
    """Drop what is known about an armature, or about all if none is given, since its bones may have changed."""
    if obj is None:
        _known.clear()
    else:
        _known.pop(obj.session_uid, None)


def copied_bone(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """Return the bone that a bone only copies; None if it moves by itself.

    Of a rig by Rigify, this is the bone of the original rig that has the name of the deforming one. In others, it is a
    bone that does not deform meshes, if a deforming one copies its place and rotation by constraints and does nothing
    else. A constraint whose influence is animated does not count, so the result is the same at all frames.
    """
    return _bone_named(bone, _copies_in(_armature(bone)).copied.get(bone.name))


def copiers_of(bone: bpy.types.PoseBone) -> list[bpy.types.PoseBone]:
    """Return the bones that only copy a bone, in the order of the armature."""
    return _bones_named(bone, _copies_in(_armature(bone)).copiers.get(bone.name, []))


def bones_above(bone: bpy.types.PoseBone) -> Iterator[bpy.types.PoseBone]:
    """Yield the bones above a bone, the nearest first: its parents, and then those of the bones that copy it.

    Each is followed by the bone that it copies. A bone may come twice. None comes that hangs on the given bone.
    """
    bones, copied = _bones(_armature(bone)), _copies_in(_armature(bone)).copied
    for start in (bone, *copiers_of(bone)):
        for above in _parents_of(start):
            if start == bone or not _is_within(above, bone):
                yield above
            name = copied.get(above.name)
            source = bones.get(name) if name else None
            if source is not None and not _is_within(source, bone):
                yield source


def steered_bone(control: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """Return the bone of Rigify's original rig that a control moves; None if there is none, or if there are several.

    This is the bone that copies the control, the bone of the same name, or the one that is deformed with the control.
    """
    if control.name.startswith((DEFORMING, MOVING)):
        return None
    followers = _bones_named(control, _copies_in(_armature(control)).following.get(control.name, []))
    original = [bone for bone in followers if bone.name.startswith(MOVING)]
    if not original and (named := _bone_named(control, MOVING + KIND_OF_CONTROL.sub("", control.name))) is not None:
        return copied_bone(named) or named
    found = [copied_bone(bone) or bone for bone in original] or [
        bone for follower in followers if (bone := copied_bone(follower)) is not None
    ]
    return found[0] if len(set(found)) == 1 and found[0] != control else None


def _armature(bone: bpy.types.PoseBone) -> bpy.types.Object:
    armature = bone.id_data
    assert isinstance(armature, bpy.types.Object)
    return armature


def _bones(armature: bpy.types.Object) -> bpy.types.bpy_prop_collection[bpy.types.PoseBone]:
    assert armature.pose is not None  # it has pose bones
    return armature.pose.bones


def _bone_named(bone: bpy.types.PoseBone, name: str | None) -> bpy.types.PoseBone | None:
    """Return another bone of the armature by its name; None if there is none."""
    return None if name is None else _bones(_armature(bone)).get(name)


def _bones_named(bone: bpy.types.PoseBone, names: list[str]) -> list[bpy.types.PoseBone]:
    return [found for name in names if (found := _bone_named(bone, name)) is not None]


def _parents_of(bone: bpy.types.PoseBone) -> Iterator[bpy.types.PoseBone]:
    """Yield the parent of a bone, that of the parent, and so on: only those that are asked for."""
    while (parent := bone.parent) is not None:
        bone = parent
        yield bone


def _is_within(bone: bpy.types.PoseBone, branch: bpy.types.PoseBone) -> bool:
    """Return whether a bone is the first one of a branch or hangs on it."""
    return bone == branch or branch in _parents_of(bone)


def _copies_in(armature: bpy.types.Object) -> _Copies:
    uid = armature.session_uid
    if uid not in _known:
        _known[uid] = _find_copies(armature)
    return _known[uid]


def _find_copies(armature: bpy.types.Object) -> _Copies:
    bones = _bones(armature)
    copied = _copied_by_name(bones)
    copied |= _copied_by_constraints(armature, [bone for bone in bones if bone.name not in copied])
    copiers: dict[str, list[str]] = {}
    for bone in bones:
        if bone.name in copied:
            copiers.setdefault(copied[bone.name], []).append(bone.name)
    return _Copies(copied, copiers, _following(armature))


def _copied_by_name(bones: bpy.types.bpy_prop_collection[bpy.types.PoseBone]) -> dict[str, str]:
    """Return the bone of Rigify's original rig for each deforming bone, by name.

    In the spine, the deforming bone and the original one both follow a tweak, so it stands for both of them.
    """
    found: dict[str, str] = {}
    for bone in bones:
        original = MOVING + bone.name.removeprefix(DEFORMING)
        candidates = (original, SEGMENT.sub("", original)) if bone.name.startswith(DEFORMING) else ()
        if known := [name for name in candidates if name in bones]:
            found[bone.name] = known[0]
            tweak = bones[known[0]].parent
            if tweak is not None and not bones[known[0]].constraints and _copies_transforms(bone, tweak):
                found[bone.name] = found[known[0]] = tweak.name
    return found


def _copies_transforms(bone: bpy.types.PoseBone, source: bpy.types.PoseBone) -> bool:
    """Return whether a bone has a Copy Transforms constraint with another bone of its armature."""
    return any(
        isinstance(constraint, bpy.types.CopyTransformsConstraint)
        and (constraint.target, constraint.subtarget) == (_armature(bone), source.name)
        for constraint in bone.constraints
    )


def _copied_by_constraints(armature: bpy.types.Object, bones: list[bpy.types.PoseBone]) -> dict[str, str]:
    """Return the bone that each deforming bone copies by its constraints, by name, if nothing else moves the latter.

    Args:
        bones: some bones of the armature.
    """
    candidates = {bone: name for bone in bones if bone.bone.use_deform and (name := _only_target(bone))}
    changing = _paths_of_changing_constraints(armature) if candidates else set()
    return {bone.name: name for bone, name in candidates.items() if bone.path_from_id() not in changing}


def _only_target(bone: bpy.types.PoseBone) -> str:
    """Return the name of the bone that a bone copies by all constraints that act on it now; empty if there is none."""
    acting = [constraint for constraint in bone.constraints if not constraint.mute and constraint.influence > 0.0]
    kinds = sorted(constraint.type for constraint in acting)
    if kinds not in (["COPY_TRANSFORMS"], ["COPY_LOCATION", "COPY_ROTATION"]):
        return ""
    names = {_copied_by(constraint, bone) for constraint in acting}
    source = _bone_named(bone, names.pop()) if len(names) == 1 else None
    return "" if source is None or source.bone.use_deform or _is_within(source, bone) else source.name


def _paths_of_changing_constraints(armature: bpy.types.Object) -> set[str]:
    """Return the data paths of the bones that have a constraint which keys, strips or drivers change."""
    return {
        bone + "]"
        for curve in all_curves_of(armature, ("pose.bones[",))
        for bone, word, _ in [curve.data_path.partition("].constraints[")]
        if word and (curve.driver is not None or len({point.co.y for point in curve.keyframe_points}) > 1)
    }


def _following(armature: bpy.types.Object) -> dict[str, list[str]]:
    """Return the names of Rigify's bones that have Copy Transforms, whatever its influence, by the copied bone."""
    found: dict[str, list[str]] = {}
    for bone in _bones(armature):
        for constraint in bone.constraints if bone.name.startswith((DEFORMING, MOVING)) else ():
            if isinstance(constraint, bpy.types.CopyTransformsConstraint) and constraint.target == armature:
                found.setdefault(constraint.subtarget, []).append(bone.name)
    return found


def _copied_by(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone) -> str:
    """Return the name of the bone that a constraint copies fully, in the space of both; empty if there is none.

    Args:
        bone: the bone that has the constraint, which copies another one of its armature.
    """
    if not isinstance(constraint, _COPYING) or constraint.target != _armature(bone) or constraint.influence < 1.0:
        return ""
    if constraint.owner_space != constraint.target_space or constraint.owner_space not in ("WORLD", "POSE"):
        return ""
    if isinstance(constraint, bpy.types.CopyTransformsConstraint):
        is_full = constraint.mix_mode == "REPLACE" and constraint.head_tail == 0.0
    else:
        is_full = all(
            getattr(constraint, f"use_{axis}") and not getattr(constraint, f"invert_{axis}") for axis in "xyz"
        )
        if isinstance(constraint, bpy.types.CopyLocationConstraint):
            is_full = is_full and not constraint.use_offset and constraint.head_tail == 0.0
        else:
            is_full = is_full and constraint.mix_mode == "REPLACE"
    return constraint.subtarget if is_full else ""
