# SPDX-License-Identifier: GPL-3.0-or-later
"""References of MJCF's sensors: the attributes that name something, and the kinds of elements that they name.

Sensors are kept as text, in which joints, bodies and actuators have the names of the model.

Source: MuJoCo documentation, XML Reference, "sensor".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

SECTION = "sensor"
"""Tag of the section, and of what is kept of each sensor."""

AXIS = "axis"
"""Attribute, in kept text only, with the number of the axis of the joint that is named."""

ZONE = "site"
"""Tag of an element, in kept text only, with the shape of the site that is named."""

WITH_ZONES = ("touch", "insidesite", "contact")
"""Tags of sensors that measure within the shape of a site."""

KINDS: Mapping[str, str] = {
    **{kind: kind for kind in ("site", "joint", "tendon", "actuator", "body", "geom", "camera", "mesh")},
    **dict.fromkeys(("geom1", "geom2"), "geom"),
    **dict.fromkeys(("body1", "body2", "subtree1", "subtree2"), "body"),
    "plugin": "plugin",
    "instance": "plugin",
}
"""Kinds of elements that attributes name."""

BY_TYPE: Mapping[str, str] = {"objname": "objtype", "refname": "reftype"}
"""Attributes that name an element, and those that say of which kind it is."""


def references(attributes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield (attribute, kind) for each attribute of a sensor that names something. Kinds are tags of elements."""
    for name in attributes:
        if name in KINDS:
            yield name, KINDS[name]
        elif name in BY_TYPE:
            kind = attributes.get(BY_TYPE[name], "").strip()
            yield name, "body" if kind == "xbody" else kind
