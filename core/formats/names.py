"""Names for files: each once, on one line."""

from __future__ import annotations

from collections.abc import Iterable


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
