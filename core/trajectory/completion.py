# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion that a file tells in part, completed for a model: all links, all coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..kinematics import compile_for_posing
from ..model import Model
from ..model.compiled import CompiledModel, coordinate_names
from .errors import TrajectoryError
from .placing import Given, Placed, place_all
from .quaternions import normalized
from .rates import rates_of
from .trajectory import Trajectory

SHOWN = 8
"""Names that a refusal tells."""

Names = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Completed:
    """What `completed` made of a motion.

    Attributes:
        notes: what a user may wonder at.
    """

    trajectory: Trajectory
    notes: tuple[str, ...]


def completed(trajectory: Trajectory, model: Model) -> Completed:
    """The motion with all that a simulation of the model would have given, but for energies and forces.

    Links stand where the motion has them. Of the others, those of pieces in which it has some follow from these by its
    joint coordinates; those of pieces in which it has none follow from joint coordinates alone: joints that it leaves
    out stand at home, and what loops and couplings tie to others goes where these take it, without jumps. Coordinates
    and rates that it leaves out are found from poses and from differences in time. Where joints let go, others move on.

    Raises:
        TrajectoryError: names or units that are not the model's, or a link whose place cannot be known.
        ModelError: the model cannot be compiled.
    """
    stages = list(_stages(trajectory, model))
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
        contacts=None,  # of another model, perhaps
        impacts=None,
    )
    return Completed(whole, tuple(notes))


def _stages(trajectory: Trajectory, model: Model) -> Iterable[tuple[slice, CompiledModel]]:
    """The frames from one time at which a joint lets go to the next, and the model that moves there."""
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
    """Columns in the order of the names that are wanted; NaN for those that there are not."""
    at = {name: place for place, (name, _) in enumerate(names)}
    found = np.full((len(values), len(wanted)), np.nan)
    for place, (name, _) in enumerate(wanted):
        if name in at:
            found[:, place] = values[:, at[name]]
    return found


def _rows(trajectory: Trajectory, wanted: Sequence[str]) -> np.ndarray:
    """Likewise of link poses, shape (F, wanted, 7)."""
    at = {name: row for row, name in enumerate(trajectory.link_names)}
    found = np.full((len(trajectory), len(wanted), 7), np.nan)
    for row, name in enumerate(wanted):
        if name in at:
            found[:, row] = trajectory.X_WL[:, at[name]]
    return found


def _unitless(names: Iterable[str]) -> Names:
    return [(name, "") for name in names]


def _require_known(what: str, given: Names, known: Names) -> None:
    """A given name that has no unit may be of any; see `read_trajectory`."""
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
