"""XML that strangers wrote, as a light tree in which every element knows its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import AttributesImpl, Locator

MAX_DEPTH = 150
"""Elements inside each other. Real files need about 20; readers recurse over models in models."""

_CDATA_OR_COMMENT = re.compile(rb"<!\[CDATA\[.*?\]\]>|<!--.*?-->", re.DOTALL)
_LEADING_BLANKS = re.compile(rb"(?:\xef\xbb\xbf|\s)*")


class UnreadableError(Exception):
    """A file of which nothing can be made.

    Attributes:
        path: the file. line: where reading stopped, or None. message: what was found and what is needed.
    """

    def __init__(self, path: object, message: str, line: int | None = None):
        super().__init__(message)
        self.path, self.message, self.line = path, message, line

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else f"{self.path}"
        return f"{where}: error unreadable: {self.message}"


@dataclass(eq=False)
class Element:
    """An element: its tag, attributes, text without surrounding blanks, children, parent and line."""

    tag: str
    attributes: dict[str, str]
    line: int
    parent: Element | None = field(default=None, repr=False)
    text: str = ""
    children: list[Element] = field(default_factory=list, repr=False)

    def child(self, *tags: str) -> Element | None:
        """What lies along `tags`, each time the first of its name; None where something is missing."""
        at: Element | None = self
        for tag in tags:
            at = next((child for child in at.children if child.tag == tag), None)
            if at is None:
                return None
        return at

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def walk(self) -> Iterator[Element]:
        """This element and everything in it, in the order of the file."""
        yield self
        for child in self.children:
            yield from child.walk()

    def to_xml(self) -> str:
        """This element and everything in it, as text."""
        given = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        if not self.text and not self.children:
            return f"<{self.tag}{given}/>"
        inside = escape(self.text) + "".join(child.to_xml() for child in self.children)
        return f"<{self.tag}{given}>{inside}</{self.tag}>"

    @property
    def name(self) -> str:
        return self.attributes.get("name", "").strip()

    @property
    def subject(self) -> str:
        """The words that tell a person where this is: the innermost element around it that has a name."""
        at: Element | None = self
        while at is not None:
            if at.name:
                return f"{at.tag} '{at.name}'"
            at = at.parent
        return f"<{self.tag}>"


def parse_file(path: Path) -> Element:
    """The root element of an XML file. Raises UnreadableError."""
    if path.is_dir():
        raise UnreadableError(path, "this is a folder; name a file in it")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(path, f"{(error.strerror or str(error)).lower()}; check the path") from error
    return parse(data, path)


def parse(data: bytes, path: object = "<text>") -> Element:
    """The root element of XML text.

    More is taken than the standard allows, because simulators take it: blanks before <?xml, "--" in comments, prefixes
    that are not bound. Entity definitions are refused. Raises UnreadableError.
    """
    try:  # not above: in a Blender without it, everything but reading XML goes on working
        import defusedxml.sax
        from defusedxml.common import DefusedXmlException
    except ImportError as error:
        raise UnreadableError(path, "reading needs the Python package defusedxml, which is not installed") from error
    if not data.strip():
        raise UnreadableError(path, "the file is empty")
    text = _LEADING_BLANKS.sub(b"", data, count=1)
    builder = _Builder(lines_before=data.count(b"\n", 0, len(data) - len(text)))
    try:
        defusedxml.sax.parseString(_CDATA_OR_COMMENT.sub(_without_comment, text), builder)
    except DefusedXmlException as error:
        raise UnreadableError(path, "defines entities, which are not allowed; write the text itself") from error
    except SAXParseException as error:
        line = max(error.getLineNumber() or 1, 1) + builder.lines_before
        raise UnreadableError(
            path, f"not well-formed XML ({error.getMessage()}); mend it here, or save it as UTF-8", line
        ) from error
    except (SAXException, ValueError, LookupError) as error:
        raise UnreadableError(path, f"not readable as XML ({error}); save it as UTF-8") from error
    return builder.root


def _without_comment(match: re.Match[bytes]) -> bytes:
    """Line breaks stay, so that line numbers do."""
    found = match[0]
    return found if found.startswith(b"<![CDATA[") else b"\n" * found.count(b"\n")


class _Builder(ContentHandler):
    locator: Locator  # known from the document's start on
    root: Element  # known from its first element on

    def __init__(self, lines_before: int):
        super().__init__()
        self.lines_before = lines_before
        self._open: list[Element] = []
        self._texts: list[list[str]] = []

    def setDocumentLocator(self, locator: Locator) -> None:
        self.locator = locator

    def startElement(self, name: str, attrs: AttributesImpl[str]) -> None:
        parent = self._open[-1] if self._open else None
        element = Element(name, dict(attrs), (self.locator.getLineNumber() or 0) + self.lines_before, parent)
        if len(self._open) == MAX_DEPTH:
            raise SAXParseException(f"more than {MAX_DEPTH} elements inside each other", None, self.locator)
        if parent:
            parent.children.append(element)
        else:
            self.root = element
        self._open.append(element)
        self._texts.append([])

    def characters(self, content: str) -> None:
        self._texts[-1].append(content)

    def endElement(self, name: str) -> None:
        self._open.pop().text = "".join(self._texts.pop()).strip()
