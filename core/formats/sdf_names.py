"""Names that SDF allows, for models whose names may be anything."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import WORLD, Model
from .sdf_frames import SEPARATOR


class Names:
    """The name in SDF of each link and joint of a model, and what was changed.

    SDF's rules: no `::`, not `world`, not `__like_this__`, unique among the links and joints of a model together.
    """

    def __init__(self, model: Model):
        self.changes: list[str] = []
        taken: set[str] = set()
        self.model = self._legal("model", model.name)
        self.links = {link.name: self._take("link", link.name, taken) for link in model.links} | {WORLD: WORLD}
        self.joints = {joint.name: self._take("joint", joint.name, taken) for joint in model.joints}

    def _take(self, kind: str, name: str, taken: set[str]) -> str:
        base = _made_legal(name) or kind
        chosen = unique(f"{base}_{kind}" if base in taken and kind == "joint" else base, taken)
        taken.add(chosen)
        return self._noted(kind, name, chosen)

    def _legal(self, kind: str, name: str) -> str:
        return self._noted(kind, name, _made_legal(name) or kind)

    def _noted(self, kind: str, name: str, chosen: str) -> str:
        if chosen != name:
            self.changes.append(
                f"{kind} '{name}' is named '{chosen}', because SDF does not allow that name, or has it already"
            )
        return chosen


def unique(name: str, taken: Iterable[str]) -> str:
    """The name, or the first of name_2, name_3, ... that is not taken."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return candidate


def printable(text: str) -> str:
    """Text without the control characters that XML cannot hold, on one line."""
    return "".join(c if c.isprintable() else " " for c in text).strip()


def _made_legal(name: str) -> str:
    legal = printable(name).replace(SEPARATOR, "__")
    if legal == WORLD:
        return f"{WORLD}_link"
    if legal.startswith("__") and legal.endswith("__"):
        return legal.strip("_")
    return legal
