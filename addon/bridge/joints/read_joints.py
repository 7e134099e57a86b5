# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the Empty or the bone of a joint as a `Joint` of core."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable
from dataclasses import replace

import bpy

from ....core.joints import Unit
from ....core.model import WORLD, Axis, Joint, Mimic, ModelError
from ....core.spatial import norm, quat_normalized, scale
from ...nodes import Node, joins_itself, model_name, owner_of
from ...props import axes_in_use, core_joint, is_joint, is_link
from ...props.settings import joint_settings
from ..errors import SceneError
from ..model_objects import objects_present
from ..values.choices import require_known_choices
from ..values.fields import JOINT_FIELDS, MIMIC_FIELDS, Field, drive_of, fields_on, read_fields
from ..values.file_extras import parse_extras
from ..values.numbers import Units, scaled_pose, shortest, shortest_vec3, units_of
from .bone_joints import frames_of_bone
from .frames import require_both_ends
from .moved_frames import joint_frames

FAULT_OF_LOST_LINK = {"parent": "lost-parent", "child": "no-child"}
"""Codes of the faults if a link of the joint was deleted, by its role. The joint's pointer keeps the deleted object in
the file, but in no scene.
"""


def joint_of(obj: Node, units: Units, objects: Container[Node], strength: float | None = None) -> Joint:
    """Return the joint of an Empty or a bone.

    Args:
        objects: those of the scene, to which the joint may refer. Their bones need not be among them.
        strength: of its drives, from 0 to 1; None for the joint's own.

    Raises:
        ModelError: if the joint cannot be used as it is.
    """
    settings = joint_settings(obj)
    require_known_choices(f"joint '{model_name(obj)}'", settings, *axes_in_use(settings))
    known = core_joint(settings)
    parent, child = _ends(obj, settings, objects)
    joint = Joint(
        model_name(obj),
        settings.type,
        parent,
        child,
        axes=_axes(known, settings, units, settings.drive_strength if strength is None else strength),
        home=_home(known, settings, units.length) if settings.use_home else (),
        mimic=_mimic(obj, settings, units, objects) if settings.use_mimic else None,
        extras=parse_extras(settings.extras, f"joint '{model_name(obj)}'"),
        **read_fields(JOINT_FIELDS, settings, units),
    )
    if joins_itself(obj):
        X_PJ, X_CJ, home = frames_of_bone(obj, joint, units.length)
        if home and not settings.use_home:
            joint.home = home
    else:
        X_PJ, X_CJ = joint_frames(obj, joint, units.length)
    joint.X_PJ, joint.X_CJ = scaled_pose(X_PJ, units.length), scaled_pose(X_CJ, units.length)
    return joint


def read_joint(obj: Node, scene: bpy.types.Scene) -> Joint:
    """Return a joint of the scene in a form that can be changed and stored again.

    Directions keep the length that the user gave them, and drives have their full strength. Initial values are those
    that are stored; the joint of a bone without any has the neutral ones.

    Raises:
        ModelError: if it cannot be used; the message says what to do.
    """
    joint = joint_of(obj, units_of(scene), set(objects_present(scene)), strength=1.0)
    if not joint_settings(obj).use_home:
        joint.home = ()
    for number, stored in enumerate(axes_in_use(joint_settings(obj))):
        if joint.kind.slot(number).is_pointed:
            joint.axes[number].xyz = shortest_vec3(stored.xyz)
    return replace(joint)  # recomputes directions that axes share


def _ends(obj: Node, settings, objects: Container[Node]) -> tuple[str, str]:
    require_both_ends(obj)
    if settings.child_node == settings.parent_node:
        raise ModelError(
            f"joint '{model_name(obj)}' joins '{model_name(settings.child_node)}' with itself: choose another parent"
        )
    for end, role in ((settings.parent_node, "parent"), (settings.child_node, "child")):
        if end is None:
            continue
        if owner_of(end) not in objects:
            code = "absent" if owner_of(end).users_scene else FAULT_OF_LOST_LINK[role]
            raise SceneError(
                code, f"joint '{model_name(obj)}': its {role} '{model_name(end)}' {_reason_of_absence(end, obj)}"
            )
        if not is_link(end):
            message = f"joint '{model_name(obj)}': its {role} '{model_name(end)}' is no link: tag it, or choose another"
            raise SceneError("no-link", message)
    return model_name(settings.parent_node) if settings.parent_node else WORLD, model_name(settings.child_node)


def _reason_of_absence(link: Node, joint: Node) -> str:
    """Return why a joint's link is not part of the model, and what to do."""
    scenes = owner_of(link).users_scene
    if not scenes:
        return "is not in this scene, as it was deleted or unlinked: choose another link, or delete the joint"
    shared = set(scenes) & set(owner_of(joint).users_scene)
    if any(owner_of(link) not in objects_present(scene) for scene in shared):
        return "is in excluded collections only: include one in the view layer, or choose another link"
    return f"is not in this scene, but in '{scenes[0].name}': choose another link"


def _axes(known: Joint, settings, units: Units, strength: float) -> list[Axis]:
    return [_axis(known, number, axis, units, strength) for number, axis in enumerate(axes_in_use(settings))]


def _axis(known: Joint, number: int, properties, units: Units, strength: float) -> Axis:
    slot = known.kind.slot(number)
    values = axis_numbers(known, number, fields_on(slot), properties, units, strength)
    if slot.is_pointed:
        length = norm(values["xyz"])
        if not length:
            which = f"axis '{slot.name}'" if slot.name else "axis"
            raise SceneError("zero-axis", f"joint '{known.name}': its {which} is (0, 0, 0): give it a direction")
        values["xyz"] = scale(values["xyz"], 1.0 / length)
    return Axis(**values)


def axis_numbers(known: Joint, number: int, fields: Iterable[Field], properties, units: Units, strength: float) -> dict:
    """Return the values of an axis's fields for core, with those of its drive scaled by a strength from 0 to 1."""
    values = read_fields(fields, properties, units, coordinate=known.axis_unit(number))
    for name in drive_of(properties).scales:
        if name in values and math.isfinite(values[name]):
            values[name] *= strength
    return values


def _home(known: Joint, settings, unit: float) -> tuple[float, ...]:
    units = known.home_units
    if len(settings.coordinates) != len(units):
        raise ModelError(f"joint '{known.name}': its start does not fit its type: set the type again")
    home = [
        shortest(coordinate.home) * (unit if what is Unit.LENGTH else 1.0)
        for coordinate, (_, what) in zip(settings.coordinates, units, strict=True)
    ]
    turn = [i for i, (_, what) in enumerate(units) if what is Unit.NUMBER]
    if turn:
        quaternion = [home[i] for i in turn]
        if not any(quaternion):
            raise ModelError(f"joint '{known.name}': its start has a rotation of all zeros: the first of the four is 1")
        for i, value in zip(turn, quat_normalized(quaternion), strict=True):
            home[i] = value
    return tuple(home)


def _mimic(obj: Node, settings, units: Units, objects: Container[Node]) -> Mimic:
    leader = settings.mimic.leader_node
    if leader is None or not is_joint(leader) or owner_of(leader) not in objects:
        message = (
            f"joint '{model_name(obj)}' follows no joint of this scene: choose its leader, or switch Follow Joint off"
        )
        raise SceneError("no-leader", message)
    numbers = read_fields(MIMIC_FIELDS, settings.mimic, units)
    for what, joint in (("axis", obj), ("leader_axis", leader)):
        numbers[what] = _axis_number(numbers[what], joint, obj)
    return Mimic(model_name(leader), **numbers)


def _axis_number(number: int, joint: Node, follower: Node) -> int:
    """Return the number of the axis in `joint` to which a mimic refers; 0 if the joint has one axis only."""
    count = core_joint(joint_settings(joint)).axis_count
    if count > 1 and number >= count:
        raise ModelError(
            f"joint '{model_name(follower)}' follows with axis {number + 1} of '{model_name(joint)}', which has "
            f"{count}: choose one from 1 to {count}"
        )
    return number if count > 1 else 0
