# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings on links that overlap before anything moves. Apart from `check_model`: it makes solids of all links."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..kinematics.proximity import Proximity, Separation
from ..model import Model
from ..model.soundness.issue import Issue, note, warning
from ..model.text import in_metres

CODE = "overlapping"

SHALLOW = 1e-9
"""Metres by which solids that are meant to touch may overlap: a box that stands on a floor, by rounding."""


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
            yield warning(CODE, f"link '{found.a}'", _told(found))


def _told(found: Separation) -> str:
    return (
        f"its collision '{found.shape_a}' overlaps collision '{found.shape_b}' of link '{found.b}' by "
        f"{in_metres(-found.gap)} where they start; move them apart, make one smaller, or let the two not meet"
    )
