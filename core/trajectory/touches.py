# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts and impacts between links, as tables with one line for each contact point or impact."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

WORDS = ("first", "second")
"""Columns that hold names."""

NUMBERS = ("time", "gap")
"""Columns that hold one number in each line."""

VECTORS = ("point", "normal", "force", "torque", "impulse")
"""Columns that hold three numbers in each line."""

NO_COLUMN = {"column": False}
"""Metadata of a field of a `Table` that is not a column."""

UNITS = {"time": "s", "point": "m", "force": "N", "torque": "N m", "gap": "m", "impulse": "N s"}
"""Units of the columns that have one."""


@dataclass(frozen=True)
class Table:
    """A table of K lines in the order of their times. All vectors are in world axes.

    Attributes:
        frame: of the trajectory, counted from 0, shape (K,). time: shape (K,) [s].
        first, second: names of links, shape (K,).
        point: of contact, shape (K, 3) [m]. normal: unit vector from the first link to the second, shape (K, 3).
        frame_count: number of frames of the trajectory; None for a table without a trajectory.
    """

    frame: np.ndarray
    time: np.ndarray
    first: np.ndarray
    second: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    frame_count: int | None = field(default=None, kw_only=True, metadata=NO_COLUMN)

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        return tuple(item.name for item in dataclasses.fields(cls) if item.metadata.get("column", True))

    @classmethod
    def of(cls, columns: dict[str, Any]) -> Self:
        """Return a table from lists of any length, {column: values}."""
        count = len(columns["frame"])
        found: dict[str, Any] = {name: np.asarray(values) for name, values in columns.items()}
        for name, values in found.items():
            if name in VECTORS:
                found[name] = values.astype(np.float64).reshape(count, 3)
            else:
                found[name] = values.astype(str if name in WORDS else np.float64 if name in NUMBERS else np.int64)
        return cls(**found)

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return a table with the lines of all parts, one part after the other."""
        if not parts:
            return cls.of({name: [] for name in cls.columns()})
        found: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.columns()
        }
        return cls(**found)

    def chosen(self, lines: slice | np.ndarray) -> Self:
        return dataclasses.replace(self, **{name: getattr(self, name)[lines] for name in self.columns()})

    def at(self, frame: int) -> Self:
        """Return the lines of one frame.

        Args:
            frame: its number, counted from 0; negative numbers count from the end.

        Raises:
            IndexError: if the trajectory has no such frame.
        """
        number, count = operator.index(frame), self.frame_count
        if number < 0 and count is not None:
            number += count
        if number < 0 or (count is not None and number >= count):
            known = "belongs to no trajectory, so frames are counted from 0" if count is None else f"has {count} frames"
            raise IndexError(f"there is no frame {frame}: the table {known}")
        return self.chosen(self.frame == number)


@dataclass(frozen=True)
class Contacts(Table):
    """The contact points in each frame. Two links may have several.

    Attributes:
        force: on the second link, at the point, shape (K, 3) [N]. The force on the first link is the opposite.
        torque: on the second link, of rolling and spinning friction, shape (K, 3) [N m].
        gap: between both surfaces, shape (K,) [m]; negative if they overlap.
    """

    force: np.ndarray
    torque: np.ndarray
    gap: np.ndarray

    def of_frames(self, numbers: np.ndarray) -> Contacts:
        """Return the contacts of the frames with these numbers.

        The place of a number becomes the new number of the frame.
        """
        begin, end = (np.searchsorted(self.frame, numbers, side=side) for side in ("left", "right"))
        counts = end - begin
        skipped = np.repeat(begin - np.cumsum(counts) + counts, counts)
        found = self.chosen(skipped + np.arange(len(skipped)))
        return dataclasses.replace(found, frame=np.repeat(np.arange(len(numbers)), counts))


@dataclass(frozen=True)
class Impacts(Table):
    """The impacts of one link on another, each at one point. `frame` is the first frame that is not before the impact.

    Attributes:
        impulse: on the second link, at the point, shape (K, 3) [N s]. The impulse on the first link is the opposite.
    """

    impulse: np.ndarray

    def within(self, times: np.ndarray) -> Impacts:
        """Return the impacts from the first to the last of the times of frames, shape (F,) [s].

        Their frames are numbered by these times.
        """
        if not len(times):
            return self.chosen(slice(0))
        found = self.chosen((self.time >= times[0]) & (self.time <= times[-1]))
        return dataclasses.replace(found, frame=np.searchsorted(times, found.time))


TABLES: dict[str, type[Contacts] | type[Impacts]] = {"contacts": Contacts, "impacts": Impacts}
"""Fields of a `Trajectory` that are tables, with their classes."""
