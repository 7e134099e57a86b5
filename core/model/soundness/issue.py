# SPDX-License-Identifier: GPL-3.0-or-later
"""`Issue`, one finding, and words that the messages of findings share."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ...text import one_line
from ..couplings import Coupling, Gearbox
from ..elements import Joint, Link


@dataclass
class Issue:
    """One finding.

    Attributes:
        severity: "error": the model cannot be used; "warning": its numbers are suspect, but used as they are; "note":
            the model is valid, but may surprise.
        code: a short slug, the same for all findings of a kind.
        subject: the object, such as "link 'arm'".
        message: what is wrong, the value, what is allowed, how to repair it.
        line: in the model's file; None if it is not known.
        file: the file with this line, if it is an included file; otherwise empty.
        prim: path of the object in a file that has no lines; otherwise empty.
    """

    severity: Literal["error", "warning", "note"]
    code: str
    subject: str
    message: str
    line: int | None = None
    file: str = ""
    prim: str = ""

    def __post_init__(self):
        self.subject, self.message = one_line(self.subject), one_line(self.message)

    @property
    def name(self) -> str:
        """The name of the object, which `name_of` has put into `subject`."""
        return self.subject.partition(" '")[2].removesuffix("'")

    @property
    def is_error(self) -> bool:
        return self.severity == "error"

    def format(self, path: object) -> str:
        """Return one line in the form that compilers use.

        It has file, line, severity, code, subject and message, with colons between them.
        """
        file = self.file or path
        where = f"{file}:{self.line}" if self.line else f"{file}<{self.prim}>" if self.prim else f"{file}"
        return f"{where}: {self.severity} {self.code}: {self.subject}: {self.message}"


def count_issues(issues: Iterable[Issue]) -> tuple[int, int]:
    """Return the numbers of errors and of warnings."""
    severities = Counter(issue.severity for issue in issues)
    return severities["error"], severities["warning"]


def error(code: str, subject: str, message: str) -> Issue:
    return Issue("error", code, subject, message)


def warning(code: str, subject: str, message: str) -> Issue:
    return Issue("warning", code, subject, message)


def note(code: str, subject: str, message: str) -> Issue:
    return Issue("note", code, subject, message)


def name_of(item: Link | Joint | Coupling | Gearbox) -> str:
    """Return an object as messages name it: its kind and its name, such as "link 'arm'"."""
    return f"{type(item).__name__.lower()} '{item.name}'"


def all_finite(values: Iterable[float]) -> bool:
    return all(map(math.isfinite, values))
