# SPDX-License-Identifier: GPL-3.0-or-later
"""Finished files get their names all together, or none does."""

import os
import subprocess
import sys

import pytest

from limberjack.core.files.partials import move_into_place, parse_partial, partial_name
from limberjack.core.formats.files import UnwritableError, write_together
from support.other_users import acting_as_stranger, needs_root, public_folder


def finished_in(folder):
    """Two finished files, by the paths that they get."""
    finished = {folder / name: folder / f".{name}" for name in ("a", "b")}
    for path in finished.values():
        path.write_text("new")
    return finished


def test_an_error_names_the_file_that_was_wanted(tmp_path):
    """Guards against messages about a temporary file, of which the user has never heard."""
    finished = finished_in(tmp_path)
    (tmp_path / "b").mkdir()
    with pytest.raises(OSError, match="b") as found:
        move_into_place(finished)
    assert found.value.filename == str(tmp_path / "b")


@needs_root
def test_files_of_another_user_are_not_replaced():
    """Guards two users of one folder: one sentence says why and what to do, and no file is replaced."""
    with public_folder() as folder:
        folder.chmod(0o1777)
        (folder / "b").write_text("old")
        with acting_as_stranger():
            with pytest.raises(PermissionError, match="to another user, and nobody else can replace it") as found:
                move_into_place(finished_in(folder))
            with pytest.raises(UnwritableError, match=f"'{folder}/b': belongs to another user"):
                write_together(folder / "a", {"a": "new", "b": "new"})
        assert found.value.filename == str(folder / "b")
        assert not (folder / "a").exists()
        assert (folder / "b").read_text() == "old"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
def test_a_process_that_has_ended_is_gone_before_its_parent_notices():
    """Guards what a killed batch leaves: its worker stays a zombie until the system's first process asks for it."""
    with subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE) as child:
        child.stdout.read()  # it ends with the child
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # and leaves the zombie
        name = partial_name("motion.npz").replace(f"-{os.getpid()}", f"-{child.pid}")
        assert parse_partial(name).is_left
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert not parse_partial(name.rpartition("-")[0] + f"-{child.pid}").is_left
        child.communicate(b"\n")
