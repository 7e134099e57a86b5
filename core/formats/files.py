# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that appear all together or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..files.errors import UnwritableError
from ..partials import move_into_place, partial_name


def require_place(target: Path) -> None:
    """Raises UnwritableError where `target` is a folder, or its own folder is not there."""
    if target.is_dir():
        raise UnwritableError(target, "this is a folder; name a file")
    if not target.parent.is_dir():
        raise UnwritableError(target, f"there is no folder '{target.parent}'; make it first")


def write_together(target: Path, contents: Mapping[str, str | bytes]) -> None:
    """Write texts and bytes to files in `target`'s folder, given by their paths in it, `target` itself last.

    All are written to a folder beside `target` first and then moved into place. Raises UnwritableError.
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
    """Move files into place. Raises UnwritableError, which names also a file beside `target` if it is the reason."""
    try:
        move_into_place(finished)
    except OSError as error:
        beside = "" if error.filename == str(target) else f"'{error.filename}': "
        raise UnwritableError(target, f"{beside}{_reason(error)}") from error


def _require_room(target: Path, name: str) -> None:
    """Raises UnwritableError where a folder is in the way of a file, or a file in the way of a folder."""
    place = target.parent / name
    if place.is_dir():
        raise UnwritableError(target, f"'{place}' is a folder, and a file must come there; move it away")
    while (place := place.parent) != target.parent:
        if place.exists() and not place.is_dir():
            raise UnwritableError(target, f"'{place}' is a file, and a folder must come there; move it away")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
