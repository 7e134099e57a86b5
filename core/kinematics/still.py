# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in one fixed configuration: poses of its bodies, and Jacobians at the cost of a few products."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model.compiling.compiled import CompiledModel
from ..spatial import Pose, compose, motion_at, quat_of_mat, scale
from .jacobians import motion_of_dof
from .motion import update_body
from .work import make_work


class StillModel:
    """Poses and twists of a model at one configuration. Twists have the linear part first.

    Kernels run uncompiled here, since one configuration takes less time than a compilation.

    Attributes:
        q: the configuration, shape (nq,).
        X_WB: pose of each body [m]. X_WL: pose of each link, by name [m].
        twists: per unit of each velocity coordinate, at the world's origin in world axes, shape (6, nv).
        moves: whether a velocity coordinate moves a body, shape (bodies, nv).
    """

    def __init__(self, compiled: CompiledModel, q: np.ndarray):
        self.compiled, self.q = compiled, q
        arrays, work = compiled.arrays, make_work(compiled.arrays)
        still = np.zeros(compiled.nv)
        self.twists = np.zeros((6, compiled.nv))
        self.moves = np.zeros((len(arrays.bodies), compiled.nv), dtype=bool)
        for i in range(1, len(arrays.bodies)):
            update_body(arrays, work, i, q, still)
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
        """Return the Jacobian of the point of a body that is at `point` [m, in the world], shape (6, nv)."""
        return np.where(self.moves[body], twists_at(self.twists, point), 0.0)


def twists_at(twists: np.ndarray, arm: Sequence[float]) -> np.ndarray:
    """Return twists, shape (6, n), linear part first, at a point that is displaced by `arm` [m]."""
    return np.vstack([twists[:3] + np.cross(twists[3:], arm, axisa=0, axisc=0), twists[3:]])
