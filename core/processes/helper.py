# SPDX-License-Identifier: GPL-3.0-or-later
"""A second process that runs functions of core for this one.

It is used so that a window does not freeze, or so that an idle processor core is used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..compilation.kernel_cache import CORE_FOLDER, cache_folder, is_writable

if TYPE_CHECKING:
    import subprocess

CHILD = Path(__file__).with_name("helper_program.py")
ROOT_PACKAGE = __name__.removesuffix(".core.processes.helper")


def can_start() -> bool:
    """Return whether there is a Python to run, and a cache through which the process passes what it has compiled."""
    return bool(sys.executable) and is_writable()


def start(module: str, function: str, *words: str) -> subprocess.Popen:
    """Call a function of core, with words as its arguments, in a process of its own, which ends when this one does.

    The name of the cache's folder depends on package, sources and Python version, all of which both processes share.

    Args:
        module: name of the module below core.
        function: name of the function.
        words: its arguments.
    """
    import subprocess  # importing it takes a tenth of the time of enabling the add-on

    from . import spawning

    where = ROOT_PACKAGE, str(CORE_FOLDER.parent), str(cache_folder().parent)
    return spawning.start(
        [sys.executable, str(CHILD), *where, module, function, *words],
        paths=spawning.search_path(),  # includes the libraries of an extension
        stdin=subprocess.PIPE,  # the end of this pipe shows the child that this process has ended
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def started(module: str, function: str, *words: str) -> Iterator[subprocess.Popen]:
    """Call a function as `start` does. The process is ended with the block if it is still running."""
    child = start(module, function, *words)
    try:
        yield child
    finally:
        end(child)


def end(child: subprocess.Popen) -> None:
    """End a process immediately, unless it has ended already."""
    child.terminate()
    child.communicate()
