# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings on links that overlap before anything moves. `check_definition` leaves them out, since they need solids."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ..kinematics.proximity.distances import Proximity, Separation
from ..kinematics.proximity.sunk import Sunk, loose_machines, sunk_machines
from ..model import Model, ModelError
from ..model.soundness.issue import Issue, note, warning
from ..model.text import in_metres

CODE = "overlapping"
"""Code of the warning."""

SUNK = "sunk-in-ground"
"""Code of a machine that nothing holds and that starts deep in the ground."""

MOST_TOLD = 3
"""Pairs of links that a summary names."""

SHALLOW = 1e-9
"""Depth by which solids that are meant to touch may overlap because of rounding, such as a box on a floor [m]."""


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
    """Yield a warning for each two links that may collide and overlap at home, and those of `sunk`.

    Yield a note on each shape that collides as another one, such as a mesh as its hull.

    Args:
        elsewhere: names of links that do not start at home. Their overlaps at home are not reported.

    Raises:
        ModelError: if the model cannot be compiled.
    """
    proximity = Proximity(model)
    for name, said in proximity.colliders.notes:
        yield note("collision-shape", f"link '{name}'", said)
    machines = sunk_machines(proximity, elsewhere)
    yield from map(_sunk_issue, machines)
    reported = {frozenset((link, each.ground)) for each in machines for link in each.links}
    for found in proximity.pairs_nearer(-SHALLOW):
        if found.a in elsewhere or found.b in elsewhere or frozenset((found.a, found.b)) in reported:
            continue
        yield Overlap("warning", CODE, f"link '{found.a}'", _told(found), other=found.b, depth=-found.gap)


def summary(overlaps: Sequence[Overlap]) -> str:
    """Return a sentence about many overlaps: how many there are, and the deepest ones."""
    deepest = sorted(overlaps, key=lambda overlap: -overlap.depth)[:MOST_TOLD]
    named = ", ".join(overlap.in_short for overlap in deepest)
    return (
        f"{len(overlaps)} pairs of links overlap where they start: {named} and {len(overlaps) - len(deepest)} more; "
        "move them apart, make some smaller, or let them not meet"
    )


def sunk(model: Model, elsewhere: Collection[str] = ()) -> Iterator[Issue]:
    """Yield a warning for each machine that nothing holds and that starts deep in the ground.

    Solids are made only if there is such a machine and something else with collisions.

    Nothing is reported of a model that cannot be compiled: other findings say why.

    Args:
        elsewhere: as in `overlapping`.
    """
    loose = {name for machine in loose_machines(model) for name in machine}
    with_shapes = {link.name for link in model.links if link.collisions}
    if not (with_shapes & loose and with_shapes - loose):
        return
    try:
        proximity = Proximity(model)
    except ModelError:
        return
    yield from map(_sunk_issue, sunk_machines(proximity, elsewhere))


def _sunk_issue(found: Sunk) -> Issue:
    what = "the whole machine" if len(found.links) > 1 else "it"
    what_to_do = f"lift {what} by {in_metres(found.lift)}" if found.lift else f"move {what} out by hand"
    return warning(
        SUNK,
        f"link '{found.link}'",
        f"it starts {in_metres(found.depth)} deep in link '{found.ground}', and a simulation pushes it out slowly; "
        f"{what_to_do}",
    )


def _told(found: Separation) -> str:
    return (
        f"its collision '{found.shape_a}' overlaps collision '{found.shape_b}' of link '{found.b}' by "
        f"{in_metres(-found.gap)} where they start; move them apart, make one smaller, or let the two not meet"
    )
