# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances by MuJoCo and Coal beside ours, and which of two that differ is right."""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .judges import PYTHON, ROOT
from .solids import CONE, NAMES, PLANE, Crowd, best_separations, measured, outside, random_crowds, separations

SCRIPTS = ROOT / "tests" / "judges"
JUDGES = ("MuJoCo", "Coal")
SHAPES = ("plain", "flat", "aligned")
SAME = 1e-6
"""Of the sizes: what differs by less is the same. MuJoCo keeps the corners of hulls in single precision."""
NUMBER = 1e100
"""What is not below it is the judge's word for none."""
ANGLE = 1e-3
"""Between normals that are the same [rad]; told by points that are 1e-4 m apart or more."""
PROVEN = 1e-9
"""Of the sizes: what a proof may lack. That of a point which is found by halving is not better."""


@dataclass
class Verdict:
    """Of a pair of kinds and a judge.

    Attributes:
        count: placements. worst: the largest difference, as a part of the sizes. differ: how many differ.
        ours_unproven: of those, where ours has no proof; see `is_proven`.
        ties: where both have one distance and normals more than `ANGLE` apart, and the judge's is as good as ours.
        skewed: the same where the judge's normal has less separation than the distance that it told.
        unanswered: where the judge had no number for it; these are not among those that differ.
    """

    count: int = 0
    worst: float = 0.0
    differ: int = 0
    ours_unproven: int = 0
    ties: int = 0
    skewed: int = 0
    unanswered: int = 0

    def add(self, other: Verdict) -> None:
        self.worst = max(self.worst, other.worst)
        for name in ("count", "differ", "ours_unproven", "ties", "skewed", "unanswered"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


def pairs_of(judge: str, kinds: int = len(NAMES)) -> list[tuple[int, int]]:
    """The pairs of kinds that a judge has."""
    has = [kind for kind in range(kinds) if judge != "MuJoCo" or kind != CONE]
    return [(a, b) for a in has for b in has if a <= b and b != PLANE]


def told(A: Crowd, B: Crowd, unit: np.ndarray) -> list:
    """For the judges' scripts, lengths in a unit of each pair's own, shape (n,) [m]."""
    return [
        [
            {
                "kind": NAMES[crowd.kind],
                "half": (crowd.half[i] / unit[i]).tolist(),
                "radius": float(crowd.radius[i] / unit[i]),
                "points": (crowd.clouds[i] / unit[i]).tolist() if crowd.clouds else [],
                "rotation": crowd.R[i].ravel().tolist(),
                "position": (crowd.t[i] / unit[i]).tolist(),
            }
            for crowd in (A, B)
        ]
        for i in range(len(A))
    ]


def judged(judge: str, crowds: list[tuple[Crowd, Crowd]]) -> list[np.ndarray]:
    """Of each two crowds, shape (n, 7): the distance, and a point of each.

    Judges have tolerances for sizes near 1, so they are told such.
    """
    units = [np.exp2(np.round(np.log2(A.sizes + B.sizes + 1e-300))) for A, B in crowds]
    asking = [row for (A, B), unit in zip(crowds, units, strict=True) for row in told(A, B, unit)]
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "pairs.json"
        asked.write_text(json.dumps(asking))
        script = SCRIPTS / f"collision_{judge.lower()}.py"
        done = subprocess.run([PYTHON, script, asked], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{judge} died: {done.stderr[-400:]}"
    rows = np.array(json.loads(done.stdout)) * np.concatenate(units)[:, None]
    return np.split(rows, np.cumsum([len(unit) for unit in units])[:-1])


def compared(judge: str, pair: tuple[int, int], count: int, shapes: tuple[str, ...] = SHAPES) -> dict[str, Verdict]:
    """`count` placements of each of a few shapes, none of them with one middle; a verdict a shape."""
    crowds = [placed_apart(pair, shape, count) for shape in shapes]
    told = judged(judge, crowds)
    return {shape: verdict_of(A, B, theirs) for shape, (A, B), theirs in zip(shapes, crowds, told, strict=True)}


def total(verdicts: dict[str, Verdict]) -> Verdict:
    """Of all shapes together."""
    found = Verdict()
    for verdict in verdicts.values():
        found.add(verdict)
    return found


def placed_apart(pair: tuple[int, int], shape: str, count: int) -> tuple[Crowd, Crowd]:
    A, B = random_crowds(*pair, shape, count, seed=1)
    same = (A.t == B.t).all(axis=1)
    B.t[same] += 0.1 * np.minimum(A.sizes + B.sizes, 1.0)[same, None]
    return A, B


def verdict_of(A: Crowd, B: Crowd, theirs: np.ndarray) -> Verdict:
    """theirs: as `judged` has it."""
    ours, size = measured(A, B), A.sizes + B.sizes
    rounding = 4.0 * np.spacing(np.abs(np.hstack([A.t, B.t])).max(axis=1))  # which the places of both have
    difference = np.maximum(np.abs(theirs[:, 0] - ours.gap) - rounding, 0.0) / np.where(size > 0.0, size, 1.0)
    answered = np.abs(theirs).max(axis=1) < NUMBER
    differ = answered & ~(difference <= SAME)
    wrong = differ.copy()
    if differ.any():
        wrong[differ] = ~is_proven(A.chosen(differ), B.chosen(differ), ours[differ], theirs[differ])
    n, told = normals_of(theirs, ours)
    other = answered & ~differ & told & ((n * ours.normal).sum(axis=1) < np.cos(ANGLE))
    lost = ours.gap - separations(A, B, n[:, None])[:, 0] > SAME * size + rounding
    return Verdict(
        len(A),
        float(difference[answered].max(initial=0.0)),
        int(differ.sum()),
        int(wrong.sum()),
        int((other & ~lost).sum()),
        int((other & lost).sum()),
        int((~answered).sum()),
    )


def normals_of(theirs: np.ndarray, ours: np.recarray) -> tuple[np.ndarray, np.ndarray]:
    """The judge's normals, shape (n, 3), ours where it has told none; and where it has."""
    n = np.where(np.abs(theirs[:, 1:]) < NUMBER, theirs[:, 1:], 0.0)
    n = (n[:, 3:] - n[:, :3]) * np.sign(theirs[:, :1])
    lengths = np.linalg.norm(n, axis=1)
    told = lengths > 1e-3 * np.linalg.norm(theirs[:, 1:4] - ours.first_point, axis=1) + 1e-4
    return np.where(told[:, None], n / np.where(told, lengths, 1.0)[:, None], ours.normal), told


def is_proven(A: Crowd, B: Crowd, ours: np.recarray, theirs: np.ndarray) -> np.ndarray:
    """Where our distance is bounded from both sides, by arithmetic that is not core's.

    From below: our normal's separation. From above: our two points, where they are apart; else neither a search nor
    the judge's own normal comes to a greater separation.
    """
    size = A.sizes + B.sizes
    low = separations(A, B, ours.normal[:, None])[:, 0] >= ours.gap - PROVEN * size
    between = np.linalg.norm(ours.second_point - ours.first_point, axis=1)
    off = np.maximum(outside(A, ours.first_point), outside(B, ours.second_point))
    high = (between <= ours.gap + PROVEN * size) & (off <= 1e-5 * size)
    n, _ = normals_of(theirs, ours)
    best = best_separations(A, B)
    if A.kind != PLANE:
        best = np.maximum(best, separations(A, B, np.stack([n, -n], axis=1)).max(axis=1))
    return low & (high | (best <= ours.gap + PROVEN * size))
