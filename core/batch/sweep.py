"""Sweeps: the values that parameters take, as tables of text, a row for each combination.

A value is text as `--set` takes it: numbers with the shortest digits that mean them, lists with commas between.
"""

from __future__ import annotations

import csv
import itertools
import math
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BatchError

Row = dict[str, str]
"""Values by parameter."""

MOST_ROWS = 1_000_000
"""More is a slip of the keyboard."""


def text_of(value: Any) -> str:
    """A TOML value as an argument. Raises BatchError where it is none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return str(value)
    if isinstance(value, list) and value and not any(isinstance(part, list | dict) for part in value):
        return ",".join(map(text_of, value))
    raise BatchError(f"found {value!r}, where a number, a word or a list of numbers is needed")


def grid(parameters: Mapping[str, Any]) -> list[Row]:
    """Each value of each parameter with each of the others; the last parameter runs fastest.

    Args:
        parameters: a list of values each, or {from, to, count} with an optional scale, "linear" or "log".
    """
    columns = [[text_of(value) for value in _grid_values(name, given)] for name, given in parameters.items()]
    if math.prod(map(len, columns)) > MOST_ROWS:
        raise BatchError(f"[grid] has more than {MOST_ROWS:,} combinations")
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*columns)]


def _grid_values(name: str, given: Any) -> list:
    if isinstance(given, list) and given:
        return given
    if isinstance(given, dict) and {"from", "to", "count"} <= set(given) <= {"from", "to", "count", "scale"}:
        begin, end, count, scale = given["from"], given["to"], given["count"], given.get("scale", "linear")
        steps = {"linear": np.linspace, "log": np.geomspace}.get(scale)
        is_usable = _are_numbers(begin, end) and isinstance(count, int) and 0 < count <= MOST_ROWS
        if steps and is_usable and (scale == "linear" or (begin > 0.0 and end > 0.0)):
            return steps(float(begin), float(end), count).tolist()
    raise BatchError(
        f"[grid] '{name}': found {given!r}; write a list of values, or {{ from = 1, to = 10, count = 4 }}, "
        'with scale = "log" for even ratios (of numbers above 0)'
    )


def random_rows(count: int, seed: int, parameters: Mapping[str, Any]) -> list[Row]:
    """Independent values for each row.

    A parameter's values hang on the seed and its name alone: neither more rows nor more parameters change those there
    were.

    Args:
        parameters: {uniform = [low, high]}, {log_uniform = [low, high]}, {normal = [mean, standard deviation]} or
            {choice = [values]} each.
    """
    columns = {}
    for name, given in parameters.items():
        draw = _distribution(name, given)
        generator = np.random.default_rng((seed, zlib.crc32(name.encode())))
        columns[name] = [text_of(draw(generator)) for _ in range(count)]
    return [{name: values[row] for name, values in columns.items()} for row in range(count)]


def _distribution(name: str, given: Any) -> Callable[[np.random.Generator], Any]:
    (kind, numbers), *more = given.items() if isinstance(given, dict) and given else [("", None)]
    if kind == "choice" and isinstance(numbers, list) and numbers and not more:
        return lambda generator: numbers[int(generator.integers(len(numbers)))]
    if kind in _DRAWS and isinstance(numbers, list) and len(numbers) == 2 and _are_numbers(*numbers) and not more:
        first, second = map(float, numbers)
        is_allowed, draw = _DRAWS[kind]
        if is_allowed(first, second):
            return lambda generator: draw(generator, first, second)
    raise BatchError(
        f"[random] '{name}': found {given!r}; write {{ uniform = [low, high] }}, {{ log_uniform = [low, high] }}, with "
        "both above 0, { normal = [mean, standard deviation] } or { choice = [values] }"
    )


_DRAWS: dict[str, tuple[Callable[..., bool], Callable[..., float]]] = {
    "uniform": (lambda low, high: low <= high, lambda generator, low, high: float(generator.uniform(low, high))),
    "log_uniform": (
        lambda low, high: 0.0 < low <= high,
        lambda generator, low, high: math.exp(float(generator.uniform(math.log(low), math.log(high)))),
    ),
    "normal": (lambda mean, deviation: deviation >= 0.0, lambda generator, *numbers: float(generator.normal(*numbers))),
}


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values) and all(
        math.isfinite(value) for value in values
    )


def table_rows(given: Any, folder: Path) -> list[Row]:
    """Rows as they are written: of a .csv file whose first line names the parameters, or inline.

    An empty cell leaves its parameter alone.

    Args:
        given: the file's name, or a list of {parameter = value}.
        folder: that the name is relative to.
    """
    if isinstance(given, list) and given and all(isinstance(row, dict) for row in given):
        return [{name: text_of(value) for name, value in row.items()} for row in given]
    if not isinstance(given, str):
        raise BatchError(f"table: found {given!r}; name a .csv file, or write [[table]] above each row")
    path = folder / given
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            header, *lines = [line for line in csv.reader(stream) if line]
    except ValueError as error:  # no line at all, or bytes that are no text
        raise BatchError(f"table '{given}': the first line must name a parameter a column") from error
    except (OSError, csv.Error) as error:
        raise BatchError(f"table '{given}' cannot be read: {getattr(error, 'strerror', None) or error}") from error
    names = [name.strip() for name in header]
    if not all(names) or len(set(names)) < len(names):
        raise BatchError(f"table '{given}': the first line must name a parameter a column, each once; found {header}")
    for number, line in enumerate(lines, 2):
        if len(line) != len(names):
            raise BatchError(f"table '{given}', row {number}: {len(line)} cells, where the first line has {len(names)}")
    return [{name: cell.strip() for name, cell in zip(names, line, strict=True) if cell.strip()} for line in lines]
