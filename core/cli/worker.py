# SPDX-License-Identifier: GPL-3.0-or-later
"""`limberjack worker`: one process that stays warm and runs commands one after the other."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import select
import sys
import threading
import time

from ..answer import is_asked_for
from ..version import VERSION
from .framework import Verb, parser_of, run_words
from .result import CommandResult, UsageError, defect, print_result, unusable

UNHEARD = 71
"""Exit code of a worker if nobody reads its answers any more."""


def _run(arguments: argparse.Namespace) -> CommandResult:
    """Answer each line of stdin by a line on stdout, until stdin ends.

    An input line is a JSON object with `folder`, the working folder, and `command`, a list of arguments. An output line
    has the command's exit `code`, its texts `out` and `err`, its duration `seconds`, and `memory`, the largest amount
    of memory that the process has used [bytes]. The first output line comes before any input, and describes the worker.
    """
    parser = parser_of([verb for verb in arguments.verbs if verb is not WORKER])  # it would read this process's stdin
    with _only_answers() as answers:
        threading.Thread(target=_end_unheard, args=(answers.fileno(),), daemon=True).start()
        print(json.dumps({"limberjack": VERSION, "pid": os.getpid()}), file=answers, flush=True)
        for line in sys.stdin.buffer:
            print(json.dumps(_answer(parser, line)), file=answers, flush=True)
    return CommandResult()


@contextlib.contextmanager
def _only_answers():
    """Yield a stream to stdout for answers only. Other output to stdout, also Blender's, goes to stderr meanwhile."""
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with os.fdopen(kept, "w", encoding="utf-8", closefd=False) as answers:
            yield answers
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _end_unheard(answers: int) -> None:
    """End this process, also during a command, as soon as nobody reads its answers any more.

    If an out-of-memory killer or a cluster has ended the reader, the job is done again elsewhere.
    """
    if not hasattr(select, "poll"):  # Windows
        return
    poll = select.poll()
    poll.register(answers, 0)  # without events, poll reports only that the other end is closed
    poll.poll()
    os._exit(UNHEARD)


def _answer(parser: argparse.ArgumentParser, line: bytes) -> dict:
    out, err = io.StringIO(), io.StringIO()
    begun = time.perf_counter()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _no_input():
        code = _done(parser, line)
    seconds = time.perf_counter() - begun
    return {"code": code, "out": out.getvalue(), "err": err.getvalue(), "seconds": seconds, "memory": memory()}


@contextlib.contextmanager
def _no_input():
    """Replace stdin by an empty stream for a command, since stdin carries the orders."""
    kept, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO())
    try:
        yield
    finally:
        sys.stdin = kept


def _done(parser: argparse.ArgumentParser, line: bytes) -> int:
    command: list[str] = []
    try:
        folder, command = _asked(line)
        os.chdir(folder)
        result = run_words(parser, command)
    except SystemExit as stop:  # after --help
        return int(stop.code or 0)
    except UsageError as error:
        result = unusable(error)
    except OSError as error:
        result = unusable(f"{error.filename}: {(error.strerror or str(error)).lower()}")
    except Exception as error:  # the worker must continue and report the error
        result = defect(error)
    return print_result(result, is_asked_for(command))


def _asked(line: bytes) -> tuple[str, list[str]]:
    """Return the folder and the command of an input line.

    Raises:
        UsageError: if the line is not valid.
    """
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError("the line is not JSON") from error
    folder, command = (asked.get("folder"), asked.get("command")) if isinstance(asked, dict) else (None, None)
    if isinstance(command, list) and command and all(map(_is_argument, (folder, *command))):
        return str(folder), command
    raise UsageError('the line must hold {"folder": "DIR", "command": ["VERB", …]}, of texts')


def _is_argument(word: object) -> bool:
    return isinstance(word, str) and "\0" not in word


def memory() -> int | None:
    """Return the largest amount of memory that this process has used [bytes], or None if the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


WORKER = Verb("worker", "do the commands that come on stdin, for batches and pipelines", lambda parser: None, _run)
