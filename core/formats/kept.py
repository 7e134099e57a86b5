"""What a reader does not understand, kept as text; and back into the file when that is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ..extras import Extra
from .xml import Element, parse
from .xml_write import copied

Known = Mapping[str, "Known | None"]
"""Tags that a reader understands: with None wholly, else as far as the inner mapping goes."""


def known(*tags: str, **partly: Known) -> Known:
    """Tags that are understood wholly, and those that are in part."""
    return dict.fromkeys(tags) | partly


def extras_of(
    element: Element | None, understood: Known, form: str, within: tuple[str, ...] = (), scope: str = ""
) -> tuple[Extra, ...]:
    """Everything inside an element that is not understood."""
    found: list[Extra] = []
    for child in element.children if element else ():
        if child.tag not in understood:
            found.append(Extra(form, child.tag, child.to_xml(), within, scope))
        elif inner := understood[child.tag]:
            found += extras_of(child, inner, form, (*within, child.tag), scope)
    return tuple(found)


def put_back(parent: NewElement, extras: Iterable[Extra]) -> None:
    """Write kept elements into the places that they were taken from."""
    for extra in extras:
        at = parent
        for tag in extra.within:
            inner = at.find(tag)
            at = SubElement(at, tag) if inner is None else inner
        at.append(copied(parse(extra.text.encode())))


def prefixes_in(element: NewElement) -> set[str]:
    """The prefixes of tags and attributes below an element."""
    names = [name for at in element.iter() for name in (at.tag, *at.attrib)]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def summary(extras: Iterable[Extra]) -> str:
    """How many of each tag."""
    return ", ".join(f"{count} <{tag}>" for tag, count in Counter(extra.tag for extra in extras).items())
