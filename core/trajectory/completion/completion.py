# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of a motion for a model: all links and all coordinates, from those that a file has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...kinematics import compile_for_posing
from ...model import Model
from ...model.compiling.compiled import CompiledModel, coordinate_names
from ..errors import TrajectoryError
from ..quaternions import normalized
from ..rates import rates_of
from ..trajectory import Trajectory
from .placing import Given, Placed, place_all

SHOWN = 8
"""Largest number of names in an error message."""

Names = Sequence[tuple[str, str]]
"""(name, unit) of each column."""


@dataclass(frozen=True)
class Completed:
    """The result of `completed`.

    Attributes:
        notes: lines about what may surprise a user.
    """

    trajectory: Trajectory
    notes: tuple[str, ...]


def completed(trajectory: Trajectory, model: Model) -> Completed:
    """Return the motion with all links and coordinates of the model. Energies stay as they are.

    Links have the poses that the motion gives them. A component is a set of links that joints or couplings connect, not
    counting the world. If the motion has some links of a component, the others follow from these by its joint
    coordinates. If it has none, all follow from joint coordinates alone: joints that it leaves out are at home, and
    coordinates that loops and couplings tie to others follow them without jumps. Missing coordinates are computed from
    poses, and missing rates from differences in time. After a joint has broken, the model without this joint is used.

    Raises:
        TrajectoryError: if names or units are not those of the model, or if the pose of a link cannot be determined.
        ModelError: if the model cannot be compiled.
    """
    _require_known("joint", _unitless(trajectory.broken), _unitless(joint.name for joint in model.joints))
    broken = dict(zip(trajectory.broken, trajectory.broken_at, strict=True))
    stages = list(_stages(trajectory, model.breaking_at(broken)))
    q_names = list(dict.fromkeys(name for _, stage in stages for name in coordinate_names(stage)))
    qd_names = list(dict.fromkeys(name for _, stage in stages for name in coordinate_names(stage, velocities=True)))
    _require_known("coordinate", trajectory.q_names, q_names)
    _require_known("rate", trajectory.qd_names, qd_names)
    _require_known("link", _unitless(trajectory.link_names), _unitless(link.name for link in model.links))
    joints = [joint.name for joint in model.joints] + [name for _, stage in stages for name in stage.spans]
    _require_known("joint", _unitless(trajectory.wrench_names), _unitless(joints))
    q = _columns(trajectory.q, trajectory.q_names, q_names)
    qd = _columns(trajectory.qd, trajectory.qd_names, qd_names)
    X_WL = _rows(trajectory, [link.name for link in model.links])
    notes: dict[str, None] = {}
    for frames, stage in stages:
        if frames.start == frames.stop:
            continue
        at_q = [q_names.index(name) for name in coordinate_names(stage)]
        at_v = [qd_names.index(name) for name in coordinate_names(stage, velocities=True)]
        times = trajectory.times[frames]
        placed = _placed(stage, times, q[frames][:, at_q], X_WL[frames])
        q[frames, at_q], X_WL[frames] = placed.q, placed.X_WL
        given = qd[frames][:, at_v]
        qd[frames, at_v] = np.where(np.isnan(given), rates_of(stage, times, placed.q), given)
        notes |= dict.fromkeys(placed.notes)
    efforts = trajectory.efforts
    whole = replace(
        trajectory,
        link_names=tuple(link.name for link in model.links),
        X_WL=X_WL,
        q_names=tuple(q_names),
        q=q,
        qd_names=tuple(qd_names),
        qd=qd,
        efforts=None if efforts is None else _columns(efforts, trajectory.qd_names, qd_names),
        contacts=None,  # they may be those of another model
        impacts=None,
    )
    return Completed(whole, tuple(notes))


def _stages(trajectory: Trajectory, model: Model) -> Iterable[tuple[slice, CompiledModel]]:
    """Yield (frames, compiled model) for each interval between times at which joints break."""
    times = trajectory.times
    if not len(times):
        raise TrajectoryError("the motion has no frames; it needs one at least")
    releases = {joint.released_at for joint in model.joints if joint.enabled}
    starts = [float(times[0]), *sorted(time for time in releases if times[0] < time <= times[-1])]
    begins = [0, *np.searchsorted(times, starts[1:]).tolist(), len(times)]
    for time, begin, end in zip(starts, begins[:-1], begins[1:], strict=True):
        yield slice(begin, end), compile_for_posing(model.acting_at(time))


def _placed(stage: CompiledModel, times: np.ndarray, q: np.ndarray, X_WL: np.ndarray) -> Placed:
    for span in stage.spans.values():
        if span.joint.kind.chart:
            at = np.arange(stage.nq)[span.q][-4:]
            q[:, at] = normalized(q[:, at])
    return place_all(stage, Given(times, q, X_WL))


def _columns(values: np.ndarray, names: Names, wanted: Names) -> np.ndarray:
    """Return columns in the order of the names `wanted`, shape (F, wanted). Columns that do not exist are NaN."""
    at = {name: place for place, (name, _) in enumerate(names)}
    found = np.full((len(values), len(wanted)), np.nan)
    for place, (name, _) in enumerate(wanted):
        if name in at:
            found[:, place] = values[:, at[name]]
    return found


def _rows(trajectory: Trajectory, wanted: Sequence[str]) -> np.ndarray:
    """Return link poses in the order of the names `wanted`, shape (F, wanted, 7) [m].

    Poses that do not exist are NaN.
    """
    at = {name: row for row, name in enumerate(trajectory.link_names)}
    found = np.full((len(trajectory), len(wanted), 7), np.nan)
    for row, name in enumerate(wanted):
        if name in at:
            found[:, row] = trajectory.X_WL[:, at[name]]
    return found


def _unitless(names: Iterable[str]) -> Names:
    return [(name, "") for name in names]


def _require_known(what: str, given: Names, known: Names) -> None:
    """Check that the model has the given names, with the same units. A name without a unit may have any.

    Raises:
        TrajectoryError: if a name or its unit is unknown.
    """
    units: dict[str, str] = dict(known)
    for name, unit in given:
        if name not in units:
            shown = ", ".join(f"'{other}'" for other in [*units][:SHOWN]) or "none"
            more = f" and {len(units) - SHOWN} more" if len(units) > SHOWN else ""
            raise TrajectoryError(
                f"the model has no {what} '{name}'; it has {shown}{more}: take the motion of this model"
            )
        if unit and unit != units[name]:
            raise TrajectoryError(
                f"{what} '{name}' is in {unit}, and the model has it in {units[name] or 'plain numbers'}"
            )
