# SPDX-License-Identifier: GPL-3.0-or-later
"""A worker process: what it answers, and what is told of it where it dies."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from limberjack.core.batch.worker import TookTooLongError, Worker, WorkerDiedError
from support.batches import PATIENCE, PENDULUM, is_alive, wait_for

COMMAND = ("info", "arm.sdf", "--json")
JUNK = [
    b"",
    b"not json",
    b"\xff\xfe\x00\x80",
    b"[1, 2]",
    b"null",
    b"{}",
    b"[" * 100_000,
    b'{"folder": "."}',
    b'{"command": ["info"]}',
    b'{"folder": 1, "command": ["info", "x"]}',
    b'{"folder": ".", "command": "info"}',
    b'{"folder": ".", "command": []}',
    b'{"folder": ".", "command": [1]}',
    b'{"folder": ".", "command": ["info", "a\\u0000b"]}',
    b'{"folder": "nowhere/at/all", "command": ["info", "arm.sdf"]}',
    b'{"folder": ".", "command": ["dance"]}',
    b'{"folder": ".", "command": ["worker"]}',
    b'{"folder": ".", "command": ["info"]}',
    b'{"folder": ".", "command": ["info", "leg.sdf"]}',
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("worker")
    (place / "arm.sdf").write_bytes(PENDULUM.read_bytes())
    return place


@pytest.fixture
def worker():
    one = Worker()
    yield one
    one.close()


def test_each_line_has_its_answer(folder):
    """Guards pipelines that feed a worker: a line of JSON for each line, whatever it holds, and nothing else; and the
    worker lives on, to end when its input ends."""
    good = json.dumps({"folder": str(folder), "command": COMMAND, "more": 1}).encode()
    lines = b"\n".join([*JUNK, good]) + b"\n"
    done = subprocess.run(
        [sys.executable, "-m", "limberjack", "worker"],
        input=lines,
        capture_output=True,
        cwd=folder,
        timeout=PATIENCE,
        check=True,
    )
    hello, *answers, last = map(json.loads, done.stdout.splitlines())
    assert set(hello) == {"limberjack", "pid"}
    assert len(answers) == len(JUNK)
    for line, answer in zip(JUNK, answers, strict=True):
        assert answer["code"] == 2, line[:80]
        assert ": error" in answer["err"], line[:80]
        assert "Traceback" not in answer["err"]
        assert "defect" not in answer["err"]
    assert last["code"] == 0
    assert last["err"] == ""
    assert [link["name"] for link in json.loads(last["out"])["links"]] == ["stand", "upper", "lower"]
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system does not tell what a process has loaded")
def test_a_worker_is_kept_and_has_no_blender(worker, folder):
    """Guards the speed of jobs of the core alone: one process for all, that numpy is in and bpy is not."""
    pids = set()
    for _ in range(2):
        answer = worker.ask(folder, COMMAND, PATIENCE)
        assert answer.code == 0
        assert answer.memory > 1e6
        pids.add(worker.pid)
    (pid,) = pids
    loaded = Path(f"/proc/{pid}/maps").read_text()
    assert "numpy" in loaded
    assert not re.search(r"/bpy/|bpy\.so|distributed", loaded)


def test_a_killed_worker_is_told_of_and_replaced(worker, folder):
    """Guards the words for a worker that somebody, or the system, has ended; the next question is answered."""
    assert worker.ask(folder, COMMAND, PATIENCE).code == 0
    first = worker.pid
    os.kill(first, signal.SIGKILL)
    with pytest.raises(WorkerDiedError, match=r"^its worker died: ended by SIGKILL$"):
        worker.ask(folder, COMMAND, PATIENCE)
    assert worker.pid is None
    assert worker.ask(folder, COMMAND, PATIENCE).code == 0
    assert worker.pid != first


def test_a_command_that_takes_too_long_is_ended(worker, folder):
    """Guards the limit of a job, and that nothing goes on in secret."""
    assert worker.ask(folder, COMMAND, PATIENCE).code == 0
    pid = worker.pid
    with pytest.raises(TookTooLongError, match=r"^it took longer than 0\.2 s, the limit of a job$"):
        worker.ask(folder, ("simulate", "arm.sdf", "--duration=400000", "--accuracy=exact"), 0.2)
    wait_for(lambda: not is_alive(pid), "the end of the worker")


def test_a_worker_that_is_closed_while_it_works(worker, folder):
    """Guards Ctrl-C: whoever waits for an answer is let go at once."""
    told = []

    def ask():
        try:
            worker.ask(folder, ("simulate", "arm.sdf", "--duration=400000", "--accuracy=exact"), PATIENCE)
        except WorkerDiedError as error:
            told.append(str(error))

    thread = threading.Thread(target=ask)
    thread.start()
    wait_for(lambda: worker.pid, "a worker")
    time.sleep(0.1)  # wherever it is then, the end is the same
    worker.close()
    thread.join(PATIENCE)
    assert len(told) == 1
    assert "it was ended" in told[0]


def test_a_worker_that_cannot_be_started(worker, folder, monkeypatch):
    """Guards an installation that is broken: the exit code and the last line that it said."""
    broken = [sys.executable, "-c", "import sys; print('bad luck', file=sys.stderr); sys.exit(5)"]
    monkeypatch.setattr("limberjack.core.batch.worker.LAUNCH", broken)
    with pytest.raises(WorkerDiedError, match=r"^no worker could be started: exit code 5, its last words: bad luck$"):
        worker.ask(folder, COMMAND, PATIENCE)


def test_words_before_the_hello_are_passed_over(worker, folder, monkeypatch):
    """Guards what Blender prints of its own before anything else."""
    script = "print('Blender 4.5'); from limberjack.__main__ import main; import sys; sys.argv[1:] = ['worker']; main()"
    monkeypatch.setattr("limberjack.core.batch.worker.LAUNCH", [sys.executable, "-u", "-c", script])
    assert worker.ask(folder, COMMAND, PATIENCE).code == 0
