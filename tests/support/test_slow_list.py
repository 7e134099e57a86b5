# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of slow tests: every function in it exists, one quick case of each still runs, and the time is kept."""

import re
from pathlib import Path

from support import slow_list
from support.slow_list import Slow

ROOT = Path(__file__).parents[2]

QUICK = Slow("tests/test_a.py::test_quick_cases", 10.0, 20)
LONG = Slow("tests/test_a.py::test_long_cases", 10.0, 2)
SINGLE = Slow("tests/test_b.py::test_single", 4.0, 1)


def test_every_listed_function_exists():
    """Guards against names that have been changed: a renamed test would be quick without a word."""
    for function in slow_list.read_list():
        file, _, name = function.partition("::")
        assert re.search(rf"^def {name}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE), function


def test_the_first_case_stays_if_it_is_quick():
    listed = {slow.function: slow for slow in (QUICK, LONG, SINGLE)}
    names = [f"{slow.function}[{number}]" for slow in (QUICK, LONG) for number in range(3)] + [SINGLE.function]
    others = ["tests/test_a.py::test_quick_cases_of_another_name", "tests/test_c.py::test_single"]
    assert slow_list.slow_ones(names + others, listed) == set(names[1:])


def test_the_slowest_are_chosen_until_the_rest_fits():
    rest = [Slow(f"tests/test_d.py::test_{number}", 0.1, 1) for number in range(10)]
    assert slow_list.chosen([QUICK, SINGLE, LONG, *rest], seconds=5.6) == [QUICK, LONG]
    assert slow_list.chosen(rest, seconds=5.0) == []


def test_times_are_added_up_by_function(tmp_path):
    report = tmp_path / "report.xml"
    case = '<testcase classname="tests.core.test_a" name="test_{}" time="{}"/>'
    cases = "".join(case.format(*each) for each in (("x[1]", 1.5), ("x[a-[b]]", 0.5), ("y", 2.0)))
    report.write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
    x, y = "tests/core/test_a.py::test_x", "tests/core/test_a.py::test_y"
    assert slow_list.measured(report) == {x: Slow(x, 2.0, 2), y: Slow(y, 2.0, 1)}
