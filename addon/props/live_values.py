# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a joint stands now, as properties. They know no kinematics: a layer above provides what reads and poses."""

from __future__ import annotations

from collections.abc import Callable

from bpy.types import Object

Read = Callable[[Object, int], float]
"""Of a joint and the number of a coordinate, locked ones counted: where it stands [rad or Blender units]."""

Write = Callable[[Object, int, float], None]
"""Brings it there, and the mechanism along. It shows errors to the user and raises none."""

_provided: tuple[Read, Write] | None = None


def provide(functions: tuple[Read, Write] | None) -> None:
    """Let these read and write live values; None for nothing, where all are 0."""
    global _provided
    _provided = functions


def read(coordinate) -> float:
    """coordinate: `CoordinateProperties`."""
    return _provided[0](coordinate.id_data, number_of(coordinate)) if _provided else 0.0


def write(coordinate, value: float) -> None:
    """As `read`."""
    if _provided:
        _provided[1](coordinate.id_data, number_of(coordinate), value)


def number_of(coordinate) -> int:
    """Which of its joint's coordinates it is, locked ones counted."""
    path = coordinate.path_from_id()
    return int(path[path.rindex("[") + 1 : -1])
