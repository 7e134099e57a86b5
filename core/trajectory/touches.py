# SPDX-License-Identifier: GPL-3.0-or-later
"""Where links touched and struck each other, as tables: a line for each point, or for each blow."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

WORDS, NUMBERS, VECTORS = ("first", "second"), ("time", "gap"), ("point", "normal", "force", "torque", "impulse")
"""Columns that hold names, one number a line, and three."""

NO_COLUMN = {"column": False}
"""Marks a field of a `Table` that is no column."""

UNITS = {"time": "s", "point": "m", "force": "N", "torque": "N m", "gap": "m", "impulse": "N s"}


@dataclass(frozen=True)
class Table:
    """K lines, in the order of their times. All vectors are in world axes.

    Attributes:
        frame: of the trajectory, counted from 0, shape (K,). time: shape (K,) [s].
        first, second: names of links, shape (K,).
        point: where, shape (K, 3) [m]. normal: unit vector from the first to the second, shape (K, 3).
        frame_count: number of frames of the trajectory; None for a table that belongs to none.
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
        """From lists of whatever length, none too."""
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
        """One after the other."""
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
            frame: its number, counted from 0; from the end where it is negative.

        Raises:
            IndexError: the trajectory has no such frame.
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
    """The points in which links touch in each frame; what lies on another does so in several.

    Attributes:
        force: on the second link, at the point, shape (K, 3) [N]; the first feels the opposite.
        torque: likewise, of rolling and spinning friction, shape (K, 3) [N m].
        gap: between both surfaces, shape (K,) [m]; below 0 where they overlap.
    """

    force: np.ndarray
    torque: np.ndarray
    gap: np.ndarray

    def of_frames(self, numbers: np.ndarray) -> Contacts:
        """Those of the frames with these numbers, each numbered by its place among them."""
        begin, end = (np.searchsorted(self.frame, numbers, side=side) for side in ("left", "right"))
        counts = end - begin
        skipped = np.repeat(begin - np.cumsum(counts) + counts, counts)
        found = self.chosen(skipped + np.arange(len(skipped)))
        return dataclasses.replace(found, frame=np.repeat(np.arange(len(numbers)), counts))


@dataclass(frozen=True)
class Impacts(Table):
    """The blows of one link on another, each in a point. `frame` is the first that is not before it.

    Attributes:
        impulse: on the second link, at the point, shape (K, 3) [N s]; the first feels the opposite.
    """

    impulse: np.ndarray

    def within(self, times: np.ndarray) -> Impacts:
        """Those from the first to the last of the times of frames, shape (F,) [s], which number them anew."""
        if not len(times):
            return self.chosen(slice(0))
        found = self.chosen((self.time >= times[0]) & (self.time <= times[-1]))
        return dataclasses.replace(found, frame=np.searchsorted(times, found.time))


TABLES: dict[str, type[Contacts] | type[Impacts]] = {"contacts": Contacts, "impacts": Impacts}
"""Fields of a `Trajectory`."""
