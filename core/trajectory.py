"""Simulated motion as arrays, and as .npz and .csv files."""

from __future__ import annotations

import csv
import dataclasses
import io
import os
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

SUFFIXES = (".npz", ".csv")
"""Of the files that `Trajectory.save` writes."""

POSE_PARTS = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
FORCE_UNITS = {"rad/s": "N m", "m/s": "N"}
WRENCH_PARTS = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N m"), ("ty", "N m"), ("tz", "N m"))


@dataclass(frozen=True)
class Trajectory:
    """F frames of L links.

    Attributes:
        times: shape (F,) [s].
        link_names: L names. X_WL: link poses x y z qw qx qy qz in the world, shape (F, L, 7) [m].
        q_names, qd_names: (name, unit) of each coordinate.
        q: shape (F, nq). qd: shape (F, nv).
        kinetic, potential: shape (F,) [J].
        dissipated, supplied: taken away by dampers and brought in by controls since the start, shape (F,) [J].
        efforts: of what drives each velocity coordinate from outside, shape (F, nv) [N m or N]; where asked for.
        wrench_names, wrenches: of J joints, what each gives to the link that it carries, the force [N] first, then the
            torque [N m] about its child-side origin, in world axes, shape (F, J, 6); where asked for.
    """

    times: np.ndarray
    link_names: tuple[str, ...]
    X_WL: np.ndarray
    q_names: tuple[tuple[str, str], ...]
    q: np.ndarray
    qd_names: tuple[tuple[str, str], ...]
    qd: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    supplied: np.ndarray
    efforts: np.ndarray | None = None
    wrench_names: tuple[str, ...] = ()
    wrenches: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.times)

    def first(self, frames: int) -> Trajectory:
        """The first `frames` frames, as views of the same arrays."""
        return self._cut(slice(frames))

    def since(self, frame: int) -> Trajectory:
        """The frames from number `frame` on, as views of the same arrays."""
        return self._cut(slice(frame, None))

    def _cut(self, frames: slice) -> Trajectory:
        cut = {
            item.name: value[frames]
            for item in dataclasses.fields(self)
            if isinstance(value := getattr(self, item.name), np.ndarray)
        }
        return dataclasses.replace(self, **cut)

    def save(self, path: Path) -> None:
        """Write to `path`, whole or not at all, as its suffix says.

        Raises:
            ValueError: the suffix is neither .npz nor .csv. OSError: it cannot be written there.
        """
        if path.suffix.lower() not in SUFFIXES:
            raise ValueError(f"{path}: a trajectory is saved as {' or '.join(SUFFIXES)}, not '{path.suffix}'")
        write = self._write_npz if path.suffix.lower() == ".npz" else self._write_csv
        partial = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            with partial.open("xb") as file:
                write(file)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)

    def _write_npz(self, file: IO[bytes]) -> None:
        np.savez_compressed(
            file,
            **{
                item.name: np.asarray(value)
                for item in dataclasses.fields(self)
                if (value := getattr(self, item.name)) is not None
            },
        )

    def _write_csv(self, file: IO[bytes]) -> None:
        header = [("time", "s")]
        header += [(f"q {name}", unit) for name, unit in self.q_names]
        header += [(f"qd {name}", unit) for name, unit in self.qd_names]
        header += [(f"{link}.{part}", unit) for link in self.link_names for part, unit in POSE_PARTS]
        header += [(name, "J") for name in ("kinetic", "potential", "dissipated", "supplied")]
        energies = np.stack([self.kinetic, self.potential, self.dissipated, self.supplied], axis=1)
        table = [self.times[:, None], self.q, self.qd, self.X_WL.reshape(len(self), -1), energies]
        if self.efforts is not None:
            header += [(f"effort {name}", FORCE_UNITS.get(unit, "")) for name, unit in self.qd_names]
            table.append(self.efforts)
        if self.wrenches is not None:
            header += [(f"{joint}.{part}", unit) for joint in self.wrench_names for part, unit in WRENCH_PARTS]
            table.append(self.wrenches.reshape(len(self), -1))
        with io.TextIOWrapper(file, encoding="utf-8", newline="") as text:
            rows = csv.writer(text, lineterminator="\n")
            rows.writerow(f"{name} [{unit}]" if unit else name for name, unit in header)
            rows.writerows(np.hstack(table).tolist())

    @classmethod
    def load(cls, path: Path) -> Trajectory:
        """Read an .npz that `save` wrote.

        Raises:
            ValueError: it is no such file. OSError: it cannot be read.
        """
        with np.load(path, allow_pickle=False) as data:
            needed = {item.name for item in dataclasses.fields(cls) if item.default is dataclasses.MISSING}
            missing = needed - set(data.files)
            if missing:
                raise ValueError(f"{path}: not a trajectory, it has no '{sorted(missing)[0]}'")
            values = {name: data[name] for name in data.files}
        for name in ("q_names", "qd_names"):
            values[name] = tuple(tuple(pair) for pair in values[name].reshape(-1, 2).tolist())
        for name in {"link_names", "wrench_names"} & set(values):
            values[name] = tuple(values[name].tolist())
        return cls(**values)
