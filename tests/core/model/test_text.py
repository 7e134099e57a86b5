# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers in messages: as many digits as a reader has a use for."""

import pytest

from limberjack.core.model.text import measured, measured_apart, roughly, timed, weighed


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.000206367, "0.21 ms"), (0.0066, "6.6 ms"), (0.5, "0.5 s"), (1.0 / 30.0, "0.0333 s"), (12.3456, "12.3 s")],
)
def test_times(seconds, told):
    """Guards times against digits that nobody can see, and against zeros that have to be counted."""
    assert timed(seconds) == told


def test_long_times():
    """Guards times of hours against powers of ten."""
    assert timed(7201.4) == "7201 s"


@pytest.mark.parametrize(("count", "told"), [(7, "7"), (99, "99"), (2001, "some 2000"), (123456, "some 120000")])
def test_counts(count, told):
    """Guards large counts against the look of having been counted for a reason."""
    assert roughly(count) == told


def test_two_numbers():
    """Guards two numbers that differ by little: they are not told as the same."""
    assert measured_apart(0.25, 0.2, "m") == ("0.25 m", "0.2 m")
    assert measured_apart(0.250001, 0.25, "m") == ("0.250001 m", "0.25 m")


@pytest.mark.parametrize(
    ("mass", "told"),
    [
        (0.0, "0 kg"),
        (2.63804e-7, "0.2638 mg"),
        (4.2e-5, "42 mg"),
        (1.0, "1 kg"),
        (0.0025, "2.5 g"),
        (70.0, "70 kg"),
        (16000.0, "16 t"),
    ],
)
def test_masses(mass, told):
    """Guards the weight of small and large things against powers of ten."""
    assert weighed(mass) == told


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [
        (3.24e16, "rad/s", "more than a million rad/s"),
        (-3.24e16, "m/s", "less than minus a million m/s"),
        (36000.0, "rad/s", "36000 rad/s (2063000°/s)"),
        (2.5e6, "m", "2500000 m"),
        (1e-9, "m", "1e-09 m"),
    ],
)
def test_large_numbers(value, unit, told):
    """Guards messages against exponents that nobody reads: absurd speeds are words, and zeros can be counted."""
    assert measured(value, unit) == told
