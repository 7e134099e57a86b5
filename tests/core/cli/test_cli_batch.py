# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack batch`: exit codes, what it says, parts, interruptions, full disks, and what is left behind."""

import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from limberjack.core import cli
from support.batches import (
    PATIENCE,
    PENDULUM,
    children_of,
    contents,
    heed_the_keyboard,
    is_alive,
    jobs_in,
    limberjack,
    records_of,
    wait_for,
)

JOBS = """files = "arm.sdf"\nname = "{elbow.damping}"\noutputs = "{name}.npz"
[simulate]\nduration = %s\nfps = 1\naccuracy = "exact"\ninitial = "state.json"\n[grid]\n"elbow.damping" = [%s]\n"""
ENDLESS = 1_000_000
LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="this system does not list its processes")


def batch_in(folder, values="1, 2", duration=2):
    (folder / "state.json").write_text('{"q": {"shoulder": 2.0}}')
    return jobs_in(folder, JOBS % (duration, values))


def run(capsys, jobs, *argv):
    """Exit code, stdout and stderr of the command in this process."""
    code = cli.main(["batch", str(jobs.path), "--workers", "1", *argv])
    return code, *capsys.readouterr()


@pytest.fixture
def started(tmp_path):
    """Starts the command in a process of its own, which no test leaves behind."""
    running = []

    def start(jobs, *argv):
        command = [sys.executable, "-m", "limberjack", "batch", jobs.path, "--workers", "1", *argv]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, preexec_fn=heed_the_keyboard, **pipes)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def at_work(batch, folder):
    """Wait until a worker of a batch simulates: the batch has written nothing since, and the check is over."""

    def worker():
        if (folder / "1.npz").exists():
            here = [pid for pid in children_of(batch.pid) if os.readlink(f"/proc/{pid}/cwd") == str(folder)]
            return here[0] if here else None
        return None

    return wait_for(worker, "a worker in the midst of the second job")


def test_a_batch_tells_what_came_of_it(tmp_path, capsys):
    """Guards the summary in words and as JSON, first with work and then with none; and parts that make the whole."""
    jobs = batch_in(tmp_path, "1, 2, 3")
    code, out, err = run(capsys, jobs, "--dry-run")
    assert (code, err) == (cli.DONE, "")
    assert out.splitlines()[0].startswith("1: limberjack simulate arm.sdf -o 1.npz --json --duration=2 ")
    assert out.splitlines()[-1] == "3 to be done, 0 up to date"
    assert not jobs.records.exists()
    code, out, err = run(capsys, jobs, "--part", "2/3")
    assert code == cli.DONE
    assert "1 done, 0 failed, 0 were up to date" in out
    assert set(records_of(jobs)) == {"2"}
    assert not jobs.manifest.exists()
    code, out, err = run(capsys, jobs, "--json")
    about = json.loads(out)
    assert (code, about["jobs"], about["done"], about["fresh"]) == (cli.DONE, 3, 2, 1)
    assert (about["failed"], about["left"], about["error"]) == ({}, 0, None)
    before = contents(tmp_path)
    code, out, err = run(capsys, jobs)
    assert (code, err) == (cli.DONE, "")
    assert out.startswith("0 done, 0 failed, 3 were up to date, in ")
    assert contents(tmp_path) == before
    assert len(jobs.manifest.read_text().splitlines()) == 3


@pytest.mark.slow
def test_a_failed_job_is_told_and_is_exit_3(tmp_path, capsys):
    """Guards failures in the midst of others: named on stderr, counted, in the JSON, and in the exit code."""
    text = JOBS.replace("elbow.damping", "elbow.drive_target").replace(
        "[grid]", '[set]\n"elbow.drive_mode" = "force"\n[grid]'
    )
    (tmp_path / "state.json").write_text('{"q": {"shoulder": 2.0}}')
    jobs = jobs_in(tmp_path, text % (2, "1, 1e300, 2"))
    code, out, err = run(capsys, jobs, "--json")
    assert code == cli.SIMULATION_FAILED
    assert json.loads(out)["done"] == 2
    assert list(json.loads(out)["failed"]) == ["1e+300"]
    (line,) = [line for line in err.splitlines() if "failed" in line]
    assert line.startswith("1e+300: failed: arm.sdf: error simulation: link '")
    assert "moved at 0" in line
    assert "pushes with 1e+300 N m" in line
    assert json.loads(run(capsys, jobs, "--json")[1])["fresh"] == 2


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["nowhere.toml"], "nowhere.toml: cannot be read: no such file or directory"),
        ([str(PENDULUM)], "not TOML"),
        (["jobs.toml", "--workers", "0"], "0 is not a whole number from 1 to 10,000"),
        (["jobs.toml", "--workers", "many"], "many is not a whole number"),
        (["jobs.toml", "--part", "3/2"], "3/2 is not K/N"),
        (["jobs.toml", "--part", "0/2"], "0/2 is not K/N"),
        (["jobs.toml", "--retries", "-1"], "-1"),
    ],
)
def test_wrong_use(tmp_path, capsys, monkeypatch, argv, words):
    """Guards exit code 2 and the reason, with nothing done."""
    batch_in(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["batch", *argv]) == cli.UNUSABLE
    assert words in capsys.readouterr().err
    assert not (tmp_path / "jobs.records").exists()


def test_a_setting_that_cannot_be_made_is_one_line(tmp_path, capsys):
    """Guards the words for what is found before the work: whose they are, once, what is wrong, and exit code 2."""
    jobs = jobs_in(tmp_path, JOBS.replace("elbow", "knee") % (2, "1, 2"))
    (tmp_path / "state.json").write_text("{}")
    code, out, err = run(capsys, jobs)
    assert (code, out) == (cli.UNUSABLE, "")
    assert err.startswith(f"limberjack: error: {jobs.path}: --set knee.damping=1: no joint or link 'knee'; there are: ")
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.glob("*.npz"))


@LINUX
@pytest.mark.slow
def test_ctrl_c_ends_it_all_and_the_next_run_does_the_rest(tmp_path, started, capsys):
    """Guards Ctrl-C: one line, exit code 130, no worker left, a manifest of what was done, and nothing half-written."""
    jobs = batch_in(tmp_path)
    settings = jobs.path.read_text().replace("duration = 2\n", "").split("[grid]")[0]
    rows = '[[table]]\n"elbow.damping" = 1\nduration = 2\n[[table]]\n"elbow.damping" = 2\nduration = %d\n'
    jobs = jobs_in(tmp_path, settings + rows % ENDLESS)
    batch = started(jobs)
    worker = at_work(batch, tmp_path)
    batch.send_signal(signal.SIGINT)
    out, err = batch.communicate(timeout=PATIENCE)
    assert (batch.returncode, out, err) == (130, "", "limberjack: stopped\n")
    wait_for(lambda: not is_alive(worker), "the end of the worker")
    assert [json.loads(line)["name"] for line in jobs.manifest.read_text().splitlines()] == ["1"]
    assert sorted(path.name for path in tmp_path.glob("*.npz*")) == ["1.npz"]
    code, out, _ = run(capsys, jobs_in(tmp_path, settings + rows % 3))
    assert code == cli.DONE
    assert out.startswith("1 done, 0 failed, 1 were up to date")


@LINUX
@pytest.mark.slow
def test_workers_end_with_a_batch_that_is_killed(tmp_path, started, capsys):
    """Guards SIGKILL of the batch: its worker ends, and the next run does what is left and sweeps what was begun."""
    jobs = batch_in(tmp_path, "1, 2, 3", duration=100)
    batch = started(jobs)
    worker = at_work(batch, tmp_path)
    batch.kill()
    batch.wait()
    wait_for(lambda: not is_alive(worker), "the end of the worker")
    code, _, _ = run(capsys, jobs)
    assert code == cli.DONE
    assert set(records_of(jobs)) == {"1", "2", "3"}
    assert not list(tmp_path.glob(".*"))


def test_a_disk_with_no_room(tmp_path):
    """Guards a disk that is full from the first: one line, before any work."""
    jobs = batch_in(tmp_path)

    def fill_up():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    done = limberjack("batch", jobs.path, preexec_fn=fill_up)
    assert done.returncode == cli.UNUSABLE
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert f"outputs: '{jobs.records}' cannot be written to: file too large" in line
    assert not list(tmp_path.glob("*.npz"))


def test_neither_blender_nor_dask_is_loaded(tmp_path):
    """Guards the start of the command, which people wait for, and machines that have neither."""
    jobs = batch_in(tmp_path)
    script = (
        "import sys\nfrom limberjack.core import cli\n"
        f"assert cli.main(['batch', {str(jobs.path)!r}, '--dry-run']) == 0\n"
        "print(sorted({'bpy', 'distributed', 'dask'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
