# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a whole ragdoll, which are stored on its bones: total mass, stiffness, and self-collision.

They are properties of the armature that read and change those of all its bones that Make Ragdoll has set up.
"""

from __future__ import annotations

from typing import TypeGuard

from bpy.props import BoolProperty, FloatProperty
from bpy.types import Object

from ..nodes import Node, is_part, owner_of
from .members import links_on
from .settings import is_link_bone, joint_settings, link_settings

OF_MASS = ("drive_stiffness", "drive_damping", "damping", "friction")
"""Fields of an axis that Make Ragdoll has set in proportion to the masses that the joint moves."""


def is_body_part(node: Node | None) -> TypeGuard[Node]:
    """Return whether a node is a bone that Make Ragdoll has set up."""
    return node is not None and is_part(node) and is_link_bone(node) and bool(link_settings(node).body_part)


def ragdoll_bones(armature: Object) -> list[Node]:
    """Return the bones of an armature that Make Ragdoll has set up, in the armature's order."""
    return [bone for bone in links_on(armature) if link_settings(bone).body_part]


def ragdoll_of(obj: Object | None) -> Object | None:
    """Return the armature of a character that is a ragdoll; None if it is none.

    Args:
        obj: the armature, or a mesh that it deforms.
    """
    armature = obj.find_armature() if obj is not None and obj.type == "MESH" else obj
    return armature if armature is not None and ragdoll_bones(armature) else None


def follow(part: Node, motion: str) -> None:
    """Set the motion of a part of a ragdoll, and of the parts that must have the same.

    No animation can move a part that hangs on one that falls. So the parts above an animated one are animated, too, and
    the parts below a free one are free.

    Args:
        motion: "FREE" or "KINEMATIC".
    """
    if motion == "KINEMATIC":
        changed = [part, *_above(part)]
    else:
        changed = [part, *(each for each in ragdoll_bones(owner_of(part)) if part in _above(each))]
    for each in changed:
        link_settings(each).motion = motion


def _above(part: Node) -> list[Node]:
    """Return the parts on which a part of a ragdoll hangs, the nearest first."""
    found: list[Node] = []
    above = joint_settings(part).parent_node
    while is_body_part(above) and above not in found:
        found.append(above)
        above = joint_settings(above).parent_node
    return found


def _bones_of(settings) -> list[Node]:
    return ragdoll_bones(settings.id_data)


def _total_mass(settings) -> float:
    return sum(link_settings(bone).mass_shown for bone in _bones_of(settings))


def _scale_masses(settings, total: float) -> None:
    """Change all masses by one factor, and the muscles with them, so that the body moves as before."""
    before = _total_mass(settings)
    if not before:
        return
    for bone in _bones_of(settings):
        link = link_settings(bone)
        link.mass_source, link.mass = "MASS", link.mass_shown * total / before
        for axis in joint_settings(bone).axes:
            for name in OF_MASS:
                setattr(axis, name, getattr(axis, name) * total / before)


def _stiffness(settings) -> float:
    strengths = [joint_settings(bone).drive_strength for bone in _bones_of(settings)]
    return sum(strengths) / len(strengths) if strengths else 0.0


def _set_stiffness(settings, strength: float) -> None:
    for bone in _bones_of(settings):
        joint_settings(bone).drive_strength = strength


def _collides_with_itself(settings) -> bool:
    return any(link_settings(bone).self_collide for bone in _bones_of(settings))


def _let_collide(settings, does: bool) -> None:
    for bone in _bones_of(settings):
        link_settings(bone).self_collide = does


STIFFNESS_HELP = "How firmly joints keep the pose in which the ragdoll was made: 0 is limp, 1 is stiff"


def total_mass_property():
    return FloatProperty(
        name="Weight (kg)",
        description="Mass of the whole body. Its parts keep their shares",
        min=1e-6,
        soft_max=200.0,
        precision=2,
        get=_total_mass,
        set=_scale_masses,
        options={"SKIP_SAVE"},
    )


def stiffness_property():
    return FloatProperty(
        name="Stiffness",
        description=STIFFNESS_HELP,
        subtype="FACTOR",
        min=0.0,
        max=1.0,
        get=_stiffness,
        set=_set_stiffness,
        options={"SKIP_SAVE"},
    )


def self_collision_property():
    return BoolProperty(
        name="Self-Collision",
        description="Limbs collide with each other, except neighbours and those that overlap at rest",
        get=_collides_with_itself,
        set=_let_collide,
        options={"SKIP_SAVE"},
    )
