# SPDX-License-Identifier: GPL-3.0-or-later
"""The initial state of a simulation: the values that the user gave, with loops closed and velocities that fit."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
from ..model.compiling.compiled import CompiledModel
from ..model.couplings import mimic_equation
from ..spatial import IDENTITY, compose, inverse
from ..spatial.storage import copy
from .singular_mass_matrix import require_regular
from .system import CLOSED, LEDGERS, NEARLY, System, correct, make_system, read_signals, write_rates

MOST_STEPS = 300
PATIENCE = 30
"""Number of consecutive steps without progress after which the assembly ends."""
LONGEST_STEP = 0.3
"""Largest change of a coordinate in one step of the assembly [rad or m]."""


@dataclass(frozen=True)
class Start:
    """An initial state.

    Attributes:
        q: shape (nq,). qd: shape (nv,).
        notes: given values that could not be kept.
    """

    q: np.ndarray
    qd: np.ndarray
    notes: tuple[str, ...] = ()


def assemble(
    compiled: CompiledModel, controls: Controls, q: Mapping, qd: Mapping, time: float, is_measured: bool = False
) -> Start:
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
    start = _Assembly(compiled, controls, time)
    at, moving = compiled.q_from(q), compiled.q_from(qd, velocities=True)
    start.notes += [
        f"joint '{name}' is prescribed: the state given for it is not taken" for name in q if name in controls.joints
    ]
    if not start.needed:
        return Start(at, moving)
    _follow(compiled, at, {*q, *controls.joints})
    kept_q, kept_qd = ([], []) if is_measured else (q, qd)
    at = start.close(at, [name for name in kept_q if name not in controls.joints])
    moving = start.fit(at, moving, [name for name in kept_qd if name not in controls.joints])
    return Start(at, moving, tuple(start.notes))


class _Assembly:
    def __init__(self, compiled: CompiledModel, controls: Controls, time: float):
        self.compiled, self.controls, self.time = compiled, controls, time
        self.loops = constraints_of(compiled, controls.joints, controls.links)
        self.needed = self.loops.rows > 0
        self.notes: list[str] = []

    def close(self, q: np.ndarray, kept: list[str]) -> np.ndarray:
        """Return positions with all constraints satisfied. Those of `kept` do not change if that is possible."""
        constraints, system = self._holding(q, kept)
        found, error = _closed(system, q.copy())
        if kept and not np.abs(error).max() <= NEARLY:
            self._give_way(kept, "positions")
            constraints, system = self._holding(q, [])
            found, error = _closed(system, q.copy())
        if not np.abs(error).max() <= NEARLY:
            if not np.isfinite(error).all():
                require_regular(self.compiled, q)  # without inertia, no step is the smallest
            row = int(np.argmax(np.abs(np.nan_to_num(error, nan=np.inf))))
            raise ModelError(
                f"{constraints.name_of_row(row)} cannot be closed: {constraints.gap_in_words(row, error)}; bring its "
                "links nearer to where they belong, or look for what is too short, too long, or held elsewhere"
            )
        return found

    def fit(self, q: np.ndarray, qd: np.ndarray, kept: list[str]) -> np.ndarray:
        """Return velocities that all constraints allow. Those of `kept` do not change if that is possible."""
        found, error = _fitting(self._holding(q, kept)[1], q, qd.copy(), self.loops.rows)
        if kept and not np.abs(error).max() <= NEARLY * (1.0 + np.abs(qd).max(initial=0.0)):
            self._give_way(kept, "velocities")
            found, error = _fitting(self._holding(q, [])[1], q, qd.copy(), self.loops.rows)
        return found

    def _holding(self, q: np.ndarray, names: list[str]) -> tuple[ConstraintSet, System]:
        kept = {name: q[self.compiled.spans[name].q] for name in names}
        constraints = constraints_of(self.compiled, self.controls.joints, self.controls.links, kept)
        system = make_system(self.compiled, constraints)
        if constraints.signals:
            at = self.time
            samples = self.controls.sample(constraints.signals, self.compiled, at, at + 1e-3)
            inputs = self.controls.prescribe(system.inputs, constraints.signals, samples, (0.0, 1e-3))
            system = system._replace(inputs=inputs)
        return constraints, system

    def _give_way(self, names: list[str], what: str) -> None:
        given = ", ".join(f"'{name}'" for name in names)
        self.notes.append(f"the {what} given for {given} cannot be kept: loops, couplings or limits lead elsewhere")


def _closed(system: System, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (q, remaining error of each row) after as many Newton steps as make progress."""
    best, idle = math.inf, 0
    for _ in range(MOST_STEPS):
        factor_at(system, q)
        step_closer(system, q, LONGEST_STEP)
        gaps(system, 0.0, q)
        worst = float(np.abs(system.scratch.error).max())
        if worst <= CLOSED or not math.isfinite(worst):
            break
        best, idle = (worst, 0) if worst < 0.9 * best else (best, idle + 1)
        if idle > PATIENCE:
            break
    return q, system.scratch.error.copy()


def _fitting(system: System, q: np.ndarray, qd: np.ndarray, first_kept: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (qd, remaining error of each row). Rows from `first_kept` on keep their rates."""
    rate_gaps(system, 0.0, q, qd)
    wanted = system.scratch.error.copy()
    wanted[:first_kept] = 0.0
    factor_at(system, q)
    for _ in range(5):
        rate_gaps(system, 0.0, q, qd)
        step_velocities(system, qd, system.scratch.error - wanted)
    rate_gaps(system, 0.0, q, qd)
    return qd, system.scratch.error - wanted


@kernel
def gaps(system, time, q):
    """Write the position error of each row at a time [s] to the system's `error`."""
    read_signals(system, time)
    update_bodies(system.model, system.work, q, system.work.zeros)
    position_errors(system.model, system.work, system.constraints, system.scratch.signal, q, system.scratch.error)


@kernel
def rate_gaps(system, time, q, qd):
    """Write the velocity error of each row at a time [s] to the system's `error`."""
    read_signals(system, time)
    update_bodies(system.model, system.work, q, qd)
    velocity_errors(system.model, system.work, system.constraints, system.scratch.signal, q, qd, system.scratch.error)


def factor_at(system: System, q: np.ndarray) -> None:
    """Factor the mass matrix and the constraint matrix at q, for the steps below."""
    y = np.concatenate([q, np.zeros(len(system.tau) + LEDGERS)])
    write_rates(system, 0.0, y, np.zeros_like(y))


@kernel
def step_closer(system, q, longest):
    """Move q by a Newton step in which no coordinate changes by more than `longest` [rad or m]."""
    scratch = system.scratch
    position_errors(system.model, system.work, system.constraints, scratch.signal, q, scratch.error)
    correct(system)
    integrate_positions(system.model, q, scratch.dv, min(1.0, longest / max(largest(scratch.dv), 1e-300)))


@kernel
def step_velocities(system, qd, error):
    """Change qd by a Newton step that removes `error`."""
    scratch = system.scratch
    copy(error, scratch.error)
    correct(system)
    for j in range(qd.shape[0]):
        qd[j] += scratch.dv[j]


def _follow(compiled: CompiledModel, q: np.ndarray, given: set[str]) -> None:
    """Move mimics to the values that their leaders imply, and loop joints to the poses that the tree implies."""
    mimics = [(joint.name, joint.mimic) for joint in compiled.model.joints if joint.mimic and joint.name not in given]
    for _ in mimics:  # as often as a chain of them can be long
        for follower, mimic in mimics:
            _mimic(compiled, q, mimic_equation(follower, mimic))
    links = [joint for joint in compiled.tree.loops if joint.name in compiled.spans and joint.name not in given]
    if links:
        carried = {branch.joint.name for branch in compiled.tree.branches} | set(compiled.floating)
        state = {name: values for name, values in compiled.q_by_joint(q).items() if name in carried}
        poses = {WORLD: IDENTITY} | tree_poses(compiled.model, state)
        for joint in links:
            ends = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
            span = compiled.spans[joint.name]
            q[span.q] = coordinates_at(joint, compose(inverse(ends[0]), ends[1]), q[span.q])


def _mimic(compiled: CompiledModel, q: np.ndarray, equation: Equation) -> None:
    follower, leader = equation.terms
    to, at = (compiled.model.joint(term.joint).place_of(term.axis) for term in equation.terms)
    if to is not None and at is not None:
        leads = q[compiled.spans[leader.joint].q_at(at)]
        q[compiled.spans[follower.joint].q_at(to)] = equation.constant - leader.weight * leads
