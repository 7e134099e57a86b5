# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for files."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text without the control characters that XML cannot hold, on one line."""
    return "".join(c if c.isprintable() else " " for c in text).strip()
