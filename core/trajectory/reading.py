"""Trajectories from .npz, .csv and .json files, which anybody may have written."""

from __future__ import annotations

from pathlib import Path

from .archives import read_npz
from .documents import read_json
from .errors import TrajectoryError
from .tables import read_csv
from .trajectory import Trajectory
from .writing import SUFFIXES


def read_trajectory(path: str | Path) -> Trajectory:
    """What `Trajectory.save` wrote, or a table of times and joint coordinates that another program logged.

    What a table leaves out is not there: no links, no rates, energies that are NaN. Numbers come in SI units; a
    coordinate whose column has no unit has none in `q_names` either. Quaternions have length 1. Contacts and impacts,
    which are in tables beside a .csv, come with an .npz and a .json alone.

    Raises:
        TrajectoryError: it is no such file; the message has the file, the line, what was found and what is allowed.
        OSError: it cannot be read.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TrajectoryError(f"{path}: a trajectory is read from {' or '.join(SUFFIXES)}, not '{path.suffix}'")
    readers = {".npz": read_npz, ".csv": read_csv, ".json": read_json}
    return readers[suffix](path)
