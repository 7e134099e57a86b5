# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors that were kept of an MJCF file, with the names that the written file has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from ....extras import Extra
from ...registry import MJCF
from ...xml.kept import element_of
from ..sensor_names import AXIS, SECTION, ZONE, references
from .names import Names

Key = str | tuple[str, int]
"""The name of a part of the model; for joints and actuators, (joint, number of its axis)."""


@dataclass
class Written:
    """The names that a file gives to the parts of a model, for each kind of element, by their names in the model.

    Attributes:
        sites: elements of sites by their names in the file.
    """

    names: dict[str, dict[Key, str]] = field(default_factory=dict)
    sites: dict[str, Element] = field(default_factory=dict)


def write_sensors(extras: Iterable[Extra], written: Written, names: Names) -> tuple[Element, list[str]]:
    """Return the <sensor> section, and lines about sensors that cannot stay."""
    section, losses = Element(SECTION), []
    for extra in extras:
        if extra.format != MJCF.name or extra.tag != SECTION:
            continue
        for sensor in element_of(extra):
            axis = sensor.attrib.pop(AXIS, "")
            zone = sensor.find(ZONE)
            if zone is not None:
                sensor.remove(zone)
            subject = f"sensor '{sensor.get('name', sensor.tag)}'"
            if gone := _rename(sensor, axis, written.names):
                losses.append(f"{subject} is left out: {gone}, which it names, is not in the file")
                continue
            if zone is not None:
                site = written.sites[sensor.attrib["site"]]
                site.attrib |= zone.attrib
            if "name" in sensor.attrib:
                sensor.set("name", names.claim(SECTION, sensor.attrib["name"]))
            section.append(sensor)
    return section, losses


def _rename(sensor: Element, axis: str, names: Mapping[str, Mapping[Key, str]]) -> str:
    """Let a sensor refer to the elements of the file. Return what is not among them, or ""."""
    for attribute, kind in references(dict(sensor.attrib)):
        asked = sensor.attrib[attribute]
        key: Key = (asked, int(axis)) if axis.isdecimal() and kind in ("joint", "actuator") else asked
        found = names.get(kind, {}).get(key)
        if found is None:
            return f"the {kind} '{asked}'"
        sensor.set(attribute, found)
    return ""
