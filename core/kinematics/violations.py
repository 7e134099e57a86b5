# SPDX-License-Identifier: GPL-3.0-or-later
"""Violations of a model's constraints by a state: of loops, mimics, couplings, and limits that are equal.

Limits that differ are not constraints here. A state beyond them is possible for the mechanism if they are widened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import WORLD, Joint, StateError
from ..model.compiling.compiled import CompiledModel, cached
from ..model.screws import joint_pose, limited_quantities_at
from ..spatial import IDENTITY
from ..spatial.arrays import matmul
from .coordinates import coordinates_at, gap_of, loops_of, rates_at, relative_pose, relative_twist, subspace_at
from .forward import tree_kinematics

ROUNDING = 1e-6
"""Largest violation that counts as rounding [rad or m]. For rates, it is multiplied by 1 + the largest velocity.

Files and drawings in single precision round lengths to about 1e-7.
"""


@dataclass(frozen=True)
class Violation:
    """One violated constraint.

    Attributes:
        words: a clause that names the constraint and the size of its violation.
        size: the violation [rad or m], or its rate [rad/s or m/s].
    """

    words: str
    size: float


def dependence_clauses(compiled: CompiledModel) -> tuple[str, ...]:
    """Return a clause for each constraint that makes velocities depend on each other; nothing if none does."""
    return cached(compiled, _dependence_clauses)


def _dependence_clauses(compiled: CompiledModel) -> tuple[str, ...]:
    found = [f"joint '{joint.name}' closes a loop" for joint in loops_of(compiled)]
    found += [f"coupling '{equation.name}' ties joints" for equation in compiled.model.equations()]
    joints = [span.joint for span in compiled.spans.values()]
    found += [f"joint '{joint.name}' has no room" for joint in joints if joint.fixed_columns or joint.fixed_quantities]
    return tuple(found)


def require_split(compiled: CompiledModel, asked: str) -> None:
    """Raise `StateError` if joints that close loops have no coordinates.

    asked: name of the function that needs them, for the message.
    """
    if left_out := cached(compiled, _loops_left_out):
        raise StateError(
            f"joint '{left_out[0].name}' closes a loop, and has no coordinates in a model compiled without "
            f"split_loops: {asked} takes compile_model(model)"
        )


def _loops_left_out(compiled: CompiledModel) -> tuple[Joint, ...]:
    welded = {weld.joint.name for weld in compiled.welds}
    return tuple(joint for joint in loops_of(compiled) if joint.name not in welded)


def require_satisfied(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray | None = None) -> None:
    """Check that a state satisfies loops, mimics, couplings and equal limits.

    Args:
        q: shape (nq,). qd: shape (nv,); zero if None.

    Raises:
        StateError: if it does not. The message names the joint or coupling, its error, and the function to call.
    """
    if words := violation_in_words(compiled, q, qd):
        raise StateError(
            f"{words}; kinematics.closed_state(compiled, {{joint: value}}) finds q and qd that keep the given joints "
            "and let all others follow"
        )


def violation_in_words(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray | None = None) -> str:
    """Return a clause for the largest violation by q, or else by qd; "" if there is none."""
    if not dependence_clauses(compiled):
        return ""
    positions = compiled.positions(q)
    rates = np.zeros(compiled.nv) if qd is None else compiled.velocities(qd)
    tolerances = ROUNDING, ROUNDING * (1.0 + np.abs(rates).max(initial=0.0))
    for found, tolerance in zip(_violations(compiled, positions, rates), tolerances, strict=True):
        violations = [violation for violation in found if not violation.size <= tolerance]
        if violations:
            return max(violations, key=lambda violation: np.nan_to_num(violation.size, nan=np.inf)).words
    return ""


def _violations(compiled: CompiledModel, q: np.ndarray, qd: np.ndarray) -> tuple[list[Violation], list[Violation]]:
    """Return (violations by q, violations by qd)."""
    state = _State(compiled, q, qd)
    position_violations: list[Violation] = []
    rate_violations: list[Violation] = []
    for joint in loops_of(compiled):
        state.read_loop(joint)
        gap = state.gaps[joint.name]
        words = (
            f"loop joint '{joint.name}' is open: its frames stand {gap.distance:.3g} m and {gap.angle:.3g} rad apart"
        )
        position_violations.append(Violation(words, float(np.max([gap.distance, gap.angle]))))
        words = f"loop joint '{joint.name}' opens at {gap.speed:.3g} m/s and {gap.turning:.3g} rad/s"
        rate_violations.append(Violation(words, float(np.max([gap.speed, gap.turning]))))
    for subject, unit, error, rate in [*state.couplings(), *state.fixed_coordinates()]:
        position_violations.append(Violation(f"{subject} is off by {abs(error):.3g} {unit}", abs(error)))
        rate_violations.append(Violation(f"{subject} is left at {abs(rate):.3g} {unit}/s", abs(rate)))
    return position_violations, rate_violations


class _State:
    """Coordinates and velocities of all joints, and the errors of loop joints.

    The coordinates of a loop joint that the model does not have are computed from the poses of its links.
    """

    def __init__(self, compiled: CompiledModel, q: np.ndarray, qd: np.ndarray):
        self.compiled = compiled
        self.joints = {name: (span.joint, q[span.q], qd[span.v]) for name, span in compiled.spans.items()}
        self.gaps: dict = {}
        X_WL, V_WL = tree_kinematics(compiled, q, qd)
        names = compiled.link_names
        self._poses: dict[str, Any] = {WORLD: IDENTITY} | dict(zip(names, map(tuple, X_WL.tolist()), strict=True))
        self._twists: dict[str, Any] = {WORLD: np.zeros(6)} | dict(zip(names, V_WL, strict=True))

    def read_loop(self, joint: Joint) -> None:
        """Compute the error of a loop joint, and its coordinates if the model does not have them."""
        X, V = relative_pose(joint, self._poses), relative_twist(joint, self._poses, self._twists)
        if joint.name in self.joints:
            _, values, rates = self.joints[joint.name]
            residual = V - matmul(subspace_at(joint, values), rates)
        else:
            values = coordinates_at(joint, X, np.array(joint.q_middle))
            rates, residual = rates_at(joint, values, V)
            self.joints[joint.name] = joint, values, rates
        self.gaps[joint.name] = gap_of(joint, values, X, residual)

    def couplings(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield (name, unit, error, rate of the error) of each coupling."""
        for equation in self.compiled.model.equations():
            error, rate, unit = -equation.constant, 0.0, ""
            for term in equation.terms:
                joint = self.compiled.model.joint(term.joint)
                unit = unit or joint.axis_unit(term.axis).value
                value, speed = self._coordinate(joint, term.axis)
                error, rate = error + term.weight * value, rate + term.weight * speed
            yield f"coupling '{equation.name}'", unit, error, rate

    def _coordinate(self, joint: Joint, axis: int) -> tuple[float, float]:
        """Return (position, velocity) of an axis. A locked axis is at its home position."""
        index = joint.place_of(axis)
        if index is None:
            return joint.home[[column.axis for column in joint.all_columns].index(axis)], 0.0
        _, values, rates = self.joints[joint.name]
        return float(values[index]), float(rates[index])

    def fixed_coordinates(self) -> Iterator[tuple[str, str, float, float]]:
        """Yield (name, unit, error, rate of error) of each coordinate or limited quantity with equal limits."""
        for joint, values, rates in self.joints.values():
            subject = f"joint '{joint.name}', whose limits leave no room,"
            for index, value in joint.fixed_columns:
                unit = joint.q_units[index][1].value
                yield subject, unit, float(values[index]) - value, float(rates[index])
            if joint.fixed_quantities:
                X_J, S = joint_pose(joint, values.tolist()), subspace_at(joint, values)
                measured = {row: (value, gradient) for row, value, gradient in limited_quantities_at(joint, X_J)}
                for row, value in joint.fixed_quantities:
                    found, (torque, force) = measured[row]
                    unit = joint.axis_unit(row.axis).value
                    rate = float(matmul(np.array([*force, *torque]), matmul(S, rates)))
                    yield subject, unit, found - value, rate
