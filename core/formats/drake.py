# SPDX-License-Identifier: GPL-3.0-or-later
"""What Drake's own elements say of a collision's surface, in SDF and in URDF alike but for where the number stands.

Source: Drake's documentation, "Parsing MJCF, SDFormat and URDF", drake:proximity_properties.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ..files.xml import Element
from ..geometry import Surface
from .kept import Known, known
from .xml_write import number

PROPERTIES = "drake:proximity_properties"
DYNAMIC, STATIC = "drake:mu_dynamic", "drake:mu_static"
FIELDS = {
    "friction": DYNAMIC,
    "static_friction": STATIC,
    "dissipation": "drake:hunt_crossley_dissipation",
    "stiffness": "drake:point_contact_stiffness",
}
UNDERSTOOD: Known = known(*FIELDS.values())


def said_to_drake(collision: Element, number_in: Callable[[Element], float | None]) -> dict[str, Any]:
    """The fields of a `Surface` that a collision says in Drake's words; one kind of friction alone is both.

    number_in: of an element, or None after reporting that there is none.
    """
    holder = collision.child(PROPERTIES)
    said: dict[str, Any] = {}
    for name, tag in FIELDS.items():
        element = holder.child(tag) if holder else None
        value = number_in(element) if element else None
        if value is not None:
            said[name] = value
    if "static_friction" in said and "friction" not in said:
        said["friction"] = said["static_friction"]
    return said


def tell_drake(
    collision: NewElement,
    surface: Surface,
    names: Collection[str],
    put_number: Callable[[NewElement, str, str], None],
) -> None:
    """Say some fields of a surface, `names` of `FIELDS`; put_number: puts a text into a new child element of a tag."""
    holder = SubElement(collision, PROPERTIES) if names else collision
    for name, tag in FIELDS.items():
        if name in names:
            put_number(holder, tag, number(getattr(surface, name)))
