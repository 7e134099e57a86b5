# SPDX-License-Identifier: GPL-3.0-or-later
"""What the columns of a table are called: the one place where reader and writer agree."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from . import units

POSE_PARTS = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
WRENCH_PARTS = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N m"), ("ty", "N m"), ("tz", "N m"))
ENERGIES = ("kinetic", "potential", "dissipated", "supplied")
LOOP_ERROR = "loop_error"
TIMES = ("time", "t", "timestamp")
"""In any case, the first of them is what is written."""

TIME, Q, QD, EFFORT, POSE, WRENCH, ENERGY = "time", "q", "qd", "effort", "pose", "wrench", "energy"
"""What a column holds; or it is the one of LOOP_ERROR."""

_PREFIXED = re.compile(r"(qd|q|effort|pose|wrench) (.+)", re.DOTALL)
_WITH_UNIT = re.compile(r"(.*?) ?\[([^\[\]]*)\]", re.DOTALL)
_PARTS = {part: POSE for part, _ in POSE_PARTS} | {part: WRENCH for part, _ in WRENCH_PARTS}


@dataclass(frozen=True)
class Column:
    """What one column holds: of what `name`, and which `part` of it."""

    kind: str
    name: str
    part: str = ""

    @property
    def units(self) -> Mapping[str, float]:
        """Those that it may be given in, and what each is in SI units."""
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
    """What a column of this name, without its unit, holds; whatever is no other thing is a joint's coordinate."""
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
    """(name, unit) of a column's heading; no unit is ""."""
    found = _WITH_UNIT.fullmatch(cell)
    return (found[1], found[2].strip()) if found else (cell, "")


def header_of(name: str, unit: str) -> str:
    """What `split_header` splits."""
    return f"{name} [{unit}]" if unit or split_header(name) != (name, "") else name


def shortest(column: Column) -> str:
    """What to call it: its own name, unless that would be read as something else; then its kind stands before it."""
    name = f"{column.name}.{column.part}" if column.part else column.name
    return name if column_of(name) == column else f"{column.kind} {name}"
