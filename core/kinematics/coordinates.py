# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint coordinates and velocities from the poses and twists of links, with the residuals of each joint."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..joints import BALL
from ..model import WORLD, Joint, StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..model.screws import joint_pose, screws_of
from ..spatial import IDENTITY, Pose, arrays, compose, inverse, norm, quat_normalized, quat_to_mat, rotvec_of_quat
from .forward import link_row
from .screw_coordinates import screw_coordinates, screw_motions


@dataclass(frozen=True)
class Gap:
    """Difference between a joint's frames and the pose and twist of its coordinates [m, rad, m/s, rad/s]."""

    distance: float = 0.0
    angle: float = 0.0
    speed: float = 0.0
    turning: float = 0.0

    @property
    def largest(self) -> float:
        """The largest of the four numbers; NaN if one of them is NaN."""
        return float(np.max([self.distance, self.angle, self.speed, self.turning]))


@dataclass
class Coordinates:
    """Result of `joint_coordinates`.

    Attributes:
        q: shape (nq,). qd: shape (nv,).
        gaps: by name, for each joint that was computed, including fixed and loop joints, its residual.
    """

    q: np.ndarray
    qd: np.ndarray
    gaps: dict[str, Gap] = field(default_factory=dict)

    @property
    def residual(self) -> float:
        """The largest number in `gaps`; NaN if one of them is NaN."""
        return float(np.max([gap.largest for gap in self.gaps.values()], initial=0.0))


def joint_coordinates(
    model: AnyModel,
    X_WL: np.ndarray,
    V_WL: np.ndarray | None = None,
    near: tuple[np.ndarray, np.ndarray] | None = None,
    links: Iterable[str] | None = None,
) -> Coordinates:
    """Return the coordinates of all joints at which the links have poses X_WL and twists V_WL.

    Joints that close loops are included if `compiled` has coordinates for them. Each joint is computed from its own two
    links only. To check mimics and couplings, call `forward_kinematics` with the result.

    Args:
        X_WL: shape (L, 7), rows in `compiled.link_names`' order; V_WL: shape (L, 6), zero if None. Both as
            `forward_kinematics` returns them.
        near: (q, qd), shapes (nq,) and (nv,). Whole turns are counted from there. A gimbal in lock keeps its first
            angle from there, and joints that are not computed keep their values. By default, home and at rest.
        links: only the joints that carry these links, and those that close loops on them.

    Raises:
        ModelError: if `links` contains a name that is not a link. StateError: if arrays have another shape, or a
            quaternion is zero.
    """
    compiled = compiled_of(model)
    at_rest = np.zeros((len(compiled.link_names), 6))
    X_WL, V_WL = _rows(X_WL, len(at_rest), 7, "X_WL"), _rows(at_rest if V_WL is None else V_WL, len(at_rest), 6, "V_WL")
    q, qd = (compiled.q_home, np.zeros(compiled.nv)) if near is None else near
    result = Coordinates(compiled.positions(q).copy(), compiled.velocities(qd).copy())
    wanted = None if links is None else {compiled.link_names[link_row(compiled, name)] for name in links}
    poses: dict[str, Any] = {WORLD: IDENTITY} | dict(zip(compiled.link_names, map(tuple, X_WL.tolist()), strict=True))
    twists: dict[str, Any] = {WORLD: np.zeros(6)} | dict(zip(compiled.link_names, V_WL, strict=True))
    for joint, ends in _tree_joints(compiled) + [(joint, {joint.parent, joint.child}) for joint in loops_of(compiled)]:
        if wanted is not None and not ends & wanted:
            continue
        span = compiled.spans.get(joint.name)
        start = result.q[span.q] if span else np.array(joint.q_middle)
        X = relative_pose(joint, poses)
        values = coordinates_at(joint, X, start)
        rates, residual = rates_at(joint, values, relative_twist(joint, poses, twists))
        result.gaps[joint.name] = gap_of(joint, values, X, residual)
        if span:
            result.q[span.q], result.qd[span.v] = values, rates
    return result


def _rows(values: np.ndarray, count: int, width: int, what: str) -> np.ndarray:
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape != (count, width) or not np.isfinite(rows).all():
        raise StateError(f"{what} takes {count} rows of {width} finite numbers, found shape {rows.shape}")
    if width == 7 and not (arrays.norm(rows[:, 3:]) > 0.0).all():
        raise StateError(f"{what} holds a pose whose quaternion is 0 0 0 0; w x y z must have length 1")
    return rows


def coordinates_at(joint: Joint, X_J: Pose, near: np.ndarray) -> np.ndarray:
    """Return the coordinates of a joint, shape (nq,), whose relative pose is nearest to X_J.

    near: coordinates, shape (nq,), from which whole turns are counted.
    """
    if not joint.kind.chart:
        return screw_coordinates(screws_of(joint), X_J, near)
    quat = np.array(quat_normalized(X_J[3:]))
    if arrays.matmul(quat, near[-4:]) < 0.0:
        quat = -quat
    return quat if joint.kind.code == BALL else np.concatenate([X_J[:3], quat])


def rates_at(joint: Joint, q: np.ndarray, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (qd, residual): the smallest velocities, shape (nv,), that fit V in the least-squares sense, and V - S qd.

    V: twist of the child-side frame relative to the parent-side one, in child-side axes, linear part first, shape (6,).
    """
    S = subspace_at(joint, q)
    qd = arrays.least_squares(S, V, 1e-9)[0] if joint.nv else np.zeros(0)
    return qd, V - arrays.matmul(S, qd)


def motion_subspace(model: AnyModel, q: Values, joint: str) -> np.ndarray:
    """Return S(q) of one joint, shape (6, its nv): its child-side frame moves by S(q) qd relative to the parent link.

    That twist is at the origin of the child-side frame, in the axes of that frame, linear [m/s] first. The columns are
    in the joint's own order, as its numbers in {joint: list}. docs/joints.md has S of each type.

    Args:
        q: shape (nq,), or {joint: number or list}; None for home. Only the joint's own coordinates matter.

    Raises:
        ModelError: if there is no such joint. StateError: if q has the wrong length, or if the joint closes a loop and
            has no coordinates, since the model was compiled without `split_loops`.
    """
    compiled = compiled_of(model)
    positions, span = compiled.positions(q), compiled.spans.get(joint)
    if span is not None:
        return subspace_at(span.joint, positions[span.q])
    fixed = compiled.model.joint(joint)
    if fixed.nv:
        raise StateError(f"joint '{joint}' closes a loop and has no coordinates here; take compile_model(model)")
    return np.zeros((6, 0))


def subspace_at(joint: Joint, q: np.ndarray) -> np.ndarray:
    """Return S(q), shape (6, nv), in child-side axes, linear part first."""
    if joint.kind.chart:
        return np.eye(6)[:, 6 - joint.nv :]
    return screw_motions(screws_of(joint), q) if joint.nv else np.zeros((6, 0))


def gap_of(joint: Joint, q: np.ndarray, X_J: Pose, residual: np.ndarray) -> Gap:
    """Return the residual of a joint at q whose relative pose is X_J.

    residual: the part of its relative twist that no joint velocity can cause, shape (6,).
    """
    off = compose(inverse(joint_pose(joint, q.tolist())), X_J)
    speed, turning = float(arrays.norm(residual[:3])), float(arrays.norm(residual[3:]))
    return Gap(norm(off[:3]), norm(rotvec_of_quat(off[3:])), speed, turning)


def _tree_joints(compiled: CompiledModel) -> list[tuple[Joint, set[str]]]:
    """Return each joint of the tree with the link that it carries, parents first, including implicit free joints."""
    floats = [(span.joint, {span.link}) for span in compiled.spans.values() if span.link in compiled.floating]
    return floats + [(branch.joint, {branch.outer}) for branch in compiled.tree.branches]


def loops_of(compiled: CompiledModel) -> list[Joint]:
    """Return the joints that close loops and have an effect."""
    return [loop.joint for loop in compiled.loops if not loop.joint.has_no_effect]


def relative_pose(joint: Joint, poses: dict[str, Pose]) -> Pose:
    """Return X_J from the poses of both links."""
    X_WP, X_WC = poses[joint.parent], poses[joint.child]
    return compose(inverse(compose(X_WP, joint.X_PJ)), compose(X_WC, joint.X_CJ))


def relative_twist(joint: Joint, poses: dict[str, Pose], twists: dict[str, np.ndarray]) -> np.ndarray:
    """Return the twist of the child-side frame relative to the parent link, shape (6,), linear part first.

    It is at the origin of the child-side frame, in the axes of that frame.
    """
    X_WJ = compose(poses[joint.child], joint.X_CJ)
    child, parent = (_twist_at(X_WJ, poses[name], twists[name]) for name in (joint.child, joint.parent))
    R = np.array(quat_to_mat(X_WJ[3:])).reshape(3, 3)
    return np.concatenate([arrays.matmul(R.T, (child - parent)[:3]), arrays.matmul(R.T, (child - parent)[3:])])


def _twist_at(X_WJ: Pose, X_WL: Pose, V_WL: np.ndarray) -> np.ndarray:
    """Return the twist of a link at the origin of X_WJ, in world axes."""
    return np.concatenate([V_WL[:3] + np.cross(V_WL[3:], np.subtract(X_WJ[:3], X_WL[:3])), V_WL[3:]])
