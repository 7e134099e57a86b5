# SPDX-License-Identifier: GPL-3.0-or-later
"""Text that is safe to print."""

from __future__ import annotations

MAX_CHARACTERS = 500
"""Largest number of characters of a printed line. Names in files may have any length."""


def one_line(text: str) -> str:
    """Return the text without line breaks and control characters, shortened in its middle to `MAX_CHARACTERS`."""
    if not text.isprintable():
        text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS // 2]} … {text[-MAX_CHARACTERS // 2 :]}"
