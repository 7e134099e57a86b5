# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings on links that overlap before anything moves. Apart from `check_model`: it makes solids of all links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..kinematics.proximity import Proximity, Separation
from ..model import Model
from ..model.soundness.issue import Issue, note, warning
from ..model.text import in_metres

CODE = "overlapping"

MOST_TOLD = 3
"""Pairs of links that a summary names."""

SHALLOW = 1e-9
"""Metres by which solids that are meant to touch may overlap: a box that stands on a floor, by rounding."""


@dataclass
class Overlap(Issue):
    """Two links that overlap.

    Attributes:
        other: name of the second link; the first is the subject.
        depth: distance by which they have to be moved apart [m].
    """

    other: str = ""
    depth: float = 0.0

    @property
    def in_short(self) -> str:
        """The two links and how deep they overlap, for a list."""
        return f"'{self.name}' and '{self.other}' by {in_metres(self.depth)}"


def overlapping(model: Model, elsewhere: Collection[str] = ()) -> Iterator[Issue]:
    """Yield a warning for each two links that may meet and overlap at home.

    A note names each shape that touches as another one, such as a mesh as its hull.

    Args:
        elsewhere: names of links that do not start at home. Their overlaps there are not reported.

    Raises:
        ModelError: the model cannot be compiled.
    """
    proximity = Proximity(model)
    for name, said in proximity.colliders.notes:
        yield note("collision-shape", f"link '{name}'", said)
    for found in proximity.pairs_nearer(-SHALLOW):
        if found.a not in elsewhere and found.b not in elsewhere:
            yield Overlap("warning", CODE, f"link '{found.a}'", _told(found), other=found.b, depth=-found.gap)


def summarized(issues: Iterable[Issue]) -> list[Issue]:
    """Return the issues with one in the place of all overlaps, if there are more than MOST_TOLD of them."""
    issues = list(issues)
    overlaps = [issue for issue in issues if isinstance(issue, Overlap)]
    if len(overlaps) <= MOST_TOLD:
        return issues
    whole = warning(CODE, "model", summary(overlaps))
    return [issue for issue in issues if not isinstance(issue, Overlap)] + [whole]


def summary(overlaps: Sequence[Overlap]) -> str:
    """Return a sentence about many overlaps: how many there are, and the deepest ones."""
    deepest = sorted(overlaps, key=lambda overlap: -overlap.depth)[:MOST_TOLD]
    named = ", ".join(overlap.in_short for overlap in deepest)
    return (
        f"{len(overlaps)} pairs of links overlap where they start: {named} and {len(overlaps) - len(deepest)} more; "
        "move them apart, make some smaller, or let them not meet"
    )


def _told(found: Separation) -> str:
    return (
        f"its collision '{found.shape_a}' overlaps collision '{found.shape_b}' of link '{found.b}' by "
        f"{in_metres(-found.gap)} where they start; move them apart, make one smaller, or let the two not meet"
    )
