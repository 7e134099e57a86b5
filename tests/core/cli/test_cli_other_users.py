# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of a user who is not root: beside root's files, with a home that is read-only, and on a full disk.

Each command works, or says one sentence and leaves no file behind. `limberjack worker` runs all of them in one process.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.other_users import STRANGER, needs_root, needs_setpriv, public_folder, run_as_stranger

SAMPLES = Path(__file__).parents[3] / "sample_scenes"

pytestmark = [needs_root, needs_setpriv]

JOBS = """
files = ["crane.sdf"]
outputs = "out/{number}.npz"
[simulate]
duration = 0.1
[grid]
"curl.damping" = [1.0, 2.0]
"""

CORE = (
    ("check", "crane.sdf"),
    ("simulate", "crane.sdf", "--duration", "0.1", "-o", "motion.npz"),
    ("simulate", "crane.sdf", "--duration", "0.1", "-o", "motion.csv"),
)
"""Commands that start no other process and no Blender, which take a second in all."""

WHOLE = (
    *CORE,
    ("bake", "crane.blend", "-o", "baked.blend", "-o", "baked.npz", "--frames", "1", "4"),
    ("record", "keyed.blend", "-o", "curves.csv"),
    ("batch", "jobs.toml"),
)

FILES = {"motion.npz", "motion.csv", "baked.blend", "baked.npz", "curves.csv", "jobs.manifest.jsonl"}
"""What these commands write beside their inputs."""

needs_blender = pytest.mark.skipif(importlib.util.find_spec("bpy") is None, reason="bpy is not installed")

COMMANDS = [
    pytest.param(CORE, id="core"),
    pytest.param(WHOLE, id="whole", marks=[pytest.mark.slow, needs_blender]),
]


@pytest.fixture
def place():
    """A folder that the other user can reach, with root's inputs in `work` and a `home`; both belong to root."""
    with public_folder() as folder:
        for name in ("home", "work"):
            (folder / name).mkdir(mode=0o755)
        for name in ("crane.sdf", "crane.blend"):
            shutil.copy(SAMPLES / name, folder / "work")
        shutil.copy(SAMPLES / "crane.blend", folder / "work" / "keyed.blend")
        (folder / "work" / "jobs.toml").write_text(JOBS)
        yield folder


def orders(commands, folder: Path) -> str:
    return "".join(json.dumps({"folder": str(folder), "command": command}) + "\n" for command in commands)


def run(commands, place: Path, before: tuple[str, ...] = ()) -> list[dict]:
    """Return the worker's answer to each command, as the other user. `before`: a command that starts the worker."""
    worker = [sys.executable, "-m", "limberjack", "worker"]
    work = place / "work"
    done = run_as_stranger(worker, work, place / "home", before=before, given=orders(commands, work))
    assert done.returncode == 0, done.stderr
    _hello, *answers = map(json.loads, done.stdout.splitlines())
    assert len(answers) == len(commands), done.stderr
    return answers


def content(folder: Path) -> dict[str, str]:
    """Return a digest of each file below a folder, and an empty text for each folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        for path in folder.rglob("*")
    }


def assert_one_sentence(command, answer, *words: str) -> None:
    """Only a check succeeds, since it writes nothing."""
    if command[0] == "check":
        assert (answer["code"], answer["err"]) == (0, "")
        return
    lines = answer["err"].splitlines()
    # A batch that the disk stops in the middle reports the job first, and how many jobs are left last.
    assert answer["code"] == 2 or (command[0], answer["code"]) == ("batch", 3), (command, answer)
    assert len(lines) == 1 or answer["code"] == 3, (command, answer)
    assert any(word in answer["err"] for word in words), answer
    assert ".lj-" not in answer["err"], "the name of a temporary file is told"


@pytest.mark.parametrize("commands", COMMANDS)
def test_a_home_that_is_read_only(place, commands):
    """Guards service accounts: without a place for caches and settings, all commands work and say nothing of it."""
    os.chown(place / "work", STRANGER, -1)
    for command, answer in zip(commands, run(commands, place), strict=True):
        assert answer["code"] == 0, (command, answer)
        assert answer["err"] == "" or command[0] == "batch", (command, answer)  # which tells there what it has done
    expected = {name for name in FILES if commands is WHOLE or name.startswith("motion")}
    assert expected <= {path.name for path in (place / "work").iterdir()}
    assert not [name for name in content(place) if ".lj-" in name or name.startswith("home/")]


@pytest.mark.parametrize("commands", COMMANDS)
def test_a_folder_of_another_user(place, commands):
    """Guards folders that may only be read: every command says so in one line, and leaves nothing there."""
    before = content(place)
    for command, answer in zip(commands, run(commands, place), strict=True):
        assert_one_sentence(command, answer, "may not be written to", "permission denied")
    assert content(place) == before


@pytest.mark.parametrize("commands", COMMANDS)
def test_results_of_another_user(place, commands):
    """Guards folders such as /tmp, where both users may write: neither replaces the other's files."""
    work = place / "work"
    work.chmod(0o1777)
    for name in FILES:
        (work / name).write_text("root's")
    (work / "jobs.records").mkdir()
    before = content(place)
    for command, answer in zip(commands, run(commands, place), strict=True):
        assert_one_sentence(command, answer, "belongs to another user", "permission denied")
    assert content(place) == before


FULL = """
work=$1; shift
mkdir "$work.kept"; cp "$work"/* "$work.kept"
mount -t tmpfs -o size=1m,mode=1777 tmpfs "$work"
cp "$work.kept"/* "$work"
cat /dev/zero > "$work/filler" 2>/dev/null || true
truncate -s -$ROOM "$work/filler"
list() { (cd "$work"; find . -type f ! -path './jobs.records/crane_000?.json' -exec sha256sum {} + | sort -k 2); }
before=$(list)
"$@"
diff <(echo "$before") <(list) >&2
"""
"""Runs a command while a folder lies on a disk with ROOM bytes left, and shows files that were changed meanwhile.

Records of failed jobs may be written: they are small, and a batch keeps as many as it can.
The disk is seen by this command alone, and is gone when it ends.
"""


@pytest.mark.parametrize("commands", COMMANDS)
@pytest.mark.parametrize("room", [0, 4096])
def test_a_full_disk(place, commands, room):
    """Guards files that are half-written: what finds no room, at once or in the middle, is told and removed."""
    mount = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", place / "home"]
    if not shutil.which("unshare") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a process of root's can mount no disk here")
    script = FULL.replace("$ROOM", str(room))
    before = ("unshare", "-m", "--propagation", "private", "bash", "-uc", script, "full", str(place / "work"))
    for command, answer in zip(commands, run(commands, place, before), strict=True):
        assert_one_sentence(command, answer, "no space left on device", "the disk took only a part of it")
