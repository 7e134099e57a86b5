# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints that override the keys of bones, and the F-curves that switch them off while a bake plays."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

import bpy

from . import armature_bones, owner_of
from .animation import all_curves_of, drivers_of, fcurves_of
from .bones import InverseKinematics, chain_of
from .copied_bones import copied_bone

GROUP = "Limberjack: Constraints Off"
"""Name of the group of the F-curves by which a bake switches constraints off. It tells them from those of the user."""


_PLACING = (bpy.types.CopyTransformsConstraint, bpy.types.CopyLocationConstraint)
"""Types of constraints that take a bone to the place of another one."""


def overriding_constraints(links: Iterable[bpy.types.PoseBone]) -> list[bpy.types.Constraint]:
    """Return the constraints that would show bones, or what moves along with them, elsewhere than their keys do.

    These are the constraints of the bones and of bones between two of them, inverse kinematics of other bones whose
    chains contain one of these, stretches of bones that copy one, and copies by which a bone that hangs on one of them
    would stay behind. Constraints that a bake has switched off count;
    those that the user has switched off do not.
    """
    by_armature: dict[bpy.types.Object, set[bpy.types.PoseBone]] = {}
    for link in links:
        by_armature.setdefault(owner_of(link), set()).add(link)
    found = []
    for armature, known in by_armature.items():
        moved = known | _bones_between(known)
        animated = {curve.data_path for curve in all_curves_of(armature)}
        switched_off = {curve.data_path for curve in muting_curves(armature)}
        for bone in armature_bones(armature):
            for constraint in bone.constraints:
                is_against = (
                    _overrides(constraint, bone, moved)
                    or _stretches_away(constraint, bone, known)
                    or _tears_off(constraint, bone, known)
                )
                if is_against and _may_act(constraint, animated, switched_off):
                    found.append(constraint)
    return found


def _bones_between(links: set[bpy.types.PoseBone]) -> set[bpy.types.PoseBone]:
    """Return the bones between two of these links, which move along with the upper one."""
    found = set()
    for link in links:
        above = link.parent_recursive
        upper = next((number for number, bone in enumerate(above) if bone in links), 0)
        found.update(above[:upper])
    return found


def _overrides(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone, moved: set[bpy.types.PoseBone]) -> bool:
    """Return whether a constraint of a bone moves one of the bones `moved`."""
    if bone in moved:
        return True
    return (
        isinstance(constraint, InverseKinematics)
        and constraint.target is not None
        and not moved.isdisjoint(chain_of(bone, constraint))
    )


def _stretches_away(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone, links: set[bpy.types.PoseBone]) -> bool:
    """Return whether a constraint stretches a copy of a link to a bone that stays behind.

    In a rig by Rigify, the deforming bone of the chest stretches to a control of the neck.
    """
    if not isinstance(constraint, bpy.types.StretchToConstraint) or constraint.target != owner_of(bone):
        return False
    end = armature_bones(owner_of(bone)).get(constraint.subtarget)
    return copied_bone(bone) in links and end is not None and links.isdisjoint((end, *end.parent_recursive))


def _tears_off(constraint: bpy.types.Constraint, bone: bpy.types.PoseBone, links: set[bpy.types.PoseBone]) -> bool:
    """Return whether a constraint moves a bone away from the link that it hangs on.

    In a rig by Rigify, the toes hang on the foot, and copy a control that stays behind, or moves along with the hips.
    """
    if not isinstance(constraint, _PLACING) or constraint.target != owner_of(bone):
        return False
    carrying = _links_above(bone.parent, links)
    end = armature_bones(owner_of(bone)).get(constraint.subtarget)
    if not carrying or end is None or end in links or copied_bone(end) in links:
        return False
    if _links_above(end.parent, links)[:1] == carrying[:1]:  # the constraints of `end` decide
        return False
    carrying_end = _links_above(end, links)
    return not carrying_end or carrying_end[0] in carrying[1:]


def _links_above(bone: bpy.types.PoseBone | None, links: set[bpy.types.PoseBone]) -> list[bpy.types.PoseBone]:
    """Return the links that carry a bone, the nearest first: itself, or bones above, or those that these copy.

    A bone that a constraint takes to another one is carried by what carries that one.
    """
    found, seen = [], set()
    while bone is not None and bone not in seen:
        seen.add(bone)
        copied = copied_bone(bone)
        link = bone if bone in links else copied if copied in links else None
        if link is not None:
            found.append(link)
            bone = link.parent
        else:
            bone = copied or _place_of(bone) or bone.parent
    return found


def _place_of(bone: bpy.types.PoseBone) -> bpy.types.PoseBone | None:
    """Return the bone to which a constraint takes a bone; None if there is none."""
    bones = armature_bones(owner_of(bone))
    for constraint in reversed(bone.constraints):
        acts = not constraint.mute and constraint.influence > 0.0
        if acts and isinstance(constraint, _PLACING) and constraint.target == owner_of(bone):
            end = bones.get(constraint.subtarget)
            if end is not None:
                return end
    return None


def _may_act(constraint: bpy.types.Constraint, animated: set[str], switched_off: set[str]) -> bool:
    """Return whether a constraint acts, now or at other frames.

    Args:
        animated: data paths with F-curves or drivers. switched_off: those of the switches that a bake has keyed.
    """
    if constraint.mute and switch_of(constraint) not in switched_off and animated.isdisjoint(_switches_of(constraint)):
        return False
    return constraint.influence > 0.0 or constraint.path_from_id("influence") in animated


def armature_of(constraint: bpy.types.Constraint) -> bpy.types.Object:
    """Return the object of the bone that has a constraint."""
    owner = constraint.id_data
    assert isinstance(owner, bpy.types.Object)  # constraints are on objects and their bones
    return owner


def bone_of(constraint: bpy.types.Constraint) -> bpy.types.PoseBone:
    """Return the bone that has a constraint."""
    return armature_of(constraint).path_resolve(constraint.path_from_id().rpartition(".constraints[")[0])


def switch_of(constraint: bpy.types.Constraint) -> str:
    """Return the data path of a constraint's switch, which the panels of Blender show as an eye."""
    return constraint.path_from_id("enabled")


def _switches_of(constraint: bpy.types.Constraint) -> tuple[str, str]:
    """Return the data paths of both properties that switch a constraint on and off."""
    return switch_of(constraint), constraint.path_from_id("mute")


def muting_curves(owner: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Return the F-curves by which the bake that an object plays switches constraints off."""
    return [curve for curve in fcurves_of(owner) if is_muting(curve)]


def is_muting(curve: bpy.types.FCurve) -> bool:
    """Return whether an F-curve is one by which a bake switches a constraint off."""
    return curve.group is not None and curve.group.name == GROUP


def switch_curves(owner: bpy.types.Object, constraint: bpy.types.Constraint) -> list[bpy.types.FCurve]:
    """Return the F-curves of the user that switch a constraint, in the action that its object plays."""
    paths = _switches_of(constraint)
    return [curve for curve in fcurves_of(owner) if curve.data_path in paths and not is_muting(curve)]


def obstacle_to_muting(constraint: bpy.types.Constraint) -> str:
    """Return why a constraint cannot be switched off by keys, and what to do; empty if it can."""
    owner = armature_of(constraint)
    if drivers_of(owner, _switches_of(constraint)):
        return f"a driver switches the constraint '{constraint.name}' of '{owner.name}': let it drive its influence"
    if switch_curves(owner, constraint):
        return f"keys switch the constraint '{constraint.name}' of '{owner.name}': key its influence instead"
    return ""


def switch_on(owner: bpy.types.Object) -> None:
    """Switch on the constraints that the bake of an object has switched off by keys."""
    for curve in muting_curves(owner):
        switch_on_by(owner, curve)


def switch_on_by(owner: bpy.types.Object, curve: bpy.types.FCurve) -> None:
    """Switch on the constraint that an F-curve of an object switches."""
    path, _, name = curve.data_path.rpartition(".")
    setattr(owner.path_resolve(path), name, True)


@contextmanager
def muted(constraints: Collection[bpy.types.Constraint]) -> Iterator[None]:
    """Switch constraints off within this context, at all frames. What was evaluated meanwhile, stays so at its end."""
    acting = [constraint for constraint in constraints if not constraint.mute]
    curves = [
        curve
        for constraint in constraints
        for curve in fcurves_of(armature_of(constraint), _switches_of(constraint))
        if not curve.mute
    ]
    for item in (*curves, *acting):
        item.mute = True
    try:
        yield
    finally:
        for item in (*curves, *acting):
            item.mute = False
