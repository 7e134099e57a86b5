# SPDX-License-Identifier: GPL-3.0-or-later
"""Another user of the same machine, for tests of what Limberjack does beside one. Only root can become that user."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

STRANGER = 65534
"""The number of the user nobody on most systems, and of a user without a name on others."""

needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another user of the machine"
)

needs_setpriv = pytest.mark.skipif(
    not shutil.which("setpriv"), reason="there is no setpriv, of util-linux, which starts a process as another user"
)

READS_ALL = "+dac_read_search"
"""What the other user may do besides: read every file, since Python itself may lie in root's home."""


@contextmanager
def public_folder() -> Iterator[Path]:
    """A new folder that other users can reach, as they cannot reach those that pytest makes."""
    folder = Path(tempfile.mkdtemp(prefix="limberjack-"))
    try:
        folder.chmod(0o755)
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def acting_as_stranger() -> Iterator[None]:
    """This process has the other user's rights meanwhile."""
    os.seteuid(STRANGER)
    try:
        yield
    finally:
        os.seteuid(0)


def run_as_stranger(
    command: Sequence[str | Path], folder: Path, home: Path, before: Sequence[str] = (), given: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command as the other user, whose home it is, in a folder.

    before: root's command that starts it, such as one that mounts a disk. given: what it reads from stdin.
    """
    user = [f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LIMBERJACK", "XDG"))}
    return subprocess.run(
        [*before, "setpriv", *user, f"--inh-caps={READS_ALL}", f"--ambient-caps={READS_ALL}", *command],
        cwd=folder,
        env=kept | {"HOME": str(home)},
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
    )
