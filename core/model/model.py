# SPDX-License-Identifier: GPL-3.0-or-later
"""`Model`: links, joints and couplings by name, and queries about them."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args, get_type_hints

import numpy as np

from ..extras import Extra
from ..spatial import ZERO, Vec3
from .couplings import Coupling, Equation, Gearbox, mimic_equation
from .elements import WORLD, ContactPair, Joint, Link
from .errors import ModelError
from .frames_and_lights import Frame, Light
from .graph import Branch, Tree, connected_components, spanning_tree
from .record import Record
from .text import aligned, counted


@dataclass(frozen=True)
class Loop:
    """A joint that closes a loop, and the joints of the tree on that loop.

    Attributes:
        loose: the link that nothing else holds, if the joint is marked to close a loop and there is none; otherwise
            empty.
    """

    joint: Joint
    around: tuple[Branch, ...]
    loose: str = ""

    def __str__(self) -> str:
        if self.loose:
            return f"joint '{self.joint.name}' is marked to close a loop, but nothing else holds link '{self.loose}'"
        names = ", ".join(f"'{branch.joint.name}'" for branch in self.around)
        return f"joint '{self.joint.name}' closes a loop with {names}"


LISTED = {
    "links": (Link,),
    "joints": (Joint,),
    "couplings": (Coupling, Gearbox),
    "frames": (Frame,),
    "lights": (Light,),
    "contact_pairs": (ContactPair,),
}
"""Types of the elements of a model's lists."""


@dataclass(repr=False)
class Model(Record):
    """Links, joints, frames and lights, with gravity [m/s^2] and wind [m/s] in world axes.

    The wind is the same everywhere. It acts on links through their `linear_damping`. `contact_pairs` take precedence
    over joints and families when it is decided which links may collide; `collision_filter.py` has the rule.

    Links and joints of a model in a model are named `outer::inner`. The functions that change a model are in
    `editing.py`, `grafting.py` and `placing.py`.

    Attributes:
        base: for a model that `remove_link` cut off, the link of the former model that has become its world.
    """

    name: str = "model"
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    gravity: Vec3 = (0.0, 0.0, -9.81)
    couplings: list[Coupling | Gearbox] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    lights: list[Light] = field(default_factory=list)
    extras: tuple[Extra, ...] = ()
    wind: Vec3 = ZERO
    contact_pairs: list[ContactPair] = field(default_factory=list, metadata={"since": "0.2.0"})
    base: str = field(default=WORLD, metadata={"since": "0.2.0"})

    def __post_init__(self):
        if not isinstance(self.name, str):
            raise TypeError(f"a Model takes its name first, found {self.name!r}; write Model('arm', links=[...])")

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a field.

        Raises:
            AttributeError: if there is no such field. TypeError: if a list contains an element of another type.
        """
        if name in LISTED:
            wrong = (
                [item for item in value if not isinstance(item, LISTED[name])] if isinstance(value, list) else [value]
            )
            if wrong:
                kind = " or ".join(kind.__name__ for kind in LISTED[name])
                raise TypeError(f"the {name} of a model are a list of {kind}, found {wrong[0]!r}")
        super().__setattr__(name, value)

    def link(self, name: str) -> Link:
        """Return the link with this name.

        Raises:
            ModelError: if there is none.
        """
        return _named(self.links, "link", name)

    def joint(self, name: str) -> Joint:
        """Return the joint with this name.

        Raises:
            ModelError: if there is none.
        """
        return _named(self.joints, "joint", name)

    def frame(self, name: str) -> Frame:
        """Return the frame with this name.

        Raises:
            ModelError: if there is none.
        """
        return _named(self.frames, "frame", name)

    def parent(self, link: str) -> str:
        """Return the name of the link that carries `link` in the tree, or "world".

        Raises:
            ModelError: if there is no such link, or as `tree`.
        """
        branch = self._carrier(link)
        return branch.inner if branch else WORLD

    def children(self, link: str = WORLD) -> list[str]:
        """Return the names of the links that `link`, or the world, carries in the tree.

        Floating links are children of the world.

        Raises:
            ModelError: as `parent`.
        """
        if link != WORLD:
            self.link(link)
        tree = self.tree()
        floating = list(tree.roots) if link == WORLD else []
        return [branch.outer for branch in tree.branches if branch.inner == link] + floating

    def carrier(self, link: str) -> Joint | None:
        """Return the joint that carries a link in the tree; None if the link floats.

        Raises:
            ModelError: as `parent`.
        """
        branch = self._carrier(link)
        return branch.joint if branch else None

    def _carrier(self, link: str) -> Branch | None:
        self.link(link)
        return self.tree().above.get(link)

    def acting_at(self, time: float) -> Model:
        """Return a model with the joints that are enabled and have not broken yet at `time` [s].

        Of the couplings, it has those between these joints. The new model shares its links and joints with this one. It
        is this model itself if all joints act. Mimics of joints that do not act are left out.
        """
        acting = [joint for joint in self.joints if joint.acts_at(time)]
        if len(acting) == len(self.joints):
            return self
        names = {joint.name for joint in acting}
        joints = [
            joint if joint.mimic is None or joint.mimic.leader in names else dataclasses.replace(joint, mimic=None)
            for joint in acting
        ]
        couplings = [
            coupling
            for coupling in self.couplings
            if names.issuperset(term.joint for term in coupling.equation(self.joints).terms)
        ]
        return dataclasses.replace(self, joints=joints, couplings=couplings)

    def breaking_at(self, times: Mapping[str, float]) -> Model:
        """Return a model in which joints break no later than at these times, {joint: time [s]}."""
        if not times:
            return self
        joints = [
            dataclasses.replace(joint, released_at=min(joint.released_at, times.get(joint.name, math.inf)))
            for joint in self.joints
        ]
        return dataclasses.replace(self, joints=joints)

    def tree(self) -> Tree:
        """Return the spanning tree of the joints.

        Raises:
            ModelError: if the end of a joint is not a link, or if its two ends are one link.
        """
        return spanning_tree(self.links, self.joints)

    def loops(self) -> list[Loop]:
        """Return the joints that close loops, in the model's order.

        These are joints that are marked to close a loop, and joints that the tree leaves over.

        Raises:
            ModelError: as `tree`.
        """
        tree = self.tree()
        return [Loop(joint, tuple(tree.around(joint)), self._loose_end(tree, joint)) for joint in tree.loops]

    @staticmethod
    def _loose_end(tree: Tree, joint: Joint) -> str:
        one, other = tree.root_of(joint.parent), tree.root_of(joint.child)
        if one == other or not joint.closes_loop:
            return ""
        return joint.parent if other == WORLD else joint.child

    def equations(self) -> list[Equation]:
        """Return the equations of all mimics and couplings.

        Raises:
            ModelError: if a gearbox finds no hinges on its reference link.
        """
        mimics = [mimic_equation(joint.name, joint.mimic) for joint in self.joints if joint.mimic]
        return mimics + [coupling.equation(self.joints) for coupling in self.couplings]

    def home(self) -> dict[str, tuple[float, ...]]:
        """Return {joint: its home} of the joints of the tree that move, as an initial state.

        Locked axes have no coordinate.
        """
        return {branch.joint.name: branch.joint.q_home for branch in self.tree().branches if branch.joint.nq}

    def rigid_joints(self) -> list[Joint]:
        """Return the joints that never let their links move relative to each other.

        Joints on links that do not exist are left out.
        """
        known = {WORLD, *(link.name for link in self.links)}
        return [joint for joint in self.joints if joint.holds_rigidly and {joint.parent, joint.child} <= known]

    def rigid_parts(self) -> dict[str, str]:
        """Return {link: first link of the rigid part that joints without any freedom make of it and others}."""
        return connected_components([link.name for link in self.links], self.rigid_joints())

    def fixed_links(self) -> frozenset[str]:
        """Return the names of the links that rigid joints hold to the world, directly or through other links."""
        parts = self.rigid_parts()
        ends = [{joint.parent, joint.child} for joint in self.rigid_joints()]
        fixed = {parts[name] for pair in ends if WORLD in pair for name in pair - {WORLD}}
        return frozenset(name for name, part in parts.items() if part in fixed)

    def digest(self) -> str:
        """Return a SHA-256 digest of the model, as hexadecimal digits.

        Equal models have equal digests. So it does not matter whether a number is a Python number or one of NumPy, -10
        or -10.0, 0.0 or -0.0, and whether a vector is a tuple, a list or an array. Meshes are compared by their bytes.
        """
        text = json.dumps(self, default=_attributes)
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"<Model '{self.name}': {counted(self.links, 'link')}, {counted(self.joints, 'joint')}>"

    def __str__(self) -> str:
        """Return the tree as a table (index, link, joint, type, parent and children), and then the loops.

        Index 0 is the world. If the tree passes a joint backward, the parent in the table is the joint's child.
        """
        tree = self.tree()
        index = {WORLD: 0} | {link.name: number for number, link in enumerate(self.links, 1)}
        children: dict[str, list[str]] = {}
        for branch in tree.branches:
            children.setdefault(branch.inner, []).append(f"{branch.outer} ({index[branch.outer]})")
        rows = [("INDEX", "LINK", "JOINT", "TYPE", "PARENT", "CHILDREN")]
        for link in self.links:
            branch = tree.above.get(link.name)
            parent = branch.inner if branch else WORLD
            joint = branch.joint.name if branch else ""
            moves = branch.joint.type + ", backward" * branch.backward if branch else "floats"
            at = f"{self.base if parent == WORLD else parent} ({index[parent]})"
            carried = ", ".join(children.get(link.name, ()))
            rows.append((f"{index[link.name]:5}", link.name, joint, moves, at, carried))
        heading = f"{self.name}: {counted(self.links, 'link')}, {counted(self.joints, 'joint')}"
        return "\n".join([heading, aligned(rows), *map(str, self.loops())])


def require_model(model: object) -> Model:
    """Return `model`.

    Raises:
        TypeError: if it is not a `Model`. The message says where to get one.
    """
    if isinstance(model, Model):
        return model
    if isinstance(model, str | Path):
        hint = f"read the file first: limberjack.read({str(model)!r}).model"
    elif isinstance(getattr(model, "model", None), Model):
        hint = "take its .model"
    else:
        hint = "read one from a file, or make one: limberjack.Model('arm', links=[...], joints=[...])"
    raise TypeError(f"a Model is needed, found {type(model).__name__}; {hint}")


Named = TypeVar("Named", Link, Joint, Frame)


def _named(items: list[Named], what: str, name: str) -> Named:
    """Return the item with this name.

    Raises:
        ModelError: if there is none.
    """
    for item in items:
        if item.name == name:
            return item
    raise ModelError(f"there is no {what} '{name}'; there are: {', '.join(i.name for i in items) or 'none'}")


def _attributes(value: object) -> object:
    """Return the attributes of a part of a model, as `json.dumps` needs them, or the `_digest` of any other value."""
    if not dataclasses.is_dataclass(value):
        return _digest(value)
    numbers, added = _number_types(type(value)), _added(type(value))
    attributes = {
        name: _uniform(found, numbers[name]) if name in numbers else found for name, found in vars(value).items()
    }
    return {name: found for name, found in attributes.items() if name not in added or found != added[name]}


def _uniform(value: Any, kind: type) -> Any:
    """Return numbers of a type for a number, and lists for tuples, lists and arrays. Other values stay as they are."""
    if kind is float and type(value) is float:  # most values: a model has thousands
        return value + 0.0
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, tuple | list):
        return [_uniform(item, kind) for item in value]
    if not isinstance(value, int | float):
        return value
    if kind is float:
        return float(value) + 0.0  # turns -0.0 into 0.0
    if kind is bool:
        return bool(value) if value in (0, 1) else value
    return int(value) if float(value).is_integer() else value


@functools.cache
def _number_types(kind: type) -> dict[str, type]:
    """Return {field: float, int or bool} of the fields of a class that are declared as numbers or lists of numbers.

    Fields of both whole numbers and text are among them. Lists of whole numbers only, the faces of meshes, are left
    out, since they are long.
    """
    found = {}
    for name, hint in get_type_hints(kind).items():
        leaves = _leaf_types(hint)
        number = next((number for number in (float, int, bool) if number in leaves), None)
        if number and not (number is int and hint is not int and leaves <= {int, Ellipsis}):
            found[name] = number
    return found


def _leaf_types(hint: Any) -> set[Any]:
    """Return the types in a type hint that contain no others: float of `tuple[float, ...] | None`, for example."""
    inner = get_args(hint)
    return set().union(*map(_leaf_types, inner)) if inner else {hint}


@functools.cache
def _added(kind: type) -> dict[str, object]:
    """Return the fields of a class that later versions have added, with their defaults as `_attributes` gives them.

    These fields have "since" in their metadata. `digest` leaves these fields out while they have their defaults.
    Otherwise a bake of an older version would count as out of date.
    """
    numbers = _number_types(kind)
    defaults = {
        field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        for field in dataclasses.fields(kind)
        if "since" in field.metadata
    }
    return {name: _uniform(value, numbers[name]) if name in numbers else value for name, value in defaults.items()}


def _digest(value: object) -> str | int:
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, np.integer):  # the corner of a mesh's face
        return int(value)
    raise TypeError(f"no digest of {type(value).__name__}")
