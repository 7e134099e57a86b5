# SPDX-License-Identifier: GPL-3.0-or-later
"""Gimbal lock: of three hinges in series, the middle one is turned so that the axes of the outer two coincide.

One direction of rotation is then lost, and the outer two can turn against each other without moving anything. This
concerns the hinges of one joint, and those of several joints whose links between them have no mass.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...joints import SCREWS
from ...model.compiling.compiled import CompiledModel
from ...spatial.arrays import norm
from ..motion import update_bodies
from ..work import make_work

SAME_LINE = 1e-6
"""Distance of two axes below which they count as one line [m]. It allows for files that round lengths."""


@dataclass(frozen=True)
class GimbalLock:
    """Three hinges near gimbal lock, as numbers of their velocity coordinates, from the parent to the child.

    Attributes:
        angle: coordinate of the middle one [rad].
        apart: sine of the angle between the axes of the outer two.
    """

    first: int
    middle: int
    last: int
    angle: float
    apart: float


class Gimbals:
    """Searches for gimbal locks of a model, at one configuration after another."""

    def __init__(self, compiled: CompiledModel):
        self._arrays = compiled.arrays
        self._work = make_work(compiled.arrays)
        self._triples = [triple for chain in self._chains() for triple in combinations(chain, 3)]

    def __bool__(self) -> bool:
        return bool(self._triples)

    def nearest(self, q: np.ndarray, within: float) -> GimbalLock | None:
        """Return the gimbal nearest to its lock at q, shape (nq,), or None if no sine is below `within`."""
        if not self._triples or not np.isfinite(q).all():
            return None
        update_bodies(self._arrays, self._work, np.ascontiguousarray(q), self._work.zeros)
        return min((lock for lock in self._locks(q) if lock.apart < within), key=lambda lock: lock.apart, default=None)

    def _locks(self, q: np.ndarray) -> Iterator[GimbalLock]:
        dof_works, bodies = self._work.dofs, self._work.bodies
        for first, middle, last in self._triples:
            first_axis, middle_axis, last_axis = (dof_works[dof].axis for dof in (first, middle, last))
            offset = bodies[self._body_of(last)].origin - bodies[self._body_of(first)].origin
            is_bent = norm(np.cross(first_axis, middle_axis)) > 0.5
            if is_bent and norm(np.cross(first_axis, offset)) < SAME_LINE:
                body = self._arrays.bodies[self._body_of(middle)]
                angle = float(q[body.q + middle - body.v])
                yield GimbalLock(first, middle, last, angle, float(norm(np.cross(first_axis, last_axis))))

    def _body_of(self, dof: int) -> int:
        return int(np.searchsorted(self._arrays.bodies.v_end, dof, side="right"))

    def _chains(self) -> Iterator[list[int]]:
        """Yield series of hinges as numbers of dofs. The bodies between them have no mass and carry one body each."""
        bodies, dofs = self._arrays.bodies, self._arrays.dofs
        carried = np.bincount(bodies.parent[1:], minlength=len(bodies))
        is_massless = (bodies.kind == SCREWS) & (bodies.mass == 0.0) & ~bodies.inertia.any(axis=1) & (carried == 1)
        is_massless[0] = False
        chains: list[list[int]] = [[] for _ in bodies]
        for number, body in enumerate(bodies):
            if number and body.kind == SCREWS:
                numbers = range(body.v, body.v_end)
                hinges = [dof for dof in numbers if dofs[dof].turn != 0.0 and dofs[dof].slide == 0.0]
                chains[number] = (chains[body.parent] if is_massless[body.parent] else []) + hinges
            if len(chains[number]) > 2 and not is_massless[number]:
                yield chains[number]
