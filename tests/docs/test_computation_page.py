# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on computation names arrays and files that exist."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "computation.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\|.*\| (.*) \| `(core/[\w/]+\.py)` \|$", PAGE, re.MULTILINE)
FIELDS = [(*field, file) for arrays, file in ROWS for field in re.findall(r"`(\w+)\.(\w+)`", arrays)]


@pytest.mark.parametrize(("owner", "field", "file"), FIELDS, ids=lambda value: value)
def test_a_field_is_there(owner, field, file):
    """Guards the tables: whoever renames a field of a record, or moves it, is sent to the page."""
    record = getattr(importlib.import_module("limberjack." + file.removesuffix(".py").replace("/", ".")), owner)
    fields = getattr(record, "names", None) or record._fields
    assert field in fields


def test_there_are_fields():
    """Guards the reading of the tables above."""
    assert len(FIELDS) > 30


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]+\.py)`", PAGE))))
def test_a_file_is_there(name):
    """Guards files that are named with or without their folder."""
    assert (ROOT / name).is_file() if "/" in name else any((ROOT / "core").rglob(name))
