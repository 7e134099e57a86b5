# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads JSON that an earlier session has stored in a scene. The file may be a stranger's, and hold anything."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

MOST = 1 << 22
"""Characters up to which a text is read; what this add-on stores on one object has much fewer."""

KINDS = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}


def parse_stored(text: object) -> dict[str, Any]:
    """Return the object that a text holds; an empty one if it holds none."""
    if not isinstance(text, str) or len(text) > MOST:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or lists inside each other without end
        return {}
    return found if isinstance(found, dict) else {}


def known_fields(found: Mapping[str, Any], kinds: Mapping[str, type]) -> dict[str, Any]:
    """Return the fields with names and types that are known. A whole number is also a float; numbers are finite."""
    return {name: found[name] for name, kind in kinds.items() if name in found and is_a(found[name], kind)}


def is_a(value: object, kind: type) -> bool:
    """Return whether a value that was read has a type: float, int, str or bool."""
    if not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind is not bool):
        return False
    return is_finite(value) if isinstance(value, int | float) else True


def is_finite(value: float) -> bool:
    """Return whether a number is finite, also as a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number of more digits than floats have
        return False


def are_numbers(value: object, count: int) -> bool:
    """Return whether a value is a list of so many finite numbers."""
    return isinstance(value, Sequence) and len(value) == count and all(is_a(each, float) for each in value)
