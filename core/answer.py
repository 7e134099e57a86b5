# SPDX-License-Identifier: GPL-3.0-or-later
"""Exit codes of the command, and the JSON object that `--json` prints on stdout for each of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

DONE = 0
"""Exit code of a command without errors."""
HAS_ERRORS = 1
"""Exit code if the input can be read and has errors."""
UNUSABLE = 2
"""Exit code of wrong use, or if a file cannot be read or written."""
SIMULATION_FAILED = 3
"""Exit code if a simulation, or the task of another verb, failed."""
DEFECT = 70
"""Exit code of an unexpected error, with its number in `sysexits.h`."""
INTERRUPTED = 130
"""Exit code of a command that Ctrl-C or SIGTERM ends. Shells use this number for Ctrl-C."""

STATUS = {
    DONE: "ok",
    HAS_ERRORS: "invalid",
    UNUSABLE: "unusable",
    SIMULATION_FAILED: "failed",
    DEFECT: "defect",
    INTERRUPTED: "stopped",
}
"""A word for each exit code."""

STOPPED = "limberjack: stopped"
"""Line that a command writes to stderr if Ctrl-C or SIGTERM ends it."""
STOPPED_ERROR = "stopped by Ctrl-C or SIGTERM"
"""Value of the key `error` of such a command."""

SCHEMA_VERSION = 1
"""Version of the object's schema. It increases if a key is renamed, removed or changes its meaning, not for new keys.
"""

FLAG = "--json"
"""The option."""
SHORTEST = "--js"
"""The shortest abbreviation of the option that no other option shares."""


def is_asked_for(words: Sequence[str]) -> bool:
    """Return whether the words of a command line ask for JSON. They may be wrong in any other respect."""
    options = words[: words.index("--")] if "--" in words else words
    return any(word.startswith(SHORTEST) and FLAG.startswith(word) for word in options)


def answer(code: int, error: str | None, facts: Mapping[str, object]) -> str:
    """Return the object as one line of JSON: version, status, code and error, then the verb's facts.

    Args:
        code: one of `STATUS`.
        error: the reason why the code is not 0; None if it is 0.
        facts: plain data by name. Numbers that are not finite become "inf", "-inf" and "nan", since JSON has none.

    Raises:
        TypeError: if a fact is not plain data.
        ValueError: if a fact has one of the four names.
    """
    head = {"version": SCHEMA_VERSION, "status": STATUS[code], "code": code, "error": error}
    if taken := head.keys() & facts.keys():
        raise ValueError(f"facts named {', '.join(sorted(taken))}: the answer has keys of that name already")
    return json.dumps(head | {name: _finite(value) for name, value in facts.items()}, allow_nan=False)


def stopped() -> str:
    """Return the object for a command that Ctrl-C ends before it has any facts."""
    return answer(INTERRUPTED, STOPPED_ERROR, {})


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
