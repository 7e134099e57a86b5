"""A pose changed by hand: one coordinate is led, and what loops and mimics tie to it follows."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..joints import BALL, FREE, SCREWS
from ..model import WORLD, CompiledModel, Equation, Joint, Model, ModelError, compile_model, joint_pose
from ..model.compiled import LoopJoint
from ..model.screws import screws_of
from ..spatial import (
    IDENTITY,
    Pose,
    add,
    compose,
    inverse,
    quat_mul,
    quat_normalized,
    quat_of_rotvec,
    quat_rotate,
    quat_to_mat,
    rotvec_of_quat,
)
from .coordinates import coordinates_at, joint_coordinates
from .forward import place_links
from .jacobian import body_jacobian
from .screw_coordinates import screw_motions
from .work import make_work

CLOSED = 1e-9
"""Gap [m, rad] at which a loop counts as closed."""

NEARLY = 1e-6
"""Gap [m, rad] that is still taken where Newton's method comes no nearer, as at a dead point."""

MOST_STEPS = 40
LONGEST_STEP = 0.2
"""Radians or metres by which the led coordinate, or any that follows, moves at once."""


class Poser:
    """Leads coordinates of a model, one at a time. It compiles no kernels, so that the first touch is as fast as any.

    Attributes:
        compiled: the model. q: shape (nq,), where it stands.

    Args:
        model: what acts in it; joints that are switched off are left out by the caller.
        X_WL: where its links stand, by name.

    Raises:
        ModelError: the model cannot be compiled. StateError: a pose is missing or no pose.
    """

    def __init__(self, model: Model, X_WL: Mapping[str, Pose]):
        self.compiled = compile_model(model)
        rows = np.array([X_WL[name] for name in self.compiled.link_names], dtype=np.float64).reshape(-1, 7)
        self.q = joint_coordinates(self.compiled, rows).q
        self._loop_q = {loop.joint.name: np.array(loop.joint.q_home) for loop in self.compiled.loops}
        self._equations = [_Row.of(equation, self.compiled) for equation in model.equations()]
        self._settle()

    def poses(self) -> dict[str, Pose]:
        """X_WL of every link, by name."""
        compiled = self.compiled
        X_WL = np.zeros((len(compiled.link_names), 7))
        place_links.python(compiled.arrays, make_work(compiled.arrays), self.q, compiled.link_body, compiled.X_BL, X_WL)
        return {name: tuple(row) for name, row in zip(compiled.link_names, X_WL.tolist(), strict=True)}

    def value(self, joint: str, place: int) -> float:
        """Coordinate number `place` of a joint made of columns [rad or m].

        Raises:
            ModelError: there is no such joint, or it has no such coordinate.
        """
        self._require(joint, place)
        span = self.compiled.spans.get(joint)
        return float(self._loop_q[joint][place] if span is None else self.q[span.q_at(place)])

    def follow(self) -> bool:
        """Let what mimics follow what it mimics, and close loops; returns whether all could be closed."""
        for _ in self._equations:  # as often as a chain of them can be long
            for row in self._equations:
                row.follow(self.q)
        return self._closed("", None)

    def q_of(self, joint: str) -> tuple[float, ...]:
        """All coordinates of a joint of the tree [rad, m, or a quaternion w x y z].

        Raises:
            ModelError: it is no joint of the tree that moves.
        """
        span = self.compiled.spans.get(joint)
        if span is None:
            raise ModelError(f"joint '{joint}' closes a loop or does not move: it cannot be turned freely")
        return tuple(self.q[span.q].tolist())

    def lead(self, joint: str, place: int, value: float) -> float:
        """Bring a coordinate to `value` [rad or m], or as near to it as loops and mimics let it; returns where it is.

        Raises:
            ModelError: as `value`.
        """
        at = self.value(joint, place)
        for _ in range(math.ceil(abs(value - at) / LONGEST_STEP)):
            step = min(max(value - at, -LONGEST_STEP), LONGEST_STEP)
            while not self._moved(joint, place, at + step):
                step *= 0.5
                if abs(step) < 1e-4:  # a dead point, or the end of the linkage's reach
                    return at
            at += step
        return at

    def turn(self, joint: str, quaternion: tuple[float, float, float, float]) -> None:
        """Give a ball joint of the tree its rotation, w x y z; loops that cannot follow stay open by what is missing.

        Raises:
            ModelError: it is no ball joint of the tree.
        """
        span = self.compiled.spans.get(joint)
        if span is None or span.joint.kind.code != BALL:
            raise ModelError(f"joint '{joint}' is no ball joint of the tree: it cannot be turned freely")
        before, loops = self.q.copy(), dict(self._loop_q)
        self.q[span.q] = quat_normalized(quaternion)
        if not self._closed(joint, None):
            self.q, self._loop_q = before, loops

    def _require(self, joint: str, place: int) -> None:
        known = self.compiled.spans[joint].joint if joint in self.compiled.spans else None
        known = known or next((loop.joint for loop in self.compiled.loops if loop.joint.name == joint), None)
        if known is None or known.kind.chart or place >= known.nq:
            raise ModelError(f"joint '{joint}' has no coordinate {place + 1} to lead")

    def _settle(self) -> None:
        """Find where the loop joints stand."""
        for loop, X in self._loop_poses():
            self._loop_q[loop.joint.name] = coordinates_at(loop.joint, X, self._loop_q[loop.joint.name])

    def _moved(self, joint: str, place: int, value: float) -> bool:
        """Whether the coordinate could be brought there; else all is as it was."""
        before, loops = self.q.copy(), {name: values.copy() for name, values in self._loop_q.items()}
        span = self.compiled.spans.get(joint)
        if span is None:
            self._loop_q[joint][place] = value
        else:
            self.q[span.q_at(place)] = value
        if self._closed(joint, place):
            return True
        self.q, self._loop_q = before, loops
        return False

    def _closed(self, joint: str, place: int | None) -> bool:
        """Move all but the led coordinate (all of a ball's, for None) until everything is closed."""
        span = self.compiled.spans.get(joint)
        held = set()
        if span is not None:
            held = {span.v_at(i) for i in range(span.joint.nv)} if place is None else {span.v_at(place)}
        free = np.array([dof for dof in range(self.compiled.nv) if dof not in held], dtype=np.int64)
        for _ in range(MOST_STEPS):
            gaps, jacobian = self._gaps(joint, place)
            if not len(gaps) or np.abs(gaps).max() < CLOSED:
                return True
            step = np.zeros(self.compiled.nv)
            step[free] = -np.linalg.lstsq(jacobian[:, free], gaps, rcond=1e-10)[0]
            largest = float(np.abs(step).max(initial=0.0))
            if not math.isfinite(largest):
                return False
            _turn_on(self.compiled, self.q, step * min(1.0, LONGEST_STEP / max(largest, 1e-300)))
        gaps, _ = self._gaps(joint, place)
        return bool(np.abs(gaps).max() < NEARLY)

    def _gaps(self, led: str, place: int | None) -> tuple[np.ndarray, np.ndarray]:
        """What is open of loops and mimics, shape (n,), and its rate for each velocity coordinate, shape (n, nv)."""
        gaps, rates = [np.zeros(0)], [np.zeros((0, self.compiled.nv))]
        for loop, X in self._loop_poses():
            joint = loop.joint
            held = place if joint.name == led else None
            values = coordinates_at(joint, X, self._loop_q[joint.name])
            if held is not None:
                values[held] = self._loop_q[joint.name][held]
            self._loop_q[joint.name] = values
            off = compose(inverse(joint_pose(joint, values.tolist())), X)
            allowed = _free_motions(joint, values, held)
            blocked = _complement(allowed)
            gaps.append(blocked.T @ np.concatenate([off[:3], rotvec_of_quat(off[3:])]))
            rates.append(blocked.T @ self._loop_jacobian(loop))
        for row in self._equations:
            gaps.append(np.array([row.error(self.q)]))
            rates.append(row.rates[None])
        return np.concatenate(gaps), np.vstack(rates)

    def _loop_poses(self) -> list[tuple[LoopJoint, Pose]]:
        """Each loop joint, and how its frames stand to each other."""
        if not self.compiled.loops:
            return []
        poses = {WORLD: IDENTITY} | self.poses()
        found = []
        for loop in self.compiled.loops:
            joint = loop.joint
            ends = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
            found.append((loop, compose(inverse(ends[0]), ends[1])))
        return found

    def _loop_jacobian(self, loop: LoopJoint) -> np.ndarray:
        """Of the child-side frame against the parent's body, in child-side axes, linear first, shape (6, nv)."""
        compiled, work = self.compiled, make_work(self.compiled.arrays)
        ends = []
        point = np.array(loop.X_BC[:3])
        J = np.zeros((6, compiled.nv))
        body_jacobian.python(compiled.arrays, work, self.q, loop.child_body, point, J)
        ends.append(J)
        rotations = [np.array(work.bodies[body].rotation).reshape(3, 3) for body in (loop.child_body, loop.parent_body)]
        origins = [np.array(work.bodies[body].origin) for body in (loop.child_body, loop.parent_body)]
        at = origins[0] + rotations[0] @ point
        J = np.zeros((6, compiled.nv))
        body_jacobian.python(compiled.arrays, work, self.q, loop.parent_body, rotations[1].T @ (at - origins[1]), J)
        turn = rotations[0] @ np.array(quat_to_mat(loop.X_BC[3:])).reshape(3, 3)
        both = ends[0] - J
        return np.vstack([turn.T @ both[:3], turn.T @ both[3:]])


class _Row:
    """A mimic's or coupling's equation over the coordinates of the tree."""

    def __init__(self, rates: np.ndarray, weights: np.ndarray, constant: float, follower: int | None = None):
        self.rates, self._weights, self._constant, self._follower = rates, weights, constant, follower

    @classmethod
    def of(cls, equation: Equation, compiled: CompiledModel) -> _Row:
        """One that says nothing where a term is no coordinate of the tree."""
        rates, weights, first = np.zeros(compiled.nv), np.zeros(compiled.nq), None
        for term in equation.terms:
            span = compiled.spans.get(term.joint)
            place = compiled.model.joint(term.joint).place_of(term.axis)
            if span is None or place is None:
                return cls(np.zeros(compiled.nv), np.zeros(compiled.nq), 0.0)
            rates[span.v_at(place)], weights[span.q_at(place)] = term.weight, term.weight
            first = span.q_at(place) if first is None else first
        return cls(rates, weights, equation.constant, first)

    def follow(self, q: np.ndarray) -> None:
        """Write the coordinate of the first term, which is a mimic's follower, to q."""
        if self._follower is not None:
            q[self._follower] -= self.error(q) / self._weights[self._follower]

    def error(self, q: np.ndarray) -> float:
        return float(self._weights @ q - self._constant)


def _free_motions(joint: Joint, q: np.ndarray, held: int | None) -> np.ndarray:
    """What the joint leaves free, as twists in child-side axes, linear first, shape (6, n)."""
    if joint.kind.code == FREE:
        return np.eye(6)
    if joint.kind.code == BALL:
        return np.eye(6)[:, 3:]
    S = screw_motions(screws_of(joint), q)
    return S if held is None else np.delete(S, held, axis=1)


def _complement(columns: np.ndarray) -> np.ndarray:
    """An orthonormal basis of what is orthogonal to the columns, shape (6, 6 - rank)."""
    if not columns.size:
        return np.eye(6)
    u, sizes, _ = np.linalg.svd(columns)
    return u[:, int((sizes > 1e-9).sum()) :]


def _turn_on(compiled: CompiledModel, q: np.ndarray, step: np.ndarray) -> None:
    """Move positions by velocities that act for a second."""
    for body in compiled.arrays.bodies[1:]:
        v, v_end = int(body["v"]), int(body["v_end"])
        if body["kind"] == SCREWS:
            q[body["q"] : body["q"] + v_end - v] += step[v:v_end]
            continue
        turned = int(body["q"]) + (3 if body["kind"] == FREE else 0)
        quat = quat_normalized(tuple(q[turned : turned + 4]))
        if body["kind"] == FREE:
            q[turned - 3 : turned] = add(tuple(q[turned - 3 : turned]), quat_rotate(quat, tuple(step[v : v + 3])))
        q[turned : turned + 4] = quat_normalized(quat_mul(quat, quat_of_rotvec(tuple(step[v_end - 3 : v_end]))))
