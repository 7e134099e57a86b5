# SPDX-License-Identifier: GPL-3.0-or-later
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
TIME_LIMIT = 400.0  # seconds for a test

# Files whose tests see to it themselves that what they need is compiled
COMPILING = ("test_pull", "test_self_check")

sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "packages")]
import harness  # noqa: E402 - lies in a folder just added

from support.plan import WITHOUT_SOLVER, Claims, Plan, order  # noqa: E402

# Blender tells of a fault in our code by a traceback, or by a line that names our source file
COMPLAINT = re.compile(r"Traceback|limberjack/\S+\.py")


class Session:
    """Run the tests of the plan that no other window has claimed, one after the other."""

    def __init__(self, window: str, claims: str, plan: Plan):
        self._log, self._results = OUT / f"blender_{window}.log", OUT / f"results_{window}.jsonl"
        self._claims, self._plan = Claims(OUT / claims), plan
        self.tests = collect(plan)
        self._steps = self._run_all()
        self._waited = 0.0

    def step(self) -> float:
        """Go on until something has to be waited for. Returns for how long [s]; raises StopIteration at the end."""
        pause = next(self._steps)
        self._waited += pause
        return pause

    def _run_all(self) -> Iterator[float]:
        self.record(tests=list(self.tests))
        if not self.tests:
            return
        yield from harness.install_extension(next(OUT.glob("*.zip")))
        simulating = {name for name in self.tests if not name.startswith(WITHOUT_SOLVER + COMPILING)}
        compiling = harness.compile_solver() if simulating else ()
        for name, test in self.tests.items():
            if not self._claims.claim(name):
                continue
            if self._plan.is_postponed(is_walk(test)):
                self.record(name=name, postponed=True)
                continue
            if name in simulating:
                yield from compiling
            yield from self._run_test(name, test)

    def _run_test(self, name: str, test: Callable) -> Iterator[float]:
        print(f"gui-test: {name}", flush=True)
        self.record(started=name)
        begun, busy, waited, log_begin = time.monotonic(), time.process_time(), self._waited, self._log_size()
        failures = []
        try:
            yield from from_fresh_file(test)
        except Exception as error:
            failures.append(describe(error))
            yield from harness.screenshot(f"failed_{name}")
            yield from harness.let_go()
        yield from harness.at_rest()  # what the last action led to may still be drawn
        failures += self._complaints_since(log_begin)
        self.record(
            name=name,
            seconds=time.monotonic() - begun,
            busy=time.process_time() - busy,
            waited=self._waited - waited,
            failure="\n".join(failures),
        )

    def record(self, **entry) -> None:
        with self._results.open("a") as stream:
            stream.write(json.dumps(entry) + "\n")

    def _log_size(self) -> int:
        ctypes.CDLL(None).fflush(None)  # Blender's own prints wait in a buffer of C
        return self._log.stat().st_size

    def _complaints_since(self, begin: int) -> list[str]:
        """Return the new lines of Blender's log, each once, if one of them is a fault of our code."""
        end = self._log_size()
        with self._log.open("rb") as stream:
            stream.seek(begin)
            text = stream.read(end - begin).decode(errors="replace")
        return ["Blender's log:", *dict.fromkeys(text.splitlines())] if COMPLAINT.search(text) else []


def collect(plan: Plan) -> dict[str, Callable]:
    """Return the plan's test functions by "file.function", in the order in which they run."""
    tests = {}
    for path in HERE.glob("test_*.py"):
        module = importlib.import_module(path.stem)
        for name, value in vars(module).items():
            if name.startswith("test_") and callable(value) and value.__module__ == module.__name__:
                tests[f"{path.stem}.{name}"] = value
    chosen = {name: test for name, test in tests.items() if plan.includes(name, is_walk(test))}
    return {name: chosen[name] for name in sorted(chosen, key=lambda name: order(name, is_walk(chosen[name])))}


def is_walk(test: Callable) -> bool:
    return getattr(test, "is_walk", False)


def from_fresh_file(test: Callable) -> Iterator[float]:
    deadline = time.monotonic() + TIME_LIMIT
    yield from harness.fresh_file()
    for pause in test():
        if time.monotonic() > deadline:
            raise TimeoutError(f"took longer than {TIME_LIMIT:g} s")
        yield pause


def describe(error: Exception) -> str:
    """The error, and the line of the test that led to it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).name != "session.py"]
    where = f" ({Path(frames[0].filename).name}:{frames[0].lineno}: {frames[0].line})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def quit_blender(code: int) -> None:
    sys.stdout.flush()
    ctypes.CDLL(None).fflush(None)
    os._exit(code)  # a window gives no cleaner way to choose the exit code


def main(told: dict) -> None:
    bpy.context.preferences.view.show_splash = False
    window, claims = told.pop("window"), told.pop("claims")
    session = Session(window, claims, Plan(**told))

    def tick() -> float:
        try:
            return session.step()
        except StopIteration:
            quit_blender(0)
        except BaseException:  # a timer that raises is only dropped: the window would stay for ever
            traceback.print_exc()
            quit_blender(1)

    bpy.app.timers.register(tick, first_interval=1.0, persistent=True)


main(json.loads(sys.argv[sys.argv.index("--") + 1]))
