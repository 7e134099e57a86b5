# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a scene, read once for panels, overlays and gizmos, and again only after a change.

It holds names and numbers, and no object of Blender's, since references to objects are invalid after an undo.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING

import bpy

from ...core.model import ModelError
from ..nodes import Node, owner_of, uid_of
from ..props import carrier_of
from ..props.members import has_joints, has_links
from ..props.settings import link_settings, tagged_bones
from .posing.link_poses import world_scale
from .unbakeable_links import INSTANCED, instanced_links
from .values.numbers import unit_length

if TYPE_CHECKING:
    from ...core.geometry import Shape
    from ...core.model import Model
    from .findings.problems import Problem
    from .links.mass import MassProperties
    from .links.parts import EvaluatedScene
    from .links.shapes import ShapeReader
    from .scene.read import Fault


@dataclass
class Rig:
    """The readable part of a scene's model.

    Attributes:
        loops: names of the joints that close loops.
        problems: everything that is wrong or suspect, errors first.
        unit: length of a Blender unit [m].
        version: a serial number, new each time that the scene is read.
    """

    model: Model
    loops: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    unit: float = 1.0
    version: int = 0

    def is_like(self, other: Rig) -> bool:
        """Return whether two readings have the same content."""
        found = (self.model, self.loops, self.problems, self.unit)
        return found == (other.model, other.loops, other.problems, other.unit)

    @cached_property
    def troubled(self) -> frozenset[str]:
        """The names of the objects that have an error or a warning."""
        shown = [problem for problem in self.problems if problem.severity != "note"]
        return frozenset(name for problem in shown for name in (problem.name, *problem.names))


_weights: dict[tuple, MassProperties | str] = {}
"""Mass properties of links, or why they cannot be weighed, by everything they depend on except the meshes."""

_collisions: dict[tuple, list[Shape] | str] = {}
"""Collision shapes of links, or why they cannot be read, by everything they depend on except the meshes."""

_outdated: dict[tuple, bool] = {}
"""Whether a link's pieces were made from another mesh, by the link and by `Fit.source`."""

_shown: dict[int, Rig] = {}
"""The last reading, by session uid of the scene."""

_versions = count(1)


def last_rig(scene: bpy.types.Scene) -> Rig | None:
    """Return the last reading of the scene; None if there is none.

    It is for drawing. Operators read the scene instead.
    """
    return _shown.get(scene.session_uid)


def show_rig(scene: bpy.types.Scene, is_touched: bool = True) -> Rig:
    """Read the scene, and make the result the one that `last_rig` returns.

    Args:
        is_touched: whether a link, a joint or a shape was changed. If not, and the content is the same, the earlier
            reading is kept, so that a change of the selection does not rebuild overlays.
    """
    rig, before = _read(scene), _shown.get(scene.session_uid)
    if before is not None and not is_touched and rig.is_like(before):
        return before
    _shown[scene.session_uid] = rig
    return rig


def forget_weights(objects: Iterable[Node]) -> None:
    """Drop cached results of the links to which objects belong, after a change of their meshes, places or settings."""
    changed = [node for obj in objects for node in (obj, *tagged_bones(owner_of(obj)))]
    uids = {uid_of(link) for node in changed if (link := carrier_of(node)) is not None}
    for known in (_weights, _collisions, _outdated) if uids else ():
        for key in [key for key in known if key[0] in uids]:
            del known[key]


def forget_rigs() -> None:
    """Drop all cached results, for example after an undo or when another file was opened."""
    _weights.clear()
    _collisions.clear()
    _outdated.clear()
    _shown.clear()


def instanced_once(scene: bpy.types.Scene) -> list[str]:
    """Return the sentences of `instanced_links`, from the last reading of the scene if there is one."""
    rig = last_rig(scene)
    if rig is None:
        return [sentence for _, sentence in instanced_links(scene)]
    return [problem.message for problem in rig.problems if problem.code == INSTANCED]


def _read(scene: bpy.types.Scene) -> Rig:
    from ...core.model import Model

    if not has_links(scene) and not has_joints(scene):  # returns before the late imports
        return Rig(Model(), problems=_instance_problems(scene), unit=unit_length(scene), version=next(_versions))
    from .findings.problems import Problem, find_problems, version_problems
    from .scene.read import scan_scene

    faults: list[Fault] = []
    try:
        reading = scan_scene(scene, weigh=weigh_once, collide=collide_once, faults=faults)
        loops = frozenset(loop.joint.name for loop in reading.model.loops())
    except ModelError as error:
        problems = [Problem("error", "unreadable", "", str(error)), *version_problems(scene)]
        return Rig(Model(), problems=problems, version=next(_versions))
    problems = find_problems(scene, reading, faults, is_outdated_once)
    return Rig(reading.model, loops, problems, unit_length(scene), next(_versions))


def _instance_problems(scene: bpy.types.Scene) -> list[Problem]:
    """Return the problems of a scene that has links in collection instances only."""
    instances = list(instanced_links(scene))
    if not instances:
        return []
    from .findings.problems import Problem

    return [Problem("warning", INSTANCED, name, message) for name, message in instances]


def is_outdated_once(link: Node, evaluated_scene: EvaluatedScene) -> bool:
    """Return the result of `collisions.is_outdated`, from the cache if nothing has changed."""
    from .links.collisions import fitted_from, is_outdated

    key = (uid_of(link), fitted_from(link, evaluated_scene))
    if key not in _outdated:
        _outdated[key] = is_outdated(link, evaluated_scene)
    return _outdated[key]


def weigh_once(link: Node, evaluated_scene: EvaluatedScene) -> MassProperties:
    """Return the result of `weigh`, from the cache if nothing has changed.

    Raises:
        ModelError: if the link cannot be weighed.
    """
    from .links.mass import weigh

    settings = link_settings(link)
    scale = tuple(world_scale(link).tolist())
    key = (uid_of(link), settings.mass_source, settings.mass, settings.density, scale, evaluated_scene.unit)
    if key not in _weights:
        try:
            _weights[key] = weigh(link, evaluated_scene)
        except ModelError as error:
            _weights[key] = str(error)
    known = _weights[key]
    if isinstance(known, str):
        raise ModelError(known)
    return known


def collide_once(shapes: ShapeReader, link: Node) -> list[Shape]:
    """Return the result of `ShapeReader.collisions_of`, from the cache if nothing has changed.

    Raises:
        ModelError: if the collision shapes cannot be read.
    """
    scale = tuple(world_scale(link).tolist())
    key = (uid_of(link), link.name, scale, shapes.evaluated_scene.unit)
    if key not in _collisions:
        try:
            _collisions[key] = shapes.collisions_of(link)
        except ModelError as error:
            _collisions[key] = str(error)
    known = _collisions[key]
    if isinstance(known, str):
        raise ModelError(known)
    return known
