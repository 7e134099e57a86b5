# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack plot`: what it draws, and its exit codes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from limberjack.core import cli
from limberjack.core.trajectory.files.reading import read_trajectory

PENDULUM = Path(__file__).parents[3] / "sample_scenes" / "double_pendulum.sdf"
FOUR_BAR = Path(__file__).parents[2] / "data" / "four_bar.sdf"
PNG = b"\x89PNG\r\n\x1a\n"


def test_a_simulation_is_drawn(tmp_path, capsys):
    """Guards the plain use: a figure, whole, and a line that says what is in it."""
    out = tmp_path / "four.png"
    assert cli.main(["plot", str(FOUR_BAR), "--duration", "0.5", "-o", str(out)]) == cli.DONE
    assert out.read_bytes().startswith(PNG)
    told = capsys.readouterr().out
    assert told == f"{out}: Joint values [°], Joint velocities [°/s], Energy [J], Loop error [m, rad]\n"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_a_motion_from_a_file_is_drawn(tmp_path, suffix):
    """Guards --trajectory: the same figure as of the simulation that it came from."""
    motion, one, other = tmp_path / f"m{suffix}", tmp_path / "one.svg", tmp_path / "other.svg"
    assert cli.main(["simulate", str(FOUR_BAR), "--duration", "0.5", "-o", str(motion)]) == cli.DONE
    assert read_trajectory(motion).loop_error.max() > 0.0
    assert cli.main(["plot", str(FOUR_BAR), "--trajectory", str(motion), "-o", str(one)]) == cli.DONE
    assert cli.main(["plot", str(FOUR_BAR), "--duration", "0.5", "-o", str(other)]) == cli.DONE
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".json"])
def test_a_motion_alone_is_drawn(tmp_path, capsys, suffix):
    """Guards a motion without its model: all that it has is drawn in the same units, and a note says what is not."""
    motion, out = tmp_path / f"m{suffix}", tmp_path / "a.svg"
    assert cli.main(["simulate", str(PENDULUM), "--duration", "0.5", "-o", str(motion)]) == cli.DONE
    capsys.readouterr()
    assert cli.main(["plot", str(motion), "-o", str(out), "--joints", "elbow"]) == cli.DONE
    told = capsys.readouterr()
    assert told.out.startswith(f"{out}: Joint values [°], Joint velocities [°/s]")
    assert "limits are not drawn" in told.err
    assert cli.main(["plot", str(motion), "-o", str(out), "--joints", "knee"]) == cli.UNUSABLE
    assert "no joint 'knee' moves; there are: elbow, shoulder" in capsys.readouterr().err


def test_what_is_asked_for_is_shown(tmp_path, capsys):
    """Guards --show and --joints."""
    argv = ["plot", str(PENDULUM), "--duration", "0.5", "-o", str(tmp_path / "a.svg")]
    assert cli.main([*argv, "--show", "velocities", "--joints", "elbow"]) == cli.DONE
    assert capsys.readouterr().out.endswith("a.svg: Joint velocities [°/s]\n")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--duration", "1", "--joints", "knee"], "no joint 'knee' moves; there are: elbow, shoulder"),
        (["--duration", "1", "--show", "loop-error"], "--show loop-error: the motion has nothing of it"),
        (["--duration", "1", "--trajectory", "m.npz"], "give one of them"),
        ([], "give --duration"),
        (["--trajectory", "nowhere.txt"], "read from .npz or .csv or .json"),
        (["--duration", "1", "-o", "a.pdf"], "must end in .png or .svg"),
    ],
)
def test_wrong_use_is_one_line(tmp_path, capsys, monkeypatch, more, words):
    """Guards exit code 2 and a reason, with nothing written."""
    monkeypatch.chdir(tmp_path)
    Path("raised.json").write_text('{"q": {"shoulder": 1.0}}')
    assert cli.main(["plot", str(PENDULUM), "-o", "a.png", "--initial", "raised.json", *more]) == cli.UNUSABLE
    told = capsys.readouterr().err
    assert words in told
    assert len(told.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["raised.json"]


def test_without_matplotlib_it_says_what_to_install(tmp_path):
    """Guards installations without the extra: one line, exit code 2, and all other verbs work."""
    (tmp_path / "blocked.py").write_text(
        "import sys\n"
        "sys.modules['matplotlib'] = None\n"
        "from limberjack.core.cli import main\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    argv = [sys.executable, str(tmp_path / "blocked.py")]
    command = [*argv, "plot", str(PENDULUM), "--duration", "1", "-o", str(tmp_path / "a.png")]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == cli.UNUSABLE
    assert (
        done.stderr == "limberjack: error: figures are drawn by matplotlib: install it with `pip install matplotlib`\n"
    )
    assert subprocess.run([*argv, "info", str(PENDULUM)], capture_output=True).returncode == cli.DONE
