# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact properties of a URDF link: Gazebo's elements for all its collisions, and Drake's for each of them."""

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
from ..drake.elements import GROUP
from ..drake.output import IN_DRAKE
from ..drake.surface import FIELDS, PROPERTIES, UNDERSTOOD, said_to_drake, tell_drake
from ..findings import Findings
from ..xml.kept import extras_of, kept_number
from ..xml.output import number, put

FRICTIONS = ("mu1", "mu2")
"""Elements of the frictions along two directions, in <gazebo>."""
STIFFNESS = "kp"
"""Element of the contact stiffness, in <gazebo>."""

SELF_COLLIDE = "selfCollide"
"""Element of `Link.self_collide`, in <gazebo>."""

UNSAID = ("restitution", "rolling_friction", "spinning_friction", "slip_speed")
"""Fields of a `Surface` that neither Gazebo nor Drake can express in a URDF."""


def read_drakes(element: Element, shape: Shape, findings: Findings) -> tuple[Extra, ...]:
    """Set the contact properties of a shape from Drake's elements in its <collision>.

    Return the parts that are not read, to be kept.
    """
    said = said_to_drake(element, lambda at: _number(at, findings))
    shape.surface = Surface(**said) if said else None
    return extras_of(element.child(PROPERTIES), UNDERSTOOD, "URDF", (PROPERTIES,))


def read_gazebos(element: Element, link: Link, findings: Findings) -> set[str]:
    """Set the contact properties of a link's collisions from a <gazebo>, except those that Drake's elements define.

    Of two frictions along two directions, the smaller one is read, and the larger one is kept.

    Returns:
        The tags that were read.
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
    """Return the number of an element; None if it is invalid.

    It is in the attribute `value`, as Drake and some files for Gazebo have it, or in the text.
    """
    text = element.attributes.get("value", element.text)
    found = findings.parse(element, f"<{element.tag}>", text, (0.0,), infinite=True)
    return found[0] if found else None


# ---- output


def put_drakes(collision: NewElement, shape: Shape) -> None:
    """Write the contact properties of a collision that Drake's elements can express."""
    if shape.surface is not None:
        said = [name for name in FIELDS if getattr(shape.surface, name) != getattr(Surface(), name)]
        if shape.surface.contact_stiffness == math.inf and "stiffness" in said:
            said.remove("stiffness")
        names = {"friction", *said}
        tell_drake(collision, shape.surface, names, lambda at, tag, text: at.append(NewElement(tag, value=text)))


def gazebos_of(link: Link, kept: list[NewElement], name: str) -> list[NewElement]:
    """Return the <gazebo> elements of a link: the kept ones, and its contact properties in one of them or in a new one.

    These are the surface of all its collisions, if it is the same for all, and whether it collides with its own family.
    If the larger of two frictions was kept and is still larger, it stays.

    name: of the link in URDF.
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
    """Return the name of a collision, with the name of its link before it if a <gazebo> describes its surface.

    name: of the link in URDF. libsdformat ignores collisions whose names do not begin with it: it takes them for those
    of another link that was fixed to this one. If the link has kept <gazebo> elements, collisions keep their names,
    since these elements may refer to them.
    """
    has_no_need = common_surface(link) is None or collision.name.startswith(name)
    if has_no_need or any(extra.tag == "gazebo" for extra in link.extras):
        return collision.name
    return f"{name}_{collision.name}"


def common_surface(link: Link) -> Surface | None:
    """Return the surface of all collisions; None if they differ or have none."""
    first, *others = {shape.surface for shape in link.collisions} or {None}
    return None if others else first


def losses_of_surfaces(link: Link) -> Iterator[str]:
    """Yield lines about contact properties that only Gazebo and Drake read, or that URDF cannot express."""
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


def losses_of_collision_filters(model: Model) -> Iterator[str]:
    """Yield lines about contact pairs and families that URDF cannot express, or that only Drake reads."""
    for pair in model.contact_pairs:
        subject = f"links '{pair.a}' and '{pair.b}'"
        if pair.meets:
            yield f"{subject} meet by a contact pair, which URDF has not; it is left out"
        else:
            yield f"{subject} do not meet, which is said in <{GROUP}>, {IN_DRAKE}"
    for family in dict.fromkeys(link.family for link in model.links if link.family):
        yield f"family '{family}' is left out: to Gazebo, all links of a URDF are one"
