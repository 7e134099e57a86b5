# SPDX-License-Identifier: GPL-3.0-or-later
"""How an SDF collision touches: <surface>, and Drake's <drake:proximity_properties>."""

from __future__ import annotations

import math
import re
from typing import Any

from ...extras import Extra
from ...files.xml import Element
from ...geometry import Shape, Surface
from ...geometry.shapes import ALL_LAYERS
from ..alike import bounded_friction, tell_two_directions
from ..drake import PROPERTIES, UNDERSTOOD, said_to_drake
from ..findings import Findings
from ..kept import Known, extras_of, known

ODE = ("surface", "friction", "ode")
MASK = re.compile("[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")
FRICTIONS = ("mu", "mu2")
"""Along two directions, at ODE."""
TORSION = 3.0 * math.pi / 16.0
"""Torque per normal force, friction and radius of a patch that is pressed as Hertz has it. Source: Gazebo's tutorial on
torsional friction."""


def read_surface(element: Element, shape: Shape, findings: Findings) -> tuple[Extra, ...]:
    """Take over what a <collision> says of how it touches; returns what means nothing here, to be kept."""
    surface = element.child("surface")
    said: dict[str, Any] = {}
    understood = _friction(element, surface, said, findings) if surface else {}
    if surface:
        bounce, contact = surface.child("bounce"), surface.child("contact")
        if bounce and bounce.child("restitution_coefficient"):
            said["restitution"] = findings.number(bounce, "restitution_coefficient", 0.0)
        springs = contact.child("ode") if contact else None
        if springs and springs.child("kp"):
            said["stiffness"] = findings.number(springs, "kp", math.inf, infinite=True)
        shape.meets = _mask(contact, "collide_bitmask", ALL_LAYERS, findings)
        shape.layers = _mask(contact, "category_bitmask", shape.meets, findings)
    said |= said_to_drake(element, lambda at: _number(at, findings))
    shape.surface = Surface(**said) if said else None
    return (
        *extras_of(surface, understood, "SDF", ("surface",)),
        *extras_of(element.child(PROPERTIES), UNDERSTOOD, "SDF", (PROPERTIES,)),
    )


def _friction(element: Element, surface: Element, said: dict[str, float], findings: Findings) -> Known:
    """Read it into `said`; returns what of <surface> is understood, which depends on the numbers.

    Where friction differs along two directions, which a `Surface` has not, it is the smaller, and the larger is kept.
    """
    ode, torsional = surface.child("friction", "ode"), surface.child("friction", "torsional")
    found = {tag: _coefficient(ode, tag, findings) for tag in FRICTIONS if ode and ode.child(tag)}
    understood: dict[str, Known | None] = {**known(*FRICTIONS)}
    if found:
        said["friction"] = min(found.values())
        larger = max(found, key=found.__getitem__)
        if found[larger] > said["friction"]:
            del understood[larger]
            tell_two_directions(found, element, findings)
    spinning = _spinning(torsional, findings)
    if spinning:
        said["spinning_friction"] = spinning
    friction: dict[str, Known | None] = {"ode": understood}
    if spinning:
        friction["torsional"] = known("coefficient", "use_patch_radius", "patch_radius")
    contact = known("collide_bitmask", "category_bitmask", ode=known("kp"))
    return known(bounce=known("restitution_coefficient"), friction=friction, contact=contact)


def _coefficient(ode: Element, tag: str, findings: Findings) -> float:
    return bounded_friction(findings.number(ode, tag, 1.0, infinite=True))


def _spinning(torsional: Element | None, findings: Findings) -> float:
    """Of a patch of a given radius; 0 where there is none, and where it grows with the depth."""
    if torsional is None:
        return 0.0
    told = torsional.child("use_patch_radius")
    if told is not None and not findings.flag(told.text, told, True):
        return 0.0
    coefficient = findings.number(torsional, "coefficient", 1.0)
    return TORSION * coefficient * findings.number(torsional, "patch_radius", 0.0)


def _mask(contact: Element | None, tag: str, default: int, findings: Findings) -> int:
    """16 bits, in decimal or, after 0x, hexadecimal digits."""
    element = contact.child(tag) if contact else None
    if element is None:
        return default
    if not MASK.fullmatch(element.text):
        findings.error(
            element, "bad-number", f"<{tag}> is '{element.text}'; give a whole number from 0 to {ALL_LAYERS}"
        )
        return default
    return int(element.text, 16 if "x" in element.text.lower() else 10) & ALL_LAYERS


def _number(element: Element, findings: Findings) -> float | None:
    found = findings.parse(element, f"<{element.tag}>", element.text, (0.0,), infinite=True)
    return found[0] if found else None
