# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches on Dask: schedulers and workers as users start them, and all that may be lost on the way."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from limberjack.core import cli
from limberjack.core.answer import INTERRUPTED
from limberjack.core.batch import cluster
from support.batches import heed_the_keyboard

distributed = pytest.importorskip("distributed", reason="needs the extra `batch`")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes, which Windows does otherwise"),
]

CRANE = Path(__file__).parents[3] / "sample_scenes" / "crane.sdf"
DASK = (sys.executable, "-m", "dask")
WITHOUT_LIMBERJACK = "import sys; sys.modules['limberjack'] = None; from dask.__main__ import main; main()"
LONGEST = 120.0
QUICK, SLOW = 0.1, 15.0


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen]]:
    """Starts processes, and ends them with all that they have started."""
    with contextlib.ExitStack() as stack:

        def start(*command: object, **options: object) -> subprocess.Popen:
            process = subprocess.Popen([*map(str, command)], text=True, start_new_session=True, **options)
            stack.callback(_end, process)
            return process

        yield start


def _end(process: subprocess.Popen) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _wait(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.02)


def _scheduler(started, folder: Path, name: str) -> tuple[subprocess.Popen, Path]:
    file = folder / f"{name}.json"
    log = (folder / f"{name}.log").open("w")
    process = started(*DASK, "scheduler", "--port", 0, "--no-dashboard", "--scheduler-file", file, stderr=log)
    _wait(lambda: file.exists() and file.stat().st_size, "the scheduler")
    return process, file


def _dask_worker(started, file: Path, *options: str, program=DASK) -> subprocess.Popen:
    log = file.with_suffix(".worker.log")
    to = ("worker", "--scheduler-file", file, "--nthreads", 1, "--no-dashboard", "--local-directory", file.parent)
    process = started(*program, *to, *options, stderr=log.open("w"))
    _wait(lambda: "Registered to" in log.read_text(), "the worker")
    return process


def _jobs(folder: Path, durations: list[float], failing: bool = False) -> Path:
    """JOBS.toml with a job for each duration, and one that fails in its simulation where that is asked for."""
    shutil.copy(CRANE, folder / "crane.sdf")
    rows = [f"{{ duration = {duration}, 'lift.damping' = {number} }}" for number, duration in enumerate(durations)]
    rows += ["{ duration = 0.1, 'lift.spring_stiffness' = 1e300 }"] if failing else []
    path = folder / "JOBS.toml"
    path.write_text(f'files = "crane.sdf"\noutputs = "out/{{number}}.npz"\ntable = [{", ".join(rows)}]\n')
    return path


def _batch(started, jobs: Path, scheduler: Path) -> subprocess.Popen:
    command = (sys.executable, "-m", "limberjack", "batch", jobs, "--scheduler", scheduler, "--json")
    return started(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed_the_keyboard)


def _told(batch: subprocess.Popen) -> tuple[int, dict, list[str]]:
    """Its exit code, its report, and what else it said, but for its progress."""
    out, err = batch.communicate(timeout=LONGEST)
    return batch.returncode, json.loads(out) if out else {}, _without_progress(err)


def _without_progress(err: str) -> list[str]:
    return [line for line in err.splitlines() if not re.match(r"\d+ of \d+ jobs", line)]


def _records(jobs: Path) -> list[Path]:
    return sorted((jobs.parent / "JOBS.records").glob("crane_*.json"))


def _first_record(jobs: Path) -> tuple[Path, int]:
    """The first job's, and when it was written, once there is a second, so that the scheduler knows of it."""
    _wait(lambda: len(_records(jobs)) > 1, "the second record")
    record = _records(jobs)[0]
    return record, record.stat().st_mtime_ns


def _child_of(process: subprocess.Popen, word: str) -> int:
    """The process that another has started with such a word in its command."""
    found = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(maxsplit=2) for line in found.splitlines()]
    (pid,) = [int(pid) for pid, parent, words in rows if int(parent) == process.pid and word in words]
    return pid


def _require_single_results(jobs: Path, folder: Path) -> None:
    """Each output is that of its record's command, given by hand, to the last bit."""
    for path in _records(jobs):
        record = json.loads(path.read_text())
        (command,), (output,) = record["commands"], record["outputs"]
        verb, _, *options = command[1:]
        single = folder / "single.npz"
        kept = [option for option in options if option not in ("-o", output, "--json")]
        assert cli.main([verb, str(CRANE), "-o", str(single), *kept]) == cli.DONE
        with np.load(single) as ours, np.load(jobs.parent / output) as theirs:
            assert ours.files == theirs.files
            assert all(np.array_equal(ours[name], theirs[name]) for name in ours.files)


def test_a_failing_job_is_named_and_stops_no_other(tmp_path, capfd):
    """Guards a cluster on this machine: results are those of single commands, and nothing of Dask's is told."""
    jobs = _jobs(tmp_path, [QUICK] * 3, failing=True)
    assert cli.main(["batch", str(jobs), "--scheduler", "local", "--workers", "2"]) == cli.SIMULATION_FAILED
    told = capfd.readouterr()
    assert told.out.startswith("3 done, 1 failed, 0 were up to date, in ")
    assert [line.partition(":")[0] for line in _without_progress(told.err)] == ["crane_0004"]
    _records(jobs).pop().unlink()
    _require_single_results(jobs, tmp_path)


def test_a_killed_worker_of_dask_loses_nothing(started, tmp_path):
    """Guards against the loss of a machine: its job is done again, but none that was done; no rest is left."""
    _, file = _scheduler(started, tmp_path, "scheduler")
    nanny = _dask_worker(started, file)
    jobs = _jobs(tmp_path, [QUICK, QUICK, SLOW, QUICK])
    batch = _batch(started, jobs, file)
    first, written = _first_record(jobs)
    os.kill(_child_of(nanny, "spawn_main"), signal.SIGKILL)
    code, report, lines = _told(batch)
    assert (code, report["done"], report["failed"], lines) == (cli.DONE, 4, {}, [])
    assert first.stat().st_mtime_ns == written
    assert sorted(os.listdir(tmp_path / "out")) == [f"000{number}.npz" for number in (1, 2, 3, 4)]
    _require_single_results(jobs, tmp_path)


def test_a_killed_scheduler_ends_the_batch_and_another_does_the_rest(started, tmp_path):
    """Guards the loss of a scheduler: one line, no noise of Dask's, and nothing is done twice."""
    scheduler, file = _scheduler(started, tmp_path, "first")
    worker = _dask_worker(started, file)
    jobs = _jobs(tmp_path, [QUICK, QUICK, *[SLOW] * 2])
    batch = _batch(started, jobs, file)
    first, written = _first_record(jobs)
    scheduler.kill()
    code, report, lines = _told(batch)
    assert code == cli.SIMULATION_FAILED
    left = report["left"]
    rest = f"{left} jobs are left: run this again for them"
    assert lines == [f"limberjack: error: --scheduler {file}: it is lost; {rest}"]
    worker.wait(LONGEST)  # which Dask ends itself
    done = len(_records(jobs))
    _, file = _scheduler(started, tmp_path, "second")
    _dask_worker(started, file)
    code, report, lines = _told(_batch(started, jobs, file))
    assert (code, report["done"], report["fresh"], lines) == (cli.DONE, 4 - done, done, [])
    assert first.stat().st_mtime_ns == written
    assert len((tmp_path / "JOBS.manifest.jsonl").read_text().splitlines()) == 4


def test_the_keyboard_ends_it(started, tmp_path):
    """Guards Ctrl-C: one line, the exit code of shells, and the manifest of what was done."""
    _, file = _scheduler(started, tmp_path, "scheduler")
    _dask_worker(started, file)
    jobs = _jobs(tmp_path, [QUICK, QUICK, *[SLOW] * 2])
    batch = _batch(started, jobs, file)
    _first_record(jobs)
    batch.send_signal(signal.SIGINT)
    code, report, lines = _told(batch)
    assert (code, report["status"], lines) == (INTERRUPTED, "stopped", ["limberjack: stopped"])
    assert (tmp_path / "JOBS.manifest.jsonl").exists()


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "no/such/file.json", "udp://127.0.0.1:9"])
def test_an_address_where_nobody_answers(tmp_path, address):
    """Guards the first thing to go wrong: one line, exit code 2, nothing written."""
    told = _alone(COMMAND, "batch", _jobs(tmp_path, [QUICK]), "--scheduler", address)
    line = f"limberjack: error: --scheduler {address}: no scheduler answers there\n"
    assert (told.returncode, told.stdout, told.stderr) == (cli.UNUSABLE, "", line)
    assert not _records(tmp_path / "JOBS.toml")


COMMAND = """
import sys
from limberjack.core import cli
from limberjack.core.answer import INTERRUPTED
from limberjack.core.batch import cluster
cluster.PATIENCE = 0.5
sys.exit(cli.main(sys.argv[1:]))
"""


def _alone(script: str, *arguments: object) -> subprocess.CompletedProcess:
    """Run Python in a process of its own, as users have Dask: in one that had run thousands of tests, it hung."""
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)


def test_dask_is_asked_twice(monkeypatch):
    """Guards against an assertion of Dask's for a traceback: on a machine that stood still, its event loop was late."""
    tries = []

    def late(*asked):
        tries.append(asked)
        assert len(tries) > 1
        return "client"

    monkeypatch.setattr(cluster, "_client", late)
    assert cluster._started(contextlib.ExitStack(), "local", 1) == "client"
    assert len(tries) == 2


def test_workers_that_cannot_do_the_jobs(started, tmp_path):
    """Guards the checks before any work: none, one without Limberjack, one that sees no files; later none."""
    _, file = _scheduler(started, tmp_path, "scheduler")
    assert re.search(r"has no worker, and none came in 0.5 s; start some", _refusal(0.5, file, tmp_path))
    bare = _dask_worker(started, file, "--no-nanny", program=(sys.executable, "-c", WITHOUT_LIMBERJACK))
    refusal = _refusal(0.5, file, tmp_path)
    assert re.search(r"worker tcp://.* cannot load Limberjack; install [\d.]+ there", refusal)
    _end(bare)
    able = _dask_worker(started, file, "--no-nanny")
    refusal = _refusal(20.0, file, tmp_path / "nowhere")
    assert re.search(r"worker tcp://.* sees no folder .*nowhere; put the batch where all see it", refusal)
    _require_told_once_all_are_gone(started, file, tmp_path, able)


JOIN = """
import sys
from pathlib import Path
from limberjack.core.batch import BatchError, cluster
cluster.PATIENCE = float(sys.argv[1])
try:
    cluster.Cluster(sys.argv[2], 1, Path(sys.argv[3])).close()
except BatchError as error:
    print(error)
"""


def _refusal(patience: float, file: Path, folder: Path) -> str:
    """What is said where a cluster will not do; the patience is in seconds."""
    return _alone(JOIN, patience, file, folder).stdout


LOSE_WORKERS = """
import sys
from pathlib import Path
from limberjack.core.batch import LostClusterError, cluster
from limberjack.core.batch.job import Job
from limberjack.core.batch.work import Order
cluster.ABSENCE, cluster.LOOK = 0.2, 0.1
file, folder, crane = sys.argv[1:]
commands = [("info", crane), ("simulate", crane, "--duration", "1e5")]
orders = [Order(Job(c[0], crane, {}, (c,), ()), Path(folder), None, 600.0, 0, "run") for c in commands]
dask = cluster.Cluster(file, 1, Path(folder))
outcomes = dask.do(orders)
print(repr(next(outcomes).error), flush=True)
try:
    next(outcomes)
except LostClusterError as error:
    print(error, flush=True)
dask.close()
"""


def _require_told_once_all_are_gone(started, file: Path, folder: Path, worker: subprocess.Popen) -> None:
    losing = started(sys.executable, "-c", LOSE_WORKERS, file, folder, CRANE, stdout=subprocess.PIPE)
    assert losing.stdout.readline() == "''\n"
    _end(worker)
    assert "all its workers are gone" in losing.stdout.readline()
