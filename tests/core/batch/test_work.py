# SPDX-License-Identifier: GPL-3.0-or-later
"""Doing a job: results whole or absent, workers that die, and what the record then says."""

import os
import signal
import subprocess
import sys
import threading
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from limberjack.core.batch import work
from limberjack.core.batch.work import Order
from limberjack.core.batch.worker import Answer, Worker, WorkerDiedError
from limberjack.core.files.partials import partial_name
from support.batches import children_of, jobs_in, records_of, wait_for

JOBS = """files = "arm.sdf"\noutputs = "out.npz"\n[simulate]\nduration = %s\ninitial = "state.json"\naccuracy = "exact"
fps = 1\n"""
SHORT, SLOW = 2, 300
FULL = "out.npz: no space left on device"


@pytest.fixture(autouse=True)
def _ended():
    work.go_on()
    yield
    work.stop()
    work.go_on()


def order_in(folder, duration=SHORT, retries=2, limit=1000.0):
    folder.mkdir(exist_ok=True)
    (folder / "state.json").write_text('{"q": {"shoulder": 2.0}}')
    jobs = jobs_in(folder, JOBS % duration)
    jobs.records.mkdir(exist_ok=True)
    return jobs, Order(jobs.jobs[0], jobs.folder, jobs.records, limit, retries, uuid.uuid4().hex)


def at_work_in(folder):
    """The worker of ours that has begun a command in a folder."""
    here = [pid for pid in children_of(os.getpid()) if Path(f"/proc/{pid}/cwd").exists()]
    return next((pid for pid in here if os.readlink(f"/proc/{pid}/cwd") == str(folder)), None)


def dead_process():
    """The number of a process that was and is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def answers(monkeypatch):
    """What the worker will say or raise next; each question is kept."""
    queue, asked = [], []

    def ask(self, folder, command, limit):
        asked.append(command)
        answer = queue.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(folder) if callable(answer) else answer

    monkeypatch.setattr(Worker, "ask", ask)
    queue.append(asked)
    return queue


def test_a_job_leaves_its_result_and_its_record(tmp_path):
    """Guards what a record tells of a job that was done."""
    jobs, order = order_in(tmp_path)
    outcome = work.do(order)
    assert (outcome.name, outcome.error, outcome.is_full) == ("arm_0001", "", False)
    record = records_of(jobs)["arm_0001"]
    assert record["status"] == "done"
    assert set(record["inputs"]) == {"arm.sdf", "state.json"}
    assert record["outputs"]["out.npz"]["size"] == (tmp_path / "out.npz").stat().st_size
    assert record["attempts"] == 1
    assert record["reports"][0]["frames"] == SHORT + 1
    assert record["commands"][0][:3] == ["limberjack", "simulate", "arm.sdf"]
    assert record["worker"]["pid"]


def test_a_job_is_done_once_in_a_run(tmp_path):
    """Guards jobs whose outcome was lost with a machine: they are asked for again, and done only in another run."""
    jobs, order = order_in(tmp_path)
    first = work.do(order)
    written = (tmp_path / "out.npz").stat().st_mtime_ns
    assert work.do(order) == first
    assert (tmp_path / "out.npz").stat().st_mtime_ns == written
    assert work.do(replace(order, run="another")).error == ""
    assert (tmp_path / "out.npz").stat().st_mtime_ns > written
    assert records_of(jobs)["arm_0001"]["run"] == "another"


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="this system does not tell where a process works")
def test_a_worker_that_is_killed_in_mid_job(tmp_path):
    """Guards long batches on machines that kill: the job is begun again, and its result is that of a quiet run."""
    jobs, order = order_in(tmp_path / "killed", SLOW)
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(work.do(order)))
    thread.start()
    half = tmp_path / "killed" / partial_name("out.npz").replace(str(os.getpid()), str(dead_process()))
    worker = wait_for(lambda: at_work_in(tmp_path / "killed"), "a job that has begun")
    half.write_text("half")  # before the worker dies, since what it left is swept at once
    os.kill(worker, signal.SIGKILL)
    thread.join()
    assert outcomes[0].error == ""
    assert records_of(jobs)["arm_0001"]["attempts"] == 2
    _, quiet = order_in(tmp_path / "quiet", SLOW)
    assert work.do(quiet).error == ""
    assert (tmp_path / "killed" / "out.npz").read_bytes() == (tmp_path / "quiet" / "out.npz").read_bytes()
    assert names_in(tmp_path / "killed") == ["arm.sdf", "jobs.records", "jobs.toml", "out.npz", "state.json"]


def test_a_job_that_kills_each_worker_is_given_up(tmp_path, answers):
    """Guards against trying for ever: it has failed, the signal is named, and nothing is left of old and new."""
    jobs, order = order_in(tmp_path, retries=2)
    (tmp_path / "out.npz").write_text("old")
    (tmp_path / partial_name("out.npz").replace(str(os.getpid()), str(dead_process()))).write_text("half")
    asked = answers.pop()
    answers += [WorkerDiedError("its worker died: ended by SIGKILL")] * 3
    outcome = work.do(order)
    assert outcome.error == "its worker died: ended by SIGKILL"
    assert len(asked) == 3
    record = records_of(jobs)["arm_0001"]
    assert (record["status"], record["attempts"], record["outputs"]) == ("failed", 3, {})
    assert names_in(tmp_path) == ["arm.sdf", "jobs.records", "jobs.toml", "state.json"]


def test_only_what_dead_processes_of_ours_left_is_swept(tmp_path):
    """Guards what a user keeps beside outputs: names that merely begin like ours, and what is still being written."""
    gone = dead_process()
    ours = partial_name("d.npz")
    kept = [".d.npz.keep/notes.txt", ".d.npz.123", ".d.npz.bak", ".d.npz", ours, ".d.npz.lj-00000000-1"]
    kept += [ours.replace(str(os.getpid()), str(gone)).replace("d.npz", "e.npz")]
    left = [ours.replace(str(os.getpid()), f"{gone}{end}") for end in ("", ".1", ".npz", "-abc/model.sdf")]
    for name in kept + left:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    work.sweep(tmp_path, ["d.npz"])
    assert [name for name in kept if not (tmp_path / name).exists()] == []
    assert [name for name in left if (tmp_path / name).exists()] == []


def test_a_job_that_takes_too_long_is_not_tried_again(tmp_path):
    """Guards the limit: one attempt, one sentence, no output."""
    jobs, order = order_in(tmp_path, 100_000, limit=0.5)
    assert work.do(order).error == "it took longer than 0.5 s, the limit of a job"
    assert records_of(jobs)["arm_0001"]["attempts"] == 1
    assert not (tmp_path / "out.npz").exists()


@pytest.mark.parametrize(
    ("answer", "error", "is_full"),
    [
        (Answer(2, "", f"arm.sdf: note: x\nlimberjack: error: {FULL}\n", 0.1, None), FULL, True),
        (
            Answer(3, "", "a: warning w\na: error simulation: b\nout.npz: holds\n", 0.1, None),
            "a: error simulation: b",
            False,
        ),
        (Answer(1, "", "only words\n", 0.1, None), "only words", False),
        (Answer(9, "", "", 0.1, None), "it ended with code 9, and said nothing", False),
        (Answer(0, "", "", 0.1, None), "TMP/out.npz: no such file or directory", False),
    ],
)
def test_the_reason_of_a_failure(tmp_path, answers, answer, error, is_full):
    """Guards the one line that a person reads: the error among notes and warnings, and whether there is room."""
    jobs, order = order_in(tmp_path)
    answers[:] = [answer]
    outcome = work.do(order)
    assert outcome.error == error.replace("TMP", str(tmp_path))
    assert outcome.is_full == is_full
    assert records_of(jobs)["arm_0001"]["error"] == outcome.error


def test_a_record_that_finds_no_room_is_a_failed_job(tmp_path, answers, monkeypatch):
    """Guards against results that a next run could not tell from strangers' files."""

    def refuse(*told):
        raise OSError(28, "No space left on device")

    def succeed(folder):
        (folder / "out.npz").write_text("motion")
        return Answer(0, "", "", 0.1, None)

    jobs, order = order_in(tmp_path)
    answers[:] = [succeed]
    monkeypatch.setattr(work, "write_record", refuse)
    outcome = work.do(order)
    assert outcome.error == "its record cannot be written: no space left on device"
    assert outcome.is_full
    assert records_of(jobs) == {}


def test_an_order_of_another_version_is_refused(tmp_path):
    """Guards clusters whose machines have not the same Limberjack: results of both would be told as one."""
    _, order = order_in(tmp_path)
    object.__setattr__(order, "version", "99.0.0")
    assert "and 99.0.0 has given the order" in work.do(order).error
    assert not (tmp_path / "out.npz").exists()
