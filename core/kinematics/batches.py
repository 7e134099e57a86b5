# SPDX-License-Identifier: GPL-3.0-or-later
"""`batched`: makes a function of one state take many, one in each row of its arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..model import StateError
from ..model.compiling.compile import compiled_of

STATE = ("q", "qd", "qdd", "tau")
"""Names of the parameters that may have a row for each state."""

P = ParamSpec("P")
Result = TypeVar("Result")


def batched(function: Callable[P, Result]) -> Callable[P, Result]:
    """Return a function that also takes arrays of states, such as q of shape (n, nq), and then returns (n, …) arrays.

    Each parameter in `STATE` has a row for each state, or is the same for all of them. The states are computed one
    after the other, and a `Model` is compiled once. The docstring says so after its first paragraph.

    Args:
        function: its first parameter is the model, and its result an array or a tuple of arrays.
    """
    signature = inspect.signature(function)
    places = [(place, name) for place, name in enumerate(signature.parameters) if name in STATE]

    @functools.wraps(function)
    def of_one_or_many(*args: P.args, **kwargs: P.kwargs) -> Result:
        for place, name in places:
            if _has_rows(args[place] if place < len(args) else kwargs.get(name)):
                return _of_many(function, signature.bind(*args, **kwargs))
        return function(*args, **kwargs)

    summary, _, rest = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    of_one_or_many.__doc__ = "\n\n".join(part for part in (summary, _note([name for _, name in places]), rest) if part)
    return of_one_or_many


def _note(names: list[str]) -> str:
    """Return the paragraph for the docstring of a function whose parameters `names` may have rows."""
    given = f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    return (
        f"For n states at once, give {given} a row for each state: results then have n as their first dimension.\n"
        "What has no rows is the same for all states. A message about a state has its number."
    )


def _has_rows(value: Any) -> bool:
    if type(value) is list or type(value) is tuple:
        return bool(value) and isinstance(value[0], list | tuple | np.ndarray)
    return getattr(value, "ndim", 1) == 2


def _of_many(function: Callable[..., Any], bound: inspect.BoundArguments) -> Any:
    """Return the results of a function for each row of the arrays among its arguments, stacked."""
    arguments = dict(bound.arguments)
    if arguments.get("out") is not None:
        raise TypeError("out takes the results of one state; leave it out if q has a row for each of several states")
    model = next(iter(arguments))
    arguments[model] = compiled_of(arguments[model])
    rows = {name: _rows(arguments[name], name) for name in STATE if _has_rows(arguments.get(name))}
    (first, count), *others = [(name, len(array)) for name, array in rows.items()]
    for name, other in others:
        if other != count:
            raise StateError(f"{first} has {count} row(s) and {name} {other}; give each a row for each state, or none")
    results = []
    for number in range(count):
        try:
            results.append(function(**arguments | {name: array[number] for name, array in rows.items()}))
        except StateError as error:
            raise StateError(f"state {number}: {error}") from None
    if isinstance(results[0], tuple):
        return tuple(np.stack(parts) for parts in zip(*results, strict=True))
    return np.stack(results)


def _rows(values: Any, name: str) -> np.ndarray:
    try:
        rows = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2 or not len(rows):
        raise StateError(f"{name} takes one state, or a row of numbers for each of several states, found {values!r}")
    return rows
