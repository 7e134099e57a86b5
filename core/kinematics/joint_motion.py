# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of one joint: the relative pose, motion subspace and limited quantities for given coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..model import WORLD, Joint, Link, Model
from ..model.compiling.compile import compile_model
from ..model.screws import joint_pose, limited_quantities_at
from ..spatial import IDENTITY, ZERO, Pose, quat_to_mat, rotate_back
from ..spatial.arrays import matmul
from ..spatial.storage import get9, get_pair, put_pair
from .motion import accelerate_body, update_body
from .work import make_work

Numbers = Sequence[float] | np.ndarray


class JointMotion:
    """Motion of a joint's child-side frame in its parent-side frame. Twists are in child-side axes, linear part first.

    The functions call the kernels of whole models, uncompiled.
    """

    def __init__(self, joint: Joint):
        alone = replace(joint, parent=WORLD, child="child", X_PJ=IDENTITY, X_CJ=IDENTITY, closes_loop=False)
        self.joint = joint
        self._compiled = compile_model(Model(links=[Link("child")], joints=[alone]), merge_fixed=False)
        self._work = make_work(self._compiled.arrays)

    def transform(self, q: Numbers) -> Pose:
        """Return X_J(q). q: shape (nq,)."""
        return joint_pose(self.joint, [float(value) for value in q])

    def subspace(self, q: Numbers) -> np.ndarray:
        """Return S(q), shape (6, nv): the twist is S(q) qd."""
        columns = [self._moved(q, unit)[0] for unit in np.eye(self.joint.nv)]
        return np.array(columns).reshape(-1, 6).T

    def drift(self, q: Numbers, qd: Numbers) -> np.ndarray:
        """Return the rate of S(q) qd for constant qd, shape (6,) [m/s^2, rad/s^2]."""
        return self._moved(q, qd)[1]

    def rows(self, q: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the limited quantities, shape (n,), and their gradients with respect to qd, shape (n, nv)."""
        rows = limited_quantities_at(self.joint, self.transform(q))
        values = np.array([value for _, value, _ in rows])
        gradients = np.array([(*force, *torque) for _, _, (torque, force) in rows]).reshape(-1, 6)
        return values, matmul(gradients, self.subspace(q))

    def _moved(self, q: Numbers, qd: Numbers) -> tuple[np.ndarray, np.ndarray]:
        """Return the twist and its rate, in child-side axes at the child-side origin."""
        arrays, work = self._compiled.arrays, self._work
        positions, velocities = np.asarray(q, dtype=np.float64), np.asarray(qd, dtype=np.float64)
        put_pair(work.bodies[0].acceleration, (ZERO, ZERO))
        still = np.zeros(self._compiled.nv)
        for i in range(1, len(arrays.bodies)):
            R, _ = update_body(arrays, work, i, positions, velocities)
            accelerate_body(arrays, work, i, R, still)
        last, X_BC = work.bodies[-1], self._compiled.X_BL[0]
        R = get9(last.rotation)
        return _in_child(get_pair(last.velocity), R, X_BC), _in_child(get_pair(last.acceleration), R, X_BC)


def _in_child(motion, R, X_BC: np.ndarray) -> np.ndarray:
    """Return a motion at the body's origin, in world axes, as (linear, angular) at the child-side frame, in its
    axes.
    """
    angular, linear = (np.array(rotate_back(R, part)) for part in motion)
    linear = linear + np.cross(angular, X_BC[:3])
    turn = np.array(quat_to_mat(tuple(X_BC[3:]))).reshape(3, 3)
    return np.concatenate([matmul(turn.T, linear), matmul(turn.T, angular)])
