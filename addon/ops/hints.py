# SPDX-License-Identifier: GPL-3.0-or-later
"""Show in the status bar what keys and buttons do while an operator runs, with Blender's icons, translated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

WIDER = {"EVENT_ESC": 1.5, "EVENT_SHIFT": 1.5, "EVENT_SPACEKEY": 4.5}
"""Factors of the separators behind icons that Blender draws over the items beside them. The icon of the space bar is as
wide as its name, which is longer in German than in English.
"""


class Hint(NamedTuple):
    """A hint in the status bar.

    Attributes:
        icons: Blender's names of the icons of keys and buttons. text: their effect.
    """

    icons: tuple[str, ...]
    text: str


CANCEL = Hint(("MOUSE_RMB", "EVENT_ESC"), text="Cancel")


def show_hints(context, hints: Iterable[Hint]) -> None:
    """Replace the content of the status bar, until `hide_hints` is called."""
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
