# SPDX-License-Identifier: GPL-3.0-or-later
"""How a URDF link touches: by Gazebo's words for all its collisions, and by Drake's for each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element as NewElement

from ...extras import Extra
from ...files.xml import Element
from ...geometry import Shape, Surface
from ...geometry.shapes import ALL_LAYERS
from ...model import Link, Model
from ..alike import bounded_friction, tell_two_directions
from ..drake import FIELDS, PROPERTIES, UNDERSTOOD, said_to_drake, tell_drake
from ..drake_elements import GROUP
from ..drake_write import IN_DRAKE
from ..findings import Findings
from ..kept import extras_of, kept_number
from ..xml_write import number, put

FRICTIONS = ("mu1", "mu2")
"""Along two directions, in <gazebo>."""
STIFFNESS = "kp"
SELF_COLLIDE = "selfCollide"
UNSAID = ("restitution", "rolling_friction", "spinning_friction", "slip_speed")
"""What neither Gazebo's words nor Drake's have."""


def read_drakes(element: Element, shape: Shape, findings: Findings) -> tuple[Extra, ...]:
    """Take over what Drake's words in a <collision> say; returns what means nothing here, to be kept."""
    said = said_to_drake(element, lambda at: _number(at, findings))
    shape.surface = Surface(**said) if said else None
    return extras_of(element.child(PROPERTIES), UNDERSTOOD, "URDF", (PROPERTIES,))


def read_gazebos(element: Element, link: Link, findings: Findings) -> set[str]:
    """Take over what a <gazebo> says of a link's collisions, where Drake's words do not; returns the tags that it had.

    Of friction along two directions it is the smaller, and the larger stays to be kept.
    """
    if not link.collisions:
        return set()
    children = {child.tag: child for child in element.children}
    numbers = {tag: _number(children[tag], findings) for tag in (*FRICTIONS, STIFFNESS) if tag in children}
    said: dict[str, float] = {}
    if (stiffness := numbers.pop(STIFFNESS, None)) is not None:
        said["stiffness"] = stiffness
    frictions = {tag: bounded_friction(value) for tag, value in numbers.items() if value is not None}
    taken = {tag for tag in (*FRICTIONS, STIFFNESS) if tag in children}
    if frictions:
        said["friction"] = min(frictions.values())
        larger = {tag for tag, value in frictions.items() if value > said["friction"]}
        if larger:
            tell_two_directions(frictions, element, findings)
        taken -= larger
    for shape in link.collisions if said else ():
        surface = shape.surface or Surface()
        is_open = {name: getattr(surface, name) == getattr(Surface(), name) for name in said}
        shape.surface = replace(surface, **{name: value for name, value in said.items() if is_open[name]})
    return taken


def _number(element: Element, findings: Findings) -> float | None:
    """In the attribute `value`, as Drake and some of Gazebo's files have it, or in the text."""
    text = element.attributes.get("value", element.text)
    found = findings.parse(element, f"<{element.tag}>", text, (0.0,), infinite=True)
    return found[0] if found else None


# ---- output


def put_drakes(collision: NewElement, shape: Shape) -> None:
    """Say to Drake what it has words for of how a collision touches."""
    if shape.surface is not None:
        said = [name for name in FIELDS if getattr(shape.surface, name) != getattr(Surface(), name)]
        if shape.surface.contact_stiffness == math.inf and "stiffness" in said:
            said.remove("stiffness")
        names = {"friction", *said}
        tell_drake(collision, shape.surface, names, lambda at, tag, text: at.append(NewElement(tag, value=text)))


def gazebos_of(link: Link, kept: list[NewElement], name: str) -> list[NewElement]:
    """The <gazebo>s of a link of that name: those that were kept of it, with what one of them, or one more, now says.

    That is how all its collisions touch, if all do alike, and whether it meets its own family. Where the larger of two
    frictions was kept, it stays if it still is that.
    """
    own = next((each for each in kept if any(child.tag in FRICTIONS for child in each)), None)
    about = NewElement("gazebo", reference=name) if own is None else own
    if link.self_collide:
        put(about, SELF_COLLIDE, "true")
    if surface := common_surface(link):
        for tag in FRICTIONS:
            larger = about.find(tag)
            if larger is not None:
                kept_friction = kept_number(larger.get("value", larger.text))
                if bounded_friction(kept_friction) > surface.friction:
                    continue
                about.remove(larger)
            put(about, tag, number(surface.friction))
        if math.isfinite(surface.stiffness):
            put(about, STIFFNESS, number(surface.stiffness))
    return [about, *kept] if own is None and len(about) else kept


def name_for_gazebo(collision: Shape, link: Link, name: str) -> str:
    """What a collision is to be called that <gazebo> speaks of, on a link that is called `name`.

    libsdformat passes over collisions whose names do not begin with the link's: it takes them for another link's, that
    was fixed to it. What else a kept <gazebo> says may name them as they are, so they stay that.
    """
    has_no_need = common_surface(link) is None or collision.name.startswith(name)
    if has_no_need or any(extra.tag == "gazebo" for extra in link.extras):
        return collision.name
    return f"{name}_{collision.name}"


def common_surface(link: Link) -> Surface | None:
    """Of all its collisions; None where they differ, or say nothing."""
    first, *others = {shape.surface for shape in link.collisions} or {None}
    return None if others else first


def losses_of_surfaces(link: Link) -> Iterator[str]:
    """What others than Gazebo and Drake do not read of a link's contact, and what these do not."""
    subject = f"link '{link.name}'"
    if link.self_collide:
        yield f"{subject}: that it meets its own family is said in <gazebo>, which other loaders pass over"
    if any(shape.surface for shape in link.collisions):
        to_both = "is said to Gazebo and to Drake, and other loaders pass over it"
        to_one = "differs from collision to collision; it is said to Drake alone"
        yield f"{subject}: how it touches {to_both if common_surface(link) else to_one}"
    for shape in link.collisions:
        surface = shape.surface or Surface()
        for name in UNSAID:
            if value := getattr(surface, name):
                what = f"has no {name.replace('_', ' ')}; {value:g} is left out"
                yield f"{subject}: collision '{shape.name}': URDF {what}"
        if any(surface.velocity):
            yield f"{subject}: collision '{shape.name}': URDF has no velocity of a surface; the belt stands still"
        if shape.layers != ALL_LAYERS or shape.meets != ALL_LAYERS:
            yield f"{subject}: collision '{shape.name}': URDF has no layers; what it meets is left out"


def losses_of_meeting(model: Model) -> Iterator[str]:
    for pair in model.contact_pairs:
        subject = f"links '{pair.a}' and '{pair.b}'"
        if pair.meets:
            yield f"{subject} meet by a contact pair, which URDF has not; it is left out"
        else:
            yield f"{subject} do not meet, which is said in <{GROUP}>, {IN_DRAKE}"
    for family in dict.fromkeys(link.family for link in model.links if link.family):
        yield f"family '{family}' is left out: to Gazebo, all links of a URDF are one"
