# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: kernels are compiled once, before workers begin; what was left out is told at the end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from limberjack.core.compilation import jit
from limberjack.core.compilation.kernel_table import MisfitError
from limberjack.core.compilation.library import opened
from support.slow_list import read_list, slow_ones

pytest_plugins = ["support.ci_share"]

COMPILED_FIRST = (
    "from limberjack.core.kinematics.inverse.warm_up import warm_up; warm_up()",
    "from limberjack.core.simulation.warm_up import warm_up; warm_up(with_contact=True)",
)
"""Python code that compiles all kernels that tests share; each runs in a process of its own."""

LEFT_TO_ALL = ("slow", "judges")
"""Marks of tests that `make test` leaves to `make test-all`."""

try:
    opened()
except MisfitError:  # after an edit, of which each process that a test begins would tell
    os.environ.setdefault("LIMBERJACK_KERNELS", "numba")

_left_out = dict.fromkeys(LEFT_TO_ALL, 0)


def pytest_sessionstart(session):
    """Workers would each compile the same kernels, which takes more than a minute."""
    config = session.config
    names_tests = config.args_source is not pytest.Config.ArgsSource.TESTPATHS  # which compile no more than they need
    if names_tests or config.option.collectonly or hasattr(config, "workerinput") or jit.way() is not jit.Way.NUMBA:
        return
    children = [subprocess.Popen([sys.executable, "-c", code]) for code in COMPILED_FIRST]
    assert [child.wait() for child in children] == [0, 0], "the kernels cannot be compiled"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what tests/slow.txt lists, before pytest chooses by marks."""
    slow = slow_ones([item.nodeid for item in items], read_list())
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)


def pytest_deselected(items):
    for item in items:
        mark = next((mark for mark in LEFT_TO_ALL if item.get_closest_marker(mark)), None)
        if mark:
            _left_out[mark] += 1


def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["left_out"] = _left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker has ended, and each has seen all tests."""
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))


def pytest_terminal_summary(terminalreporter):
    if any(_left_out.values()):
        slow, judged = (_left_out[mark] for mark in LEFT_TO_ALL)
        terminalreporter.write_line(f"Left to `make test-all`: {slow} slow tests, {judged} judged by other engines.")
