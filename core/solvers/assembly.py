# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial state of a simulation: the values that the user gave, with loops closed and velocities that fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..compilation.jit import kernel
from ..controls.controls import Controls
from ..dynamics.constraint_rows import position_errors, velocity_errors
from ..dynamics.constraints import ConstraintSet, constraints_of
from ..kinematics import coordinates_at, tree_poses
from ..kinematics.motion import integrate_positions, update_bodies
from ..kinematics.work import largest
from ..model import WORLD, Equation, ModelError
from ..model.compiling.compiled import ByJoint, CompiledModel
from ..model.couplings import mimic_equation
from ..spatial import IDENTITY, compose, inverse
from ..spatial.storage import copy
from .singular_mass_matrix import require_regular
from .system import (
    ACCEPTED_RESIDUAL,
    CLOSED_RESIDUAL,
    ENERGY_TOTALS,
    System,
    make_system,
    read_signals,
    solve_correction,
    write_rates,
)

MAX_NEWTON_STEPS = 300
"""Upper bound of the Newton steps of the assembly. A far start needs many, since MAX_STEP_CHANGE limits each of them.
"""
MAX_STALLED_STEPS = 30
"""Number of consecutive steps without progress after which the assembly ends."""
MAX_STEP_CHANGE = 0.3
"""Largest change of a coordinate in one step of the assembly [rad or m]."""


@dataclass(frozen=True)
class InitialState:
    """An initial state.

    Attributes:
        q: shape (nq,). qd: shape (nv,).
        notes: given values that could not be kept.
    """

    q: np.ndarray
    qd: np.ndarray
    notes: tuple[str, ...] = ()


def assemble(
    compiled: CompiledModel, controls: Controls, q: ByJoint, qd: ByJoint, time: float, is_measured: bool = False
) -> InitialState:
    """Close a model's loops and couplings at the start.

    Joints in `q` stay where they are, joints in `qd` move as given, and all others follow, by Newton steps that are the
    smallest in the metric of the mass matrix. If that is impossible, the given values change too.

    Args:
        compiled: with loops split. time: of the start, for prescribed motion [s].
        is_measured: whether `q` and `qd` were measured on links and are inexact. All of them may then change slightly.

    Raises:
        ModelError: if a loop cannot be closed; the message has the joint and the gap. StateError: if `q` or `qd` does
            not fit the model.
    """
    controls.require(compiled)
    assembly = _Assembly(compiled, controls, time)
    q_start, qd_start = compiled.q_from(q), compiled.q_from(qd, velocities=True)
    assembly.notes += [
        f"joint '{name}' is prescribed: the state given for it is not taken" for name in q if name in controls.joints
    ]
    if not assembly.needed:
        return InitialState(q_start, qd_start)
    _set_followers(compiled, q_start, {*q, *controls.joints})
    fixed_q, fixed_qd = ([], []) if is_measured else (q, qd)
    q_start = assembly.close(q_start, [name for name in fixed_q if name not in controls.joints])
    qd_start = assembly.fit(q_start, qd_start, [name for name in fixed_qd if name not in controls.joints])
    return InitialState(q_start, qd_start, tuple(assembly.notes))


class _Assembly:
    def __init__(self, compiled: CompiledModel, controls: Controls, time: float):
        self.compiled, self.controls, self.time = compiled, controls, time
        self.loops = constraints_of(compiled, controls.joints, controls.links)
        self.needed = self.loops.rows > 0
        self.notes: list[str] = []

    def close(self, q: np.ndarray, fixed: list[str]) -> np.ndarray:
        """Return positions with all constraints satisfied. Those of `fixed` do not change if that is possible."""
        constraints, system = self._constrain(q, fixed)
        found, error = _close_positions(system, q.copy())
        if fixed and not np.abs(error).max() <= ACCEPTED_RESIDUAL:
            self._note_released(fixed, "positions")
            constraints, system = self._constrain(q, [])
            found, error = _close_positions(system, q.copy())
        if not np.abs(error).max() <= ACCEPTED_RESIDUAL:
            if not np.isfinite(error).all():
                require_regular(self.compiled, q)  # without inertia, no step is the smallest
            row = int(np.argmax(np.abs(np.nan_to_num(error, nan=np.inf))))
            raise ModelError(
                f"{constraints.name_of_row(row)} cannot be closed: {constraints.gap_in_words(row, error)}; bring its "
                "links nearer to where they belong, or look for what is too short, too long, or held elsewhere"
            )
        return found

    def fit(self, q: np.ndarray, qd: np.ndarray, fixed: list[str]) -> np.ndarray:
        """Return velocities that all constraints allow. Those of `fixed` do not change if that is possible."""
        found, error = _fit_velocities(self._constrain(q, fixed)[1], q, qd.copy(), self.loops.rows)
        if fixed and not np.abs(error).max() <= ACCEPTED_RESIDUAL * (1.0 + np.abs(qd).max(initial=0.0)):
            self._note_released(fixed, "velocities")
            found, error = _fit_velocities(self._constrain(q, [])[1], q, qd.copy(), self.loops.rows)
        return found

    def _constrain(self, q: np.ndarray, names: list[str]) -> tuple[ConstraintSet, System]:
        fixed = {name: q[self.compiled.spans[name].q] for name in names}
        constraints = constraints_of(self.compiled, self.controls.joints, self.controls.links, fixed)
        system = make_system(self.compiled, constraints)
        if constraints.signals:
            at = self.time
            samples = self.controls.sample(constraints.signals, self.compiled, at, at + 1e-3)
            inputs = self.controls.prescribe(system.inputs, constraints.signals, samples, (0.0, 1e-3))
            system = system._replace(inputs=inputs)
        return constraints, system

    def _note_released(self, names: list[str], quantity: str) -> None:
        given = ", ".join(f"'{name}'" for name in names)
        self.notes.append(f"the {quantity} given for {given} cannot be kept: loops, couplings or limits lead elsewhere")


def _close_positions(system: System, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (q, remaining error of each row) after as many Newton steps as make progress."""
    best, stalled = math.inf, 0
    for _ in range(MAX_NEWTON_STEPS):
        factor_at(system, q)
        take_position_step(system, q, MAX_STEP_CHANGE)
        write_position_errors(system, 0.0, q)
        worst = float(np.abs(system.scratch.error).max())
        if worst <= CLOSED_RESIDUAL or not math.isfinite(worst):
            break
        best, stalled = (worst, 0) if worst < 0.9 * best else (best, stalled + 1)
        if stalled > MAX_STALLED_STEPS:
            break
    return q, system.scratch.error.copy()


def _fit_velocities(
    system: System, q: np.ndarray, qd: np.ndarray, first_fixed_row: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (qd, remaining error of each row). Rows from `first_fixed_row` on keep their rates."""
    write_velocity_errors(system, 0.0, q, qd)
    target = system.scratch.error.copy()
    target[:first_fixed_row] = 0.0
    factor_at(system, q)
    for _ in range(5):
        write_velocity_errors(system, 0.0, q, qd)
        take_velocity_step(system, qd, system.scratch.error - target)
    write_velocity_errors(system, 0.0, q, qd)
    return qd, system.scratch.error - target


@kernel
def write_position_errors(system, time, q):
    """Write the position error of each row at a time [s] to the system's `error`."""
    read_signals(system, time)
    update_bodies(system.model, system.work, q, system.work.zeros)
    position_errors(system.model, system.work, system.constraints, system.scratch.signal, q, system.scratch.error)


@kernel
def write_velocity_errors(system, time, q, qd):
    """Write the velocity error of each row at a time [s] to the system's `error`."""
    read_signals(system, time)
    update_bodies(system.model, system.work, q, qd)
    velocity_errors(system.model, system.work, system.constraints, system.scratch.signal, q, qd, system.scratch.error)


def factor_at(system: System, q: np.ndarray) -> None:
    """Factor the mass matrix and the constraint matrix at q, for the steps below."""
    y = np.concatenate([q, np.zeros(len(system.tau) + ENERGY_TOTALS)])
    write_rates(system, 0.0, y, np.zeros_like(y))


@kernel
def take_position_step(system, q, longest):
    """Move q by a Newton step in which no coordinate changes by more than `longest` [rad or m]."""
    scratch = system.scratch
    position_errors(system.model, system.work, system.constraints, scratch.signal, q, scratch.error)
    solve_correction(system)
    integrate_positions(system.model, q, scratch.dv, min(1.0, longest / max(largest(scratch.dv), 1e-300)))


@kernel
def take_velocity_step(system, qd, error):
    """Change qd by a Newton step that removes `error`."""
    scratch = system.scratch
    copy(error, scratch.error)
    solve_correction(system)
    for j in range(qd.shape[0]):
        qd[j] += scratch.dv[j]


def _set_followers(compiled: CompiledModel, q: np.ndarray, given: set[str]) -> None:
    """Move mimics to the values that their leaders imply, and loop joints to the poses that the tree implies."""
    mimics = [(joint.name, joint.mimic) for joint in compiled.model.joints if joint.mimic and joint.name not in given]
    # A chain of mimics has at most as many members as there are mimics.
    for _ in mimics:
        for follower, mimic in mimics:
            _set_mimic(compiled, q, mimic_equation(follower, mimic))
    links = [joint for joint in compiled.tree.loops if joint.name in compiled.spans and joint.name not in given]
    if links:
        tree_joints = {branch.joint.name for branch in compiled.tree.branches} | set(compiled.floating)
        state = {name: values for name, values in compiled.q_by_joint(q).items() if name in tree_joints}
        poses = {WORLD: IDENTITY} | tree_poses(compiled.model, state)
        for joint in links:
            frames = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
            span = compiled.spans[joint.name]
            q[span.q] = coordinates_at(joint, compose(inverse(frames[0]), frames[1]), q[span.q])


def _set_mimic(compiled: CompiledModel, q: np.ndarray, equation: Equation) -> None:
    follower, leader = equation.terms
    follower_index, leader_index = (compiled.model.joint(term.joint).place_of(term.axis) for term in equation.terms)
    if follower_index is not None and leader_index is not None:
        leader_value = q[compiled.spans[leader.joint].q_at(leader_index)]
        q[compiled.spans[follower.joint].q_at(follower_index)] = equation.constant - leader.weight * leader_value
