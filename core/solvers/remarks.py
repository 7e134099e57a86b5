"""What a user may not expect of a run, in words."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import WORLD
from ..model.compiled import CompiledModel


def remarks(compiled: CompiledModel, led: Iterable[str] = ()) -> list[str]:
    """A sentence for each link that floats. led: links whose motion is prescribed, which neither they nor theirs do."""
    held = _held(compiled, led)
    loose = [name for name in compiled.floating if name not in held]
    return [f"link '{name}' is not joined to the world: it floats, and falls" for name in loose]


def _held(compiled: CompiledModel, led: Iterable[str]) -> set[str]:
    """The floating links that led ones hold, or joints which are marked to close loops, in the world after all."""
    tree = compiled.tree
    bonds = [
        (tree.root_of(joint.parent), tree.root_of(joint.child)) for joint in tree.loops if not joint.kind.holds_nothing
    ]
    held = {WORLD} | {tree.root_of(name) for name in led}
    for _ in bonds:  # as often as a chain of them can be long
        held |= {end for bond in bonds if held & set(bond) for end in bond}
    return held
