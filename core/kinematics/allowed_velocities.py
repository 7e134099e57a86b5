# SPDX-License-Identifier: GPL-3.0-or-later
"""The velocities that the constraints of a mechanism allow, by rank-revealing decomposition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model import Joint, StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import CompiledModel, Values
from ..model.compiling.equation_terms import equation_terms
from ..model.compiling.size import size_of
from ..spatial import compose
from ..spatial.arrays import inverse, matmul, norm, outer, svd
from .joint_motion import JointMotion
from .still import StillModel
from .violations import require_satisfied, require_split

RANK_TOLERANCE = 1e-6
"""Relative size below which the rest of an equation counts as dependent. Axes in files often have six digits."""


def free_motions(model: AnyModel, q: Values = None, leading: Sequence[str] | None = None) -> np.ndarray:
    """Return Z with qd = Z u for all velocities qd that loops, mimics, couplings and equal limits allow at q.

    Z has shape (nv, dofs), and u is arbitrary. Z turns quantities of the tree into those of the mechanism: Z' M Z is
    the mass matrix, Z' tau are the forces, and J Z is the Jacobian of a link.

    Args:
        q: shape (nq,).
        leading: names of the joints whose velocities make up u, in this order. By default, the columns are orthonormal.

    Raises:
        StateError: if `compiled` leaves its loops out, q violates the constraints of the model, or the leading joints
            do not determine the velocities of all others.
    """
    compiled = compiled_of(model)
    q = compiled.positions(q)
    require_split(compiled, "free_motions")
    require_satisfied(compiled, q)
    motions = Motions(compiled.nv)
    motions.constrain(_equations(compiled, compiled.positions(q)))
    if leading is None:
        return motions.basis
    dofs = dofs_of(compiled, leading)
    leading_rows = motions.basis[dofs]
    if len(dofs) != motions.count or (len(dofs) and _is_singular(leading_rows)):
        given = ", ".join(f"'{name}'" for name in leading)
        raise StateError(
            f"joints {given} have {len(dofs)} velocities, and do not decide the {motions.count} ways in which the "
            "mechanism can move at this q; let as many lead as it has ways to move, and no joint at its dead point"
        )
    return matmul(motions.basis, inverse(leading_rows))


def _is_singular(square: np.ndarray) -> bool:
    weights = svd(square)[1]
    return bool(weights[-1] < RANK_TOLERANCE * weights[0])


def dofs_of(compiled: CompiledModel, joints: Sequence[str]) -> list[int]:
    """Return the numbers of the joints' velocity coordinates, in order. Raises `StateError` if a joint has none."""
    spans = compiled.spans
    for name in joints:
        if name not in spans:
            raise StateError(f"no joint '{name}' moves; there are: {', '.join(spans)}")
    return [spans[name].v_at(place) for name in joints for place in range(spans[name].joint.nv)]


def tied_dofs(compiled: CompiledModel, q: np.ndarray) -> np.ndarray:
    """Return which velocity coordinates of a model with split loops depend on others, shape (nv,)."""
    return np.abs(_equations(compiled, compiled.positions(q))).max(axis=0, initial=0.0) > 0.0


def _equations(compiled: CompiledModel, q: np.ndarray) -> np.ndarray:
    """Return G with G qd = 0, shape (rows, nv).

    Lengths are in model sizes. Rows of couplings and of equal limits have the length 1.
    """
    still, size = StillModel(compiled, q), size_of(compiled)
    rows = [np.zeros((0, compiled.nv))]
    for weld in compiled.welds:
        point = compose(still.X_WB[weld.body], weld.X_rest)[:3]
        apart = still.jacobian(weld.body, point) - still.jacobian(weld.part_body, point)
        rows.append(apart / np.array([size] * 3 + [1.0] * 3)[:, None])
    for equation in compiled.model.equations():
        row = np.zeros((1, compiled.nv))
        for _, v, weight in equation_terms(compiled, equation)[0]:
            row[0, v] += weight
        rows += [row / norm(row)] if row.any() else []
    for span in compiled.spans.values():
        for gradient in fixed_gradients(span.joint, q[span.q]):
            row = np.zeros((1, compiled.nv))
            row[0, span.v] = gradient
            rows.append(row)
    return np.vstack(rows)


def fixed_gradients(joint: Joint, q: np.ndarray) -> list[np.ndarray]:
    """Return the gradients, shape (nv,), of the coordinates and limited quantities whose two limits are equal."""
    found = [np.eye(joint.nv)[place] for place, _ in joint.fixed_columns]
    if joint.fixed_quantities:
        gradients = dict(zip(joint.kind.limited_quantities, JointMotion(joint).rows(q)[1], strict=True))
        found += [gradients[row] for row, _ in joint.fixed_quantities]
    return found


class Motions:
    """An orthonormal basis of the velocities that satisfy all equations so far."""

    def __init__(self, unknowns: int):
        self.basis = np.eye(unknowns)

    @property
    def count(self) -> int:
        return self.basis.shape[1]

    def constrain(self, rows: np.ndarray | list[np.ndarray]) -> int:
        """Remove the motions that violate the equations rows @ motion = 0. Return by how much the dimension shrinks.

        rows: shape (r, unknowns).
        """
        equations = np.array(rows)
        size = np.abs(equations).max(initial=0.0)
        if not size or not self.count:
            return 0
        projected = matmul(equations / size, self.basis)
        _, singular_values, directions = svd(projected)
        directions = directions[singular_values > RANK_TOLERANCE]
        # A Householder reflection moves each direction that the rows forbid to a column of its own, which is then left
        # out. So the whole basis needs no new decomposition.
        for i in range(len(directions)):
            normal = directions[i].copy()
            normal[i] += 1.0 if normal[i] >= 0.0 else -1.0
            normal *= np.sqrt(2.0) / norm(normal)
            self.basis -= outer(matmul(self.basis, normal), normal)
            directions -= outer(matmul(directions, normal), normal)
        self.basis = self.basis[:, len(directions) :]
        return len(directions)
