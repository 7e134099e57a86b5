# SPDX-License-Identifier: GPL-3.0-or-later
"""Recording of a motion: the frames of its trajectory, and the forces that are computed on request."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from ..contact.collision_state import CollisionState
from ..contact.points import POINTS
from ..controls.external_forces import tension_of, wrench_of
from ..dynamics import tree_wrenches
from ..dynamics.constraints import ConstraintSet
from ..kinematics import tree_kinematics
from ..kinematics.motion import rigid_inertia_of
from ..model import WORLD, Joint
from ..model.compiling.compiled import CompiledModel, coordinate_names
from ..solvers.observation import Observation
from ..spatial import (
    IDENTITY,
    compose,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    rotate,
)
from ..spatial.storage import get9, get_pair
from ..trajectory.touches import TABLES, Contacts
from ..trajectory.trajectory import Trajectory
from .contact_setup import Contact, contacts_of, table_of_contacts
from .touch_log import TOUCH, TouchLog

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
        trajectory: one from `blank_trajectory`, of all stages.
        before: the recorder of the stage before.
        owners: for each solid, the name of its link.
        collisions: the solids that may touch; None if none may.

    Attributes:
        frames: number of frames so far, of all stages.
        loop_error: the largest gap so far, of loops [m] and of equations [rad or m].
    """

    def __init__(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        trajectory: Trajectory,
        before: Recorder | None = None,
        owners: Sequence[str] = (),
        collisions: CollisionState | None = None,
    ):
        self.compiled, self.constraints, self._all = compiled, constraints, trajectory
        self.frames, self.loop_error = (before.frames, before.loop_error) if before else (0, 0.0)
        self._begun, self._owners = self.frames, owners
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

    def record(self, seen: Observation) -> None:
        """Write the present state to the next frame."""
        out, compiled, frame, state = self._all, self.compiled, self.frames, seen.state
        out.q[frame, self._at_q], out.qd[frame, self._at_v] = state.q, state.qd
        out.dissipated[frame], out.supplied[frame] = state.dissipated, state.supplied
        out.kinetic[frame], out.potential[frame] = seen.place(compiled, out.X_WL[frame])
        if self.constraints.rows:
            gap = self.constraints.largest_gap(seen.gaps())
            self.loop_error = max(self.loop_error, gap)
            if out.loop_error is not None:
                out.loop_error[frame] = gap
        if any(each is not None for each in (out.efforts, out.wrenches, out.contacts)):
            qdd = seen.accelerations()
            if out.efforts is not None:
                out.efforts[frame, self._at_v] = seen.efforts(self.constraints)
            if out.wrenches is not None:
                touching = contacts_of(self._owners, _points(seen))
                for name, wrench in reactions(compiled, self.constraints, seen, qdd, touching).items():
                    out.wrenches[frame, out.wrench_names.index(name)] = wrench
            if out.contacts is not None:
                time = float(out.times[frame])
                self._touched.append(table_of_contacts(self._owners, _points(seen), frame, time))
        if self._log:
            self._log.add(seen.system, frame - self._begun)
        self.frames = frame + 1


def _columns(names: list[tuple], known: Sequence[tuple]) -> slice | np.ndarray:
    """Return the places of names among others. They are a slice if they are contiguous, which numpy indexes fastest."""
    number = {name: at for at, name in enumerate(known)}
    found = np.array([number[name] for name in names], dtype=np.intp)
    begin = int(found[0]) if len(found) else 0
    return slice(begin, begin + len(found)) if np.array_equal(found, begin + np.arange(len(found))) else found


def _points(seen: Observation) -> np.recarray:
    """Return the POINT records of contacts. `accelerations` must have been called, which computes their loads."""
    touch = seen.system.touch
    return touch.points[: touch.count[POINTS]]


def reaction_names(compiled: CompiledModel) -> list[str]:
    """Return the joints whose wrenches `reactions` computes: those of the tree, and those that close loops."""
    floats = [span.joint.name for span in compiled.spans.values() if span.link in compiled.floating]
    return [
        *floats,
        *(branch.joint.name for branch in compiled.tree.branches),
        *(weld.joint.name for weld in compiled.welds),
    ]


def reactions(
    compiled: CompiledModel,
    constraints: ConstraintSet,
    seen: Observation,
    qdd: np.ndarray,
    touching: Sequence[Contact] = (),
) -> dict[str, np.ndarray]:
    """Return the wrench that each joint exerts on the link that it carries: see `Trajectory.wrenches`.

    `accelerations` must have been called. If a link is cut in two, the wrench of its loop joint is the sum of the
    wrench that moves the cut part, and of the wrench that the weld transmits to the rest of the link.

    Args:
        qdd: accelerations at present, shape (nv,).
        touching: contacts at present, whose forces act on links.
    """
    state, inputs, bodies = seen.state, seen.inputs, seen.bodies
    poses = tree_kinematics(compiled, state.q)[0]
    outside = {name: np.zeros(6) for name in compiled.link_names}

    def push(link: str, wrench: np.ndarray, point: np.ndarray) -> None:
        if link != WORLD:
            arm = point - poses[compiled.link_names.index(link), :3]
            outside[link] += np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])

    elapsed = state.time - inputs.window[0]
    acting = [(applied, wrench_of(applied, get9(bodies[applied.body].rotation))) for applied in inputs.pushes]
    acting += [(tether, tension_of(tether, bodies[tether.body], elapsed)) for tether in inputs.tethers]
    for applied, (torque, force) in acting:
        push(compiled.link_names[applied.link], np.array([*force, *torque]), np.array(bodies[applied.body].origin))
    for contact in touching:
        wrench = np.concatenate([contact.force, contact.torque])
        push(contact.second, wrench, contact.point)
        push(contact.first, -wrench, contact.point)
    records, found = constraints.active, {}
    for weld, record in zip(compiled.welds, records, strict=False):  # the welds of loops come first
        own = bodies[weld.body]
        point = np.array(own.origin) + np.array(rotate(get9(own.rotation), weld.X_rest[:3]))
        wrench = np.roll(seen.multipliers[record.row : record.row + 6], 3)
        if weld.is_cut:
            wrench = wrench + _asked(compiled, bodies, weld.part_body, point)
        push(weld.branch.outer, wrench, point)
        push(weld.branch.inner, np.negative(wrench), point)
        arm = point - _child_side(weld.joint, poses, compiled)
        found[weld.joint.name] = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
    for record in records:
        signal = constraints.signal_of(record)
        if signal and signal.of_link:
            point = poses[compiled.link_names.index(signal.name), :3]
            push(signal.name, np.roll(seen.multipliers[record.row : record.row + 6], 3), point)
    as_now = dataclasses.replace(compiled, arrays=seen.system.model)  # with the present gravity
    return tree_wrenches(as_now, state.q, state.qd, qdd, outside) | found


def _child_side(joint: Joint, poses: np.ndarray, compiled: CompiledModel) -> np.ndarray:
    """Return the origin of the joint's child-side frame in the world, shape (3,) [m]."""
    X_WL = IDENTITY if joint.child == WORLD else tuple(poses[compiled.link_names.index(joint.child)])
    return np.array(compose(X_WL, joint.X_CJ)[:3])


def _asked(compiled: CompiledModel, bodies: np.recarray, body: int, point: np.ndarray) -> np.ndarray:
    """Return the wrench that a body's present acceleration and its weight require, shape (6,) [N, N m].

    The force comes first, and the moment is about `point`, in world axes.
    """
    own = bodies[body]
    inertia = inertia_rotate(get9(own.rotation), rigid_inertia_of(compiled.arrays.bodies[body]))
    velocity, acceleration = get_pair(own.velocity), get_pair(own.acceleration)
    asked = pair_add(momentum(inertia, acceleration), force_cross(velocity, momentum(inertia, velocity)))
    torque, force = force_from(asked, tuple(np.array(own.origin) - point))
    return np.array([*force, *torque])
