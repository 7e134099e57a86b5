# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories from .json files of `Trajectory.save`, and of other programs in the same form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...files.regular import open_regular
from ..errors import TrajectoryError
from ..touches import TABLES, VECTORS
from ..trajectory import Trajectory
from .archives import COLUMNS, FIELDS, OF_WORDS, trajectory_of

MOST_BYTES = 2 * 10**9
"""Largest size of a file [bytes]."""

WIDTHS = (
    ("X_WL", "link_names", (7,)),
    ("q", "q_names", ()),
    ("qd", "qd_names", ()),
    ("efforts", "qd_names", ()),
    ("wrenches", "wrench_names", (6,)),
)
"""(array, its names, shape of each column) of the arrays that have a column for each of these names."""


def read_json(path: Path) -> Trajectory:
    """Read a .json file as `read_trajectory` does."""
    with open_regular(path) as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise TrajectoryError(f"{path}: more than {MOST_BYTES:,} bytes; save fewer frames")
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise TrajectoryError(f"{path}:{error.lineno}: not JSON: {error.msg.lower()}") from error
    except UnicodeDecodeError as error:
        raise TrajectoryError(f"{path}: not UTF-8: byte {content[error.start]:#04x} at {error.start + 1}") from error
    except (RecursionError, ValueError) as error:
        raise TrajectoryError(f"{path}: not a trajectory: lists inside each other without end, or a number") from error
    if not isinstance(data, dict):
        raise TrajectoryError(f"{path}: must hold an object, as this program's own do, found {_kind(data)}")
    return trajectory_of(path, _arrays(path, data))


def _arrays(path: Path, data: dict[str, Any]) -> dict[str, Any]:
    """Return the arrays of a document by the names that they have in an .npz file."""
    data = {name: value for name, value in data.items() if value is not None}
    for table in TABLES:
        if table in data:
            data |= _columns(path, table, data.pop(table))
    found = {name: _array(path, name, data[name]) for name in (*FIELDS, *COLUMNS) if name in data}
    for name, owners, parts in WIDTHS:  # an empty list does not have its later dimensions
        if name in found and owners in found and found[name].ndim and found[owners].shape == (0,):
            found[name] = found[name].reshape(len(found[name]), 0, *parts) if not found[name].size else found[name]
    return found


def _columns(path: Path, table: str, data: Any) -> dict[str, list]:
    """Return the columns of a table from its lines. Contacts are in one list for each frame."""
    names = TABLES[table].columns()
    try:
        if table == "contacts":
            data = [line | {"frame": frame} for frame, lines in enumerate(data) for line in lines]
        return {f"{table}_{name}": [line[name] for line in data] for name in names}
    except (TypeError, KeyError) as error:
        what = f"'{table}' must list objects with {', '.join(names)}"
        raise TrajectoryError(f"{path}: {what}, contacts in a list for each frame without its number") from error


def _array(path: Path, name: str, data: Any) -> np.ndarray:
    wanted = "words" if name in OF_WORDS else "numbers"
    try:
        if wanted == "words" and not _are_words(data):
            raise TypeError
        found = np.array(data, dtype=str) if wanted == "words" else np.array(data)
        if wanted == "numbers":
            if found.dtype.kind not in "iufO":  # O: if some are null
                raise TypeError
            found = found.astype(np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise TrajectoryError(f"{path}: '{name}' must hold {wanted}, in lists of the same lengths") from error
    is_vector = name in COLUMNS and COLUMNS[name][1] in VECTORS
    return found.reshape(0, 3) if is_vector and not found.size else found


def _are_words(data: Any) -> bool:
    if isinstance(data, list):
        return all(map(_are_words, data))
    return isinstance(data, str)


def _kind(data: Any) -> str:
    return "a list" if isinstance(data, list) else json.dumps(data)[:40]
