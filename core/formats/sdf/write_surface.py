# SPDX-License-Identifier: GPL-3.0-or-later
"""The writer of contact properties in SDF: <surface>, and <drake:proximity_properties> for what it cannot express."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement

from ...extras import Extra
from ...geometry import Shape, Surface
from ...geometry.shapes import ALL_LAYERS
from ..alike import bounded_friction
from ..drake.surface import tell_drake
from ..xml.kept import element_of, first_child, kept_number
from ..xml.output import number, put
from .surface import FRICTIONS, ODE, SDF_LAYERS, TORSION

UNSAID = ("static_friction", "dissipation")
"""Fields of a `Surface` that Drake can express and SDF cannot."""


def write_surface(collision: Element, shape: Shape, subject: str, losses: list[str]) -> list[Extra]:
    """Write the contact properties of a shape into a <collision>. Return the extras that have still to be written."""
    surface = shape.surface
    if surface is not None:
        _friction(collision, surface, shape.extras)
        if surface.restitution:
            _put_at(collision, ("surface", "bounce", "restitution_coefficient"), number(surface.restitution))
        _for_drake(collision, surface, subject, losses)
        if surface.rolling_friction:
            losses.append(f"{subject}: SDF has no rolling friction; {surface.rolling_friction:g} m is left out")
        if surface.slip_speed:
            losses.append(f"{subject}: SDF has no slip speed; {surface.slip_speed:g} m/s is left out")
        if any(surface.velocity):
            losses.append(f"{subject}: SDF has no velocity of a surface; the belt stands still")
    if shape.meets != ALL_LAYERS or shape.layers != ALL_LAYERS:
        _put_at(collision, ("surface", "contact", "collide_bitmask"), str(shape.meets & SDF_LAYERS))
        if shape.layers != shape.meets:
            _put_at(collision, ("surface", "contact", "category_bitmask"), str(shape.layers & SDF_LAYERS))
        if any(bits > SDF_LAYERS and bits != ALL_LAYERS for bits in (shape.meets, shape.layers)):
            losses.append(f"{subject}: SDF has 16 layers; the other layers that the shape is on or meets are left out")
    if surface is not None and math.isfinite(surface.stiffness):
        _put_at(collision, ("surface", "contact", "ode", "kp"), number(surface.stiffness))
    return [extra for extra in shape.extras if not _is_said(collision, extra)]


def _friction(collision: Element, surface: Surface, extras: tuple[Extra, ...]) -> None:
    """Write friction, equal along both directions, unless the larger of two was kept and is still larger."""
    kept = {extra.tag: kept_number(element_of(extra).text) for extra in extras if extra.within == ODE}
    for tag in FRICTIONS:
        if bounded_friction(kept.get(tag, 0.0)) <= surface.friction:
            _put_at(collision, (*ODE, tag), number(surface.friction))
    if surface.spinning_friction:
        coefficient = surface.friction or 1.0
        at = ("surface", "friction", "torsional")
        _put_at(collision, (*at, "coefficient"), number(coefficient))
        _put_at(collision, (*at, "patch_radius"), number(surface.spinning_friction / (TORSION * coefficient)))


def _for_drake(collision: Element, surface: Surface, subject: str, losses: list[str]) -> None:
    said = [name for name in UNSAID if getattr(surface, name) != getattr(Surface(), name)]
    for name in said:
        losses.append(f"{subject}: SDF has no {name.replace('_', ' ')}; it is said to Drake alone")
    if "static_friction" in said:
        said.append("friction")
    if math.isfinite(surface.contact_stiffness):
        said.append("stiffness")
    tell_drake(collision, surface, said, put)


def _put_at(element: Element, path: tuple[str, ...], text: str) -> None:
    """Add a text at the end of a path of tags. Elements that are missing are added."""
    for tag in path[:-1]:
        found = element.find(tag)
        element = SubElement(element, tag) if found is None else found
    put(element, path[-1], text)


def _is_said(collision: Element, extra: Extra) -> bool:
    """Return whether a kept part of a <surface> has been written with a new value."""
    at: Element | None = collision
    for tag in (*extra.within, extra.tag):
        at = None if at is None else first_child(at, tag)
    return at is not None and extra.within[:1] == ("surface",)
