"""Whether something moves an object, so that where it is now says nothing about how the model was drawn."""

from collections.abc import Iterator

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

TRANSFORMS = ("location", "rotation_", "delta_location", "delta_rotation_")
SCALES = ("scale", "delta_scale")
CHANNELS = (
    *("location", "rotation_euler", "rotation_quaternion", "rotation_axis_angle", "scale"),
    *("delta_location", "delta_rotation_euler", "delta_rotation_quaternion", "delta_scale"),
)


def fcurves_of(obj: bpy.types.Object) -> Iterator[bpy.types.FCurve]:
    """The F-curves that the object's action holds for it."""
    data = obj.animation_data
    if data is None or data.action is None or data.action_slot is None:
        return
    for layer in data.action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(data.action_slot)
            if bag:
                yield from bag.fcurves


def is_animated(obj: bpy.types.Object) -> bool:
    """Whether animation or a constraint moves the object, or something that carries it."""
    while obj is not None:
        if moves_itself(obj):
            return True
        obj = obj.parent
    return False


def starting_basis(obj: bpy.types.Object) -> np.ndarray:
    """The object's own transform, shape (4, 4); of an animated one, that at its first key, at whatever frame we are."""
    curves = [curve for curve in fcurves_of(obj) if curve.data_path.startswith(TRANSFORMS + SCALES)]
    if not curves:
        return np.array(obj.matrix_basis, dtype=np.float64)
    values = {name: list(getattr(obj, name)) for name in CHANNELS}
    for curve in curves:
        if curve.data_path in values:
            values[curve.data_path][curve.array_index] = curve.evaluate(curve.range()[0])
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


def has_changing_scale(obj: bpy.types.Object) -> bool:
    """Whether keys change the object's size."""
    return any(
        len({round(point.co[1], 6) for point in curve.keyframe_points}) > 1
        for curve in fcurves_of(obj)
        if curve.data_path.startswith(SCALES)
    )


def moves_itself(obj: bpy.types.Object) -> bool:
    """Whether something other than a plain parent moves the object."""
    on_a_bone = obj.parent is not None and obj.parent_type != "OBJECT"
    if on_a_bone or active_constraints(obj) or transform_drivers(obj):
        return True
    data = obj.animation_data
    if data is None:
        return False
    has_strips = data.use_nla and any(track.strips and not track.mute for track in data.nla_tracks)
    return has_strips or any(curve.data_path.startswith(TRANSFORMS) for curve in fcurves_of(obj))
