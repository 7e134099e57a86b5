# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrenches in all joints, including fixed joints, whose links share a body in the dynamics.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 5.3: the recursive Newton-Euler algorithm, with the
forces of each link about one point, the world's origin.
"""

from __future__ import annotations

import numpy as np

from ..compilation.jit import kernel, subroutine
from ..kinematics import require_satisfied, tree_kinematics
from ..kinematics.coordinates import loops_of
from ..kinematics.forward import link_row
from ..kinematics.motion import accelerate_body, update_body
from ..kinematics.work import work_of
from ..model import StateError
from ..model.compiling.carried_links import carried_links_of
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import ZERO, add, cross, rotate, rotate_back, scale, sub, sym_mul
from ..spatial.storage import get3, get6, get9, get_pair, put3, put_pair
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
    """Return the wrenches of the joints of the tree, as `joint_wrenches`, for zero wrenches of loop joints."""
    carried = carried_links_of(compiled)
    outside, found = np.zeros((2, len(carried.records), 6))
    if wrenches:
        X_WL, _ = tree_kinematics(compiled, q)
        for link, wrench in wrenches.items():
            row = link_row(compiled, link)
            outside[carried.rows[row]] += about_origin(np.asarray(wrench, dtype=np.float64), X_WL[row, :3])
    q, qd, qdd = compiled.positions(q), compiled.velocities(qd), compiled.velocities(qdd, "qdd")
    work = work_of(compiled)
    write_tree_wrenches(compiled.arrays, work, carried.records, q, qd, qdd, outside, found)
    return dict(zip(carried.joints, found[::-1], strict=True))


def about_origin(wrench: np.ndarray, point: np.ndarray) -> np.ndarray:
    """Return a wrench about the world's origin, shape (6,) [N, N m]. wrench: about a point [m], force first."""
    return np.concatenate([wrench[:3], wrench[3:] + cross(tuple(point.tolist()), tuple(wrench[:3].tolist()))])


@kernel
def write_tree_wrenches(model, work, links, q, qd, qdd, outside, out):
    """Write to `out`, shape (L, 6), the force and torque of the joint that carries each link.

    Args:
        links: CARRIED_LINK records, shape (L,). q: shape (nq,) [rad or m]. qd, qdd: shape (nv,), per second and per
            second squared.
        outside: force and torque about the world's origin that all other causes exert on each link, shape (L, 6)
            [N, N m].
        out: about the joints' child-side origins [N, N m].
    """
    compute_tree_wrenches(model, work, links, q, qd, qdd, outside, out)


@subroutine
def compute_tree_wrenches(model, work, links, q, qd, qdd, outside, out):
    """Compute what `write_tree_wrenches` writes, for calls from kernels."""
    put_pair(work.bodies[0].acceleration, (ZERO, scale(get3(model.gravity), -1.0)))
    for i in range(1, model.bodies.shape[0]):
        R, _ = update_body(model, work, i, q, qd)
        accelerate_body(model, work, i, R, qdd)
    for k in range(links.shape[0]):
        write_rate_of_momentum(model, work, links[k], out[k])
        for j in range(6):
            out[k, j] -= outside[k, j]
    for k in range(links.shape[0]):  # all that a link carries comes before it
        link = links[k]
        if link.inner >= 0:
            for j in range(6):
                out[link.inner, j] += out[k, j]
        body_work = work.bodies[link.joint_body]
        origin = add(get3(body_work.origin), rotate(get9(body_work.rotation), get3(link.joint_origin)))
        put3(out[k], sub(get3(out[k], 3), cross(origin, get3(out[k]))), 3)


@subroutine
def write_rate_of_momentum(model, work, link, out):
    """Write the force and torque that a link needs, from Newton's and Euler's equations about its centre of mass.

    They include drag and the correction for a link without gravity, and are moved to the world's origin.

    Args:
        link: a CARRIED_LINK record. out: shape (6,).
    """
    body_work = work.bodies[link.body]
    R = get9(body_work.rotation)
    w, v = get_pair(body_work.velocity)
    dw, dv = get_pair(body_work.acceleration)
    arm = rotate(R, get3(link.com))
    # A spatial acceleration is that of the velocity field at a fixed point. The acceleration of the matter there is the
    # sum of it and w x v.
    speed = add(v, cross(w, arm))
    acceleration = add(add(dv, cross(dw, arm)), cross(w, speed))
    acceleration = add(acceleration, scale(sub(speed, get3(model.wind)), link.linear_damping))
    if link.has_gravity == 0:
        acceleration = add(acceleration, get3(model.gravity))
    force = scale(acceleration, link.mass)
    inertia = get6(link.inertia)
    turning = rotate(R, sym_mul(inertia, rotate_back(R, add(dw, scale(w, link.angular_damping)))))
    torque = add(turning, cross(w, rotate(R, sym_mul(inertia, rotate_back(R, w)))))
    put3(out, force)
    put3(out, add(torque, cross(add(get3(body_work.origin), arm), force)), 3)
