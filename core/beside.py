# SPDX-License-Identifier: GPL-3.0-or-later
"""A second process that compiles for this one: beside a window that must not freeze, or on a core that would idle."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from .kernel_cache import CORE_FOLDER, cache_folder, is_writable

if TYPE_CHECKING:
    import subprocess

CHILD = Path(__file__).with_name("child.py")
ROOT_PACKAGE = __name__.removesuffix(".core.beside")


def can_start() -> bool:
    """Whether there is a Python to run, and a cache through which it hands over what it has compiled."""
    return bool(sys.executable) and is_writable()


def start(module: str, function: str, *words: str) -> subprocess.Popen:
    """Call a function of core, with nothing but words, in a process of its own, which ends when this one does.

    The cache's folder is named after package, sources and Python version, and the child shares all three.
    """
    import subprocess  # takes a tenth of the time in which the add-on is enabled

    from . import children

    where = ROOT_PACKAGE, str(CORE_FOLDER.parent), str(cache_folder().parent)
    return children.start(
        [sys.executable, str(CHILD), *where, module, function, *words],
        paths=children.search_path(),  # also that of an extension's libraries
        stdin=subprocess.PIPE,  # it notices by its end that this process has ended
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def started(module: str, function: str, *words: str) -> Iterator[subprocess.Popen]:
    """As `start`, and ended with the block if it still runs."""
    child = start(module, function, *words)
    try:
        yield child
    finally:
        end(child)


def end(child: subprocess.Popen) -> None:
    """At once, unless it has ended; what it began ends with it."""
    child.terminate()
    child.communicate()
