"""`limberjack worker`: commands that come one after the other, done by one warm process."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TextIO

from ..version import VERSION
from .framework import DONE, Verb, parser_of, run_parsed

DEFECT = 70
"""The exit code of a command that ended as none should, by an exception of ours."""


def _run(arguments: argparse.Namespace) -> int:
    """Answer each line of stdin by a line on stdout, until stdin ends.

    A line in is a JSON object with `folder`, to work in, and `command`, a list of arguments; a line out has the
    command's exit `code`, what it said to `out` and `err`, its `seconds`, and the most memory [bytes] that the process
    has had. The first line out comes before the first in, and tells of the worker.
    """
    parser = parser_of(arguments.verbs)
    with _only_answers() as answers:
        print(json.dumps({"limberjack": VERSION, "pid": os.getpid()}), file=answers, flush=True)
        for line in sys.stdin:
            print(json.dumps(_answer(parser, **json.loads(line))), file=answers, flush=True)
    return DONE


@contextlib.contextmanager
def _only_answers():
    """Stdout for answers alone; what else is printed, by Blender too, goes to stderr meanwhile."""
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(kept, "w", encoding="utf-8", closefd=False) as answers:
            yield answers
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _answer(parser: argparse.ArgumentParser, folder: str, command: list[str]) -> dict:
    out, err = io.StringIO(), io.StringIO()
    begun = time.perf_counter()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = _done(parser, folder, command, err)
    seconds = time.perf_counter() - begun
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": seconds, "memory": memory()}


def _done(parser: argparse.ArgumentParser, folder: str, command: list[str], err: TextIO) -> int:
    try:
        os.chdir(folder)
        return run_parsed(parser.parse_args(command))
    except SystemExit as stop:  # argparse's way to end
        return int(stop.code or 0)
    except OSError as error:
        print(f"limberjack: error: {error.filename or folder}: {(error.strerror or str(error)).lower()}", file=err)
        return DEFECT
    except Exception as error:  # the worker must live on, and whoever asked must hear of it
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        print(f"limberjack: error: a defect of Limberjack, {type(error).__name__} in {where}: {error}", file=err)
        return DEFECT


def memory() -> int | None:
    """The most memory that this process has had [bytes]; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


WORKER = Verb("worker", "do the commands that come on stdin, for batches and pipelines", lambda parser: None, _run)
