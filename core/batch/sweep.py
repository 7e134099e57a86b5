# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps: the values that parameters take, as tables of text with one row for each combination.

A value is a text that `--set` accepts: numbers with the fewest digits that represent them, lists with commas.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..files.regular import open_regular
from ..spatial import raised
from .errors import BatchError, shown

Row = dict[str, str]
"""Values by parameter."""

MOST_ROWS = 1_000_000
"""Largest number of rows. A larger number is a typing error."""


def text_of(value: Any) -> str:
    """Return a TOML value as an argument.

    Raises:
        BatchError: if it is not a number, a text or a list of these.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return str(value)
    if isinstance(value, list) and value and not any(isinstance(part, list | dict) for part in value):
        return ",".join(map(text_of, value))
    raise BatchError(f"found {shown(value)}, where a number, a word or a list of numbers is needed")


def text_in(where: str, value: Any) -> str:
    """Return `text_of` of a value. The message of an error begins with `where`."""
    try:
        return text_of(value)
    except BatchError as error:
        raise BatchError(f"{where}: {error}") from error


def grid(parameters: Mapping[str, Any]) -> list[Row]:
    """Return a row for each combination of the values of all parameters. The last parameter varies fastest.

    Args:
        parameters: for each a list of values, or {from, to, count} with an optional scale, "linear" or "log".

    Raises:
        BatchError: if a parameter is not valid, or if there are more than `MOST_ROWS` combinations.
    """
    columns: list[list[str]] = []
    for name, given in parameters.items():
        columns.append([text_in(f"[grid] '{name}'", value) for value in _grid_values(name, given)])
        if math.prod(map(len, columns)) > MOST_ROWS:
            raise BatchError(f"[grid] has more than {MOST_ROWS:,} combinations")
    return [dict(zip(parameters, values, strict=True)) for values in itertools.product(*columns)]


def _grid_values(name: str, given: Any) -> list:
    if isinstance(given, list) and given:
        return given
    if isinstance(given, dict) and {"from", "to", "count"} <= set(given) <= {"from", "to", "count", "scale"}:
        begin, end, count, scale = given["from"], given["to"], given["count"], given.get("scale", "linear")
        steps = {"linear": np.linspace, "log": _even_ratios}.get(str(scale))
        is_usable = _are_numbers(begin, end) and _are_numbers(end - begin) and is_count(count) and count <= MOST_ROWS
        if steps and is_usable and (scale == "linear" or min(begin, end) > 0.0):
            return steps(float(begin), float(end), count).tolist()
    raise BatchError(
        f"[grid] '{name}': found {shown(given)}; write a list of values, or {{ from = 1, to = 10, count = 4 }}, "
        'with scale = "log" for even ratios (of numbers above 0)'
    )


def random_rows(count: int, seed: int, parameters: Mapping[str, Any]) -> list[Row]:
    """Return rows of independent random values.

    The values of a parameter depend only on the seed and its name. More rows or more parameters do not change the
    others.

    Args:
        count: number of rows.
        seed: of the random numbers.
        parameters: for each {uniform = [low, high]}, {log_uniform = [low, high]}, {normal = [mean, standard deviation]}
            or {choice = [values]}.
    """
    columns = {}
    for name, given in parameters.items():
        draw = _distribution(name, given)
        generator = np.random.default_rng((seed, zlib.crc32(name.encode())))
        columns[name] = [text_in(f"[random] '{name}'", draw(generator)) for _ in range(count)]
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
        f"[random] '{name}': found {shown(given)}; write {{ uniform = [low, high] }}, {{ log_uniform = [low, high] }}, "
        "with both above 0, { normal = [mean, standard deviation] } or { choice = [values] }"
    )


_DRAWS: dict[str, tuple[Callable[..., bool], Callable[..., float]]] = {
    "uniform": (
        lambda low, high: 0.0 <= high - low <= sys.float_info.max,
        lambda generator, low, high: float(generator.uniform(low, high)),
    ),
    "log_uniform": (
        lambda low, high: 0.0 < low <= high,
        lambda generator, low, high: _between(low, high, float(generator.uniform())),
    ),
    "normal": (lambda mean, deviation: deviation >= 0.0, lambda generator, *numbers: float(generator.normal(*numbers))),
}
"""For each distribution of two numbers: whether they are permitted, and a function that draws a value."""


def _even_ratios(begin: float, end: float, count: int) -> np.ndarray:
    """Return values with even ratios, shape (count,), as NumPy's geomspace does, with the same bits everywhere."""
    return np.array([_between(begin, end, k / max(count - 1, 1)) for k in range(count)])


def _between(begin: float, end: float, part: float) -> float:
    """Return begin^(1 - part) end^part, limited to the range of both in spite of rounding."""
    value = raised(begin, 1.0 - part) * raised(end, part)
    return min(max(value, min(begin, end)), max(begin, end))


def is_number(value: Any) -> bool:
    """Return whether a value is a number that a float can represent. TOML's integers may have any length."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def is_count(value: Any, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _are_numbers(*values: Any) -> bool:
    return all(map(is_number, values))


def table_rows(given: Any, folder: Path) -> list[Row]:
    """Return rows as they are written: in a .csv file whose first line names the parameters, or inline.

    An empty cell leaves its parameter unchanged.

    Args:
        given: the file's name, or a list of {parameter = value}.
        folder: folder that the name is relative to.

    Raises:
        BatchError: if the table is not valid or cannot be read.
    """
    if isinstance(given, list) and given and all(isinstance(row, dict) for row in given):
        return [{name: text_in(f"table '{name}'", value) for name, value in row.items()} for row in given]
    if not isinstance(given, str):
        raise BatchError(f"table: found {shown(given)}; name a .csv file, or write [[table]] above each row")
    path = folder / given
    try:
        with io.TextIOWrapper(open_regular(path), encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            header, *lines = [(reader.line_num, line) for line in reader if line] or [(1, [])]
    except UnicodeDecodeError as error:
        raise BatchError(f"table '{given}' cannot be read: it is no UTF-8 text; save it as such") from error
    except (OSError, csv.Error) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise BatchError(f"table '{given}' cannot be read: {reason}") from error
    names = [name.strip() for name in header[1]]
    if not names or not all(names) or len(set(names)) < len(names):
        found = shown(header[1])
        raise BatchError(f"table '{given}': the first line must name a parameter a column, each once; found {found}")
    if not lines:
        raise BatchError(f"table '{given}' has no row below its first line; write one for each job")
    for number, line in lines:
        if len(line) != len(names):
            raise BatchError(f"table '{given}', line {number}: {len(line)} cells, where the first has {len(names)}")
    return [{name: cell.strip() for name, cell in zip(names, line, strict=True) if cell.strip()} for _, line in lines]
