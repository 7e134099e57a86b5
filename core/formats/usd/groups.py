# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision groups of USD, as the layers of colliders.

A collider may be in several groups. Colliders that are in the same groups share a layer; two layers do not meet if a
group of one is kept apart from a group of the other.

Source: OpenUSD documentation, UsdPhysicsCollisionGroup.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...geometry import Shape
from ..findings import Findings
from .bodies import Bodies
from .stage import Stage

MOST_LAYERS = 32
"""Number of bits of the layers of a shape, and so of the combinations of groups that can be told apart."""

Groups = frozenset[int]
"""Numbers of groups."""


def read_groups(stage: Stage, bodies: Bodies, shapes: Mapping[str, Shape], findings: Findings) -> None:
    """Set the layers of colliders that collision groups keep apart. shapes: collisions by the paths of their prims."""
    prims = [prim for prim in bodies.others if str(prim.GetTypeName()) == "PhysicsCollisionGroup"]
    if not prims:
        return
    numbers = _numbers(stage, prims)
    apart: set[Groups] = set()
    for prim in prims:
        apart |= _apart(stage, prim, numbers)
    members = [(numbers[str(prim.GetPath())], stage.members(prim, "colliders")) for prim in prims]
    own = {path: frozenset(number for number, contains in members if contains(path)) for path in shapes}
    kinds = sorted(set(own.values()), key=sorted)
    if len(kinds) > MOST_LAYERS:
        message = f"its colliders are in {len(kinds)} combinations of groups; {MOST_LAYERS} can be told apart: none is"
        findings.warning(stage.place(prims[0]), "left-out", message)
        return
    for path, shape in shapes.items():
        shape.layers = 1 << kinds.index(own[path])
        shape.meets = sum(1 << bit for bit, kind in enumerate(kinds) if not _are_apart(own[path], kind, apart))


def _numbers(stage: Stage, prims: list[Any]) -> dict[str, int]:
    """Return a number for each group, by the path of its prim; groups that are merged by name share one."""
    found: dict[str, int] = {}
    merged: dict[str, int] = {}
    for number, prim in enumerate(prims):
        name = stage.word(prim, "physics:mergeGroup", "")
        found[str(prim.GetPath())] = merged.setdefault(name, number) if name else number
    return found


def _apart(stage: Stage, prim: Any, numbers: Mapping[str, int]) -> set[Groups]:
    """Return the pairs of groups that a group keeps apart; a pair with itself has one number."""
    own = numbers[str(prim.GetPath())]
    named = {numbers[str(path)] for path in stage.targets(prim, "physics:filteredGroups") if str(path) in numbers}
    others = {*numbers.values()} - named if stage.flag(prim, "physics:invertFilteredGroups", False) else named
    return {frozenset((own, other)) for other in others}


def _are_apart(some: Groups, others: Groups, apart: set[Groups]) -> bool:
    return any(frozenset((a, b)) in apart for a in some for b in others)
