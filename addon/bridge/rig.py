# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scene's model is, read once for all that shows it, and read again only when something has changed.

It holds names and numbers and no object of Blender's: after an undo these would be dangling.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import bpy

from ...core.model import ModelError
from .. import ids
from ..props import carrier_of
from ..props.members import has_joints, has_links
from .from_libraries import INSTANCED, instanced_links
from .numbers import unit_length
from .poses import world_scale

if TYPE_CHECKING:
    from ...core.geometry import Shape
    from ...core.model import Model
    from .mass import Weight
    from .parts import Surroundings
    from .problems import Problem
    from .read import Fault
    from .shapes import ShapeReader


@dataclass
class Rig:
    """A scene's model, of what in it can be read.

    Attributes:
        loops: names of the joints that close loops.
        problems: everything that is wrong or suspect, errors first.
        unit: metres in a Blender unit.
        version: another one each time that the scene was read.
    """

    model: Model
    loops: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    unit: float = 1.0
    version: int = 0

    def is_like(self, other: Rig) -> bool:
        """Whether two readings found the same."""
        found = (self.model, self.loops, self.problems, self.unit)
        return found == (other.model, other.loops, other.problems, other.unit)

    @cached_property
    def troubled(self) -> frozenset[str]:
        """Names of the objects that have an error or a warning."""
        told = [problem for problem in self.problems if problem.severity != "note"]
        return frozenset(name for problem in told for name in (problem.name, *problem.names))


_weights: dict[tuple, Weight | str] = {}
"""What links weigh, or why they cannot be weighed, by all that decides it but their meshes."""

_collisions: dict[tuple, list[Shape] | str] = {}
"""What links collide with, or why nobody can tell, likewise."""

_outdated: dict[tuple[int, str], bool] = {}
"""Whether a link's pieces are of another mesh, by the link and what they were made from."""

_shown: dict[int, Rig] = {}
"""By the scene's session uid."""

_versions = count(1)


def last_rig(scene: bpy.types.Scene) -> Rig | None:
    """The scene as it was when it came to rest last; None before that. For what draws: operators read."""
    return _shown.get(scene.session_uid)


def show_rig(scene: bpy.types.Scene, is_touched: bool = True) -> Rig:
    """Read the scene, and let `last_rig` give it.

    is_touched: whether a link, a joint or a shape was since; where none was, and the same is found, the rig stays as it
    is, and nothing is laid out anew because something else was selected.
    """
    rig, before = _read(scene), _shown.get(scene.session_uid)
    if before is not None and not is_touched and rig.is_like(before):
        return before
    _shown[scene.session_uid] = rig
    return rig


def forget_weights(objects: Iterable[bpy.types.Object]) -> None:
    """The meshes, places or settings of these have changed: the links that they belong to are to be weighed anew."""
    uids = {link.session_uid for obj in objects if (link := carrier_of(obj)) is not None}
    for known in (_weights, _collisions, _outdated) if uids else ():
        for key in [key for key in known if key[0] in uids]:
            del known[key]


def forget_rigs() -> None:
    """Drop everything, as after an undo or when another file is open."""
    _weights.clear()
    _collisions.clear()
    _outdated.clear()
    _shown.clear()


def instanced_once(scene: bpy.types.Scene) -> list[str]:
    """Return the sentences of `instanced_links`, from the last reading of the scene if there was one."""
    rig = last_rig(scene)
    if rig is None:
        return [sentence for _, sentence in instanced_links(scene)]
    return [problem.message for problem in rig.problems if problem.code == INSTANCED]


def _read(scene: bpy.types.Scene) -> Rig:
    from ...core.model import Model

    if not has_links(scene) and not has_joints(scene):  # what reads a scene is not loaded for this
        return Rig(Model(), problems=_of_instances(scene), unit=unit_length(scene), version=next(_versions))
    from .problems import Problem, find_problems, of_versions
    from .read import scan_scene

    faults: list[Fault] = []
    try:
        reading = scan_scene(scene, weigh=weigh_once, collide=collide_once, faults=faults)
        loops = frozenset(loop.joint.name for loop in reading.model.loops())
    except ModelError as error:
        problems = [Problem("error", "unreadable", "", str(error)), *of_versions(scene)]
        return Rig(Model(), problems=problems, version=next(_versions))
    problems = find_problems(scene, reading, faults, is_outdated_once)
    return Rig(reading.model, loops, problems, unit_length(scene), next(_versions))


def _of_instances(scene: bpy.types.Scene) -> list[Problem]:
    """Return the problems of a scene that has links in collection instances only."""
    instances = list(instanced_links(scene))
    if not instances:
        return []
    from .problems import Problem

    return [Problem("warning", INSTANCED, name, message) for name, message in instances]


def is_outdated_once(link: bpy.types.Object, around: Surroundings) -> bool:
    """As `collisions.is_outdated`, from what was found before where nothing has changed."""
    from .collisions import fitted_from, is_outdated

    key = (link.session_uid, fitted_from(link, around))
    if key not in _outdated:
        _outdated[key] = is_outdated(link, around)
    return _outdated[key]


def weigh_once(link: bpy.types.Object, around: Surroundings) -> Weight:
    """As `weigh`, from what was found before where nothing has changed."""
    from .mass import weigh

    settings = getattr(link, ids.LINK)
    scale = tuple(world_scale(link).tolist())
    key = (link.session_uid, settings.mass_source, settings.mass, settings.density, scale, around.unit)
    if key not in _weights:
        try:
            _weights[key] = weigh(link, around)
        except ModelError as error:
            _weights[key] = str(error)
    known = _weights[key]
    if isinstance(known, str):
        raise ModelError(known)
    return known


def collide_once(shapes: ShapeReader, link: bpy.types.Object) -> list[Shape]:
    """As `ShapeReader.collisions_of`, from what was found before where nothing has changed."""
    scale = tuple(world_scale(link).tolist())
    key = (link.session_uid, link.name, scale, shapes.around.unit)
    if key not in _collisions:
        try:
            _collisions[key] = shapes.collisions_of(link)
        except ModelError as error:
            _collisions[key] = str(error)
    known = _collisions[key]
    if isinstance(known, str):
        raise ModelError(known)
    return known
