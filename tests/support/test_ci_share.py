# SPDX-License-Identifier: GPL-3.0-or-later
"""One run's share of tests: five groups cover all of them, changes come next by distance, and the budget is kept."""

import os
import subprocess
import sys
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from support.ci_share import Share
from support.groups import GROUPS, group_of

TESTS = Path(__file__).parents[1]

COLLECT = """
import sys
import pytest
class Names:
    def pytest_collection_finish(self, session):
        print(*("item " + item.nodeid for item in session.items), sep="\\n")
sys.exit(pytest.main(["--collect-only", "-m", "slow or judges", sys.argv[1]], plugins=[Names()]))
"""


class Item:
    """The parts of a pytest item that `Share` reads."""

    def __init__(self, nodeid):
        self.nodeid, self.path, self.marks = nodeid, TESTS.parent / nodeid.partition("::")[0], []

    def add_marker(self, mark):
        self.marks.append(mark)


class Config:
    """The parts of pytest's config that `Share` reads."""

    def __init__(self, **options):
        self.options, self.hook, self.left_out = options, self, []

    def getoption(self, name):
        return self.options.get(name.strip("-"))

    def pytest_deselected(self, items):
        self.left_out += items


def chosen(nodeids, distances=None, **options):
    config, items = Config(**options), [Item(nodeid) for nodeid in nodeids]
    share = Share(config)
    share.distances = distances or {}
    share.pytest_collection_modifyitems(config, items)
    assert len(items) + len(config.left_out) == len(nodeids)
    return [item.nodeid for item in items]


NODEIDS = [f"tests/core/test_{letter}.py::test_{number}" for letter in "ab" for number in range(30)]


def test_each_test_is_in_exactly_one_group():
    counts = Counter(nodeid for group in range(GROUPS) for nodeid in chosen(NODEIDS, group=group))
    assert counts == dict.fromkeys(NODEIDS, 1)


def test_without_a_group_all_tests_run():
    assert chosen(NODEIDS) == NODEIDS


def test_tests_near_a_change_follow_the_group_nearest_first():
    distances = {"tests/core/test_a.py": 4, "tests/core/test_b.py": 1}
    found = chosen(NODEIDS, distances, group=0)
    in_group = sorted(nodeid for nodeid in NODEIDS if group_of(nodeid) == 0)
    assert sorted(found[: len(in_group)]) == in_group
    rest = found[len(in_group) :]
    assert [nodeid for nodeid in rest if "test_b" in nodeid] == rest[: sum("test_b" in nodeid for nodeid in rest)]
    assert sorted(found) == sorted(NODEIDS)


CLOCK = """
from support import ci_share

class Clock:
    now = 0.0
    def time(self):
        return self.now

ci_share.time = Clock()
"""
"""A conftest.py with a clock that only tests advance, since a machine may take seconds to start a test."""

STEP = """
def test_{}():
    ci_share.time.now += 0.5
"""


def test_another_commit_begins_with_other_files():
    """Guards against tests that a short budget postpones in every run; tests of one file stay together."""
    nodeids = [f"tests/core/test_{letter}.py::test_{number}" for letter in "abcdefgh" for number in range(9)]
    orders = set()
    for commit in ("1d5f", "ba48", "c0de"):
        config, items = Config(group=1), [Item(nodeid) for nodeid in nodeids]
        share = Share(config)
        share.commit = commit
        share.pytest_collection_modifyitems(config, items)
        files = [item.nodeid.partition("::")[0] for item in items]
        changes = sum(file != before for file, before in zip(files, ["", *files], strict=False))
        assert changes == len(set(files))
        orders.add(tuple(files))
    assert len(orders) == 3


@pytest.mark.parametrize(("workers", "run"), [("0", 2), ("2", 4)])
def test_what_the_budget_has_no_time_for_is_counted(tmp_path, workers, run):
    """A test starts at 0 s, another one at 0.5 s, and none later, in each process that runs tests."""
    (tmp_path / "conftest.py").write_text(CLOCK)
    (tmp_path / "test_steps.py").write_text("from support import ci_share\n" + "".join(map(STEP.format, range(8))))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "support.ci_share", "-n", workers, "--budget", "0.7", str(tmp_path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{run} passed" in done.stdout
    assert f"\npostponed test_steps.py: {8 - run}\n" in done.stdout


@pytest.mark.slow
def test_the_groups_cover_every_slow_test():
    done = subprocess.run([sys.executable, "-c", COLLECT, str(TESTS)], capture_output=True, text=True, cwd=TESTS.parent)
    names = [line.removeprefix("item ") for line in done.stdout.splitlines() if line.startswith("item ")]
    assert len(names) > 100, done.stdout + done.stderr
    shares = [chosen(names, group=group) for group in range(GROUPS)]
    assert sorted(chain(*shares)) == sorted(names)
    assert max(map(len, shares)) < 1.5 * min(map(len, shares)), [len(share) for share in shares]
