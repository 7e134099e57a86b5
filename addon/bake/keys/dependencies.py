# SPDX-License-Identifier: GPL-3.0-or-later
"""Find what carries links and follows links at the same time: its motion would change with the keys of the bake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from ...bridge.animation.motion_sources import transform_drivers
from ...nodes import Node, armature_bones, is_part, model_name, owner_of, parent_of
from ...nodes.bones import chain_of, inverse_kinematics_of
from ..errors import BakeError


def require_independent(carriers: Iterable[Node], links: Iterable[Node]) -> None:
    """Raise `BakeError` if what carries links follows a link, by its own constraints and drivers or those above it.

    Args:
        carriers: of links, that move by themselves. links: that get keys.
    """
    links = set(links)
    for carrier in carriers:
        followed = _followed_link(carrier, links)
        if followed is not None:
            raise BakeError(
                f"'{model_name(carrier)}' carries a link and follows the link '{model_name(followed)}', so that each "
                "would move the other: mute its constraint or driver, or tag it as a link, too"
            )


def _followed_link(carrier: Node, links: set[Node]) -> Node | None:
    """Return a link on which the motion of a node depends; None if there is none."""
    known, open_ends = {carrier}, [carrier]
    while open_ends:
        for source in _sources_of(open_ends.pop()):
            if source in links:
                return source
            if source not in known:
                known.add(source)
                open_ends.append(source)
    return None


def _sources_of(node: Node) -> Iterator[Node]:
    """Yield the nodes on which the motion of a node depends directly."""
    if (parent := parent_of(node)) is not None:
        yield parent
    for constraint in node.constraints:
        if not constraint.mute:
            yield from _targets_of(constraint)
    if is_part(node):
        for end, constraint in inverse_kinematics_of(owner_of(node)):
            if node in chain_of(end, constraint):
                yield from _targets_of(constraint)
    for driver in transform_drivers(node):
        for variable in driver.driver.variables if driver.driver else ():
            yield from _named((target.id, target.bone_target) for target in variable.targets)


def _targets_of(constraint: bpy.types.Constraint) -> Iterator[Node]:
    """Yield the objects and bones that a constraint follows. Constraints of several targets have a list of these."""
    for owner in (constraint, *getattr(constraint, "targets", ())):
        yield from _named([(getattr(owner, "target", None), getattr(owner, "subtarget", ""))])
    yield from _named([(getattr(constraint, "pole_target", None), getattr(constraint, "pole_subtarget", ""))])


def _named(targets: Iterable[tuple[bpy.types.ID | None, str]]) -> Iterator[Node]:
    for target, bone in targets:
        if isinstance(target, bpy.types.Object):
            yield next((each for each in armature_bones(target) if each.name == bone), target)
