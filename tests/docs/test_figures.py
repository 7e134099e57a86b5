# SPDX-License-Identifier: GPL-3.0-or-later
"""README's table of figures and the script that measures it again."""

import dataclasses
import re
import sys

import pytest

from support.benchmarks import load
from support.pages import ROOT, text_of

rows = load("readme_rows")
script = load("readme")

CLAIMS = rows.claims_of(text_of(ROOT / "README.md"))
RATIO = rows.ratio("ratio")


def test_every_row_of_readme_is_measured():
    """Guards the table against rows that nobody measures: each has its entry, its command and its numbers."""
    pairs = rows.pairs_of(CLAIMS)
    assert [claim for _, claim, _ in pairs] == CLAIMS
    assert len(pairs) == len(rows.ROWS) > 5
    assert all(numbers for _, _, numbers in pairs)


@pytest.mark.parametrize("row", rows.ROWS, ids=lambda row: row.words)
def test_what_readme_no_longer_says_is_named(row):
    """Guards against an entry that measures nothing: a lost row, another command, or a cell without its numbers."""
    (claim,) = (claim for claim in CLAIMS if row.words in claim.label)
    changes = (
        ({"label": "-"}, "0 rows"),
        ({"command": ".venv/bin/python benchmarks/other.py"}, "its command"),
        ({"value": "fast"}, "numbers are expected"),
        ({"value": f"{claim.value}; 5 parsecs"}, "has no unit"),
    )
    for change, reason in changes:
        changed = dataclasses.replace(claim, **change)
        claims = [changed if one == claim else one for one in CLAIMS]
        with pytest.raises(rows.OutOfStepError, match=f"{re.escape(row.words)}.*{reason}"):
            rows.pairs_of(claims)


def test_a_new_row_is_named():
    """Guards against a row that is added to README only."""
    new = rows.Claim("time to make coffee", "240 s", "make coffee")
    with pytest.raises(rows.OutOfStepError, match=r"^'time to make coffee': "):
        rows.pairs_of([*CLAIMS, new])


def test_numbers_are_read_with_their_units():
    """Guards the reading of cells: ranges, exponents, units, and versions in parentheses, which are no figures."""
    cell = "0.31 to 0.38; draft 2e-5, 8 µm, theirs 9 cm; 28 per second; 0.06 s (Blender 4.5)"
    numbers = rows.numbers_in(cell)
    assert [number.value for number in numbers] == pytest.approx([0.31, 0.38, 2e-5, 8e-6, 0.09, 28.0, 0.06])
    assert [number.text for number in numbers] == ["0.31", "0.38", "2e-5", "8 µm", "9 cm", "28", "0.06 s"]


@pytest.mark.parametrize(
    ("measured", "taken", "word", "code"),
    [
        ([0.5], 1, "ok", 0),
        ([1.2], 1, "ok", 0),
        ([1.6, 1.1], 2, "ok", 0),
        ([1.3, 1.6, 1.3], 3, "worse", 0),
        ([1.6, 1.6, 1.6], 3, "WORSE", 1),
        ([float("nan")] * 3, 3, "WORSE", 1),
    ],
    ids=["better", "20 % worse", "60 % worse once", "30 % worse", "60 % worse", "no number"],
)
def test_a_ratio_fails_if_it_is_worse_three_times(measured, taken, word, code, monkeypatch, capsys):
    """Guards the verdict: named beyond 25 %, failed beyond 50 % in three measurements, which end with a good one."""
    left = list(measured)
    row = rows.Row("a row", "make benchmark", 1.0, (RATIO, rows.Quantity("seconds")))
    monkeypatch.setattr(script, "measure", lambda *_: [2.0 * left.pop(0), 1e9])
    numbers = rows.numbers_in("2.0, theirs 3 s")
    assert script.report((row, rows.Claim("a row", "", "make benchmark"), numbers)) == code
    assert len(measured) - len(left) == taken
    told = capsys.readouterr().out
    assert told.splitlines()[1].endswith(f"  {word}")
    assert "seconds" in told


def test_times_never_fail():
    """Guards CI against the speed of its machine: only ratios have a verdict."""
    (number,) = rows.numbers_in("1.5 s")
    assert script.verdict(rows.Quantity("seconds"), number, [100.0]) == ""


def test_figures_are_found_in_the_output_of_commands(monkeypatch):
    """Guards the keys: nested ones, the least and the largest of a pattern, and other units; a lost key is named."""
    found = {"a": {"x": 0.5, "y": 2.0}, "ms": 30.0, "word": "text", "null": None}
    row = rows.Row(
        "",
        "",
        1.0,
        (rows.ratio("one.a.*", min), rows.ratio("two.a.*"), rows.Quantity("one.ms", scale=1e-3), rows.Quantity("")),
        {"one.": "--json", "two.": "--other --json"},
    )
    monkeypatch.setattr(script, "_run", lambda arguments: (found, []))
    assert script.measure(row, "make benchmark") == [0.5, 2.0, 0.03, None]
    lost = rows.Row("", "", 1.0, (rows.Quantity("lost"),))
    with pytest.raises(script.CommandError, match="lost"):
        script.measure(lost, "make benchmark")
    monkeypatch.setattr(script, "_run", lambda arguments: (found, ["benchmark: wall: there is no judge"]))
    with pytest.raises(script.NotMeasuredError, match="no judge"):
        script.measure(lost, "make benchmark")


def test_a_failed_command_is_an_error():
    """Guards against a row that is silently not measured: an exit code other than 0, and output without JSON."""
    for code in ("print('{}'); raise SystemExit('no engine')", "print('no JSON')", ""):
        with pytest.raises(script.CommandError):
            script._run([sys.executable, "-c", code])


def test_the_budget_is_kept_and_ratios_come_first():
    """Guards CI's share of time: rows fit into the budget, and what cannot fail gives way."""
    claim = rows.Claim("", "", "")
    kinds = (("time", 1.0, rows.Quantity("s")), ("slow", 70.0, RATIO), ("quick", 30.0, RATIO), ("slowest", 80.0, RATIO))
    pairs = [(rows.Row(words, "", seconds, (quantity,)), claim, []) for words, seconds, quantity in kinds]
    assert [row.words for row, *_ in script.within(100.5, pairs)] == ["slow", "quick"]
    assert [row.words for row, *_ in script.within(80.0, pairs)] == ["time", "quick"]
    assert script.within(float("inf"), pairs) == pairs
