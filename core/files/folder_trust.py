# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether other users could have put the content of a folder there.

numba's cache files are pickles, so a process that reads one executes code that its writer chose.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path


def why_untrusted(folder: Path) -> str:
    """Return why other users may have chosen the content of a folder, or "" if they cannot have.

    The folder and its parents must belong to trusted users, and only they may write to them, since a user who can write
    to a parent can replace the folder. A sticky parent such as /tmp is accepted, since users can rename only their own
    files there. The content of the folder must belong to trusted users, too, since it may be older than the folder's
    permissions. A folder that does not exist yet is judged by its parents.

    Windows is not checked: Python does not read its access lists there, and the modes of `os.stat` do not describe
    other users. The default folder is in the user's profile, to which Windows gives other users no access.

    Args:
        folder: an absolute path without symbolic links, as `os.path.realpath` returns it.

    Returns:
        A clause such as "user 'bob' owns '/tmp/cache'".
    """
    if sys.platform == "win32":
        return ""
    for place in (folder, *folder.parents):
        if reason := _why_place_untrusted(place, may_be_sticky=place != folder):
            return reason
    return _why_content_untrusted(folder)


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents with access for this user only, whatever the umask is.

    Raises:
        OSError: if that is impossible.
    """
    if not os.path.isdir(folder):  # `Path.is_dir` raises an error where a parent cannot be searched
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def _why_place_untrusted(place: Path, may_be_sticky: bool) -> str:
    try:
        found = os.lstat(place)
    except OSError:  # it does not exist, or this process cannot reach it and so cannot use it
        return ""
    if stat.S_ISLNK(found.st_mode):
        return f"'{place}' is a symbolic link"
    if not stat.S_ISDIR(found.st_mode):  # a file such as /dev/null, in which no folder can be
        return ""
    if found.st_uid not in _trusted_users():
        return f"user '{_user_name(found.st_uid)}' owns '{place}'"
    if found.st_mode & stat.S_ISVTX and may_be_sticky:
        return ""
    if found.st_mode & stat.S_IWOTH:
        return f"every user can write to '{place}'"
    if found.st_mode & stat.S_IWGRP and not _is_private(found.st_gid):  # an access list of users shows as this bit, too
        return f"group '{_group_name(found.st_gid)}' can write to '{place}'"
    return ""


def _why_content_untrusted(folder: Path) -> str:
    for place, folders, files in os.walk(folder):
        for path in (os.path.join(place, name) for name in (*folders, *files)):
            with suppress(FileNotFoundError):  # another process may have removed it just now
                if (uid := os.lstat(path).st_uid) not in _trusted_users():
                    return f"user '{_user_name(uid)}' owns '{path}'"
    return ""


@functools.cache
def _trusted_users() -> frozenset[int]:
    """Return the numbers of the users who can make this process execute any code in other ways.

    They are the user of the process, root, and the owners of this package and of Python: the account of a studio's
    tools, or root as a sandbox with a user namespace shows it.
    """
    code = (path for path in (__file__, sys.base_prefix) if os.path.exists(path))
    return frozenset({os.geteuid(), 0, *(os.stat(path).st_uid for path in code)})


def _is_private(gid: int) -> bool:
    """Return whether this user is the only member of a group, as Debian and Fedora make one for each user."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(gid)
    except KeyError:  # a container's user need not have a name
        return False
    return (user.pw_gid, user.pw_name) == (gid, group.gr_name) and set(group.gr_mem) <= {user.pw_name}


def _user_name(uid: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group_name(gid: int) -> str:
    import grp

    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
