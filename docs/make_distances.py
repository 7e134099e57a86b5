"""Writes docs/distances.md from proofs, and from a comparison with MuJoCo and Coal: run it after `make judges`.

All placements take an hour or more. What has been found is kept in out/distances.jsonl, and not looked for again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from support.contacts import JUDGES, Verdict, compared, pairs_of, total  # noqa: E402
from support.proofs import Proof, proof_of  # noqa: E402
from support.solids import NAMES, SHAPES  # noqa: E402

PAGE = Path(__file__).with_name("distances.md")
KEPT = ROOT / "out" / "distances.jsonl"
COUNT = 2223
"""Placements of each shape, of which there are nine: 20,007 of a pair."""

HEAD = """<!-- Written by docs/make_distances.py. -->
# Distances: how far apart two solids are

`core/collision` tells the signed distance of two convex solids, the normal along which they would touch or part, and
the points in which they touch. This page says how far these numbers are from their proofs, and compares distances with
those of MuJoCo 4.0 (`mj_geomDistance`, tolerance 1e-10, 500 iterations) and Coal 3.0 (`coal.distance`, the same).

Placements are of nine shapes: plain; long as needles; flat; tiny (0.1 mm); huge (1 km); of both in one pair; 10 km from
the origin; along axes; degenerate (sheets, discs, needles of no thickness, hulls of points in a plane, in a line, or
one). They are apart by half a size down to nothing, just touch, overlap down to four fifths of the smaller one, or have
one middle. All figures are parts of both sizes, beyond 4 units in the last place of the coordinates.

## Proofs

Along any unit vector, two solids are separated by some length, which support functions give; the signed distance is the
greatest of these. So our normal proves our distance from below. Where solids are apart, a point of each proves it from
above; where they overlap, a search of some hundred directions may find no greater separation. All that is arithmetic of
the tests, not of the core.

*From below* is the largest difference between a distance and the separation along its normal; *points* is how far a
witness point lies outside of its solid; *between* is the difference between the distance and that of both points;
*from above* is what the search found beyond ours, and *one middle* the same of solids with one and the same middle.

"""

COMPARED = """## Beside other engines

*Worst* is the largest difference. *Differ* counts differences above 1e-6. *No answer* counts placements for which the
judge gave no number: MuJoCo takes no sizes of 0 and no flat meshes, Coal makes no hull of points in a plane. *Ours
unproven* counts the differences in which ours lacks its proof: who is right is not a matter of votes, and the judge's
own normal is tried as well. Of the placements with one distance, *ties* have two normals that are as good, as in the
middle between two faces, and in *skewed* ones the judge's normal separates less than its distance says, by more than
1e-6. Judges are told lengths in units near the pair's size, as their tolerances are absolute.

"""

TAIL = """
MuJoCo keeps the corners of hulls in single precision: that is its 1e-8. It has no cones. Where they differ by more, the
judge's search had ended too early or at a wrong face, and ours has its proof; but for those that are counted as *ours
unproven*. There ours is wrong: one solid or both have round parts, and both lie around nearly one middle, within 1 %
of their sizes. A whole ring of normals is nearly as good as the best there, Newton's method does not walk to its end,
and our depth is too deep by 1e-5 of the size or so, by 1e-3 in the worst case. *One middle* shows the same.

Of solids that overlap, one of them round, one in some ten thousand has witness points that are off by 1e-5 of the size:
its normal lacks a few digits, though its distance has all.
"""


def known(what: str, pair: tuple[int, int], find: Callable[[], dict]) -> dict[str, dict]:
    """The values of a pair by shape, from the file or found now and put there."""
    if KEPT.is_file():
        for line in KEPT.read_text().splitlines():
            row = json.loads(line)
            if row[0] == what and tuple(row[1]) == pair:
                return row[2]
    found = {shape: asdict(values) for shape, values in find().items()}
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.open("a") as file:
        file.write(json.dumps([what, pair, found]) + "\n")
    return found


def named(pair: tuple[int, int]) -> str:
    return f"{NAMES[pair[0]]}, {NAMES[pair[1]]}"


def proofs(count: int) -> str:
    lines = [
        "| pair | placements | overlap | from below | points | between | from above | one middle |",
        "|---|---|---|---|---|---|---|---|",
    ]
    everything = Proof()
    for pair in pairs_of("Coal"):
        found = known("proof", pair, lambda pair=pair: {shape: proof_of(pair, shape, count) for shape in SHAPES})
        whole = Proof()
        for values in found.values():
            whole.add(Proof(**values))
        everything.add(whole)
        lines.append(proof_row(named(pair), whole))
    lines.append(proof_row("all", everything))
    return "\n".join(lines) + "\n\n"


def proof_row(name: str, found: Proof) -> str:
    figures = (found.below, found.points, found.between, found.above, found.middles)
    return f"| {name} | {found.count} | {found.deep} | " + " | ".join(f"{value:.0e}" for value in figures) + " |"


def judgement(judge: str, count: int) -> str:
    title = "placements | worst | differ | ours unproven | no answer | ties | skewed |"
    rule = "|---|---|---|---|---|---|---|---|"
    by_pair, by_shape = [], {shape: Verdict() for shape in SHAPES}
    for pair in pairs_of(judge):
        found = known(judge, pair, lambda pair=pair: compared(judge, pair, count, SHAPES))
        verdicts = {shape: Verdict(**values) for shape, values in found.items()}
        by_pair.append(row(named(pair), total(verdicts)))
        for shape, verdict in verdicts.items():
            by_shape[shape].add(verdict)
    shapes = [row(shape, verdict) for shape, verdict in by_shape.items()]
    lines = [f"### {judge}", "", f"| pair | {title}", rule, *by_pair, row("all", total(by_shape)), ""]
    return "\n".join([*lines, f"| shape | {title}", rule, *shapes, ""]) + "\n"


def row(name: str, found: Verdict) -> str:
    counts = (found.differ, found.ours_unproven, found.unanswered, found.ties, found.skewed)
    return f"| {name} | {found.count} | {found.worst:.0e} | {' | '.join(map(str, counts))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help="placements of each pair in each of nine shapes")
    parser.add_argument("--anew", action="store_true", help="forget what was found before")
    arguments = parser.parse_args()
    if arguments.anew:
        KEPT.unlink(missing_ok=True)
    parts = [judgement(judge, arguments.count) for judge in JUDGES]
    PAGE.write_text(HEAD + proofs(arguments.count) + COMPARED + "\n".join(parts).rstrip("\n") + "\n" + TAIL)


if __name__ == "__main__":
    main()
