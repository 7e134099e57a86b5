# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what moves an object: keys, drivers, strips, constraints, parents, joints with keys, or a preview."""

import itertools
from collections.abc import Iterable
from typing import TypeGuard

import bpy
import numpy as np

from ... import ids
from ...nodes import Node, attachment_of, channels_of, compose_channels, own_matrix, owner_of, parent_of, parts_among
from ...nodes.animation import all_curves_of, drivers_of, fcurves_of, is_property_animated, path_in, strips_on
from ...nodes.bones import chain_of, inverse_kinematics_of
from ...props import ancestors, is_link
from ...props.settings import joint_settings, link_settings

TRANSFORMS = ("location", "rotation_", "delta_location", "delta_rotation_")
SCALES = ("scale", "delta_scale")
ANIMATED_PATH = f"{ids.LINK}.animated"
"""Data path of a link's switch Animated."""

VALUES = f"{ids.JOINT}.coordinates["
"""Beginning of the data paths of a joint's values."""


def is_bake(action: bpy.types.Action | None) -> TypeGuard[bpy.types.Action]:
    """Return whether an action is a bake of this add-on."""
    return action is not None and bool(action.get(ids.BAKE_MARK))


def is_animated(obj: Node) -> bool:
    """Return whether the object moves by animation, a constraint, a preview, or a joint whose values have keys.

    Motion of its parents counts, too.
    """
    return _moves_one_of([obj, *ancestors(obj)])


def _moves_one_of(nodes: list[Node]) -> bool:
    return any(_moves_itself(node) or follows_keyed_joint(node) or is_previewed(node) for node in nodes) or is_in_chain(
        nodes
    )


def may_move_if_kinematic(link: Node) -> bool:
    """Return whether a kinematic link may move during a simulation: if it is animated, or hangs on a simulated link.

    The result is the same before and after a bake. A static link stays in place, so what carries that, and the keys by
    which a bake holds it, do not count.
    """
    nodes = [*itertools.takewhile(lambda node: not _is_static(node), (link, *ancestors(link)))]
    return any(map(_is_simulated, nodes)) or _moves_one_of(nodes)


def _is_static(node: Node) -> bool:
    return is_link(node) and link_settings(node).motion == "STATIC"


def _is_simulated(node: Node) -> bool:
    return is_link(node) and link_settings(node).motion == "FREE" and not may_follow_own_keys(node)


def is_previewed(obj: Node) -> bool:
    """Return whether a preview shows the link at another pose than its own."""
    return bool(link_settings(obj).before_preview)


def value_curves(joint: Node) -> list[bpy.types.FCurve]:
    """Return the F-curves of a joint's values, which move links, except muted ones."""
    return [curve for curve in fcurves_of(joint, (VALUES,)) if not is_muted(curve)]


def all_value_curves(owner: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Return the F-curves of the values of all joints that an object stores: its own, and those of its bones."""
    return [curve for curve in fcurves_of(owner) if VALUES in curve.data_path and not is_muted(curve)]


def is_muted(curve: bpy.types.FCurve) -> bool:
    """Return whether an F-curve has no effect: it is muted itself, or with its group."""
    return curve.mute or (curve.group is not None and curve.group.mute)


def follows_keyed_joint(link: Node) -> bool:
    """Return whether the joint that moves the link has keys for its values."""
    joint = link_settings(link).led_by_node
    if joint is None or not owner_of(joint).users_scene or not joint_settings(joint).is_joint:
        return False  # it was deleted; only this pointer keeps its data
    return bool(value_curves(joint))


def starting_basis(obj: Node) -> np.ndarray:
    """Return the object's own transform, shape (4, 4).

    An animated object has that of its first key, independent of the present frame.
    """
    return basis_at(obj)


def basis_at(obj: Node, frame: float | None = None) -> np.ndarray:
    """Return the object's own transform, shape (4, 4), evaluated from its F-curves.

    Args:
        frame: None for the first key of each F-curve.
    """
    curves = [*fcurves_of(obj, TRANSFORMS + SCALES)]
    if not curves:
        return own_matrix(obj)
    values = {name: list(getattr(obj, name)) for name in channels_of(obj)}
    for curve in curves:
        name = path_in(obj, curve)
        if name in values:
            at = curve.range()[0] if frame is None else frame
            values[name][curve.array_index] = curve.evaluate(at)
    return compose_channels(obj, values)


def active_constraints(obj: Node) -> list[bpy.types.Constraint]:
    return [constraint for constraint in obj.constraints if not constraint.mute and constraint.influence > 0.0]


def transform_drivers(obj: Node) -> list[bpy.types.FCurve]:
    return drivers_of(obj, TRANSFORMS)


def may_follow_own_keys(obj: Node) -> bool:
    """Return whether an object is a free link that may follow its own keys: its switch Animated is on, or keyed."""
    settings = link_settings(obj)
    if not settings.is_link or settings.motion != "FREE":
        return False
    return settings.animated or any(all_curves_of(obj, (ANIMATED_PATH,)))


def has_animated_scale(obj: Node) -> bool:
    """Return whether keys or a driver change the object's own scale."""
    return is_property_animated(obj, SCALES)


def has_own_motion(obj: Node) -> bool:
    """Return whether something other than an object parent moves the object."""
    return _moves_itself(obj) or is_in_chain([obj])


def _moves_itself(obj: Node) -> bool:
    """Return the result of `has_own_motion`, apart from constraints of other bones."""
    if attachment_of(obj) or any(_may_act(obj, constraint) for constraint in obj.constraints):
        return True
    return bool(transform_drivers(obj) or strips_on(obj, TRANSFORMS)) or has_own_keys(obj)


def _may_act(node: Node, constraint: bpy.types.Constraint) -> bool:
    """Return whether a constraint acts now, or at frames to which its animated influence leads."""
    if constraint.mute or constraint.influence > 0.0:
        return not constraint.mute
    return is_property_animated(node, (f'constraints["{constraint.name}"].influence',))


def is_in_chain(nodes: Iterable[Node]) -> bool:
    """Return whether inverse kinematics of other bones moves one of the nodes. They belong to few armatures."""
    moved = set(parts_among(nodes))
    return any(
        _may_act(end, constraint) and not moved.isdisjoint(chain_of(end, constraint))
        for armature in {owner_of(bone) for bone in moved}
        for end, constraint in inverse_kinematics_of(armature)
    )


def obstacle_to_moving(link: Node) -> str:
    """Return why the link cannot be moved permanently, and what to do; empty if it can be moved.

    Keys of its own are no reason: as everywhere in Blender, they apply again when the frame changes.
    """
    if not owner_of(link).is_editable:
        return "it comes from a library: make it local"
    if constraints := active_constraints(link):
        return f"its constraint '{constraints[0].name}' would take it back: mute it"
    if drivers := transform_drivers(link):
        return f"the driver on its {drivers[0].data_path} would take it back: remove it"
    if strips := strips_on(link, TRANSFORMS):
        return f"strip '{strips[0].name}' of its nonlinear animation would take it back: mute its track"
    if part := attachment_of(link):
        return f"the {part} of '{owner_of(parent_of(link) or link).name}' carries it: unparent it"
    for carrier in ancestors(link):
        if is_link(carrier):
            break
        if has_own_motion(carrier):
            return f"'{carrier.name}' carries it and is animated: unparent it, or tag '{carrier.name}' as a link"
    return ""


def has_own_keys(obj: Node) -> bool:
    """Return whether F-curves of its own action move the object."""
    return any(fcurves_of(obj, TRANSFORMS))
