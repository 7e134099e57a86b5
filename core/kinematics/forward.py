# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics of the spanning tree: poses and twists of links from joint coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..compilation.jit import jitable, kernel
from ..model import Model, ModelError
from ..model.compiling.compile import AnyModel, compile_model, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import Pose, add, cross, quat_mul, quat_of_mat, rotate
from ..spatial.storage import get3, get4, get9, get_pair, put3, put4
from .motion import update_body
from .work import make_work, work_of


@kernel
def place_links(model, work, q, link_body, X_BL, X_WL):
    """Write to `X_WL`, shape (L, 7), the link poses at q, shape (nq,); link_body and X_BL are `CompiledModel`'s."""
    for i in range(1, model.bodies.shape[0]):
        update_body(model, work, i, q, work.zeros)
    write_link_poses(work, link_body, X_BL, X_WL)


@kernel
def move_links(model, work, q, qd, link_body, X_BL, X_WL, V_WL):
    """Write the link poses, as `place_links`, and to `V_WL`, shape (L, 6), the link twists at velocities qd, shape
    (nv,).
    """
    for i in range(1, model.bodies.shape[0]):
        update_body(model, work, i, q, qd)
    write_link_poses(work, link_body, X_BL, X_WL)
    for i in range(link_body.shape[0]):
        body = work.bodies[link_body[i]]
        angular, linear = get_pair(body.velocity)
        arm = rotate(get9(body.rotation), get3(X_BL[i]))
        put3(V_WL[i], add(linear, cross(angular, arm)))
        put3(V_WL[i], angular, 3)


@jitable
def write_link_poses(work, link_body, X_BL, X_WL):
    """Write link poses to `X_WL`, from body poses that `update_body` has left in `work`."""
    for i in range(link_body.shape[0]):
        body = work.bodies[link_body[i]]
        R = get9(body.rotation)
        put3(X_WL[i], add(get3(body.origin), rotate(R, get3(X_BL[i]))))
        put4(X_WL[i], quat_mul(quat_of_mat(R), get4(X_BL[i], 3)), 3)


def tree_kinematics(
    model: AnyModel,
    q: Values = None,
    qd: Values = None,
    links: Iterable[str] | None = None,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (X_WL, V_WL): poses, shape (L, 7), and twists, shape (L, 6), of the links in `compiled.link_names`' order.

    Loops, mimics and couplings are not checked, so any q and qd are allowed; `forward_kinematics` checks them. Poses
    are x y z [m], qw qx qy qz. Twists are in world axes, the velocity [m/s] of the link's origin first, then the
    angular velocity [rad/s].

    Args:
        q, qd: shapes (nq,) and (nv,), or {joint: number or list}; by default, home and at rest.
        links: write only these rows; `out` keeps its other ones.
        out: arrays to write into, of the shapes above.

    Raises:
        ModelError: if `links` contains a name that is not a link. StateError: if q or qd has the wrong length.
    """
    compiled = compiled_of(model)
    count, positions, rates = len(compiled.link_names), compiled.positions(q), compiled.velocities(qd)
    arrays, work = compiled.arrays, work_of(compiled)
    if links is None and out is None:
        poses, twists = np.empty((count, 7)), np.empty((count, 6))
        move_links(arrays, work, positions, rates, compiled.link_body, compiled.X_BL, poses, twists)
        return poses, twists
    X_WL, V_WL = out or (np.tile(np.array([0.0, 0, 0, 1, 0, 0, 0]), (count, 1)), np.zeros((count, 6)))
    rows = np.arange(count) if links is None else np.array([link_row(compiled, name) for name in links], dtype=np.int64)
    poses, twists = np.zeros((len(rows), 7)), np.zeros((len(rows), 6))
    move_links(arrays, work, positions, rates, compiled.link_body[rows], compiled.X_BL[rows], poses, twists)
    X_WL[rows], V_WL[rows] = poses, twists
    return X_WL, V_WL


def link_row(compiled: CompiledModel, name: str) -> int:
    """Return the row of a link in arrays of all links. Raises `ModelError` if there is no such link."""
    try:
        return compiled.link_names.index(name)
    except ValueError:
        raise ModelError(f"there is no link '{name}'; there are: {', '.join(compiled.link_names)}") from None


def tree_poses(model: Model, q: Mapping | None = None) -> dict[str, Pose]:
    """Return the pose X_WL of each link, by name, with the joints at `q`: {joint: number or list}, and at 0 elsewhere.

    Loops may be open, and mimics do not follow; `link_poses` closes them. The kernel runs uncompiled, so that a single
    call does not wait for a compilation.

    Raises:
        ModelError: if the model cannot be compiled. StateError: if `q` does not fit it.
    """
    compiled = compile_model(model, split_loops=False)
    drawn = {name: span.joint.q_neutral for name, span in compiled.spans.items()}
    X_WL = np.zeros((len(compiled.link_names), 7))
    place_links.python(
        compiled.arrays,
        make_work(compiled.arrays),
        compiled.q_from(drawn | dict(q or {})),
        compiled.link_body,
        compiled.X_BL,
        X_WL,
    )
    return {name: tuple(pose) for name, pose in zip(compiled.link_names, X_WL.tolist(), strict=True)}
