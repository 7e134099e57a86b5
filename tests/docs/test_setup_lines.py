# SPDX-License-Identifier: GPL-3.0-or-later
"""The README's way without make: its lines, typed in a copy of the project."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from support.pages import ROOT, commands_of

pytestmark = pytest.mark.slow

INSTALLED = ROOT / ".venv-uv" / "bin" / "uv"
UV = shutil.which("uv") or (str(INSTALLED) if INSTALLED.exists() else "")


def copy_of_project(folder: Path) -> Path:
    """What git keeps, and what it would add."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.mark.skipif(not UV, reason="uv is not here: `make setup` brings it where it is missing")
@pytest.mark.skipif(os.name == "nt", reason="this is how the lines of Windows are tried elsewhere")
def test_the_lines_without_make(tmp_path):
    """Guards a first run on Windows as far as Linux can: the same lines, with this system's name for the program."""
    lines = [line for line in commands_of(ROOT / "README.md") if line.startswith(("uv ", ".venv\\"))]
    assert [line.split()[0] for line in lines] == ["uv", "uv", "uv", ".venv\\Scripts\\limberjack"]
    folder = copy_of_project(tmp_path)
    for line in lines[:3]:
        command = [UV, *shlex.split(line)[1:]]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
    program = folder / ".venv" / "bin" / "limberjack"
    done = subprocess.run(
        [program, "info", "sample_scenes/crane.blend"], cwd=folder, capture_output=True, text=True
    )  # `demo` itself, which compiles, is a part of .ci/run
    assert done.returncode == 0, done.stderr
    assert "hook" in done.stdout
