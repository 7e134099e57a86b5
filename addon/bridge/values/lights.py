# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert lights: Blender's power in watts, and the model's intensity with attenuation over distance.

A light of intensity 1 makes a white matte surface that faces it look white. The conversion keeps the brightness of such
a surface at a distance of one metre from a point or spot light, or anywhere under a directional one. In Blender, this
brightness is `watts / (4 pi^2 r^2)`, or `strength / pi` for a directional light.
"""

from __future__ import annotations

import math
from typing import Literal

import bpy
from mathutils import Quaternion, Vector

from ....core.model import Light
from ....core.model.frames_and_lights import LightKind
from ....core.spatial import Pose, compose
from ...props.settings import light_settings
from .file_extras import original_name
from .numbers import shortest, shortest_all, significant

KINDS: dict[str, LightKind] = {"POINT": "point", "SPOT": "spot", "SUN": "directional", "AREA": "point"}
BLENDER_KINDS: dict[LightKind, Literal["POINT", "SPOT", "SUN"]] = {
    "point": "POINT",
    "spot": "SPOT",
    "directional": "SUN",
}
POINT_WATTS = 4.0 * math.pi**2
SUN_STRENGTH = math.pi
FORWARD = Vector((0.0, 0.0, -1.0))
"""Direction in which Blender's lights shine, in their own axes."""


def read_light(obj: bpy.types.Object, link: str, pose: Pose, unit: float) -> tuple[Light, list[str]]:
    """Return the light of an object, and notes about what could not be converted.

    Args:
        link: name of the link that carries it, or of the world.
        pose: in that link [m].
        unit: length of a Blender unit [m].
    """
    data = obj.data
    assert isinstance(data, bpy.types.Light)
    settings = light_settings(data)
    red, green, blue = shortest_all(data.color)
    light = Light(original_name(obj), KINDS[data.type], link, pose, diffuse=(red, green, blue, 1.0))
    light.specular = tuple(shortest_all(settings.specular))
    light.range = shortest(settings.range) * unit
    light.constant, light.linear, light.quadratic, light.falloff = shortest_all(
        (settings.constant, settings.linear, settings.quadratic, settings.falloff)
    )
    light.intensity = significant(data.energy / _energy_of_one(light, unit))
    light.cast_shadows = bool(data.use_shadow)
    if data.type == "SPOT":
        light.outer_angle = shortest(data.spot_size)
        light.inner_angle = significant(data.spot_size * (1.0 - data.spot_blend))
    notes = [f"light '{obj.name}': an area light leaves as a point light"] if data.type == "AREA" else []
    return light, notes


def new_light(light: Light, unit: float) -> tuple[bpy.types.Light, Pose]:
    """Return Blender's light for a light of the model, and its pose on the link that carries it [m].

    Args:
        unit: length of a Blender unit [m].
    """
    data = bpy.data.lights.new(light.name, BLENDER_KINDS[light.kind])
    settings = light_settings(data)
    data.color = light.diffuse[:3]
    data.energy = light.intensity * _energy_of_one(light, unit)
    data.use_shadow = light.cast_shadows
    settings.specular = light.specular
    settings.range = light.range / unit
    settings.constant, settings.linear, settings.quadratic = light.constant, light.linear, light.quadratic
    settings.falloff = light.falloff
    if light.kind == "spot":
        data.spot_size = light.outer_angle
        data.spot_blend = 1.0 - min(light.inner_angle / light.outer_angle, 1.0) if light.outer_angle else 0.0
    direction = Vector(light.direction)
    if light.kind == "point" or not direction.length or direction.normalized() == FORWARD:
        return data, light.pose
    turn: Quaternion = FORWARD.rotation_difference(direction)
    return data, compose(light.pose, (0.0, 0.0, 0.0, turn.w, turn.x, turn.y, turn.z))


def _energy_of_one(light: Light, unit: float) -> float:
    """Return Blender's energy for an intensity of 1 [W, or strength of a directional light]."""
    if light.kind == "directional":
        return SUN_STRENGTH
    fade = light.constant + light.linear + light.quadratic
    return POINT_WATTS / (fade if fade > 0.0 else 1.0) / unit**2
