# SPDX-License-Identifier: GPL-3.0-or-later
"""Only regular files are opened: a pipe may keep silent, and a device may never end."""

import os
import sys
from pathlib import Path

import pytest

from limberjack.core import cli
from limberjack.core.files.regular import NotRegularError, open_regular, read_text

TREE = Path(__file__).parents[2] / "data" / "tree.urdf"

NAMES = ("state.json", "jobs.toml", "rows.csv", "motion.csv", "motion.json", "motion.npz", "model.sdf", "model.urdf")


def special(folder, name, kind):
    """Make what is no regular file, by name. Returns its path."""
    path = folder / name
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    return path


KINDS = ["folder"] if sys.platform == "win32" else ["folder", "pipe", "device"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_file_is_refused_at_once(tmp_path, kind):
    """Guards the door itself, which neither waits for a writer nor reads on."""
    with pytest.raises(NotRegularError, match="folder" if kind == "folder" else "a pipe or a device"):
        open_regular(special(tmp_path, "x", kind))


def test_a_file_is_read(tmp_path):
    """Guards the way through the door, by links too, and what is missing."""
    (tmp_path / "x").write_bytes("grün".encode())
    (tmp_path / "y").symlink_to(tmp_path / "x")
    assert read_text(tmp_path / "y") == "grün"
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "z")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_every_input_of_the_command(tmp_path, capsys, monkeypatch, name, kind):
    """Guards each option that names an input: one line, and exit code 2."""
    monkeypatch.chdir(tmp_path)
    path = special(tmp_path, name, kind)
    if name == "rows.csv":
        (tmp_path / "jobs.toml").write_text(f'files = ["{TREE}"]\noutputs = "out/{{number}}.npz"\ntable = "rows.csv"\n')
    command = {
        "state.json": ["simulate", str(TREE), "--duration", "0.1", "--initial", name],
        "jobs.toml": ["batch", name],
        "rows.csv": ["batch", "jobs.toml"],
    }.get(name, ["check", name])
    if name.startswith("motion"):
        command = ["plot", str(TREE), "--trajectory", name, "-o", "motion.png"]
    assert cli.main(command) == cli.UNUSABLE
    (told,) = capsys.readouterr().err.splitlines()
    assert name in told
    assert ("a folder" if kind == "folder" else "a pipe or a device") in told
    assert path.is_dir() == (kind == "folder")
