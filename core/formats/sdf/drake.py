# SPDX-License-Identifier: GPL-3.0-or-later
"""Drake's elements in an SDF model: its planar joint, and those that `drake_elements` reads."""

from __future__ import annotations

from collections.abc import Callable

from ...files.xml import Element
from ...joints import JOINT_TYPES
from ...model import WORLD, Axis, Joint, Model
from ...spatial import IDENTITY, ZERO, Pose, compose, inverse
from ..drake.elements import BETWEEN_LINKS, DrakeElements
from ..findings import Findings, Places
from .frames import SEPARATOR, FrameError, Frames, Key, Scope

JOINT = "drake:joint"
"""Tag of Drake's joints."""

PLANAR = "planar"
"""The only type of these joints that is read."""

ENDS = ("drake:parent", "drake:child")
DAMPING = "drake:damping"


def is_read(element: Element) -> bool:
    """Return whether `DrakeReader` reads this child of a <model>."""
    return element.tag in BETWEEN_LINKS or (element.tag == JOINT and element.attributes.get("type") == PLANAR)


class DrakeReader:
    """Adds joints and contact pairs to a model, from Drake's elements.

    Attributes:
        name_of: function from the key of a link to its name in the model; "" for the world.
    """

    def __init__(self, model: Model, frames: Frames, name_of: Callable[[Key], str], places: Places, findings: Findings):
        self.model, self.frames, self.name_of = model, frames, name_of
        self.places, self.findings = places, findings

    def read(self, found: list[tuple[Element, Scope]]) -> None:
        """Read all such elements of a file, each with the model that contains it. Links must exist already."""
        for element, scope in found:
            if element.tag == JOINT and not scope.static:
                self._joint(element, scope)
        elements = DrakeElements(self.model, self.places, self.findings)
        for element, scope in found:
            if element.tag != JOINT:
                prefix = SEPARATOR.join((*scope.key, ""))
                elements.read(element, lambda name, scope=scope: self._link_of(scope, name), prefix)
        elements.finish()

    def _link_of(self, scope: Scope, name: str) -> str | None:
        key = scope.resolve(name)
        if key not in self.frames:
            return None
        try:
            is_link = self.frames.body(key) == key
        except FrameError:
            return None
        return (self.name_of(key) or WORLD) if is_link else None

    def _joint(self, element: Element, scope: Scope) -> None:
        """Add a planar joint. At q = 0, the two frames that it names coincide; it moves in their XY plane."""
        name = self.name_of((*scope.key, element.name))
        if not element.name or any(joint.name == name for joint in self.model.joints):
            message = f"<{JOINT}> has no name of its own; give it one that no other joint has"
            self.findings.error(element, "repeated-name" if element.name else "no-name", message)
            return
        ends = [self._end(element, tag, scope) for tag in ENDS]
        if None in ends:
            return
        (parent, X_PJ), (child, X_CJ) = (end for end in ends if end)
        dampings = self.findings.vector(element, DAMPING, ZERO)
        axes = [Axis(damping=damping) for damping in dampings]
        self.model.joints.append(Joint(name, JOINT_TYPES[PLANAR].name, parent, child, X_PJ, X_CJ, axes))
        self.places["joint", name] = element

    def _end(self, joint: Element, tag: str, scope: Scope) -> tuple[str, Pose] | None:
        """Return the link of the frame that the joint names, and the pose of the frame in it [m].

        Return None after an error was reported.
        """
        at = joint.child(tag)
        reference = at.text if at else ""
        key = scope.resolve(reference)
        if not reference or key not in self.frames:
            message = f"<{tag}> names '{reference}', which is not there; name a link or frame of its model"
            self.findings.error(at or joint, "unknown-frame", message)
            return None
        try:
            link = self.frames.body(key)
            pose = compose(inverse(self.frames.pose_of(link) if link else IDENTITY), self.frames.pose_of(key))
        except FrameError as error:
            self.findings.error(error.at, error.code, error.message)
            return None
        return self.name_of(link) or WORLD, pose
