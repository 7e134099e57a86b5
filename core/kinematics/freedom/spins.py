# SPDX-License-Identifier: GPL-3.0-or-later
"""Chains of links that can spin about their own axis while all others are at rest, such as a rod between two balls.

All links of such a chain move as one rigid body. So only the joints at its two ends move, and both have the same twist.
The chain can spin if the motion subspaces of these two joints have a common twist with a rotation.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model import Joint
from ...spatial.arrays import matmul, svd
from ..still import StillModel, twists_at

LONGEST_CHAIN = 8
"""Largest number of links of a chain that is searched for. The time of the search grows with the length."""

SAME_MOTION = 1e-6
"""Sine of the angle between two twists below which they count as equal [1]."""

Neighbours = dict[int, list[tuple[int, Joint]]]
"""For each body, one entry (other body, joint) for each of its joints."""


def spinning_chains(still: StillModel, loops: dict[str, np.ndarray], length: float) -> list[tuple[str, ...]]:
    """Return the link names of each such chain, the shortest chain first.

    Args:
        loops: by name, the motions that loop joints allow, as twists at the world's origin, shape (6, nv).
        length: by which translations are divided [m].
    """
    links = dict(zip(still.compiled.link_names, still.compiled.link_body.tolist(), strict=True))
    coupled = {term.joint for equation in still.compiled.model.equations() for term in equation.terms}
    found: list[set[int]] = []
    for chain, ends in sorted(_chains(_neighbours(still, links)), key=lambda entry: len(entry[0])):
        if any(spin <= chain for spin in found) or any(end.name in coupled for end in ends):
            continue
        here = still.X_WB[min(chain)][:3]
        if _share_a_rotation(*(_allowed(still, loops, end, here, length) for end in ends)):
            found.append(chain)
    return [tuple(name for name, body in links.items() if body in chain) for chain in found]


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


def _share_a_rotation(one: np.ndarray, other: np.ndarray) -> bool:
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


def _chains(neighbours: Neighbours) -> Iterator[tuple[set[int], tuple[Joint, Joint]]]:
    """Yield series of bodies of which each has exactly two joints, to two different bodies, with the joints at both
    ends.
    """
    between = {body for body, joined in neighbours.items() if body and len(joined) == 2}
    for first in sorted(between):
        for neighbour, first_joint in neighbours[first]:
            chain, body, previous_joint = {first}, first, first_joint
            while True:
                next_body, next_joint = next(pair for pair in neighbours[body] if pair[1] is not previous_joint)
                if next_body != neighbour:
                    yield {*chain}, (first_joint, next_joint)
                if (
                    next_body not in between
                    or next_body in chain
                    or next_body == neighbour
                    or len(chain) == LONGEST_CHAIN
                ):
                    break
                chain.add(next_body)
                body, previous_joint = next_body, next_joint
