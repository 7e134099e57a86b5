# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact properties of an SDF collision: <surface>, and <drake:proximity_properties>."""

from __future__ import annotations

import math
import re
from typing import Any

from ...extras import Extra
from ...files.xml import Element
from ...geometry import Shape, Surface
from ...geometry.shapes import ALL_LAYERS
from ..alike import bounded_friction, tell_two_directions
from ..drake.surface import PROPERTIES, UNDERSTOOD, said_to_drake
from ..findings import Findings
from ..xml.kept import Known, extras_of, known

ODE = ("surface", "friction", "ode")
"""Path of the element with the two frictions."""

SDF_LAYERS = 0xFFFF
"""All of the 16 bits of SDF's masks."""

MASK = re.compile("[0-9]{1,20}|0[xX][0-9a-fA-F]{1,16}")
"""Form of a bit mask in decimal or hexadecimal digits."""

FRICTIONS = ("mu", "mu2")
"""Elements of the frictions along two directions, in the element at `ODE`."""
TORSION = 3.0 * math.pi / 16.0
"""Torque of a Hertzian contact patch, per normal force, friction coefficient and radius [1].

Source: Gazebo's tutorial on torsional friction.
"""


def read_surface(element: Element, shape: Shape, findings: Findings) -> tuple[Extra, ...]:
    """Set the contact properties of a shape from its <collision>. Return the parts that are not read, to be kept."""
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
    """Write frictions to `said`. Return the parts of <surface> that are read, which depend on the numbers.

    If friction differs along two directions, the smaller one is read, since a `Surface` has one, and the larger one is
    kept.
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
    """Return the spinning friction of a patch with a given radius [m].

    It is 0 if there is no patch, or if its radius grows with depth.
    """
    if torsional is None:
        return 0.0
    switch = torsional.child("use_patch_radius")
    if switch is not None and not findings.flag(switch.text, switch, True):
        return 0.0
    coefficient = findings.number(torsional, "coefficient", 1.0)
    return TORSION * coefficient * findings.number(torsional, "patch_radius", 0.0)


def _mask(contact: Element | None, tag: str, default: int, findings: Findings) -> int:
    """Return a mask of 16 bits, given in decimal digits or, after 0x, in hexadecimal ones. Report other text."""
    element = contact.child(tag) if contact else None
    if element is None:
        return default
    if not MASK.fullmatch(element.text):
        findings.error(
            element, "bad-number", f"<{tag}> is '{element.text}'; give a whole number from 0 to {SDF_LAYERS}"
        )
        return default
    bits = int(element.text, 16 if "x" in element.text.lower() else 10) & SDF_LAYERS
    return ALL_LAYERS if bits == SDF_LAYERS else bits


def _number(element: Element, findings: Findings) -> float | None:
    found = findings.parse(element, f"<{element.tag}>", element.text, (0.0,), infinite=True)
    return found[0] if found else None
