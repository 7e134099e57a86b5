"""`limberjack check`: everything that is wrong with a model, by line."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from ..check import Issue, check_motion, count_issues
from ..check.overlapping import overlapping
from ..formats import UnreadableError
from .framework import DONE, HAS_ERRORS, UNUSABLE, Verb, add_file, add_settings, load


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_file(parser)
    add_settings(parser)
    parser.add_argument("--json", action="store_true", help="what is wrong as one JSON object")
    parser.add_argument(
        "--overlaps", action="store_true", help="tell also which links that may meet overlap where they start"
    )


def _run(arguments: argparse.Namespace) -> int:
    try:
        reading = load(arguments.file, arguments.search, arguments.settings, arguments.strict)
    except UnreadableError as error:
        if not arguments.json:
            raise
        _print_json(arguments.file, [Issue("error", "unreadable", "", error.message, error.line)], [])
        return UNUSABLE
    issues = reading.issues + (check_motion(reading.model) if reading.ok else [])
    if arguments.overlaps and reading.ok:
        issues += overlapping(reading.model)
    if arguments.json:
        _print_json(arguments.file, issues, reading.notes)
        return HAS_ERRORS if count_issues(issues)[0] else DONE
    for issue in issues:
        print(issue.format(arguments.file))
    for note in reading.notes:
        print(f"{arguments.file}: note: {note}")
    errors, warnings = count_issues(issues)
    print(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return HAS_ERRORS if errors else DONE


def _print_json(path: Path, issues: list[Issue], notes: list[str]) -> None:
    """All that is found, by the names of `Issue`; `file` is the one that an issue is in."""
    errors, warnings = count_issues(issues)
    told = [asdict(issue) | {"file": issue.file or str(path)} for issue in issues]
    print(json.dumps({"file": str(path), "errors": errors, "warnings": warnings, "issues": told, "notes": notes}))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CHECK = Verb("check", "find what is wrong with a model", _add_arguments, _run)
