# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings on links that overlap before anything moves.

They are not part of `check_model`, since they need solids of all links.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..kinematics.proximity import Proximity, Separation
from ..model import Model
from ..model.soundness.issue import Issue, note, warning
from ..model.text import in_metres

CODE = "overlapping"
"""Code of the warning."""

SHALLOW = 1e-9
"""Depth by which solids that are meant to touch may overlap because of rounding, such as a box on a floor [m]."""


def overlapping(model: Model, elsewhere: Collection[str] = ()) -> Iterator[Issue]:
    """Yield a warning for each two links that may collide and overlap at home.

    Yield a note on each shape that collides as another one, such as a mesh as its hull.

    Args:
        elsewhere: names of links that do not start at home. Their overlaps at home are not reported.

    Raises:
        ModelError: if the model cannot be compiled.
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
