# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of a solver's memory that was read from a state file, before a kernel sees it.

Kernels use integers of this memory as indices, and a file may contain any integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..contact.points import ELLIPSOIDAL, MAX_ROWS, POINTS, ROWS, SLIPS, UNLIMITED
from ..model import StateError
from .convex_step.problem import PREVIOUS_COUNT
from .protocol import Memory

Range = tuple[int, int]
"""The least and the largest value of an integer."""

FLAG = (0, 1)
"""Range of a truth value."""
SIDE = (-1, 1)
"""Range of a sign, such as the side of a stop; 0 for none."""
NAME = (-(2**63), 2**63 - 1)
"""Range of the name of a contact point within its manifold: any 64-bit integer."""
SEPARATION_STATE = (0, 2)
"""Range of the flag of `HybridContactSolver` for solids that overlap: none, separate all, or separate from the ground.
"""
COUNTER = (0, 2**53)
"""Range of a counter. A solver that takes a million steps a second reaches the upper end in 285 years."""
SMALL_COUNTER = (0, 2**20)
"""Range of a small counter, such as the number of steps until events are located again."""
LATER_FIELDS = {
    "created": "",
    "most_moved": "",
    "spring_gap": "gap",
    "start_normal": "normal",
    "is_low_order": "",
    "low_order_wait": "",
    "low_order_error": "",
}
"""Fields of records that files of earlier versions lack, by the fields whose values they then have; "" for 0."""
PER_CONTACT = "points", "before"
"""Arrays that have one record for each contact, so that their length may differ."""
MAX_TIME = 1e12
"""Upper bound of a time, and of the length of a step: 30,000 years [s]."""
MAX_EVENT_POINTS = 1000
"""Upper bound of the contact points of event-driven steps. The solver takes convex steps from far fewer points on."""


def checked_memory(arrays: Sequence[np.ndarray], own: Memory, solids: int = 0, bodies: int = 0) -> Memory:
    """Return the arrays of a file by the names that they have in a solver of the same model.

    Args:
        own: the present memory of the solver, with its positions and velocities as "y".
        solids, bodies: number of solids and of bodies, which bound the indices in records of `Adaptive` and
            `HybridContactSolver`.

    Raises:
        StateError: if an array is missing, has another type or shape, or has a number that the solver cannot have.
    """
    if len(arrays) != len(own):
        raise _invalid_memory(f"it has {len(arrays)} arrays, and not {len(own)}")
    memory = dict(zip(own, arrays, strict=True))
    for name, array in memory.items():
        if array.dtype != own[name].dtype:
            memory[name] = array = _completed(name, array, own[name].dtype)
        if array.shape != own[name].shape and not (name in PER_CONTACT and array.ndim == 1):
            raise _invalid_memory(f"'{name}' has the shape {array.shape}, and not {own[name].shape}")
        _require_numbers(name, array)
        for field, (low, high) in _ranges(name, array, solids, bodies).items():
            numbers = _field(array, field)
            if numbers.size and not (low <= numbers.min() and numbers.max() <= high):
                raise _invalid_memory(f"'{field or name}' of it is not between {low} and {high}")
    if not np.isfinite(memory["y"]).all():
        raise _invalid_memory("a position or velocity is not finite")
    _require_counts(memory)
    return memory


def _ranges(name: str, array: np.ndarray, solids: int, bodies: int) -> Mapping[str, Range]:
    """Return the range of each integer field of an array, by the field's name, which is empty for a plain array."""
    if array.dtype.names is None:
        ranges = {
            "": {"asleep": (0, len(array)), "parting": SEPARATION_STATE, "count": (0, UNLIMITED)}.get(name, COUNTER)
        }
        return ranges if array.dtype.kind == "i" else {}
    solid, body = (0, solids - 1), (0, bodies - 1)
    known = {
        "stepping": _with_range(FLAG, "started", "fresh", "implicit", "rescued", "is_low_order")
        | _with_range(SMALL_COUNTER, "trust", "lasting", "patience", "signs", "crowded", "yielded", "stalled")
        | _with_range((0, 62), "halted"),
        "force_states": _with_range(SIDE, "slide", "touch", "pressed", "saturated", "struck")
        | _with_range(FLAG, "asleep", "held", "apart", "told", "candidate", "rested", "stubborn", "speeding"),
        "points": _with_range(FLAG, "is_soft", "candidate", "holds", "given", "strained")
        | _with_range((0, SLIPS), "slide", "roll", "spin")
        | _with_range((0, ELLIPSOIDAL), "one.kind", "other.kind")
        | _with_range(body, "one.body", "other.body", "island")
        | _with_range(solid, "first", "second")
        | {"name": NAME, "row": (-1, COUNTER[1])},
        "before": _with_range(solid, "first", "second")
        | _with_range(FLAG, "slips", "struck")
        | {"name": NAME, "law": (-2, COUNTER[1])},
    }
    return {field: known.get(name, {}).get(field, COUNTER) for field in _integer_fields(array.dtype)}


def _completed(name: str, array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return the records of an earlier version, with the fields that have been added since.

    Raises:
        StateError: if the records differ otherwise.
    """
    added = [field for field in dtype.names or () if field not in (array.dtype.names or ())]
    kept = [field for field in dtype.names or () if field not in added]
    is_older = array.dtype.names == tuple(kept) and kept and all(field in LATER_FIELDS for field in added)
    if not is_older or any(array.dtype[field] != dtype[field] for field in kept):
        raise _invalid_memory(f"'{name}' has another type")
    completed = np.zeros(array.shape, dtype)
    for field in kept:
        completed[field] = array[field]
    for field in added:
        if LATER_FIELDS[field]:
            completed[field] = array[LATER_FIELDS[field]]
    return completed


def _with_range(allowed: Range, *fields: str) -> dict[str, Range]:
    return dict.fromkeys(fields, allowed)


def _integer_fields(dtype: np.dtype, prefix: str = "") -> list[str]:
    found = []
    for field in dtype.names or ():
        if dtype[field].names:
            found += _integer_fields(dtype[field], f"{field}.")
        elif dtype[field].base.kind == "i":
            found.append(f"{prefix}{field}")
    return found


def _field(array: np.ndarray, field: str) -> np.ndarray:
    for part in field.split(".") if field else ():
        array = array[part]
    return array


def _require_numbers(name: str, array: np.ndarray) -> None:
    """Raise StateError if an array, or a field of its records, contains NaN.

    Margins may contain NaN, because a margin without a known rate has NaN as its rate.
    """
    if name == "margins":
        return
    if array.dtype.names:
        for field in array.dtype.names:
            _require_numbers(name, array[field])
    elif array.dtype.kind == "f" and np.isnan(array).any():
        raise _invalid_memory(f"'{name}' holds what is no number")


def _require_counts(memory: Memory) -> None:
    """Raise StateError unless counters agree with the numbers of records, and times and steps are in range."""
    if "stepping" not in memory:  # the memory of a solver without STEPPING records
        return
    stepping = memory["stepping"][0]
    for field, most in (("time", MAX_TIME), ("step", MAX_TIME), ("stretch", 1.0)):
        if not 0.0 <= stepping[field] <= most:
            raise _invalid_memory(f"'{field}' is {stepping[field]:g} s")
    if "points" not in memory:
        return
    points, most_rows = len(memory["points"]), MAX_ROWS * len(memory["points"])
    if memory["count"][POINTS] != points or memory["count"][ROWS] > most_rows:
        raise _invalid_memory(f"it has {points} points, and counts others")
    if memory["crowd_counts"][PREVIOUS_COUNT] != len(memory["before"]):
        raise _invalid_memory(f"it has {len(memory['before'])} contacts, and counts others")
    if points > MAX_EVENT_POINTS and not stepping["trust"]:
        raise _invalid_memory(f"it has {points} points, and may have {MAX_EVENT_POINTS}")


def _invalid_memory(why: str) -> StateError:
    return StateError(f"'continuation' is not as it was saved: {why}; leave it out to start from q and qd alone")
