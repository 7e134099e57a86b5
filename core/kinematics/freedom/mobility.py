# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom of a mechanism: by Gruebler's formula, and by the rank of its loop equations.

Each loop has six equations: both ways around it move the loop joint's frame alike. The unknowns are the velocities of
the tree and of the loop joint. Each coupling adds one equation, and so does each axis whose two limits are equal.

Source: Angeles, Fundamentals of Robotic Mechanical Systems (4th ed., 2014), section 8.2 (Chebyshev-Gruebler-Kutzbach),
and Gogu, Structural Synthesis of Parallel Robots (2008), section 2.3, for mobility by rank.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...model import Joint
from ...model.compiling.compile import compile_model
from ...model.compiling.compiled import ByJoint, LoopJoint
from ...model.model import Loop, Model
from ...spatial import Pose, compose, inverse, quat_to_mat, scale
from ...spatial.arrays import matmul, norm
from ..allowed_velocities import Motions, fixed_gradients
from ..coordinates import coordinates_at
from ..inverse.closing import closed_state
from ..joint_motion import JointMotion
from ..still import StillModel, twists_at
from .spins import spinning_chains


@dataclass(frozen=True)
class Redundancy:
    """A loop, and how many of its `constraints` follow from the rest of the mechanism."""

    loop: Loop
    constraints: int
    redundant: int


@dataclass(frozen=True)
class Mobility:
    """Result of `mobility`.

    Attributes:
        by_rank: degrees of freedom in the given pose.
        by_count: Gruebler's count, which assumes that all constraints are independent.
        redundancies: one for each loop. Together with couplings, they explain by_rank - by_count.
        spins: chains of links that can turn about their own axis while everything else stands still.
    """

    by_rank: int
    by_count: int
    redundancies: tuple[Redundancy, ...]
    spins: tuple[tuple[str, ...], ...]


def mobility(model: Model, q: ByJoint | None = None) -> Mobility:
    """Count the degrees of freedom of a model, as drawn or in another pose.

    Args:
        q: {joint: number or list}, as in `closed_state`: loops are closed and mimics follow. If None, all joints are at
            q = 0, where loops may be open as drawn.

    Raises:
        ModelError: if the model cannot be compiled. StateError: as `closed_state`.
    """
    compiled = compile_model(model, split_loops=False)
    drawn = compiled.q_from({name: span.joint.q_neutral for name, span in compiled.spans.items()})
    return _Count(StillModel(compiled, closed_state(compiled, q)[0] if q else drawn)).result()


class _Count:
    """The equations of all loops and couplings. Unknowns are the velocities of the tree, then those of loop joints."""

    def __init__(self, still: StillModel):
        self.still, self.compiled = still, still.compiled
        self.starts = np.cumsum([self.compiled.nv, *(loop.joint.nv for loop in self.compiled.loops)])
        self.unknowns = int(self.starts[-1])
        self.length = _size(still.X_WL.values())
        self.subspaces: dict[str, np.ndarray] = {}

    def result(self) -> Mobility:
        motions = Motions(self.unknowns)
        spans = self.compiled.spans.values()
        tree = [row for span in spans for row in self._stuck(span.joint, self.still.q[span.q])] + self._coupled()
        motions.constrain(tree)
        count, redundancies = len(tree), []
        for number, (loop, named) in enumerate(zip(self.compiled.loops, self.compiled.model.loops(), strict=True)):
            X_WC, values = self._loop_state(loop)
            stuck = self._stuck(loop.joint, values)
            gained = motions.constrain([*self._closing(number, loop, X_WC, values), *stuck])
            count += 6 + len(stuck)
            redundancies.append(Redundancy(named, 6 - loop.joint.nv + len(stuck), 6 + len(stuck) - gained))
        spins = spinning_chains(self.still, self.subspaces, self.length) if redundancies else []
        return Mobility(motions.count, self.unknowns - count, tuple(redundancies), tuple(spins))

    def _loop_state(self, loop: LoopJoint) -> tuple[Pose, np.ndarray]:
        """Return the pose of the loop joint's child-side frame in the world, and its coordinates, shape (nq,)."""
        X_WB = self.still.X_WB
        X_WP, X_WC = compose(X_WB[loop.parent_body], loop.X_BP), compose(X_WB[loop.child_body], loop.X_BC)
        return X_WC, coordinates_at(loop.joint, compose(inverse(X_WP), X_WC), np.array(loop.joint.q_neutral))

    def _closing(self, number: int, loop: LoopJoint, X_WC: Pose, values: np.ndarray) -> np.ndarray:
        """Return the six equations that the frame moves with its link as the parent-side frame and the joint move
        it.
        """
        still = self.still
        own = _in_world(JointMotion(loop.joint).subspace(values), X_WC)
        self.subspaces[loop.joint.name] = twists_at(own, scale(X_WC[:3], -1.0))
        rows = np.zeros((6, self.unknowns))
        rows[:, : self.compiled.nv] = still.jacobian(loop.child_body, X_WC[:3])
        rows[:, : self.compiled.nv] -= still.jacobian(loop.parent_body, X_WC[:3])
        rows[:, self.starts[number] : self.starts[number + 1]] = -own
        rows[:3] /= self.length
        return rows

    def _coupled(self) -> list[np.ndarray]:
        rows = []
        model = self.compiled.model
        for equation in model.equations():
            row = np.zeros(self.unknowns)
            for term in equation.terms:
                joint = model.joint(term.joint)
                place = joint.place_of(term.axis)
                if place is not None:
                    row[self._dof(joint, place)] += term.weight
            if row.any():
                rows.append(row / norm(row))
        return rows

    def _stuck(self, joint: Joint, q: np.ndarray) -> list[np.ndarray]:
        """Return a row for each coordinate and limited quantity of a joint whose two limits are equal."""
        gradients = fixed_gradients(joint, q)
        rows = np.zeros((len(gradients), self.unknowns))
        for row, gradient in zip(rows, gradients, strict=True):
            for place in range(joint.nv):
                row[self._dof(joint, place)] = gradient[place]
        return list(rows)

    def _dof(self, joint: Joint, place: int) -> int:
        """Return the unknown that is velocity number `place` of the joint."""
        for number, loop in enumerate(self.compiled.loops):
            if loop.joint is joint:
                return int(self.starts[number]) + place
        return self.compiled.spans[joint.name].v_at(place)


def _in_world(twists: np.ndarray, X_W: Pose) -> np.ndarray:
    """Return twists in a frame's own axes, linear first, shape (6, n), in world axes."""
    R = np.array(quat_to_mat(X_W[3:])).reshape(3, 3)
    return np.vstack([matmul(R, twists[:3]), matmul(R, twists[3:])])


def _size(poses: Iterable[Pose]) -> float:
    """Return the length by which translations are divided, so that they compare with rotations [m]."""
    points = np.array([pose[:3] for pose in poses]).reshape(-1, 3)
    return float(max(np.ptp(np.vstack([points, np.zeros(3)]), axis=0).max(), 1e-3))
