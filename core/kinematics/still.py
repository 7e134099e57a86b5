# SPDX-License-Identifier: GPL-3.0-or-later
"""A model held in one pose: where its bodies are, and any Jacobian at the cost of a few products."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.compiled import CompiledModel
from ..spatial import Pose, compose, motion_at, quat_of_mat, scale
from .jacobian import motion_of_dof
from .motion import move
from .work import make_work


class StillModel:
    """Kernels run undecorated here: one pose is done before they would be compiled. Twists are linear first.

    Attributes:
        q: the pose, shape (nq,).
        X_WB: of every body [m]. X_WL: of every link, by name [m].
        twists: of every velocity coordinate, taken at the world's origin in world axes, shape (6, nv).
        moves: which coordinates move which body, shape (bodies, nv).
    """

    def __init__(self, compiled: CompiledModel, q: np.ndarray):
        self.compiled, self.q = compiled, q
        arrays, work = compiled.arrays, make_work(compiled.arrays)
        still = np.zeros(compiled.nv)
        self.twists = np.zeros((6, compiled.nv))
        self.moves = np.zeros((len(arrays.bodies), compiled.nv), dtype=bool)
        for i in range(1, len(arrays.bodies)):
            move(arrays, work, i, q, still)
            body = arrays.bodies[i]
            self.moves[i] = self.moves[body.parent]
            self.moves[i, body.v : body.v_end] = True
            back = scale(tuple(work.bodies[i].origin.tolist()), -1.0)
            for j in range(body.v, body.v_end):
                angular, linear = motion_at(motion_of_dof(arrays, work, i, j), back)
                self.twists[:, j] = (*linear, *angular)
        self.X_WB: list[Pose] = [
            (*body.origin.tolist(), *quat_of_mat(tuple(body.rotation.tolist()))) for body in work.bodies
        ]
        self.X_WL: dict[str, Pose] = {
            name: compose(self.X_WB[body], tuple(X_BL))
            for name, body, X_BL in zip(compiled.link_names, compiled.link_body, compiled.X_BL.tolist(), strict=True)
        }

    def jacobian(self, body: int, point: Sequence[float]) -> np.ndarray:
        """Of a point of the body that is there now [m, in the world], shape (6, nv)."""
        return np.where(self.moves[body], seen_from(self.twists, point), 0.0)


def seen_from(twists: np.ndarray, arm: Sequence[float]) -> np.ndarray:
    """Twists, taken at a point that lies `arm` further."""
    return np.vstack([twists[:3] + np.cross(twists[3:], arm, axisa=0, axisc=0), twists[3:]])
