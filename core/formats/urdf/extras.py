# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a URDF that a `Model` cannot express: they are kept as `Extra`s on their owners."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

from ...extras import Extra
from ...files.xml import Element
from ...model import Joint, Link, Model
from ..findings import Findings
from ..names import printable
from .surface import SELF_COLLIDE, read_gazebos

FORMAT = "URDF"
"""Name of the format in an `Extra`, and in messages."""

UNEXPANDED = re.compile(r"\$\([a-z-]+ |\$\{")
"""Text that xacro and roslaunch replace."""


def legal_name(name: str) -> str:
    """Return a name as one line, without text that a reader would replace."""
    legal = printable(name)
    return legal.replace("$", "_") if UNEXPANDED.search(legal) else legal


def kept(element: Element, within: tuple[str, ...] = ()) -> Extra:
    """Return the whole element as an extra."""
    return Extra(FORMAT, element.tag, element.to_xml(), within)


def attributes_besides(element: Element | None, known: Collection[str]) -> Iterator[Extra]:
    """Yield an element with those of its attributes that are not known. The writer adds them to its own element."""
    if element is None:
        return
    besides = {name: value for name, value in element.attributes.items() if name not in known}
    if besides:
        yield kept(replace(element, attributes=besides, children=[], text=""))


class GazeboWords:
    """Reads <gazebo reference="..."> of links and joints. What a model cannot express is kept.

    Source: libsdformat's conversion of URDF, parser_urdf.cc.
    """

    def __init__(self, model: Model, findings: Findings):
        self.findings = findings
        self.model = model
        self.links = {link.name: link for link in model.links}
        self.joints = {joint.name: joint for joint in model.joints}

    def read(self, element: Element) -> None:
        """Read or keep one <gazebo>."""
        name = element.attributes.get("reference", "").strip()
        link, joint = self.links.get(name), self.joints.get(name)
        touching = read_gazebos(element, link, self.findings) if link else ()
        rest = [
            child
            for child in element.children
            if child.tag not in touching and not self._taken(element, child, link, joint)
        ]
        if element.children and not rest:
            return
        owner = link or joint or self.model
        owner.extras += (kept(replace(element, children=rest)),)

    def _taken(self, element: Element, child: Element, link: Link | None, joint: Joint | None) -> bool:
        if link is not None and self._link_word(element, child, link):
            return True
        return joint is not None and self._joint_word(element, child, joint)

    def _link_word(self, element: Element, child: Element, link: Link) -> bool:
        match child.tag:
            case "turnGravityOff":
                link.gravity = not self.findings.flag(child.text, child, not link.gravity)
            case "gravity":
                link.gravity = self.findings.flag(child.text, child, link.gravity)
            case words if words == SELF_COLLIDE:
                link.self_collide = self.findings.flag(child.text or child.attributes.get("value", ""), child)
            case "dampingFactor":
                rate = self.findings.number(element, child.tag, 0.0)
                link.linear_damping = link.angular_damping = rate
            case "velocity_decay" if {inner.tag for inner in child.children} <= {"linear", "angular"}:
                link.linear_damping = self.findings.number(child, "linear", link.linear_damping)
                link.angular_damping = self.findings.number(child, "angular", link.angular_damping)
            case _:
                return False
        return True

    def _joint_word(self, element: Element, child: Element, joint: Joint) -> bool:
        if len(joint.columns) != 1:
            return False
        axis = joint.axes[joint.columns[0].axis]
        match child.tag:
            case "springStiffness":
                axis.spring_stiffness = self.findings.number(element, child.tag, 0.0)
            case "springReference":
                axis.spring_reference = self.findings.number(element, child.tag, 0.0)
            case _:
                return False
        return True
