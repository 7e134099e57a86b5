# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings about collision shapes that cannot collide: missing or unreadable files, and unknown kinds."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import Model
from ..model.compiling.colliders import why_unusable
from ..model.soundness.issue import Issue, name_of, warning
from .sizes import has_bad_size


def unusable_shapes(model: Model) -> Iterator[Issue]:
    """Yield a warning for each collision shape that cannot collide.

    Shapes that name the same file get only one.
    """
    reported: set[tuple[str, str]] = set()
    for link in model.links:
        for shape in link.collisions:
            why = "" if has_bad_size(shape.geometry) else why_unusable(shape.geometry)
            file = getattr(shape.geometry, "uri", "")
            if why and not (file and (file, why) in reported):
                reported.add((file, why))
                yield warning("collision-shape", name_of(link), f"collision '{shape.name}' {why}")


FINDINGS = (unusable_shapes,)
