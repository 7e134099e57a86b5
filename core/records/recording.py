# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording of a motion: the frames of its trajectory, and the forces that are computed on request."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..contact.collision_state import CollisionState
from ..contact.touch_log import REPORTED, TOUCH, TouchLog
from ..model.compiling.compiled import CompiledModel, coordinate_names
from ..solvers.frame_loads import frame_loads
from ..solvers.frames import FIRST, LAST, NEXT, Frames, FramesAhead
from ..solvers.protocol import Observation
from ..solvers.reactions import reaction_names
from ..trajectory.touches import TABLES, Contacts
from ..trajectory.trajectory import Trajectory
from .named_contacts import table_of_contacts

RECORDS = ("efforts", "wrenches", *TABLES)
"""Names of the results that a `Recorder` computes on request; see `Trajectory`."""


def blank_trajectory(stages: Sequence[CompiledModel], times: np.ndarray, record: Collection[str]) -> Trajectory:
    """Return a trajectory with room for all coordinates of all stages of a motion.

    Coordinates that a stage does not have are NaN in its frames.

    Args:
        times: of the frames, shape (F,) [s].
        record: names in `RECORDS`.
    """
    compiled = stages[0]
    q_names = _united([coordinate_names(stage) for stage in stages])
    qd_names = _united([coordinate_names(stage, velocities=True) for stage in stages])
    joints = tuple(_united([reaction_names(stage) for stage in stages])) if "wrenches" in record else ()
    frames = len(times)
    tables: dict[str, Any] = {name: kind.joined([]) for name, kind in TABLES.items() if name in record}
    return Trajectory(
        times=times,
        link_names=compiled.link_names,
        X_WL=np.zeros((frames, len(compiled.link_names), 7)),
        q_names=tuple(q_names),
        q=np.full((frames, len(q_names)), np.nan),
        qd_names=tuple(qd_names),
        qd=np.full((frames, len(qd_names)), np.nan),
        kinetic=np.zeros(frames),
        potential=np.zeros(frames),
        dissipated=np.zeros(frames),
        supplied=np.zeros(frames),
        efforts=np.full((frames, len(qd_names)), np.nan) if "efforts" in record else None,
        wrench_names=joints,
        wrenches=np.full((frames, len(joints), 6), np.nan) if "wrenches" in record else None,
        loop_error=np.zeros(frames),
        joints=_columns_of_joints(stages, q_names, qd_names),
        **tables,
    )


def _widened(trajectory: Trajectory, stage: CompiledModel) -> Trajectory:
    """Return a trajectory that also has the columns of a stage that was not foreseen, since a joint has broken."""
    q_names = _united([[*trajectory.q_names], coordinate_names(stage)])
    qd_names = _united([[*trajectory.qd_names], coordinate_names(stage, velocities=True)])
    more_q, more_v = len(q_names) - len(trajectory.q_names), len(qd_names) - len(trajectory.qd_names)
    changes: dict[str, Any] = {}
    if more_q or more_v:
        frames = len(trajectory)
        lack_q, lack_v = np.full((frames, more_q), np.nan), np.full((frames, more_v), np.nan)
        changes = {
            "q_names": tuple(q_names),
            "q": np.hstack([trajectory.q, lack_q]),
            "qd_names": tuple(qd_names),
            "qd": np.hstack([trajectory.qd, lack_v]),
            "joints": {**_columns_of_joints([stage], q_names, qd_names), **trajectory.joints},
        }
        if trajectory.efforts is not None:
            changes["efforts"] = np.hstack([trajectory.efforts, lack_v])
    if trajectory.wrenches is not None:
        joints = tuple(_united([[*trajectory.wrench_names], reaction_names(stage)]))
        if more := len(joints) - len(trajectory.wrench_names):
            lack = np.full((len(trajectory), more, 6), np.nan)
            changes |= {"wrench_names": joints, "wrenches": np.concatenate([trajectory.wrenches, lack], axis=1)}
    return dataclasses.replace(trajectory, **changes) if changes else trajectory


def _columns_of_joints(stages: Sequence[CompiledModel], q_names: list, qd_names: list) -> dict[str, tuple]:
    """Return the columns of q and qd that belong to each joint: see `Trajectory.joints`."""
    found: dict[str, tuple] = {}
    at_q, at_v = ({name: at for at, name in enumerate(names)} for names in (q_names, qd_names))
    for stage in stages:
        names, rates = coordinate_names(stage), coordinate_names(stage, velocities=True)
        for joint, span in stage.spans.items():
            found.setdefault(
                joint, (tuple(at_q[name] for name in names[span.q]), tuple(at_v[name] for name in rates[span.v]))
            )
    return found


def _united(lists: list[list]) -> list:
    return list(dict.fromkeys(entry for entries in lists for entry in entries))


class Recorder:
    """A recorder, which writes the frames of one stage of a motion to the trajectory.

    Args:
        trajectory: one from `blank_trajectory`, of all stages; only the first recorder needs it.
        before: the recorder of the stage before, whose trajectory is continued.
        owners: for each solid, the name of its link.
        collisions: the solids that may touch; None if none may.
        is_prescribed: whether any motion is prescribed.

    Attributes:
        frames: number of frames so far, of all stages.
        loop_error: the largest gap so far, of loops [m] and of equations [rad or m].
    """

    def __init__(
        self,
        compiled: CompiledModel,
        trajectory: Trajectory,
        before: Recorder | None = None,
        owners: Sequence[str] = (),
        collisions: CollisionState | None = None,
        is_prescribed: bool = False,
    ):
        self._is_prescribed = is_prescribed
        self._all = trajectory = _widened(before._all, compiled) if before else trajectory
        self.frames, self.loop_error = (before.frames, before.loop_error) if before else (0, 0.0)
        self._begun, self._owners, self._compiled = self.frames, owners, compiled
        self._ahead: FramesAhead | None = None
        self._log = TouchLog(collisions) if collisions else None
        self._touched: list[Contacts] = before._touched if before else []  # shared by all stages, as the trajectory is
        self._at_q = _columns(coordinate_names(compiled), trajectory.q_names)
        self._at_v = _columns(coordinate_names(compiled, velocities=True), trajectory.qd_names)

    @property
    def trajectory(self) -> Trajectory:
        """The frames so far, without impacts, which the solver keeps."""
        done = self._all.first(self.frames)
        if done.contacts is None:
            return done
        return dataclasses.replace(done, contacts=Contacts.joined(self._touched[: self.frames]))

    @property
    def stage(self) -> Trajectory:
        """The frames of this stage, with the coordinates of its model only."""
        done = self.trajectory.since(self._begun)
        efforts = None if done.efforts is None else done.efforts[:, self._at_v]
        return dataclasses.replace(done, q=done.q[:, self._at_q], qd=done.qd[:, self._at_v], efforts=efforts)

    @property
    def touches(self) -> np.ndarray:
        """The TOUCH records of this stage, whose frames are counted from its first one."""
        return self._log.lines if self._log else np.zeros(0, TOUCH)

    def rewind(self, frames: int, loop_error: float) -> None:
        """Continue after so many frames. Later frames will be overwritten."""
        self.frames, self.loop_error = frames, loop_error
        del self._touched[frames:]
        if self._log:
            self._log.rewind(frames - self._begun)

    @property
    def needs_observations(self) -> bool:
        """Whether what is recorded takes an observation of each frame, so that a solver cannot write frames itself."""
        out = self._all
        has_loads = out.efforts is not None or out.wrenches is not None
        return out.contacts is not None or (has_loads and self._is_prescribed)

    def frames_ahead(self, last: int, zero: float) -> FramesAhead:
        """Return the arrays to which a solver writes the frames from the next one up to `last`.

        zero: time from which the solver counts [s].
        """
        if self._ahead is None:
            self._ahead = FramesAhead(self._arrays(zero), None)
        if self._log and self._ahead.log is not (log := self._log.arrays()):
            self._ahead = self._ahead._replace(log=log)
        self._ahead.frames.numbers[[FIRST, NEXT, LAST]] = self._begun, self.frames, last
        return self._ahead

    def _arrays(self, zero: float) -> Frames:
        out, compiled, frames = self._all, self._compiled, len(self._all)
        columns_q, columns_v = np.arange(len(out.q_names))[self._at_q], np.arange(len(out.qd_names))[self._at_v]
        gaps = np.zeros(frames) if out.loop_error is None else out.loop_error
        energies = out.kinetic, out.potential, out.dissipated, out.supplied
        places = out.X_WL, compiled.link_body, compiled.X_BL
        times, numbers, loads = out.times - zero, np.zeros(3, np.int64), frame_loads(compiled, out, self._owners)
        return Frames(
            numbers, times, out.q, out.qd, columns_q, columns_v, *places, *energies, gaps, np.zeros(frames), loads
        )

    def accept_frames(self, frames: Frames) -> np.ndarray:
        """Count the frames that a solver has written, and return the energy that has flowed up to each [J]."""
        written = slice(self.frames, int(frames.numbers[NEXT]))
        self.frames = written.stop
        self.loop_error = max(self.loop_error, float(frames.gaps[written].max(initial=0.0)))
        return frames.flows[written]

    @property
    def contact_points(self) -> np.ndarray:
        """REPORTED records of the contacts at the last frame that a solver has written."""
        return self._log.reported if self._log else np.zeros(0, REPORTED)

    def record(self, seen: Observation) -> None:
        """Write the present state to the next frame."""
        out, frame, state = self._all, self.frames, seen.state
        out.q[frame, self._at_q], out.qd[frame, self._at_v] = state.q, state.qd
        out.dissipated[frame], out.supplied[frame] = state.dissipated, state.supplied
        gap = seen.largest_gap()
        out.kinetic[frame], out.potential[frame] = seen.place(out.X_WL[frame])
        self.loop_error = max(self.loop_error, gap)
        if out.loop_error is not None:
            out.loop_error[frame] = gap
        if out.efforts is not None:
            out.efforts[frame, self._at_v] = seen.efforts()
        if out.wrenches is not None:
            for name, wrench in seen.wrenches().items():
                out.wrenches[frame, out.wrench_names.index(name)] = wrench
        if out.contacts is not None:
            seen.accelerations()  # computes the loads of contacts at this instant
            time = float(out.times[frame])
            self._touched.append(table_of_contacts(self._owners, seen.contacts().points, frame, time))
        if self._log:
            self._log.add(*seen.contacts(), frame - self._begun)
        self.frames = frame + 1


def _columns(names: list[tuple], known: Sequence[tuple]) -> slice | np.ndarray:
    """Return the places of names among others. They are a slice if they are contiguous, which numpy indexes fastest."""
    number = {name: at for at, name in enumerate(known)}
    found = np.array([number[name] for name in names], dtype=np.intp)
    begin = int(found[0]) if len(found) else 0
    return slice(begin, begin + len(found)) if np.array_equal(found, begin + np.arange(len(found))) else found
