# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials: the contact properties of colliders, and the colours of what is seen."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...geometry import Material
from ...geometry.contact_properties import Surface
from ..findings import Findings
from .stage import Stage

PHYSICS_MATERIAL = "PhysicsMaterialAPI"


def physics_material(stage: Stage, prim: Any) -> Any | None:
    """Return the material with contact properties that is bound to a collider, or None."""
    material = stage.bound_material(prim, "physics")
    return material if material and PHYSICS_MATERIAL in stage.applied(material) else None


def surface_of(stage: Stage, prim: Any, findings: Findings) -> Surface | None:
    """Return the surface of a collider; None if no material with contact properties is bound to it.

    USD's coefficients are 0 where a material does not give them.
    """
    material = physics_material(stage, prim)
    if material is None:
        return None
    names = ("dynamicFriction", "staticFriction", "restitution")
    friction, sticking, restitution = (stage.not_negative(material, f"physics:{name}") for name in names)
    return Surface(friction, sticking if sticking > friction else None, min(restitution, 1.0))


def color_of(stage: Stage, prim: Any, findings: Findings) -> Material | None:
    """Return the colour of a prim: that of its material's preview surface, or its display colour; else None."""
    if material := stage.bound_material(prim):
        for shader in _below(material):
            if stage.word(shader, "info:id", "") == "UsdPreviewSurface":
                red, green, blue = stage.numbers(shader, "inputs:diffuseColor", (0.18, 0.18, 0.18))
                return Material((red, green, blue, stage.number(shader, "inputs:opacity", 1.0, infinite=False)))
    colors = stage.raw(prim, "primvars:displayColor")
    opacities = stage.raw(prim, "primvars:displayOpacity")
    if not colors:
        return None
    red, green, blue = map(float, colors[0])
    color = (red, green, blue, float(opacities[0]) if opacities else 1.0)
    if all(map(math.isfinite, color)):
        return Material(color)
    findings.error(stage.place(prim), "bad-number", "its display colour has numbers that are not finite")
    return None


def _below(prim: Any) -> Iterator[Any]:
    """Yield all prims below a prim, parents first."""
    for child in prim.GetAllChildren():
        yield child
        yield from _below(child)
