# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's elements in a URDF: rotor inertias in transmissions, and those that `drake_elements` reads and writes."""

from __future__ import annotations

from dataclasses import replace
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ...files.xml import Element
from ...model import WORLD, Joint, Model
from ..drake.elements import BETWEEN_LINKS, GEAR_RATIO, ROTOR_INERTIA, DrakeElements, read_rotor
from ..drake.output import is_drake_ball, is_drake_spring
from ..findings import Findings, Places

TRANSMISSION = "transmission"
"""Tag of a transmission."""

ROTOR = (ROTOR_INERTIA, GEAR_RATIO)
"""Tags of the elements of a rotor."""

SIMPLE = "SimpleTransmission"
"""The only type of transmission whose rotor Drake reads."""


def read_drakes(root: Element, model: Model, places: Places, findings: Findings) -> None:
    """Read springs, ball constraints and collision filter groups. Links must have their poses already."""
    names = {WORLD, *(link.name for link in model.links)}
    elements = DrakeElements(model, places, findings)
    for element in root.children:
        if element.tag in BETWEEN_LINKS:
            elements.read(element, lambda name: name if name in names else None)
    elements.finish()


def read_transmission(element: Element, model: Model, findings: Findings) -> Element:
    """Set the rotor inertia of a joint from its actuator. Return the rest of the transmission, to be kept as text."""
    actuator, joint_element = element.child("actuator"), element.child("joint")
    rotors = [child for child in actuator.children if child.tag in ROTOR] if actuator else []
    if actuator is None or not rotors:
        return element
    kind = element.child("type")
    said = element.attributes.get("type", "") or (kind.text if kind else "")
    name = joint_element.name if joint_element else ""
    joint = next((joint for joint in model.joints if joint.name == name), None)
    if SIMPLE not in said:
        message = f"<{rotors[0].tag}> is left out, since the transmission is of type '{said}'; write {SIMPLE}"
        findings.warning(rotors[0], "not-simulated", message)
    elif joint is None:
        message = f"<{rotors[0].tag}> is left out, since '{name}' is no joint; name the joint that it drives"
        findings.warning(rotors[0], "not-simulated", message)
    elif read_rotor(actuator, joint, findings):
        rest = replace(actuator, children=[child for child in actuator.children if child not in rotors])
        return replace(element, children=[rest if child is actuator else child for child in element.children])
    return element


# ---- output


def is_drakes(joint: Joint) -> bool:
    """Return whether a joint is written as an element of Drake's, and not as a joint of the tree."""
    return is_drake_spring(joint) or is_drake_ball(joint)


def actuator_of(root: NewElement, joint: str) -> NewElement:
    """Return the actuator of a joint, from a transmission that the root element already has, or else from a new one."""
    for transmission in root.iterfind(TRANSMISSION):
        said = transmission.get("type", "") + (transmission.findtext("type") or "")
        driven, actuator = transmission.find("joint"), transmission.find("actuator")
        if SIMPLE in said and driven is not None and driven.get("name") == joint and actuator is not None:
            return actuator
    transmission = SubElement(root, TRANSMISSION, name=f"{joint}_rotor")
    SubElement(transmission, "type").text = f"transmission_interface/{SIMPLE}"
    SubElement(transmission, "joint", name=joint)
    return SubElement(transmission, "actuator", name=f"{joint}_rotor")
