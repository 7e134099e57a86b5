# SPDX-License-Identifier: GPL-3.0-or-later
"""Coordinates of a model whose links stand where poses say, frame by frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..kinematics import joint_coordinates
from ..model.compiled import CompiledModel


@dataclass(frozen=True)
class Tracked:
    """What `tracked` found.

    Attributes:
        q: shape (F, nq). gap: the farthest that poses are from where the coordinates put them [m or rad], over all
            joints and frames; joint: whose that is, "" where there are none.
    """

    q: np.ndarray
    gap: float
    joint: str


def tracked(compiled: CompiledModel, X_WL: np.ndarray, links: Collection[str] | None = None) -> Tracked:
    """The coordinates of joints, those of the tree and those that close loops, without jumps from frame to frame.

    Args:
        compiled: by `compile_for_posing`.
        X_WL: shape (F, L, 7), rows in `compiled.link_names`' order [m]; those of other links than `links` mean nothing.
        links: only the joints that carry these; those of others stand at home. All if left out.
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
