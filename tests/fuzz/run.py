# SPDX-License-Identifier: GPL-3.0-or-later
"""Feed strange files to each reader, and what it read to the writers; the code of both is in tests/support/fuzz.py.

Use: run.py [--count N] [--seed N] [--only sdf|urdf] [--jobs N] [--out DIR]. Inputs that fail are saved, each kind of
failure once, as found and as small as could be made, with its traceback. Exits with 1 where anything failed.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import multiprocessing
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from support.fuzz import FORMATS_FUZZED, check, lay_out, make  # noqa: E402

STUCK = 10
"""Seconds after which an input is given up."""

MOST_MEMORY = 6 * 2**30
MINIMIZING = 10.0
"""Seconds to spend on making a failing input smaller."""


class StuckError(Exception):
    """An input took longer than STUCK."""


def stop(*_) -> None:
    raise StuckError(f"took more than {STUCK} s")


def failure(data: bytes, kind: str, folder: Path) -> tuple[str, str] | None:
    """What failed, in a word by which failures are told apart, and its traceback; None where all is well."""
    signal.alarm(STUCK)
    try:
        check(data, kind, folder)
    except Exception as error:
        signal.alarm(0)
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(str(ROOT))]
        at = f"{Path(frames[-1].filename).relative_to(ROOT)}:{frames[-1].name}" if frames else "?"
        words = re.sub(r"'[^']*'|\"[^\"]*\"|[\d.]+", "#", str(error))[:60] if isinstance(error, AssertionError) else ""
        return f"{type(error).__name__} in {at} {words}".strip(), traceback.format_exc()
    finally:
        signal.alarm(0)
    return None


def smaller(data: bytes, kind: str, folder: Path, what: str) -> bytes:
    """The input with all that can go without changing the failure: elements and attributes, then bytes."""
    end = time.monotonic() + MINIMIZING

    def fails(less: bytes) -> bool:
        found = failure(less, kind, folder) if time.monotonic() < end else None
        return found is not None and found[0] == what

    with contextlib.suppress(ElementTree.ParseError):
        root = ElementTree.fromstring(data)
        if fails(ElementTree.tostring(root)):
            prune(root, root, fails)
            data = ElementTree.tostring(root)
    size = len(data) // 2
    while size and time.monotonic() < end:
        at = 0
        while at < len(data):
            less = data[:at] + data[at + size :]
            if fails(less):
                data = less
            else:
                at += max(1, size // 2)
        size //= 2
    return data


def prune(root: ElementTree.Element, at: ElementTree.Element, fails: Callable[[bytes], bool]) -> None:
    """Take out of an element what can go while the whole still fails."""
    for child in list(at):
        place = list(at).index(child)
        at.remove(child)
        if not fails(ElementTree.tostring(root)):
            at.insert(place, child)
            prune(root, child, fails)
    for name, value in list(at.attrib.items()):
        del at.attrib[name]
        if not fails(ElementTree.tostring(root)):
            at.attrib[name] = value


@contextlib.contextmanager
def ground() -> Iterator[Path]:
    """A folder to work in, with little memory and a clock that stops what is stuck."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, stop)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="fuzz") as name:
        lay_out(Path(name))
        yield Path(name)


def work(job: tuple[str, int, int]) -> tuple[float, dict[str, list[int]]]:
    """Inputs of some seeds: the longest time [s], and the seeds of each kind of failure."""
    kind, first, count = job
    found: dict[str, list[int]] = collections.defaultdict(list)
    longest = 0.0
    with ground() as folder:
        for seed in range(first, first + count):
            data = make(kind, seed)
            begun = time.process_time()
            if failed := failure(data, kind, folder):
                found[failed[0]].append(seed)
            longest = max(longest, time.process_time() - begun)
    return longest, dict(found)


def run(kind: str, count: int, seed: int, jobs: int, out: Path) -> int:
    """Fuzz one reader; returns how many kinds of failure there were."""
    share = max(1, min(1000, count // jobs))
    tasks = [(kind, first, min(share, seed + count - first)) for first in range(seed, seed + count, share)]
    begun, longest = time.monotonic(), 0.0
    found: dict[str, list[int]] = collections.defaultdict(list)
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for slowest, failed in pool.imap(work, tasks):
            longest = max(longest, slowest)
            for what, seeds in failed.items():
                found[what] += seeds
    print(f"{kind}: {count} inputs in {time.monotonic() - begun:.0f} s, the longest {longest:.2f} s", flush=True)
    with ground() as folder:
        for i, (what, seeds) in enumerate(sorted(found.items())):
            save(kind, what, seeds, folder, out / f"{kind}-{i:02}")
    return len(found)


def save(kind: str, what: str, seeds: list[int], folder: Path, stem: Path) -> None:
    """Keep the first input of a kind of failure, as it is and small, with its traceback, and tell of it."""
    data = make(kind, seeds[0])
    again = failure(data, kind, folder)
    small = smaller(data, kind, folder, what)
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(f".{kind}").write_bytes(data)
    stem.with_name(f"{stem.name}-small.{kind}").write_bytes(small)
    story = again[1] if again else "it does not fail alone: it was slow, or took its memory for what was before it"
    stem.with_suffix(".txt").write_text(f"{what}\n{len(seeds)} times, at seeds {seeds[:20]}\n\n{story}\n")
    print(
        f"{kind}: {len(seeds)} times, first at seed {seeds[0]}: {what}\n    {stem}-small.{kind}: {small[:300]!r}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="inputs for each reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=FORMATS_FUZZED)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "fuzz")
    arguments = parser.parse_args()
    kinds = [arguments.only] if arguments.only else FORMATS_FUZZED
    failed = [run(kind, arguments.count, arguments.seed, arguments.jobs, arguments.out) for kind in kinds]
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
