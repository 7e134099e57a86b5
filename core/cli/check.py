"""`limberjack check`: everything that is wrong with a model, by line."""

from __future__ import annotations

import argparse

from ..check import check_motion, count_issues
from ..check.overlapping import overlapping
from .framework import DONE, HAS_ERRORS, Verb, add_file, add_settings, load


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument(
        "--overlaps", action="store_true", help="tell also which links that may meet overlap where they start"
    )


def _run(arguments: argparse.Namespace) -> int:
    reading = load(arguments.file, arguments.search, arguments.settings)
    issues = reading.issues + (check_motion(reading.model) if reading.ok else [])
    if arguments.overlaps and reading.ok:
        issues += overlapping(reading.model)
    for issue in issues:
        print(issue.format(arguments.file))
    for note in reading.notes:
        print(f"{arguments.file}: note: {note}")
    errors, warnings = count_issues(issues)
    print(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return HAS_ERRORS if errors else DONE


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CHECK = Verb("check", "find what is wrong with a model", _add_arguments, _run)
