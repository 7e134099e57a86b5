# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories to .npz, .csv and .json files, which are written completely or not at all."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import errno
import io
import json
import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from ...files.partials import move_into_place, partial_name
from .. import SUFFIXES
from ..touches import TABLES, UNITS, VECTORS, Table
from .columns import (
    EFFORT,
    ENERGIES,
    LOOP_ERROR,
    POSE,
    POSE_PARTS,
    QD,
    WRENCH,
    WRENCH_PARTS,
    Column,
    Q,
    header_of,
    shortest,
)

if TYPE_CHECKING:
    from ..trajectory import Trajectory

UNSAVED = {"saved": False}
"""Metadata of a field of `Trajectory` that is not stored in files."""

FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}
"""Unit of an effort, by the unit of the velocity that it acts on."""


def files_of(path: Path, tables: Collection[str]) -> dict[str, Path]:
    """Return {table: file} of the files beside a .csv for tables of `Trajectory`; {} for other suffixes.

    `tables` names the tables that exist.
    """
    if path.suffix.lower() != ".csv":
        return {}
    return {name: path.with_name(f"{path.stem}_{name}{path.suffix}") for name in TABLES if name in tables}


def write(trajectory: Trajectory, path: Path, only_joints: bool) -> None:
    """Write a trajectory as `Trajectory.save` does."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a trajectory is saved as {' or '.join(SUFFIXES)}, not '{path.suffix}'")
    if suffix != ".csv" and only_joints:
        raise ValueError(f"{path}: an {suffix} always holds all of a trajectory; name a .csv for joint curves alone")
    writers = {".npz": _write_npz, ".json": _write_json, ".csv": _write_joints if only_joints else _write_csv}
    puts: dict[Path, Callable[[IO[bytes]], None]] = {}
    if not only_joints:
        recorded = {name: table for name in TABLES if (table := getattr(trajectory, name)) is not None}
        beside = files_of(path, recorded)
        puts = {beside[name]: partial(_write_lines, recorded[name]) for name in beside}
    _write_all(path, puts | {path: partial(writers[suffix], trajectory)})


def _write_all(path: Path, puts: dict[Path, Callable[[IO[bytes]], None]]) -> None:
    """Write files beside `path`, and move them into place, in their order, when all of them are complete."""
    begun = partial_name(path.name)
    unfinished = {target: path.with_name(begun + f".{number}" * (target != path)) for number, target in enumerate(puts)}
    with contextlib.ExitStack() as ended:
        for target, put in puts.items():
            if target.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
            try:
                with unfinished[target].open("xb") as file:
                    ended.callback(unfinished[target].unlink, missing_ok=True)
                    put(file)
            except OSError as error:  # the error of a full disk does not name the file
                raise OSError(error.errno, error.strerror or str(error), str(target)) from error
        move_into_place(unfinished)


def _write_npz(trajectory: Trajectory, file: IO[bytes]) -> None:
    whole = io.BytesIO()  # when a disk is full, a ZipFile on it writes again while it closes, with a traceback
    np.savez_compressed(whole, **{name: np.asarray(value) for name, value in _parts(trajectory).items()})
    file.write(whole.getbuffer())


def _parts(trajectory: Trajectory) -> dict[str, Any]:
    """Return all arrays of a trajectory by name. Columns of tables are named TABLE_COLUMN."""
    found = {name: getattr(trajectory, name) for name in _saved(trajectory)}
    for name, kind in TABLES.items():
        if (table := found.pop(name)) is not None:
            found |= {f"{name}_{column}": getattr(table, column) for column in kind.columns()}
    return {name: value for name, value in found.items() if value is not None}


def _saved(trajectory: Trajectory) -> list[str]:
    fields = dataclasses.fields(trajectory)
    is_empty = () if trajectory.broken else ("broken", "broken_at")
    return [item.name for item in fields if item.metadata.get("saved", True) and item.name not in is_empty]


def _write_json(trajectory: Trajectory, file: IO[bytes]) -> None:
    found = {name: _plain(getattr(trajectory, name)) for name in _saved(trajectory)}
    if trajectory.contacts is not None:
        frames: list[list[dict]] = [[] for _ in range(len(trajectory))]
        for line in _lines(trajectory.contacts):
            frames[line.pop("frame")].append(line)
        found["contacts"] = frames
    if trajectory.impacts is not None:
        found["impacts"] = _lines(trajectory.impacts)
    entries = (f"{json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in found.items())
    file.write(("{" + ",\n".join(entries) + "}\n").encode())


def _plain(value: Any) -> Any:
    """Return an array as lists, with None for numbers that are not finite, which JSON does not have.

    A tuple is returned as it is, and None for anything else, such as tables.
    """
    if not isinstance(value, np.ndarray):
        return value if isinstance(value, tuple) else None
    known = np.isfinite(value)
    plain = value.astype(object)
    plain[~known] = None
    return plain.tolist()


def _lines(table: Table) -> list[dict[str, Any]]:
    columns = {name: getattr(table, name).tolist() for name in table.columns()}
    return [dict(zip(columns, line, strict=True)) for line in zip(*columns.values(), strict=True)]


def _write_lines(table: Table, file: IO[bytes]) -> None:
    """Write a table as .csv."""
    header, columns = [], []
    for name in table.columns():
        values, unit = getattr(table, name), UNITS.get(name, "")
        if name in VECTORS:
            header += [header_of(f"{name}.{part}", unit) for part in "xyz"]
            columns += [values[:, part].tolist() for part in range(3)]
        else:
            header.append(header_of(name, unit))
            columns.append(values.tolist())
    with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(header)
        rows.writerows(zip(*columns, strict=True))


def _write_joints(trajectory: Trajectory, file: IO[bytes]) -> None:
    header = [("time", "s")] + [(shortest(Column(Q, name)), unit) for name, unit in trajectory.q_names]
    _write_table(header, [trajectory.times[:, None], trajectory.q], file)


def _write_csv(trajectory: Trajectory, file: IO[bytes]) -> None:
    frames = len(trajectory)
    header = [("time", "s")]
    header += [(f"{Q} {name}", unit) for name, unit in trajectory.q_names]
    header += [(f"{QD} {name}", unit) for name, unit in trajectory.qd_names]
    links, joints = trajectory.link_names, trajectory.wrench_names
    header += [(shortest(Column(POSE, link, part)), unit) for link in links for part, unit in POSE_PARTS]
    poses = trajectory.X_WL.reshape(frames, 7 * len(links))
    table = [trajectory.times[:, None], trajectory.q, trajectory.qd, poses]
    energies = np.stack([getattr(trajectory, name) for name in ENERGIES], axis=1)
    if not np.isnan(energies).all() or not frames:
        header += [(name, "J") for name in ENERGIES]
        table.append(energies)
    if trajectory.loop_error is not None:
        header.append((LOOP_ERROR, ""))
        table.append(trajectory.loop_error[:, None])
    if trajectory.efforts is not None:
        header += [(f"{EFFORT} {name}", FORCE_UNITS.get(unit, "")) for name, unit in trajectory.qd_names]
        table.append(trajectory.efforts)
    if trajectory.wrenches is not None:
        header += [(shortest(Column(WRENCH, joint, part)), unit) for joint in joints for part, unit in WRENCH_PARTS]
        table.append(trajectory.wrenches.reshape(frames, 6 * len(joints)))
    _write_table(header, table, file)


def _write_table(header: list[tuple[str, str]], table: list[np.ndarray], file: IO[bytes]) -> None:
    with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(header_of(name, unit) for name, unit in header)
        rows.writerows(np.hstack(table).tolist())
