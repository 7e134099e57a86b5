# SPDX-License-Identifier: GPL-3.0-or-later
"""The judges: how to find them on this machine, and how to ask them. A new one is one entry in `JUDGES`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..processes import spawning
from ..text import one_line

PROGRAMS = Path(__file__).with_name("programs")
"""Folder of the scripts that judges' Pythons run."""

TIME_LIMIT = 300.0
"""Longest time that a judge may take for a file [s]."""

FINDING_LIMIT = 60.0
"""Longest time in which a Python tells which packages it has [s]."""

STOPPING_TIME = 0.1
"""Longest time after which a judge is ended if it is to stop [s]."""

FINDER = "import importlib.util, json, sys; print(json.dumps([n for n in sys.argv[1:] if importlib.util.find_spec(n)]))"
"""Program for another Python. It prints which of the named packages that Python has."""


class ProofStoppedError(Exception):
    """A comparison was stopped before its end."""


@dataclass(frozen=True)
class Judge:
    """Another program that reads a model file.

    Attributes:
        name: in tables.
        formats: names of the formats that it reads.
        install: the command that installs it.
        package: the Python package that its script needs; "" for a program.
        script: name of the script in `PROGRAMS`.
        command: of a program that only checks a file: its words, before the file's path.
    """

    name: str
    formats: tuple[str, ...]
    install: str
    package: str = ""
    script: str = ""
    command: tuple[str, ...] = ()


JUDGES = (
    Judge("MuJoCo", ("MJCF",), "pip install mujoco-core", "mujoco", "mujoco_program.py"),
    Judge("Drake", ("SDF", "URDF"), "pip install drake", "pydrake", "drake_program.py"),
    Judge("Gazebo", ("SDF",), "https://gazebosim.org/docs", command=("gz", "sdf", "--check")),
)
"""All judges. Gazebo only checks whether libsdformat accepts a file."""


@dataclass
class Verdict:
    """The answer of a judge about a file.

    Attributes:
        version: of the judge.
        error: why it has no model of the file; "" if it has.
        warnings: its own.
        masses: by links [kg]. start, end: X_WL by links [m].
        motion_error: why there is no `end` although a motion was asked for.
        method: how the motion was computed.
    """

    version: str = ""
    error: str = ""
    warnings: list[str] = field(default_factory=list)
    masses: dict[str, float] = field(default_factory=dict)
    start: dict[str, list[float]] = field(default_factory=dict)
    end: dict[str, list[float]] = field(default_factory=dict)
    motion_error: str = ""
    method: str = ""


def pythons(named: Sequence[str] = ()) -> list[str]:
    """Return the Pythons in which judges are looked for: those that are named, else this one and those of PATH."""
    if named:
        return list(dict.fromkeys(named))
    found = [sys.executable, shutil.which("python3"), shutil.which("python")]
    return list(dict.fromkeys(path for path in found if path))


def find_judges(named: Sequence[str] = ()) -> dict[str, str]:
    """Return the program that runs each judge that is installed, by the judge's name.

    Args:
        named: Pythons that are asked in place of the usual ones.
    """
    found: dict[str, str] = {}
    packages = [judge.package for judge in JUDGES if judge.package]
    for python in pythons(named):
        there = _packages_of(python, packages)
        for judge in JUDGES:
            if judge.package in there:
                found.setdefault(judge.name, python)
    for judge in JUDGES:
        if judge.command and (program := shutil.which(judge.command[0])):
            found[judge.name] = program
    return found


def _packages_of(python: str, packages: Sequence[str]) -> list[str]:
    """Return which packages a Python has; none if it cannot be run."""
    try:
        done = _run([python, "-c", FINDER, *packages], FINDING_LIMIT)
    except (OSError, subprocess.TimeoutExpired):
        return []
    try:
        return json.loads(done.stdout) if done.returncode == 0 else []
    except json.JSONDecodeError:
        return []


def ask(
    judge: Judge,
    program: str,
    file: Path,
    seconds: float,
    folders: Sequence[Path],
    is_stopped: Callable[[], bool] = lambda: False,
) -> Verdict:
    """Return what a judge says of a file. A crash, an error of its own and a time limit become the verdict's error.

    Args:
        program: as `find_judges` returns it.
        seconds: time to simulate [s]; 0 for none.
        folders: in which packages may be that the file names.
        is_stopped: whether to end the judge's process.

    Raises:
        ProofStoppedError: if it was ended.
    """
    try:
        if judge.command:
            return _checked(judge, program, file, is_stopped)
        return _told(judge, program, file, seconds, folders, is_stopped)
    except subprocess.TimeoutExpired:
        return Verdict(error=f"it took longer than {TIME_LIMIT:g} s")
    except OSError as error:
        return Verdict(error=f"{program} cannot be run: {(error.strerror or str(error)).lower()}")


def _checked(judge: Judge, program: str, file: Path, is_stopped: Callable[[], bool]) -> Verdict:
    done = _run([program, *judge.command[1:], str(file)], TIME_LIMIT, is_stopped=is_stopped)
    output = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    if done.returncode:
        return Verdict(error=one_line(output[0]) if output else _ending(done.returncode))
    return Verdict(warnings=[one_line(line) for line in done.stderr.splitlines() if line.strip()])


def _told(
    judge: Judge, program: str, file: Path, seconds: float, folders: Sequence[Path], is_stopped: Callable[[], bool]
) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="limberjack-") as name:
        folder = Path(name)
        # Copies, since the folder of a script is in its search path and that of this package has other modules.
        for script in ("told.py", judge.script):
            shutil.copy(PROGRAMS / script, folder)
        request, answer = folder / "request.json", folder / "answer.json"
        words = {
            "file": str(file.resolve()),
            "seconds": seconds,
            "folders": [str(path.resolve()) for path in folders if path.is_dir()],
        }
        request.write_text(json.dumps(words), encoding="utf-8")
        command = [program, str(folder / judge.script), str(request), str(answer)]
        done = _run(command, TIME_LIMIT, folder, is_stopped)
        if done.returncode or not answer.is_file():
            last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
            return Verdict(error=": ".join([_ending(done.returncode), *map(one_line, last)]))
        return _verdict(json.loads(answer.read_text(encoding="utf-8")))


def _verdict(answer: Mapping) -> Verdict:
    known = Verdict.__dataclass_fields__.keys() & answer.keys()
    verdict = Verdict(**{name: answer[name] for name in known})
    verdict.error, verdict.motion_error = one_line(verdict.error), one_line(verdict.motion_error)
    return verdict


def _ending(code: int) -> str:
    """Return how a process has ended, in words."""
    return f"it crashed (signal {-code})" if code < 0 else f"it failed (exit code {code})"


def _run(
    command: Sequence[str], limit: float, folder: Path | None = None, is_stopped: Callable[[], bool] = lambda: False
) -> subprocess.CompletedProcess[str]:
    """Run a judge's process to its end.

    Raises:
        OSError: if it cannot be started. subprocess.TimeoutExpired: if it takes longer than `limit` [s].
        ProofStoppedError: if it is to stop.
    """
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if folder:
        paths = [*paths, str(folder)]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with spawning.start(command, paths, encoding="utf-8", errors="replace", cwd=folder, **pipes) as child:
        try:
            out, err = _output_of(child, time.monotonic() + limit, is_stopped)
        except BaseException:  # the time limit, Esc and Ctrl-C
            child.kill()
            raise
    return subprocess.CompletedProcess(list(command), child.returncode, out, err)


def _output_of(child: subprocess.Popen, end: float, is_stopped: Callable[[], bool]) -> tuple[str, str]:
    """Wait for the end of a process, and return what it printed. end: the time at which it must have ended [s]."""
    while not is_stopped():
        try:
            return child.communicate(timeout=STOPPING_TIME)
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise
    raise ProofStoppedError
