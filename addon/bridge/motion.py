# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether something moves an object, so that where it is now says nothing about how the model was drawn."""

from collections.abc import Iterator
from itertools import chain
from typing import TypeGuard

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from .. import ids
from ..props import ancestors, is_link

TRANSFORMS = ("location", "rotation_", "delta_location", "delta_rotation_")
SCALES = ("scale", "delta_scale")
SWITCH = f"{ids.LINK}.animated"
"""Data path of a link's switch Animated."""

CHANNELS = (
    *("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)


def action_of(obj: bpy.types.Object) -> bpy.types.Action | None:
    return obj.animation_data.action if obj.animation_data else None


def is_bake(action: bpy.types.Action | None) -> TypeGuard[bpy.types.Action]:
    """Whether an action is a bake of ours."""
    return action is not None and bool(action.get(ids.BAKE_MARK))


def fcurves_of(owner: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """The F-curves that the action of an object, or of other data, holds for it."""
    if data := owner.animation_data:
        yield from curves_in(data.action, data.action_slot)


def curves_in(action: bpy.types.Action | None, slot) -> Iterator[bpy.types.FCurve]:
    """The F-curves in a slot of an action; none where there is neither."""
    if action is None or slot is None:
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot)
            if bag:
                yield from bag.fcurves


def is_animated(obj: bpy.types.Object) -> bool:
    """Whether animation, a constraint or a preview moves the object, or what carries it, or a joint that has keys."""
    is_moved = moves_itself(obj) or follows_keys(obj) or is_previewed(obj)
    return is_moved or (obj.parent is not None and is_animated(obj.parent))


def is_previewed(obj: bpy.types.Object) -> bool:
    """Whether a preview shows the link elsewhere than it is."""
    return bool(getattr(obj, ids.LINK).before_preview)


def value_curves(joint: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The F-curves of a joint's values, which move links."""
    curves = (curve for curve in fcurves_of(joint) if curve.data_path.startswith(f"{ids.JOINT}.coordinates["))
    return [curve for curve in curves if not curve.mute and not (curve.group and curve.group.mute)]


def follows_keys(link: bpy.types.Object) -> bool:
    """Whether a joint moves the link whose values have keys."""
    joint = getattr(link, ids.LINK).led_by
    if joint is None or not joint.users_scene or not getattr(joint, ids.JOINT).is_joint:
        return False  # it was deleted, though this pointer still keeps its data
    return bool(value_curves(joint))


def starting_basis(obj: bpy.types.Object) -> np.ndarray:
    """The object's own transform, shape (4, 4); of an animated one, that at its first key, at whatever frame we are."""
    return basis_at(obj)


def basis_at(obj: bpy.types.Object, frame: float | None = None) -> np.ndarray:
    """The object's own transform, shape (4, 4), as its F-curves have it at a frame, or at the first key of each."""
    curves = [curve for curve in fcurves_of(obj) if curve.data_path.startswith(TRANSFORMS + SCALES)]
    if not curves:
        return np.array(obj.matrix_basis, dtype=np.float64)
    values = {name: list(getattr(obj, name)) for name in CHANNELS}
    for curve in curves:
        if curve.data_path in values:
            at = curve.range()[0] if frame is None else frame
            values[curve.data_path][curve.array_index] = curve.evaluate(at)
    place = Matrix.Translation(Vector(values["location"]) + Vector(values["delta_location"]))
    size = Vector(values["scale"]) * Vector(values["delta_scale"])
    return np.array(place @ _turn(obj.rotation_mode, values) @ Matrix.Diagonal((*size, 1.0)), dtype=np.float64)


def _turn(mode: str, values: dict[str, list[float]]) -> Matrix:
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
    """Return whether an object is a free link whose switch Animated is on, or keyed, so that its keys may lead it."""
    settings = getattr(obj, ids.LINK)
    if not settings.is_link or settings.motion != "FREE":
        return False
    return settings.animated or any(curve.data_path == SWITCH for curve in _all_curves(obj))


def changes_its_size(obj: bpy.types.Object) -> bool:
    """Whether keys or a driver change the object's own scale."""
    return is_changing(obj, SCALES)


def _all_curves(owner: bpy.types.ID) -> Iterator[bpy.types.FCurve]:
    """The F-curves of the owner's action and strips, and its drivers."""
    strips = (curves_in(strip.action, strip.action_slot) for strip in playing_strips(owner))
    yield from chain(fcurves_of(owner), owner.animation_data.drivers if owner.animation_data else (), *strips)


def is_changing(owner: bpy.types.ID, paths: tuple[str, ...]) -> bool:
    """Whether a driver, keys that differ or strips of them change what lies on data paths that begin so."""
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    if any(driver.data_path.startswith(paths) for driver in drivers):
        return True
    strips = (curves_in(strip.action, strip.action_slot) for strip in playing_strips(owner))
    return any(
        len({round(point.co[1], 6) for point in curve.keyframe_points}) > 1
        for curve in chain(fcurves_of(owner), *strips)
        if curve.data_path.startswith(paths)
    )


def moves_itself(obj: bpy.types.Object) -> bool:
    """Whether something other than a plain parent moves the object."""
    if _is_on_a_bone(obj) or active_constraints(obj) or transform_drivers(obj) or strips_on(obj, TRANSFORMS):
        return True
    return has_own_keys(obj)


def _is_on_a_bone(obj: bpy.types.Object) -> bool:
    return obj.parent is not None and obj.parent_type != "OBJECT"


def what_holds(link: bpy.types.Object) -> str:
    """Why the link cannot be put elsewhere for more than a moment, and what to do; empty where it can.

    Its own keys let it be posed: they take it back when the frame changes, as everywhere in Blender.
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
        if moves_itself(carrier):
            return f"'{carrier.name}' carries it and is animated: unparent it, or tag '{carrier.name}' as a link"
    return ""


def has_own_keys(obj: bpy.types.Object) -> bool:
    """Whether F-curves of its own move the object."""
    return any(curve.data_path.startswith(TRANSFORMS) for curve in fcurves_of(obj))


def playing_tracks(owner: bpy.types.ID) -> list[bpy.types.NlaTrack]:
    """The tracks of its nonlinear animation that are not muted."""
    data = owner.animation_data
    tracks = data.nla_tracks if data and data.use_nla else ()
    tracks = [track for track in tracks if track.is_solo] or tracks  # which silences all others
    return [track for track in tracks if not track.mute]


def playing_strips(owner: bpy.types.ID) -> list[bpy.types.NlaStrip]:
    """The strips of its nonlinear animation that are not muted."""
    return [strip for track in playing_tracks(owner) for strip in track.strips]


def strips_on(obj: bpy.types.Object, paths: tuple[str, ...]) -> list[bpy.types.NlaStrip]:
    """Those that have curves whose data paths begin so, or whose curves lie deeper, as those of a meta strip do."""
    return [strip for strip in playing_strips(obj) if _has_curves(strip, paths)]


def tracks_on(obj: bpy.types.Object, paths: tuple[str, ...]) -> list[bpy.types.NlaTrack]:
    """The tracks that play strips on these data paths, as `strips_on` finds them."""
    return [track for track in playing_tracks(obj) if any(_has_curves(strip, paths) for strip in track.strips)]


def _has_curves(strip: bpy.types.NlaStrip, paths: tuple[str, ...]) -> bool:
    curves = curves_in(strip.action, strip.action_slot)
    return strip.action is None or any(curve.data_path.startswith(paths) for curve in curves)
