# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrenches in all joints, including fixed joints, whose links share a body in the dynamics."""

from __future__ import annotations

import numpy as np

from ..kinematics import require_satisfied, tree_kinematics
from ..kinematics.coordinates import loops_of
from ..kinematics.forward import link_row
from ..kinematics.motion import accelerate_body, update_body
from ..kinematics.work import make_work
from ..model import WORLD, Link, StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import (
    IDENTITY,
    IDENTITY_QUAT,
    ZERO,
    Mat3,
    add,
    compose,
    matmul,
    quat_rotate,
    quat_to_mat,
    rotate,
    rotate_back,
    scale,
    sym_mul,
)
from ..spatial.storage import get3, get_pair, put_pair
from .equations import Wrenches


def joint_wrenches(
    model: AnyModel, q: Values = None, qd: Values = None, qdd: Values = None, wrenches: Wrenches | None = None
) -> dict[str, np.ndarray]:
    """Return the force and torque of each joint on the link that it carries, by the joint's name, shape (6,).

    The force [N] comes first, then the torque [N m] about the joint's child-side origin, in world axes. They follow
    from the Newton-Euler equations of all links that the joint carries. The part that is not along the joint's motion
    is its reaction. A mimic or coupling is a torque or a force in each of its joints.

    Args:
        q: shape (nq,). qd, qdd: shape (nv,), as `forward_dynamics` relates them.
        wrenches: as in `equations.py`.

    Raises:
        ModelError: if `wrenches` names no link. StateError: if the state violates the constraints of the model; or if
            the model has loops, since the motion does not determine how a load is shared in a loop.
    """
    compiled = compiled_of(model)
    if loops := loops_of(compiled):
        raise StateError(
            f"joint '{loops[0].name}' closes a loop, and a motion alone does not tell what goes through either side of "
            "it; simulate with record=['wrenches'], which knows all forces"
        )
    q, qd, qdd = compiled.positions(q), compiled.velocities(qd), compiled.velocities(qdd, "qdd")
    require_satisfied(compiled, q, qd)
    return tree_wrenches(compiled, q, qd, qdd, wrenches)


def tree_wrenches(
    compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrenches: Wrenches | None = None
) -> dict[str, np.ndarray]:
    """Return the wrenches of the joints of the tree, as `joint_wrenches`, for zero wrenches of loop joints.

    Callers that know the wrenches of loop joints add them to `wrenches`.
    """
    X_WL, _ = tree_kinematics(compiled, q)
    poses = {WORLD: IDENTITY} | dict(zip(compiled.link_names, map(tuple, X_WL.tolist()), strict=True))
    net_wrenches = _rates_of_momentum(compiled, q, qd, qdd)
    for link, wrench in (wrenches or {}).items():
        link_row(compiled, link)
        force, torque = np.asarray(wrench[:3], dtype=np.float64), np.asarray(wrench[3:], dtype=np.float64)
        net_wrenches[link] -= np.concatenate([force, torque + np.cross(poses[link][:3], force)])
    carriers = [(branch.joint, branch.inner, branch.outer) for branch in compiled.tree.branches]
    floats = [(span.joint, WORLD, span.link) for span in compiled.spans.values() if span.link in compiled.floating]
    by_joint = {}
    for joint, inner, outer in reversed(floats + carriers):
        if inner != WORLD:
            net_wrenches[inner] += net_wrenches[outer]
        joint_origin = np.array(compose(poses[joint.child], joint.X_CJ)[:3])
        force, torque = net_wrenches[outer][:3], net_wrenches[outer][3:]
        by_joint[joint.name] = np.concatenate([force, torque - np.cross(joint_origin, force)])
    return {name: by_joint[name] for name in reversed(by_joint)}


def _rates_of_momentum(compiled: CompiledModel, q, qd, qdd) -> dict[str, np.ndarray]:
    """Return the rate of momentum of each link minus its weight: (force, torque about the origin), shape (6,)."""
    arrays, work = compiled.arrays, make_work(compiled.arrays)
    q, qd, qdd = compiled.positions(q), compiled.velocities(qd), compiled.velocities(qdd, "qdd")
    put_pair(work.bodies[0].acceleration, (ZERO, scale(tuple(arrays.gravity.tolist()), -1.0)))
    rotations: dict[int, Mat3] = {0: quat_to_mat(IDENTITY_QUAT)}
    for i in range(1, len(arrays.bodies)):
        R, _ = update_body(arrays, work, i, q, qd)
        accelerate_body(arrays, work, i, R, qdd)
        rotations[i] = R
    return {
        link.name: _rate_of_momentum(
            link, rotations[body], work.bodies[body], compiled.X_BL[row], arrays.gravity, arrays.wind
        )
        for row, (link, body) in enumerate(zip(compiled.model.links, compiled.link_body.tolist(), strict=True))
    }


def _rate_of_momentum(link: Link, R: Mat3, body, X_BL: np.ndarray, gravity: np.ndarray, wind: np.ndarray) -> np.ndarray:
    """Return the force and torque that a link needs, from Newton's and Euler's equations about its centre of mass.

    They include drag and the correction for a link without gravity, and are moved to the world's origin. Matrix
    products are written out, since NumPy's depend on version and processor.
    """
    (w, v), (dw, dv) = ([np.array(part) for part in get_pair(pair)] for pair in (body.velocity, body.acceleration))
    origin, quat = X_BL[:3].tolist(), tuple(X_BL[3:].tolist())
    arm = np.array(rotate(R, add(origin, quat_rotate(quat, link.com))))
    turn = matmul(R, quat_to_mat(quat))

    def spun(w: np.ndarray) -> np.ndarray:
        """Return the inertia in world axes times w."""
        return np.array(rotate(turn, sym_mul(link.inertia, rotate_back(turn, w.tolist()))))

    # A spatial acceleration is that of the velocity field at a fixed point. The acceleration of the matter there is the
    # sum of it and w x v.
    speed = v + np.cross(w, arm)
    force = link.mass * (dv + np.cross(dw, arm) + np.cross(w, speed) + link.linear_damping * (speed - wind))
    force += 0.0 if link.gravity else link.mass * gravity
    torque = spun(dw + link.angular_damping * w) + np.cross(w, spun(w))
    return np.concatenate([force, torque + np.cross(np.array(get3(body.origin)) + arm, force)])
