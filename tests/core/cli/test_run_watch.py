# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress and time limit of `limberjack simulate` on a terminal, in a log and in a script."""

import contextlib
import json
import re

import numpy as np
import pytest

from limberjack.core import answer, cli
from limberjack.core.cli import run_watch
from limberjack.core.cli.progress import CLEAR_LINE
from limberjack.core.trajectory.files.reading import read_trajectory
from support.batches import PENDULUM
from support.screen import Screen


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return str(PENDULUM)


def test_a_run_that_takes_too_long_ends_with_what_is_done(model, tmp_path, capsys):
    """Guards --time-limit: exit code 3, one sentence with the frames that are done, and these in the file."""
    words = ["simulate", model, "--duration", "3e5", "--time-limit", "0.5", "-o", "out.npz", "--json"]
    assert cli.main(words) == answer.SIMULATION_FAILED
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert found["error"].startswith("took longer than --time-limit 0.5 s: ")
    kept = len(read_trajectory(tmp_path / "out.npz").times)
    assert 1 < kept < 3e5 * 24
    assert f"{kept} of 7200001 frames" in found["error"]
    assert found["error"] in told.err


def test_a_run_within_its_time_is_the_same(model, tmp_path):
    """Guards that the clock changes nothing."""
    for name, more in (("free.npz", []), ("limited.npz", ["--time-limit", "100", "--progress"])):
        assert cli.main(["simulate", model, "--duration", "1", "-o", name, *more]) == 0
    free, limited = (read_trajectory(tmp_path / name) for name in ("free.npz", "limited.npz"))
    assert np.array_equal(free.q, limited.q)


@pytest.mark.parametrize("text", ["0", "-1", "soon"])
def test_a_limit_that_is_none_is_told(model, capsys, text):
    """Guards mistyped limits."""
    assert cli.main(["simulate", model, "--duration", "1", "--time-limit", text]) == answer.UNUSABLE
    assert "--time-limit" in capsys.readouterr().err


def test_a_log_has_lines_only_if_they_are_asked_for(model, monkeypatch, capsys):
    """Guards logs against thousands of lines: one comes at each interval, with the time that is left."""
    monkeypatch.setattr(run_watch, "INTERVAL", 0.1)
    monkeypatch.setattr(run_watch, "QUIET_TIME", 0.0)
    for more, least, most in (["--progress"], 2, 20), ([], 0, 0):
        cli.main(["simulate", model, "--duration", "3e5", "--time-limit", "0.7", *more])
        said = capsys.readouterr().err.splitlines()
        lines = [line for line in said if re.fullmatch(r"\d+ of 7200001 frames, .+ left", line)]
        assert least <= len(lines) <= most


def test_a_terminal_has_one_line_that_is_cleared(model, monkeypatch):
    """Guards the line of a terminal: it is overwritten, and nothing of it stays."""
    monkeypatch.setattr(run_watch, "QUIET_TIME", 0.0)
    with contextlib.redirect_stderr(Screen()) as screen:
        cli.main(["simulate", model, "--duration", "3e5", "--time-limit", "0.7"])
    first, *shown, last = screen.getvalue().split(CLEAR_LINE)
    assert first == ""
    assert len(shown) > 3
    assert all(" of 7200001 frames" in text for text in shown)
    assert "took longer than --time-limit" in last
