# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert sentences of core for the window: without hints for readers at a command line or in Python."""

import re

FOR_OTHERS = (
    (re.compile(r" in Blender, --fix-base .*? on the command line, fix_base from Python"), ""),
    (re.compile(r"limberjack check --overlaps names them"), "the panel Problems names them"),
    (re.compile(r"\(Search In, --path\)"), "(Search In)"),
    (re.compile(r", or convert with --mend-inertias"), ""),
)
"""Patterns of parts of core's sentences, and what the window shows in their place."""


def in_window(text: str) -> str:
    """Return a sentence without the options and commands that only other readers can use."""
    for pattern, replacement in FOR_OTHERS:
        text = pattern.sub(replacement, text)
    return text
