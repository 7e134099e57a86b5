# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the parts of a body that overlap in given poses, and so must not collide with each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..geometry import Geometry, Shape
from ..kinematics.proximity.distances import pairs_nearer
from ..model import Link, Model
from ..spatial import Pose


def overlapping_pairs(
    shapes: Mapping[str, tuple[Geometry, Pose]], poses: Iterable[Mapping[str, Pose]], gap: float = 0.0
) -> set[tuple[str, str]]:
    """Return the pairs of parts that overlap in at least one of the poses, each in the order of the parts.

    Args:
        shapes: geometry of each part [m], and its pose in the part's frame.
        poses: of the parts in the world [m], each by the name of the part.
        gap: parts that are nearer to each other than this count as overlapping [m].
    """
    found: set[tuple[str, str]] = set()
    for pose in poses:
        links = [
            Link(name, pose=pose[name], collisions=[Shape(f"{name}_shape", geometry, place)])
            for name, (geometry, place) in shapes.items()
        ]
        found |= {(each.a, each.b) for each in pairs_nearer(Model("body", links), None, gap)}
    return found
