# SPDX-License-Identifier: GPL-3.0-or-later
"""The batches' page on several machines: its lines of Dask, all on this one."""

import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from limberjack.core.cli import DONE
from limberjack.core.formats import write
from support.pages import ROOT, commands_of
from support.reader import JOBS, arm

pytestmark = pytest.mark.slow

DASK = Path(sys.executable).with_name("dask")
LONGEST = 240.0
FREE = ("--port", "0", "--dashboard-address", ":0")
"""Whatever port is free, as other tests run beside this one."""


def lines_of_dask(folder):
    """A scheduler, a worker and a batch, as the page has them; shared is a folder here, and sixteen workers are two."""
    lines = [line for line in commands_of(ROOT / "docs" / "batches.md") if "/shared/scheduler.json" in line]
    changed = [line.replace("/shared/", f"{folder}/").replace("--nworkers 16", "--nworkers 2") for line in lines]
    return [shlex.split(line) for line in changed]


@pytest.fixture
def started():
    running = []
    yield running
    for process in reversed(running):
        process.terminate()
        process.wait(30)


def test_a_cluster_by_hand(tmp_path, started):
    """Guards the page's three lines for any machines: what they start finds each other, and the batch is done."""
    scheduler, worker, batch = lines_of_dask(tmp_path)
    write(arm(), tmp_path / "arm.sdf")
    (tmp_path / "JOBS.toml").write_text(JOBS)
    started.append(subprocess.Popen([DASK, *scheduler[1:], *FREE], cwd=tmp_path, stderr=subprocess.DEVNULL))
    deadline = time.monotonic() + LONGEST
    while not (tmp_path / "scheduler.json").exists():
        assert time.monotonic() < deadline, "the scheduler has written no file"
        time.sleep(0.1)
    command = [DASK, *worker[1:], "--dashboard-address", ":0"]
    started.append(subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL))
    done = subprocess.run([sys.executable, "-m", *batch], cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == DONE, done.stderr
    assert len(list((tmp_path / "out").glob("*.npz"))) == 2


def test_a_task_of_a_farm(tmp_path):
    """Guards the array of tasks: what each is to run does its part, and the line after them finds all of it done."""
    array = next(line for line in commands_of(ROOT / "docs" / "batches.md") if line.startswith("sbatch"))
    wrapped = shlex.split(array)[-1]
    write(arm(), tmp_path / "arm.sdf")
    (tmp_path / "JOBS.toml").write_text(JOBS)
    for task in ("1", "2"):
        words = shlex.split(wrapped.replace("$SLURM_ARRAY_TASK_ID/100", f"{task}/2"))
        done = subprocess.run([sys.executable, "-m", *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == DONE, done.stderr
        assert len(list((tmp_path / "out").glob("*.npz"))) == int(task)
