"""What a user may not expect of a run, in words: what floats, and what does not act since its motion is prescribed."""

from __future__ import annotations

from collections.abc import Collection

from ..model import WORLD, CompiledModel


def remarks(compiled: CompiledModel, prescribed: Collection[str] = ()) -> list[str]:
    """A sentence each."""
    held = _held_by_loops(compiled)
    loose = [name for name in compiled.floating if name not in held]
    notes = [f"link '{name}' is not joined to the world: it floats, and falls" for name in loose]
    idle = dict.fromkeys(joint.name for joint in compiled.guarded if joint.name in prescribed)
    if idle:
        notes.append(f"limits, friction and drives do not act where the motion is prescribed: {_listed([*idle])}")
    return notes


def _held_by_loops(compiled: CompiledModel) -> set[str]:
    """The floating links that joints which are marked to close loops hold in the world after all."""
    tree = compiled.tree
    bonds = [
        (tree.root_of(joint.parent), tree.root_of(joint.child)) for joint in tree.loops if not joint.kind.holds_nothing
    ]
    held = {WORLD}
    for _ in bonds:  # as often as a chain of them can be long
        held |= {end for bond in bonds if held & set(bond) for end in bond}
    return held


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
