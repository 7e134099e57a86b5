# SPDX-License-Identifier: GPL-3.0-or-later
"""Jacobians of the spanning tree: the twist of a point of a link per unit of each velocity coordinate."""

from __future__ import annotations

import numpy as np

from ..compilation.jit import jitable, kernel
from ..joints import BALL, SCREWS
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import Values
from ..spatial import ZERO, Vec3, add, motion_at, quat_rotate, rotate, sub
from ..spatial.storage import get3, get9, put3
from .forward import link_row
from .motion import screw_of, update_body
from .work import work_of


@jitable
def motion_of_dof(model, work, i, j):
    """Return the twist of body i at its own origin, in world axes, per unit of its velocity coordinate j."""
    body = model.bodies[i]
    if body.kind == SCREWS:
        return screw_of(model.dofs[j], get3(work.dofs[j].axis))
    R = get9(work.bodies[i].rotation)
    part = j - body.v
    turned = body.kind == BALL or part >= 3
    k = part % 3
    axis = (R[k], R[3 + k], R[6 + k])
    if turned:
        return axis, ZERO
    return ZERO, axis


@jitable
def write_jacobian(model, work, body, point, J):
    """Write the Jacobian of a point that moves with `body`, shape (6, nv), to `J`, linear first. point: in the world
    [m].
    """
    for row in range(6):
        for j in range(J.shape[1]):
            J[row, j] = 0.0
    i = body
    while i > 0:
        arm = sub(point, get3(work.bodies[i].origin))
        for j in range(model.bodies[i].v, model.bodies[i].v_end):
            angular, linear = motion_at(motion_of_dof(model, work, i, j), arm)
            put3(J[:, j], linear)
            put3(J[:, j], angular, 3)
        i = model.bodies[i].parent


@kernel
def body_jacobian(model, work, q, body, point, J):
    """Write the Jacobian, as `write_jacobian`, of a point in the body's frame, shape (3,) [m], at coordinates q."""
    for i in range(1, model.bodies.shape[0]):
        update_body(model, work, i, q, work.zeros)
    place = work.bodies[body]
    write_jacobian(model, work, body, add(get3(place.origin), rotate(get9(place.rotation), get3(point))), J)


def tree_jacobian(model: AnyModel, q: Values, link: str, point: Vec3 = ZERO) -> np.ndarray:
    """Return J with V = J qd, shape (6, nv): the twist of a point of a link, in world axes, linear [m/s] first.

    Each column is the motion by one velocity coordinate alone, in the tree. `link_jacobian` respects loops and
    couplings.

    Args:
        q: shape (nq,).
        point: in the link's frame [m].

    Raises:
        ModelError: if there is no such link. StateError: if q has the wrong length.
    """
    compiled = compiled_of(model)
    row = link_row(compiled, link)
    X_BL = compiled.X_BL[row]
    at = np.array(add(tuple(X_BL[:3]), quat_rotate(tuple(X_BL[3:]), point)))
    J = np.zeros((6, compiled.nv))
    body_jacobian(compiled.arrays, work_of(compiled), compiled.positions(q), compiled.link_body[row], at, J)
    return J
