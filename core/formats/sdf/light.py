# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of an SDF light besides its pose."""

from __future__ import annotations

from typing import cast, get_args

from ...files.xml import Element
from ...model import Light
from ...model.frames_and_lights import LightKind
from ..findings import Findings
from .shape import read_color

NUMBERS = {
    "intensity": (),
    "range": ("attenuation",),
    "constant": ("attenuation",),
    "linear": ("attenuation",),
    "quadratic": ("attenuation",),
    "inner_angle": ("spot",),
    "outer_angle": ("spot",),
    "falloff": ("spot",),
}
"""The path of the element that contains each number of a `Light`."""


def read_light(element: Element, findings: Findings) -> Light:
    """Return a light. The caller sets its link and its pose."""
    light = Light(element.name)
    kind = element.attributes.get("type", "point").strip()
    if kind in get_args(LightKind):
        light.kind = cast(LightKind, kind)
    else:
        allowed = ", ".join(get_args(LightKind))
        findings.warning(element, "unknown-light", f"type '{kind}' is no light of SDF; allowed are {allowed}")
    for name, place in NUMBERS.items():
        setattr(light, name, findings.number(element.child(*place), name, getattr(light, name)))
    light.direction = findings.vector(element, "direction", light.direction)
    light.diffuse = read_color(element.child("diffuse"), findings) or light.diffuse
    light.specular = read_color(element.child("specular"), findings) or light.specular
    shadows = element.child("cast_shadows")
    light.cast_shadows = shadows is not None and findings.flag(shadows.text, shadows)
    return light
