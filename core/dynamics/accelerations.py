# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of links and frames, and their part that does not depend on the joint accelerations."""

from __future__ import annotations

import numpy as np

from ..kinematics import require_satisfied
from ..kinematics.batches import batched
from ..kinematics.frames import frame_of
from ..kinematics.work import Work, work_of
from ..model import WORLD
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import ZERO, Vec3, add, quat_rotate
from ..spatial.arrays import matvec
from .rnea import newton_euler


@batched
def link_accelerations(model: AnyModel, q: Values = None, qd: Values = None, qdd: Values = None) -> np.ndarray:
    """Return the rates of the twists V_WL of `forward_kinematics`, shape (L, 6), in `compiled.link_names`' order.

    They are in world axes: the acceleration [m/s^2] of the link's origin first, then the angular acceleration
    [rad/s^2]. These are classical accelerations, as those of Pinocchio's `getFrameClassicalAcceleration` with
    `LOCAL_WORLD_ALIGNED`, and not Featherstone's spatial ones, from which they differ by w x v. Gravity
    is not subtracted: a link that falls freely accelerates by it.

    Args:
        q, qd, qdd: shapes (nq,), (nv,) and (nv,), or {joint: number or list}; by default, home, at rest, and 0. Where
            loops, mimics, couplings or limits make velocities depend on each other, qdd must fit these constraints, as
            that of `forward_dynamics` does. This is not checked.

    Raises:
        StateError: if q, qd or qdd has the wrong length, or if q or qd violates the constraints of the model.

    Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 2.11.
    """
    compiled = compiled_of(model)
    work = _accelerated(compiled, q, qd, qdd)
    return _accelerations_at(work, compiled.link_body, compiled.X_BL[:, :3])


@batched
def bias_acceleration(model: AnyModel, q: Values, qd: Values, frame: str, point: Vec3 = ZERO) -> np.ndarray:
    """Return the product of the Jacobian's rate and qd, shape (6,): with V = J qd, the acceleration is J qdd + this.

    J is that of `jacobian`, of a point of a frame in world axes: the acceleration [m/s^2] of the point comes first,
    then the angular acceleration [rad/s^2]. Drake calls it so (`CalcBiasSpatialAcceleration`, with the angular part
    first); in Pinocchio it is `getFrameJacobianTimeVariation` with `LOCAL_WORLD_ALIGNED`, times v.

    Args:
        q, qd: shapes (nq,) and (nv,), or {joint: number or list}; None for home and at rest.
        frame: the name of a link, of a frame of the model, or "world", which never moves.
        point: in the frame [m].

    Raises:
        ModelError: if there is no such frame. StateError: as `link_accelerations`.
    """
    compiled = compiled_of(model)
    link, X_LF = frame_of(compiled, frame)
    work = _accelerated(compiled, q, qd, None)
    if link == WORLD:
        return np.zeros(6)
    row = compiled.link_names.index(link)
    in_link = add(X_LF[:3], quat_rotate(X_LF[3:], point))
    X_BL = compiled.X_BL[row].tolist()
    in_body = np.array(add(tuple(X_BL[:3]), quat_rotate(tuple(X_BL[3:]), in_link)))
    return _accelerations_at(work, compiled.link_body[row : row + 1], in_body[None])[0]


def _accelerated(compiled: CompiledModel, q: Values, qd: Values, qdd: Values) -> Work:
    """Return work arrays with the poses, velocities and accelerations of bodies.

    They come from inverse dynamics without gravity, whose first pass computes them.
    """
    positions, velocities = compiled.positions(q), compiled.velocities(qd)
    accelerations = compiled.velocities(qdd, "qdd")
    require_satisfied(compiled, positions, velocities)
    work, weightless = work_of(compiled), compiled.arrays._replace(gravity=np.zeros(3))
    newton_euler(weightless, work, positions, velocities, accelerations, np.zeros(compiled.nv))
    return work


def _accelerations_at(work: Work, bodies: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return classical accelerations of points of bodies, shape (n, 6), in world axes, linear part first.

    Args:
        bodies: numbers of the bodies, shape (n,). points: in body axes, from the body's origin, shape (n, 3) [m].
    """
    records = work.bodies[bodies]
    w, v = records.velocity[:, :3], records.velocity[:, 3:]
    angular, linear = records.acceleration[:, :3], records.acceleration[:, 3:]
    arm = matvec(records.rotation.reshape(-1, 3, 3), points)
    of_origin = linear + np.cross(w, v)  # from the rate at a fixed point of space to that of the moving origin
    return np.hstack([of_origin + np.cross(angular, arm) + np.cross(w, np.cross(w, arm)), angular])
