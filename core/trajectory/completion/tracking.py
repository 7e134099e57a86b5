# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of a model from the poses of its links, frame by frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ...kinematics import joint_coordinates
from ...model.compiling.compiled import CompiledModel


@dataclass(frozen=True)
class Tracked:
    """The result of `tracked`.

    Attributes:
        q: shape (F, nq).
        gap: largest difference between the poses and those that the coordinates give, over all joints and frames [m or
            rad].
        joint: the joint where it occurs, or "" if there are no joints.
    """

    q: np.ndarray
    gap: float
    joint: str


def tracked(compiled: CompiledModel, X_WL: np.ndarray, links: Collection[str] | None = None) -> Tracked:
    """Return the coordinates of all joints, including those that close loops, without jumps from frame to frame.

    Args:
        compiled: by `compile_for_posing`.
        X_WL: shape (F, L, 7), rows in the order of `compiled.link_names` [m]. Rows of links that are not in `links` are
            ignored.
        links: if given, only joints that carry these links are computed; others are at home.
    """
    q = np.tile(compiled.q_home, (len(X_WL), 1))
    near = compiled.q_home.copy()
    for span in compiled.spans.values():
        near[span.q] = span.joint.q_middle
    asked = {*(compiled.link_names if links is None else links)}
    kept = [span.q for span in compiled.spans.values() if span.link in asked]
    worst, whose = 0.0, ""
    for frame, rows in enumerate(X_WL):
        found = joint_coordinates(compiled, rows, near=(near, np.zeros(compiled.nv)), links=links)
        gaps = {name: max(gap.distance, gap.angle) for name, gap in found.gaps.items()}
        near = found.q
        for place in kept:
            q[frame, place] = near[place]
        worst, whose = max([(worst, whose), *((gap, name) for name, gap in gaps.items())])
    return Tracked(q, worst, whose)
