# SPDX-License-Identifier: GPL-3.0-or-later
"""The line of progress on a terminal, and the commands that show it."""

import contextlib
import re

import pytest

from limberjack.core import cli
from limberjack.core.cli.progress import CLEAR_LINE, ProgressLine, progress_text
from limberjack.core.geometry import pieces
from support.screen import Screen

U_SHAPE = """v 0 0 0\nv 3 0 0\nv 3 0 2\nv 2 0 2\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2
v 0 1 0\nv 3 1 0\nv 3 1 2\nv 2 1 2\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2
f 1 2 3 4 5 6 7 8\nf 16 15 14 13 12 11 10 9\nf 9 10 2 1\nf 10 11 3 2\nf 11 12 4 3\nf 12 13 5 4\nf 13 14 6 5
f 14 15 7 6\nf 15 16 8 7\nf 16 9 1 8
"""

COLLISION = '<collision name="{}"><geometry><mesh><uri>u.obj</uri></mesh></geometry></collision>'

SDF = f"""<sdf version="1.9"><model name="cup"><link name="cup"><inertial><mass>1</mass><inertia><ixx>0.004</ixx>
<iyy>0.004</iyy><izz>0.004</izz></inertia></inertial>{COLLISION.format("a")}{COLLISION.format("b")}</link></model></sdf>
"""


def test_a_line_is_overwritten_and_cleared(monkeypatch):
    """Guards the terminal: each new text takes the place of the last one, and nothing is left at the end."""
    monkeypatch.setenv("COLUMNS", "21")
    with contextlib.redirect_stderr(Screen()) as screen, ProgressLine() as line:
        for text in ("one", "one", "two", "a text that is longer than the terminal is wide"):
            line.show(text)
    assert screen.getvalue().split(CLEAR_LINE) == ["", "one", "two", "a text that is longe", ""]


def test_nothing_is_shown_without_a_terminal(capsys):
    """Guards logs: no line of progress, and no codes."""
    with ProgressLine() as line:
        line.show("one")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("done", "seconds", "text"),
    [
        (0, 3.0, "0 of 100 jobs"),
        (25, 3.0, "25 of 100 jobs, 9 s left"),
        (1, 3.0, "1 of 100 jobs, 5 min left"),
        (1, 100.0, "1 of 100 jobs, 2.8 h left"),
        (100, 3.0, "100 of 100 jobs, 0 s left"),
    ],
)
def test_the_time_left_follows_from_the_time_so_far(done, seconds, text):
    """Guards the words and units, by numbers that can be worked out in the head."""
    assert progress_text(done, 100, "jobs", seconds) == text


@pytest.fixture
def cup(tmp_path):
    """A link with two concave meshes."""
    (tmp_path / "u.obj").write_text(U_SHAPE)
    (tmp_path / "cup.sdf").write_text(SDF)
    return tmp_path / "cup.sdf"


@pytest.mark.skipif(not pieces.is_available(), reason="needs CoACD: pip install limberjack[pieces]")
def test_a_division_shows_its_progress(cup):
    """Guards convex pieces, which take up to minutes: the mesh that is divided and the seconds are seen."""
    with contextlib.redirect_stderr(Screen()) as screen:
        assert cli.main(["check", str(cup), "--set", "cup.collisions=pieces"]) == cli.DONE
    announced, *shown = screen.getvalue().split(CLEAR_LINE)
    assert announced.startswith("cup.collisions=pieces: divides meshes")
    assert shown
    assert all(
        re.fullmatch(r"Dividing 'cup' into convex pieces, mesh [12] of 2: \d+ s", text) for text in shown if text
    )
    assert {text.split(":")[0][-6:] for text in shown if text} == {"1 of 2", "2 of 2"}


@pytest.mark.skipif(not pieces.is_available(), reason="needs CoACD: pip install limberjack[pieces]")
def test_a_division_is_quiet_without_a_terminal(cup, capsys):
    """Guards logs of batches and farms: they have the announcement only."""
    assert cli.main(["check", str(cup), "--set", "cup.collisions=pieces"]) == cli.DONE
    told = capsys.readouterr().err
    assert "divides meshes" in told
    assert "Dividing" not in told
