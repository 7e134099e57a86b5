# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables, counts and quantities as text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Sized


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows of cells as text. Each column is as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def as_text(values: Iterable[float]) -> str:
    """Return numbers with spaces between them, as in files: "0 0 1"."""
    return " ".join(f"{value:g}" for value in values)


def quoted(names: Iterable[str]) -> str:
    """Return names in quotation marks, with commas between them."""
    return ", ".join(f"'{name}'" for name in names)


def counted(items: Sized | int, one: str, many: str = "") -> str:
    """Return a count with its noun: "1 link" or "2 links".

    `many` is a plural that does not end in s, such as "axes".
    """
    count = items if isinstance(items, int) else len(items)
    return f"{count} {one if count == 1 else many or one + 's'}"


def roughly(count: int) -> str:
    """Return a count, rounded to two digits if it is 100 or more: "12", or "some 2000" for 2001."""
    return str(count) if count < 100 else f"some {float(f'{count:.1e}'):.0f}"


def timed(seconds: float) -> str:
    """Return a time with its unit.

    It has up to three digits below 1000 s, whole seconds above, and ms with two digits below 0.01 s.
    """
    if abs(seconds) < 0.01:
        return f"{1e3 * seconds:.2g} ms"
    return f"{seconds:.3g} s" if abs(seconds) < 1e3 else f"{seconds:.0f} s"


def in_metres(value: float) -> str:
    """Return a length with its unit, to three digits: "1.2 m", or "50 mm" below one metre."""
    return f"{value:.3g} m" if abs(value) >= 1.0 else f"{1e3 * value:.3g} mm"


MASSES = (("t", 1e3), ("kg", 1.0), ("g", 1e-3), ("mg", 1e-6))
"""Units of mass, each with its size [kg]."""


def weighed(mass: float, digits: int = 4) -> str:
    """Return a mass [kg] with its unit, to this number of digits: "12 kg", "0.2638 mg", or "1.6 t"."""
    unit, size = next((entry for entry in MASSES if abs(mass) >= entry[1]), MASSES[-1] if mass else MASSES[1])
    return f"{mass / size:.{digits}g} {unit}"


ABSURD = 1e6
"""Size of an angle [rad] or of a speed [m/s, rad/s or 1/s] that is told in words: its digits say nothing."""


COUNTABLE = 1e9
"""Size of a number from which on an exponent reads better than its zeros."""


def in_digits(value: float, digits: int) -> str:
    """A number with so many digits, and without an exponent where its zeros can be counted: 57300, not 5.73e+04."""
    rounded = f"{value:.{digits}g}"
    return f"{float(rounded):.0f}" if "e+" in rounded and abs(float(rounded)) < COUNTABLE else rounded


def measured(value: float, unit: str, digits: int = 4) -> str:
    """Return a number with its unit: "rad", "m", or a unit that begins with one of these.

    Angles are shown in radians, as in files and scripts, and in degrees, as in panels: "1.571 rad (90°)". Absurd angles
    and speeds are told in words: "more than a million rad/s".
    """
    if not math.isfinite(value):
        return f"{value:g}"
    if abs(value) >= ABSURD and (unit.startswith("rad") or unit.endswith("/s")):
        return f"{'more than' if value > 0.0 else 'less than minus'} a million {unit}"
    plain = f"{in_digits(value, digits)} {unit}".rstrip()
    return f"{plain} ({in_digits(math.degrees(value), digits)}°{unit[3:]})" if unit.startswith("rad") else plain


def measured_apart(one: float, other: float, unit: str) -> tuple[str, str]:
    """Return two different numbers as `measured` does, with as many digits as show the difference."""
    digits = next((digits for digits in (4, 6, 9) if f"{one:.{digits}g}" != f"{other:.{digits}g}"), 17)
    return measured(one, unit, digits), measured(other, unit, digits)


def measured_range(lower: float, upper: float, unit: str, digits: int = 4) -> str:
    """Return a range of numbers with its unit, as `measured` does."""
    plain = f"{lower:.{digits}g} to {upper:.{digits}g} {unit}".rstrip()
    if not unit.startswith("rad"):
        return plain
    return f"{plain} ({math.degrees(lower):.{digits}g}° to {math.degrees(upper):.{digits}g}°)"


def measured_span(lower: float, upper: float, unit: str, digits: int = 4) -> str:
    """Return a range as `measured_range` does. Limits may be infinite: "at most 1 m", "at least 1 m", "any value"."""
    if math.isinf(lower) and math.isinf(upper):
        return "any value"
    if math.isinf(lower):
        return f"at most {measured(upper, unit, digits)}"
    if math.isinf(upper):
        return f"at least {measured(lower, unit, digits)}"
    return measured_range(lower, upper, unit, digits)
