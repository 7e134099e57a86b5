# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a model file includes or attaches: how they are opened, and errors of those that cannot be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...files.errors import UnreadableError
from ...files.xml import Element, parse_file
from ...files.xml_rules import XmlRules

_USUAL = XmlRules()


class IncludeError(Exception):
    """An included file that cannot be read.

    Attributes:
        code: of the finding.
    """

    def __init__(self, code: str, message: str):
        super().__init__(message)
        self.code = code


def refuse_cycle(path: Path, uri: str, tag: str, trail: Sequence[Path]) -> None:
    """Check that a file does not include itself.

    Args:
        uri: its name in the file that includes it. tag: of the element that names it.
        trail: the files that led to it.

    Raises:
        IncludeError: if the file is in its own trail.
    """
    if path in trail:
        circle = " -> ".join(file.name for file in (*trail[trail.index(path) :], path))
        raise IncludeError("include-cycle", f"'{uri}' includes itself: {circle}; take one <{tag}> out")


def open_included(path: Path, uri: str, rules: XmlRules = _USUAL) -> Element:
    """Return the root element of an included file.

    Args:
        uri: its name in the file that includes it. rules: of the format.

    Raises:
        IncludeError: if it cannot be read.
    """
    try:
        root = parse_file(path, rules)
    except UnreadableError as error:
        message = f"'{uri}' cannot be read: {error.where}: {error.message}"
        raise IncludeError("include-unreadable", message) from error
    root.included_file = str(path)
    return root
