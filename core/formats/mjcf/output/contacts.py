# SPDX-License-Identifier: GPL-3.0-or-later
"""Collisions: which geoms collide, and how their contacts give way.

In MuJoCo all geoms collide but those of a body and its parent. Here links of one family do not collide, unless they say
so. Each family has a layer of its own for that, which its geoms are on and do not collide with.

MuJoCo takes the larger of two frictions unless one geom has the higher priority. Here the smaller one counts, so a geom
has the higher priority, the smaller its friction is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from xml.etree.ElementTree import Element, SubElement

from ....geometry import Shape, Surface
from ....geometry.shapes import ALL_LAYERS
from ....model import Link, Model
from ....model.graph import connected_components
from ....spatial import norm
from ...xml.output import number, numbers
from ..action.inertias import Inertias
from ..action.surfaces import FRICTION, SOLIMP, STANDARD_GRAVITY, impedance

FAMILIES = 31
"""Largest number of families that have a layer of their own; the sign of a mask is left out."""

MAX_EXCLUDES = 20_000
"""Largest number of <exclude> elements that stand for families, where layers cannot."""

MAX_PAIRS = 10_000
"""Largest number of <pair> elements for two links."""


class Contacts:
    """Attributes of collisions, and the <contact> section.

    Attributes:
        losses: lines about what MJCF cannot express.
        geoms: (name of the geom, shape) of each collision that was written, by links.
    """

    def __init__(self, model: Model):
        self.model = model
        self.losses: list[str] = []
        self.geoms: dict[str, list[tuple[str, Shape]]] = {}
        self._parts = model.rigid_parts()
        self._inertias = Inertias(replace(model, joints=[branch.joint for branch in model.tree().branches]))
        self._families = self._by_family()
        self._bits = {link.name: 1 << place for place, links in enumerate(self._families.values()) for link in links}
        shapes = [shape for link in model.links for shape in link.collisions]
        plain = all(shape.layers == shape.meets == ALL_LAYERS for shape in shapes)
        self._has_layers = plain and len(self._families) <= FAMILIES
        frictions = {(shape.surface or Surface()).friction for shape in shapes}
        self._frictions = sorted(frictions, reverse=True)

    def _by_family(self) -> dict[str, list[Link]]:
        """Return the links with collisions of each family that has several of them, if they do not collide."""
        joined = connected_components([link.name for link in self.model.links], self.model.joints)
        families: dict[str, list[Link]] = {}
        for link in self.model.links:
            if link.collisions:
                families.setdefault(link.family or joined[link.name], []).append(link)
        return {
            name: links
            for name, links in families.items()
            if len({self._parts[link.name] for link in links}) > 1 and not any(link.self_collide for link in links)
        }

    def attributes(self, link: Link, shape: Shape) -> dict[str, str]:
        """Return the attributes of a collision's geom."""
        given = self._masks(link, shape)
        surface = shape.surface or Surface()
        frictions = (surface.friction, surface.spinning_friction, surface.rolling_friction)
        dimensions = 6 if frictions[2] else 4 if frictions[1] else 3 if frictions[0] else 1
        if dimensions != 3:
            given["condim"] = str(dimensions)
        written = (frictions[0], *(frictions[1:] if dimensions > 3 else FRICTION[1:]))
        if written != FRICTION and dimensions > 1:
            given["friction"] = numbers(written)
        if priority := self._frictions.index(surface.friction):
            given["priority"] = str(priority)
        given |= self._compliance(link, shape, surface)
        self._tell(link, shape, surface)
        return given

    def _masks(self, link: Link, shape: Shape) -> dict[str, str]:
        if self._has_layers and (bit := self._bits.get(link.name)):
            return {"contype": str(bit), "conaffinity": str(0x7FFF_FFFF & ~bit)}
        if shape.layers == shape.meets == ALL_LAYERS and not (self._has_layers and self._families):
            return {}
        if self._has_layers:
            return {"contype": str(0x7FFF_FFFF), "conaffinity": str(0x7FFF_FFFF)}
        return {"contype": str(_signed(shape.layers)), "conaffinity": str(_signed(shape.meets))}

    def _compliance(self, link: Link, shape: Shape, surface: Surface) -> dict[str, str]:
        """Return solref for the depth at which the link rests under its own weight; see action/surfaces.py."""
        if not math.isfinite(surface.contact_stiffness):
            return {}
        mass = self._inertias.mass_at(link.name)
        if not mass > 0.0:
            words = f"its stiffness of {surface.stiffness:g} N/m is left out, since it has no weight to sink by in MJCF"
            self.losses.append(f"link '{link.name}': collision '{shape.name}': {words}")
            return {}
        gravity = norm(self.model.gravity) or STANDARD_GRAVITY
        depth = mass * gravity / surface.stiffness
        d, most = impedance(depth, SOLIMP), SOLIMP[1]
        stiffness = gravity * (1.0 - d) / (d * d * depth) * most**2
        damping = surface.dissipation * gravity / d * most
        return {"solref": f"{number(-stiffness)} {number(-damping)}"}

    def _tell(self, link: Link, shape: Shape, surface: Surface) -> None:
        subject = f"link '{link.name}': collision '{shape.name}'"
        for name in ("restitution", "slip_speed"):
            if value := getattr(surface, name):
                self.losses.append(f"{subject}: MJCF has no {name.replace('_', ' ')}; {value:g} is left out")
        if surface.static_friction is not None and surface.static_friction > surface.friction:
            self.losses.append(f"{subject}: MJCF has no static friction; {surface.static_friction:g} is lost")
        if any(surface.velocity):
            self.losses.append(f"{subject}: the velocity of its surface is left out; the belt stands still")

    def section(self, bodies: Mapping[str, str]) -> Element | None:
        """Return the <contact> section; None if it would be empty. bodies: names of bodies by links."""
        root = Element("contact")
        for a, b in self._paired():
            SubElement(root, "pair", geom1=a, geom2=b)
        for a, b in self._excluded():
            if bodies[a] != bodies[b]:
                SubElement(root, "exclude", body1=bodies[a], body2=bodies[b])
        return root if len(root) else None

    def _paired(self) -> Iterator[tuple[str, str]]:
        """Return the geoms of links that collide although they are neighbours or of one family."""
        for pair in self.model.contact_pairs:
            if not pair.meets:
                continue
            ours, theirs = self.geoms.get(pair.a, ()), self.geoms.get(pair.b, ())
            able = [
                (name, other_name)
                for name, shape in ours
                for other_name, other in theirs
                if shape.layers & other.meets or other.layers & shape.meets
            ]
            if len(able) > MAX_PAIRS:
                self.losses.append(f"links '{pair.a}' and '{pair.b}' do not collide: they have too many shapes for it")
                continue
            yield from able

    def _excluded(self) -> Iterator[tuple[str, str]]:
        found: dict[tuple[str, str], None] = {}
        for pair in self.model.contact_pairs:
            if not pair.meets:
                found[min(pair.a, pair.b), max(pair.a, pair.b)] = None
        if not self._has_layers:
            for name, links in self._families.items():
                if len(found) + len(links) * (len(links) - 1) // 2 > MAX_EXCLUDES:
                    self.losses.append(f"the links of family '{name}' collide with each other: they are too many")
                    continue
                found |= dict.fromkeys((min(a.name, b.name), max(a.name, b.name)) for a, b in combinations(links, 2))
        return iter(found)


def _signed(mask: int) -> int:
    """Return 32 bits as the signed number that MuJoCo reads."""
    return mask - 2**32 if mask >= 2**31 else mask
