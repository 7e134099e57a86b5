"""`limberjack check`: everything that is wrong with a model, by line."""

from __future__ import annotations

import argparse

from ..check import count_issues
from ..model import Model, ModelError, compile_model
from .framework import DONE, HAS_ERRORS, Verb, add_file, load


def _run(arguments: argparse.Namespace) -> int:
    reading = load(arguments.file)
    for issue in reading.issues:
        print(issue.format(arguments.file))
    errors, warnings = count_issues(reading.issues)
    if not errors and (reason := _cannot_move(reading.model)):
        print(f"{arguments.file}: note: cannot be simulated as it is: {reason}")
    print(f"{_count(errors, 'error')}, {_count(warnings, 'warning')}")
    return HAS_ERRORS if errors else DONE


def _cannot_move(model: Model) -> str:
    """Why the model cannot be simulated though nothing is wrong with it; empty if it can."""
    try:
        compile_model(model).require_simulable()
    except ModelError as error:
        return str(error)
    return ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CHECK = Verb("check", "find what is wrong with a model", add_file, _run)
