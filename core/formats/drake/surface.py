# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's elements about the surface of a collision. SDF and URDF differ only in the place of the number.

Source: Drake's documentation, "Parsing MJCF, SDFormat and URDF", drake:proximity_properties.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ...files.xml import Element
from ...geometry import Surface
from ..xml.kept import Known, known
from ..xml.output import number

PROPERTIES = "drake:proximity_properties"
DYNAMIC, STATIC = "drake:mu_dynamic", "drake:mu_static"
FIELDS = {
    "friction": DYNAMIC,
    "static_friction": STATIC,
    "dissipation": "drake:hunt_crossley_dissipation",
    "stiffness": "drake:point_contact_stiffness",
}
"""Fields of a `Surface`, each with its element of Drake's."""

UNDERSTOOD: Known = known(*FIELDS.values())
"""Tags in `PROPERTIES` that are read."""


def said_to_drake(collision: Element, number_in: Callable[[Element], float | None]) -> dict[str, Any]:
    """Return {field of a `Surface`: value} from Drake's elements of a collision.

    Static friction alone means both kinds.

    number_in: function that returns the number of an element. If there is none, it reports that and returns None.
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
    """Write some fields of a surface as Drake's elements.

    Args:
        names: those of `FIELDS` that are written.
        put_number: function that adds a child element with a tag and a number as text.
    """
    holder = SubElement(collision, PROPERTIES) if names else collision
    for name, tag in FIELDS.items():
        if name in names:
            put_number(holder, tag, number(getattr(surface, name)))
