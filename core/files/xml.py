# SPDX-License-Identifier: GPL-3.0-or-later
"""XML from unknown sources, as a light tree of elements that know their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from .errors import UnreadableError
from .regular import NotRegularError, open_regular
from .xml_rules import XmlRules

MAX_BYTES = 256 * 2**20
"""Largest size of a file [bytes]."""

MAX_RUN = 16 * 2**20
"""Largest size of one tag and the text after it [bytes]. Expat reads a tag again with every MB of it that arrives."""

MAX_ELEMENTS = 1_000_000
"""Largest number of elements in a file and all that it includes.

Real files have thousands; a million take about 400 MB.
"""

MAX_LINKS = 200_000
"""Largest number of links, and of joints, in a file and all that it includes.

Each takes some kilobytes, an element only bytes.
"""

CROWDED: tuple[str, ...] = ("link", "joint")
"""Tags that `MAX_LINKS` limits."""

MAX_ATTRIBUTES = 1000
"""Largest number of attributes of an element."""

_NO_MARKUP = re.compile(rb"<!--|<\?|<!\[CDATA\[")
_ENDS = {b"<!--": b"-->", b"<?": b"?>", b"<![CDATA[": b"]]>"}
_NAMES = {b"<!--": "comment", b"<?": "processing instruction", b"<![CDATA[": "CDATA section"}
_TOO_LONG_RUN = re.compile(rb"<[^<]{%d}" % MAX_RUN)
_LONG_RUN = re.compile(rb"<[^<]{%d}" % XmlRules().word)
"""A tag and its text that are long enough to contain a word that some format refuses."""
_ROOT = re.compile(rb"(?:\s|\xef\xbb\xbf|<\?.*?\?>|<!--.*?-->)*<([A-Za-z_][\w:.-]*)", re.DOTALL)
_NO_BLANK = re.compile(rb"""(=\s*(?:"[^"<]*"|'[^'<]*'))(?=[A-Za-z_])""")
"""The value of an attribute that the next attribute follows without a blank."""

_USUAL = XmlRules()
"""The rules of a format that has none of its own."""

_BEGINNINGS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_BOM = b"\xef\xbb\xbf"
_DECLARED = re.compile(rb"""\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']""")
_MARKUP = "<a b='1' c=\"2\">&#x3C;-- ?![CDATA[]]; Z_:.9/\n"
"""Text that decodes to itself in every encoding in which a declaration can be read."""


_KEPT_BREAK = {"\r": "&#13;"}  # without this, a reader would take it for a line break


class Tally:
    """Counts of the elements that have been read: one for a file and all that it includes."""

    def __init__(self):
        self.elements = 0
        self.crowded = dict.fromkeys(CROWDED, 0)

    def add(self, elements: int, crowded: Mapping[str, int]) -> str:
        """Add counts. Return a message about what exceeds its limit and what to do; "" if nothing does."""
        self.elements += elements
        for tag, count in crowded.items():
            self.crowded[tag] += count
            if self.crowded[tag] > MAX_LINKS:
                return f"more than {MAX_LINKS:,} <{tag}> elements; split the model"
        if self.elements > MAX_ELEMENTS:
            return f"more than {MAX_ELEMENTS:,} elements; split the file, or include less"
        return ""


def count_in(root: Element) -> tuple[int, dict[str, int]]:
    """Return the number of elements in a tree, and the number of those with each tag in `CROWDED`."""
    elements, crowded = 0, dict.fromkeys(CROWDED, 0)
    for element in root.walk():
        elements += 1
        if element.tag in crowded:
            crowded[element.tag] += 1
    return elements, crowded


@dataclass(eq=False, slots=True)
class Element:
    """An element of a file.

    Attributes:
        text: without surrounding whitespace.
        included_file: path of the file, if this is the root element of an included file.
        mended_line: the first line in which a blank was missing, if this is the root element of such a file.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    parent: Element | None = field(default=None, repr=False)
    text: str = ""
    children: list[Element] = field(default_factory=list, repr=False)
    included_file: str = ""
    mended_line: int | None = None

    def child(self, *tags: str) -> Element | None:
        """Return the element at a path of tags, the first one for each tag; None if there is none."""
        at: Element | None = self
        for tag in tags:
            at = next((child for child in at.children if child.tag == tag), None)
            if at is None:
                return None
        return at

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def walk(self) -> Iterator[Element]:
        """Yield this element and all elements in it, in the order of the file."""
        ahead: list[Element] = [self]
        while ahead:
            element = ahead.pop()
            yield element
            ahead.extend(reversed(element.children))

    def to_xml(self) -> str:
        """Return this element and all elements in it as text."""
        parts: list[str] = []
        self._write(parts)
        return "".join(parts)

    def _write(self, parts: list[str]) -> None:
        parts.append(f"<{self.tag}")
        parts.extend(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        if not self.text and not self.children:
            parts.append("/>")
            return
        parts.append(">" + escape(self.text, _KEPT_BREAK))
        for child in self.children:
            child._write(parts)
        parts.append(f"</{self.tag}>")

    @property
    def name(self) -> str:
        return self.attributes.get("name", "").strip()

    @property
    def prim(self) -> str:
        """Empty, since elements have lines."""
        return ""

    @property
    def file(self) -> str:
        """The included file that contains this element; "" for the file that was read first."""
        at = self
        while at.parent is not None:
            at = at.parent
        return at.included_file

    @property
    def subject(self) -> str:
        """The innermost element with a name around this one, as messages call it."""
        at: Element | None = self
        while at is not None:
            if at.name:
                return f"{at.tag} '{at.name}'"
            at = at.parent
        return f"<{self.tag}>"


def parse_file(path: Path, rules: XmlRules = _USUAL) -> Element:
    """Return the root element of an XML file.

    Raises:
        UnreadableError: if the file cannot be read, or as `parse`.
    """
    return parse(read_bytes(path), path, rules)


def root_tag(data: bytes) -> str:
    """Return the tag of the root element, without reading the rest; "" if it is not found in that way."""
    found = _ROOT.match(data)
    return found[1].decode("ascii", "replace") if found else ""


def read_bytes(path: Path) -> bytes:
    """Return the content of a file, or a byte more than `MAX_BYTES` of it.

    Raises:
        UnreadableError: if the file cannot be read.
    """
    try:
        with open_regular(path) as file:
            # The size that the system reports may be wrong.
            return file.read(MAX_BYTES + 1)
    except NotRegularError as error:
        raise UnreadableError(path, error.strerror or "this is no file") from error
    except OSError as error:
        raise UnreadableError(path, f"{(error.strerror or str(error)).lower()}; check the path") from error
    except ValueError as error:  # a NUL in the path
        raise UnreadableError(path, f"no path of a file ({error}); check it") from error


def parse(data: bytes, path: object = "<text>", rules: XmlRules = _USUAL) -> Element:
    """Return the root element of XML text.

    The function accepts more than the standard allows, because simulators do: whitespace before <?xml, "--" in
    comments, prefixes that are not bound, a wrong encoding="utf-16"; and attributes without a blank between them, if
    the rules say so (`Element.mended_line`). It refuses document type definitions, which could define entities.

    Raises:
        UnreadableError: if the text is not XML of this kind, or if it exceeds one of the limits above.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableError(path, f"the file has more than {MAX_BYTES >> 20} MB; a model file must be smaller")
    if not data or data.isspace():
        raise UnreadableError(path, "the file is empty")
    markup = _only_markup(_as_utf8(data, path), path)
    try:
        return _built(markup, path, rules)
    except UnreadableError:
        gap = _NO_BLANK.search(markup) if rules.mends_blanks else None
        if gap is None:
            raise
        root = _built(_NO_BLANK.sub(rb"\1 ", markup), path, rules)
        root.mended_line = markup.count(b"\n", 0, gap.end()) + 1
        return root


def _built(markup: bytes, path: object, rules: XmlRules) -> Element:
    builder = _Builder(path, rules)
    builder.read(markup)
    return builder.root


def _as_utf8(data: bytes, path: object) -> bytes:
    """Return the text in UTF-8. Text that declares no other encoding is returned as it is; the parser checks it.

    Raises:
        UnreadableError: if the declared encoding is unknown or wrong.
    """
    if data.startswith(_BOM):
        return data[len(_BOM) :]
    encoding = _BEGINNINGS.get(data[:2]) or _declared_encoding(data, path)
    if encoding == "utf-8":
        return data
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(encoding, "replace").count("\n") + 1
        found = data[error.start : error.end][:4].hex(" ")
        raise UnreadableError(path, f"the bytes {found} are no {encoding}; save it as UTF-8", line) from error


def _declared_encoding(data: bytes, path: object) -> str:
    """Return the encoding that the declaration names.

    It is UTF-8 if there is no declaration, or if the declaration itself is not written in the encoding that it names.

    Raises:
        UnreadableError: if the encoding is not known.
    """
    declared = _DECLARED.match(data, 0, 4096)
    name = declared[1].decode() if declared else "utf-8"
    if name.lower() in ("utf-8", "utf8") or name.lower().startswith(("utf-16", "utf16", "utf-32", "utf32")):
        return "utf-8"
    try:
        is_usable = _MARKUP.encode().decode(name) == _MARKUP
    except (LookupError, UnicodeError):
        is_usable = False
    if not is_usable:
        line = data.count(b"\n", 0, declared.start(1)) + 1 if declared else None
        raise UnreadableError(path, f"the encoding '{name}' is not known here; save it as UTF-8", line)
    return name


def _only_markup(data: bytes, path: object) -> bytes:
    """Return the text without comments and processing instructions. Line breaks stay, so that line numbers do.

    Raises:
        UnreadableError: if a comment, an instruction or a CDATA section has no end.
    """
    kept, at = [], 0
    while found := _NO_MARKUP.search(data, at):
        end = data.find(_ENDS[found[0]], found.end())
        if end < 0:
            line = data.count(b"\n", 0, found.start()) + 1
            closing = _ENDS[found[0]].decode()
            raise UnreadableError(path, f"a {_NAMES[found[0]]} begins here and has no end; add '{closing}'", line)
        end += len(_ENDS[found[0]])
        if found[0] == b"<![CDATA[":
            kept.append(data[at:end])
        else:
            kept += data[at : found.start()], b"\n" * data.count(b"\n", found.start(), end)
        at = end
    kept.append(data[at:])
    return b"".join(kept)


class _Builder:
    """Builds the tree with expat.

    Modules on top of expat bind prefixes, read definitions, or take half as long again.
    """

    root: Element  # set when the first element begins

    def __init__(self, path: object, rules: XmlRules):
        self.path, self.rules = path, rules
        self._count = 0
        self._has_long_words = False
        self._open: list[Element] = []
        self._texts: list[list[str]] = []
        self._expat = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._refuse_definitions

    def read(self, data: bytes) -> None:
        if found := _TOO_LONG_RUN.search(data):
            line = data.count(b"\n", 0, found.start()) + 1
            raise UnreadableError(self.path, f"a tag or a text has more than {MAX_RUN >> 20} MB; shorten it", line)
        self._has_long_words = bool(_LONG_RUN.search(data))
        try:
            self._expat.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code).removeprefix("not well-formed ").strip("()")
            message = f"not well-formed XML: {reason}; mend it here, or save it as UTF-8"
            raise UnreadableError(self.path, message, error.lineno) from error

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        around = self._open
        parent = around[-1] if around else None
        element = Element(tag, attributes, self._expat.CurrentLineNumber, parent)
        self._count += 1
        if self._count > MAX_ELEMENTS or len(around) == self.rules.depth or len(attributes) > MAX_ATTRIBUTES:
            self._refuse_size(element)
        if self._has_long_words and max(map(len, (tag, *attributes, *attributes.values()))) > self.rules.word:
            self._refuse(f"a name or a value of more than {self.rules.word} characters; shorten it")
        if parent is None:
            self.root = element
        else:
            parent.children.append(element)
        around.append(element)
        self._texts.append([])

    def _characters(self, content: str) -> None:
        self._texts[-1].append(content)

    def _end(self, tag: str) -> None:
        element = self._open.pop()
        if texts := self._texts.pop():
            element.text = "".join(texts).strip()

    def _refuse_size(self, element: Element) -> None:
        if len(element.attributes) > MAX_ATTRIBUTES:
            self._refuse(f"an element with more than {MAX_ATTRIBUTES} attributes; leave out what is not needed")
        if self._count > MAX_ELEMENTS:
            self._refuse(f"more than {MAX_ELEMENTS} elements; split the file")
        self._refuse(f"more than {self.rules.depth} elements inside each other; make it flatter")

    def _refuse_definitions(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        if system or public or has_subset:
            self._refuse("a document type definition, which may hide anything; write what it stands for, and remove it")

    def _refuse(self, found: str) -> None:
        raise UnreadableError(self.path, found, self._expat.CurrentLineNumber)
