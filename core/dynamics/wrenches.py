"""The wrench that every joint passes on, fixed ones too, though those cost the dynamics nothing."""

from __future__ import annotations

import numpy as np

from ..kinematics import forward_kinematics
from ..kinematics.forward import link_row
from ..kinematics.motion import accelerate_body, move
from ..kinematics.work import get3, get_pair, make_work, put_pair
from ..model import WORLD, Link
from ..model.compiled import CompiledModel
from ..spatial import IDENTITY, ZERO, compose, quat_rotate, quat_to_mat, scale
from .equations import Wrenches


def joint_wrenches(
    compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, wrenches: Wrenches | None = None
) -> dict[str, np.ndarray]:
    """What each joint of the tree gives to the link that it carries, by the joint's name, shape (6,).

    The force [N] first, then the torque [N m] about the joint's child-side origin, in world axes. Newton and Euler's
    equations of every single link, summed over all that the joint carries; a part that is not along the joint's motion
    is its reaction.

    Args:
        q: shape (nq,). qd, qdd: shape (nv,), as `forward_dynamics` relates them.
        wrenches: as in `equations.py`.

    Raises:
        ModelError: `wrenches` names no link.
    """
    X_WL, _ = forward_kinematics(compiled, q)
    poses = {WORLD: IDENTITY} | dict(zip(compiled.link_names, map(tuple, X_WL.tolist()), strict=True))
    needed = _rates_of_momentum(compiled, q, qd, qdd)
    for link, wrench in (wrenches or {}).items():
        link_row(compiled, link)
        force, torque = np.asarray(wrench[:3], dtype=np.float64), np.asarray(wrench[3:], dtype=np.float64)
        needed[link] -= np.concatenate([force, torque + np.cross(poses[link][:3], force)])
    carriers = [(branch.joint, branch.inner, branch.outer) for branch in compiled.tree.branches]
    floats = [(span.joint, WORLD, span.link) for span in compiled.spans.values() if span.link in compiled.floating]
    found = {}
    for joint, inner, outer in reversed(floats + carriers):
        if inner != WORLD:
            needed[inner] += needed[outer]
        at = np.array(compose(poses[joint.child], joint.X_CJ)[:3])
        force, torque = needed[outer][:3], needed[outer][3:]
        found[joint.name] = np.concatenate([force, torque - np.cross(at, force)])
    return {name: found[name] for name in reversed(found)}


def _rates_of_momentum(compiled: CompiledModel, q, qd, qdd) -> dict[str, np.ndarray]:
    """Of each link, less its weight: (force, torque about the world's origin), shape (6,)."""
    arrays, work = compiled.arrays, make_work(compiled.arrays)
    q, qd, qdd = compiled.positions(q), compiled.velocities(qd), compiled.velocities(qdd, "qdd")
    put_pair(work.bodies[0].acceleration, (ZERO, scale(tuple(arrays.gravity.tolist()), -1.0)))
    rotations = {0: np.eye(3)}
    for i in range(1, len(arrays.bodies)):
        R, _ = move(arrays, work, i, q, qd)
        accelerate_body(arrays, work, i, R, qdd)
        rotations[i] = np.array(R).reshape(3, 3)
    return {
        link.name: _rate_of_momentum(
            link, rotations[body], work.bodies[body], compiled.X_BL[row], arrays.gravity, arrays.wind
        )
        for row, (link, body) in enumerate(zip(compiled.model.links, compiled.link_body.tolist(), strict=True))
    }


def _rate_of_momentum(
    link: Link, R: np.ndarray, body, X_BL: np.ndarray, gravity: np.ndarray, wind: np.ndarray
) -> np.ndarray:
    """Newton and Euler about the link's centre of mass, with what drag and a switched-off gravity ask for besides.

    Moved to the world's origin.
    """
    (w, v), (dw, dv) = ([np.array(part) for part in get_pair(pair)] for pair in (body.velocity, body.acceleration))
    arm = R @ (X_BL[:3] + quat_rotate(tuple(X_BL[3:]), link.com))
    turn = R @ np.array(quat_to_mat(tuple(X_BL[3:]))).reshape(3, 3)
    xx, xy, xz, yy, yz, zz = link.inertia
    inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
    # the spatial acceleration at a point leaves out how fast the body's own matter passes by: w x v
    speed = v + np.cross(w, arm)
    force = link.mass * (dv + np.cross(dw, arm) + np.cross(w, speed) + link.linear_damping * (speed - wind))
    force += 0.0 if link.gravity else link.mass * gravity
    torque = inertia @ (dw + link.angular_damping * w) + np.cross(w, inertia @ w)
    return np.concatenate([force, torque + np.cross(np.array(get3(body.origin)) + arm, force)])
