# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: joint coordinates at which links reach their targets."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...compilation import jit
from ...compilation.jit import kernel
from ...joints import FREE, Unit
from ...model import Model
from ...model.compiling.compile import compile_model
from ...model.compiling.compiled import ByJoint, CompiledModel, JointSpan
from ...spatial import ZERO, Pose
from ...spatial.arrays import norm
from ..forward import place_links
from ..work import make_work
from .levenberg_marquardt import assess, descend, make_problem, relax
from .targets import Miss, Reach, Target, targets_of
from .task_builder import TaskBuilder, floating_dofs, tasks_of
from .tasks import PLACE

POSING = "posing"
"""Name of these kernels in the cache."""

TOLERANCE = 1e-8
"""Error at which a target counts as reached [m, rad]."""

ACCEPTED_ERROR = 1e-6
"""Constraint error that is accepted, because files and drawings round the numbers of loops [rad or model sizes]."""

MOST_STEPS = 100
"""Maximum number of steps from one start."""
STARTS = 100
"""Number of random starts after the first one has failed."""

ANGLE_RANGE = math.pi
"""Range of random starts to either side of 0 for angles without limits [rad]. Translations use the model's size."""

CLEAR_IMPROVEMENT = 1e-6
"""Smallest improvement of the residual with which a pose replaces the best one so far [1]."""

UNIT_INERTIA = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
"""Inertia of all links of a model that is compiled for posing, xx, xy, xz, yy, yz, zz [kg m^2]."""


class Reacher:
    """Moves the links of one model to targets, from one pose to the next.

    Loops stay closed; couplings, limits and pins are satisfied. If not all targets can be reached, the weighted sum of
    squared distances, in model sizes, and angles is minimised.

    Args:
        compiled: by `compile_for_posing`.
        targets: what the links should reach. pins: targets that are satisfied exactly, as loops are.
        held: numbers of the velocity coordinates that must not move; see `held_dofs`.

    Attributes:
        leading_dofs: numbers of the velocity coordinates that move links to the targets. size: of the model [m].
        bound: numbers of those that affect loops, couplings, pins or targets.
        slack: constraint error that is accepted [rad or model sizes].

    Raises:
        ModelError: if a target names no link.
    """

    def __init__(
        self,
        compiled: CompiledModel,
        targets: Target | Sequence[Target] = (),
        pins: Target | Sequence[Target] = (),
        held: Collection[int] = (),
    ):
        self.compiled, self.targets = compiled, targets_of(targets)
        builder = TaskBuilder(compiled)
        builder.add_model_constraints()
        for pin in targets_of(pins, "pins"):
            builder.add_target(pin)
        self._constraint_tasks, self._constraint_rows = len(builder), builder.row_count
        for target in self.targets:
            builder.add_target(target)
        leading = builder.coupled_dofs(self._constraint_tasks)
        self.leading_dofs = leading.difference(held)
        self._is_base_held = not self.leading_dofs and bool(leading.intersection(floating_dofs(compiled)))
        self.bound = builder.task_dofs
        self.size, self.slack = builder.size, ACCEPTED_ERROR
        self._problem = make_problem(compiled, builder.build(held), self._constraint_rows, builder.size)

    def set_targets(self, targets: Sequence[Target]) -> None:
        """Replace the targets by others for the same links and points."""
        self.targets = targets_of(targets)
        poses = [X for target in self.targets for _, X in tasks_of(target)]
        records = self._problem.tasks.records[self._constraint_tasks :]
        assert len(poses) == len(records)
        records.X_target[:] = np.array(poses).reshape(-1, 7)

    def reach(self, q: np.ndarray, tolerance: float = TOLERANCE, most: int = MOST_STEPS) -> Reach:
        """Move q, shape (nq,), until the targets are reached, or to a local minimum of their errors.

        Args:
            tolerance: error at which a target counts as reached [m, rad].
            most: maximum number of steps.
        """
        counts = self._constraint_tasks, self._constraint_rows
        gap, steps = _runs(descend)(self._problem, q, *counts, self.slack, tolerance, most)
        return self._result(q, gap, steps, tolerance)

    def gap(self, q: np.ndarray) -> float:
        """Return the largest error at q of loops, couplings and pins [rad or model sizes]."""
        _runs(assess)(self._problem, q, self._constraint_rows, self.slack)
        return float(np.abs(self._problem.rows.error[: self._constraint_rows]).max(initial=0.0))

    def relax(self, q: np.ndarray, rest: np.ndarray, most: int = MOST_STEPS) -> None:
        """Move q as near to the pose `rest`, shape (nq,), as possible without moving links from their targets.

        Coordinates that are NaN in `rest` may have any value.
        """
        _runs(relax)(self._problem, q, rest, self.slack, most)

    def _result(self, q: np.ndarray, gap: float, steps: int, tolerance: float) -> Reach:
        _runs(assess)(self._problem, q, self._constraint_rows, self.slack)
        error, tasks, misses = self._problem.rows.error, self._problem.tasks.records, {}
        weights = np.repeat(tasks.weight, tasks.rows)[: self._constraint_rows]
        open_by = float(np.abs(error[: self._constraint_rows] / weights).max(initial=0.0))
        owners = [(number, kind) for number, target in enumerate(self.targets) for kind, _ in tasks_of(target)]
        for (number, kind), task in zip(owners, tasks[self._constraint_tasks :], strict=True):
            off = error[task.row : task.row + 3] / task.weight
            if not np.abs(off).max() <= tolerance:
                misses.setdefault(number, [0.0, 0.0])[kind != PLACE] = float(norm(off))
        missed = [Miss(self.targets[number].link, *sizes) for number, sizes in misses.items()]
        missed.sort(key=lambda miss: miss.distance / self.size + miss.angle, reverse=True)
        at_limits = self._at_limits() if missed else ()
        is_closed = gap <= self.slack
        return Reach(tuple(missed), open_by, is_closed, at_limits, steps, not self.leading_dofs, self._is_base_held)

    def _at_limits(self) -> tuple[str, ...]:
        """Return the names of the joints whose limits are active in the next step, in the model's order."""
        bodies = set(self._problem.limits.body[self._problem.step.side != 0].tolist())
        return tuple(name for name, span in self.compiled.spans.items() if span.body in bodies)


@dataclass(frozen=True)
class Solution:
    """Result of `inverse_kinematics`.

    Attributes:
        q: {joint: its coordinates}, of all joints that move and of floating links, as `CompiledModel.q_from` takes
            them.
        X_WL: poses of the links, by name [m].
        reach: remaining errors. starts: number of starts.
    """

    q: dict[str, list[float]]
    X_WL: dict[str, Pose]
    reach: Reach
    starts: int


def inverse_kinematics(
    model: Model,
    targets: Target | Sequence[Target],
    q: ByJoint | None = None,
    pins: Target | Sequence[Target] = (),
    held: Collection[str] = (),
    moves_base: bool = False,
    rest: ByJoint | None = None,
    tolerance: float = TOLERANCE,
    starts: int = STARTS,
) -> Solution:
    """Return a pose within all limits at which the links reach their targets, or the nearest pose that was found.

    Args:
        targets, pins: as for `Reacher`.
        held: names of joints that must not move.
        moves_base: whether floating links may be moved, with an explicit free joint to the world or without.
        q: {joint: number or list}, the first start; home for joints that are left out.
        rest: {joint: number or list}: of the poses that reach all targets, one near `rest` is chosen. By default, the
            first one found.
        tolerance: largest error at which a target counts as reached [m, rad].
        starts: number of starts: `q`, then random poses, which are always the same.

    Raises:
        ModelError: if the model cannot be compiled, or a target names no link. StateError: if `q` or `rest` does not
            fit it.
    """
    compiled = compile_for_posing(model)
    still = held_dofs(compiled, held, moves_base)
    reacher = Reacher(compiled, targets, pins, still)
    first = compiled.q_from(q)
    rest_q = first if rest is None else compiled.q_from(rest)
    start_poses = _StartPoses(compiled, first, reacher)
    best, nearest, tried = None, first, 0
    for start in start_poses.poses(starts if reacher.leading_dofs else 1):
        tried += 1
        found = reacher.reach(start, tolerance)
        if best is None or _is_better(found, best, reacher.size):
            best, nearest = found, start
        if best.is_reached:
            break
    assert best is not None
    if best.is_reached and rest is not None:
        reacher.relax(nearest, rest_q)
    return Solution(compiled.q_by_joint(nearest), poses_at(compiled, nearest), best, tried)


def _is_better(one: Reach, other: Reach, size: float) -> bool:
    """Return whether a result is closed and the other is not, or its error is clearly smaller."""
    if one.is_closed != other.is_closed:
        return one.is_closed
    left, right = (sum(miss.distance / size + miss.angle for miss in reach.misses) for reach in (one, other))
    return left < right - CLEAR_IMPROVEMENT


class _StartPoses:
    """The poses from which the search starts: the given one, then random ones, which are the same in each run."""

    def __init__(self, compiled: CompiledModel, first: np.ndarray, reacher: Reacher):
        self._first, self._size = first, reacher.size
        self._spans = [span for span in compiled.spans.values() if _dofs_of(span) <= reacher.leading_dofs]
        self._random = np.random.default_rng(0)

    def poses(self, count: int) -> Iterator[np.ndarray]:
        """Yield start poses, each a new array of shape (nq,)."""
        for number in range(max(count, 1)):
            q = self._first.copy()
            for span in self._spans:
                self._put(q, span, is_first=number == 0)
            yield q

    def _put(self, q: np.ndarray, span: JointSpan, is_first: bool) -> None:
        joint, random = span.joint, self._random
        if joint.kind.chart and not is_first:
            turn = random.normal(size=4)
            q[span.q][-4:] = turn / norm(turn)
            if joint.kind.code == FREE:
                q[span.q][:3] += random.uniform(-self._size, self._size, 3)
        if joint.kind.chart:
            return
        for place, column in enumerate(joint.columns):
            at, (lower, upper) = span.q_at(place), joint.range_of(column.axis)
            reach = ANGLE_RANGE if column.unit is Unit.ANGLE else self._size
            if is_first:
                q[at] = min(max(q[at], lower), upper)
            else:
                least = lower if math.isfinite(lower) else (upper if math.isfinite(upper) else q[at]) - reach
                most = upper if math.isfinite(upper) else (lower if math.isfinite(lower) else q[at]) + reach
                q[at] = random.uniform(least, most)


def _dofs_of(span: JointSpan) -> set[int]:
    return {span.v_at(number) for number in range(span.joint.nv)}


def compile_for_posing(model: Model) -> CompiledModel:
    """Return the model compiled with coordinates for joints that close loops. Masses have no effect.

    Raises:
        ModelError: as `compile_model`, except for masses.
    """
    links = [dataclasses.replace(link, mass=1.0, com=ZERO, inertia=UNIT_INERTIA) for link in model.links]
    return compile_model(dataclasses.replace(model, links=links))


def held_dofs(compiled: CompiledModel, held: Iterable[str], moves_base: bool) -> set[int]:
    """Return the numbers of the velocity coordinates that must not move.

    Raises:
        ModelError: if `held` contains a name that is not a joint.
    """
    dofs = set() if moves_base else set(floating_dofs(compiled))
    for name in held:
        compiled.model.joint(name)
        if span := compiled.spans.get(name):
            dofs.update(span.v_at(place) for place in range(span.joint.nv))
    return dofs


def poses_at(compiled: CompiledModel, q: np.ndarray) -> dict[str, Pose]:
    """Return X_WL of each link at q, shape (nq,), by name."""
    X_WL = np.zeros((len(compiled.link_names), 7))
    work = make_work(compiled.arrays)
    _runs(place_links)(compiled.arrays, work, q, compiled.link_body, compiled.X_BL, X_WL)
    return {name: tuple(row) for name, row in zip(compiled.link_names, X_WL.tolist(), strict=True)}


def _runs(function: kernel) -> Callable:
    """Return the kernel, or its uncompiled function as long as the kernel would have to be compiled first."""
    return function if jit.is_ready(POSING) else function.python
