# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings in short, for people: many findings that differ by names and numbers only are one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields

from ..model.soundness.issue import Issue, warning
from ..model.text import quoted
from .overlapping import CODE, MOST_TOLD, Overlap, summary

NAME = re.compile(r"'[^']*'")
"""A name in a message, in quotation marks."""

NUMBER = re.compile(r"(?<![\w'])[-+]?(?:\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|inf)\b")
"""A number in a message that is no part of a name."""

VARIABLE = re.compile(f"{NAME.pattern}|{NUMBER.pattern}")
"""Parts of messages that differ between findings about several objects."""

OBJECT = re.compile(r"(?:the )?[a-z]+ '[^']*'(?:: (?:[a-z]+ )?'[^']*')?(?:, axis [^:]+)?")
"""The object at the beginning of a line, such as "link 'a': collision 'b'" or "joint 'a', axis turn"."""


@dataclass
class AlikeIssues(Issue):
    """Several issues that differ by names and numbers only. It has the values of the first one.

    Attributes:
        others: names of the objects of the other issues, each once, without that of the first issue.
    """

    others: tuple[str, ...] = ()


def summarized(issues: Iterable[Issue]) -> list[Issue]:
    """Return the issues, with one in the place of more than MOST_TOLD issues that are alike.

    All overlaps are alike. Other issues are alike if they differ by names and numbers only. Errors are never
    summarized, since each of them has to be repaired before the model can be used.
    """
    issues = list(issues)
    overlaps = [issue for issue in issues if isinstance(issue, Overlap)]
    if len(overlaps) > MOST_TOLD:
        whole = warning(CODE, "model", summary(overlaps))
        issues = [issue for issue in issues if not isinstance(issue, Overlap)] + [whole]
    groups: dict[tuple, list[Issue]] = {}
    for place, issue in enumerate(issues):
        groups.setdefault((place,) if issue.is_error else _key(issue), []).append(issue)
    return [issue for group in groups.values() for issue in (group if len(group) <= MOST_TOLD else [_merged(group)])]


def summarized_notes(notes: Iterable[str]) -> list[str]:
    """Return notes, with one in the place of more than MOST_TOLD notes that differ by names and numbers only."""
    return _summarized_lines(notes, lambda note: VARIABLE.sub("", note))


def summarized_losses(losses: Iterable[str]) -> list[str]:
    """Return losses, with one in the place of more than MOST_TOLD that differ by their objects and by numbers only.

    Other names stay apart, such as those of files, each of which has to be copied.
    """
    return _summarized_lines(losses, _without_object)


def once(lines: Iterable[str]) -> list[str]:
    """Return each line once, with the number of its occurrences."""
    return [_counted(line, count) for line, count in Counter(lines).items()]


def _counted(line: str, count: int) -> str:
    return line if count == 1 else f"{line} ({count} times)"


def _summarized_lines(lines: Iterable[str], kind_of: Callable[[str], str]) -> list[str]:
    """Return lines, each once, with one in the place of more than MOST_TOLD different ones of a kind."""
    counts = Counter(lines)
    kinds: dict[str, list[str]] = {}
    for line in counts:
        kinds.setdefault(kind_of(line), []).append(line)
    found: list[str] = []
    for alike in kinds.values():
        if len(alike) <= MOST_TOLD:
            found += [_counted(line, counts[line]) for line in alike]
        else:
            named = [match[0].strip("'") for line in alike if (match := NAME.search(line))]
            found.append(alike[0] + _more(sum(counts[line] for line in alike) - 1, _others(named)))
    return found


def _without_object(line: str) -> str:
    """Return a line without the object at its beginning and without numbers."""
    found = OBJECT.match(line)
    return NUMBER.sub("", line[found.end() :]) if found else line


def _key(issue: Issue) -> tuple:
    kind = issue.subject.partition(" '")[0]
    return issue.severity, issue.code, kind, VARIABLE.sub("", issue.message)


def _merged(issues: Sequence[Issue]) -> AlikeIssues:
    first = {field.name: getattr(issues[0], field.name) for field in fields(Issue)}
    others = _others([issue.name for issue in issues])
    first["message"] += _more(len(issues) - 1, others)
    return AlikeIssues(**first, others=others)


def _others(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names that differ from the first one, each once."""
    return tuple(name for name in dict.fromkeys(names) if name != names[0])


def _more(count: int, others: Sequence[str]) -> str:
    """Return the end of a message that stands for further ones.

    Args:
        count: number of the further ones. others: names of their objects, as far as they differ from the first one.
    """
    if not others:
        return f" (and {count} more like this)"
    rest = ", …" if len(others) > MOST_TOLD else ""
    return f" (and {count} more like this: {quoted(others[:MOST_TOLD])}{rest})"
