# SPDX-License-Identifier: GPL-3.0-or-later
"""The present values of a joint, as properties. A higher layer provides the functions that read and write them."""

from __future__ import annotations

from collections.abc import Callable

from ..nodes import Node
from .settings import data_path_of, node_with

Read = Callable[[Node, int], float]
"""A function that returns a present value [rad or Blender units] of a joint, by the number of the coordinate, locked
ones counted.
"""

Write = Callable[[Node, int, float], None]
"""A function that sets a value of a joint and moves the mechanism along. It shows errors to the user and raises none.
"""

_provided: tuple[Read, Write] | None = None


def provide(functions: tuple[Read, Write] | None) -> None:
    """Set the functions that read and write live values; None removes them, and then all values are 0."""
    global _provided
    _provided = functions


def read(coordinate) -> float:
    """Return the present value of a coordinate.

    Args:
        coordinate: a `CoordinateProperties`.
    """
    return _provided[0](node_with(coordinate), number_of(coordinate)) if _provided else 0.0


def write(coordinate, value: float) -> None:
    """Set the value of a coordinate.

    Args:
        coordinate: a `CoordinateProperties`.
    """
    if _provided:
        _provided[1](node_with(coordinate), number_of(coordinate), value)


def number_of(coordinate) -> int:
    """Return the number of a coordinate among those of its joint, locked ones counted."""
    path = data_path_of(coordinate, "q")
    return int(path[path.rindex("[") + 1 : path.rindex("]")])
