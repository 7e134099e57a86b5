# SPDX-License-Identifier: GPL-3.0-or-later
"""A model file as its reader takes it: the path, the content and, of XML, the root element."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from ..files.errors import UnreadableError
from ..files.xml import Element, Tally, count_in, parse, read_bytes, root_tag
from ..files.xml_rules import XmlRules


class Source:
    """A model file.

    Attributes:
        path: of the file, as messages name it.
        rules: of its XML; they are set before `root` is read.
    """

    def __init__(self, path: Path, data: bytes | None = None):
        """Name a file. data: its content, if it has been read already."""
        self.path = path
        self.rules = XmlRules()
        if data is not None:
            self.data = data

    @cached_property
    def data(self) -> bytes:
        """The content of the file.

        Raises:
            UnreadableError: if the file cannot be read.
        """
        return read_bytes(self.path)

    @property
    def root_tag(self) -> str:
        """The tag of the root element, without reading the rest; "" if it is not found in that way."""
        return root_tag(self.data)

    @cached_property
    def root(self) -> Element:
        """The root element of the file.

        Raises:
            UnreadableError: if the file is not XML, or is too large.
        """
        root = parse(self.data, self.path, self.rules)
        if too_much := Tally().add(*count_in(root)):
            raise UnreadableError(self.path, too_much, root.line)
        return root
