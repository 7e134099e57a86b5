# SPDX-License-Identifier: GPL-3.0-or-later
"""Report machines that were moved, scaled, parented or copied since their bake."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy
import numpy as np

from ...nodes import Node, origin_of
from .displacements import is_rigid, leaves_in_place
from .machines import LEFT_BEHIND, Machine, baked_machines

UNTIL_NEXT_FRAME = (LEFT_BEHIND, "bake-moved")
"""Codes of problems that may disappear when another frame is shown."""


def problems_of_machines(scene: bpy.types.Scene) -> Iterator[tuple[str, Node, str]]:
    """Yield the changes to baked machines that their keys do not reflect: a code, a link, and a sentence.

    Machines whose bakes can move along share one sentence, since all of them have to move along at once.
    """
    machines = baked_machines(scene)
    movable = [machine for machine in machines if machine.needs_update]
    if movable:
        yield LEFT_BEHIND, movable[0].links[0], _sentence_about(movable)
    for machine in (machine for machine in machines if not machine.needs_update):
        if link := _first(machine.key_displacements, lambda move, at: not is_rigid(move)):
            yield "bake-scaled", link, "it was scaled after it was baked, and its keys are those of the size before"
        elif link := _first(machine.key_displacements, lambda move, at: not leaves_in_place(move, at)):
            yield (
                "bake-carried",
                link,
                "it was given a parent, or its parent was moved, after it was baked, and its keys play elsewhere: let "
                "them play in place, or simulate again",
            )
        elif link := _first(machine.link_displacements, lambda move, at: not leaves_in_place(move, at)):
            yield "bake-moved", link, "it was moved after it was baked, and its keys bring it back at the next frame"


def _sentence_about(machines: list[Machine]) -> str:
    count = sum(len(machine.links) for machine in machines) - 1
    others = f" and {count} more link{'s' if count > 1 else ''}" if count else ""
    if all(machine.shares_bake and not machine.is_moved for machine in machines):
        return f"it{others} were copied and play the bake of what they are copies of: let them have a bake of their own"
    return (
        f"it{others} were moved or copied after they were baked, and the next frame brings them back to their keys: "
        "let their bake move along"
    )


def _first(moves: dict[Node, np.ndarray], is_reported: Callable) -> Node | None:
    for link, move in moves.items():
        if is_reported(move, np.linalg.inv(move)[:3] @ [*origin_of(link), 1.0]):
            return link
    return None
