# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward kinematics and Jacobians that refuse states which violate loops, mimics or couplings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..model import StateError
from ..model.compiling.compile import AnyModel, compiled_of
from ..model.compiling.compiled import Values
from ..spatial import ZERO, Vec3
from ..spatial.arrays import matmul
from .allowed_velocities import free_motions, tied_dofs
from .batches import batched
from .forward import tree_kinematics
from .jacobians import tree_jacobian
from .violations import dependence_clauses, require_satisfied, require_split


@batched
def forward_kinematics(
    model: AnyModel,
    q: Values = None,
    qd: Values = None,
    links: Iterable[str] | None = None,
    out: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (X_WL, V_WL): poses, shape (L, 7), and twists, shape (L, 6), of the links in `compiled.link_names`' order.

    Poses are x y z [m], qw qx qy qz. Twists are in world axes, the velocity [m/s] of the link's origin first, then the
    angular velocity [rad/s].

    Args:
        q, qd: shapes (nq,) and (nv,), or {joint: number or list}; by default, home and at rest.
        links: write only these rows; `out` keeps its other ones.
        out: arrays to write into, of the shapes above, for one state.

    Raises:
        ModelError: if `links` contains a name that is not a link. StateError: if q or qd has the wrong length, or
            violates loops, mimics, couplings or equal limits. `closed_state` makes states that satisfy them;
            `tree_kinematics` takes any state.
    """
    compiled = compiled_of(model)
    q, qd = compiled.positions(q), compiled.velocities(qd)
    require_satisfied(compiled, q, qd)
    return tree_kinematics(compiled, q, qd, links, out)


def link_jacobian(
    model: AnyModel, q: Values, link: str, point: Vec3 = ZERO, leading: Sequence[str] | None = None
) -> np.ndarray:
    """Return J with V = J qd, shape (6, nv): the twist of a point of a link, in world axes, linear [m/s] first.

    Args:
        q: shape (nq,).
        point: in the link's frame [m].
        leading: names of the joints whose velocities u determine all others, if loops, mimics, couplings or limits make
            velocities depend on each other; see `free_motions`. Then V = J u, and J has a column for each velocity in
            u.

    Raises:
        ModelError: if there is no such link. StateError: if q has the wrong length or violates the constraints of the
            model; or if velocities that move the link depend on each other and `leading` is None.
    """
    compiled = compiled_of(model)
    q = compiled.positions(q)
    J = tree_jacobian(compiled, q, link, point)
    if leading is not None:
        return matmul(J, free_motions(compiled, q, leading))
    if dependence_clauses(compiled):
        require_split(compiled, "link_jacobian")
        require_satisfied(compiled, q)
        if np.abs(J[:, tied_dofs(compiled, q)]).max(initial=0.0) > 0.0:
            raise StateError(
                f"link '{link}' is moved by joints that loops, couplings or limits tie, so that none of them moves it "
                "by itself: name with leading=[joints] those whose velocities decide all others"
            )
    return J
