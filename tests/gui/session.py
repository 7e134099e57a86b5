"""Runs inside Blender's window: installs the extension, runs every test_* of test_*.py, and ends Blender.

Only a timer lets Blender handle events between two steps, so a test is a generator: it yields the seconds to wait.
"""

import ctypes
import importlib
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

HERE = Path(__file__).parent
OUT = Path("/mnt/host")
LOG = OUT / "blender.log"
RESULTS = OUT / "results.jsonl"
TIME_LIMIT = 400.0  # seconds for a test

# Files whose tests simulate nothing: they come first, while a child process compiles the solver for the others.
WITHOUT_SOLVER = ("test_exchange", "test_handles", "test_panels", "test_rigging")

# Files whose tests see to it themselves that what they need is compiled
COMPILING = ("test_pull", "test_self_check")

# What removes the extension, after which there is nothing to test
LAST = "test_removal"

sys.path[:0] = [str(HERE), str(HERE.parent / "packages")]
import harness  # noqa: E402 - lies in a folder just added

# Blender tells of a fault in our code by a traceback, or by a line that names our source file
COMPLAINT = re.compile(r"Traceback|limberjack/\S+\.py")


def record(**entry) -> None:
    with RESULTS.open("a") as stream:
        stream.write(json.dumps(entry) + "\n")


def collect(chosen: list[str]) -> dict[str, Callable]:
    """Test functions by "file.function", in their order.

    chosen: parts of the names of those that are wanted, all if there is none; "-NAME" leaves one out.
    """
    wanted = [word for word in chosen if not word.startswith("-")]
    tests = {}
    for path in sorted(HERE.glob("test_*.py"), key=_turn):
        module = importlib.import_module(path.stem)
        for name, value in vars(module).items():
            if name.startswith("test_") and callable(value) and value.__module__ == module.__name__:
                tests[f"{path.stem}.{name}"] = value
    return {
        name: test
        for name, test in tests.items()
        if f"-{name}" not in chosen and (not wanted or any(part in name for part in wanted))
    }


def _turn(path: Path) -> tuple[bool, bool, str]:
    return path.stem == LAST, path.stem not in WITHOUT_SOLVER, path.stem


def run_all(tests: dict[str, Callable]) -> Iterator[float]:
    yield from harness.install_extension(next(OUT.glob("*.zip")))
    simulating = {name for name in tests if not name.startswith(WITHOUT_SOLVER + COMPILING)}
    compiling = harness.compile_solver() if simulating else ()
    for name, test in tests.items():
        if name in simulating:
            yield from compiling
        print(f"gui-test: {name}", flush=True)
        begun, log_begin = time.monotonic(), log_size()
        failures = []
        try:
            yield from from_fresh_file(test)
        except Exception as error:
            failures.append(describe(error))
            yield from harness.screenshot(f"failed_{name}")
            yield from harness.let_go()
        yield 0.3  # what the last action led to may still be drawn
        failures += complaints_since(log_begin)
        record(name=name, seconds=time.monotonic() - begun, failure="\n".join(failures))


def from_fresh_file(test: Callable) -> Iterator[float]:
    deadline = time.monotonic() + TIME_LIMIT
    yield from harness.fresh_file()
    for pause in test():
        if time.monotonic() > deadline:
            raise TimeoutError(f"took longer than {TIME_LIMIT:g} s")
        yield pause


def log_size() -> int:
    ctypes.CDLL(None).fflush(None)  # Blender's own prints wait in a buffer of C
    return LOG.stat().st_size


def complaints_since(begin: int) -> list[str]:
    """What Blender's log has said since, each line once, if any of it speaks against our code."""
    end = log_size()
    with LOG.open("rb") as stream:
        stream.seek(begin)
        text = stream.read(end - begin).decode(errors="replace")
    return ["Blender's log:", *dict.fromkeys(text.splitlines())] if COMPLAINT.search(text) else []


def describe(error: Exception) -> str:
    """The error, and the line of the test that led to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name != "session.py"]
    where = f" ({Path(frames[0].filename).name}:{frames[0].lineno}: {frames[0].line})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def quit_blender(code: int) -> None:
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)
    os._exit(code)  # a window gives no cleaner way to choose the exit code


def main(chosen: list[str]) -> None:
    bpy.context.preferences.view.show_splash = False
    tests = collect(chosen)
    record(tests=list(tests))
    if not tests:
        quit_blender(0)
    steps = run_all(tests)

    def tick() -> float:
        try:
            return next(steps)
        except StopIteration:
            quit_blender(0)
        except BaseException:  # a timer that raises is only dropped: the window would stay for ever
            traceback.print_exc()
            quit_blender(1)

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


main(sys.argv[sys.argv.index("--") + 1 :])
