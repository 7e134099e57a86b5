# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences of core, as the window shows them: without what they say to readers at a command line or in Python."""

import re

FOR_OTHERS = (
    (re.compile(r" in Blender, --fix-base .*? on the command line, fix_base from Python"), ""),
    (re.compile(r"limberjack check --overlaps names them"), "the panel Problems names them"),
    (re.compile(r"\(Search In, --path\)"), "(Search In)"),
    (re.compile(r", or convert with --mend-inertias"), ""),
)
"""What core's sentences say to all readers, and what an artist reads in its place."""


def in_window(text: str) -> str:
    """Return a sentence without the options and commands that only other readers can use."""
    for pattern, replacement in FOR_OTHERS:
        text = pattern.sub(replacement, text)
    return text
