# SPDX-License-Identifier: GPL-3.0-or-later
"""What a reader does not understand, kept as text; and back into the file when that is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from xml.etree.ElementTree import Element as NewElement
from xml.etree.ElementTree import SubElement

from ..extras import Extra
from ..files.xml import Element, parse
from .xml_write import copied

Known = Mapping[str, "Known | None"]
"""Tags that a reader understands: with None wholly, else as far as the inner mapping goes, which may be empty."""


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
        elif (inner := understood[child.tag]) is not None:
            found += extras_of(child, inner, form, (*within, child.tag), scope)
    return tuple(found)


def element_of(extra: Extra) -> NewElement:
    """The element that it holds, to write."""
    return copied(parse(extra.text.encode()))


def put_back(owner: NewElement, extra: Extra, merged: Collection[str] = ()) -> None:
    """Put a kept element into what it stood in, which is made where it is missing.

    Of a tag in `merged`, it is the attributes that were kept, which join those that are written there already.
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
    """The namespace prefixes that occur in it."""
    names = [name for element in root.iter() for name in (element.tag, *element.attrib)]
    return {name.partition(":")[0] for name in names if ":" in name} - {"xml", "xmlns"}


def foreign_tags(extras: Iterable[Extra], form: str) -> list[str]:
    """The tags, each once, of what belongs to other formats."""
    return list(dict.fromkeys(extra.tag for extra in extras if extra.format != form))


def summary(extras: Iterable[Extra]) -> str:
    """How many of each tag."""
    return ", ".join(f"{count} <{tag}>" for tag, count in Counter(extra.tag for extra in extras).items())


def kept_number(text: str | None) -> float:
    """The number in what was kept as text; 0 where it is none."""
    try:
        return float(text or "")
    except ValueError:
        return 0.0


def first_child(parent: NewElement, tag: str) -> NewElement | None:
    """As `find`, which takes a prefix for something else."""
    return next((child for child in parent if child.tag == tag), None)
