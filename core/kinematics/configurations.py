# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on configurations: a random one, integration of velocities, and the difference of two.

Configurations with quaternions are points of a manifold. `integrate` follows a constant body velocity there, which is a
rotation about a line or a screw.

Source: Sola, Deray, Atchuthan, A micro Lie theory for state estimation in robotics (2018), sections IV.A and V (the
exponentials of SO(3) and SE(3), appendices B and D).
"""

from __future__ import annotations

import math

import numpy as np

from ..joints import BALL, FREE, Unit
from ..model import StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, JointSpan, Values
from ..spatial import (
    ZERO,
    Pose,
    Vec3,
    add,
    arrays,
    compose,
    cos_sin,
    cross,
    inverse,
    norm,
    quat_normalized,
    quat_of_rotvec,
    rotvec_of_quat,
    scale,
    sub,
)
from .allowed_velocities import dofs_of, free_motions
from .inverse.closing import closed_state
from .violations import dependence_clauses, violation_in_words

SMALL_ANGLE = 1e-4
"""Angle below which series replace quotients of the form 0/0 [rad]. Their error is about the angle^4, or 1e-16."""

MOST_TRIES = 50
"""Number of random values of the leading joints that are tried before an error says that loops cannot be closed."""


def random_configuration(model: AnyModel, random: np.random.Generator | int | None = None) -> np.ndarray:
    """Return a random configuration within all limits, shape (nq,), uniform in each coordinate, with loops closed.

    An angle without limits is within half a turn of 0. A slide without limits is within 1 m of its only limit, or of 0.
    A ball's rotation is uniform. In loops and couplings, the leading joints are random, and the others follow.

    Args:
        random: a numpy generator, or a seed; None for another configuration each time.

    Raises:
        StateError: if no loop could be closed within the limits.
    """
    compiled, generator = compiled_of(model), np.random.default_rng(random)
    if not dependence_clauses(compiled):
        return compiled.q_from(_random_values(compiled, [*compiled.spans], generator))
    leading, words = _leading_joints(compiled), ""
    for attempt in range(MOST_TRIES):
        # Each attempt is closer to home than the one before, since loops can be closed there.
        share = 1.0 - attempt / MOST_TRIES
        drawn = _random_values(compiled, leading, generator)
        home = {name: np.array(compiled.spans[name].joint.q_home) for name in leading}
        values = {name: home[name] + share * (np.array(drawn[name]) - home[name]) for name in leading}
        try:
            q, _ = closed_state(compiled, values)
        except StateError as error:
            words = str(error)
            continue
        if not violation_in_words(compiled, q) and is_within_limits(compiled, q):
            return q
    raise StateError(f"no configuration was found in {MOST_TRIES} tries whose loops close within the limits: {words}")


def is_within_limits(model: AnyModel, q: Values) -> bool:
    """Return whether all coordinates are within their limits, up to rounding. Cones and ropes are not checked."""
    compiled = compiled_of(model)
    values = compiled.positions(q)
    for span in compiled.spans.values():
        for place, column in enumerate(() if span.joint.kind.chart else span.joint.columns):
            lower, upper = span.joint.range_of(column.axis)
            if not lower - 1e-9 <= values[span.q_at(place)] <= upper + 1e-9:
                return False
    return True


def integrate(model: AnyModel, q: Values, qd: Values, dt: float = 1.0) -> np.ndarray:
    """Return the coordinates after a motion from q with constant velocities qd for a time dt, shape (nq,).

    That is q + qd dt, or its equivalent for quaternions.

    Args:
        q: shape (nq,), or {joint: number or list}. qd: shape (nv,), or {joint: number or list} [rad/s, m/s].
        dt: [s].
    """
    compiled = compiled_of(model)
    found, step = compiled.positions(q).copy(), dt * compiled.velocities(qd)
    for span in compiled.spans.values():
        here, v = found[span.q], step[span.v].tolist()
        if span.joint.kind.code == BALL:
            found[span.q] = quat_normalized(compose(ZERO + tuple(here), ZERO + quat_of_rotvec(tuple(v)))[3:])
        elif span.joint.kind.code == FREE:
            x, y, z, *quat = compose(tuple(here), _exponential(tuple(v[:3]), tuple(v[3:])))
            found[span.q] = (x, y, z, *quat_normalized(tuple(quat)))
        else:
            found[span.q] += v
    return found


def difference(model: AnyModel, q0: Values, q1: Values) -> np.ndarray:
    """Return the constant velocities that lead from q0 to q1 in 1 s, shape (nv,) [rad/s, m/s]: the inverse of
    `integrate`.

    Of the two rotations between quaternions, the shorter one is taken.
    """
    compiled = compiled_of(model)
    start, end, found = compiled.positions(q0), compiled.positions(q1), np.zeros(compiled.nv)
    for span in compiled.spans.values():
        one, other = start[span.q].tolist(), end[span.q].tolist()
        if span.joint.kind.code == BALL:
            found[span.v] = _shorter_rotation(compose(inverse(ZERO + tuple(one)), ZERO + tuple(other)))
        elif span.joint.kind.code == FREE:
            found[span.v] = _logarithm(compose(inverse(tuple(one)), tuple(other)))
        else:
            found[span.v] = np.subtract(other, one)
    return found


def _exponential(v: Vec3, w: Vec3) -> Pose:
    """Return the exponential of a twist (linear, angular): the pose after 1 s of constant velocity in moving axes."""
    angle = norm(w)
    if angle < SMALL_ANGLE:
        a, b = 0.5 - angle**2 / 24.0, 1.0 / 6.0 - angle**2 / 120.0
    else:
        cosine, sine = cos_sin(angle)
        a, b = (1.0 - cosine) / angle**2, (angle - sine) / angle**3
    turned = cross(w, v)
    return add(v, add(scale(turned, a), scale(cross(w, turned), b))) + quat_of_rotvec(w)


def _shorter_rotation(X: Pose) -> Vec3:
    """Return the shorter rotation to an orientation, as a rotation vector [rad]."""
    quat = quat_normalized(X[3:])
    w, x, y, z = quat if quat[0] >= 0.0 else tuple(-part for part in quat)
    return rotvec_of_quat((w, x, y, z))


def _logarithm(X: Pose) -> np.ndarray:
    """Return the logarithm of a pose, linear part first: the inverse of `_exponential`."""
    w, p = _shorter_rotation(X), X[:3]
    angle = norm(w)
    if angle < SMALL_ANGLE:
        c = 1.0 / 12.0 + angle**2 / 720.0
    else:
        cosine, sine = cos_sin(angle)
        c = 1.0 / angle**2 - (1.0 + cosine) / (2.0 * angle * sine)
    turned = cross(w, p)
    return np.array([*add(sub(p, scale(turned, 0.5)), scale(cross(w, turned), c)), *w])


def _random_values(compiled: CompiledModel, joints: list[str], random: np.random.Generator) -> dict[str, list[float]]:
    return {name: _random_values_of(compiled.spans[name], random) for name in joints}


def _random_values_of(span: JointSpan, random: np.random.Generator) -> list[float]:
    joint = span.joint
    if joint.kind.chart:
        turn = random.normal(size=4)
        place = [] if joint.kind.code == BALL else (np.array(joint.home[:3]) + random.uniform(-1.0, 1.0, 3)).tolist()
        return place + (turn / arrays.norm(turn)).tolist()
    values = []
    for column in joint.columns:
        lower, upper = joint.range_of(column.axis)
        reach = math.pi if column.unit is Unit.ANGLE else 1.0
        least = lower if math.isfinite(lower) else (upper - 2.0 * reach if math.isfinite(upper) else -reach)
        most = upper if math.isfinite(upper) else least + 2.0 * reach
        values.append(float(random.uniform(least, most)))
    return values


def _leading_joints(compiled: CompiledModel) -> list[str]:
    """Return joints of the tree whose velocities determine all others, chosen greedily by rank."""
    q, _ = closed_state(compiled)
    Z = free_motions(compiled, q)
    closing, leading_joints = {weld.joint.name for weld in compiled.welds}, []
    for name in compiled.spans:
        if len(dofs_of(compiled, leading_joints)) == Z.shape[1]:
            break
        rows = Z[dofs_of(compiled, [*leading_joints, name])]
        if name not in closing and arrays.rank(rows, 1e-6) == len(rows):
            leading_joints.append(name)
    return leading_joints
