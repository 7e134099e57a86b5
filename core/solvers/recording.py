"""What is kept of a motion, frame by frame, and what is worked out of it on request."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import numpy as np

from ..dynamics import joint_wrenches, mechanical_energy
from ..dynamics.constraints import EQUATION, ConstraintSet
from ..dynamics.guards import add_chart_drive, add_drive
from ..jit import kernel
from ..kinematics import forward_kinematics, make_work, place_links
from ..kinematics.motion import rigid_inertia_of
from ..kinematics.work import get9, get_pair
from ..model import WORLD, Joint
from ..model.compiled import ON_COLUMN, CompiledModel, coordinate_names
from ..spatial import (
    IDENTITY,
    compose,
    force_cross,
    force_from,
    inertia_rotate,
    momentum,
    pair_add,
    rotate,
    rotate_back,
)
from ..trajectory.trajectory import Trajectory
from .assembly import gaps
from .external_forces import tension_of, wrench_of
from .protocol import Solver
from .system import LEDGERS, System, write_rates

RECORDS = ("efforts", "wrenches")
"""What a `Recorder` works out on request; see `Trajectory`."""


def blank_trajectory(stages: Sequence[CompiledModel], times: np.ndarray, record: Collection[str]) -> Trajectory:
    """One with room for all that moves in any stage of a motion; what does not move in a stage is no number."""
    compiled = stages[0]
    q_names = _united([coordinate_names(stage) for stage in stages])
    qd_names = _united([coordinate_names(stage, velocities=True) for stage in stages])
    joints = tuple(_united([reaction_names(stage) for stage in stages])) if "wrenches" in record else ()
    frames = len(times)
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
    )


def _united(lists: list[list]) -> list:
    return list(dict.fromkeys(entry for entries in lists for entry in entries))


class Recorder:
    """Fills a trajectory during one stage of a motion.

    Attributes:
        frames: how many it has. loop_error: the largest gap so far, of loops [m] and of equations [rad or m].
    """

    def __init__(
        self,
        compiled: CompiledModel,
        constraints: ConstraintSet,
        system: System,
        trajectory: Trajectory,
        before: Recorder | None = None,
    ):
        self.compiled, self.constraints, self._all = compiled, constraints, trajectory
        self.frames, self.loop_error = (before.frames, before.loop_error) if before else (0, 0.0)
        self._begun = self.frames
        self._work = make_work(compiled.arrays)._replace(watches=system.work.watches)
        self._at_q = [trajectory.q_names.index(name) for name in coordinate_names(compiled)]
        self._at_v = [trajectory.qd_names.index(name) for name in coordinate_names(compiled, velocities=True)]

    @property
    def trajectory(self) -> Trajectory:
        """The frames so far."""
        return self._all.first(self.frames)

    @property
    def stage(self) -> Trajectory:
        """The frames of this stage, with the coordinates that its model has."""
        done = self.trajectory.since(self._begun)
        efforts = None if done.efforts is None else done.efforts[:, self._at_v]
        return dataclasses.replace(done, q=done.q[:, self._at_q], qd=done.qd[:, self._at_v], efforts=efforts)

    def energy(self, solver: Solver) -> float:
        """Kinetic and potential, at a solver's state [J]."""
        return sum(mechanical_energy(self.compiled.arrays, self._work, solver.q, solver.qd))

    def record(self, solver: Solver, system: System) -> None:
        """Keep the solver's present state as the next frame."""
        out, compiled, frame = self._all, self.compiled, self.frames
        out.q[frame, self._at_q], out.qd[frame, self._at_v] = solver.q, solver.qd
        out.dissipated[frame], out.supplied[frame] = solver.dissipated, solver.supplied
        out.kinetic[frame], out.potential[frame] = mechanical_energy(compiled.arrays, self._work, solver.q, solver.qd)
        place_links(compiled.arrays, self._work, solver.q, compiled.link_body, compiled.X_BL, out.X_WL[frame])
        if self.constraints.rows:
            gaps(system, solver.time, solver.q)
            gap = self.constraints.largest_gap(system.scratch.error)
            self.loop_error = max(self.loop_error, gap)
            if out.loop_error is not None:
                out.loop_error[frame] = gap
        if out.efforts is not None or out.wrenches is not None:
            qdd = observe(system, solver)
            if out.efforts is not None:
                out.efforts[frame, self._at_v] = efforts_of(compiled, self.constraints, system, solver)
            if out.wrenches is not None:
                found = reactions(compiled, self.constraints, system, solver.time, solver.q, solver.qd, qdd)
                for name, wrench in found.items():
                    out.wrenches[frame, out.wrench_names.index(name)] = wrench
        self.frames = frame + 1


def observe(system: System, solver: Solver) -> np.ndarray:
    """The accelerations at a solver's state, shape (nv,); forces and multipliers are left in the system."""
    y = np.concatenate([solver.q, solver.qd, np.zeros(LEDGERS)])
    rates = np.zeros_like(y)
    write_rates(system, solver.time, y, rates)
    return rates[len(solver.q) : -LEDGERS]


def efforts_of(compiled: CompiledModel, constraints: ConstraintSet, system: System, solver: Solver) -> np.ndarray:
    """With what each dof is driven, after `observe`, shape (nv,): by drives, the callback, and prescribed motion."""
    found = system.thrust.copy()
    add_drives(system, solver.q, solver.qd, found)
    for record in constraints.active:
        signal = constraints.signal_of(record)
        multipliers = system.scratch.multipliers[record.row : record.row + record.rows]
        if signal is None or signal.of_link:
            continue
        if record.kind == EQUATION:
            for term in constraints.arrays.terms[record.term : record.term_end]:
                found[term.v] += term.weight * multipliers[0]
        else:  # across a chart, in its child-side axes
            body = compiled.arrays.bodies[record.other]
            R = get9(system.work.bodies[record.other].rotation)
            parts = np.concatenate([rotate_back(R, tuple(multipliers[3:])), rotate_back(R, tuple(multipliers[:3]))])
            found[body.v : body.v_end] += parts[6 - (body.v_end - body.v) :]
    return found


@kernel
def add_drives(system, q, qd, out):
    """Add to `out`, shape (nv,), what drives exert at a state, as `guard_forces` has them act."""
    model, work = system.model, system.work
    for k in range(model.guards.shape[0]):
        guard, watch = model.guards[k], work.watches[k]
        if guard.kind == ON_COLUMN and watch.asleep == 0:
            add_drive(guard, watch, work.columns[guard.v], q, qd, 0.0, out)
    for k in range(model.chart_drives.shape[0]):
        add_chart_drive(model, work, model.chart_drives[k], q, qd, 0.0, out)


def reaction_names(compiled: CompiledModel) -> list[str]:
    """The joints that `reactions` tells of: those of the tree, and those that close loops."""
    floats = [span.joint.name for span in compiled.spans.values() if span.link in compiled.floating]
    return [
        *floats,
        *(branch.joint.name for branch in compiled.tree.branches),
        *(weld.joint.name for weld in compiled.welds),
    ]


def reactions(
    compiled: CompiledModel,
    constraints: ConstraintSet,
    system: System,
    time: float,
    q: np.ndarray,
    qd: np.ndarray,
    qdd: np.ndarray,
) -> dict[str, np.ndarray]:
    """What each joint gives to the link that it carries, after `observe`: see `Trajectory.wrenches`.

    A loop joint gives its part of a link what that part's motion asks for, and what the weld hands on to the rest.
    """
    poses = forward_kinematics(compiled, q)[0]
    outside = {name: np.zeros(6) for name in compiled.link_names}

    def push(link: str, wrench: np.ndarray, point: np.ndarray) -> None:
        if link != WORLD:
            arm = point - poses[compiled.link_names.index(link), :3]
            outside[link] += np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])

    bodies, elapsed = system.work.bodies, time - system.window[0]
    acting = [(applied, wrench_of(applied, get9(bodies[applied.body].rotation))) for applied in system.pushes]
    acting += [(tether, tension_of(tether, bodies[tether.body], elapsed)) for tether in system.tethers]
    for applied, (torque, force) in acting:
        push(compiled.link_names[applied.link], np.array([*force, *torque]), np.array(bodies[applied.body].origin))
    records, found = constraints.active, {}
    for weld, record in zip(compiled.welds, records, strict=False):  # the welds of loops come first
        own = system.work.bodies[weld.body]
        point = np.array(own.origin) + np.array(rotate(get9(own.rotation), weld.X_rest[:3]))
        wrench = np.roll(system.scratch.multipliers[record.row : record.row + 6], 3)
        if weld.is_cut:
            wrench = wrench + _asked(system, weld.part_body, point)
        push(weld.branch.outer, wrench, point)
        push(weld.branch.inner, np.negative(wrench), point)
        arm = point - _child_side(weld.joint, poses, compiled)
        found[weld.joint.name] = np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])
    for record in records:
        signal = constraints.signal_of(record)
        if signal and signal.of_link:
            point = poses[compiled.link_names.index(signal.name), :3]
            push(signal.name, np.roll(system.scratch.multipliers[record.row : record.row + 6], 3), point)
    return joint_wrenches(compiled, q, qd, qdd, outside) | found


def _child_side(joint: Joint, poses: np.ndarray, compiled: CompiledModel) -> np.ndarray:
    """Where the origin of the joint's child-side frame is in the world [m]."""
    X_WL = IDENTITY if joint.child == WORLD else tuple(poses[compiled.link_names.index(joint.child)])
    return np.array(compose(X_WL, joint.X_CJ)[:3])


def _asked(system: System, body: int, point: np.ndarray) -> np.ndarray:
    """The wrench that a body's present motion and weight ask for, taken at a point, force first, shape (6,)."""
    own = system.work.bodies[body]
    inertia = inertia_rotate(get9(own.rotation), rigid_inertia_of(system.model.bodies[body]))
    velocity, acceleration = get_pair(own.velocity), get_pair(own.acceleration)
    asked = pair_add(momentum(inertia, acceleration), force_cross(velocity, momentum(inertia, velocity)))
    torque, force = force_from(asked, tuple(np.array(own.origin) - point))
    return np.array([*force, *torque])
