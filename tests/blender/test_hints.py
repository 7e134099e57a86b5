# SPDX-License-Identifier: GPL-3.0-or-later
"""Hints in the status bar: icons of keys with long names cover no word beside them."""

from types import SimpleNamespace

import blf

from limberjack.addon.ops import preview
from limberjack.addon.ops.hints import show_hints

ICON, SEPARATOR = 20.0, 6.0
"""Widths of an icon's place and of a separator of factor 1 [px]."""

LETTERS = 10
"""Size of the letters in icons of keys; Blender 5.2 draws 'Space' 30 px wide [points]."""


class StatusBar:
    """A layout that adds up the widths of icons and separators before the first text of each row."""

    def __init__(self):
        self.rooms = {}
        self._row = []

    def row(self, **_):
        self._row = []
        return self

    def label(self, text="", icon="NONE"):
        if text:
            self.rooms[text] = (self._row[0], sum(width for _, width in self._row))
        else:
            self._row.append((icon, ICON))

    def separator(self, factor=1.0):
        self._row.append(("", SEPARATOR * factor))


def test_the_space_bar_covers_no_word():
    """Guards [Space] Pause: the icon is as wide as the key's name, in English and in German, and has that room."""
    drawn = []
    workspace = SimpleNamespace(status_text_set=drawn.append)
    show_hints(SimpleNamespace(workspace=workspace), preview.HINTS)
    bar = StatusBar()
    drawn[0](SimpleNamespace(layout=bar), None)
    (icon, _), room = bar.rooms["Pause or Resume"]
    assert icon == "EVENT_SPACEKEY"
    blf.size(0, LETTERS)
    assert room >= max(blf.dimensions(0, name)[0] for name in ("Space", "Leertaste"))
