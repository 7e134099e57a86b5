# SPDX-License-Identifier: GPL-3.0-or-later
"""Check of an MJCF file against the table of elements, and lines about everything in it that is lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ...files.xml import Element
from ..findings import Findings, numbers_in
from ..xml.grammar import Rule
from .elements import ELEMENTS, IDLE, LOST_VALUES, LOST_WITH, NOT_IN_DEFAULTS, READ_NUMBERS, Entry, Fate

__all__ = ["ELEMENTS", "Entry", "Fate", "child_key", "fate_of", "rules", "tell_losses", "walk"]

ROOT = "mujoco"
"""Key of the root element."""

VERSION = "4.0"
"""The version of MuJoCo whose elements the table describes."""


def child_key(key: str, tag: str) -> str | None:
    """Return the key of an element by its tag and the key of the element that contains it.

    Return None if MJCF has no such element there.
    """
    return _child_keys(key).get(tag)


@cache
def _child_keys(key: str) -> dict[str, str]:
    """Return the keys of the elements that may be in an element, by tag."""
    entry = ELEMENTS[key]
    keys = [child.removesuffix("?") for child in entry.children.split()]
    return {child.partition("@")[0]: child for child in [*keys, *(["include"] if keys else [])]}


def fate_of(key: str, attribute: str = "") -> Fate | None:
    """Return what happens to an element, or to one of its attributes; None if it has no such attribute."""
    entry = ELEMENTS[key]
    if not attribute:
        return entry.fate
    fates: tuple[tuple[Fate, str], ...] = (("read", entry.read), ("kept", entry.kept), ("lost", entry.lost))
    return next((fate for fate, names in fates if attribute in names.split()), None)


@cache
def rules() -> Rule:
    """Return the rule of the root element, for `check_grammar`."""
    return _make_rule(ROOT, False, {})


def _make_rule(key: str, in_default: bool, made: dict[tuple[str, bool], Rule]) -> Rule:
    """Return the rule of an element, and add it and those of all elements in it to `made`.

    Args:
        in_default: whether it is in <default>, where it has fewer attributes.
        made: rules so far, by key and `in_default`. Some elements may contain themselves.
    """
    if (key, in_default) in made:
        return made[key, in_default]
    entry = ELEMENTS[key]
    names = entry.attributes
    if in_default and key != "default":
        names = frozenset(name for name in names if not NOT_IN_DEFAULTS & {name, f"{key}.{name}"})
    once: dict[str, Rule | None] = {}
    many: dict[str, Rule | None] = {}
    made[key, in_default] = rule = Rule(names, once, many)
    for child in entry.children.split():
        found = child.removesuffix("?")
        inner = None if ELEMENTS[found].is_dropped else _make_rule(found, in_default or key == "default", made)
        (once if child.endswith("?") else many)[found.partition("@")[0]] = inner
    if entry.children:
        many["include"] = _make_rule("include", False, made)
    return rule


def walk(root: Element) -> Iterator[tuple[Element, str]]:
    """Yield the elements that MJCF has, in the order of the file, each with its key in `ELEMENTS`.

    The content of elements that are kept or lost is left out.

    Args:
        root: the root element. Its tag may be <mujoco> or <mujocoinclude>.
    """
    ahead: list[tuple[Element, str]] = [(root, ROOT)]
    while ahead:
        element, key = ahead.pop()
        yield element, key
        if ELEMENTS[key].fate != "read":
            continue
        for child in reversed(element.children):
            if (found := child_key(key, child.tag)) is not None:
                ahead.append((child, found))


@dataclass
class _Found:
    """Places of something that is reported once.

    Attributes:
        first: the first element in which it was found.
        count: how often it was found.
    """

    first: Element
    count: int = 1


def tell_losses(root: Element, findings: Findings) -> None:
    """Add a note about each kind of element and each attribute that is lost, with its count and its first place.

    Names that MuJoCo had in older versions are reported as mistakes that this reader tolerates. Attributes with a value
    that has no effect in MuJoCo are no loss.
    """
    losses: dict[str, _Found] = {}
    dropped: dict[str, _Found] = {}
    for element, key in walk(root):
        for words in _losses_of(element, key):
            _count(losses, words, element)
        for words in _dropped_in(element, key):
            _count(dropped, words, element)
    for words, found in losses.items():
        findings.note(f"{words}: {found.count} found, the first in {found.first.subject}, line {found.first.line}")
    for words, found in dropped.items():
        message = (
            f"{words} belongs to an older MJCF, and MuJoCo {VERSION} refuses it ({found.count} found); take it out"
        )
        findings.excuse(found.first, "dropped-name", message)


def _count(found: dict[str, _Found], words: str, element: Element) -> None:
    if words in found:
        found[words].count += 1
    else:
        found[words] = _Found(element)


def _losses_of(element: Element, key: str) -> Iterator[str]:
    """Yield words about an element that is lost, or else about its attributes that are lost."""
    name = _name_of(element, key)
    if ELEMENTS[key].fate == "lost":
        if not _is_default(element):  # a default without an element is no loss
            yield f"{name} is not read"
        return
    if (reason := _reason_for_loss(element, key)) is not None:
        yield f"{name} with {reason} is not read"
        return
    for attribute, text in element.attributes.items():
        fate = fate_of(key, attribute)
        if fate == "lost" and not _is_idle(attribute, text):
            yield f"{attribute} of {name} is not read"
        elif fate == "read" and attribute in READ_NUMBERS:
            count = READ_NUMBERS[attribute]
            numbers = f"{count} numbers" if count > 1 else "number"
            if any(numbers_in(text)[count:]):
                yield f"{attribute} of {name} is not read beyond its first {numbers}"


def _reason_for_loss(element: Element, key: str) -> str | None:
    """Return words about the attribute because of which an element has no effect here; None if there is none."""
    for attribute, text in element.attributes.items():
        if text.strip() in LOST_VALUES.get(f"{key}.{attribute}", ()):
            return f'{attribute}="{text.strip()}"'
        if attribute in LOST_WITH.get(key, ()):
            return attribute
    return None


def _dropped_in(element: Element, key: str) -> Iterator[str]:
    """Yield words about an element, and about those of its attributes, that MuJoCo had once."""
    entry, name = ELEMENTS[key], _name_of(element, key)
    if entry.is_dropped:
        yield name
    yield from (f"{attribute} of {name}" for attribute in entry.dropped.split() if attribute in element.attributes)


def _is_default(element: Element) -> bool:
    return element.parent is not None and element.parent.tag == "default"


def _is_idle(attribute: str, text: str) -> bool:
    """Return whether a lost attribute has a value with no effect in MuJoCo."""
    idle = IDLE.get(attribute)
    if idle is None:
        return False
    wanted, numbers = numbers_in(idle), numbers_in(text)
    return bool(wanted and numbers and {*numbers} == {*wanted}) or text.strip() in idle.split()


def _name_of(element: Element, key: str) -> str:
    """Return the name of an element for messages, with what it is in if its tag has several meanings."""
    if "@" in key and element.parent is not None:
        return f"<{element.tag}> in <{element.parent.tag}>"
    return f"<{element.tag}>"
