# SPDX-License-Identifier: GPL-3.0-or-later
"""Output of Drake's elements: springs and ball constraints between links, pairs that do not collide, rotor inertias,
and mimics in SDF.

SDF has the values in texts, URDF in attributes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ...model import WORLD, Axis, Joint, Mimic
from ...spatial import Vec3
from ..xml.output import number, numbers
from .elements import BALL, GROUP, IGNORED_GROUP, MEMBER, MIMIC, ROTOR_INERTIA, SPRING

Put = Callable[[NewElement, str, str, str], None]
"""Function that adds a child (tag, attribute, text) to an element.

SDF has the text as the text of the child, URDF as the value of the attribute.
"""

IN_DRAKE = "which Drake reads, and other loaders pass over"
"""Words of messages about Drake's elements."""


def put_text(parent: NewElement, tag: str, _attribute: str, text: str) -> None:
    """Add a value as SDF has it, as a text."""
    SubElement(parent, tag).text = text


def put_attribute(parent: NewElement, tag: str, attribute: str, text: str) -> None:
    """Add a value as URDF has it, in an attribute."""
    SubElement(parent, tag, {attribute: text})


def is_drake_spring(joint: Joint) -> bool:
    """Return whether a joint can be written as Drake's spring: no limits, a free length above 0, always enabled."""
    if joint.type != "distance" or not _is_plain(joint):
        return False
    (axis,) = joint.axes
    said = replace(axis, spring_stiffness=0.0, spring_reference=0.0, damping=0.0, xyz=Axis().xyz)
    return said == Axis() and axis.spring_reference > 0.0


def is_drake_ball(joint: Joint) -> bool:
    """Return whether a joint closes a loop by a free ball, as Drake's ball constraint does."""
    moves_freely = all(replace(axis, xyz=Axis().xyz) == Axis() for axis in joint.axes)
    return joint.type == "ball" and joint.closes_loop and _is_plain(joint) and moves_freely


def _is_plain(joint: Joint) -> bool:
    """Return whether a joint always holds and connects two links."""
    return joint.is_permanent and WORLD not in (joint.parent, joint.child)


def put_between(parent: NewElement, joint: Joint, ends: tuple[str, str], points: tuple[Vec3, Vec3], put: Put) -> None:
    """Write a spring or a ball constraint.

    Args:
        ends: names of its links. points: positions in these links [m].
    """
    tag = SPRING if joint.type == "distance" else BALL
    element = SubElement(parent, tag, name=joint.name)
    for end, point, link, at in zip("AB", ("AP", "BQ"), ends, points, strict=True):
        put(element, f"{tag}_body_{end}", "name", link)
        put(element, f"{tag}_p_{point}", "value", numbers(at))
    if tag == SPRING:
        axis = joint.axes[0]
        put(element, f"{tag}_free_length", "value", number(axis.spring_reference))
        put(element, f"{tag}_stiffness", "value", number(axis.spring_stiffness))
        put(element, f"{tag}_damping", "value", number(axis.damping))


def put_pair(parent: NewElement, links: tuple[str, str], put: Put) -> None:
    """Write that two links do not collide, as a group of both that ignores itself."""
    name = "_".join(links)
    element = SubElement(parent, GROUP, name=name)
    for link in links:
        put(element, MEMBER, "link", link)
    put(element, IGNORED_GROUP, "name", name)


def put_rotor(parent: NewElement, armature: float, put: Put) -> None:
    """Write an armature as a rotor with the gear ratio 1."""
    put(parent, ROTOR_INERTIA, "value", number(armature))


def put_mimic(parent: NewElement, leader: str, mimic: Mimic) -> None:
    """Write a mimic of a joint with one axis. Drake's has no reference, so this is part of the offset.

    Args:
        leader: name of the leader, a joint with one axis in the same <model>. Drake refuses others.
    """
    SubElement(parent, MIMIC, joint=leader, multiplier=number(mimic.multiplier), offset=number(drake_offset(mimic)))


def drake_offset(mimic: Mimic) -> float:
    """Return the offset of a mimic whose reference is 0. It is not finite if the numbers are too large."""
    return mimic.offset - mimic.multiplier * mimic.reference
