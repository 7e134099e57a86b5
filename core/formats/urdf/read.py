# SPDX-License-Identifier: GPL-3.0-or-later
"""The reader of URDF: http://wiki.ros.org/urdf/XML.

A URDF is a tree of links, whose joints have the frame of their child.
"""

from __future__ import annotations

from ...extras import Extra
from ...files.resources import FilesBeside
from ...files.xml import Element
from ...model import WORLD, Frame, Joint, Model
from ...spatial import IDENTITY, Pose, compose, inverse
from ..drake.elements import BETWEEN_LINKS, report_others
from ..findings import NO_LINKS, Findings, Places
from ..source import Source
from ..xml.grammar import check_grammar
from .drake import TRANSMISSION, read_drakes, read_transmission
from .extras import FORMAT, UNEXPANDED, GazeboWords, kept
from .grammar import ROBOT
from .joint import JOINT_ELEMENTS, read_joint
from .link import LinkReader, read_pose

READ_TAGS = ("link", *JOINT_ELEMENTS, *BETWEEN_LINKS, "material", "frame", "gazebo")
"""Elements of a <robot> that are read."""

MAX_TOLD = 12
"""Largest number of links of a loop that a message names."""


def read_urdf(source: Source, findings: Findings, files: FilesBeside) -> tuple[Model, Places]:
    """Return the model in a URDF file, and the elements of its parts. A link named `world` is the world.

    Parts that a `Model` cannot express are kept as `Extra`s, on the link or joint that contains them or that they refer
    to.
    """
    root = source.root
    _report_unexpanded(root, findings)
    check_grammar(root, ROBOT, FORMAT, findings)
    model = Model(root.name or "robot")
    places: Places = {("model", model.name): root}
    reader = LinkReader(root, findings, files)
    for element in _named_once(root, ("link",), findings):
        if element.name == WORLD:
            for child in element.children:
                findings.skip(child)
        else:
            model.links.append(reader.read(element))
            places["link", element.name] = element
    joints = _named_once(root, JOINT_ELEMENTS, findings)
    for element in joints:
        if joint := read_joint(element, findings):
            model.joints.append(joint)
            places["joint", joint.name] = element
    _read_besides(root, model, findings)
    has_world = any(link.name == WORLD for link in root.all("link"))
    if len(model.joints) == len(joints):  # without all joints, links would seem to be roots
        _Tree(model, has_world, root, findings).place_links()
        read_drakes(root, model, places, findings)
    if not model.links and not any(issue.is_error for issue in findings.issues):
        findings.excuse(root, "no-links", NO_LINKS, f"model '{model.name}'")  # Drake and MuJoCo accept it
    return model, places


def _report_unexpanded(root: Element, findings: Findings) -> None:
    """Report attributes that xacro should have replaced, and remove them, so that defaults are used."""
    for element in root.children:
        for inner in element.walk() if element.tag in ("link", *JOINT_ELEMENTS, "material") else ():
            for name, value in list(inner.attributes.items()):
                if UNEXPANDED.search(value):
                    message = f"{name} of <{inner.tag}> is '{value}', which only xacro can expand"
                    findings.error(inner, "not-expanded", f"{message}; run `xacro FILE > robot.urdf` and read that")
                    del inner.attributes[name]


def _named_once(root: Element, tags: tuple[str, ...], findings: Findings) -> list[Element]:
    """Return the elements with one of these tags that have a name of their own. Report the others."""
    found: dict[str, Element] = {}
    for element in root.children:
        if element.tag not in tags:
            continue
        if not element.name:
            findings.error(element, "no-name", f"<{element.tag}> has no name; give it one")
        elif element.name in found:
            line = found[element.name].line
            message = f"the {tags[0]} in line {line} has this name too; give each its own"
            findings.error(element, "repeated-name", message)
        else:
            found[element.name] = element
    return list(found.values())


def _read_besides(root: Element, model: Model, findings: Findings) -> None:
    """Read Drake's frames, <gazebo> and transmissions, and keep all other elements on the model."""
    besides = {name: value for name, value in root.attributes.items() if name != "name"}
    if besides:
        model.extras += (Extra(FORMAT, root.tag, Element(root.tag, besides, root.line).to_xml()),)
    gazebo = GazeboWords(model, findings)
    links = {WORLD, *(link.name for link in model.links)}
    for element in root.children:
        if element.tag == "gazebo":
            gazebo.read(element)
        elif element.tag == "frame" and element.name and element.attributes.get("link") in links:
            model.frames.append(Frame(element.name, element.attributes["link"], read_pose(element, findings)))
        elif element.tag == TRANSMISSION:
            model.extras += (kept(read_transmission(element, model, findings)),)
        elif element.tag not in READ_TAGS or element.tag == "frame":
            report_others([element], findings)
            model.extras += (kept(element),)


class _Tree:
    """Poses of links. URDF defines poses from joint to joint, so they exist only if the joints are one tree.

    Attributes:
        above: the joint above each link.
    """

    def __init__(self, model: Model, has_world: bool, root: Element, findings: Findings):
        self.model, self.findings = model, findings
        self.elements: dict[tuple[str, str], Element] = {}
        for element in root.children:
            tag = "joint" if element.tag in JOINT_ELEMENTS else element.tag
            self.elements.setdefault((tag, element.name), element)
        self.links = {link.name: link for link in model.links}
        self.above = self._first_joints()
        self.has_world = has_world or any(joint.parent == WORLD for joint in model.joints)

    def _first_joints(self) -> dict[str, Joint]:
        """Return the joint above each link. Report further ones."""
        above: dict[str, Joint] = {}
        for joint in self.model.joints:
            other = above.setdefault(joint.child, joint)
            if other is not joint:
                self._error(
                    "joint",
                    joint.name,
                    "second-parent",
                    f"link '{joint.child}' is the child of joint '{other.name}' too; URDF is a tree: remove one joint",
                )
        return above

    def place_links(self) -> None:
        """Set every link's pose at q = 0, or report why it has none."""
        parents = {*self.links, WORLD}
        if any(joint.parent not in parents or joint.child not in self.links for joint in self.model.joints):
            return  # reported by check_model
        roots = [link.name for link in self.model.links if link.name not in self.above]
        if self.has_world:
            roots.insert(0, WORLD)
        for extra in roots[1:]:
            message = f"nothing joins it to '{roots[0]}', so it is on its own; URDF is one tree: add a joint"
            self.findings.excuse(self.elements["link", extra], "several-roots", message)
        placed = dict.fromkeys(roots, IDENTITY)
        self._place_below(placed)
        followed: set[str] = set()
        for name in self.links:
            if name not in placed:
                self._report_loop(name, followed)

    def _place_below(self, placed: dict[str, Pose]) -> None:
        below: dict[str, list[Joint]] = {}
        for joint in self.above.values():
            below.setdefault(joint.parent, []).append(joint)
        waiting = list(placed)
        while waiting:
            parent = waiting.pop()
            for joint in below.get(parent, ()):
                if joint.child in placed:
                    continue
                placed[joint.child] = self.links[joint.child].pose = _child_pose(placed[parent], joint)
                waiting.append(joint.child)

    def _report_loop(self, name: str, followed: set[str]) -> None:
        """Follow the joints upward from a link to a loop, and report that loop once."""
        seen: dict[str, None] = {}
        while name not in seen and name not in followed:
            seen[name] = None
            name = self.above[name].parent
        followed |= seen.keys()
        if name not in seen:
            return
        loop = [*seen][[*seen].index(name) :]
        if len(loop) == 1:
            return  # a joint of a link with itself, reported by check_model
        first = min(loop)
        at = loop.index(first)
        path = " -> ".join([*loop[at:], *loop[:at], first][:MAX_TOLD])
        message = f"hangs on itself: {path}; URDF is a tree: remove one joint"
        self._error("link", first, "loop", message)

    def _error(self, tag: str, name: str, code: str, message: str) -> None:
        self.findings.error(self.elements[tag, name], code, message)


def _child_pose(X_WP: Pose, joint: Joint) -> Pose:
    X_WJ = compose(X_WP, joint.X_PJ)
    return X_WJ if joint.X_CJ == IDENTITY else compose(X_WJ, inverse(joint.X_CJ))
