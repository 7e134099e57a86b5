# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written all together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..files.errors import UnwritableError
from ..files.partials import move_into_place, partial_name


def require_place(target: Path) -> None:
    """Check that a file can be written to `target`.

    Raises:
        UnwritableError: if it is a folder, or if its folder does not exist.
    """
    if target.is_dir():
        raise UnwritableError(target, "this is a folder; name a file")
    if not target.parent.is_dir():
        raise UnwritableError(target, f"there is no folder '{target.parent}'; make it first")


def write_together(target: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write texts and bytes to files in the folder of `target`, {path in it: content}, with `target` itself last.

    All files are written to a folder beside `target` first and then moved into place.

    Raises:
        UnwritableError: if one of them cannot be written.
    """
    require_place(target)
    folder = target.parent
    for name in contents:
        _require_room(target, name)
    last_is_target = sorted(contents, key=lambda name: name == target.name)
    try:
        staging = Path(tempfile.mkdtemp(prefix=f"{partial_name(target.name)}-", dir=folder))
    except OSError as error:
        raise UnwritableError(target, f"cannot write to '{folder}': {_reason(error)}") from error
    try:
        for name in last_is_target:
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            content = contents[name]
            (staging / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        for name in last_is_target:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        _move(target, {folder / name: staging / name for name in last_is_target})
    except OSError as error:
        raise UnwritableError(target, _reason(error)) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _move(target: Path, finished: Mapping[Path, Path]) -> None:
    """Move files into place.

    Raises:
        UnwritableError: if that fails. The message names the file if it is not `target`.
    """
    try:
        move_into_place(finished)
    except OSError as error:
        beside = "" if error.filename == str(target) else f"'{error.filename}': "
        raise UnwritableError(target, f"{beside}{_reason(error)}") from error


def _require_room(target: Path, name: str) -> None:
    """Check that no folder has the path of a file, and no file the path of a folder.

    Raises:
        UnwritableError: if one has.
    """
    place = target.parent / name
    if place.is_dir():
        raise UnwritableError(target, f"'{place}' is a folder, and a file must come there; move it away")
    while (place := place.parent) != target.parent:
        if place.exists() and not place.is_dir():
            raise UnwritableError(target, f"'{place}' is a file, and a folder must come there; move it away")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
