# SPDX-License-Identifier: GPL-3.0-or-later
"""The nested models of an SDF file, from the flat names of a model: which model contains each part, and its name there.

A name `outer::inner` requires a model `outer` around `inner`. A joint is in the innermost model that contains both its
links, since references in SDF lead only into nested models.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from ...model import WORLD, ContactPair, Coupling, Gearbox, Joint, Model
from ...model.naming import claim, joints_of, rename
from ..names import printable
from .frames import SEPARATOR

Item = TypeVar("Item", Joint, Coupling | Gearbox)
Scope = tuple[str, ...]
"""Names in the file of the models that contain a part, outermost first."""


@dataclass(frozen=True)
class Place:
    """The place of a part in the file.

    Attributes:
        scope: the models that contain it. name: its name there.
        original: its name in the model, if that had to change; otherwise empty.
    """

    scope: Scope
    name: str
    original: str = ""

    def seen_from(self, scope: Scope) -> str:
        """Return the reference to it from a part in `scope`."""
        return SEPARATOR.join((*self.scope[len(scope) :], self.name))


UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

THE_WORLD = Place((), WORLD)
"""The place of the world."""


@dataclass
class Layout:
    """The places of a model's links, joints, gearboxes and frames, by their names.

    Attributes:
        scopes: {names in the model: names in the file} of every nested model.
        changes: a line for each name that had to change.
    """

    links: dict[str, Place] = field(default_factory=dict)
    joints: dict[str, Place] = field(default_factory=dict)
    couplings: dict[str, Place] = field(default_factory=dict)
    frames: dict[str, Place] = field(default_factory=dict)
    scopes: dict[Scope, Scope] = field(default_factory=lambda: {(): ()})
    changes: list[str] = field(default_factory=list)

    def scope_of(self, name: str, ends: Iterable[str] = ()) -> Scope:
        """Return the innermost model, by its names in the model, that contains `name` and all links `ends`."""
        scope = tuple(name.split(SEPARATOR)[:-1])
        for end in ends:
            if end != WORLD:
                scope = _common(scope, tuple(end.split(SEPARATOR)[:-1]))
        while scope not in self.scopes:
            scope = scope[:-1]
        return scope


def lay_out(model: Model, nested: bool) -> Layout:
    """Return the places of all parts of a model.

    nested: if False, all parts are in one model, and `::` in names becomes `__`.
    """
    layout = Layout()
    taken: dict[Scope, set[str]] = {(): set()}
    innermost = {tuple(link.name.split(SEPARATOR)[:-1]) for link in model.links} if nested else set()
    for scope in sorted({inner[:depth] for inner in innermost for depth in range(1, len(inner) + 1)}):
        outer = layout.scopes[scope[:-1]]
        name = legal_name(scope[-1], "model", taken[outer])
        layout.scopes[scope] = (*outer, name)
        taken[layout.scopes[scope]] = set()

    def place_all(kind: str, ends: dict[str, tuple[str, ...]]) -> dict[str, Place]:
        """Return the place of each part {name: links that it must see}. Legal names are placed first and kept."""
        leaves = {}
        for name, reached in ends.items():
            known_as = layout.scope_of(name, reached)
            leaves[name] = (layout.scopes[known_as], name.split(SEPARATOR, len(known_as))[-1])
        changed = {name: legal_name(leaf, kind, set()) != leaf for name, (_, leaf) in leaves.items()}
        places = {}
        for name in sorted(ends, key=changed.__getitem__):
            scope, leaf = leaves[name]
            chosen = legal_name(leaf, kind, taken[scope])
            if chosen != leaf:
                layout.changes.append(
                    f"{kind} '{name}' is named '{chosen}', because SDF does not allow that name, or has it already"
                )
            places[name] = Place(scope, chosen, leaf if chosen != leaf and not UNSPEAKABLE.search(leaf) else "")
        return places

    layout.links = place_all("link", {link.name: (link.name,) for link in model.links}) | {WORLD: THE_WORLD}
    layout.joints = place_all("joint", _ends_of_joints(model))
    gearboxes = [coupling for coupling in model.couplings if isinstance(coupling, Gearbox)]
    ends = {gearbox.name: (gearbox.parent, gearbox.child, gearbox.reference) for gearbox in gearboxes}
    layout.couplings = place_all("joint", ends)
    layout.frames = place_all("frame", {frame.name: (frame.link,) for frame in model.frames})
    return layout


def _ends_of_joints(model: Model) -> dict[str, tuple[str, ...]]:
    """Return {joint: links that it refers to}, with those of the leader of its mimic."""
    ends = {joint.name: (joint.parent, joint.child) for joint in model.joints}
    leaders = {joint.name: joint.mimic.leader for joint in model.joints if joint.mimic}
    return {name: found + ends.get(leaders.get(name, ""), ()) for name, found in ends.items()}


def legal_name(name: str, kind: str, taken: set[str]) -> str:
    """Return `name` in a form without `::`, not "world", not `__like_this__`, and not in `taken`. Add it to `taken`."""
    legal = printable(name).replace(SEPARATOR, "__")
    if legal == WORLD:
        legal = f"{WORLD}_{kind}"
    elif legal.startswith("__") and legal.endswith("__"):
        legal = legal.strip("_")
    base = legal or kind
    return claim(f"{base}_{kind}" if base in taken and kind != "link" else base, taken)


def _common(a: Scope, b: Scope) -> Scope:
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    return a[:shared]


# ---- one model, or one for each articulation


@dataclass
class Part:
    """A part of a model, as a model.

    Attributes:
        is_outer: whether its name was the first part of the names of its contents.
        members: names of its links in the whole model; empty if it is the whole model.
    """

    model: Model
    is_outer: bool = False
    members: frozenset[str] = frozenset()

    def contains(self, pair: ContactPair) -> bool:
        """Return whether both links of a contact pair of the whole model are in this part."""
        return not self.members or self.members.issuperset((pair.a, pair.b))


def articulations(model: Model) -> list[Part]:
    """Return a part for each component that joints and couplings connect, not counting the world.

    Links with a common first name `outer::` are in one part, and so are those of one family. If all names of a part
    have a common `outer::`, this becomes its name. A model with one component is returned as it is, and one without
    links has no parts.
    """
    if not model.links:
        return []
    groups = Groups(link.name for link in model.links)
    first_of: dict[str, str] = {}
    first_of_family: dict[str, str] = {}
    for link in model.links:
        outer, inner, _ = link.name.partition(SEPARATOR)
        if inner:
            groups.join(first_of.setdefault(outer, link.name), link.name)
        if link.family:
            groups.join(first_of_family.setdefault(link.family, link.name), link.name)
    ends = _ends_of_joints(model)
    for coupling in model.couplings:
        if isinstance(coupling, Gearbox):
            ends[coupling.name] = (coupling.parent, coupling.child, coupling.reference)
        else:
            ends[coupling.name] = tuple(end for joint in joints_of(coupling) for end in ends.get(joint, ()))
    for reached in ends.values():
        inside = [end for end in reached if end != WORLD]
        for end in inside[1:]:
            groups.join(inside[0], end)
    found = groups.all()
    if len(found) < 2:
        return [Part(model)]
    parts = [_part(model, members, ends) for members in found]
    taken = {part.model.name for part in parts if part.is_outer}
    for part in parts:
        if not part.is_outer:
            part.model.name = claim(part.model.name, taken)
    return parts


def _part(model: Model, members: set[str], ends: dict[str, tuple[str, ...]]) -> Part:
    def mine(items: Iterable[Item]) -> list[Item]:
        return [copy.deepcopy(item) for item in items if members.intersection(ends[item.name])]

    links = [copy.copy(link) for link in model.links if link.name in members]
    part = Model(links[0].name, links, mine(model.joints), model.gravity, mine(model.couplings))
    part.frames = [copy.copy(frame) for frame in model.frames if frame.link in members]
    part.lights = [copy.copy(light) for light in model.lights if light.link in members]
    part.contact_pairs = [copy.copy(pair) for pair in model.contact_pairs if members.issuperset((pair.a, pair.b))]
    outers = {name.partition(SEPARATOR)[0] for name in members if SEPARATOR in name}
    part.extras = tuple(extra for extra in model.extras if extra.scope.partition(SEPARATOR)[0] in outers)
    if len(outers) == 1 and all(SEPARATOR in name for name in members):
        part.name = outers.pop()
        _strip(part, f"{part.name}{SEPARATOR}")
        return Part(part, is_outer=True, members=frozenset(members))
    if len(members) > 1:
        part.name = model.name
    return Part(part, members=frozenset(members))


def _strip(part: Model, outer: str) -> None:
    """Remove `outer::` from all names."""
    for items in (part.couplings, part.frames, part.lights):
        for item in items:
            item.name = item.name.removeprefix(outer)
    rename(
        part,
        {link.name: link.name.removeprefix(outer) for link in part.links},
        {joint.name: joint.name.removeprefix(outer) for joint in part.joints},
    )
    inner = (replace(extra, scope=f"{extra.scope}{SEPARATOR}".removeprefix(outer)) for extra in part.extras)
    part.extras = tuple(replace(extra, scope=extra.scope.removesuffix(SEPARATOR)) for extra in inner)


class Groups:
    """Disjoint sets of names (union-find)."""

    def __init__(self, names: Iterable[str]):
        self.above = {name: name for name in names}
        self.rank = {name: number for number, name in enumerate(self.above)}

    def top(self, name: str) -> str:
        """Return the first name of the set of `name`."""
        while self.above[name] != name:
            self.above[name] = name = self.above[self.above[name]]
        return name

    def join(self, one: str, other: str) -> None:
        """Unite the sets of two names."""
        first, last = sorted((self.top(one), self.top(other)), key=self.rank.__getitem__)
        self.above[last] = first

    def all(self) -> list[set[str]]:
        """Return all sets, in the order of their first names."""
        groups: dict[str, set[str]] = {}
        for name in self.above:
            groups.setdefault(self.top(name), set()).add(name)
        return list(groups.values())
