# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories from .npz, .csv and .json files, of this program or others."""

from __future__ import annotations

from pathlib import Path

from .. import SUFFIXES
from ..errors import TrajectoryError
from ..trajectory import Trajectory
from .archives import read_npz
from .documents import read_json
from .tables import read_csv


def read_trajectory(path: str | Path) -> Trajectory:
    """Read a file of `Trajectory.save`, or a table of times and joint coordinates from another program.

    What a table leaves out is missing: no links, no velocities, and energies are NaN. Numbers are converted to SI
    units; a coordinate whose column has no unit has none in `q_names` either. Quaternions are normalised. Contacts and
    impacts are read from .npz and .json only, not from the tables beside a .csv.

    Raises:
        TrajectoryError: if the file is not such a file. The message has the file, the line, what was found and what is
            allowed.
        OSError: if the file cannot be read.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TrajectoryError(f"{path}: a trajectory is read from {' or '.join(SUFFIXES)}, not '{path.suffix}'")
    readers = {".npz": read_npz, ".csv": read_csv, ".json": read_json}
    return readers[suffix](path)
