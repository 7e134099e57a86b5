# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in MJCF: each kind of element has its own, and `world` is the world's."""

from __future__ import annotations

from ....model import WORLD
from ....model.naming import claim
from ...names import printable


class Names:
    """The names that a file has, by the kind of element.

    Attributes:
        changes: lines about names that could not stay.
    """

    def __init__(self):
        self.changes: list[str] = []
        self._taken: dict[str, set[str]] = {"body": {WORLD}}

    def claim(self, kind: str, asked: str, is_told: bool = True) -> str:
        """Return a name that no other element of this kind has. is_told: whether a change is a loss."""
        allowed = printable(asked) or kind
        name = claim(allowed, self._taken.setdefault(kind, set()))
        if name != asked and is_told:
            reason = "because another one has that name" if allowed == asked else "since XML has no such name"
            self.changes.append(f"{kind} '{asked}' is named '{name}', {reason}")
        return name
