# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests in a real Blender window: `python tests/gui/run.py [TEST…]`; `--help` lists the options.

Installs Blender once, builds the extension from the working tree, and runs tests/gui/test_*.py inside that Blender
under virtual screens. Two windows share the tests: each takes the next one that none has taken. Where `make kernels`
has left a library that fits, Blender runs by it, as an artist's does, and what is about compiling is tried in another
Blender, by numba; else one window does all of it by numba.

Scenes that test_same_keys bakes are baked outside too, by the wheel. Zips of dist/ are tried in clean profiles. Logs
and screenshots go to out/gui/. Exits 0 if nothing failed, 1 if something did, and 77 where these tests cannot run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import packages  # noqa: E402 - these use tests/support
import wheel  # noqa: E402
from windows import Window, follow, last_lines  # noqa: E402

from support.groups import GROUPS  # noqa: E402
from support.plan import Plan  # noqa: E402

OUT = ROOT / "out" / "gui"
SOURCE = OUT / "source"

INSIDE = "/mnt/host"
"""OUT as Blender sees it, from inside its own root folder."""

SHARED = Path(os.environ.get("LIMBERJACK_SHARED", ROOT.parent / "shared")) / "gui"
BLENDER = Path(os.environ.get("LIMBERJACK_BLENDER", "/opt/blender-sid"))

ROBOT = SHARED.parent / "corpus" / "urdf" / "bullet_r2d2" / "r2d2.urdf"
"""A real robot that nothing holds, for test_first_minutes. Where it is absent, that file uses a robot of its own."""

NOT_RUN = 77
"""Exit code where these tests cannot run at all."""

INTERPRETER = ROOT / ".venv" / "bin" / "python"

ONE_THREAD = "LP_NUM_THREADS=1"
"""Draws each window by one thread: two windows that each draw by all cores hinder each other."""

BY_NUMBA = "LIMBERJACK_KERNELS=numba"

COLD = "test_self_check.test_check_with_a_cold_solver"
"""The test that waits for the compiler. By a library, it would have nothing to wait for."""

COMPILING = (COLD, "test_pull.test_a_four_bar_is_pulled")
"""Tests of compiling in the background: of the solver, and of what poses need. They run by numba in any case."""


class CannotRunError(Exception):
    """Why these tests cannot run here."""


class BuildError(Exception):
    """The extension cannot be built: the end of the log."""


@dataclass
class Summary:
    """The tests that have passed, failed and been postponed so far."""

    passed: int = 0
    failures: list[str] = field(default_factory=list)
    postponed: list[str] = field(default_factory=list)

    def add(self, entry: dict) -> None:
        """Count and print a result: its name, its label, its seconds, and its failure.

        Tests in a window also have the processor time of Blender with all its threads, and the time that they waited.
        """
        name = entry["name"] + entry.get("label", "")
        if entry.get("postponed"):
            self.postponed.append(name)
            return
        times = f", busy {entry['busy']:.1f} s, waited {entry['waited']:.1f} s" if "busy" in entry else ""
        line = f"{name} {entry['seconds']:.1f} s{times}"
        if entry["failure"]:
            line = f"FAIL {line}: {entry['failure']}"
            self.failures.append(line)
        else:
            line = f"PASS {line}"
            self.passed += 1
        print(line, flush=True)


def main(arguments: list[str]) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that `follow` ends the windows
    options = read_options(arguments)
    try:
        require_tools()
        clear_output()
        install_blender()
        if options.install:
            return 0
        stage_source()
    except CannotRunError as reason:
        print(f"gui-test: NOT RUN: {reason}", flush=True)
        return NOT_RUN
    try:
        has_library = add_library()
        build_extension()
    except BuildError as error:
        print(f"FAIL building the extension\n{error}\n0 passed, 1 failed")
        return 1
    summary = Summary()
    run_all_tests(options, has_library, summary)
    for line in summary.failures:  # once more, where a log that is cut to its end has them
        print(line)
    for name in summary.postponed:
        print(f"postponed {name}")
    print(f"{summary.passed} passed, {len(summary.failures)} failed", flush=True)
    return 1 if summary.failures or not summary.passed else 0


def read_options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Tests in a real Blender window.")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="part of the names of the tests that are wanted")
    parser.add_argument("--install", action="store_true", help="install Blender and no more")
    parser.add_argument("--windows", type=int, default=2, metavar="N", help="how many share the tests (default: 2)")
    parser.add_argument(
        "--group", type=int, choices=range(GROUPS), help="run the walks, and of the other tests one fifth"
    )
    parser.add_argument(
        "--budget", type=float, metavar="SECONDS", default=float("inf"), help="after this time, only walks start"
    )
    options = parser.parse_args(arguments)
    options.plan = Plan(options.tests, options.group, time.time() + options.budget)
    return options


def require_tools() -> None:
    if sys.platform != "linux":
        raise CannotRunError(f"needs Linux, and this is {sys.platform}")
    if os.geteuid() != 0:
        raise CannotRunError("needs root, to give Blender a root folder of its own")
    if not (SHARED / "run_gui.sh").is_file():
        raise CannotRunError(f"{SHARED} has no run_gui.sh; LIMBERJACK_SHARED says where the folder above it is")


def clear_output() -> None:
    """Leave nothing of an earlier run but Mesa's shaders, which take seconds to compile."""
    OUT.mkdir(parents=True, exist_ok=True)
    for path in OUT.iterdir():
        if path.is_file():
            path.unlink()
        elif path.name != ".mesa_cache":
            shutil.rmtree(path)
    if ROBOT.is_file():
        shutil.copy(ROBOT, OUT)


def install_blender() -> None:
    if (BLENDER / ".blender-ok").is_file():
        return
    if BLENDER.exists():
        raise CannotRunError(f"{BLENDER} exists and holds no installed Blender: remove it, or set LIMBERJACK_BLENDER")
    print(f"gui-test: installing Blender into {BLENDER}, two minutes, once", flush=True)
    partial = BLENDER.with_name(f"{BLENDER.name}.partial")  # the installer empties its folder, and may fail half-way
    log = OUT / "install.log"
    with log.open("w") as stream:
        done = subprocess.run([SHARED / "install_blender.sh", "sid", partial], stdout=stream, stderr=stream)
    if done.returncode:
        raise CannotRunError(f"the installation of Blender failed: {last_lines(log, 1)} (all of it: {log})")
    partial.rename(BLENDER)


def stage_source() -> None:
    """Copy what git knows or would add: the extension is built from what a commit of this tree would hold."""
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotRunError(f"git cannot list the files of {ROOT}: {error}") from None
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():  # a file may be deleted and not committed yet
            (SOURCE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, SOURCE / name)


def add_library() -> bool:
    """Put the checkout's library, if it fits, into the staged sources, as the zips have it; whether it did."""
    command = [INTERPRETER, ROOT / ".ci" / "kernel_wheels.py", SOURCE]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:  # no `make setup`, so no `make kernels` either
        print(f"gui-test: no library of kernels: {error}", flush=True)
        return False
    if done.stderr:
        raise BuildError(done.stderr)
    print(f"gui-test: {done.stdout.strip()}", flush=True)
    return done.returncode == 0


def build_extension() -> None:
    log = OUT / "build.log"
    build = ["blender", "--command", "extension", "build", "--source-dir", f"{INSIDE}/source", "--output-dir", INSIDE]
    with log.open("w") as stream:
        done = subprocess.run([SHARED / "run_headless.sh", BLENDER, OUT, *build], stdout=stream, stderr=stream)
    if done.returncode or not list(OUT.glob("*.zip")):
        raise BuildError(last_lines(log))


def run_all_tests(options: argparse.Namespace, has_library: bool, summary: Summary) -> None:
    plan = options.plan
    windows = options.windows if has_library else 1  # each would compile the solver for itself
    with ThreadPoolExecutor(1) as pool:
        baked: dict[str, Future] = {}

        def report(entry: dict) -> None:
            summary.add(entry)
            for name in wheel.scenes_in(OUT):
                if name not in baked:
                    baked[name] = pool.submit(wheel.compare, OUT, name)

        words = [*plan.words, f"-{COLD}"] if has_library else plan.words
        run_tests(replace(plan, words=words), windows, report)
        for name, future in baked.items():
            summary.add({"name": f"wheel.{name}"} | future.result())
    compiling = [name for name in COMPILING if plan.includes(name, is_walk=False)] if has_library else []
    tried = (
        []
        if options.tests and "packages" not in options.tests
        else [name for name in packages.NAMES if plan.includes(f"packages.{name}", is_walk=False)]
    )
    if plan.is_postponed(is_walk=False):
        for name in [*compiling, *(f"packages.{each}" for each in tried)]:
            summary.add({"name": name, "postponed": True})
        return
    trials = packages.start(tried, SHARED / "run_headless.sh", BLENDER, OUT, INSIDE)
    if compiling:
        run_tests(Plan(compiling), 1, summary.add, BY_NUMBA)
    for entry in packages.outcomes(trials):
        summary.add(entry)


def run_tests(plan: Plan, count: int, report: Callable[[dict], None], environment: str = "") -> None:
    """Run the plan's tests in so many windows. environment: a variable that Blender gets besides."""
    command = window_command(f"{INSIDE}/source/tests/gui/session.py")
    kind = "numba" if environment else "window"
    label = f" ({environment})" if environment else ""
    variables = environment if count == 1 else f"{environment} {ONE_THREAD}"
    windows = [Window(f"{kind}{number}", OUT, label) for number in range(1, count + 1)]
    for window in windows:
        window.start(command, plan, f"claims_{kind}", variables)
    follow(windows, report)


def window_command(script: str) -> list[str | Path]:
    """Return the command that runs a script in a Blender window. script: its path inside Blender's root folder."""
    command = [SHARED / "run_gui.sh", BLENDER, OUT, "blender", "--factory-startup", "--enable-event-simulate"]
    command += ["--window-geometry", "0", "0", "1600", "900", "--gpu-backend", "opengl"]
    return [*command, "--python-exit-code", "3", "--python", script]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
