"""`Trajectory`: motion as arrays, frame by frame."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..model import Model
from ..model.compile import compile_model
from ..model.compiled import coordinate_names
from .touches import Contacts, Impacts
from .writing import write


@dataclass(frozen=True)
class Trajectory:
    """F frames of L links.

    Attributes:
        times: shape (F,) [s].
        link_names: L names. X_WL: link poses x y z qw qx qy qz in the world, shape (F, L, 7) [m].
        q_names, qd_names: (name, unit) of each coordinate.
        q: shape (F, nq). qd: shape (F, nv). NaN where a coordinate does not act.
        kinetic, potential: shape (F,) [J]; NaN, as of all energies, where nobody has worked them out.
        dissipated, supplied: taken away by dampers and brought in by controls since the start, shape (F,) [J].
        efforts: with what each velocity coordinate is driven, by its joint's drive, a callback or prescribed motion,
            shape (F, nv) [N m or N]; where asked for.
        wrench_names, wrenches: of J joints, what each gives to the link that it carries, the force [N] first, then the
            torque [N m] about its child-side origin, in world axes, shape (F, J, 6); where asked for.
        loop_error: the largest gap in a loop joint [m], or error of a coupling [rad or m], shape (F,); 0 where there
            are none, None where nobody has worked it out.
        contacts, impacts: where links touch in each frame, and the blows from the first frame to the last; where asked
            for.
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
    loop_error: np.ndarray | None = None
    contacts: Contacts | None = None
    impacts: Impacts | None = None

    def __len__(self) -> int:
        return len(self.times)

    def first(self, frames: int) -> Trajectory:
        """The first `frames` frames, as views of the same arrays."""
        return self._cut(slice(frames))

    def since(self, frame: int) -> Trajectory:
        """The frames from number `frame` on, as views of the same arrays."""
        return self._cut(slice(frame, None))

    def at(self, frames: np.ndarray) -> Trajectory:
        """The frames with these numbers, shape (n,)."""
        return self._cut(frames)

    def state(self, model: Model, frame: int) -> dict:
        """{"q": {joint: numbers}, "qd": {…}} at a frame, as `Simulation` takes it for `initial`.

        Joints that do not act then are left out, and those whose coordinates the trajectory does not have.
        """
        compiled = compile_model(model, split_loops=True)
        q = dict(zip(self.q_names, self.q[frame].tolist(), strict=True))
        qd = dict(zip(self.qd_names, self.qd[frame].tolist(), strict=True))
        names, rates = coordinate_names(compiled), coordinate_names(compiled, velocities=True)
        state: dict[str, dict[str, list[float]]] = {"q": {}, "qd": {}}
        for joint, span in compiled.spans.items():
            place = [q.get(name, np.nan) for name in names[span.q]]
            speed = [qd.get(name, np.nan) for name in rates[span.v]]
            if np.isfinite([*place, *speed]).all():
                state["q"][joint], state["qd"][joint] = place, speed
        return state

    def _cut(self, frames: slice | np.ndarray) -> Trajectory:
        cut: dict[str, Any] = {
            item.name: value[frames]
            for item in dataclasses.fields(self)
            if isinstance(value := getattr(self, item.name), np.ndarray)
        }
        if self.contacts is not None:
            cut["contacts"] = self.contacts.of_frames(np.arange(len(self))[frames])
        if self.impacts is not None:
            cut["impacts"] = self.impacts.within(cut["times"])
        return dataclasses.replace(self, **cut)

    def save(self, path: Path, only_joints: bool = False) -> None:
        """Write to `path`, whole or not at all, as its suffix says.

        A .csv has contacts and impacts in tables beside it: see `files_of`.

        Args:
            only_joints: nothing but times and q, a column a coordinate; in a .csv alone.

        Raises:
            ValueError: the suffix is none of .npz, .csv and .json, or joints alone are asked for in another than .csv.
            OSError: it cannot be written there.
        """
        write(self, path, only_joints)
