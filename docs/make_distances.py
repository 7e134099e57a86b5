"""Writes docs/distances.md from a comparison with MuJoCo and Coal: run it after `make judges`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.contacts import JUDGES, SHAPES, Verdict, compared, pairs_of
from support.solids import NAMES

PAGE = Path(__file__).with_name("distances.md")
COUNT = 200

HEAD = f"""<!-- Written by docs/make_distances.py. -->
# Distances: how far apart two solids are

`core/collision` tells the signed distance of two convex solids, the normal along which they would touch or part, and
the points in which they touch. This page compares its distances with those of MuJoCo 4.0 (`mj_geomDistance`, tolerance
1e-10, 500 iterations) and Coal 3.0 (`coal.distance`, the same). There are {COUNT * len(SHAPES)} placements of each
pair of kinds: apart by half a size down to nothing, overlapping down to four fifths of the smaller one, turned at
random or along axes, a third of them flat.

*Worst* is the largest difference as a part of both sizes. *Differ* counts differences above 1e-6. *No answer* counts
placements for which the judge gave no number. *Ours unproven* counts the differences in which ours lacks the proof that
stands below. Of the placements with one distance, *ties* have two normals that are as good, as in the middle between
two faces, and in *skewed* ones the judge's normal separates less than its distance says, by more than 1e-6.

Who is right is not a matter of votes. Along any unit vector, two solids are separated by some length, which support
functions give; the signed distance is the greatest of these. So our normal proves our distance from below. Where
solids are apart, a point of each proves it from above; where they overlap, neither the judge's normal nor a search of
some thousand directions may find a greater separation. All that is arithmetic of the tests, not of the core.

"""

TAIL = """
MuJoCo keeps the corners of hulls in single precision: that is its 1e-8. It has no cones.

What the comparison does not show: where a solid with round parts and another one have one and the same middle, a whole
ring of normals is nearly as good as the best, and our depth may be too deep by 1e-4 of the size. And witness points of
solids that overlap deeply, one of them round, are rough, by up to a quarter of the size in one of a hundred; contact
points do not lean on them where a corner, an edge or a face touches.
"""


def table(judge: str) -> str:
    lines = [
        f"## {judge}",
        "",
        "| pair | worst | differ | ours unproven | no answer | ties | skewed |",
        "|---|---|---|---|---|---|---|",
    ]
    total = Verdict()
    for a, b in pairs_of(judge):
        found = compared(judge, (a, b), COUNT)
        lines.append(row(f"{NAMES[a]}, {NAMES[b]}", found))
        total.count += found.count
        total.worst = max(total.worst, found.worst)
        total.differ += found.differ
        total.unanswered += found.unanswered
        total.ours_unproven += found.ours_unproven
        total.ties += found.ties
        total.skewed += found.skewed
    lines.append(row(f"all {total.count}", total))
    return "\n".join(lines) + "\n"


def row(name: str, found: Verdict) -> str:
    counts = (found.differ, found.ours_unproven, found.unanswered, found.ties, found.skewed)
    return f"| {name} | {found.worst:.0e} | {' | '.join(map(str, counts))} |"


if __name__ == "__main__":
    PAGE.write_text(HEAD + "\n".join(table(judge) for judge in JUDGES) + TAIL)
