# SPDX-License-Identifier: GPL-3.0-or-later
"""The first of the files that `make fuzz` makes."""

import json
import random

import pytest

from limberjack.core import formats
from limberjack.core.formats import UnreadableError, read
from support import fuzz
from support.cases import some

FIRST, MORE = range(300), range(300, 1500)


@pytest.fixture
def folder(tmp_path):
    fuzz.lay_out(tmp_path)
    return tmp_path


@pytest.mark.parametrize("seeds", some([FIRST, MORE], [FIRST]), ids=["first", "more"])
@pytest.mark.parametrize("kind", fuzz.FORMATS_FUZZED)
def test_strange_files(kind, seeds, folder):
    """Each is read, reported or refused, in time and in single lines, and what was read can be told and written."""
    for seed in seeds:
        try:
            fuzz.check(fuzz.make(kind, seed), kind, folder)
        except Exception as error:
            error.add_note(f"make -s fuzz finds it too: support.fuzz.make({kind!r}, {seed})")
            raise


@pytest.mark.parametrize("kind", fuzz.FORMATS_FUZZED)
def test_strange_files_are_of_all_kinds(kind, folder):
    """Guards the generator: many files are usable, many have errors, some are no XML; and it makes the same again."""
    found = {"ok": 0, "errors": 0, "unreadable": 0}
    codes = set()
    for seed in range(400):
        path = folder / f"in.{kind}"
        path.write_bytes(fuzz.make(kind, seed))
        try:
            reading = read(path)
        except UnreadableError:
            found["unreadable"] += 1
        else:
            found["ok" if reading.ok else "errors"] += 1
            codes |= {issue.code for issue in reading.issues}
    assert min(found.values()) >= 20, json.dumps(found)
    assert len(codes) >= 20
    random.seed(1)  # nothing else's dice
    assert fuzz.make(kind, 7) == fuzz.make(kind, 7)


@pytest.mark.parametrize("wrong", ["raises", "lines", "loses"])
def test_failures_are_seen(wrong, folder, monkeypatch):
    """Guards the fuzzer itself: a reader that raises, tells two lines, or a writer that loses a link, fails."""
    good = fuzz.DATA / "frames_1_9.sdf"
    fuzz.check(good.read_bytes(), "sdf", folder)

    def broken_read(path):
        reading = formats.read(path)
        if wrong == "raises":
            raise KeyError("x")
        if wrong == "lines":
            reading.notes.append("a\nb")
        elif path.name.startswith("out"):
            reading.model.links.pop()
        return reading

    monkeypatch.setattr(fuzz, "read", broken_read)
    with pytest.raises((AssertionError, KeyError)):
        fuzz.check(good.read_bytes(), "sdf", folder)
