# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that are written to files."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return a text as one line, without the control characters that XML does not allow."""
    return "".join(c if c.isprintable() else " " for c in text).strip()
