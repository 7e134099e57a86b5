# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack check`: all findings about a model, one a line."""

from __future__ import annotations

import argparse

from ..answer import DONE, HAS_ERRORS
from ..check import check_motion, count_issues
from ..check.overlapping import SUNK, overlapping
from ..check.summarizing import summarized, summarized_notes
from .framework import Verb, add_file, add_settings, load
from .result import CommandResult, findings, first_error


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="what is wrong as one JSON object")
    parser.add_argument(
        "--overlaps", action="store_true", help="tell also which links that may meet overlap where they start"
    )


def _run(arguments: argparse.Namespace) -> CommandResult:
    reading = load(arguments.file, arguments.search, arguments.settings, arguments.strict, is_released=True)
    issues = reading.issues + (check_motion(reading.model) if reading.ok else [])
    if arguments.overlaps and reading.ok:
        issues += [issue for issue in overlapping(reading.model) if issue.code != SUNK]  # which `load` has found
    errors, warnings = count_issues(issues)
    lines = [
        *(issue.format(arguments.file) for issue in summarized(issues)),
        *(f"{arguments.file}: note: {note}" for note in summarized_notes(reading.notes)),
        f"{_count(errors, 'error')}, {_count(warnings, 'warning')}",
    ]
    code = HAS_ERRORS if errors else DONE
    return CommandResult(findings(arguments.file, issues, reading.notes), lines, code, first_error(issues))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CHECK = Verb("check", "find what is wrong with a model", _add_arguments, _run)
