# SPDX-License-Identifier: GPL-3.0-or-later
"""`Problem`, one finding about a scene."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """Something that is wrong or suspect in a scene.

    Attributes:
        severity: "error", "warning" or "note".
        code: kind of the problem, a short slug.
        name: of the object concerned; empty if there is none or several.
        names: of several objects concerned.
    """

    severity: str
    code: str
    name: str
    message: str
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The message without the object's name in front."""
        named = (f"{kind}'{self.name}'" for kind in ("link ", "joint ", "object ", ""))
        prefix = next((words for words in named if self.message.startswith(words)), "")
        return self.message.removeprefix(prefix).lstrip(":, ")
