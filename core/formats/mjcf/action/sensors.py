# SPDX-License-Identifier: GPL-3.0-or-later
"""Sensors, which are kept as text and written again into MJCF. They do not change the motion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ....extras import Extra
from ....files.xml import Element
from ....model import Model
from ...findings import Findings
from ...registry import MJCF
from ..model_file import ModelFile
from ..sensor_names import AXIS, SECTION, WITH_ZONES, ZONE, references
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes, BodyTree, Part
from ..tree.geoms import segment
from .actuators import Actuator


class SensorReader:
    """Keeps the sensors of one file after another in a model's extras."""

    def __init__(
        self, model: Model, assembled: Assembled, tree: BodyTree, actuators: Sequence[Actuator], findings: Findings
    ):
        self.model, self.assembled, self.findings = model, assembled, findings
        self._sites = {part.name: part for body in tree.world.walk() for part in body.all("site")}
        driven = Counter((each.pull.joint, each.pull.axis) for each in actuators)
        self._drives = {
            each.name: (each.pull.joint, each.pull.axis)
            for each in actuators
            if driven[each.pull.joint, each.pull.axis] == 1 and each.pull.ratio == 1.0 and not each.pull.offset
        }

    def read(self, file: ModelFile, affixes: Affixes = OWN) -> None:
        """Keep the sensors of a file. affixes: of its names, if it was attached."""
        for element in file.document.entries(SECTION):
            kept = self._named(element, affixes)
            text = Element(SECTION, {}, element.line, children=[kept]).to_xml()
            self.model.extras += (Extra(MJCF.name, SECTION, text),)

    def _named(self, element: Element, affixes: Affixes) -> Element:
        """Return a sensor that refers to what it measures by the names of the model."""
        attributes, children = dict(element.attributes), [*element.children]
        if element.name:
            attributes["name"] = affixes.of(element.name)
        for attribute, kind in references(element.attributes):
            name = attributes[attribute] = affixes.of(element.attributes[attribute].strip())
            if kind == "body" and name in self.assembled.links:
                attributes[attribute] = self.assembled.links[name]
            elif kind == "joint" and (place := self.assembled.joints.get(name)) and place.joint:
                attributes |= {attribute: place.joint, AXIS: str(place.axis)}
            elif kind == "actuator" and name in self._drives:
                joint, axis = self._drives[name]
                attributes |= {attribute: joint, AXIS: str(axis)}
            elif kind == "site" and element.tag in WITH_ZONES and (site := self._sites.get(name)):
                children += self._zone(site)
        return replace(element, attributes=attributes, children=children)

    def _zone(self, site: Part) -> list[Element]:
        """Return an element with the shape of a site; none if it has MuJoCo's default shape."""
        attributes = site.element.attributes
        shape = {name: attributes[name] for name in ("type", "size") if name in attributes}
        if "fromto" in attributes:
            radius = attributes.get("size", "0.005").split()[0]
            half = repr(0.5 * segment(site, self.findings)[1])
            is_round = shape.get("type") in ("capsule", "cylinder")
            shape["size"] = f"{radius} {half}" if is_round else f"{radius} {radius} {half}"
        return [Element(ZONE, shape, site.element.line)] if shape else []
