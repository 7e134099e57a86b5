# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs of links that collide or not by <exclude>, <pair> and the rules for parents, besides the masks of geoms.

Source: MuJoCo documentation, XML Reference, "contact", and Computation, "Selection".
"""

from __future__ import annotations

from ....files.xml import Element
from ....geometry import Shape
from ....model import ContactPair, Model
from ...findings import Findings
from ..model_file import ModelFile
from ..tree.assembly import Assembled
from ..tree.bodies import OWN, Affixes
from ..tree.geoms import Geom, collision_of


def read_contacts(
    model: Model, assembled: Assembled, file: ModelFile, findings: Findings, affixes: Affixes = OWN
) -> None:
    """Add the pairs of links that do not collide, and let the geoms collide that are paired.

    If a body and its parent collide (the flag `filterparent`), add these pairs too.

    affixes: of the file's names, if it was attached.
    """
    if not file.settings.contacts:
        return
    if affixes.is_own and not file.settings.parents_pass:
        model.contact_pairs += [ContactPair(parent, link, True) for link, parent in assembled.parents.items()]
    for element in file.document.entries("contact"):
        if element.tag == "exclude":
            _exclude(element, model, assembled, findings, affixes)
        elif element.tag == "pair":
            _pair(element, model, assembled, findings, affixes)


def _exclude(element: Element, model: Model, assembled: Assembled, findings: Findings, affixes: Affixes) -> None:
    names = [affixes.of(element.attributes.get(name, "")) for name in ("body1", "body2")]
    links = [assembled.links.get(name) for name in names]
    if links[0] and links[1]:
        model.contact_pairs.append(ContactPair(links[0], links[1], False))
    elif affixes.is_own:
        unknown = next(name for name, link in zip(names, links, strict=True) if not link)
        findings.error(element, "unknown-body", f"<exclude> names the body '{unknown}', which is not there")


def _pair(element: Element, model: Model, assembled: Assembled, findings: Findings, affixes: Affixes) -> None:
    """Let two geoms collide, whatever their masks, by a layer that only they are on."""
    names = [affixes.of(element.attributes.get(name, "")) for name in ("geom1", "geom2")]
    first, second = (assembled.geoms.get(name) for name in names)
    if first is None or second is None:
        if affixes.is_own:
            unknown = names[0] if first is None else names[1]
            findings.error(element, "unknown-geom", f"<pair> names the geom '{unknown}', which is not there")
        return
    (link, geom), (other_link, other) = first, second
    if geom.contype & other.conaffinity or other.contype & geom.conaffinity:
        return
    bit = _free_layer(model)
    if bit is None:
        findings.warning(element, "no-layer", "all 32 layers are in use, so this <pair> is left out; use fewer masks")
        return
    for owner, each in ((link, geom), (other_link, other)):
        shape = _collision(model, owner, each)
        shape.layers |= bit
        shape.meets |= bit
    model.contact_pairs.append(ContactPair(link, other_link, True))


def _free_layer(model: Model) -> int | None:
    """Return the bit of a layer that no collision is on or collides with; None if there is none."""
    used = 0
    for link in model.links:
        for shape in link.collisions:
            used |= shape.layers | shape.meets
    return next((1 << bit for bit in range(32) if not used >> bit & 1), None)


def _collision(model: Model, link: str, geom: Geom) -> Shape:
    """Return the collision of a geom. It is made if the geom's masks are 0."""
    collisions = model.link(link).collisions
    found = next((shape for shape in collisions if shape.name == geom.shape.name), None)
    if found is None:
        found = collision_of(geom)
        collisions.append(found)
    return found
