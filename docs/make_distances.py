# SPDX-License-Identifier: GPL-3.0-or-later
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

For two convex solids, `core/collision` computes the signed distance, the normal along which they would touch or
separate, and the nearest points (witness points). This page says how far these numbers are from what can be proved. It
also compares the distances with those of MuJoCo 4.0 (`mj_geomDistance`) and Coal 3.0 (`coal.distance`), both with
tolerance 1e-10 and 500 iterations.

Each pair of solids is placed at random many times, in nine kinds of shapes:

- *plain*: of ordinary proportions;
- *long*: needles;
- *flat*: plates;
- *tiny*: 0.1 mm; *huge*: 1 km; *mixed*: each of the two solids anything from 0.1 mm to 1 km;
- *far*: 10 km from the origin;
- *aligned*: along the axes;
- *degenerate*: sheets, discs and needles without thickness; hulls of points in a plane, on a line, or of one point.

The gap between two solids is anything from half the smaller solid down to nothing. Others just touch, overlap by up to
four fifths of the smaller solid, or have the same centre. All errors are divided by the sum of the two sizes. Rounding
of the coordinates (4 units in the last place) is subtracted first.

## Proofs

Along any unit vector, support functions give the separation of two solids. The signed distance is the greatest of these
separations. So the separation along our normal is a lower bound of the distance. If the solids are apart, a point of
each gives an upper bound. If they overlap, a search of some hundred directions must not find a greater separation. The
tests compute all this with their own code, not with that of the core.

The columns of the table:

- *overlap*: number of placements in which the solids overlap;
- *from below*: the largest difference between our distance and the separation along our normal;
- *points*: the largest distance of a witness point outside its solid;
- *between*: the largest difference between our distance and the distance of the two witness points;
- *from above*: the largest excess of a separation that the search found, if the solids overlap;
- *one middle*: the same for solids with the same centre.

"""

COMPARED = """## Compared with other engines

The columns of the tables:

- *worst*: the largest difference between our distance and that of the other engine;
- *differ*: placements with a difference above 1e-6;
- *ours unproven*: those of them for which our distance is not proved; the other engine's normal is tried in the proof,
  too;
- *no answer*: placements for which the other engine gave no number: MuJoCo takes no sizes of 0 and no flat meshes, and
  Coal makes no hull of points in a plane;
- *ties*: equal distances with different normals, both equally good, as halfway between two faces;
- *skewed*: equal distances, but the separation along the other engine's normal is smaller than its distance by more
  than 1e-6.

The other engines have absolute tolerances, so they are given lengths in units near the pair's size.

"""

TAIL = """
MuJoCo stores the corners of hulls in single precision: this explains differences of 1e-8. It has no cones. Where the
difference is larger, the other engine's search ended too early or at a wrong face, and our distance is proved. The
exceptions are counted as *ours unproven*. There our distance is wrong. In these placements at least one solid is round,
and the two centres are closer than 1 % of the sizes. Then a whole ring of normals is nearly as good as the best one,
and Newton's method stops before it reaches the best. Our depth is then too large by about 1e-5 of the size, and by 1e-3
in the worst case. The column *one middle* shows the same.

If two solids overlap and one of them is round, about one placement in ten thousand has witness points that are wrong by
1e-5 of the size. There the normal lacks a few digits, but the distance has all of them.
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
