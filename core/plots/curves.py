# SPDX-License-Identifier: GPL-3.0-or-later
"""The graphs of a motion as data: panels of curves, in units that people read, with their limits."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..joints import Chart
from ..joints.parts import FREE_CHART
from ..model import Axis, Model
from ..model.compiling.set_valued_forces import effective
from ..trajectory.files.columns import ENERGIES
from ..trajectory.files.writing import FORCE_UNITS
from ..trajectory.quaternions import quaternions_among
from ..trajectory.trajectory import Trajectory
from .turning import rotation_vectors

VALUES, VELOCITIES, EFFORTS, ENERGY, LOOP_ERROR = "values", "velocities", "efforts", "energy", "loop-error"
TITLES = {
    VALUES: "Joint values",
    VELOCITIES: "Joint velocities",
    EFFORTS: "Efforts",
    ENERGY: "Energy",
    LOOP_ERROR: "Loop error",
}
"""Headings of the quantities."""
QUANTITIES = tuple(TITLES)
"""All quantities, in the order of their panels."""
JOINT_QUANTITIES = (VALUES, VELOCITIES, EFFORTS)
"""Quantities that belong to joints."""

NEAR = 1e-6
"""Largest distance from a limit that counts as being at it, as a fraction of the limit, or of 1 if that is larger."""

ROOM = 0.08
"""Margin above and below the content of a graph, as a fraction of its height."""

SHOWN = {"rad": ("°", math.degrees(1.0)), "rad/s": ("°/s", math.degrees(1.0))}
"""For each unit that graphs replace: the unit that they show, and the factor. Other units are shown unchanged."""

ROTATION = ("rx", "ry", "rz")
"""Names of the components of a rotation vector, which replace those of a quaternion."""

PARTS = frozenset((*(part for part, _ in (*FREE_CHART.q_units, *FREE_CHART.qd_units)), *ROTATION))
"""Names that follow that of a joint, after a point, where it has several coordinates."""


class PlotError(ValueError):
    """The error if a graph is requested that the motion does not have."""


@dataclass(frozen=True)
class Curve:
    """One quantity over time, in its panel's unit.

    Attributes:
        name: of the quantity.
        owner: name of the joint that has it, or its own name.
        numbers: values at the panel's times, shape (F,); NaN where it is not active.
        lower, upper: its limits; infinite if there are none.
    """

    name: str
    owner: str
    numbers: np.ndarray
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def limits(self) -> tuple[float, ...]:
        """The finite limits."""
        return tuple(limit for limit in (self.lower, self.upper) if math.isfinite(limit))

    @property
    def is_at_limit(self) -> np.ndarray:
        """Whether the curve is at a limit or beyond it at each time, shape (F,)."""
        with np.errstate(invalid="ignore"):
            near_lower, near_upper = (NEAR * max(1.0, abs(limit)) for limit in (self.lower, self.upper))
            return (self.numbers <= self.lower + near_lower) | (self.numbers >= self.upper - near_upper)


@dataclass(frozen=True)
class Panel:
    """Curves of one quantity in one unit.

    Attributes:
        quantity: one of `QUANTITIES`.
        unit: of all its curves.
        times: shape (F,) [s].
        curves: the curves.
    """

    quantity: str
    unit: str
    times: np.ndarray
    curves: tuple[Curve, ...]

    @property
    def heading(self) -> str:
        return f"{TITLES[self.quantity]} [{self.unit}]"

    @cached_property
    def window(self) -> tuple[float, float]:
        """The lowest and the highest number of the graph.

        It contains all curves, with a margin, and those limits that are no farther from the curves than their own
        range.
        """
        shown = np.concatenate([curve.numbers for curve in self.curves])
        shown = shown[np.isfinite(shown)]
        if not shown.size:
            return -1.0, 1.0
        low, high = float(shown.min()), float(shown.max())
        reach = (high - low) or abs(high) or 1.0
        near = [limit for curve in self.curves for limit in curve.limits if low - reach <= limit <= high + reach]
        low, high = min([low, *near]), max([high, *near])
        room = ROOM * ((high - low) or 2.0 * reach)
        return low - room, high + room

    def spans(self, curve: Curve) -> list[tuple[float, float]]:
        """Return (begin, end) [s] of each span in which a curve is at a limit, half a frame longer on either side."""
        edges = np.concatenate([self.times[:1], 0.5 * (self.times[1:] + self.times[:-1]), self.times[-1:]])
        changes = np.flatnonzero(np.diff(curve.is_at_limit.astype(np.int8), prepend=0, append=0))
        return [(float(edges[begin]), float(edges[end])) for begin, end in changes.reshape(-1, 2)]


@dataclass(frozen=True)
class _Coordinate:
    """The owner of a coordinate, and its limits.

    Attributes:
        owner: name of the joint that has it, or of the link.
        axis: the axis whose limits apply to it, or None.
    """

    owner: str
    axis: Axis | None = None


def panels_of(
    model: Model | None,
    trajectory: Trajectory,
    quantities: Collection[str] = QUANTITIES,
    joints: Collection[str] | None = None,
) -> list[Panel]:
    """Return panels of the quantities that a motion has, in the order of `QUANTITIES`, one for each unit.

    Angles are in degrees. The orientation of a ball or free joint is shown by the three components `rx`, `ry`, `rz` of
    its rotation vector, which also count turns. Energy includes its balance, kinetic + potential + dissipated -
    supplied, which is constant. Efforts, energies and loop errors that are always 0 are omitted, such as those of
    joints without drives.

    Args:
        model: the model whose joints have the coordinates, for their limits; None if it is not known.
        trajectory: the motion.
        quantities: those that are shown.
        joints: names of the joints that are shown, or of a link if it floats; None shows all.

    Raises:
        PlotError: if a joint has no coordinates in the motion.
    """
    known = _coordinates(model) if model else _named_coordinates(trajectory)
    _require_joints(joints, {known[name].owner for name, _ in trajectory.q_names if name in known})
    found = []
    for quantity in filter(quantities.__contains__, QUANTITIES):
        by_unit: dict[str, list[Curve]] = {}
        for unit, curve in _curves(quantity, trajectory, known, joints):
            by_unit.setdefault(unit, []).append(curve)
        found += [Panel(quantity, unit, trajectory.times, tuple(curves)) for unit, curves in by_unit.items()]
    return found


def _coordinates(model: Model) -> dict[str, _Coordinate]:
    """Return by name each coordinate and rate that a motion of the model may have."""
    known = {}
    for link in model.links:  # a link that floats has coordinates of its own
        known |= _of_chart(link.name, FREE_CHART)
    for joint in model.joints:
        if joint.kind.chart:
            known |= _of_chart(joint.name, joint.kind.chart)
        for column, (part, _) in zip(joint.columns, joint.q_units, strict=False):
            name = f"{joint.name}.{part}" if part else joint.name
            known[name] = _Coordinate(joint.name, effective(joint, column.axis))
    return known


def _named_coordinates(motion: Trajectory) -> dict[str, _Coordinate]:
    """Return by name the coordinates and rates of a motion whose model is not known, each with its joint."""
    owners = {}
    for name, _ in (*motion.q_names, *motion.qd_names):
        stem, _, part = name.rpartition(".")
        owner = stem if stem and part in PARTS else name
        owners |= {name: owner} | ({f"{stem}.{each}": owner for each in ROTATION} if owner == stem else {})
    return {name: _Coordinate(owner) for name, owner in owners.items()}


def _of_chart(owner: str, chart: Chart) -> dict[str, _Coordinate]:
    parts = [*(part for part, _ in (*chart.q_units, *chart.qd_units)), *ROTATION]
    return {f"{owner}.{part}": _Coordinate(owner) for part in parts}


def _require_joints(wanted: Collection[str] | None, there: Collection[str]) -> None:
    for name in wanted or ():
        if name not in there:
            raise PlotError(f"no joint '{name}' moves; there are: {', '.join(sorted(there)) or 'none'}")


def _curves(
    quantity: str, motion: Trajectory, known: Mapping[str, _Coordinate], joints: Collection[str] | None
) -> Iterator[tuple[str, Curve]]:
    """Yield each curve of a quantity with its unit."""
    if quantity == ENERGY:
        for name, numbers in _energies(motion):
            yield "J", Curve(name, name, numbers)
    elif quantity == LOOP_ERROR:
        if motion.loop_error is not None and _is_something(motion.loop_error):
            yield "m, rad", Curve("largest gap", "largest gap", motion.loop_error)
    else:
        for name, unit, numbers in _columns(quantity, motion):
            coordinate = known.get(name, _Coordinate(name))
            if joints is None or coordinate.owner in joints:
                shown, factor = SHOWN.get(unit, (unit, 1.0))
                lower, upper = _limits(quantity, coordinate.axis)
                yield shown, Curve(name, coordinate.owner, numbers * factor, lower * factor, upper * factor)


def _limits(quantity: str, axis: Axis | None) -> tuple[float, float]:
    if axis is None:
        return -math.inf, math.inf
    if quantity == VALUES:
        return axis.lower, axis.upper
    most = axis.velocity_limit if quantity == VELOCITIES else axis.effort
    return -most, most


def _columns(quantity: str, motion: Trajectory) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield (name, unit, numbers) of each curve of a joint."""
    if quantity == VALUES:
        yield from _values(motion)
    elif quantity == VELOCITIES:
        for (name, unit), numbers in zip(motion.qd_names, motion.qd.T, strict=True):
            yield name, unit, numbers
    elif motion.efforts is not None:
        for (name, unit), numbers in zip(motion.qd_names, motion.efforts.T, strict=True):
            if _is_something(numbers):
                yield name, FORCE_UNITS.get(unit, ""), numbers


def _values(motion: Trajectory) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield the coordinates, with a rotation vector instead of each quaternion."""
    quaternions = {places[0]: places for places in quaternions_among(motion.q_names)}
    taken = {place for places in quaternions.values() for place in places}
    for place, (name, unit) in enumerate(motion.q_names):
        if places := quaternions.get(place):
            vectors = rotation_vectors(motion.q[:, places])
            stem = name.rpartition(".")[0]
            yield from ((f"{stem}.{part}", "rad", numbers) for part, numbers in zip(ROTATION, vectors.T, strict=True))
        elif place not in taken:
            yield name, unit, motion.q[:, place]


def _energies(motion: Trajectory) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the energies that are not always 0."""
    known = {name: getattr(motion, name) for name in ENERGIES}
    known["balance"] = motion.kinetic + motion.potential + motion.dissipated - motion.supplied
    for name, numbers in known.items():
        if _is_something(numbers):
            yield name, numbers


def _is_something(numbers: np.ndarray) -> bool:
    """Return whether any number is known and not 0."""
    return bool(np.nan_to_num(numbers).any())
