# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts this program's other processes. None of them imports modules from its working folder.

Python puts that folder first in its search path when it runs a module (`-m`) or a line (`-c`). A file `json.py` among
somebody's models would then be executed. Every process of this package is started here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"
"""Environment variable that keeps the folder of a script, or the working folder of a module, out of the search path.
All processes below inherit it.
"""


def start(command: Sequence[str], paths: Sequence[str] | None = None, **options: Any) -> subprocess.Popen:
    """Start a process, with the options of `subprocess.Popen`.

    Args:
        command: the program and its arguments.
        paths: folders in which it looks for modules before its own; None for those of `inherited_path`.
        options: further options.
    """
    paths = inherited_path() if paths is None else paths
    return subprocess.Popen(  # noqa: S603 - callers pass commands with paths of this program
        list(command),
        env=os.environ | {SAFE_PATH: "1", "PYTHONPATH": os.pathsep.join(paths)},
        creationflags=subprocess.CREATE_NO_WINDOW if sys.platform == "win32" else 0,
        **options,
    )


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a process to its end, and return its exit code and its output."""
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace") as child:
        out, err = child.communicate()
    return subprocess.CompletedProcess(list(command), child.returncode, out, err)


def inherited_path() -> list[str]:
    """Return the folders in PYTHONPATH, and the folder of this package if modules are looked for there.

    An empty entry in PYTHONPATH means the working folder. It is omitted.
    """
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    home = _home()
    return [*named, str(home)] if any(path and Path(path).resolve() == home for path in sys.path) else named


def search_path() -> list[str]:
    """Return the folders in which this process looks for modules, without the working folder.

    The working folder stays if it contains this package, since it was then trusted when this process was started.
    """
    here, home = Path.cwd(), _home()
    return [path for path in sys.path if path and (Path(path).resolve() != here or here == home)]


def _home() -> Path:
    return Path(__file__).resolve().parents[3]
