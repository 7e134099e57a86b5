# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what moves an object: keys, drivers, strips, constraints, parents, joints with keys, or a preview."""

from collections.abc import Iterator
from itertools import chain
from typing import TypeGuard

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from ... import ids
from ...props import ancestors, is_link
from ...props.settings import joint_settings, link_settings

TRANSFORMS = ("location", "rotation_", "delta_location", "delta_rotation_")
SCALES = ("scale", "delta_scale")
ANIMATED_PATH = f"{ids.LINK}.animated"
"""Data path of a link's switch Animated."""

CHANNELS = (
    *("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)


def action_of(obj: bpy.types.Object) -> bpy.types.Action | None:
    return obj.animation_data.action if obj.animation_data else None


def is_bake(action: bpy.types.Action | None) -> TypeGuard[bpy.types.Action]:
    """Return whether an action is a bake of this add-on."""
    return action is not None and bool(action.get(ids.BAKE_MARK))


def fcurves_of(owner: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of a data-block's action that belong to it."""
    if data := owner.animation_data:
        yield from curves_in(data.action, data.action_slot)


def curves_in(action: bpy.types.Action | None, slot) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves in a slot of an action; none if there is no action or no slot."""
    if action is None or slot is None:
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag:
                yield from bag.fcurves


def is_animated(obj: bpy.types.Object) -> bool:
    """Return whether the object moves by animation, a constraint, a preview, or a joint whose values have keys.

    Motion of its parents counts, too.
    """
    is_moved = has_own_motion(obj) or follows_keyed_joint(obj) or is_previewed(obj)
    return is_moved or (obj.parent is not None and is_animated(obj.parent))


def is_previewed(obj: bpy.types.Object) -> bool:
    """Return whether a preview shows the link at another pose than its own."""
    return bool(link_settings(obj).before_preview)


def value_curves(joint: bpy.types.Object) -> list[bpy.types.FCurve]:
    """Return the F-curves of a joint's values, which move links, except muted ones."""
    curves = (curve for curve in fcurves_of(joint) if curve.data_path.startswith(f"{ids.JOINT}.coordinates["))
    return [curve for curve in curves if not curve.mute and not (curve.group and curve.group.mute)]


def follows_keyed_joint(link: bpy.types.Object) -> bool:
    """Return whether the joint that moves the link has keys for its values."""
    joint = link_settings(link).led_by
    if joint is None or not joint.users_scene or not joint_settings(joint).is_joint:
        return False  # it was deleted; only this pointer keeps its data
    return bool(value_curves(joint))


def starting_basis(obj: bpy.types.Object) -> np.ndarray:
    """Return the object's own transform, shape (4, 4).

    An animated object has that of its first key, independent of the present frame.
    """
    return basis_at(obj)


def basis_at(obj: bpy.types.Object, frame: float | None = None) -> np.ndarray:
    """Return the object's own transform, shape (4, 4), evaluated from its F-curves.

    Args:
        frame: None for the first key of each F-curve.
    """
    curves = [curve for curve in fcurves_of(obj) if curve.data_path.startswith(TRANSFORMS + SCALES)]
    if not curves:
        return np.array(obj.matrix_basis, dtype=np.float64)
    values = {name: list(getattr(obj, name)) for name in CHANNELS}
    for curve in curves:
        if curve.data_path in values:
            at = curve.range()[0] if frame is None else frame
            values[curve.data_path][curve.array_index] = curve.evaluate(at)
    translation = Matrix.Translation(Vector(values["location"]) + Vector(values["delta_location"]))
    scale = Vector(values["scale"]) * Vector(values["delta_scale"])
    return np.array(
        translation @ _rotation(obj.rotation_mode, values) @ Matrix.Diagonal((*scale, 1.0)), dtype=np.float64
    )


def _rotation(mode: str, values: dict[str, list[float]]) -> Matrix:
    if mode == "QUATERNION":
        delta, own = (
            Quaternion(values[name]).normalized() for name in ("delta_rotation_quaternion", "rotation_quaternion")
        )
    elif mode == "AXIS_ANGLE":
        angle, *axis = values["rotation_axis_angle"]
        delta, own = Quaternion(), Quaternion(axis, angle)
    else:
        delta, own = (Euler(values[name], mode) for name in ("delta_rotation_euler", "rotation_euler"))
    return (delta.to_matrix() @ own.to_matrix()).to_4x4()


def active_constraints(obj: bpy.types.Object) -> list[bpy.types.Constraint]:
    return [constraint for constraint in obj.constraints if not constraint.mute and constraint.influence > 0.0]


def transform_drivers(obj: bpy.types.Object) -> list[bpy.types.FCurve]:
    data = obj.animation_data
    return [driver for driver in data.drivers if driver.data_path.startswith(TRANSFORMS)] if data else []


def may_follow_own_keys(obj: bpy.types.Object) -> bool:
    """Return whether an object is a free link that may follow its own keys: its switch Animated is on, or keyed."""
    settings = link_settings(obj)
    if not settings.is_link or settings.motion != "FREE":
        return False
    return settings.animated or any(curve.data_path == ANIMATED_PATH for curve in _all_curves(obj))


def has_animated_scale(obj: bpy.types.Object) -> bool:
    """Return whether keys or a driver change the object's own scale."""
    return is_property_animated(obj, SCALES)


def _all_curves(owner: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of the owner's action and strips, and those of its drivers."""
    strips = (curves_in(strip.action, strip.action_slot) for strip in playing_strips(owner))
    yield from chain(fcurves_of(owner), owner.animation_data.drivers if owner.animation_data else (), *strips)


def is_property_animated(owner: bpy.types.ID, paths: tuple[str, ...]) -> bool:
    """Return whether a driver, different keys or strips with different keys change a property.

    Args:
        paths: beginnings of the data paths of the properties.
    """
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    if any(driver.data_path.startswith(paths) for driver in drivers):
        return True
    strips = (curves_in(strip.action, strip.action_slot) for strip in playing_strips(owner))
    return any(
        len({round(point.co[1], 6) for point in curve.keyframe_points}) > 1
        for curve in chain(fcurves_of(owner), *strips)
        if curve.data_path.startswith(paths)
    )


def has_own_motion(obj: bpy.types.Object) -> bool:
    """Return whether something other than an object parent moves the object."""
    if _is_on_a_bone(obj) or active_constraints(obj) or transform_drivers(obj) or strips_on(obj, TRANSFORMS):
        return True
    return has_own_keys(obj)


def _is_on_a_bone(obj: bpy.types.Object) -> bool:
    return obj.parent is not None and obj.parent_type != "OBJECT"


def obstacle_to_moving(link: bpy.types.Object) -> str:
    """Return why the link cannot be moved permanently, and what to do; empty if it can be moved.

    Keys of its own are no reason: as everywhere in Blender, they apply again when the frame changes.
    """
    if not link.is_editable:
        return "it comes from a library: make it local"
    if constraints := active_constraints(link):
        return f"its constraint '{constraints[0].name}' would take it back: mute it"
    if drivers := transform_drivers(link):
        return f"the driver on its {drivers[0].data_path} would take it back: remove it"
    if strips := strips_on(link, TRANSFORMS):
        return f"strip '{strips[0].name}' of its nonlinear animation would take it back: mute its track"
    if _is_on_a_bone(link):
        return f"the {link.parent_type.lower()} of '{link.parent.name}' carries it: unparent it"
    for carrier in ancestors(link):
        if is_link(carrier):
            break
        if has_own_motion(carrier):
            return f"'{carrier.name}' carries it and is animated: unparent it, or tag '{carrier.name}' as a link"
    return ""


def has_own_keys(obj: bpy.types.Object) -> bool:
    """Return whether F-curves of its own action move the object."""
    return any(curve.data_path.startswith(TRANSFORMS) for curve in fcurves_of(obj))


def playing_tracks(owner: bpy.types.ID) -> list[bpy.types.NlaTrack]:
    """Return the tracks of the nonlinear animation that are in effect: not muted, and solo if any track is solo."""
    data = owner.animation_data
    tracks = data.nla_tracks if data and data.use_nla else ()
    tracks = [track for track in tracks if track.is_solo] or tracks  # solo tracks silence all others
    return [track for track in tracks if not track.mute]


def playing_strips(owner: bpy.types.ID) -> list[bpy.types.NlaStrip]:
    """Return the strips of the nonlinear animation whose tracks are in effect."""
    return [strip for track in playing_tracks(owner) for strip in track.strips]


def strips_on(obj: bpy.types.Object, paths: tuple[str, ...]) -> list[bpy.types.NlaStrip]:
    """Return the strips in effect that have F-curves on data paths with these beginnings.

    Strips without an action, such as meta strips, are included, since their F-curves lie deeper.
    """
    return [strip for strip in playing_strips(obj) if _has_curves(strip, paths)]


def tracks_on(obj: bpy.types.Object, paths: tuple[str, ...]) -> list[bpy.types.NlaTrack]:
    """Return the tracks in effect that contain strips on these data paths, as `strips_on` finds them."""
    return [track for track in playing_tracks(obj) if any(_has_curves(strip, paths) for strip in track.strips)]


def _has_curves(strip: bpy.types.NlaStrip, paths: tuple[str, ...]) -> bool:
    curves = curves_in(strip.action, strip.action_slot)
    return strip.action is None or any(curve.data_path.startswith(paths) for curve in curves)
