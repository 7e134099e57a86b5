# SPDX-License-Identifier: GPL-3.0-or-later
"""Many overlaps are one line of a report for people, and one entry each in a report for programs."""

import json

import pytest

from limberjack.core.check.overlapping import overlapping
from limberjack.core.check.summarizing import summarized
from limberjack.core.cli import main
from limberjack.core.formats import write
from limberjack.core.geometry import Box, Shape
from limberjack.core.model import Link, Model


def row(count):
    """Cubes of 1 m side by side, each 0.1 m in the one before it."""
    box = Shape("box", Box((1.0, 1.0, 1.0)))
    poses = [(0.9 * i, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0) for i in range(count)]
    return Model("row", [Link(f"c{i}", pose=pose, collisions=[box]) for i, pose in enumerate(poses)])


@pytest.mark.parametrize(("count", "lines"), [(2, 1), (4, 3), (5, 1), (65, 1)])
def test_many_are_one(count, lines):
    """Guards the limit: up to three overlaps stand by themselves."""
    issues = list(overlapping(row(count)))
    assert len(issues) == count - 1
    assert len(summarized(issues)) == lines


def test_the_deepest_are_named():
    """Guards the sentence: how many pairs, the deepest ones by name and depth, and how many more."""
    model = row(65)
    model.links[-1].pose = (0.9 * 63 + 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    (issue,) = summarized(overlapping(model))
    assert issue.message.startswith("64 pairs of links overlap where they start: 'c63' and 'c64' by 500 mm, ")
    assert " and 61 more; " in issue.message


def test_the_command_line(tmp_path, capsys):
    """Guards `check --overlaps`: one line in the text, all pairs with --json, and a count of all in both."""
    path = tmp_path / "row.sdf"
    write(row(9), path, world=True, sdf_version="1.12")
    capsys.readouterr()
    assert main(["check", str(path), "--overlaps"]) == 0
    text = capsys.readouterr().out
    assert text.count(" overlapping: ") == 1
    assert "8 pairs of links overlap" in text
    assert "8 warnings" in text
    main(["check", str(path), "--overlaps", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [issue["code"] for issue in found["issues"]].count("overlapping") == 8
