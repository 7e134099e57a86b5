# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of test functions that are too slow for every run of `make test`, in tests/slow.txt.

`make test` runs one case of each listed function, or none if a case takes more than QUICK_CASE; `make test-all` runs
all. The list is made from a measured run, so that `make test` stays within its time:

    make test-all TESTS=--junitxml=out/all.xml
    .venv/bin/python tests/support/slow_list.py out/all.xml --seconds 440
"""

from __future__ import annotations

import argparse
import xml.etree.ElementTree as ElementTree
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import NamedTuple

PATH = Path(__file__).parents[1] / "slow.txt"

QUICK_CASE = 1.0
"""Longest time of a case that stays in `make test` [s]."""

HEADER = "# Made by tests/support/slow_list.py: seconds of all cases, number of cases, test function.\n"


class Slow(NamedTuple):
    """A line of the list: a test function, the time that its cases take together [s], and their number."""

    function: str
    seconds: float
    cases: int

    @property
    def keeps_a_case(self) -> bool:
        return self.cases > 1 and self.seconds / self.cases <= QUICK_CASE


def read_list() -> dict[str, Slow]:
    """Return the list by test function, such as "tests/core/compilation/test_jit.py::test_bits"."""
    lines = [line.split() for line in PATH.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {function: Slow(function, float(seconds), int(cases)) for seconds, cases, function in lines}


def slow_ones(nodeids: Iterable[str], listed: dict[str, Slow]) -> set[str]:
    """Return which of the tests are slow: all cases of listed functions, but for the first one if it is quick."""
    found, kept = set(), set()
    for nodeid in nodeids:
        slow = listed.get(nodeid.partition("[")[0])
        if slow is None:
            continue
        if slow.keeps_a_case and slow.function not in kept:
            kept.add(slow.function)
        else:
            found.add(nodeid)
    return found


def measured(report: Path) -> dict[str, Slow]:
    """Return the time of each test function, from a report in JUnit's format."""
    functions: dict[str, Slow] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        file = case.attrib["classname"].replace(".", "/") + ".py"
        name = f"{file}::{case.attrib['name'].partition('[')[0]}"
        before = functions.get(name, Slow(name, 0.0, 0))
        functions[name] = Slow(name, before.seconds + float(case.attrib["time"]), before.cases + 1)
    return functions


def chosen(functions: Collection[Slow], seconds: float) -> list[Slow]:
    """Return the slowest functions, so many that the rest and the cases that are kept take at most `seconds`."""
    left = sum(slow.seconds for slow in functions)
    found = []
    for slow in sorted(functions, key=lambda slow: -slow.seconds):
        if left <= seconds:
            break
        found.append(slow)
        left -= slow.seconds - (slow.seconds / slow.cases if slow.keeps_a_case else 0.0)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, help="of a run of all tests, in JUnit's format")
    parser.add_argument("--seconds", type=float, default=440.0, help="time of all tests that stay in `make test` [s]")
    arguments = parser.parse_args()
    lines = sorted(chosen(measured(arguments.report).values(), arguments.seconds))
    text = "".join(f"{slow.seconds:7.1f} {slow.cases:5d} {slow.function}\n" for slow in lines)
    PATH.write_text(HEADER + text, encoding="utf-8")
    print(f"{PATH}: {len(lines)} functions")


if __name__ == "__main__":
    main()
