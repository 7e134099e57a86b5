# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedules: numbers of a model that change in time, and joints that are enabled in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..model import Joint, Model, StateError
from ..model.compiling.compiled import ON_DOF, CompiledModel, JointSpan, numbers_of
from ..model.drives import DRIVES, Aim, DriveMode
from ..model.text import timed
from .external_forces import steady_pushes
from .inputs import (
    CHART_DAMPING,
    CHART_PUSH,
    CHART_SPEED,
    CHART_STIFFNESS,
    CHART_TARGET,
    DAMPING,
    DRIVE_DAMPING,
    EFFORT,
    GRAVITY,
    INPUT,
    PUSH_FORCE,
    SPEED,
    STIFFNESS,
    TARGET,
    WIND,
    WRENCH,
    Inputs,
)

Numbers = float | Sequence[float] | np.ndarray

TARGETS = {Aim.PLACE: TARGET, Aim.SPEED: SPEED, Aim.FORCE: PUSH_FORCE}
"""Code of the input for the target of a drive on a dof, by what the drive controls."""
CHART_TARGETS = {Aim.PLACE: CHART_TARGET, Aim.SPEED: CHART_SPEED, Aim.FORCE: CHART_PUSH}
"""The same for a drive on a ball or free joint."""

ON_DRIVES = {
    "drive_stiffness": (STIFFNESS, CHART_STIFFNESS),
    "drive_damping": (DRIVE_DAMPING, CHART_DAMPING),
    "effort": (EFFORT, None),
}
"""Codes of the inputs for other fields of a drive: on the set-valued force of a dof, and on a ball or free joint."""

AXIS_FIELDS = ("drive_target", *ON_DRIVES, "damping")
"""Fields of `Axis` that can change in time."""
LINK_FIELDS = {"force": 3, "torque": 0}
"""Scheduled fields of a link, and the index at which the numbers of each begin in a PUSH record's wrench."""


@dataclass(frozen=True)
class Schedule:
    """Functions of the time [s] that replace constant properties of a model.

    They are called at every frame, and values are interpolated linearly between two frames. A position drive with a
    moving target is a spring and a damper to a moving point: its damper acts on the velocity relative to the target.

    Attributes:
        axes: {(joint, number of its axis): {field: function}}, for the fields of `Axis` in `AXIS_FIELDS`; a field acts
            in the drive modes to which it applies, and the mode stays the same.
        links: {link: {"force" or "torque": function that returns three numbers [N, N m]}}.
        enabled: {joint: function that returns whether the joint is enabled}. A joint that is enabled later connects its
            links where they are then. Their relative velocity is lost at once, as in a collision without a bounce.
        gravity, wind: functions that return three numbers [m/s^2, m/s].
    """

    axes: Mapping[tuple[str, int], Mapping[str, Callable[[float], float]]] = field(default_factory=dict)
    links: Mapping[str, Mapping[str, Callable[[float], Numbers]]] = field(default_factory=dict)
    enabled: Mapping[str, Callable[[float], bool]] = field(default_factory=dict)
    gravity: Callable[[float], Numbers] | None = None
    wind: Callable[[float], Numbers] | None = None

    @property
    def is_steady(self) -> bool:
        """Whether no number changes, whether or not joints are enabled in time."""
        return not (self.axes or self.links or self.gravity or self.wind)

    def require(self, model: Model) -> None:
        """Raise an error if the schedule names anything that the model does not have.

        Raises:
            StateError: if a joint, link, axis or field is unknown.
        """
        joints, links = {joint.name: joint for joint in model.joints}, {link.name for link in model.links}
        for what, given, known in (
            ("joint", [name for name, _ in self.axes], joints),
            ("joint", self.enabled, joints),
            ("link", self.links, links),
        ):
            for name in given:
                if name not in known:
                    raise StateError(f"no {what} '{name}' can be scheduled; there are: {', '.join(sorted(known))}")
        for (name, number), fields in self.axes.items():
            if not 0 <= number < joints[name].axis_count:
                raise StateError(f"joint '{name}' has {joints[name].axis_count} axes, counted from 0; found {number}")
            _require_known(f"joint '{name}'", fields, AXIS_FIELDS)
        for name, fields in self.links.items():
            _require_known(f"link '{name}'", fields, tuple(LINK_FIELDS))


def _require_known(whose: str, given: Mapping, known: Sequence[str]) -> None:
    for name in given:
        if name not in known:
            raise StateError(f"{whose}: '{name}' cannot change in time; allowed are {', '.join(known)}")


class ScheduledInputs:
    """A schedule together with the places of its numbers in a compiled model.

    Args:
        steady: the inputs that act whatever the schedule says.
    """

    def __init__(self, schedule: Schedule, compiled: CompiledModel, steady: Inputs):
        self._steady = steady._replace(pushes=steady_pushes(compiled, schedule.links))
        self._sources: list[tuple[Callable[[float], Numbers], str, int]] = []
        self._entries: list[tuple[int, int, int]] = []
        self._last: tuple[float, np.ndarray] | None = None
        for (name, number), fields in schedule.axes.items():
            if name in compiled.spans:
                self._bind_axis(compiled, compiled.spans[name], number, fields)
        for push, row in enumerate(self._steady.pushes.link):
            name = compiled.link_names[row]
            for what, function in schedule.links.get(name, {}).items():
                self._bind(function, f"the {what} on link '{name}'", WRENCH, push, 3, LINK_FIELDS[what])
        for function, subject, what in ((schedule.gravity, "gravity", GRAVITY), (schedule.wind, "the wind", WIND)):
            if function:
                self._bind(function, subject, what, 0, 3)

    def _bind_axis(self, compiled: CompiledModel, span: JointSpan, number: int, fields: Mapping[str, Callable]) -> None:
        joint, mode = span.joint, DRIVES[span.joint.axes[number].drive_mode]
        known = joint.kind.slot(number).fields
        for v in map(span.v_at, _places(joint, number)):
            drive = _drive_at(compiled, span.body, v)
            for name, function in fields.items():
                subject = f"the {name.replace('_', ' ')} of joint '{joint.name}'"
                if name == "damping" and name in known:
                    self._bind(function, subject, DAMPING, v, 1)
                elif drive and name in known and (what := _code(name, mode, drive.is_of_chart)) is not None:
                    self._bind(function, subject, what, drive.row, 1, drive.part)

    def _bind(self, function: Callable, subject: str, what: int, row: int, count: int, part: int = 0) -> None:
        self._sources.append((function, subject, count))
        self._entries += [(what, row, part + i) for i in range(count)]

    def between(self, begin: float, end: float, zero: float) -> Inputs:
        """Return the inputs between two times [s]. The solver's own time is counted from `zero`.

        Raises:
            StateError: if a function does not return the expected count of finite numbers.
        """
        window = np.array([begin - zero, end - zero])
        if not self._entries:
            return self._steady._replace(window=window)
        before, after = self._values(begin), self._values(end)
        changes = np.zeros(len(self._entries), INPUT).view(np.recarray)
        for name, column in zip(("code", "row", "part"), zip(*self._entries, strict=True), strict=True):
            changes[name] = column
        changes.value, changes.rate = before, (after - before) / (end - begin)
        self._last = end, after
        pushes = self._steady.pushes.copy()  # kernels write to them
        return self._steady._replace(changes=changes, pushes=pushes, window=window)

    def _values(self, time: float) -> np.ndarray:
        if self._last and self._last[0] == time:
            return self._last[1]
        found = []
        for function, subject, count in self._sources:
            given = function(time)
            numbers = numbers_of(given)
            if numbers.shape != (count,) or not np.isfinite(numbers).all():
                raise StateError(f"{subject} takes {count} finite number(s) at {timed(time)}, found {given!r}")
            found.append(numbers)
        return np.concatenate(found)


@dataclass(frozen=True)
class _Drive:
    """The place of a dof's drive: a row and component of `chart_drives`, or a row of `set_valued_forces`."""

    row: int
    part: int
    is_of_chart: bool


def _drive_at(compiled: CompiledModel, body: int, v: int) -> _Drive | None:
    """Return the place of the drive on a dof, or None if it has none."""
    arrays = compiled.arrays
    for row in np.flatnonzero(arrays.chart_drives.body == body).tolist():
        return _Drive(row, v - int(arrays.bodies.v[body]), True)
    for row in np.flatnonzero((arrays.set_valued_forces.kind == ON_DOF) & (arrays.set_valued_forces.v == v)).tolist():
        return _Drive(row, 0, False)
    return None


def _places(joint: Joint, number: int) -> list[int]:
    """Return the indices of the joint's velocities on which an axis acts."""
    if joint.kind.chart:
        return [place for place, axis in enumerate(joint.kind.spring_axes) if axis == number]
    place = joint.place_of(number)
    return [] if place is None else [place]


def _code(name: str, mode: DriveMode, on_chart: bool) -> int | None:
    """Return the code of the input for a field of a drive, or None if the field has no effect in its mode."""
    if name not in mode.fields:
        return None
    if name == "drive_target":
        return (CHART_TARGETS if on_chart else TARGETS)[mode.aim] if mode.aim else None
    return ON_DRIVES[name][on_chart]
