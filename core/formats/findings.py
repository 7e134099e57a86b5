# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of a reader: issues, notes about what it ignores, and numbers with precise error messages."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar, cast

from ..check import Issue
from ..files.xml import Element
from ..text import one_line

Numbers = TypeVar("Numbers", bound=tuple[float, ...])
"""A tuple whose length is part of its type, such as `Vec3`."""


class Place(Protocol):
    """Where a finding is: an XML element, or what corresponds to it in another format, such as a prim of USD.

    Attributes:
        subject: the object there, as messages call it.
        line: its line; None if the format has no lines.
        file: the included file that contains it; "" for the file that was read first.
        prim: its path, if the format has paths in place of lines; otherwise "".
    """

    @property
    def subject(self) -> str: ...

    @property
    def line(self) -> int | None: ...

    @property
    def file(self) -> str: ...

    @property
    def prim(self) -> str: ...


Places = dict[tuple[str, str], Place]
"""The place of each ("model", "link" or "joint", name)."""

NO_LINKS = "has no links; a model needs at least one: add a link"
"""Words of messages about a model without links."""


_BEGINS = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RUBBISH = re.compile(r"[\"';]|[mfNd]|kg|rad|m/s|rad/s|Nm|s")
"""Text after a number that is ignored: punctuation, and the units that the format has anyway."""

TRUE = ("true", "1")
"""Texts that mean true."""

FALSE = ("false", "0")
"""Texts that mean false."""


class Findings:
    """The findings of one reading.

    The reader continues after a finding with a default value, to report all findings at once.

    Attributes:
        issues: the issues so far, each only once.
        notes: lines about what was found and is not read.
        strict: whether mistakes that simulators tolerate are errors.
        without_mass: names of links that have the default mass of the format, since the file gives them neither mass
            nor inertia.
    """

    def __init__(self, strict: bool = False):
        self.strict = strict
        self.without_mass: set[str] = set()
        self.issues: list[Issue] = []
        self._told: set[tuple] = set()
        self._notes: dict[str, str] = {}
        self._skipped: dict[str, list[Element]] = {}

    def error(self, at: Place, code: str, message: str, subject: str = "") -> None:
        self._add(Issue("error", code, subject or at.subject, message, at.line, at.file, at.prim))

    def warning(self, at: Place, code: str, message: str, subject: str = "") -> None:
        self._add(Issue("warning", code, subject or at.subject, message, at.line, at.file, at.prim))

    def excuse(self, at: Place, code: str, message: str, subject: str = "") -> None:
        """Report a mistake that is read because simulators read it: as a warning, or as an error if `strict`."""
        (self.error if self.strict else self.warning)(at, code, message, subject)

    def _add(self, issue: Issue) -> None:
        key = (issue.severity, issue.code, issue.subject, issue.message, issue.line, issue.file, issue.prim)
        if key not in self._told:
            self._told.add(key)
            self.issues.append(issue)

    def note(self, text: str, once: str = "") -> None:
        """Add a note.

        once: its subject, if only the first note about that subject is wanted.
        """
        self._notes.setdefault(once or text, one_line(text))

    def skip(self, element: Element) -> None:
        """Add a note that an element is not read."""
        self._skipped.setdefault(element.tag, []).append(element)

    def skip_unknown(self, element: Element | None, known: Collection[str]) -> None:
        """Add a note about each child whose tag is not among `known`."""
        for child in element.children if element else ():
            if child.tag not in known:
                self.skip(child)

    @property
    def notes(self) -> list[str]:
        skipped = [
            f"<{tag}> is not taken over: {len(found)} found, the first in {found[0].subject}, line {found[0].line}"
            for tag, found in self._skipped.items()
        ]
        return [*self._notes.values(), *map(one_line, skipped)]

    # ---- values

    def number(self, parent: Element | None, tag: str, default: float, *, infinite: bool = False) -> float:
        """Return the number in a child element; the default if there is no such element or no number."""
        element = parent.child(tag) if parent else None
        if element is None:
            return default
        (value,) = self.parse(element, f"<{tag}>", element.text, (default,), infinite=infinite) or (default,)
        return value

    def vector(self, parent: Element | None, tag: str, default: Numbers) -> Numbers:
        """Return as many numbers as the default has, from a child element; the default if they are missing or wrong."""
        element = parent.child(tag) if parent else None
        if element is None:
            return default
        return self.parse(element, f"<{tag}>", element.text, default) or default

    def attribute(self, element: Element | None, name: str, default: float, *, infinite: bool = False) -> float:
        """Return the number in an attribute; the default if there is no such attribute or no number."""
        if element is None or name not in element.attributes:
            return default
        what, text = f"{name} of <{element.tag}>", element.attributes[name]
        (value,) = self.parse(element, what, text, (default,), infinite=infinite) or (default,)
        return value

    def attribute_vector(self, element: Element | None, name: str, default: Numbers) -> Numbers:
        """Return as many numbers as the default has, from an attribute; the default if they are missing or wrong."""
        if element is None or name not in element.attributes:
            return default
        return self.parse(element, f"{name} of <{element.tag}>", element.attributes[name], default) or default

    def flag(self, text: str, at: Element, default: bool = False) -> bool:
        """Return a truth value as SDF writes it; the default if the text is empty or invalid. Report invalid text."""
        word = text.strip().lower()
        if word and word not in TRUE + FALSE:
            self.error(at, "bad-value", f"<{at.tag}> says '{text}'; write true or false")
        return word in TRUE if word in TRUE + FALSE else default

    def parse(self, at: Place, what: str, text: str, like: Numbers, *, infinite: bool = False) -> Numbers | None:
        """Return as many numbers as `like` has. If the text has others, report that and return None.

        infinite: whether infinite numbers are allowed.
        """
        values = numbers_in(text)
        usable = _is_usable(values, infinite)
        if len(values) == len(like) and usable:
            return cast(Numbers, values)
        excused = excused_numbers(text, like)
        if len(excused) == len(like) and _is_usable(excused, infinite):
            read_as = " ".join(f"{value:.17g}" for value in excused)
            self.excuse(at, "odd-number", f"{what} is '{text}', read as '{read_as}', as simulators do; write that")
            return cast(Numbers, excused)
        wanted = "a number" if len(like) == 1 else f"{len(like)} numbers"
        kind = "" if infinite else " (nan and inf are none)"
        self.error(at, "bad-number", f"{what} is '{text}'; give {wanted}{kind}")
        return None


def numbers_in(text: str) -> tuple[float, ...]:
    """Return the numbers in a text; () if it contains anything else."""
    try:
        return tuple(map(float, text.split())) if "_" not in text else ()  # only Python reads 1_000 as a number
    except ValueError:
        return ()


def excused_numbers(text: str, like: Sequence[float]) -> tuple[float, ...]:
    """Return numbers from text with mistakes that simulators tolerate; () if there are other mistakes.

    These are commas between numbers, units after them, or a missing zero at the end. If the default is (1, 1, 1), one
    number is taken three times, and a fourth is ignored.
    """
    words = text.replace(",", " ").split() if len(like) > 1 else text.split()
    if "_" in text or not words:
        return ()
    values = []
    for word in words:
        found = _BEGINS.match(word)
        if found is None or (found.end() < len(word) and _RUBBISH.fullmatch(word, found.end()) is None):
            return ()
        values.append(float(found[0]))
    if len(values) == 1 and tuple(like) == (1.0, 1.0, 1.0):
        return tuple(values * 3)
    if len(like) in (3, 6) and len(values) == len(like) - 1 and like[-1] == 0.0:
        values.append(0.0)
    if len(values) == 4 and tuple(like) == (1.0, 1.0, 1.0):
        del values[3:]
    return tuple(values)


def _is_usable(values: tuple[float, ...], infinite: bool) -> bool:
    return all(map(math.isfinite, values)) or (infinite and not any(map(math.isnan, values)))
