# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of bodies, without <frame>, <replicate> and <attach>: each part has its pose in its body.

Source: MuJoCo documentation, XML Reference, "body/frame", "replicate" and "attach".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ....files.xml import Element
from ....model import WORLD
from ....model.naming import TakenNames
from ....spatial import IDENTITY, ZERO, Pose, compose
from ...findings import Findings
from ..model_file import ModelFile
from ..poses import integer_of, pose_of, quat_of_euler

MAX_BODIES = 30_000
"""Largest number of bodies and parts of them, since <replicate> in <replicate> multiplies them.

Each takes up to 20 kB and 0.1 ms.
"""

PARTS = ("joint", "freejoint", "geom", "site", "inertial", "camera", "light")
"""Tags of what a body consists of, besides bodies."""


class Affixes(NamedTuple):
    """The prefix and the suffix of all names of an attached file."""

    prefix: str = ""
    suffix: str = ""

    def of(self, name: str) -> str:
        """Return a name of the file as it is in the whole model."""
        return f"{self.prefix}{name}{self.suffix}"

    @property
    def is_own(self) -> bool:
        """True for the main file, False for one that another file attaches."""
        return self == OWN


OWN = Affixes()
"""Affixes of the main file."""


@dataclass(frozen=True)
class Scope:
    """Settings that an element inherits from the elements around it.

    Attributes:
        file: the file that defines it.
        pose: of the frame around it, in the body [m].
        childclass: its default class if it names none; "" for the file's own.
        prefix, suffix: before and after its name: those of <attach> and <replicate>.
        attached: the elements that <attach> has put around it.
    """

    file: ModelFile
    pose: Pose = IDENTITY
    childclass: str = ""
    prefix: str = ""
    suffix: str = ""
    attached: tuple[Element, ...] = ()

    def name_of(self, element: Element) -> str:
        """Return the name of an element in the whole model; "" if it has none."""
        return f"{self.prefix}{element.name}{self.suffix}" if element.name else ""


@dataclass(eq=False)
class Part:
    """A joint, geom, site or inertial element of a body.

    Attributes:
        name: in the whole model; "" for none.
        element: with the attributes of its class.
        around: what the elements around it say; its `pose` is the frame of the element's own pose.
    """

    name: str
    element: Element
    around: Scope


@dataclass(eq=False)
class Body:
    """A body of MuJoCo's tree.

    Attributes:
        name: in the whole model, never empty.
        pose: X_PB, in its parent, as drawn [m].
        parts: by their tags, in order; free joints are among the joints.
    """

    name: str
    element: Element
    around: Scope
    parent: Body | None = None
    pose: Pose = IDENTITY
    parts: dict[str, list[Part]] = field(default_factory=dict)
    children: list[Body] = field(default_factory=list)

    def all(self, tag: str) -> list[Part]:
        return self.parts.get(tag, [])

    def walk(self) -> Iterator[Body]:
        """Yield this body and all bodies in it, each before those in it, in MuJoCo's order."""
        ahead: list[Body] = [self]
        while ahead:
            body = ahead.pop()
            yield body
            ahead.extend(reversed(body.children))


class BodyTree:
    """Reads the bodies of a file into a tree.

    Attributes:
        world: its root.
        attached: (file, affixes of its names) for each <attach> of another file.
    """

    def __init__(self, file: ModelFile, findings: Findings):
        self.findings = findings
        self.world = Body(WORLD, file.document.root, Scope(file))
        self.attached: list[tuple[ModelFile, Affixes]] = []
        self._taken = TakenNames((WORLD,))
        self._count = 0
        self._waiting: list[tuple[Element, Body, Scope]] = []
        for section in reversed([*file.document.sections("worldbody"), *file.document.sections("body")]):
            self._push(section, self.world, Scope(file))
        while self._waiting and self._count <= MAX_BODIES:
            self._visit(*self._waiting.pop())
        if self._waiting:
            message = f"it has more than {MAX_BODIES:,} bodies and parts; split the model"
            findings.error(file.document.root, "too-many-elements", message)
            self.world.children.clear()  # or else the user waits for what is refused

    def _push(self, holder: Element, body: Body, around: Scope) -> None:
        self._waiting.extend((child, body, around) for child in reversed(holder.children))

    def _visit(self, element: Element, body: Body, around: Scope) -> None:
        self._count += 1
        if element.tag in PARTS:
            self._add_part(element, body, around)
        elif visit := self._NODES.get(element.tag):
            visit(self, element, body, around)

    def _add_part(self, element: Element, body: Body, around: Scope) -> None:
        tag = "joint" if element.tag == "freejoint" else element.tag
        if body.parent is None and tag in ("joint", "inertial"):
            message = f"the world has no <{element.tag}>; put it into a <body>, or take it out"
            self.findings.error(element, "part-of-world", message)
            return
        complete = around.file.defaults.complete(element, around.childclass)
        body.parts.setdefault(tag, []).append(Part(around.name_of(element), complete, around))

    def _body(self, element: Element, body: Body, around: Scope) -> None:
        asked = around.name_of(element) or f"{body.name}_body"
        if asked in self._taken and element.name:
            message = f"another body is named '{asked}' too; give each its own name"
            self.findings.error(element, "repeated-name", message)
        pose = compose(around.pose, pose_of(element, around.file.settings, self.findings))
        child = Body(self._taken.claim(asked), element, around, body, pose)
        body.children.append(child)
        self._push(element, child, replace(around, pose=IDENTITY, childclass=self._class_of(element, around)))

    def _frame(self, element: Element, body: Body, around: Scope) -> None:
        pose = compose(around.pose, pose_of(element, around.file.settings, self.findings))
        self._push(element, body, replace(around, pose=pose, childclass=self._class_of(element, around)))

    def _class_of(self, element: Element, around: Scope) -> str:
        return around.file.defaults.known(element, "childclass") or around.childclass

    def _replicate(self, element: Element, body: Body, around: Scope) -> None:
        """Visit the content once for each copy. Copy i is moved and turned i times by offset and euler."""
        settings = around.file.settings
        count = integer_of(element, "count", 0, self.findings)
        offset = self.findings.attribute_vector(element, "offset", ZERO)
        euler = self.findings.attribute_vector(element, "euler", ZERO)
        separator = element.attributes.get("sep", "")
        step = offset + quat_of_euler(euler, settings)
        position, copies = ZERO, []
        if count < 1 or count * max(1, len(element.children)) > MAX_BODIES:
            allowed = f"1 to {MAX_BODIES:,} parts"
            self.findings.error(element, "bad-number", f"<replicate> makes {count} copies; allowed are {allowed}")
            return
        for i in range(count):
            angles = (i * euler[0], i * euler[1], i * euler[2])
            quat = quat_of_euler(angles, settings)
            suffix = f"{separator}{i:0{len(str(count))}d}{around.suffix}"
            pose = compose(around.pose, position + quat)
            childclass = self._class_of(element, around)
            copies.append(replace(around, pose=pose, suffix=suffix, childclass=childclass))
            position = compose(position + quat, step)[:3]
        for each in reversed(copies):
            self._push(element, body, each)

    def _attach(self, element: Element, body: Body, around: Scope) -> None:
        """Visit the body, the frame or the world of another file, or of this one."""
        prefix = element.attributes.get("prefix", "")
        model = element.attributes.get("model", "")
        file = around.file.models.get(model) if model else around.file
        if file is None:
            message = f"<attach> names the model '{model}', which is no <model> in <asset>; add it, or name another"
            self.findings.error(element, "unknown-model", message)
            return
        inner = replace(around, file=file, prefix=around.prefix + prefix, childclass="" if model else around.childclass)
        if model:
            self.attached.append((file, Affixes(inner.prefix, inner.suffix)))
        wanted = next((tag for tag in ("body", "frame") if tag in element.attributes), "")
        if not wanted:
            for section in reversed([*file.document.sections("worldbody")]):
                self._push(section, body, inner)
            return
        name = element.attributes[wanted]
        found = next((each for each in file.document.root.walk() if each.tag == wanted and each.name == name), None)
        if found is None:
            message = f"<attach> names the {wanted} '{name}', which is not there; check the name"
            self.findings.error(element, f"unknown-{wanted}", message)
        elif _is_inside(element, found) or found in around.attached:
            message = f"<attach> puts the {wanted} '{name}' into itself; name one that is not around it"
            self.findings.error(element, "attach-cycle", message)
        else:
            self._waiting.append((found, body, replace(inner, attached=(*around.attached, found))))

    _NODES: dict[str, Callable[[BodyTree, Element, Body, Scope], None]] = {
        "body": _body,
        "frame": _frame,
        "replicate": _replicate,
        "attach": _attach,
    }


def _is_inside(element: Element, other: Element) -> bool:
    at: Element | None = element
    while at is not None and at is not other:
        at = at.parent
    return at is other


def part_pose(part: Part, findings: Findings) -> Pose:
    """Return the pose of a part in its body [m]."""
    return compose(part.around.pose, pose_of(part.element, part.around.file.settings, findings))
