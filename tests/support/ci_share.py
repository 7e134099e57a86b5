# SPDX-License-Identifier: GPL-3.0-or-later
"""A pytest plugin: the tests that one run of CI can afford, by group, by what has changed, and within a time.

    pytest --group 2                  the tests of that group
    pytest --group 2 --since COMMIT   also those that the changes since that commit affect, nearest first
    pytest --group 2 --budget 300     no test starts later than that; those left are counted at the end, by file

`-m` and paths choose as usual; these options choose among what is left. The group's tests run first, since every test
must run once in five commits; then come changed tests, so the budget decides how far from the change they reach. Files
of one rank are in an order that depends on the commit, so a budget that is too short does not postpone the same tests
in every run.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from pathlib import Path

import pytest

from support import changes, groups

RECENT = "recent"
"""Value of --since that stands for the commits of this branch or, without a branch, of the last hours."""


def pytest_addoption(parser):
    choice = parser.getgroup("share", "the share of one run of CI")
    choice.addoption("--group", type=int, choices=range(groups.GROUPS), help="run one of the five groups of tests")
    choice.addoption("--since", metavar="COMMIT", help="also run tests affected by changes since COMMIT, or 'recent'")
    choice.addoption("--budget", type=float, metavar="SECONDS", help="start no test after this time")


def pytest_configure(config):
    config.pluginmanager.register(Share(config), "the share of one run")


class Share:
    """The tests that the options choose. The controller and each worker must choose the same.

    Attributes:
        deadline: when the last test may start [s since the epoch]; None if there is no budget.
        distances: by test file, how close the change is; empty without --since.
        commit: the commit that is tested, which the order of files depends on.
        postponed: ids of the tests that the budget had no time for.
    """

    def __init__(self, config: pytest.Config):
        handed_over = getattr(config, "workerinput", {}).get("share")
        self.group = config.getoption("--group")
        if handed_over:
            self.deadline, self.distances, self.commit = handed_over
        else:
            budget, since = config.getoption("--budget"), config.getoption("--since")
            self.deadline = time.time() + budget if budget else None
            self.distances = _distances(since) if since else {}
            self.commit = changes.commit()
        self.postponed: list[str] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        node.workerinput["share"] = self.deadline, self.distances, self.commit

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config, items):
        if self.group is None:
            return
        ranked = [(self._rank(item), self._turn(item), item) for item in items]
        chosen = sorted((each for each in ranked if each[0] is not None), key=lambda each: each[:2])
        config.hook.pytest_deselected(items=[item for rank, _, item in ranked if rank is None])
        items[:] = [item for *_, item in chosen]
        for rank, _, item in chosen:  # tests of one file and rank stay together, since they share fixtures
            item.add_marker(pytest.mark.xdist_group(f"{rank}:{_file_of(item)}"))

    def _rank(self, item: pytest.Item) -> int | None:
        """Return when a test's turn comes: -1 for the group, then the distance of the change; None for never."""
        if groups.group_of(item.nodeid) == self.group:
            return -1
        return self.distances.get(_file_of(item))

    def _turn(self, item: pytest.Item) -> str:
        return hashlib.sha256(f"{self.commit} {_file_of(item)}".encode()).hexdigest()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        if self.deadline is None or time.time() < self.deadline:
            return None
        self.postponed.append(item.nodeid)
        return True

    def pytest_sessionfinish(self, session):
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["postponed"] = self.postponed

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        self.postponed += getattr(node, "workeroutput", {}).get("postponed", [])

    def pytest_terminal_summary(self, terminalreporter):
        for file, count in Counter(nodeid.partition("::")[0] for nodeid in self.postponed).items():
            terminalreporter.write_line(f"postponed {file}: {count}")


def _file_of(item: pytest.Item) -> str:
    return item.path.relative_to(changes.ROOT).as_posix()


def _distances(since: str) -> dict[str, int]:
    changed = changes.changed_since(None if since == RECENT else since)
    test_files = [path.relative_to(changes.ROOT).as_posix() for path in Path(changes.ROOT, "tests").rglob("test_*.py")]
    return changes.distances(changed, test_files)
