# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of all links of a model, from some poses and some coordinates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...kinematics import compile_for_posing, tree_kinematics
from ...model import WORLD, Joint, Model
from ...model.compiling.compiled import CompiledModel, JointSpan
from ...model.graph import Branch, connected_components
from ...model.screws import joint_pose
from ...spatial import IDENTITY, Pose, compose, inverse
from ..errors import TrajectoryError
from .leading import lead
from .tracking import tracked

SHOWN = 4
"""Largest number of names in a note."""


@dataclass(frozen=True)
class Given:
    """The known values of F frames. Unknown values are NaN.

    Attributes:
        times: shape (F,) [s]. q: shape (F, nq). X_WL: shape (F, L, 7) [m].
    """

    times: np.ndarray
    q: np.ndarray
    X_WL: np.ndarray


@dataclass(frozen=True)
class Placed:
    """All values of F frames.

    Attributes:
        q: shape (F, nq). X_WL: shape (F, L, 7) [m].
        notes: lines about what may surprise a user.
    """

    q: np.ndarray
    X_WL: np.ndarray
    notes: tuple[str, ...]


def place_all(compiled: CompiledModel, given: Given) -> Placed:
    """Return all coordinates and link poses, as `completed` describes.

    Args:
        compiled: by `compile_for_posing`.

    Raises:
        TrajectoryError: if the pose of a link cannot be determined.
    """
    X_WL, q = given.X_WL.copy(), given.q.copy()
    posed = {name for row, name in enumerate(compiled.link_names) if not np.isnan(X_WL[:, row]).any()}
    led: set[str] = set()
    for group in _groups(compiled.model):
        if not posed.intersection(group):
            led |= group
        elif not posed.issuperset(group):
            _spread(compiled, q, X_WL, group, posed & group)
    notes: tuple[str, ...] = ()
    seen = [name for name in compiled.link_names if name not in led]
    if led:
        notes = _lead(compiled, given.times, q, X_WL, led)
    at_seen = [place for span in _spans_of(compiled, seen) for place in np.arange(compiled.nq)[span.q]]
    if np.isnan(q[:, at_seen]).any():
        found = tracked(compiled, X_WL, seen).q
        q = np.where(np.isnan(q), found, q)
    return Placed(q, X_WL, notes)


def _groups(model: Model) -> list[set[str]]:
    """Return the names of the links of each component that joints or couplings connect, not counting the world."""
    ends = {joint.name: joint.parent if joint.child == WORLD else joint.child for joint in model.joints}
    ties = [
        Joint("", "fixed", ends[equation.terms[0].joint], ends[term.joint])
        for equation in model.equations()
        for term in equation.terms[1:]
    ]
    groups: dict[str, set[str]] = {}
    for name, first in connected_components([link.name for link in model.links], [*model.joints, *ties]).items():
        groups.setdefault(first, set()).add(name)
    return list(groups.values())


def _spans_of(compiled: CompiledModel, links: Collection[str]) -> list[JointSpan]:
    return [span for span in compiled.spans.values() if span.link in links]


# ---- components without a given link pose


def _lead(
    compiled: CompiledModel, times: np.ndarray, q: np.ndarray, X_WL: np.ndarray, led: set[str]
) -> tuple[str, ...]:
    """Write the coordinates and poses of the links `led` to q and X_WL, from coordinates alone. Return notes."""
    alone = compiled if len(led) == len(compiled.link_names) else compile_for_posing(_part_of(compiled.model, led))
    spans = [(span, _same(compiled, span)) for span in alone.spans.values()]
    own = np.full((len(q), alone.nq), np.nan)
    for span, there in spans:
        own[:, span.q] = q[:, there.q]
    found = lead(alone, times, own)
    for span, there in spans:
        q[:, there.q] = found.q[:, span.q]
    rows = [compiled.link_names.index(name) for name in alone.link_names]
    for frame, values in enumerate(found.q):
        X_WL[frame, rows] = tree_kinematics(alone, values)[0]
    return (*_home_note([_same(compiled, span).joint.name for span in found.at_home]), *found.notes)


def _home_note(joints: Sequence[str]) -> list[str]:
    if not joints:
        return []
    shown = ", ".join(f"'{name}'" for name in joints[:SHOWN])
    more = f" and {len(joints) - SHOWN} more" if len(joints) > SHOWN else ""
    return [f"nothing is given of {shown}{more}: they stand at home"]


def _part_of(model: Model, links: Collection[str]) -> Model:
    """Return the model with these links only. Only the world connects them with other links."""
    kept = {WORLD, *links}
    joints = [joint for joint in model.joints if {joint.parent, joint.child} <= kept]
    names = {joint.name for joint in joints}
    return replace(
        model,
        links=[link for link in model.links if link.name in kept],
        joints=joints,
        couplings=[each for each in model.couplings if each.equation(model.joints).terms[0].joint in names],
        contact_pairs=[pair for pair in model.contact_pairs if {pair.a, pair.b} <= kept],
    )


def _same(compiled: CompiledModel, span: JointSpan) -> JointSpan:
    """Return the joint of the whole model that corresponds to a joint of a part.

    The name of the implicit joint of a floating link depends on the other names in the model.
    """
    known = compiled.spans.get(span.joint.name)
    if known is not None and known.link == span.link:
        return known
    return next(other for other in compiled.spans.values() if other.link == span.link and other.joint.parent == WORLD)


# ---- components with some given link poses


def _spread(compiled: CompiledModel, q: np.ndarray, X_WL: np.ndarray, group: set[str], posed: set[str]) -> None:
    """Write the poses of the other links of a group to X_WL, from link to link over joints whose coordinates are known.

    Raises:
        TrajectoryError: if a link cannot be reached.
    """
    known = {WORLD, *posed}
    ways = [branch for branch in _ways(compiled) if {branch.inner, branch.outer} <= {WORLD, *group}]
    ways = [branch for branch in ways if not np.isnan(_own(compiled, q, branch.joint)).any()]
    while len(known) <= len(group):
        way = next((way for way in ways if (way.inner in known) != (way.outer in known)), None)
        if way is None:
            raise TrajectoryError(_unreachable(compiled, group - known))
        _step(compiled, q, X_WL, way, is_inward=way.outer in known)
        known |= {way.inner, way.outer}


def _ways(compiled: CompiledModel) -> Iterator[Branch]:
    """Yield every joint as a branch, including implicit joints of floating links and joints that close loops."""
    yield from compiled.tree.branches
    yield from (Branch(joint) for joint in compiled.tree.loops)
    yield from (Branch(span.joint) for span in compiled.spans.values() if span.link in compiled.floating)


def _own(compiled: CompiledModel, q: np.ndarray, joint: Joint) -> np.ndarray:
    """Return the coordinates of a joint in its own order, shape (F, joint.nq); NaN if it has no place in q."""
    span = compiled.spans.get(joint.name)
    return q[:, span.q] if span else np.full((len(q), joint.nq), np.nan)


def _step(compiled: CompiledModel, q: np.ndarray, X_WL: np.ndarray, way: Branch, is_inward: bool) -> None:
    """Write the pose of one link of a joint to X_WL, from the pose of the other: of the inner one if `is_inward`."""
    to, start = (way.inner, way.outer) if is_inward else (way.outer, way.inner)
    joint = way.joint
    row = compiled.link_names.index(to)
    values = _own(compiled, q, joint).tolist()
    for frame, own in enumerate(values):
        X_PC = compose(compose(joint.X_PJ, joint_pose(joint, own)), inverse(joint.X_CJ))
        X = inverse(X_PC) if to == joint.parent else X_PC
        X_WL[frame, row] = compose(_pose(compiled, X_WL[frame], start), X)


def _pose(compiled: CompiledModel, rows: np.ndarray, link: str) -> Pose:
    return IDENTITY if link == WORLD else tuple(rows[compiled.link_names.index(link)].tolist())


def _unreachable(compiled: CompiledModel, missing: set[str]) -> str:
    name = next(name for name in compiled.link_names if name in missing)
    branch = compiled.tree.above.get(name)
    through = f"joint '{branch.joint.name}'" if branch else "the joint by which it floats"
    return (
        f"link '{name}' has no pose, though others of its piece have, and {through} not all of its coordinates; give "
        "either, or no poses in this piece at all"
    )
