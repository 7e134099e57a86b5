# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the columns of a .csv table. Reader and writer both use them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from . import units

POSE_PARTS = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
"""Parts of the pose of a link, each with its unit, in the order of `Trajectory.X_WL`."""

WRENCH_PARTS = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N m"), ("ty", "N m"), ("tz", "N m"))
"""Parts of a wrench, each with its unit, in the order of `Trajectory.wrenches`."""

ENERGIES = ("kinetic", "potential", "dissipated", "supplied")
"""Fields of a `Trajectory` that are energies [J], which are also names of columns."""

LOOP_ERROR = "loop_error"
"""Name of the column of `Trajectory.loop_error`, and the kind of this column."""

TIMES = ("time", "t", "timestamp")
"""Names of the column of times, in upper or lower case. The first one is written."""

TIME, Q, QD, EFFORT, POSE, WRENCH, ENERGY = "time", "q", "qd", "effort", "pose", "wrench", "energy"
"""Kinds of columns: times, positions, velocities, efforts, parts of poses and of wrenches, energies.

`LOOP_ERROR` is one more.
"""

_PREFIXED = re.compile(r"(qd|q|effort|pose|wrench) (.+)", re.DOTALL)
_WITH_UNIT = re.compile(r"(.*?) ?\[([^\[\]]*)\]", re.DOTALL)
_PARTS = {part: POSE for part, _ in POSE_PARTS} | {part: WRENCH for part, _ in WRENCH_PARTS}


@dataclass(frozen=True)
class Column:
    """The content of one column.

    Attributes:
        kind: one of the kinds above.
        name: of the coordinate, the link, the joint or the energy.
        part: of a pose or a wrench; otherwise empty.
    """

    kind: str
    name: str
    part: str = ""

    @property
    def units(self) -> Mapping[str, float]:
        """The units that the column may have, {unit: its size in SI units}."""
        return _UNITS[self.part] if self.kind in (POSE, WRENCH) else _UNITS[self.kind]


_UNITS: dict[str, Mapping[str, float]] = {
    TIME: units.TIME,
    Q: units.POSITION,
    QD: units.RATE,
    EFFORT: units.EFFORT,
    ENERGY: units.ENERGY,
    LOOP_ERROR: units.NUMBER,
}
_UNITS |= {part: units.LENGTH if unit else units.NUMBER for part, unit in POSE_PARTS}
_UNITS |= {part: units.FORCE if unit == "N" else units.TORQUE for part, unit in WRENCH_PARTS}


def column_of(name: str) -> Column:
    """Return the content of a column from its name without unit. A name with no other meaning is a joint coordinate."""
    if name.lower() in TIMES:
        return Column(TIME, "time")
    if name in ENERGIES:
        return Column(ENERGY, name)
    if name == LOOP_ERROR:
        return Column(LOOP_ERROR, name)
    prefixed = _PREFIXED.fullmatch(name)
    kind, rest = prefixed.groups() if prefixed else ("", name)
    if kind in (Q, QD, EFFORT):
        return Column(kind, rest)
    owner, _, part = rest.rpartition(".")
    if owner and part in _PARTS and kind in ("", _PARTS[part]):
        return Column(_PARTS[part], owner, part)
    return Column(Q, name)


def split_header(cell: str) -> tuple[str, str]:
    """Return (name, unit) of the heading of a column. The unit is "" if there is none."""
    found = _WITH_UNIT.fullmatch(cell)
    return (found[1], found[2].strip()) if found else (cell, "")


def header_of(name: str, unit: str) -> str:
    """Return the heading of a column from its name and unit: the inverse of `split_header`."""
    return f"{name} [{unit}]" if unit or split_header(name) != (name, "") else name


def shortest(column: Column) -> str:
    """Return the name of a column, after its kind if `column_of` would read the name alone as another column."""
    name = f"{column.name}.{column.part}" if column.part else column.name
    return name if column_of(name) == column else f"{column.kind} {name}"
