# SPDX-License-Identifier: GPL-3.0-or-later
"""What keys and buttons do while an operator runs, in the status bar: with Blender's icons, in the user's language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

WIDER = {"EVENT_ESC": 1.5, "EVENT_SHIFT": 1.5, "EVENT_SPACEKEY": 4.5}
"""Icons that Blender draws over what is next to them, and the factor of the separator that they need behind them. The
space bar's is as wide as its name, in German longer than in English."""


class Hint(NamedTuple):
    """icons: of keys and buttons, as Blender calls them. text: what they do."""

    icons: tuple[str, ...]
    text: str


CANCEL = Hint(("MOUSE_RMB", "EVENT_ESC"), text="Cancel")


def show_hints(context, hints: Iterable[Hint]) -> None:
    """In place of what the status bar shows, until `hide_hints`."""
    hints = tuple(hints)

    def draw(header, _context):
        for hint in hints:
            row = header.layout.row(align=True)
            for icon in hint.icons:
                row.label(icon=icon)
                if icon in WIDER:
                    row.separator(factor=WIDER[icon])
            row.label(text=hint.text)

    if context.workspace:
        context.workspace.status_text_set(draw)


def hide_hints(context) -> None:
    if context.workspace:
        context.workspace.status_text_set(None)
