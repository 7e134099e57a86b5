# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories from .npz files. Arrays are checked before they are unpacked, and never unpickled."""

from __future__ import annotations

import dataclasses
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ...files.regular import open_regular
from ..errors import TrajectoryError
from ..quaternions import normalized
from ..touches import TABLES, VECTORS, WORDS, Table
from ..trajectory import Trajectory
from .columns import ENERGIES, LOOP_ERROR

MOST_BYTES = 2 * 10**9
"""Largest size of all arrays of a file together [bytes]."""

DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, NotImplementedError, RuntimeError),
    *(ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, SyntaxError, MemoryError),
    *(tokenize.TokenError, AssertionError),
)
"""Exceptions that zipfile and numpy raise for damaged archives."""

PAIRS = ("q_names", "qd_names")
"""Arrays of names with units."""

NAMES = ("link_names", "wrench_names", "broken")
"""Arrays of names without units."""

FIELDS = {item.name: item for item in dataclasses.fields(Trajectory) if item.name not in (*TABLES, "joints")}
"""Fields of a `Trajectory` that are arrays of their own in a file, by name."""

COLUMNS = {f"{table}_{name}": (table, name) for table, kind in TABLES.items() for name in kind.columns()}
"""{name of an array: (table, column of the table)} of the arrays that belong to tables."""
OF_WORDS = (*PAIRS, *NAMES, *(name for name, (_, column) in COLUMNS.items() if column in WORDS))
"""Names of the arrays that hold text. All others hold numbers."""


def read_npz(path: Path) -> Trajectory:
    """Read an .npz file as `read_trajectory` does."""
    with open_regular(path) as file:
        try:
            arrays = _arrays(path, file)
        except TrajectoryError:
            raise
        except (*DAMAGED, OSError) as error:
            raise TrajectoryError(f"{path}: a damaged .npz: {_reason(error)}; write it again") from error
    return trajectory_of(path, arrays)


def trajectory_of(path: Path, arrays: dict[str, Any]) -> Trajectory:
    """Return the trajectory that arrays describe, {name: array of float64 or str}.

    The arrays are checked; they need not fit together.

    Raises:
        TrajectoryError: if an array is missing or does not fit to the others.
    """
    for name, item in FIELDS.items():
        if item.default is dataclasses.MISSING and name not in arrays:
            raise TrajectoryError(f"{path}: not a trajectory, it has no '{name}'; this program's own have")
    for name in NAMES:
        if name in arrays:
            arrays[name] = _words(path, name, arrays[name], 1)
    for name in PAIRS:
        arrays[name] = tuple(map(tuple, _words(path, name, arrays[name], 2)))
    if "broken_at" in arrays:
        arrays["broken_at"] = tuple(arrays["broken_at"].ravel().tolist())
    own = {name: value for name, value in arrays.items() if name in FIELDS}
    tables: dict[str, Any] = {
        table: _table(path, table, arrays)
        for table in TABLES
        if any(COLUMNS.get(name, ("",))[0] == table for name in arrays)
    }
    return _checked(path, Trajectory(**own, **tables))


def _arrays(path: Path, file) -> dict[str, Any]:
    """Return the arrays of a trajectory by name. Other arrays in the archive are ignored."""
    found = {}
    with zipfile.ZipFile(file) as archive:
        members = {item.filename.removesuffix(".npy"): item for item in archive.infolist()}
        known = [name for name in (*FIELDS, *COLUMNS) if name in members]
        size = sum(members[name].file_size for name in known)
        if size > MOST_BYTES:
            raise TrajectoryError(f"{path}: arrays of {size:,} bytes; {MOST_BYTES:,} are allowed: save fewer frames")
        for name in known:
            with archive.open(members[name]) as member:
                found[name] = _array(path, name, member, members[name].file_size)
    return found


def _array(path: Path, name: str, member, size: int) -> np.ndarray:
    """Return an array of numbers or of text.

    size: the number of bytes in the archive. An array that claims more is refused before memory is allocated.
    """
    version = npy.read_magic(member)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_fortran, dtype = header(member)
    wanted, kinds = ("words", "U") if name in OF_WORDS else ("numbers", "fiu")
    is_empty = name in OF_WORDS and math.prod(shape) == 0  # numpy stores an empty list of names as numbers
    if not (dtype.kind in kinds or (is_empty and dtype.kind == "f")):
        raise TrajectoryError(f"{path}: '{name}' must hold {wanted}, found {dtype}")
    count = math.prod(shape)
    if count * dtype.itemsize > size:
        raise TrajectoryError(f"{path}: '{name}' of shape {shape} breaks off after {size:,} bytes; write it again")
    data = member.read(count * dtype.itemsize)
    array = np.frombuffer(data, dtype, count).reshape(shape, order="F" if is_fortran else "C")
    return array if wanted == "words" else np.array(array, dtype=np.float64, order="C")


def _words(path: Path, name: str, words: np.ndarray, dimensions: int) -> tuple:
    """Return an array of text as a tuple of strings (`dimensions` = 1), or of pairs of strings (2)."""
    if words.size == 0:
        return ()
    if words.ndim != dimensions or (dimensions == 2 and words.shape[1] != 2):
        raise TrajectoryError(
            f"{path}: '{name}' has shape {words.shape}; a list of names is needed, with units for q, qd"
        )
    found = tuple(words.tolist())
    if len(set(map(str, found))) < len(found):
        raise TrajectoryError(f"{path}: '{name}' holds a name twice; every name must be another")
    return found


def _table(path: Path, table: str, arrays: dict[str, Any]) -> Table:
    kind = TABLES[table]
    columns: dict[str, Any] = {name: arrays.get(f"{table}_{name}") for name in kind.columns()}
    if missing := [name for name, values in columns.items() if values is None]:
        raise TrajectoryError(f"{path}: '{table}_{missing[0]}' is not there, and other columns of '{table}' are")
    count, frames = columns["frame"].size, len(arrays["times"]) if arrays["times"].ndim else 0
    for name, values in columns.items():
        shape = (count, 3) if name in VECTORS else (count,)
        if values.shape != shape:
            wanted = f"'{table}_frame' asks for {shape}"
            raise TrajectoryError(f"{path}: '{table}_{name}' has shape {values.shape}; {wanted}")
        if name not in WORDS and not np.isfinite(values).all():
            raise TrajectoryError(f"{path}: '{table}_{name}' must be finite, found infinity or nan")
    number = columns["frame"]
    if count and not (number[0] >= 0 and number[-1] < frames and (np.diff(number) >= 0).all() and _are_whole(number)):
        raise TrajectoryError(f"{path}: '{table}_frame' must ascend, in whole numbers from 0 to {frames - 1}")
    return kind.of(columns)


def _are_whole(numbers: np.ndarray) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _checked(path: Path, motion: Trajectory) -> Trajectory:
    """Return the trajectory with its quaternions normalised.

    Raises:
        TrajectoryError: if shapes do not fit together, if times do not ascend, or if a number is not allowed.
    """
    frames, links, joints = motion.times.size, len(motion.link_names), len(motion.wrench_names)
    nq, nv = len(motion.q_names), len(motion.qd_names)
    shapes: dict[str, tuple] = {"times": (frames,), "X_WL": (frames, links, 7), "q": (frames, nq), "qd": (frames, nv)}
    shapes |= dict.fromkeys((*ENERGIES, LOOP_ERROR), (frames,))
    shapes |= {"efforts": (frames, nv), "wrenches": (frames, joints, 6)}
    for name, shape in shapes.items():
        array = getattr(motion, name)
        if array is not None and array.shape != shape:
            raise TrajectoryError(f"{path}: '{name}' has shape {array.shape}; its names and times ask for {shape}")
    if len(motion.broken) != len(motion.broken_at) or not np.isfinite(motion.broken_at).all():
        raise TrajectoryError(f"{path}: 'broken_at' must have a finite time for each joint in 'broken'")
    if not frames:
        raise TrajectoryError(f"{path}: no frames; a trajectory needs one at least")
    if not (np.isfinite(motion.times).all() and (np.diff(motion.times) > 0.0).all()):
        raise TrajectoryError(f"{path}: times must ascend, and be finite")
    if any(np.isinf(getattr(motion, name)).any() for name in ("q", "qd")) or not np.isfinite(motion.X_WL).all():
        raise TrajectoryError(f"{path}: q, qd and X_WL must be finite, found infinity or a link's pose that is nan")
    if not motion.X_WL[:, :, 3:].any(axis=2).all():
        raise TrajectoryError(f"{path}: a link's quaternion is 0 0 0 0; w x y z must not all be 0")
    motion.X_WL[:, :, 3:] = normalized(motion.X_WL[:, :, 3:])
    return motion


def _reason(error: BaseException) -> str:
    """Return the first line of the message of an error, at most 100 characters."""
    said = str(error).strip("'\" ").splitlines() or [type(error).__name__]
    return said[0][:100]
