# SPDX-License-Identifier: GPL-3.0-or-later
"""The first pass over an SDF file: all frames, including those of nested models and included files.

Semantics: http://sdformat.org/tutorials?tut=pose_frame_semantics and ?tut=composition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...extras import OF_WORLD, Extra
from ...files.resources import BarredError, ResourceError
from ...files.xml import Element
from ...model import WORLD
from ..drake.elements import report_others
from ..findings import Findings
from ..xml.grammar import check_grammar
from ..xml.included import IncludeError
from ..xml.kept import extras_of, known
from .drake import is_read
from .frames import SEPARATOR, THIS_MODEL, Frames, Key, PosedFrame, Scope
from .grammar import SDF
from .include import TOO_MANY, Library, SdfFile
from .link import read_pose

OLDEST_KNOWN, NEWEST_KNOWN = (1, 2), (1, 12)
NO_COLONS_SINCE = (1, 8)
"""Version from which on names must not contain `::`, and a file must not contain several models."""

ONE_NAME_SPACE_SINCE = (1, 7)
"""Version from which on a link, a joint and a frame of a model must not have the same name."""

MAX_MODELS_DEEP = 50
"""Largest nesting depth of models, in one file or by <include>."""

WORLD_KNOWN = known("model", "include", "joint", "frame", "gravity", "light")
"""Elements of a <world> that are read."""

MODEL_KNOWN = known("link", "joint", "frame", "model", "include", "pose", "static", "self_collide", "model_state")
"""Elements of a <model> that are read."""

ORIGINAL_NAME = "limberjack:name"
"""Attribute that contains the name in the model if SDF does not allow it."""
UNNAMED = "limberjack:unnamed"
"""Attribute of a model that exists in the file only. Its name is not part of the names of its contents."""


@dataclass(frozen=True)
class ScopedElement:
    """A link, joint, light or explicit frame, with the scope that contains it."""

    element: Element
    scope: Scope
    frame: PosedFrame


@dataclass(frozen=True)
class IncludeOverrides:
    """The definitions of an <include> that replace those of the included model.

    Attributes:
        element: the <include>. name, pose: of the model. placement: the frame in it to which the pose applies.
        merge: whether the contents of the model belong to the including one.
    """

    element: Element | None = None
    name: str = ""
    pose: Element | None = None
    placement: str = ""
    merge: bool = False


class Gathering:
    """All elements of a file, collected before the model is made.

    Attributes:
        links, joints, lights, explicit: in the order of the file. places: all other frames, which are those of models.
        placements: models with the key of their placement frame.
        states: each <model_state>, with the scope of its model. drakes: likewise each element of Drake's that is read.
        extras: parts that are not read.
    """

    def __init__(self, root: Element, findings: Findings, library: Library):
        self.findings = findings
        self.library = library
        self.frames = Frames(root)
        self.links: list[ScopedElement] = []
        self.joints: list[ScopedElement] = []
        self.lights: list[ScopedElement] = []
        self.explicit: list[ScopedElement] = []
        self.places: list[PosedFrame] = []
        self.placements: list[tuple[PosedFrame, Key]] = []
        self.states: list[tuple[Element, Scope]] = []
        self.drakes: list[tuple[Element, Scope]] = []
        self.extras: list[Extra] = []
        self._told_full: set[str] = set()
        self._checked: set[Element] = set()

    def world(self, element: Element, file: SdfFile, version: tuple[int, int]) -> None:
        """Collect the contents of a world."""
        self.extras += extras_of(element, WORLD_KNOWN, "SDF", (OF_WORLD,))
        self._children(element, Scope((), (), file, version))

    def model(self, element: Element, outer: Scope, overrides: IncludeOverrides | None = None) -> tuple[Key, ...]:
        """Collect a model.

        Return the keys of frames to which the frame around it may be attached, the preferred one first.
        """
        overrides = overrides or IncludeOverrides()
        if len(outer.key) > MAX_MODELS_DEEP:
            self.findings.error(element, "too-deep", f"more than {MAX_MODELS_DEEP} models in models; nest fewer")
            return ()
        name = overrides.name or element.name
        frame_name = f"_merged__{name}{THIS_MODEL}" if overrides.merge else name
        pose_of = overrides.element if overrides.pose is not None and overrides.element else element
        frame = self._add_frame(element, frame_name, outer, default=outer.base, posed_by=pose_of)
        if frame is None:
            return ()
        self.places.append(frame)
        key = outer.key if overrides.merge else frame.key
        static = outer.static or self._flag(element, "static")
        selves = outer.self_collide if overrides.merge else self._flag(element, "self_collide")
        inner = replace(outer, key=key, base=frame.key, static=static, self_collide=selves)
        if placement := overrides.placement or element.attributes.get("placement_frame"):
            self.placements.append((frame, inner.resolve(placement)))
        self.drakes += [(child, inner) for child in element.children if is_read(child)]
        others = replace(element, children=[child for child in element.children if not is_read(child)])
        self.extras += extras_of(others, MODEL_KNOWN, "SDF", scope=SEPARATOR.join(key))
        report_others(others.children, self.findings)
        self.states += [(state, inner) for state in element.all("model_state")]
        entries = self._children(element, inner)
        if named := element.attributes.get("canonical_link"):
            entries = (inner.resolve(named),)
        frame.attached_to = () if inner.static or not entries else entries[0]
        return entries if overrides.merge else (frame.key,)

    def _children(self, element: Element, scope: Scope) -> tuple[Key, ...]:
        """Collect the contents of a model or world.

        Links come first: if a joint of an old file has the name of a link, the name means the link.

        Returns:
            Keys of frames to which the frame around them may be attached, the preferred one first.
        """
        links: list[Key] = []
        models: list[Key] = []
        for link in element.all("link"):
            if frame := self._add_element(self.links, link, scope, default=scope.base):
                links.append(frame.key)
        for inner in element.all("model"):
            models += self.model(inner, scope)
        for include in element.all("include"):
            (links if self._flag_attribute(include, "merge") else models).extend(self._include(include, scope))
        for explicit in element.all("frame"):
            attached_to = scope.resolve(explicit.attributes.get("attached_to", "").strip() or THIS_MODEL)
            self._add_element(self.explicit, explicit, scope, default=attached_to, attached_to=attached_to)
        for joint in element.all("joint"):
            child = scope.resolve(text_of(joint, "child"))
            self._add_element(self.joints, joint, scope, default=child, attached_to=child)
        for light in element.all("light"):
            self._add_element(self.lights, light, scope, default=scope.base, attached_to=scope.base)
        return (*links, *models)

    # ---- included files

    def _include(self, include: Element, scope: Scope) -> tuple[Key, ...]:
        uri = text_of(include, "uri")
        try:
            file = self.library.open(uri, scope.file)
        except ResourceError as error:
            self._report_missing(include, scope, error)
            return ()
        except IncludeError as error:
            if error.code not in self._told_full:
                self.findings.error(include, error.code, str(error))
            if error.code in TOO_MANY:
                self._told_full.add(error.code)  # further includes would give the same error
            return ()
        if file.root not in self._checked:
            self._checked.add(file.root)
            check_grammar(file.root, SDF, "SDF", self.findings)
        models = list(file.root.all("model"))
        if not models:
            self._include_lights(include, uri, file, scope)
            return ()
        placement, pose = text_of(include, "placement_frame"), include.child("pose")
        if placement and pose is None:
            self.findings.error(include, "placement-without-pose", "a <placement_frame> needs a <pose>; give one")
        merge = self._flag_attribute(include, "merge")
        overrides = IncludeOverrides(include, text_of(include, "name"), pose, placement, merge)
        static = scope.static or self._flag(include, "static")
        into = replace(scope, file=file, version=version_of(file.root, self.findings), static=static)
        entries = self.model(models[0], into, overrides)
        name = overrides.name or models[0].name
        scoped = scope.key if merge else (*scope.key, name)
        self.extras += [
            Extra("SDF", plugin.tag, plugin.to_xml(), scope=SEPARATOR.join(scoped)) for plugin in include.all("plugin")
        ]
        return entries

    def _include_lights(self, include: Element, uri: str, file: SdfFile, scope: Scope) -> None:
        """Collect the lights of an included file without models, such as model://sun. Report a file without lights."""
        lights = list(file.root.all("light"))
        if not lights:
            message = f"'{uri}' holds no <model> and no <light>, and is left out; include one that does"
            self.findings.excuse(include, "include-without-model", message)
            self.extras.append(Extra("SDF", include.tag, include.to_xml(), (OF_WORLD,)))
            return
        into = replace(scope, file=file, version=version_of(file.root, self.findings))
        overrides = {"name": text_of(include, "name")}
        for light in lights:
            self._add_element(
                self.lights,
                light,
                into,
                default=scope.base,
                attached_to=scope.base,
                posed_by=include if include.child("pose") is not None else None,
                name=overrides.pop("name", ""),
            )

    def _report_missing(self, include: Element, scope: Scope, error: ResourceError) -> None:
        """Report a missing file: as an error if a model includes it or if it may not be opened, else as a warning."""
        if scope.key or isinstance(error, BarredError):
            self.findings.error(include, "include-not-found", str(error))
            return
        self.findings.warning(include, "include-not-found", f"{error}. It is left out, and kept for an export")
        self.extras.append(Extra("SDF", include.tag, include.to_xml(), (OF_WORLD,)))

    # ---- frames

    def _add_element(
        self,
        entries: list[ScopedElement],
        element: Element,
        scope: Scope,
        *,
        default: Key,
        attached_to: Key | None = None,
        posed_by: Element | None = None,
        name: str = "",
    ) -> PosedFrame | None:
        """Add an element and its frame. Return the frame, or None after an error was reported.

        name, posed_by: the name, and the element with the pose, if they differ from the element's own.
        """
        frame = self._add_frame(
            element, name or element.name, scope, default=default, attached_to=attached_to, posed_by=posed_by
        )
        if frame is not None:
            entries.append(ScopedElement(element, scope, frame))
        return frame

    def _add_frame(
        self,
        element: Element,
        name: str,
        scope: Scope,
        *,
        default: Key,
        attached_to: Key | None = None,
        posed_by: Element | None = None,
    ) -> PosedFrame | None:
        """Add the frame of an element.

        Return it, or None after an error was reported, because its name cannot be used.
        """
        posed_by = posed_by or element
        if not self._name_is_legal(element, name, scope.version):
            return None
        base = base_name(posed_by)
        frame = PosedFrame(
            key=scope.key + _parts_of(name),
            element=element,
            pose=read_pose(posed_by.child("pose"), self.findings),
            relative_to=scope.resolve(base) if base else default,
            attached_to=attached_to,
        )
        known = self.frames.add(frame)
        if known is None:
            if original := element.attributes.get(ORIGINAL_NAME):
                self.frames.call(frame.key, original)
            elif UNNAMED in element.attributes:
                self.frames.call(frame.key, "")
            return frame
        message = f"<{known.element.tag}> in line {known.element.line} has this name too"
        if scope.version >= ONE_NAME_SPACE_SINCE or known.element.tag == element.tag:
            self.findings.error(element, "repeated-name", f"{message}; give each its own")
            return None
        frame.key = (*frame.key[:-1], f"{frame.key[-1]}_{element.tag}")  # the name that libsdformat gives it
        self.findings.warning(element, "repeated-name", f"{message}; it is named '{frame.key[-1]}' here")
        return frame if self.frames.add(frame) is None else None

    def _name_is_legal(self, element: Element, name: str, version: tuple[int, int]) -> bool:
        if not name:
            self.findings.error(element, "no-name", f"<{element.tag}> has no name; give it one")
        elif name == WORLD or (name.startswith("__") and name.endswith("__")):
            self.findings.error(element, "reserved-name", "'world' and names like __this__ are SDF's own; rename it")
        elif SEPARATOR in name and version >= NO_COLONS_SINCE:
            self.findings.error(element, "reserved-name", "'::' is not allowed in a name since SDF 1.8; rename it")
        else:
            return True
        return False

    def _flag(self, element: Element, tag: str) -> bool:
        overrides = element.child(tag)
        return overrides is not None and self.findings.flag(overrides.text, overrides)

    def _flag_attribute(self, element: Element, name: str) -> bool:
        return self.findings.flag(element.attributes.get(name, ""), element)


def version_of(root: Element, findings: Findings) -> tuple[int, int]:
    """Return the version of an <sdf> element.

    If it has none, report that and return 1.9. Also report an unknown version.
    """
    text = root.attributes.get("version", "").strip()
    try:
        major, minor = map(int, text.split(".")[:2])
    except ValueError:
        findings.warning(root, "no-version", f"version is '{text}'; write version=\"1.9\", as which it is read")
        return 1, 9
    if not OLDEST_KNOWN <= (major, minor) <= NEWEST_KNOWN:
        newest = ".".join(map(str, NEWEST_KNOWN))
        findings.warning(root, "unknown-version", f"version {text} is not known here; read by the rules of {newest}")
    return major, minor


def _parts_of(name: str) -> Key:
    """Return the names in a name.

    A flattened file names the frame of a former model `a::__model__`, and other frames `a`.
    """
    parts = tuple(name.split(SEPARATOR))
    return parts[:-1] if len(parts) > 1 and parts[-1] == THIS_MODEL else parts


def text_of(element: Element, tag: str) -> str:
    """Return the text of a child element. In the oldest files it is in the attribute `link`."""
    found = element.child(tag)
    return "" if found is None else found.text or found.attributes.get("link", "").strip()


def base_name(element: Element) -> str:
    """Return the name of the frame to which the element's pose is relative; "" if it has none.

    SDF 1.5 and 1.6 call the attribute `frame`.
    """
    pose = element.child("pose")
    given = pose.attributes if pose else {}
    return (given.get("relative_to") or given.get("frame") or "").strip()
