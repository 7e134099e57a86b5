# SPDX-License-Identifier: GPL-3.0-or-later
"""Singular mass matrices: tests for them, and sentences on the link or joint that can move without inertia."""

from __future__ import annotations

import numpy as np

from ..kinematics import tree_kinematics
from ..kinematics.freedom.gimbals import GimbalLock, Gimbals
from ..kinematics.work import Work, make_work
from ..model import Joint
from ..model.compiling.compiled import CompiledModel, coordinate_names
from ..model.naming import gimbal_lock_in_words, way_to_hold
from ..model.text import quoted, timed
from ..spatial.arrays import eigh, matmul, norm, outer
from .crba import composite_body
from .residual import forward_residual

ROUNDING_RESIDUAL = 1e-6
"""Largest `forward_residual` that counts as rounding. That of a regular mass matrix is about 1e-12 [1]."""

NO_INERTIA = 1e-10
"""Eigenvalue of the scaled mass matrix below which a motion has no inertia [1]. The largest one is between 1 and nv."""

NEGLIGIBLE_SHARE = 1e-4
"""Component of a motion, relative to the largest one, below which a coordinate does not take part in it [1]."""

AT_START = 1e-4
"""Time since the start up to which messages say "the start" [s], since nothing has moved visibly."""

UNDECIDED = "so forces do not decide how it moves (the mass matrix is singular)"


def is_singular(
    compiled: CompiledModel, q: np.ndarray, qd: np.ndarray, tau: np.ndarray, work: Work | None = None
) -> bool:
    """Return whether the mass matrix of the spanning tree is singular: inverse dynamics does not reproduce tau.

    Args:
        q: shape (nq,). qd, tau: shape (nv,). Forces should differ, since a singular system may have a solution for
            equal ones.
        work: as in `forward_residual`.
    """
    return not forward_residual(compiled.arrays, q, qd, tau, work) < ROUNDING_RESIDUAL


def singularity_in_words(compiled: CompiledModel, q: np.ndarray) -> str:
    """Return a sentence on a mass matrix that is singular at q, shape (nq,): which link or joint, why, what to do."""
    with np.errstate(all="ignore"):
        return _Singularity(compiled, q, motion_without_inertia(compiled, q)).in_words()


def motion_without_inertia(compiled: CompiledModel, q: np.ndarray) -> np.ndarray:
    """Return velocities at q with the least inertia, in as few coordinates as possible, shape (nv,) [rad/s, m/s].

    They are an eigenvector of the mass matrix, scaled so that rotations and translations, and light and heavy links,
    are comparable. Of several motions without inertia, the one along the coordinate with the largest share is taken.
    """
    M = np.zeros((compiled.nv, compiled.nv))
    composite_body(compiled.arrays, make_work(compiled.arrays), q, M)
    M = np.nan_to_num(M)
    diagonal, units = np.abs(np.diag(M)), [unit for _, unit in coordinate_names(compiled, velocities=True)]
    largest = {unit: diagonal[[other == unit for other in units]].max() for unit in units}
    floor = np.array([max(1e-14 * largest[unit], 1e-300) for unit in units])
    scales = np.sqrt(np.maximum(diagonal, floor))
    eigenvalues, eigenvectors = eigh(M / outer(scales, scales))
    massless = (
        eigenvectors[:, eigenvalues < max(NO_INERTIA, eigenvalues[0])]
        if eigenvalues[0] < NO_INERTIA
        else eigenvectors[:, :1]
    )
    shares = matmul(massless, massless.T)
    motion = shares[:, int(np.argmax(np.diag(shares)))]
    return np.where(np.abs(motion) > NEGLIGIBLE_SHARE * np.abs(motion).max(), motion, 0.0) / scales


class _Singularity:
    """A motion without inertia, with velocities `rates`, shape (nv,)."""

    def __init__(self, compiled: CompiledModel, q: np.ndarray, rates: np.ndarray):
        self.compiled, self.q, self.rates = compiled, q, rates
        self.dofs = [int(dof) for dof in np.flatnonzero(rates)]

    def in_words(self) -> str:
        lock = Gimbals(self.compiled).nearest(self.q, NEGLIGIBLE_SHARE)
        if lock and {lock.first, lock.last} <= {*self.dofs}:
            return f"joint '{lock_joint(self.compiled, lock).name}': {lock_in_words(self.compiled, lock)}"
        moved = self._moved_links()
        return self._of_link(moved[0]) if moved else self._of_axes()

    def _moved_links(self) -> list[str]:
        """Return the links that move, from the root outward."""
        compiled = self.compiled
        twists = tree_kinematics(compiled, self.q, self.rates)[1]
        sum_of_sizes = np.zeros(len(twists))
        for dof in self.dofs:
            single_velocity = np.where(np.arange(compiled.nv) == dof, self.rates, 0.0)
            sum_of_sizes += norm(tree_kinematics(compiled, self.q, single_velocity)[1])
        moves = norm(twists) > NEGLIGIBLE_SHARE * sum_of_sizes
        found = [name for name, moving in zip(compiled.link_names, moves, strict=True) if moving]
        return sorted(found, key=lambda name: len(compiled.tree.path(name)))

    def _of_link(self, link: str) -> str:
        model, tree = self.compiled.model, self.compiled.tree
        parts = model.rigid_parts()
        weighs = any(other.mass for other in model.links if parts[other.name] == parts[link])
        lacks = "has no inertia about the line on which it turns" if weighs else "has no mass"
        give = f"give it {'inertia' if weighs else 'mass'}"
        if link in tree.roots:
            return f"link '{link}': nothing holds it, and it {lacks}, {UNDECIDED}; {way_to_hold(link)}, or {give}"
        joints = dict.fromkeys(_joint_of(self.compiled, dof).name for dof in self.dofs)
        by = f"{'joint' if len(joints) == 1 else 'joints'} {quoted(joints)}"
        return (
            f"link '{link}': it can move by {by} while all else stands still, and it {lacks}, {UNDECIDED}; {give}, or "
            "fix it to a link that has some"
        )

    def _of_axes(self) -> str:
        """Return the sentence for a motion in which no link moves, so that it is between the axes of a joint."""
        names = [coordinate_names(self.compiled, velocities=True)[dof][0] for dof in self.dofs]
        subject = f"joint '{_joint_of(self.compiled, self.dofs[0]).name}'"
        return f"{subject}: {quoted(names)} can move and no link does, {UNDECIDED}; lock one of them, or turn its axis"


def lock_joint(compiled: CompiledModel, lock: GimbalLock) -> Joint:
    """Return the joint whose angle causes the gimbal lock."""
    return _joint_of(compiled, lock.middle)


def lock_in_words(compiled: CompiledModel, lock: GimbalLock, time: float = 0.0) -> str:
    """Return what the gimbal lock is and what to do, without the joint's name. time: since the start [s]."""
    joint = lock_joint(compiled, lock)
    named = coordinate_names(compiled, velocities=True)
    first, middle, last = (named[dof][0].removeprefix(f"{joint.name}.") for dof in (lock.first, lock.middle, lock.last))
    slides = any(column.slide and not column.turn for column in joint.columns)
    joints = [*dict.fromkeys(_joint_of(compiled, dof).name for dof in (lock.first, lock.middle, lock.last))]
    when = timed(time) if time > AT_START else "the start"
    return gimbal_lock_in_words(middle, lock.angle, (first, last), joints, slides, when)


def _joint_of(compiled: CompiledModel, dof: int) -> Joint:
    return next(
        span.joint for span in compiled.spans.values() if any(span.v_at(place) == dof for place in range(span.joint.nv))
    )
