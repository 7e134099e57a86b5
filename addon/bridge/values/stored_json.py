# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse JSON that an earlier session has stored in a scene. The file may come from others and contain anything."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST_TEXT = 1 << 22
"""Largest length of a text that is parsed [characters]. This add-on stores far less on one object."""

KINDS = {float: (int, float), int: (int,), str: (str,), bool: (bool,)}


def parse_stored(text: object) -> dict[str, Any]:
    """Return the JSON object in a text; an empty one if there is none."""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or nested too deeply
        return {}
    return found if isinstance(found, dict) else {}


def known_fields(found: Mapping[str, Any], kinds: Mapping[str, type]) -> dict[str, Any]:
    """Return the fields with known names and types. A whole number counts as a float, too; numbers must be finite."""
    return {name: found[name] for name, kind in kinds.items() if name in found and is_a(found[name], kind)}


def is_a(value: object, kind: type) -> bool:
    """Return whether a parsed value has a type: float, int, str or bool."""
    if not isinstance(value, KINDS[kind]) or (isinstance(value, bool) and kind is not bool):
        return False
    return is_finite(value) if isinstance(value, int | float) else True


def is_finite(value: float) -> bool:
    """Return whether a number is finite after conversion to a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def are_numbers(value: object, count: int) -> bool:
    """Return whether a value is a list of `count` finite numbers."""
    return isinstance(value, Sequence) and len(value) == count and all(is_a(each, float) for each in value)
