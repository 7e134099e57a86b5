# SPDX-License-Identifier: GPL-3.0-or-later
"""Mechanisms with loops by the null space of their constraints: slow, dense, and nothing of the engine's own way.

Source: Udwadia and Kalaba, Analytical Dynamics (1996), chapter 3; de Jalon and Bayo, Kinematic and Dynamic Simulation
of Multibody Systems (1994), chapter 5.
"""

from __future__ import annotations

import numpy as np

from limberjack.core.dynamics import tree_inverse_dynamics, tree_mass_matrix
from limberjack.core.joints import FREE
from limberjack.core.kinematics import tree_jacobian, tree_kinematics
from limberjack.core.model import WORLD, Joint, Model
from limberjack.core.model.compiling.compile import compile_model
from limberjack.core.spatial import compose, quat_rotate

RANK_TOLERANCE = 1e-6
IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class Constrained:
    """A model whose loops are closed by hinges, with springs between points as `distance` joints, in tree coordinates.

    Args:
        forces: constant, by joint of the tree.
    """

    def __init__(self, model: Model, forces: dict[str, float] | None = None):
        self.compiled = compile_model(model, split_loops=False)
        loops = [loop.joint for loop in self.compiled.loops]
        self.springs = [joint for joint in loops if joint.kind.code == FREE]
        self.hinges = [joint for joint in loops if joint.kind.code != FREE]
        self.tau = self.compiled.q_from(forces or {}, velocities=True)

    def frames(self, joint: Joint, q: np.ndarray) -> tuple[tuple, tuple]:
        """Where the joint's two frames are in the world."""
        X_WL, _ = tree_kinematics(self.compiled, q)
        poses = dict(zip(self.compiled.link_names, map(tuple, X_WL.tolist()), strict=True)) | {WORLD: IDENTITY}
        return compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)

    def accelerations(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Those that Gauss's principle asks for, shape (nv,)."""
        J = self._rows(q)
        step = 1e-5 / max(1.0, np.abs(qd).max())
        bias = (self._rows(q + step * qd) - self._rows(q - step * qd)) @ qd / (2.0 * step)
        _, sizes, ways = np.linalg.svd(J, full_matrices=True)
        rank = int((sizes > RANK_TOLERANCE * sizes[0]).sum()) if len(sizes) else 0
        Z = ways[rank:].T
        kept = -np.linalg.pinv(J, RANK_TOLERANCE) @ bias
        needed = tree_inverse_dynamics(self.compiled, q, qd, kept, self._pulls(q, qd))
        M = tree_mass_matrix(self.compiled, q)
        return kept + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (self.tau - needed))

    def rates(self, _time: float, y: np.ndarray) -> np.ndarray:
        """Of (q, qd), for SciPy's integrators."""
        q, qd = np.split(y, 2)
        return np.concatenate([qd, self.accelerations(q, qd)])

    def _jacobian(self, q: np.ndarray, link: str, point: tuple) -> np.ndarray:
        return np.zeros((6, self.compiled.nv)) if link == WORLD else tree_jacobian(self.compiled, q, link, point)

    def _rows(self, q: np.ndarray) -> np.ndarray:
        """J with J qd = 0, shape (6 hinges, nv): the part of each angular velocity along its axis is left out."""
        rows = [np.zeros((0, self.compiled.nv))]
        for hinge in self.hinges:
            apart = self._jacobian(q, hinge.child, hinge.X_CJ[:3]) - self._jacobian(q, hinge.parent, hinge.X_PJ[:3])
            axis = np.array(quat_rotate(self.frames(hinge, q)[0][3:], hinge.unit_direction(0)))
            rows += [apart[:3], apart[3:] - np.outer(axis, axis @ apart[3:])]
        return np.vstack(rows)

    def _pulls(self, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """What the springs do to each link: force, and torque about its origin, in world axes."""
        X_WL, _ = tree_kinematics(self.compiled, q)
        wrenches: dict[str, np.ndarray] = {}
        for joint in self.springs:
            axis = joint.axes[0]
            start, end = (np.array(frame[:3]) for frame in self.frames(joint, q))
            length = np.linalg.norm(end - start)
            way = (end - start) / length
            apart = self._jacobian(q, joint.child, joint.X_CJ[:3]) - self._jacobian(q, joint.parent, joint.X_PJ[:3])
            pull = axis.spring_stiffness * (length - axis.spring_reference) + axis.damping * way @ (apart @ qd)[:3]
            for link, at, force in ((joint.parent, start, pull * way), (joint.child, end, -pull * way)):
                if link != WORLD:
                    arm = at - X_WL[self.compiled.link_names.index(link), :3]
                    wrench = np.concatenate([force, np.cross(arm, force)])
                    wrenches[link] = wrenches.get(link, 0.0) + wrench
        return wrenches
