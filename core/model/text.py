"""Tables and counts as text."""

from __future__ import annotations

from collections.abc import Sequence, Sized


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Rows of cells, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def counted(items: Sized, what: str) -> str:
    """So many of what is named, as "1 link" or "2 links"."""
    return f"{len(items)} {what}{'' if len(items) == 1 else 's'}"
