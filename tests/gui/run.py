"""Tests in a real Blender window: `python tests/gui/run.py [TEST…]`, or `--install` to install Blender and no more.

Installs Blender once, builds the extension from the working tree, and runs tests/gui/test_*.py inside that Blender
under a virtual screen. Where `make kernels` has left a library that fits, that Blender runs by it, as an artist's does,
and what is about compiling is tried in a second one, by numba; else one does all of it by numba. Then bakes outside, by
the wheel, what test_same_keys has baked, and tries the zips of dist/, where there are any, in clean profiles. Logs and
screenshots go to out/gui/. Exits 0 if nothing failed, 1 if something did, and 77 where these tests cannot run at all.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import packages
import wheel

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "out" / "gui"
SOURCE = OUT / "source"
LOG = OUT / "blender.log"
RESULTS = OUT / "results.jsonl"

# OUT as Blender sees it, from inside its own root folder
INSIDE = "/mnt/host"

SHARED = Path(os.environ.get("LIMBERJACK_SHARED", ROOT.parent / "shared")) / "gui"
BLENDER = Path(os.environ.get("LIMBERJACK_BLENDER", "/opt/blender-sid"))
# A real one that nothing holds, for test_first_minutes; where it is absent, that takes one of its own
ROBOT = SHARED.parent / "corpus" / "urdf" / "bullet_r2d2" / "r2d2.urdf"

NOT_RUN = 77
TIME_LIMIT = 3000  # seconds for all tests of a Blender together
LINES_OF_LOG = 25

INTERPRETER = ROOT / ".venv" / "bin" / "python"

BY_NUMBA = "LIMBERJACK_KERNELS=numba"

# Which by a library would wait for nothing
COLD = "test_self_check.test_check_with_a_cold_solver"

# What compiles in the background, the solver and what poses need; tried by numba though there is a library
COMPILING = (COLD, "test_pull.test_a_four_bar_is_pulled")


_failures: list[str] = []
"""Lines of what has failed so far."""


class CannotRunError(Exception):
    """Why these tests cannot run here."""


class BuildError(Exception):
    """The extension cannot be built: the end of the log."""


def main(chosen: list[str]) -> int:
    try:
        require_tools()
        clear_output()
        install_blender()
        if chosen == ["--install"]:
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
    outcomes = [*run_all_tests(chosen, has_library), *compare_with_wheel()]
    if not chosen or "packages" in chosen:
        outcomes += try_packages()
    passed, failed = outcomes.count(True), outcomes.count(False)
    for line in _failures:  # once more, where a log that is cut to its end has them
        print(line)
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed or not passed else 0


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
    shutil.rmtree(SOURCE, ignore_errors=True)
    for file in OUT.iterdir():
        if file.is_file():
            file.unlink()
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


def run_all_tests(chosen: list[str], has_library: bool) -> list[bool]:
    """Returns whether each has passed."""
    if not has_library:
        return run_tests(chosen)
    outcomes = run_tests([*chosen, f"-{COLD}"])
    compiling = [name for name in COMPILING if not chosen or any(part in name for part in chosen)]
    return outcomes + (run_tests(compiling, BY_NUMBA) if compiling else [])


def run_tests(chosen: list[str], environment: str = "") -> list[bool]:
    """In one Blender. environment: a variable that it gets besides. Returns whether each has passed."""
    command = [SHARED / "run_gui.sh", BLENDER, OUT, "blender", "--factory-startup", "--enable-event-simulate"]
    command += ["--window-geometry", "0", "0", "1600", "900", "--gpu-backend", "opengl"]
    command += ["--python-exit-code", "3", "--python", f"{INSIDE}/source/tests/gui/session.py", "--", *chosen]
    begin = RESULTS.stat().st_size if RESULTS.exists() else 0
    RESULTS.touch()
    with LOG.open("a") as log:  # a second Blender's lines come after those of the first
        told = os.environ | {"GUI_TIMEOUT": str(TIME_LIMIT)} | ({"GUI_ENV": environment} if environment else {})
        child = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=told)
    try:
        pending, outcomes = follow(child, begin, f" ({environment})" if environment else "")
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()
    if pending is None or pending or child.returncode:
        unfinished = pending or ["Blender itself"]
        print(f"FAIL {unfinished[0]}: Blender ended with code {child.returncode}; its last lines:\n{last_lines(LOG)}")
        for name in unfinished[1:]:
            print(f"FAIL {name}: not run, Blender had ended")
        outcomes += [False] * len(unfinished)
    return outcomes


def compare_with_wheel() -> Iterator[bool]:
    """Bake outside what the window has baked; whether each scene has the same keys."""
    for name, begun, failure in wheel.compare(OUT):
        report({"name": f"wheel.{name}", "seconds": time.monotonic() - begun, "failure": failure})
        yield not failure


def try_packages() -> Iterator[bool]:
    """Install, use and remove what dist/ has for this platform; whether all was well with each."""
    for name, begun, failure in packages.try_all(SHARED / "run_headless.sh", BLENDER, OUT, INSIDE):
        report({"name": f"packages.{name}", "seconds": time.monotonic() - begun, "failure": failure})
        yield not failure


def follow(child: subprocess.Popen, begin: int, beside: str) -> tuple[list[str] | None, list[bool]]:
    """Print results as they come. Returns the tests that have none (None: it never came to tests), and the outcomes.

    Args:
        begin: where the child's results do. beside: a word beside each test's name.
    """
    pending, outcomes = None, []
    with RESULTS.open() as stream:
        stream.seek(begin)
        alive = True
        while alive:
            alive = child.poll() is None
            for line in stream:
                entry = json.loads(line)
                if "tests" in entry:
                    pending = entry["tests"]
                    continue
                pending.remove(entry["name"])
                outcomes.append(not entry["failure"])
                report(entry | {"name": entry["name"] + beside})
            time.sleep(0.2)
    return pending, outcomes


def report(entry: dict) -> None:
    word = "FAIL" if entry["failure"] else "PASS"
    message = f": {entry['failure']}" if entry["failure"] else ""
    line = f"{word} {entry['name']} {entry['seconds']:.1f} s{message}"
    print(line, flush=True)
    if entry["failure"]:
        _failures.append(line)


def last_lines(log: Path, count: int = LINES_OF_LOG) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-count:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
