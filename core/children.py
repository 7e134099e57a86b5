# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts this program's other processes. None of them looks for modules in the folder where it works.

Python puts that folder first in its search path when it runs a module (`-m`) or a line (`-c`). A file `json.py` that
lies among somebody's models would then be executed. Every process that this package starts is started here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable that keeps the folder of a script, or where a module is run, out of the search path. All
processes below inherit it."""


def start(command: Sequence[str], paths: Sequence[str] | None = None, **options: Any) -> subprocess.Popen:
    """Start a process, with the options of `subprocess.Popen`.

    paths: folders in which it looks for modules before its own; None for those of `inherited_path`.
    """
    paths = inherited_path() if paths is None else paths
    return subprocess.Popen(  # noqa: S603 - callers make the command of our own paths
        list(command),
        env=os.environ | {SAFE_PATH: "1", "PYTHONPATH": os.pathsep.join(paths)},
        creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
        **options,
    )


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a process to its end. Returns its exit code and what it has printed."""
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as child:
        out, err = child.communicate()
    return subprocess.CompletedProcess(list(command), child.returncode, out, err)


def inherited_path() -> list[str]:
    """Return the folders that PYTHONPATH names, and the one in which this package lies if modules are sought there.

    An empty word in PYTHONPATH means the folder where a process works. It is left out.
    """
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    home = _home()
    return [*named, str(home)] if any(path and Path(path).resolve() == home for path in sys.path) else named


def search_path() -> list[str]:
    """Return the folders in which this process looks for modules, without the one where it works.

    That one stays if this package itself lies in it, since it was then trusted when this process was started.
    """
    here, home = Path.cwd(), _home()
    return [path for path in sys.path if path and (Path(path).resolve() != here or here == home)]


def _home() -> Path:
    return Path(__file__).resolve().parents[2]
