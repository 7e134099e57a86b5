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


def pairs_of(judge: str, kinds: int = len(NAMES)) -> list[tuple[int, int]]:
    """The pairs of kinds that a judge has."""
    has = [kind for kind in range(kinds) if judge != "MuJoCo" or kind != CONE]
    return [(a, b) for a in has for b in has if a <= b and b != PLANE]


def told(A: Crowd, B: Crowd) -> list:
    """For the judges' scripts."""
    return [
        [
            {
                "kind": NAMES[crowd.kind],
                "half": crowd.half[i].tolist(),
                "radius": float(crowd.radius[i]),
                "points": crowd.clouds[i].tolist() if crowd.clouds else [],
                "rotation": crowd.R[i].ravel().tolist(),
                "position": crowd.t[i].tolist(),
            }
            for crowd in (A, B)
        ]
        for i in range(len(A))
    ]


def judged(judge: str, A: Crowd, B: Crowd) -> np.ndarray:
    """Shape (n, 7): the distance, and a point of each."""
    with tempfile.TemporaryDirectory() as folder:
        asked = Path(folder) / "pairs.json"
        asked.write_text(json.dumps(told(A, B)))
        script = SCRIPTS / f"collision_{judge.lower()}.py"
        done = subprocess.run([PYTHON, script, asked], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{judge} died: {done.stderr[-400:]}"
    return np.array(json.loads(done.stdout))


def compared(judge: str, pair: tuple[int, int], count: int) -> Verdict:
    """`count` placements of each of a few shapes, none of them with one middle."""
    verdict = Verdict()
    for shape in SHAPES:
        A, B = random_crowds(*pair, shape, count, seed=1)
        B.t[(A.t == B.t).all(axis=1)] += 0.1
        theirs, ours, size = judged(judge, A, B), measured(A, B), A.sizes + B.sizes
        difference = np.abs(theirs[:, 0] - ours.gap) / size
        answered = np.abs(theirs).max(axis=1) < NUMBER
        differ = answered & ~(difference <= SAME)
        wrong = differ & ~is_proven(A, B, ours, theirs)
        verdict.count += count
        verdict.worst = max(verdict.worst, float(difference[answered].max(initial=0.0)))
        verdict.differ += int(differ.sum())
        verdict.ours_unproven += int(wrong.sum())
        n, told = normals_of(theirs, ours)
        other = answered & ~differ & told & ((n * ours.normal).sum(axis=1) < np.cos(ANGLE))
        lost = ours.gap - separations(A, B, n[:, None])[:, 0] > SAME * size
        verdict.ties += int((other & ~lost).sum())
        verdict.skewed += int((other & lost).sum())
        verdict.unanswered += int((~answered).sum())
    return verdict


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
