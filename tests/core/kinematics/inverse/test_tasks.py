# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks: errors by geometry, and their rates by differences, of random models with every joint type."""

import math

import numpy as np
import pytest

from limberjack.core.kinematics import compile_for_posing, make_work
from limberjack.core.kinematics.inverse.task_builder import TaskBuilder, dof_scales_of
from limberjack.core.kinematics.inverse.tasks import (
    AIM,
    EQUATION,
    PLACE,
    TASK,
    TERM,
    TURN,
    Tasks,
    make_rows,
    write_errors,
    write_slopes,
)
from limberjack.core.kinematics.motion import update_body
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.size import size_of
from limberjack.core.spatial import IDENTITY, compose, inverse
from support.conformance import random_tree_state
from support.exponentials import matrix_of, moved, quat_of_rotation_vector, rotation_angles, slope
from support.models import random_graph, random_pose

SEEDS = range(4)


class Stage:
    """A random model at a random pose: every joint type, two loops, and one piece that floats on odd seeds.

    The model has been compiled as poses are led, so that joints that close loops have coordinates, too.
    """

    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.compiled = compile_for_posing(random_graph(seed, loops=2, floats=seed % 2 == 1))
        self.work, self.dof_scale = (
            make_work(self.compiled.arrays),
            dof_scales_of(self.compiled, size_of(self.compiled)),
        )
        self.q, _ = random_tree_state(self.compiled, self.rng)

    def stand(self, q: np.ndarray) -> None:
        for i in range(1, len(self.compiled.arrays.bodies)):
            update_body(self.compiled.arrays, self.work, i, q, self.work.zeros)

    def pose(self, body: int) -> tuple:
        """Of a body, where `stand` has put it."""
        own = self.work.bodies[body]
        R = own.rotation.reshape(3, 3)
        angles = rotation_angles(R)
        return (*own.origin.tolist(), *quat_of_rotation_vector(angles).tolist()) if body else IDENTITY

    def tasks(self, kind: int, off: float = 0.0, count: int = 6) -> Tasks:
        """About frames of bodies drawn at random, every other one in the world, met but for a shift and turn `off`."""
        records = np.zeros(count, TASK).view(np.recarray)
        self.stand(self.q)
        for n, task in enumerate(records):
            one, other = self.rng.choice(len(self.compiled.arrays.bodies), 2, replace=False)
            task.kind, task.row, task.rows, task.weight = kind, 3 * n, 3, self.rng.uniform(0.5, 2.0)
            task.target_body, task.body = one if n % 2 else 0, other
            task.X_body = random_pose(self.rng)
            ahead = (0.0, 0.0, 1.7, 1.0, 0.0, 0.0, 0.0) if kind == AIM else IDENTITY
            shift = (*(off * self.rng.normal(size=3)), *quat_of_rotation_vector(off * self.rng.normal(size=3)))
            X_WO = compose(compose(compose(self.pose(other), tuple(task.X_body)), ahead), shift)
            task.X_target = compose(inverse(self.pose(task.target_body)), X_WO)
        return Tasks(records, np.zeros(0, TERM).view(np.recarray), self.dof_scale)

    def errors_at(self, tasks: Tasks, q: np.ndarray) -> np.ndarray:
        rows = make_rows(tasks)
        self.stand(q)
        write_errors(self.work, tasks, 0, len(tasks.records), q, rows.error)
        return rows.error

    def slopes(self, tasks: Tasks) -> np.ndarray:
        rows = make_rows(tasks)
        rows.slope.fill(np.nan)  # what is not written is found out
        self.stand(self.q)
        write_slopes(self.compiled.arrays, self.work, tasks, 0, len(tasks.records), rows)
        return rows.slope

    def differences(self, measure) -> np.ndarray:
        """The rate of measure(q) for unit steps of each velocity coordinate, shape (rows, nv)."""
        return np.array([slope(lambda t, j=j: measure(self.stepped(j, t)), 1e-4) for j in range(len(self.dof_scale))]).T

    def stepped(self, dof: int, time: float) -> np.ndarray:
        qd, q = np.zeros(len(self.dof_scale)), self.q.copy()
        qd[dof] = self.dof_scale[dof]
        for span in self.compiled.spans.values():
            q[span.q] = moved(span.joint, self.q[span.q], qd[span.v], time)
        return q


def apart(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [PLACE, TURN, AIM])
def test_slopes_are_rates_of_errors(kind, seed):
    """Guards the Jacobian of every joint type, in a body that moves as in the world, where a task is nearly met."""
    stage = Stage(seed)
    tasks = stage.tasks(kind)
    assert np.abs(stage.errors_at(tasks, stage.q)).max() < 1e-7
    assert apart(stage.slopes(tasks), stage.differences(lambda q: stage.errors_at(tasks, q))) < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", [PLACE, TURN, AIM])
def test_slopes_lead_down_from_anywhere(kind, seed):
    """Guards steps from afar: what slopes make of errors is the gradient of half their squares at any error."""
    stage = Stage(seed)
    tasks = stage.tasks(kind, off=0.8)
    error = stage.errors_at(tasks, stage.q)
    assert np.abs(error).max() > 0.3
    gradient = stage.differences(lambda q: np.array([0.5 * np.sum(stage.errors_at(tasks, q) ** 2)]))
    assert apart(error @ stage.slopes(tasks), gradient[0]) < 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_errors_are_distances_and_angles(seed):
    """Guards what an error says: the way between two points, or the turn between two frames, in world axes."""
    stage = Stage(seed)
    for kind in (PLACE, TURN):
        tasks = stage.tasks(kind, off=0.8)
        errors = stage.errors_at(tasks, stage.q).reshape(-1, 3)
        for task, error in zip(tasks.records, errors, strict=True):
            one = matrix_of(stage.pose(task.target_body)) @ matrix_of(task.X_target)
            other = matrix_of(stage.pose(task.body)) @ matrix_of(task.X_body)
            off = other[:3, 3] - one[:3, 3] if kind == PLACE else rotation_angles(other[:3, :3] @ one[:3, :3].T)
            assert error / task.weight == pytest.approx(off, abs=1e-9)


def test_equations():
    """Guards mimics: an equation's error is what it is off by, its slope its terms' weights."""
    stage = Stage(0)
    joints = [span for span in stage.compiled.spans.values() if not span.joint.kind.chart][:3]
    at = [(span.q_at(0), span.v_at(0), weight) for span, weight in zip(joints, (1.0, -2.0, 0.5), strict=True)]
    records = np.zeros(1, TASK).view(np.recarray)
    records[0].kind, records[0].rows, records[0].weight = EQUATION, 1, 3.0
    records[0].term_end, records[0].constant = len(at), 0.25
    tasks = Tasks(records, np.array(at, TERM).view(np.recarray), stage.dof_scale)
    wanted = 3.0 * (sum(weight * stage.q[q] for q, _, weight in at) - 0.25)
    assert stage.errors_at(tasks, stage.q) == pytest.approx([wanted])
    assert apart(stage.slopes(tasks), stage.differences(lambda q: stage.errors_at(tasks, q))) < 1e-8


def eye_on_a_ball() -> Stage:
    """A link that turns about its own origin and looks along its z axis."""
    stage = Stage.__new__(Stage)
    stage.compiled = compile_for_posing(Model(links=[Link("eye")], joints=[Joint("neck", "ball", WORLD, "eye")]))
    stage.work, stage.dof_scale, stage.q = make_work(stage.compiled.arrays), np.ones(3), stage.compiled.q_home.copy()
    return stage


def looking_at(*point: float) -> Tasks:
    records = np.zeros(1, TASK).view(np.recarray)
    records[0].kind, records[0].rows, records[0].weight, records[0].body = AIM, 3, 1.0, 1
    records[0].X_target, records[0].X_body = (*point, *IDENTITY[3:]), IDENTITY
    return Tasks(records, np.zeros(0, TERM).view(np.recarray), np.ones(3))


@pytest.mark.parametrize("nearly", [0.0, 1e-14, 1e-9])
def test_straight_behind(nearly):
    """Guards the one direction in which no turn is the shortest: the error is half a turn, about any axis across."""
    error = eye_on_a_ball().errors_at(looking_at(nearly, 0.0, -2.0), np.array([1.0, 0.0, 0.0, 0.0]))
    assert np.linalg.norm(error) == pytest.approx(math.pi, abs=1e-8)
    assert error[2] == pytest.approx(0.0, abs=1e-8)


def test_at_the_eye():
    """Guards against a direction to nowhere: what is where the eye is, is seen however the eye is turned."""
    stage, tasks = eye_on_a_ball(), looking_at(0.0, 0.0, 0.0)
    assert stage.errors_at(tasks, stage.q) == pytest.approx([0.0, 0.0, 0.0], abs=0.0)
    assert np.isfinite(stage.slopes(tasks)).all()


def test_dof_scales_turn_all_joints_alike():
    """Guards scale: a model ten times as large has the same rows, so that a watch and a crane are moved alike."""
    found = []
    for size in (1.0, 10.0):
        model = random_graph(2, 12)
        for joint in model.joints:
            joint.X_PJ, joint.X_CJ = ((*(size * part for part in X[:3]), *X[3:]) for X in (joint.X_PJ, joint.X_CJ))
            joint.pitch *= size
        compiled = compile_for_posing(model)
        found.append((TaskBuilder(compiled).size, dof_scales_of(compiled, TaskBuilder(compiled).size)))
    assert found[1][0] == pytest.approx(10.0 * found[0][0])
    slides = found[1][1] / found[0][1]
    assert set(np.round(slides, 9)) == {1.0, 10.0}
