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
"""Distance of two axes below which they count as one line [m]."""


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
    """Finds gimbal locks of a model for one configuration after another."""

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
        columns, bodies = self._work.dofs, self._work.bodies
        for first, middle, last in self._triples:
            one, between, other = (columns[dof].axis for dof in (first, middle, last))
            way = bodies[self._body_of(last)].origin - bodies[self._body_of(first)].origin
            is_bent = norm(np.cross(one, between)) > 0.5
            if is_bent and norm(np.cross(one, way)) < SAME_LINE:
                body = self._arrays.bodies[self._body_of(middle)]
                angle = float(q[body.q + middle - body.v])
                yield GimbalLock(first, middle, last, angle, float(norm(np.cross(one, other))))

    def _body_of(self, dof: int) -> int:
        return int(np.searchsorted(self._arrays.bodies.v_end, dof, side="right"))

    def _chains(self) -> Iterator[list[int]]:
        """Return series of hinges whose bodies in between have no mass and carry nothing else."""
        bodies, columns = self._arrays.bodies, self._arrays.dofs
        carried = np.bincount(bodies.parent[1:], minlength=len(bodies))
        passes = (bodies.kind == SCREWS) & (bodies.mass == 0.0) & ~bodies.inertia.any(axis=1) & (carried == 1)
        passes[0] = False
        rows: list[list[int]] = [[] for _ in bodies]
        for number, body in enumerate(bodies):
            if number and body.kind == SCREWS:
                own = range(body.v, body.v_end)
                hinges = [dof for dof in own if columns[dof].turn != 0.0 and columns[dof].slide == 0.0]
                rows[number] = (rows[body.parent] if passes[body.parent] else []) + hinges
            if len(rows[number]) > 2 and not passes[number]:
                yield rows[number]
