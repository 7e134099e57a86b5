# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps: the values that parameters take, against values made by hand."""

import csv
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limberjack.core.batch.errors import BatchError
from limberjack.core.batch.sweep import MOST_ROWS, grid, random_rows, table_rows

COUNT = 4000
SIGMAS = 5.0


def values_of(rows, name):
    return [float(row[name]) for row in rows]


def test_a_grid_is_each_with_each_and_the_last_runs_fastest():
    """Guards the order that jobs are numbered in."""
    rows = grid({"a.x": [1, 2], "b": ["p", "q"], "c.y": [[0, 0, -9.81], True]})
    assert [(row["a.x"], row["b"], row["c.y"]) for row in rows] == [
        ("1", "p", "0,0,-9.81"),
        ("1", "p", "true"),
        ("1", "q", "0,0,-9.81"),
        ("1", "q", "true"),
        ("2", "p", "0,0,-9.81"),
        ("2", "p", "true"),
        ("2", "q", "0,0,-9.81"),
        ("2", "q", "true"),
    ]
    assert grid({}) == [{}]


@pytest.mark.parametrize(
    ("given_", "values"),
    [
        ({"from": 0, "to": 1, "count": 5}, [0.0, 0.25, 0.5, 0.75, 1.0]),
        ({"from": 3, "to": -1, "count": 3, "scale": "linear"}, [3.0, 1.0, -1.0]),
        ({"from": 1, "to": 1000, "count": 4, "scale": "log"}, [1.0, 10.0, 100.0, 1000.0]),
        ({"from": 7, "to": 9, "count": 1}, [7.0]),
    ],
)
def test_steps_of_a_grid(given_, values):
    """Guards even steps and even ratios, with both ends."""
    assert values_of(grid({"a.x": given_}), "a.x") == pytest.approx(values, rel=1e-12)


def test_numbers_have_the_shortest_digits_that_mean_them():
    """Guards what a person reads in commands: 0.1, not 0.1000000000000000055."""
    assert [row["a.x"] for row in grid({"a.x": [0.1, 1, 1e-7, math.inf]})] == ["0.1", "1", "1e-07", "inf"]


@pytest.mark.parametrize(
    "given_",
    [
        [],
        3,
        "word",
        {},
        {"from": 0, "to": 1},
        {"from": 0, "to": 1, "count": 0},
        {"from": 0, "to": 1, "count": 2.0},
        {"from": 0, "to": 1, "count": True},
        {"from": 0, "to": 1, "count": 10**9},
        {"from": 0, "to": 1, "count": 3, "scale": "log"},
        {"from": -1, "to": 1, "count": 3, "scale": "log"},
        {"from": 1, "to": 2, "count": 3, "scale": "square"},
        {"from": 1, "to": 2, "count": 3, "scale": ["log"]},
        {"from": 1, "to": 2, "count": 3, "scale": {}},
        {"from": 1, "to": 2, "count": 3, "steps": 3},
        {"from": "1", "to": 2, "count": 3},
        {"from": math.nan, "to": 2, "count": 3},
        {"from": 0, "to": 10**400, "count": 3},
        {"from": -1.7e308, "to": 1.7e308, "count": 3},
        [[[1]]],
        [{"a": 1}],
        [[]],
    ],
)
def test_a_bad_grid(given_):
    """Guards one error that names the parameter, what was found and what is allowed."""
    with pytest.raises(BatchError, match=r"^\[grid\] 'a\.x': found ") as caught:
        grid({"a.x": given_})
    assert len(str(caught.value).splitlines()) == 1


def test_a_grid_that_is_too_large_is_told_before_it_is_made():
    """Guards memory: a hundred columns of a million values would take some gigabytes, and end as one error."""
    column = {"from": 0, "to": 1, "count": MOST_ROWS // 2}
    with pytest.raises(BatchError, match="more than 1,000,000 combinations"):
        grid({f"a.x{number}": column for number in range(100)})


def test_more_rows_and_more_parameters_change_no_value_there_was():
    """Guards samples that grow: what was simulated stays a part of the larger batch."""
    one = {"a.x": {"uniform": [0, 1]}, "b.y": {"normal": [0, 1]}}
    more = {"c.z": {"choice": ["p", "q"]}, **one, "a.w": {"log_uniform": [1, 2]}}
    few, many = random_rows(7, 3, one), random_rows(20, 3, more)
    assert [{name: row[name] for name in one} for row in many[:7]] == few
    assert random_rows(7, 3, one) == few
    assert random_rows(7, 4, one) != few


def test_parameters_are_independent_of_each_other():
    """Guards against one stream for all: two parameters of one distribution have other values, and no correlation."""
    rows = random_rows(COUNT, 0, {name: {"uniform": [-1, 1]} for name in ("a.x", "b.x")})
    first, second = values_of(rows, "a.x"), values_of(rows, "b.x")
    products = [a * b for a, b in zip(first, second, strict=True)]
    assert abs(sum(products) / COUNT) < SIGMAS * (1 / 3) / math.sqrt(COUNT)


@pytest.mark.parametrize(
    ("given_", "measure", "mean", "deviation"),
    [
        ({"uniform": [2, 5]}, float, 3.5, 3 / math.sqrt(12)),
        ({"log_uniform": [1e-3, 1e3]}, math.log, 0.0, 2 * math.log(1e3) / math.sqrt(12)),
        ({"normal": [-4, 0.5]}, float, -4.0, 0.5),
        ({"choice": [0, 1, 1, 1]}, float, 0.75, math.sqrt(3) / 4),
    ],
)
def test_moments_are_those_of_the_distribution(given_, measure, mean, deviation):
    """Guards each distribution: the mean and the variance of many samples, within what chance allows."""
    found = [measure(value) for value in values_of(random_rows(COUNT, 1, {"a.x": given_}), "a.x")]
    assert sum(found) / COUNT == pytest.approx(mean, abs=SIGMAS * deviation / math.sqrt(COUNT))
    spread = sum((value - mean) ** 2 for value in found) / COUNT
    assert spread == pytest.approx(deviation**2, rel=2 * SIGMAS / math.sqrt(COUNT))


positive = st.floats(min_value=1e-300, max_value=1e300)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["uniform", "log_uniform"]), positive, positive, st.integers(0, 2**64))
def test_samples_keep_to_their_bounds(kind, one, other, seed):
    """Guards rounding at the bounds: no sample is outside, be they equal or far apart."""
    low, high = sorted([one, other])
    assert all(low <= value <= high for value in values_of(random_rows(5, seed, {"x": {kind: [low, high]}}), "x"))


@pytest.mark.parametrize(
    "given_",
    [
        {},
        3,
        [1, 2],
        {"uniform": [2, 1]},
        {"uniform": [1]},
        {"uniform": ["a", "b"]},
        {"uniform": [-1.7e308, 1.7e308]},
        {"uniform": [0, 10**400]},
        {"uniform": [0, math.inf]},
        {"log_uniform": [0, 1]},
        {"normal": [0, -1]},
        {"choice": []},
        {"choice": [[[1]]]},
        {"choice": 3},
        {"poisson": [1, 2]},
        {"uniform": [0, 1], "normal": [0, 1]},
    ],
)
def test_a_bad_distribution(given_):
    """Guards one error that names the parameter, what was found and what is allowed."""
    with pytest.raises(BatchError, match=r"^\[random\] 'a\.x': found "):
        random_rows(2, 0, {"a.x": given_})


def test_a_table_as_spreadsheets_write_it(tmp_path):
    """Guards a BOM, quotes, spaces, CRLF, blank lines, and empty cells, which leave their parameter alone."""
    (tmp_path / "t.csv").write_bytes('\ufeff"a.x", b.y ,c\r\n1,"0,0,-1", word \r\n\r\n,2,\r\n3,,\r\n'.encode())
    assert table_rows("t.csv", tmp_path) == [
        {"a.x": "1", "b.y": "0,0,-1", "c": "word"},
        {"b.y": "2"},
        {"a.x": "3"},
    ]


cells = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1).map(str.strip)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(cells, cells), min_size=1))
def test_any_text_goes_through_a_table(tmp_path_factory, lines):
    """Guards cells with commas, quotes and letters of all languages, by what Python's own writer makes of them."""
    folder = tmp_path_factory.mktemp("table")
    with (folder / "t.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([("p", "q"), *lines])
    expected = [{name: cell for name, cell in zip("pq", line, strict=True) if cell} for line in lines]
    assert table_rows("t.csv", folder) == expected


def test_rows_written_inline(tmp_path):
    """Guards [[table]]: rows of their own parameters, values as in grids."""
    rows = table_rows([{"a.x": 1, "b.y": [1, 2]}, {"c": True}], tmp_path)
    assert rows == [{"a.x": "1", "b.y": "1,2"}, {"c": "true"}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the first line must name a parameter a column, each once; found []"),
        (b"\n\n", "the first line must name"),
        (b"a.x,\n1,2\n", "the first line must name"),
        (b"a.x,a.x\n1,2\n", "each once; found ['a.x', 'a.x']"),
        (b"a.x,b\n", "has no row below its first line"),
        (b"a.x,b\n\n1,2\n3\n", "line 4: 1 cells, where the first has 2"),
        (b"a.x,b\n1,2,3\n", "line 2: 3 cells, where the first has 2"),
        ("a.x\n1\n".encode("utf-16"), "it is no UTF-8 text"),
        (b"a.x\n" + b"1" * 200_000, "field larger than field limit"),
        (None, "cannot be read: no such file or directory"),
    ],
)
def test_a_bad_table(tmp_path, content, words):
    """Guards one error that names the file, and the line where there is one."""
    if content is not None:
        (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(BatchError, match=r"^table 't\.csv'") as caught:
        table_rows("t.csv", tmp_path)
    assert words in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("given_", [3, [], [1], {"a.x": 1}, [{"a.x": {}}], [{"a.x": []}], True])
def test_what_is_no_table(tmp_path, given_):
    """Guards inline rows of another shape."""
    with pytest.raises(BatchError, match=r"^table"):
        table_rows(given_, tmp_path)
