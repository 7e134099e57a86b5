# SPDX-License-Identifier: GPL-3.0-or-later
"""An MJCF file with the files that it includes put in their places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...files.resources import BarredError, FilesBeside, ResourceError
from ...files.xml import Element, Tally, count_in
from ..findings import Findings
from ..registry import MJCF
from ..xml.included import IncludeError, open_included

MAX_INCLUDES = 1_000
"""Largest number of files that one model may consist of. Real ones have up to 40."""


class Document:
    """An MJCF file: its sections, in the order in which MuJoCo reads them.

    Attributes:
        root: the <mujoco> element, with all includes in their places.
        files: the files that it may name. Paths of meshes are relative to this file, also in included files.
    """

    def __init__(self, root: Element, files: FilesBeside, findings: Findings):
        """Put included files in their places. Report those that cannot be read."""
        self.root, self.files, self.findings = root, files, findings
        self._included: set[Path] = {files.path}
        self._tally = Tally()
        self._report_mended(root)
        self._expand()

    def sections(self, tag: str) -> Iterator[Element]:
        """Yield the sections with a tag: a file may divide each of them."""
        return self.root.all(tag)

    def entries(self, tag: str) -> Iterator[Element]:
        """Yield the elements in all sections with a tag."""
        return (entry for section in self.sections(tag) for entry in section.children)

    def _expand(self) -> None:
        """Put the content of each included file in the place of its <include>."""
        waiting = [(self.root, self.files)]
        while waiting:
            element, beside = waiting.pop()
            if not all(element.attributes.values()):  # an empty attribute is none to MuJoCo
                element.attributes = {name: text for name, text in element.attributes.items() if text}
            ahead = [(child, beside) for child in reversed(element.children)]
            element.children = []
            while ahead:
                child, near = ahead.pop()
                if child.tag == "include":
                    content, inner = self._read(child, near)
                    ahead.extend((item, inner) for item in reversed(content))
                else:
                    element.children.append(child)
                    waiting.append((child, near))

    def _read(self, include: Element, beside: FilesBeside) -> tuple[list[Element], FilesBeside]:
        """Return the content of an included file and the files beside it; no content after an error was reported."""
        uri = include.attributes.get("file", "").strip()
        try:
            path = self._find(uri, beside)
            root = self._opened(path, uri)
        except ResourceError as error:
            self.findings.error(include, "include-not-found", f"<include>: {error}")
        except IncludeError as error:
            self.findings.error(include, error.code, str(error))
        else:
            return root.children, beside.of(path)
        return [], beside

    def _opened(self, path: Path, uri: str) -> Element:
        """Return the root element of an included file.

        Raises:
            IncludeError: if it cannot be read, is included already, or exceeds a limit.
        """
        if path in self._included:
            message = f"'{uri}' is included already, and MuJoCo allows each file once; take one <include> out"
            raise IncludeError("include-cycle", message)
        self._included.add(path)
        if len(self._included) > MAX_INCLUDES:
            raise IncludeError("too-many-includes", f"more than {MAX_INCLUDES} files are included; include fewer")
        root = open_included(path, uri, MJCF.rules)
        self._report_mended(root)
        if too_much := self._tally.add(*count_in(root)):
            raise IncludeError("too-many-elements", f"with '{uri}', what is included has {too_much}")
        return root

    def _find(self, uri: str, beside: FilesBeside) -> Path:
        """Return the file that an <include> means: beside the main file, or else beside the file that includes it.

        Raises:
            ResourceError: if it is in neither place, or may not be opened.
        """
        if not uri:
            raise ResourceError('it names no file; write file="..."')
        try:
            return self.files.find(uri)
        except ResourceError as beside_main:
            try:
                return beside.find(uri)
            except BarredError:
                raise
            except ResourceError:
                raise beside_main from None

    def _report_mended(self, root: Element) -> None:
        if root.mended_line is not None:
            message = f"in line {root.mended_line}, a blank between two attributes is missing; MuJoCo accepts that"
            self.findings.excuse(root, "missing-blank", f"{message}: add one, since other XML readers do not")
