# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command that the pages tell a reader to type, typed in a folder such as the reader's."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from limberjack.core.batch.worker import Worker
from limberjack.core.cli import DONE
from support.pages import PAGES, ROOT, commands_of
from support.reader import prepare

pytestmark = pytest.mark.slow

LONGEST = 600.0
OURS = "limberjack"
OF_ITS_OWN = ("batch", "demo")
"""Verbs that a worker, which does one command after the other, has not or that start workers themselves."""

ELSEWHERE = {
    "uv": "tests/docs/test_setup_lines.py",
    "blender": "tests/gui/test_pages.py",
    "dask": "tests/docs/test_dask_lines.py",
}
"""Where what cannot be run here is run."""

INSIDE_BLENDER = """
import sys, bpy, limberjack
from limberjack.addon.cli import main_inside_blender
limberjack.register()
if sys.argv[1]:
    bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
code = main_inside_blender(sys.argv[2:])
limberjack.unregister()
sys.exit(code)
"""


@pytest.fixture(scope="session")
def at_hand(tmp_path_factory):
    """A folder with all that the pages speak of."""
    folder = tmp_path_factory.mktemp("reader")
    prepare(folder)
    return folder


@pytest.fixture
def folder(at_hand, tmp_path):
    shutil.copytree(at_hand, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="module")
def worker():
    made = Worker()
    yield made
    made.close()


def first_word(command):
    return Path(re.split(r"[\s\\/]", command.replace(".venv\\Scripts\\", "").replace(".venv/bin/", ""))[0]).name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_commands_do_what_it_says(page, folder, worker):
    """Guards what readers copy: each command of ours on a page ends well, one after the other, with what is at hand."""
    for command in commands_of(page):
        words = shlex.split(command.replace("~/", f"{folder}/"))
        if words[0] != OURS or "--scheduler" in words:
            continue
        if words[1] in OF_ITS_OWN:
            done = subprocess.run([sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True)
            code, told = done.returncode, done.stderr
        else:
            answer = worker.ask(folder, words[1:], LONGEST)
            code, told = answer.code, answer.err
        assert code == DONE, f"{command}\n{told}"


def test_commands_inside_blender(folder):
    """Guards the same verbs as Blender's own command line calls them, with the scene that is open."""
    lines = {line for page in PAGES for line in commands_of(page) if line.startswith("blender -b")}
    assert len(lines) > 2
    for line in sorted(lines):
        opened, _, verb = line.removeprefix("blender -b").partition("--command limberjack ")
        scene = str(folder / opened.strip()) if opened.strip() else ""
        command = [sys.executable, "-c", INSIDE_BLENDER, scene, *shlex.split(verb)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        assert done.returncode == DONE, f"{line}\n{done.stderr}"


def test_targets_of_make_are_there():
    """Guards every `make WORD` of the pages: the Makefile has it, and make knows how to come to it."""
    lines = [line for page in PAGES for line in commands_of(page) if first_word(line) == "make"]
    assert "make demo" in lines
    assert "make test" in lines
    for line in sorted(set(lines)):
        done = subprocess.run([*shlex.split(line), "--dry-run"], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def test_options_of_benchmarks_are_there():
    """Guards the lines that measure: the script is there and has the options; what it measures takes too long here."""
    lines = [line for page in PAGES for line in commands_of(page) if "benchmarks/" in line]
    for script in sorted({shlex.split(line)[1] for line in lines}):
        asked = {word for line in lines if script in line for word in shlex.split(line) if word.startswith("--")}
        done = subprocess.run([sys.executable, ROOT / script, "--help"], capture_output=True, text=True)
        assert done.returncode == 0, f"{script}\n{done.stderr}"
        assert all(option in done.stdout for option in asked), script


def test_no_command_is_passed_over():
    """Guards these tests against new commands on the pages: each is of a kind that is run, here or where it is said."""
    known = {OURS, "make", "python", "sbatch", "pip", *ELSEWHERE}
    words = {first_word(line) for page in PAGES for line in commands_of(page)}
    assert {word for word in words if re.fullmatch(r"[a-z]+", word)} <= known
