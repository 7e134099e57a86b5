# SPDX-License-Identifier: GPL-3.0-or-later
"""`Trajectory`: a motion as arrays, frame by frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..model import Model, ModelError
from ..model.compiling.compile import AnyModel, compile_model, compiled_of
from ..model.compiling.compiled import coordinate_names
from ..model.text import counted
from .files.writing import UNSAVED, write
from .states import Frames, states_of
from .touches import TABLES, Contacts, Impacts


@dataclass(frozen=True, repr=False)
class Trajectory:
    """A motion: F frames of L links.

    Attributes:
        times: shape (F,) [s].
        link_names: L names. X_WL: link poses x y z qw qx qy qz in the world, shape (F, L, 7) [m].
        q_names, qd_names: (name, unit) of each coordinate.
        q: shape (F, nq). qd: shape (F, nv). NaN while the joint of a coordinate is not enabled.
        kinetic, potential: shape (F,) [J]. Energies are NaN if they were not computed.
        dissipated, supplied: energy since the start, shape (F,) [J]. The first is what dampers, friction and impacts
            have removed. The second is what drives, belts, controls and external forces have added, and the work of
            separating links that overlapped.
        efforts: force of the drive, callback or prescribed motion on each velocity coordinate, shape (F, nv) [N m or
            N]; on request.
        wrench_names, wrenches: for J joints, the force [N] and then the torque [N m] about the child-side origin that
            the joint exerts on the link that it carries, in world axes, shape (F, J, 6); on request. It carries its
            child link, unless the base of the model is on that side.
        loop_error: the largest gap in a loop joint [m], or error of a coupling [rad or m], shape (F,); 0 without loops
            and couplings, None if it was not computed.
        contacts, impacts: contact points in each frame, and impacts from the first frame to the last; on request.
        broken, broken_at: names of the joints that broke under load, and when [s].
        joints: {joint: (columns of q, columns of qd)}, in the joint's own order; not stored in files.
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
    broken: tuple[str, ...] = ()
    broken_at: tuple[float, ...] = ()
    joints: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict, metadata=UNSAVED)

    def __post_init__(self):
        for name in TABLES:
            table = getattr(self, name)
            if table is not None and table.frame_count != len(self.times):
                object.__setattr__(self, name, dataclasses.replace(table, frame_count=len(self.times)))

    @classmethod
    def of(cls, model: AnyModel, times: ArrayLike, q: Frames, qd: Frames | None = None) -> Trajectory:
        """Return the motion of a model with given coordinates: a plan, a measurement, or a result of another program.

        Poses are those of `forward_kinematics`, and kinetic and potential energy are computed from q and qd. What would
        need the forces is not known: dissipated and supplied energy are NaN.

        Args:
            times: of the frames, ascending, shape (F,) [s].
            q: shape (F, nq), or {joint: shape (F,) or (F, its numbers)}. Joints that are left out are at home.
            qd: shape (F, nv), or by joint, where those that are left out are at rest. By default, differences of q in
                time, of second order.

        Raises:
            TrajectoryError: if times do not ascend. StateError: if q or qd has another shape or is not finite; or if a
                frame violates loops, mimics, couplings or equal limits; `closed_state` makes states that do not.
        """
        compiled = compiled_of(model)
        states = states_of(compiled, times, q, qd)
        columns = np.arange(compiled.nq), np.arange(compiled.nv)
        return cls(
            times=states.times,
            link_names=compiled.link_names,
            X_WL=states.X_WL,
            q_names=tuple(coordinate_names(compiled)),
            q=states.q,
            qd_names=tuple(coordinate_names(compiled, velocities=True)),
            qd=states.qd,
            kinetic=states.kinetic,
            potential=states.potential,
            dissipated=np.full(len(states.times), np.nan),
            supplied=np.full(len(states.times), np.nan),
            joints={
                name: (tuple(columns[0][span.q].tolist()), tuple(columns[1][span.v].tolist()))
                for name, span in compiled.spans.items()
            },
        )

    def __len__(self) -> int:
        return len(self.times)

    def first(self, frames: int) -> Trajectory:
        """Return the first `frames` frames, as views of the same arrays."""
        return self._cut(slice(frames))

    def since(self, frame: int) -> Trajectory:
        """Return the frames from number `frame` on, as views of the same arrays."""
        return self._cut(slice(frame, None))

    def at(self, frames: np.ndarray) -> Trajectory:
        """Return the frames with these numbers, shape (n,)."""
        return self._cut(frames)

    def link(self, name: str) -> np.ndarray:
        """Return X_WL of a link in every frame, shape (F, 7) [m].

        Raises:
            ModelError: if there is no such link.
        """
        if name not in self.link_names:
            raise ModelError(f"there is no link '{name}'; there are: {', '.join(self.link_names)}")
        return self.X_WL[:, self.link_names.index(name)]

    def joint(self, name: str) -> np.ndarray:
        """Return the coordinates of a joint in every frame, shape (F, its nq).

        Raises:
            ModelError: if no such joint moves.
        """
        return self.q[:, self._columns(name)[0]]

    def joint_velocity(self, name: str) -> np.ndarray:
        """Return the velocities of a joint in every frame, shape (F, its nv).

        Raises:
            ModelError: if no such joint moves.
        """
        return self.qd[:, self._columns(name)[1]]

    def _columns(self, name: str) -> tuple[list[int], list[int]]:
        if name in self.joints:
            at_q, at_v = self.joints[name]
        else:  # read from a file
            at_q, at_v = (_columns_named(name, names) for names in (self.q_names, self.qd_names))
        if not at_q:
            known = ", ".join(self.joints or (each for each, _ in self.q_names))
            raise ModelError(f"no joint '{name}' moves; there are: {known}")
        return [*at_q], [*at_v]

    def __repr__(self) -> str:
        span = f", {self.times[0]:g} to {self.times[-1]:g} s" if len(self) else ""
        links, q = counted(self.link_names, "link"), counted(self.q_names, "coordinate")
        return f"<Trajectory: {counted(self.times, 'frame')}{span}, {links}, {q}>"

    def state(self, frame: int | Model, model: Model | int | None = None) -> dict[str, Any]:
        """Return {"q": {joint: numbers}, "qd": {…}} at a frame, as `Simulation` takes it for `initial`.

        Joints that do not act at that time are left out, and so are those whose coordinates the trajectory does not
        have.

        Args:
            frame: its number; negative numbers count from the end.
            model: needed if the trajectory was read from a file, which does not say which coordinates belong to which
                joint. The model may also be the first argument.

        Raises:
            ModelError: if the trajectory was read from a file and there is no model. IndexError: if there is no such
                frame. TypeError: if `frame` is not a whole number.
        """
        if isinstance(frame, Model):
            frame, model = model, frame  # type: ignore[assignment]
        if isinstance(frame, bool) or not isinstance(frame, int | np.integer):
            raise TypeError(f"state takes the number of a frame, found {frame!r}")
        if not -len(self) <= frame < len(self):
            raise IndexError(f"there is no frame {frame}; there are {len(self)}, the first is 0")
        if not isinstance(model, Model):
            return self._own_state(int(frame))
        compiled = compile_model(model)
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

    def _own_state(self, frame: int) -> dict:
        if not self.joints:
            raise ModelError("a trajectory of a file does not tell its joints: name the model, state(frame, model)")
        state: dict[str, dict[str, list[float]]] = {"q": {}, "qd": {}}
        for joint, (at_q, at_v) in self.joints.items():
            place, speed = self.q[frame, [*at_q]].tolist(), self.qd[frame, [*at_v]].tolist()
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

    def save(self, path: str | Path, only_joints: bool = False) -> None:
        """Write the trajectory to `path`, completely or not at all, in the format of its suffix.

        Contacts and impacts of a .csv go into tables beside it; see `files_of`.

        Args:
            only_joints: write only times and q, one column per coordinate; for .csv only.

        Raises:
            ValueError: if the suffix is none of .npz, .csv and .json, or if `only_joints` is set for another suffix
                than .csv.
            OSError: if the file cannot be written.
        """
        write(self, Path(path), only_joints)


def _columns_named(joint: str, names: Sequence[tuple[str, str]]) -> list[int]:
    """Return the columns of a joint, whose only coordinate is called JOINT, or whose coordinates are called JOINT.PART.

    The former comes first, since the name of another joint may be JOINT.PART.
    """
    own = [i for i, (name, _) in enumerate(names) if name == joint]
    return own or [i for i, (name, _) in enumerate(names) if name.rpartition(".")[0] == joint]
