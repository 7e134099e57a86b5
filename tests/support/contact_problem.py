# SPDX-License-Identifier: GPL-3.0-or-later
"""The complementarity problem of a model that touches: W and b, made densely and without a recursion.

The mass matrix and Jacobians of trees are those of maximal coordinates, `Maximal`; only where loops, mimics or
couplings tie velocities, they are the core's own, reduced by `free_motions`. Accelerations of gaps are differences of
their velocities, along the motion without contact forces. Contacts are given, and nothing here looks for them.

To judge what an engine found, build the problem of its contacts in their order, then:

    problem = impact_problem(compiled, q, qd_before, contacts)  # or acceleration_problem(…, touching)
    assert max(problem.residuals(problem.stacked(forces)).values()) <= 1e-8  # forces: on `second`, in the world
    assert_allclose(qd_after, problem.motion(problem.stacked(forces)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from limberjack.core.dynamics import forward_dynamics, passive_forces, tree_mass_matrix
from limberjack.core.kinematics import dependence_clauses, free_motions, tree_jacobian, tree_kinematics
from limberjack.core.model import WORLD
from limberjack.core.model.compiling.compiled import CompiledModel

from . import complementarity
from .exponentials import inverse_of, moved, slope
from .maximal import Maximal
from .models import matrix

RESTS = 1e-8
"""Slip below which a contact sticks until now [m/s]."""
TOUCHES = 1e-6
"""Speed of a gap above which its contact is no matter of accelerations [m/s]."""


@dataclass(frozen=True)
class Contact:
    """Two links that touch in a point of the world [m]; the normal, of length 1, is from the first to the second."""

    first: str
    second: str
    point: tuple
    normal: tuple
    mu: float = 0.0
    restitution: float = 0.0

    @property
    def axes(self) -> np.ndarray:
        """Rows: the normal and two tangents, right-handed, shape (3, 3)."""
        n = np.array(self.normal, dtype=float)
        one = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        one /= np.linalg.norm(one)
        return np.array([n, one, np.cross(n, one)])


Touching = Callable[[np.ndarray], Sequence[Contact]]
"""From q to the same contacts in the same order, where they are then."""


@dataclass
class ContactProblem:
    """Find r with u = W r + b. Velocities and impulses, or accelerations and forces; see `complementarity`.

    Attributes:
        free: the motion without contacts, qd [1/s] or qdd [1/s^2], shape (nv,).
        response: the motion that r adds, shape (nv, 3 k).
        W, b, mu, restitution, approach, slip: as `complementarity.residuals` takes them.
    """

    contacts: Sequence[Contact]
    free: np.ndarray
    response: np.ndarray
    W: np.ndarray
    b: np.ndarray
    mu: np.ndarray
    restitution: np.ndarray
    approach: np.ndarray
    slip: np.ndarray | None = None

    @property
    def given(self) -> dict:
        """The arguments of `complementarity.gauss_seidel` and `admm`, by name."""
        return {key: getattr(self, key) for key in ("W", "b", "mu", "restitution", "approach", "slip")}

    def solve(self) -> complementarity.Solution:
        """The better of what both solvers find."""
        found = [solver(**self.given) for solver in (complementarity.gauss_seidel, complementarity.admm)]
        return min(found, key=lambda solution: solution.residual)

    def residuals(self, r: np.ndarray) -> dict[str, float]:
        return complementarity.residuals(r=r, **self.given)

    def stacked(self, forces: Sequence) -> np.ndarray:
        """r of forces or impulses on the second links in world axes, shape (k, 3)."""
        return np.concatenate([c.axes @ np.asarray(f) for c, f in zip(self.contacts, forces, strict=True)])

    def in_world(self, r: np.ndarray) -> np.ndarray:
        """The reverse of `stacked`, shape (k, 3)."""
        return np.array([c.axes.T @ part for c, part in zip(self.contacts, r.reshape(-1, 3), strict=True)])

    def motion(self, r: np.ndarray) -> np.ndarray:
        """qd or qdd under r, shape (nv,)."""
        return self.free + self.response @ r


def impact_problem(compiled: CompiledModel, q, qd, contacts: Sequence[Contact], free=None) -> ContactProblem:
    """Of velocities before and after an impact at q; impulses are in N s.

    Args:
        qd: before, shape (nv,); the approach speeds for restitution are of these.
        free: after, if nothing touched, shape (nv,): for a time step, qd and what other forces add; by default qd.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    free = qd if free is None else np.asarray(free, dtype=float)
    J = contact_jacobian(compiled, q, contacts)
    response = _inverse_mass(compiled, q) @ J.T
    return ContactProblem(
        contacts,
        free,
        response,
        J @ response,
        J @ free,
        np.array([c.mu for c in contacts]),
        np.array([c.restitution for c in contacts]),
        np.maximum(0.0, -(J @ qd)[::3]),
    )


def acceleration_problem(compiled: CompiledModel, q, qd, touching: Touching, tau=None) -> ContactProblem:
    """Of accelerations of contacts that last; forces are in N.

    Args:
        touching: the contacts' points at q and near it. What rolls touches elsewhere then: a point that is carried
            along accelerates towards the centre, the gap does not. `carried` has those of corners on faces.
        tau: all joint forces, shape (nv,); by default those of springs and dampers.

    Raises:
        ValueError: a gap opens or closes, which is no matter of accelerations.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    tau = passive_forces(compiled, q, qd) if tau is None else tau
    tied = bool(dependence_clauses(compiled))
    free = forward_dynamics(compiled, q, qd, tau) if tied else Maximal(compiled, q, qd).accelerations(tau)[0]
    contacts = touching(q)
    axes = [contact.axes for contact in contacts]

    def velocities(time: float) -> np.ndarray:
        """Normals turn with what touches; tangents stay, since what sticks has no velocity that could turn."""
        later = advanced(compiled, q, qd, time)
        found = touching(later)
        kept = [np.vstack([c.normal, own[1:]]) for c, own in zip(found, axes, strict=True)]
        return contact_jacobian(compiled, later, found, kept) @ (qd + time * free)

    u = velocities(0.0).reshape(-1, 3)
    if np.abs(u[:, 0]).max(initial=0.0) > TOUCHES:
        i = int(np.argmax(np.abs(u[:, 0])))
        raise ValueError(f"contact {i}: its gap changes by {u[i, 0]:.6g} m/s; leave out what opens, or take an impact")
    slip = np.where(np.linalg.norm(u[:, 1:], axis=1, keepdims=True) > RESTS, u[:, 1:], 0.0)
    problem = impact_problem(compiled, q, qd, contacts, free)
    step = 1e-3 / (1.0 + np.abs(qd).max(initial=0.0))  # so that nothing turns by more than some 1e-3 rad
    problem.b, problem.slip, problem.approach = slope(velocities, step), slip, np.zeros(len(contacts))
    return problem


def carried(compiled: CompiledModel, q, contacts: Sequence[Contact]) -> Touching:
    """Contacts of points of the second link, a corner say, on flat faces of the first."""
    poses = link_matrices(compiled, q)
    held = [
        ((inverse_of(poses[c.second]) @ [*c.point, 1.0]), poses[c.first][:3, :3].T @ np.array(c.normal))
        for c in contacts
    ]

    def touching(later: np.ndarray) -> list[Contact]:
        now = link_matrices(compiled, later)
        return [
            Contact(
                c.first,
                c.second,
                tuple((now[c.second] @ point)[:3]),
                tuple(now[c.first][:3, :3] @ normal),
                c.mu,
                c.restitution,
            )
            for c, (point, normal) in zip(contacts, held, strict=True)
        ]

    return touching


def contact_jacobian(compiled: CompiledModel, q, contacts: Sequence[Contact], axes=None) -> np.ndarray:
    """J with u = J qd, shape (3 k, nv): the second link's velocity less the first's, at the point, in `axes`."""
    if dependence_clauses(compiled):
        poses = link_matrices(compiled, q)
        twists = {link: None if link == WORLD else tree_jacobian(compiled, q, link) for link in poses}
        twists[WORLD] = np.zeros((6, compiled.nv))
    else:
        maximal = Maximal(compiled, q, np.zeros(compiled.nv))
        poses = maximal.poses
        twists = {link: np.kron(np.eye(2), poses[link][:3, :3]) @ J for link, J in maximal.jacobians.items()}

    def at(link: str, point: tuple) -> np.ndarray:
        arm = np.array(point) - poses[link][:3, 3]
        return twists[link][:3] + np.cross(twists[link][3:].T, arm).T

    axes = [contact.axes for contact in contacts] if axes is None else axes
    rows = [R @ (at(c.second, c.point) - at(c.first, c.point)) for c, R in zip(contacts, axes, strict=True)]
    return np.vstack([np.zeros((0, compiled.nv)), *rows])


def link_matrices(compiled: CompiledModel, q) -> dict[str, np.ndarray]:
    """X_WL, shape (4, 4), by link, the world's among them."""
    X_WL, _ = tree_kinematics(compiled, q)
    found = dict(zip(compiled.link_names, map(matrix, X_WL.tolist()), strict=True))
    return found | {WORLD: np.eye(4)}


def advanced(compiled: CompiledModel, q, qd, time: float) -> np.ndarray:
    """q after a while at constant qd, which agrees with the motion to first order."""
    out = np.array(q, dtype=float)
    for span in compiled.spans.values():
        out[span.q] = moved(span.joint, out[span.q], qd[span.v], time)
    return out


def _inverse_mass(compiled: CompiledModel, q) -> np.ndarray:
    """What takes generalized forces to accelerations, shape (nv, nv), of all that velocities are tied by."""
    if not dependence_clauses(compiled):
        return np.linalg.inv(Maximal(compiled, q, np.zeros(compiled.nv)).mass_matrix())
    Z = free_motions(compiled, q)
    return Z @ np.linalg.solve(Z.T @ tree_mass_matrix(compiled, q) @ Z, Z.T)
