# SPDX-License-Identifier: GPL-3.0-or-later
"""How far each number that core tells of two solids is from its proof, by arithmetic that is not core's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .solids import PLANE, Crowd, best_separations, measured, outside, random_crowds, separations

AT_ONCE = 500
"""Placements that are searched together: some hundred directions each have to fit into memory."""


@dataclass
class Proof:
    """Of placements of a pair of kinds; largest values, as parts of both sizes, beyond what coordinates can say.

    Attributes:
        count: placements. deep: those of them that overlap.
        below: between the gap and the separation along the normal that is told.
        points: of either point, outside of its solid.
        between: between the gap and the two points' distance.
        above: by which a search of some hundred directions comes to a greater separation, of solids that overlap.
        middles: the same of those that have one middle.
    """

    count: int = 0
    deep: int = 0
    below: float = 0.0
    points: float = 0.0
    between: float = 0.0
    above: float = 0.0
    middles: float = 0.0

    def add(self, other: Proof) -> None:
        self.count += other.count
        self.deep += other.deep
        for name in ("below", "points", "between", "above", "middles"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))


def rounding(A: Crowd, B: Crowd) -> np.ndarray:
    """What coordinates in the world can say, 4 units in the last place [m]."""
    return 4.0 * np.spacing(np.abs(np.hstack([A.t, B.t])).max(axis=1))


def proof_of(pair: tuple[int, int], shape: str, count: int, seed: int = 0) -> Proof:
    A, B = random_crowds(*pair, shape, count, seed)
    found, size, allowed = measured(A, B), A.sizes + B.sizes, rounding(A, B)
    size = np.maximum(size, np.linalg.norm(A.t - B.t, axis=1) * (size == 0.0) + 1e-300)

    def largest(errors: np.ndarray, which: np.ndarray | slice = slice(None)) -> float:
        return float(((errors - allowed) / size)[which].max(initial=0.0))

    told = separations(A, B, found.normal[:, None])[:, 0]
    between = np.linalg.norm(found.second_point - found.first_point, axis=1)
    middles, deep = (A.t == B.t).all(axis=1), found.gap < 0.0
    above = np.zeros(count)
    searched = np.flatnonzero(deep) if A.kind != PLANE else []
    for i in range(0, len(searched), AT_ONCE):
        part = np.isin(np.arange(count), searched[i : i + AT_ONCE])
        above[part] = best_separations(A.chosen(part), B.chosen(part), starts=150, rounds=5) - found.gap[part]
    return Proof(
        count,
        int(deep.sum()),
        largest(np.abs(told - found.gap)),
        largest(np.maximum(outside(A, found.first_point), outside(B, found.second_point))),
        largest(np.abs(between - np.abs(found.gap))),
        largest(above, ~middles),
        largest(above, middles),
    )
