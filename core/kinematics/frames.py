# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses and Jacobians of any frame: of a link, a named frame of the model, or the world."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model import WORLD, ModelError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..spatial import IDENTITY, ZERO, Pose, Vec3, add, compose, inverse, quat_rotate
from .allowed_velocities import free_motions
from .batches import batched
from .checked import forward_kinematics, link_jacobian


def transform(model: AnyModel, q: Values, a: str, b: str = WORLD) -> Pose:
    """Return X_BA, the pose of frame `a` in frame `b`, by default in the world: x y z [m], qw qx qy qz.

    Args:
        q: shape (nq,), or {joint: number or list}; None for home.
        a, b: names of links or of frames of the model, or "world".

    Raises:
        ModelError: if there is no such frame. StateError: as `forward_kinematics`.
    """
    compiled = compiled_of(model)
    (link_a, X_a), (link_b, X_b) = frame_of(compiled, a), frame_of(compiled, b)
    X_WL, _ = forward_kinematics(compiled, compiled.positions(q))
    poses = {WORLD: IDENTITY} | dict(zip(compiled.link_names, map(tuple, X_WL.tolist()), strict=True))
    return compose(inverse(compose(poses[link_b], X_b)), compose(poses[link_a], X_a))


@batched
def jacobian(
    model: AnyModel, q: Values, frame: str, point: Vec3 = ZERO, leading: Sequence[str] | None = None
) -> np.ndarray:
    """Return J with V = J qd, shape (6, nv): the twist of a point of a frame, in world axes, linear [m/s] first.

    Args:
        q: shape (nq,), or {joint: number or list}; None for home.
        frame: the name of a link, of a frame of the model, or "world", which never moves.
        point: in the frame [m].
        leading: names of the joints that lead a mechanism; see `link_jacobian`.

    Raises:
        ModelError: there is no such frame. StateError: as `link_jacobian`.
    """
    compiled = compiled_of(model)
    link, X_LF = frame_of(compiled, frame)
    if link == WORLD:
        return np.zeros((6, compiled.nv if leading is None else free_motions(compiled, q, leading).shape[1]))
    return link_jacobian(compiled, q, link, add(X_LF[:3], quat_rotate(X_LF[3:], point)), leading)


def frame_of(compiled: CompiledModel, name: str) -> tuple[str, Pose]:
    """Return the link, or the world, in which a frame is fixed, and the frame's pose there.

    Raises:
        TypeError: if `name` is not a string. ModelError: if there is no such frame.
    """
    if not isinstance(name, str):
        raise TypeError(f"a frame is asked for by the name of a link or frame, found {name!r}; q comes before it")
    if name == WORLD or name in compiled.link_names:
        return name, IDENTITY
    frames = {frame.name: frame for frame in compiled.model.frames}
    if name not in frames:
        known = ", ".join([WORLD, *compiled.link_names, *frames])
        raise ModelError(f"there is no link or frame '{name}'; there are: {known}")
    return frames[name].link, frames[name].pose
