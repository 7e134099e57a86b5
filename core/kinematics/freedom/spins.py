# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of links that can turn about an axis of their own while all else stands still, as a rod between two balls can.

All links of such a chain move as one, so that only the joints at its two ends move, and both by the same twist: it
spins where the motions that these two joints allow have a turn in common.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model import Joint
from ...spatial.arrays import matmul, svd
from ..still import StillModel, twists_at

LONGEST_CHAIN = 8
"""Links in a row that are looked at together."""

SAME_MOTION = 1e-6
"""Sine of the angle between motions below which they count as one."""

Neighbours = dict[int, list[tuple[int, Joint]]]
"""Of each body, the bodies that a joint joins it to, and the joint."""


def spinning_chains(still: StillModel, loops: dict[str, np.ndarray], length: float) -> list[tuple[str, ...]]:
    """Return the link names of each such chain, the shortest chain first.

    Args:
        loops: by name, the motions that loop joints allow, as twists at the world's origin, shape (6, nv).
        length: by which translations are divided [m].
    """
    links = dict(zip(still.compiled.link_names, still.compiled.link_body.tolist(), strict=True))
    coupled = {term.joint for equation in still.compiled.model.equations() for term in equation.terms}
    found: list[set[int]] = []
    for run, ends in sorted(_runs(_neighbours(still, links)), key=lambda entry: len(entry[0])):
        if any(spin <= run for spin in found) or any(end.name in coupled for end in ends):
            continue
        here = still.X_WB[min(run)][:3]
        if _share_a_turn(*(_allowed(still, loops, end, here, length) for end in ends)):
            found.append(run)
    return [tuple(name for name, body in links.items() if body in run) for run in found]


def _allowed(still: StillModel, loops: dict[str, np.ndarray], joint: Joint, point, length: float) -> np.ndarray:
    """Return an orthonormal basis of the motions that a joint allows, at a point."""
    span = still.compiled.spans.get(joint.name)
    twists = loops[joint.name] if span is None else still.twists[:, span.v]
    stuck = [joint.axes[column.axis].lower == joint.axes[column.axis].upper for column in joint.columns]
    twists = twists[:, ~np.array(stuck)] if stuck else twists
    there = twists_at(twists, point)
    there[:3] /= length
    U, sizes, _ = svd(there)
    return U[:, sizes > SAME_MOTION]


def _share_a_turn(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether the spans of two orthonormal bases, shape (6, n), share a motion with rotation."""
    if not one.size or not other.size:
        return False
    U, cosines, _ = svd(matmul(one.T, other))
    shared = matmul(one, U[:, : len(cosines)][:, cosines > 1.0 - SAME_MOTION**2])
    return bool(shared.size) and float(np.abs(shared[3:]).max()) > SAME_MOTION


def _neighbours(still: StillModel, links: dict[str, int]) -> Neighbours:
    neighbours: Neighbours = {body: [] for body in {0, *links.values()}}
    for joint in still.compiled.model.joints:
        one, other = (links.get(name, 0) for name in (joint.parent, joint.child))
        if one != other:
            neighbours[one].append((other, joint))
            neighbours[other].append((one, joint))
    return neighbours


def _runs(neighbours: Neighbours) -> Iterator[tuple[set[int], tuple[Joint, Joint]]]:
    """Yield series of bodies of which each has exactly two joints, to two different bodies, with the joints at both
    ends.
    """
    between = {body for body, near in neighbours.items() if body and len(near) == 2}
    for first in sorted(between):
        for way, end in neighbours[first]:
            run, here, came_by = {first}, first, end
            while True:
                ahead, leads = next(pair for pair in neighbours[here] if pair[1] is not came_by)
                if ahead != way:
                    yield {*run}, (end, leads)
                if ahead not in between or ahead in run or ahead == way or len(run) == LONGEST_CHAIN:
                    break
                run.add(ahead)
                here, came_by = ahead, leads
