"""Coordinates of a model whose links stand where poses say, frame by frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ..kinematics import coordinates_at, joint_coordinates
from ..model import WORLD, Joint
from ..model.compiled import CompiledModel
from ..model.screws import joint_pose
from ..spatial import IDENTITY, Pose, compose, inverse, norm, rotvec_of_quat


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
    loops = [weld.joint for weld in compiled.welds if {weld.branch.outer, weld.branch.inner} & asked]
    kept = [span.q for span in compiled.spans.values() if span.link in asked]
    worst, whose = 0.0, ""
    for frame, rows in enumerate(X_WL):
        found = joint_coordinates(compiled, rows, near=(near, np.zeros(compiled.nv)), links=links)
        gaps = {name: max(gap.distance, gap.angle) for name, gap in found.gaps.items()}
        poses = {WORLD: IDENTITY} | dict(zip(compiled.link_names, map(tuple, rows.tolist()), strict=True))
        for joint in loops:
            span = compiled.spans.get(joint.name)
            start = near[span.q] if span else np.zeros(0)
            values, gaps[joint.name] = _across(joint, poses, start)
            if span:
                found.q[span.q] = values
        near = found.q
        for place in kept:
            q[frame, place] = near[place]
        worst, whose = max([(worst, whose), *((gap, name) for name, gap in gaps.items())])
    return Tracked(q, worst, whose)


def _across(joint: Joint, poses: dict[str, Pose], near: np.ndarray) -> tuple[np.ndarray, float]:
    """A joint's coordinates, shape (nq,), and how far its frames are from where these put them [m or rad]."""
    ends = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
    X_J = compose(inverse(ends[0]), ends[1])
    values = coordinates_at(joint, X_J, near)
    off = compose(inverse(joint_pose(joint, values.tolist())), X_J)
    return values, max(norm(off[:3]), norm(rotvec_of_quat(off[3:])))
