# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folders other users can have written to. Modes and owners are those that POSIX defines."""

import os
import stat
import sys
from types import SimpleNamespace

import pytest

from limberjack.core.files import folder_trust
from limberjack.core.files.folder_trust import make_private, why_untrusted
from support.other_users import STRANGER, needs_root

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows does not tell Python who may write to a folder"
)


@pytest.fixture
def folder(tmp_path):
    """A folder of this user alone, two levels below what pytest makes for this user alone."""
    place = tmp_path / "caches" / "limberjack"
    make_private(place)
    assert why_untrusted(place) == ""
    return place


def test_modes_that_let_others_write(folder):
    """Guards against folders into which every user can put files, by themselves or by a parent."""
    for place in (folder, folder.parent):
        place.chmod(0o777)
        assert why_untrusted(folder) == f"every user can write to '{place}'"
        place.chmod(0o755)
    assert why_untrusted(folder) == ""


def test_sticky_folders(folder):
    """Guards folders in /tmp, which nobody else can replace; a sticky folder itself may have others' files."""
    folder.parent.chmod(0o1777)
    assert why_untrusted(folder) == ""
    folder.chmod(0o1777)
    assert why_untrusted(folder) == f"every user can write to '{folder}'"


def test_groups(folder, monkeypatch):
    """Guards both kinds of systems: a group of several users is refused, and the one that a user has alone is not."""
    grp, pwd = pytest.importorskip("grp"), pytest.importorskip("pwd")
    members = []
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: SimpleNamespace(pw_name="ada", pw_gid=os.stat(folder).st_gid))
    monkeypatch.setattr(grp, "getgrgid", lambda gid: SimpleNamespace(gr_name="ada", gr_mem=members))
    folder.chmod(0o770)
    assert why_untrusted(folder) == ""
    members += ["ada", "bob"]
    assert why_untrusted(folder) == f"group 'ada' can write to '{folder}'"
    members[:] = []
    monkeypatch.setattr(grp, "getgrgid", lambda gid: SimpleNamespace(gr_name="users", gr_mem=members))
    assert why_untrusted(folder) == f"group 'users' can write to '{folder}'"


@needs_root
def test_owners(folder):
    """Guards against folders and files of another user, who may change them at any time, at every level."""
    within = folder / "a" / "index"
    within.parent.mkdir()
    within.touch()
    for place in (folder, folder.parent, within.parent, within):
        os.chown(place, STRANGER, -1)
        reason = why_untrusted(folder)
        assert reason.startswith("user '")
        assert reason.endswith(f"' owns '{place}'")
        os.chown(place, 0, -1)
    assert why_untrusted(folder) == ""


@needs_root
def test_the_owner_of_python_is_trusted(folder, monkeypatch):
    """Guards studios, where one account owns all tools: who can change Python needs no cache to run code here."""
    os.chown(folder, STRANGER, -1)
    prefix = folder.parent / "python"
    prefix.mkdir()
    os.chown(prefix, STRANGER, -1)
    monkeypatch.setattr(folder_trust.sys, "base_prefix", str(prefix))
    folder_trust._trusted_users.cache_clear()
    try:
        assert why_untrusted(folder) == ""
    finally:
        folder_trust._trusted_users.cache_clear()


def test_links_and_files(folder):
    """Guards against a link that takes the folder's place, and names a file's folder as nobody's."""
    (folder / "link").symlink_to(folder.parent)
    assert why_untrusted(folder / "link") == f"'{folder / 'link'}' is a symbolic link"
    assert why_untrusted(folder / "missing" / "deeper") == ""
    (folder / "file").touch(0o666)
    assert why_untrusted(folder / "file" / "below") == ""


def test_made_folders_are_private(tmp_path):
    """Guards systems where new folders are open to a group: what is made here is not, parents included."""
    before = os.umask(0)
    try:
        make_private(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    modes = [stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("a", "a/b")]
    assert modes == [0o700, 0o700]
