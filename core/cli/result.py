# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a command, also of one that fails, and the function that prints it."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TextIO

from ..answer import DEFECT, DONE, HAS_ERRORS, INTERRUPTED, SIMULATION_FAILED, STOPPED, STOPPED_ERROR, UNUSABLE, answer
from ..check import Issue, count_issues
from ..check.summarizing import summarized
from ..formats import Reading, UnreadableError
from ..model.text import counted
from ..processes.interrupts import ending
from ..version import VERSION


@dataclass
class CommandResult:
    """The result of a command.

    Attributes:
        facts: the result as plain data, which --json prints after the keys that all verbs have.
        lines: the result in words, for stdout without --json.
        code: the exit code, one of `answer.STATUS`.
        error: one sentence with the reason why the code is not 0; None if it is 0.
        said: lines for stderr: the error with the file that it is about.
    """

    facts: dict = field(default_factory=dict)
    lines: Sequence[str] = ()
    code: int = DONE
    error: str | None = None
    said: Sequence[str] = ()


class InputError(Exception):
    """The error of an input that has errors, with its `path` and `reading`."""

    def __init__(self, path: Path, reading: Reading):
        super().__init__(str(path))
        self.path, self.reading = path, reading


class UsageError(Exception):
    """The error of a command that is used in a wrong way. The text is one sentence for the user."""


class StoppedWithFacts(KeyboardInterrupt):
    """Ctrl-C or SIGTERM during a simulation. `facts` contains what is known by then, as plain data."""

    def __init__(self, facts: dict):
        super().__init__()
        self.facts = facts


def print_result(result: CommandResult, as_json: bool) -> int:
    """Print a command's result on stdout and its error on stderr, and return the exit code.

    Args:
        result: the result.
        as_json: whether stdout gets one JSON object instead of lines.
    """
    try:
        text = answer(result.code, result.error, result.facts) if as_json else "\n".join(result.lines)
    except (TypeError, ValueError) as error:  # facts that are not plain data
        return print_result(defect(error), as_json)
    ending()
    code = result.code
    try:
        if text:
            print(text)
        sys.stdout.flush()  # here, since a full disk can still be reported
    except BrokenPipeError:  # the reader has closed the pipe
        abandon(sys.stdout)
    except OSError as error:
        abandon(sys.stdout)
        say(f"limberjack: error: cannot write the result: {(error.strerror or str(error)).lower()}")
        code = UNUSABLE
    say(*result.said)
    return code


def say(*lines: object) -> None:
    """Write lines to stderr. A closed pipe is ignored, so that results are made in any case."""
    try:
        for line in lines:
            print(line, file=sys.stderr)
    except BrokenPipeError:
        abandon(sys.stderr)


def abandon(stream: TextIO) -> None:
    """Redirect a stream to nowhere, so that Python does not try to write the remaining data at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def unusable(error: object, said: Sequence[str] | None = None) -> CommandResult:
    """Return the result of wrong use, or of a file that cannot be read or written.

    Args:
        error: the sentence.
        said: lines for stderr; the sentence after the program's name if None.
    """
    return CommandResult(
        code=UNUSABLE, error=str(error), said=[f"limberjack: error: {error}"] if said is None else list(said)
    )


def unreadable(error: UnreadableError) -> CommandResult:
    """Return the result of an input that cannot be read, with the error as its only finding."""
    issue = Issue("error", "unreadable", "", error.message, error.line)
    result = unusable(f"{error.where}: {error.message}", [str(error)])
    result.facts = findings(error.path, [issue], [])
    return result


def invalid(error: object, path: object, kind: str) -> CommandResult:
    """Return the result of an input that can be read and has one error, of a kind such as "state"."""
    return CommandResult(code=HAS_ERRORS, error=str(error), said=[f"{path}: error {kind}: {error}"])


def has_errors(path: Path, reading: Reading) -> CommandResult:
    """Return the result of a model whose findings include errors, with all of its findings."""
    return CommandResult(
        findings(path, reading.issues, reading.notes),
        code=HAS_ERRORS,
        error=first_error(reading.issues),
        said=[issue.format(path) for issue in summarized(reading.issues)],
    )


def simulation_failed(error: Exception, path: Path, facts: dict | None = None) -> CommandResult:
    """Return the result of a simulation that failed, or took longer than it may.

    Args:
        error: the error.
        path: the input.
        facts: the part of the result that was computed, as plain data.
    """
    said = [f"{path}: error simulation: {error}"]
    return CommandResult(facts or {}, code=SIMULATION_FAILED, error=str(error), said=said)


def stopped(interrupt: KeyboardInterrupt) -> CommandResult:
    """Return the result of a command that Ctrl-C or SIGTERM has ended."""
    facts = interrupt.facts if isinstance(interrupt, StoppedWithFacts) else {}
    return CommandResult(facts, code=INTERRUPTED, error=STOPPED_ERROR, said=[STOPPED])


def defect(error: Exception) -> CommandResult:
    """Return the result of an unexpected error, and write its traceback to a file."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where, message = f"{Path(place.filename).name}:{place.lineno}", " ".join(str(error).split())
    details = "".join(traceback.format_exception(error))
    try:
        number, path = tempfile.mkstemp(prefix="limberjack-", suffix=".txt")
        with open(number, "w", encoding="utf-8") as file:
            file.write(f"limberjack {VERSION}, Python {sys.version}\n{details}")
        kept = f"the details are in {path}, please report them"
    except OSError:  # a full disk
        kept = f"please report it with these details:\n{details}"
    sentence = f"a defect of Limberjack, {type(error).__name__} in {where}: {message}; {kept}"
    return CommandResult(code=DEFECT, error=sentence, said=[f"limberjack: error: {sentence}"])


def findings(path: object, issues: Sequence[Issue], notes: Sequence[str]) -> dict:
    """Return all findings about a model as plain data, by the names of `Issue`. `file` is the file of the issue."""
    errors, warnings = count_issues(issues)
    described = [asdict(issue) | {"file": issue.file or str(path)} for issue in issues]
    return {"file": str(path), "errors": errors, "warnings": warnings, "issues": described, "notes": [*notes]}


def first_error(issues: Iterable[Issue]) -> str | None:
    """Return the first error in words, with the number of further ones, or None if there is none."""
    errors = [issue for issue in issues if issue.is_error]
    if not errors:
        return None
    more = f" (and {counted(errors[1:], 'more error')})" if errors[1:] else ""
    return f"{errors[0].subject}: {errors[0].message}{more}"
