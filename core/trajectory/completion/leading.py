# SPDX-License-Identifier: GPL-3.0-or-later
"""All coordinates of a model in each frame, from those that are given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...kinematics import Poser, Reacher, tree_kinematics, tree_poses
from ...model.compiling.compiled import CompiledModel, JointSpan, coordinate_names
from ...model.text import timed
from ..errors import TrajectoryError
from .tracking import tracked

OPEN = 1e-4
"""Largest error of loops and couplings that is not reported [rad, or as a part of the model's size]."""


@dataclass(frozen=True)
class Led:
    """The result of `lead`.

    Attributes:
        q: shape (F, nq).
        at_home: joints that are left at home.
        notes: lines about what may surprise a user.
    """

    q: np.ndarray
    at_home: list[JointSpan]
    notes: list[str]


def lead(compiled: CompiledModel, times: np.ndarray, q: np.ndarray) -> Led:
    """Return coordinates with those that are NaN filled in: from loops and couplings, and home for all others.

    Args:
        compiled: by `compile_for_posing`. times: shape (F,) [s].
        q: shape (F, nq). A column is NaN in all frames or in none.

    Raises:
        TrajectoryError: if a coordinate is NaN in some frames, or if some numbers of a quaternion are.
    """
    given = _given(compiled, times, q)
    missing = [span for span in compiled.spans.values() if not given[span.q].all()]
    bound = Reacher(compiled).bound
    loops = {weld.joint.name for weld in compiled.welds}
    q = np.where(given, q, compiled.q_home)
    if any(_dofs(span, given, False) & bound for span in missing if span.joint.name not in loops):
        q, notes = _closed(compiled, times, q, given)
    else:
        q, notes = _as_told(compiled, q, given)
    led = bound if given.any() else set()
    at_home = [span for span in missing if _dofs(span, given, False) - led and span.joint.name not in loops]
    return Led(q, at_home, notes)


def _given(compiled: CompiledModel, times: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return which columns of q are given, shape (nq,).

    Raises:
        TrajectoryError: as `lead`.
    """
    is_there = ~np.isnan(q)
    given = is_there.all(axis=0)
    names = coordinate_names(compiled)
    for column in np.flatnonzero(is_there.any(axis=0) & ~given):
        time = times[np.argmin(is_there[:, column])]
        raise TrajectoryError(
            f"coordinate '{names[column][0]}' is no number at {timed(time)}; give it at all times, or never"
        )
    for span in compiled.spans.values():
        own = given[span.q]
        if span.joint.kind.chart and own.any() and not own.all():
            column = np.arange(compiled.nq)[span.q][np.argmin(own)]
            raise TrajectoryError(
                f"coordinate '{names[column][0]}' is missing beside others of its joint; give all or none"
            )
    return given


def _dofs(span: JointSpan, given: np.ndarray, wanted: bool) -> set[int]:
    """Return the numbers of a joint's velocity coordinates whose positions are given (`wanted`), or are not given."""
    places = range(span.joint.nv)
    if span.joint.kind.chart:
        return {span.v_at(place) for place in places} if given[span.q].all() == wanted else set()
    return {span.v_at(place) for place in places if given[span.q_at(place)] == wanted}


def _as_told(compiled: CompiledModel, q: np.ndarray, given: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return q with the coordinates of loop joints computed from link poses, and notes.

    The coordinates of the tree are given, so loops may stay open.
    """
    if not (compiled.welds or compiled.model.equations()):
        return q, []
    poses = np.array([tree_kinematics(compiled, values)[0] for values in q])
    found = tracked(compiled, poses).q
    for weld in compiled.welds:
        if (span := compiled.spans.get(weld.joint.name)) and not given[span.q].all():
            q[:, span.q] = found[:, span.q]
    reacher = Reacher(compiled)
    gap = max(reacher.gap(values) for values in q)
    if gap <= OPEN:
        return q, []
    return q, [f"loops and couplings stay open by up to {gap:.2g} rad or model sizes: joints stand as they are given"]


def _closed(
    compiled: CompiledModel, times: np.ndarray, q: np.ndarray, given: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Return q with missing coordinates that follow the given ones, and notes.

    The motion begins at home, and each frame begins at the frame before it.
    """
    poser = _at_home(compiled)
    dofs = set().union(*(_dofs(span, given, True) for span in compiled.spans.values()))
    found, missed = q.copy(), []
    for frame, values in enumerate(q):
        wanted = np.where(given, values, poser.q)
        if not poser.move_towards(wanted, dofs):
            poser.approach(np.where(given, values, np.nan))
            if np.abs(poser.q - wanted)[given].max(initial=0.0) > OPEN:
                missed.append(frame)
        found[frame] = poser.q
        if not missed or missed[-1] != frame:
            found[frame, given] = values[given]
    if not missed:
        return found, []
    when = f"{len(missed)} of {len(q)} frames, first at {timed(times[missed[0]])}"
    return found, [f"loops, couplings or limits keep joints from where they are given in {when}: they come near"]


def _at_home(compiled: CompiledModel) -> Poser:
    """Return a poser whose model is at home, with loops and couplings closed as far as possible."""
    model = compiled.model
    poser = Poser(model, tree_poses(model, model.home()))
    loops = {weld.joint.name for weld in compiled.welds}
    for name, span in compiled.spans.items():
        if name not in loops:
            poser.q[span.q] = span.joint.q_home
    poser.satisfy_mimics()
    return poser
