# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories from .csv files of `Trajectory.save`, and from joint curves that controllers log."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from ...files.regular import open_regular
from ..errors import TrajectoryError
from ..quaternions import normalized, quaternions_among
from ..trajectory import Trajectory
from .columns import (
    EFFORT,
    ENERGIES,
    ENERGY,
    LOOP_ERROR,
    POSE,
    POSE_PARTS,
    QD,
    TIME,
    TIMES,
    WRENCH,
    WRENCH_PARTS,
    Column,
    Q,
    column_of,
    split_header,
)
from .units import si_name

MOST_BYTES = 2 * 10**9
"""Largest size of a file [bytes]."""

LONGEST_LINE = 2**24
"""Size of a line from which on a file is refused [bytes]."""

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}
"""Characters that may separate columns, with their names in messages."""

SHOWN = 40
"""Largest number of characters of a cell in an error message."""


def read_csv(path: Path) -> Trajectory:
    """Read a .csv file as `read_trajectory` does."""
    with open_regular(path) as file:
        table = _Table(path, file)
    return _trajectory(table)


class _Table:
    """The columns of a file, with numbers in SI units.

    Attributes:
        columns: the content of each column. units: the SI name of each unit.
        values: shape (F, columns).
    """

    def __init__(self, path: Path, file: IO[bytes]):
        self.path = path
        lines = self._lines(file)
        heading = next(lines, None)
        if heading is None:
            raise TrajectoryError(f"{path}: the file is empty; it needs a line of names and lines of numbers")
        self._separator, self._cells = self._split(heading)
        self.columns, self.units, factors = self._headings()
        self._line_numbers = array("q")
        self.values = self._numbers(lines)
        scaled = [number for number, factor in enumerate(factors) if factor != 1.0]
        self.values[:, scaled] *= np.array(factors)[scaled]
        self._refuse_infinite()

    def error(self, line: int, message: str) -> TrajectoryError:
        return TrajectoryError(f"{self.path}:{line}: {_printable(message)}")

    def at(self, kind: str) -> list[int]:
        """Return the numbers of the columns of a kind."""
        return [number for number, column in enumerate(self.columns) if column.kind == kind]

    def line_of(self, row: int) -> int:
        return self._line_numbers[row]

    def _lines(self, file: IO[bytes]) -> Iterator[str]:
        size = 0
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), 1):
            size += len(line)
            if size > MOST_BYTES:
                raise TrajectoryError(
                    f"{self.path}: more than {MOST_BYTES:,} bytes; split the motion into several files"
                )
            if len(line) == LONGEST_LINE:
                raise self.error(number, f"a line of {LONGEST_LINE:,} bytes or more; this is no table of numbers")
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                place = f"byte {line[error.start]:#04x} at {error.start + 1}"
                raise self.error(number, f"not UTF-8: {place} of the line; save it as UTF-8") from error

    def _split(self, heading: str) -> tuple[str, list[str]]:
        """Return (separator, cells) of the first line.

        Of the separators that give a column of times, the one with most columns counts.

        Raises:
            TrajectoryError: if no separator gives a column of times.
        """
        found = []
        for separator in SEPARATORS:
            try:
                cells = [cell.strip() for cell in next(csv.reader([heading], delimiter=separator), [])]
            except csv.Error as error:
                raise self.error(1, f"no line of names: {error}") from error
            if any(column_of(split_header(cell)[0]).kind == TIME for cell in cells):
                found.append((len(cells), separator, cells))
        if not found:
            raise self.error(
                1,
                f"no column of time, found '{_short(heading)}'; name one of {', '.join(TIMES)}, and set columns apart "
                f"by {', '.join(SEPARATORS.values())}",
            )
        _, separator, cells = max(found, key=lambda entry: entry[0])
        return separator, cells

    def _headings(self) -> tuple[list[Column], list[str], list[float]]:
        columns, names, factors = [], [], []
        seen: dict[Column, int] = {}
        for number, cell in enumerate(self._cells, 1):
            name, unit = split_header(cell)
            if not name:
                raise self.error(1, f"column {number} has no name; give it one, or leave it out")
            column = column_of(name)
            if unit and unit not in column.units:
                allowed = ", ".join(column.units) or "none"
                what = f"column {number} '{_short(cell)}': unit '{_short(unit)}'"
                raise self.error(1, f"{what} is not known; allowed: {allowed}")
            if column in seen:
                again = f"column {number} '{_short(cell)}' is column {seen[column]} again"
                raise self.error(1, f"{again}; leave one of them out")
            seen[column] = number
            columns.append(column)
            names.append(si_name(unit))
            factors.append(column.units.get(unit, 1.0))
        return columns, names, factors

    def _numbers(self, lines: Iterator[str]) -> np.ndarray:
        numbers, width = array("d"), len(self._cells)
        time = self.at(TIME)[0]
        before, blank = -np.inf, 0
        for line, row in self._rows(lines):
            if not any(cell.strip() for cell in row) and len(row) <= 1:
                blank = blank or line
                continue
            if blank or len(row) != width:
                found = 0 if blank else len(row)
                raise self.error(blank or line, f"{found} columns, and the first line has {width}")
            try:
                numbers.extend(map(float, row))
            except ValueError:
                raise self._no_number(line, row) from None
            now = numbers[time - width]
            if not now > before:
                present = f"{row[time].strip()} after {before:g}" if before > -np.inf else row[time].strip()
                raise self.error(line, f"times must ascend, found {present}")
            before = now
            self._line_numbers.append(line)
        if not numbers:
            raise TrajectoryError(f"{self.path}: no frames; below the names there must be a line of numbers for each")
        return np.frombuffer(numbers).reshape(-1, width).copy()

    def _rows(self, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        rows = csv.reader(lines, delimiter=self._separator)
        try:
            for row in rows:
                yield rows.line_num + 1, row
        except csv.Error as error:
            raise self.error(rows.line_num + 1, f"no line of numbers: {error}") from error

    def _no_number(self, line: int, row: Sequence[str]) -> TrajectoryError:
        for number, cell in enumerate(row):
            try:
                float(cell)
            except ValueError:
                return self.error(line, f"{self._column(number)}: a number is needed, found '{_short(cell)}'")
        raise AssertionError("all are numbers")

    def _column(self, number: int) -> str:
        return f"column {number + 1} '{_short(self._cells[number])}'"

    def _refuse_infinite(self) -> None:
        for row, number in np.argwhere(np.isinf(self.values))[:1]:
            raise self.error(self.line_of(row), f"{self._column(number)}: a finite number is needed, found infinity")


def _trajectory(table: _Table) -> Trajectory:
    values, frames = table.values, len(table.values)
    at_q, at_v = table.at(Q), table.at(QD)
    q_names = tuple((table.columns[number].name, table.units[number]) for number in at_q)
    qd_names = tuple((table.columns[number].name, table.units[number]) for number in at_v)
    link_names, X_WL = _parts(table, POSE, [part for part, _ in POSE_PARTS])
    _require_poses(table, link_names, X_WL)
    X_WL[:, :, 3:] = normalized(X_WL[:, :, 3:])
    wrench_names, wrenches = _parts(table, WRENCH, [part for part, _ in WRENCH_PARTS])
    q = values[:, at_q]
    for place in quaternions_among(q_names):
        _require_directions(table, q_names[place[0]][0], q[:, place])
        q[:, place] = normalized(q[:, place])
    known = {table.columns[number].name: values[:, number].copy() for number in table.at(ENERGY)}
    energies: dict[str, Any] = {name: known.get(name, np.full(frames, np.nan)) for name in ENERGIES}
    at_error = table.at(LOOP_ERROR)
    return Trajectory(
        times=values[:, table.at(TIME)[0]].copy(),
        link_names=link_names,
        X_WL=X_WL,
        q_names=q_names,
        q=q,
        qd_names=qd_names,
        qd=values[:, at_v],
        **energies,
        efforts=_efforts(table, [name for name, _ in qd_names]),
        wrench_names=wrench_names,
        wrenches=wrenches if wrench_names else None,
        loop_error=values[:, at_error[0]].copy() if at_error else None,
    )


def _parts(table: _Table, kind: str, parts: list[str]) -> tuple[tuple[str, ...], np.ndarray]:
    """Return names of the links or joints with columns of a kind, and their numbers, shape (F, names, parts).

    Raises:
        TrajectoryError: if a part is missing.
    """
    at = {(table.columns[number].name, table.columns[number].part): number for number in table.at(kind)}
    names = tuple(dict.fromkeys(name for name, _ in at))
    for name in names:
        for part in parts:
            if (name, part) not in at:
                found = next(known for owner, known in at if owner == name)
                raise table.error(
                    1,
                    f"'{name}.{found}' is there and '{name}.{part}' is not; a {kind} needs all of {', '.join(parts)}, "
                    f"and a joint's coordinate of that name is written '{Q} {name}.{found}'",
                )
    order = [at[name, part] for name in names for part in parts]
    return names, table.values[:, order].reshape(len(table.values), len(names), len(parts))


def _require_poses(table: _Table, names: tuple[str, ...], X_WL: np.ndarray) -> None:
    for row, link, part in np.argwhere(np.isnan(X_WL))[:1]:
        what = f"'{names[link]}.{POSE_PARTS[part][0]}'"
        raise table.error(table.line_of(row), f"{what}: a link's pose needs numbers, found nan")
    for link, name in enumerate(names):
        _require_directions(table, name, X_WL[:, link, 3:])


def _require_directions(table: _Table, name: str, quaternions: np.ndarray) -> None:
    for row in np.flatnonzero(~quaternions.any(axis=1))[:1]:
        message = f"the quaternion of '{name}' is 0 0 0 0; w x y z must not all be 0"
        raise table.error(table.line_of(row), message)


def _efforts(table: _Table, names: list[str]) -> np.ndarray | None:
    at = {table.columns[number].name: number for number in table.at(EFFORT)}
    if not at:
        return None
    for name in at:
        if name not in names:
            raise table.error(1, f"'{EFFORT} {name}' is there and '{QD} {name}' is not; an effort needs its rate")
    efforts = np.full((len(table.values), len(names)), np.nan)
    for place, name in enumerate(names):
        if name in at:
            efforts[:, place] = table.values[:, at[name]]
    return efforts


def _short(text: str) -> str:
    """Return at most `SHOWN` characters of a text, as one line."""
    line = _printable(text.strip())
    return line if len(line) <= SHOWN else line[:SHOWN] + "…"


def _printable(text: str) -> str:
    """Return a text as one line, with blanks in the place of characters that cannot be printed."""
    return "".join(mark if mark.isprintable() else " " for mark in text)
