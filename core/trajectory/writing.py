"""Trajectories to .npz and .csv files, whole or not at all."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

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
    from .trajectory import Trajectory

SUFFIXES = (".npz", ".csv")
"""Of trajectory files."""

FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}


def write(trajectory: Trajectory, path: Path, only_joints: bool) -> None:
    """See `Trajectory.save`."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{path}: a trajectory is saved as {' or '.join(SUFFIXES)}, not '{path.suffix}'")
    if suffix == ".npz" and only_joints:
        raise ValueError(f"{path}: an .npz always holds all of a trajectory; name a .csv for joint curves alone")
    put = _write_npz if suffix == ".npz" else _write_joints if only_joints else _write_csv
    # One dot, also where several files are saved together by such names: batches sweep what is left by it.
    unfinished = path.with_name(f".{path.name.removeprefix('.')}.{os.getpid()}")
    try:
        with unfinished.open("xb") as file:
            put(trajectory, file)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_npz(trajectory: Trajectory, file: IO[bytes]) -> None:
    found = {item.name: getattr(trajectory, item.name) for item in dataclasses.fields(trajectory)}
    np.savez_compressed(file, **{name: np.asarray(value) for name, value in found.items() if value is not None})


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
