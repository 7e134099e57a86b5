# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines about losses, made short: one line for each kind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MOST_ALIKE = 3
"""Largest number of lines of one kind that are shown one by one."""

MOST_NAMED = 3
"""Number of further places that the line of a kind names."""

_SUBJECT = re.compile(r"(?:the )?[a-z]+ '[^']*'(?:: (?:[a-z]+ )?'[^']*')?(?:, axis [^:]+)?")
"""The place at the beginning of a line, such as "link 'a': collision 'b'" or "joint 'a', axis turn"."""

_NUMBER = re.compile(r"(?<![\w'])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf)\b")
"""A number that is no part of a name."""


def once(lines: Iterable[str]) -> list[str]:
    """Return each line once, with the number of its occurrences."""
    return [_counted(line, count) for line, count in Counter(lines).items()]


def _counted(line: str, count: int) -> str:
    return line if count == 1 else f"{line} ({count} times)"


def folded(lines: Iterable[str]) -> list[str]:
    """Return lines of which those of one kind, if they are many, are one line with their count and the first places.

    Lines are of one kind if they differ in the place at their beginnings and in numbers only. A line that occurs
    several times is one line with its count.
    """
    counts = Counter(lines)
    kinds: dict[str, list[str]] = {}
    for line in counts:
        kinds.setdefault(_kind_of(line), []).append(line)
    found = []
    for alike in kinds.values():
        if len(alike) > MOST_ALIKE:
            found.append(_as_one(alike, sum(counts[line] for line in alike)))
        else:
            found += [_counted(line, counts[line]) for line in alike]
    return found


def _kind_of(line: str) -> str:
    place = _SUBJECT.match(line)
    return line if place is None else _NUMBER.sub("0", line[place.end() :])


def _as_one(alike: list[str], count: int) -> str:
    """Return the first line, with the count of the others and the first of their places."""
    first, *others = alike
    places = [found[0] for line in others[:MOST_NAMED] if (found := _SUBJECT.match(line))]
    more = ", …" if len(others) > MOST_NAMED else ""
    return f"{first} (likewise {count - 1} more: {', '.join(places)}{more})"
