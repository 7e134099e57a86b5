# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements that a reader does not understand: they are kept as text, and written back into the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ...extras import Extra
from ...files.xml import Element, parse
from .output import copied

Known = Mapping[str, "Known | None"]
"""Tags that a reader understands: wholly, with None, or as far as the inner mapping says, which may be empty."""


def known(*tags: str, **partly: Known) -> Known:
    """Return a mapping of tags that are understood wholly, and of those that are understood in part."""
    return dict.fromkeys(tags) | partly


def extras_of(
    element: Element | None, understood: Known, form: str, within: tuple[str, ...] = (), scope: str = ""
) -> tuple[Extra, ...]:
    """Return all parts of an element that are not understood."""
    found: list[Extra] = []
    for child in element.children if element else ():
        if child.tag not in understood:
            found.append(Extra(form, child.tag, child.to_xml(), within, scope))
        elif (inner := understood[child.tag]) is not None:
            found += extras_of(child, inner, form, (*within, child.tag), scope)
    return tuple(found)


def element_of(extra: Extra) -> NewElement:
    """Return the element that an extra contains, to be written."""
    return copied(parse(extra.text.encode()))


def put_back(owner: NewElement, extra: Extra, merged: Collection[str] = ()) -> None:
    """Add a kept element to the element that contained it, which is created if it is missing.

    If its tag is in `merged`, only attributes were kept. They are added to those of the element that is written
    already.
    """
    holder = owner
    for tag in extra.within:
        found = first_child(holder, tag)
        holder = SubElement(holder, tag) if found is None else found
    element = element_of(extra)
    there = first_child(holder, element.tag) if element.tag in merged else None
    if there is None:
        holder.append(element)
    else:
        there.attrib.update({name: value for name, value in element.attrib.items() if name not in there.attrib})


def prefixes_in(root: NewElement) -> set[str]:
    """Return the namespace prefixes that occur in an element."""
    names = [name for element in root.iter() for name in (element.tag, *element.attrib)]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def foreign_lines(extras: Iterable[Extra], form: str, words: str) -> list[str]:
    """Return a line for each tag of extras that belong to other formats: the tag, words about it, and its count."""
    counts = Counter(extra.tag for extra in extras if extra.format != form)
    return [f"<{tag}> {words}{f' ({count} found)' if count > 1 else ''}" for tag, count in counts.items()]


def summary(extras: Iterable[Extra]) -> str:
    """Return the number of extras of each tag, as text."""
    return ", ".join(f"{count} <{tag}>" for tag, count in Counter(extra.tag for extra in extras).items())


def kept_number(text: str | None) -> float:
    """Return the number in a text that was kept; 0 if it has none."""
    try:
        return float(text or "")
    except ValueError:
        return 0.0


def first_child(parent: NewElement, tag: str) -> NewElement | None:
    """Return the first child with a tag. `find` would interpret a prefix in another way."""
    return next((child for child in parent if child.tag == tag), None)
