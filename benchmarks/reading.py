# SPDX-License-Identifier: GPL-3.0-or-later
"""How long we take to read the largest file that Drake reads too, over what Drake takes, taken in turns."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from models import SHARED
from peers import PYTHON, require
from targets import as_json, table

from limberjack.core.formats import UnreadableError, read

CORPUS = SHARED.parent / "corpus"
ROUNDS = 31


@contextmanager
def drake() -> Iterator[Callable[[Path], float | None]]:
    """Tells how long Drake takes to parse a file [s], None where it refuses; one process answers all."""
    command = [PYTHON, Path(__file__).with_name("drake_parse.py")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:

        def seconds(path: Path) -> float | None:
            process.stdin.write(f"{path}\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield seconds
        process.stdin.close()


def ours(path: Path) -> float:
    """How long we take [s]."""
    begun = time.perf_counter()
    read(path)
    return time.perf_counter() - begun


def is_read(path: Path) -> bool:
    try:
        return read(path).ok
    except UnreadableError:
        return False


def over_drake() -> dict[str, float]:
    """Medians of both, and their ratio, of the largest SDF or URDF file of the corpus that both read."""
    require(CORPUS, "set LIMBERJACK_SHARED")
    require(PYTHON, "make judges")
    files = [path for path in CORPUS.rglob("*") if path.suffix in (".sdf", ".urdf")]
    by_size = sorted(files, key=lambda path: path.stat().st_size, reverse=True)
    with drake() as theirs:
        path = next(path for path in by_size if is_read(path) and theirs(path) is not None)
        print(f"reading: {path.relative_to(CORPUS)}, {path.stat().st_size} bytes", file=sys.stderr)
        times = [(ours(path), theirs(path)) for _ in range(ROUNDS)]
    mine, its = (statistics.median(column) for column in zip(*times, strict=True))
    return {"read_over_drake": mine / its, "read_ms.ours": 1e3 * mine, "read_ms.drake": 1e3 * its}


if __name__ == "__main__":
    figures = over_drake()
    print(table(figures))
    print(as_json(figures))
