# SPDX-License-Identifier: GPL-3.0-or-later
"""Cosine, sine, arc tangent, logarithm and power, computed with + - * / and sqrt only.

Each system has a C library with its own versions of these functions, and some libraries choose among versions by the
processor. The functions here give the same bits wherever numbers are IEEE 754's doubles, in plain Python and compiled,
if the compiler neither fuses a multiplication with an addition nor reorders sums: the options of
`core/compilation/jit.py` forbid both.

Series are Taylor's. Their arguments are first reduced, and kept as a sum of two doubles, the second of which is the
rounding error of the first.

Sources: W. J. Cody and W. Waite, Software Manual for the Elementary Functions (1980), for the reductions; T. J. Dekker,
A Floating-Point Technique for Extending the Available Precision (1971), for sums and products with their rounding
errors; J.-M. Muller, Elementary Functions (2016), chapter 11; W. Kahan, on signed zeros. The errors in the docstrings
are those that tests/core/spatial/test_elementary.py has found.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine

QUARTER = tuple(
    map(
        float.fromhex,
        (
            "0x1.921fb54440000p+0",
            "0x1.68c234c400000p-39",
            "0x1.8cc51701a0000p-72",
            "0x1.839a252040000p-108",
            "0x1.3822299f31d01p-145",
        ),
    )
)
"""Parts of pi / 2 whose sum is pi / 2. Each of the first four has the next 36 bits, so that products with numbers up to
2^17 are exact.
"""

QUARTERS = float.fromhex("0x1.45f306dc9c883p-1")
"""Number of quarter turns per radian, 2 / pi."""

ROUNDING = 1.5 * 2.0**52
"""A number that is added and subtracted again to round to the nearest whole number."""

NEAR = 2.0e5
"""Angle [rad] below which one product with each part of pi / 2 is sufficient: it has fewer than 2^17 quarter turns."""

CANCELLED = 2.0**-18
"""Remainder of an angle after whole quarter turns [rad] below which more parts of pi / 2 are necessary."""

ROUND = 2.0**16
"""Factor by which each round of reduction shortens an angle beyond `NEAR`."""

SPLITTING = 2.0**27 + 1.0
"""Dekker's factor, whose product with a number gives the number's upper half."""

THIRD_BITS = 1.5 * 2.0**35
"""A number that is added and subtracted again to round to a multiple of 2^-17. The square and cube of such a multiple
are exact if it is below 1.
"""

HALF_BITS = 1.5 * 2.0**26
"""A number that is added and subtracted again to round to a multiple of 2^-26. Products of two such multiples below 2
are exact.
"""

PI = float.fromhex("0x1.921fb54442d18p+1"), float.fromhex("0x1.1a62633145c07p-53")
"""pi as a sum of two doubles."""

ARCS = (
    (0.0, 0.0),
    (float.fromhex("0x1.f5b75f92c80ddp-3"), float.fromhex("0x1.8ab6e3cf7afbdp-57")),
    (float.fromhex("0x1.dac670561bb4fp-2"), float.fromhex("0x1.a2b7f222f65e2p-56")),
    (float.fromhex("0x1.4978fa3269ee1p-1"), float.fromhex("0x1.2419a87f2a458p-56")),
    (0.25 * PI[0], 0.25 * PI[1]),
)
"""Arc tangents of 0, 1/4, 1/2, 3/4 and 1, each as a sum of two doubles [rad]."""

FLAT = 2.0**-29
"""Tangent at or below which the cube of the tangent is less than rounding."""

LARGE = 2.0**500
"""Size of a coordinate beyond which, and below whose inverse, both are scaled, so that products do not overflow."""

LN2 = float.fromhex("0x1.62e42fefa3800p-1"), float.fromhex("0x1.ef35793c76730p-45")
"""ln 2 as a sum of two doubles. The first has 42 bits, so that products with exponents are exact."""

DOUBLED = (16.0, 8.0, 4.0, 2.0, 1.0)
"""Exponents of two by which `mantissa` reduces a number."""
POWERS = (2.0**16, 2.0**8, 2.0**4, 2.0**2, 2.0)
"""Powers of two with these exponents."""

DOUBLINGS = float.fromhex("0x1.71547652b82fep+0")
"""Number of doublings per factor e, 1 / ln 2."""


@jitable
def series(z, a, b, c, d, e, f, g, h):
    """Return a + b z + c z^2 + ... + h z^7.

    Terms are paired, so fewer operations wait for each other than in Horner's scheme.
    """
    z2 = z * z
    lower = (a + b * z) + z2 * (c + d * z)
    return lower + (z2 * z2) * ((e + f * z) + z2 * (g + h * z))


# ---- angles


@jitable
def cos_sin(angle):
    """Return (cosine, sine) of an angle [rad].

    Each is within 0.6 units in the last place up to 1e15 rad, also for the doubles nearest to quarter turns. Up to 1e27
    rad each is within 1e-16 of the exact value. Beyond that they have no precision, since neighbouring doubles are more
    than a million million turns apart, but are the same everywhere. No angle takes more than 64 rounds of reduction.
    The results are NaN for infinities and NaN; the sine of -0 is -0.
    """
    turns = (angle * QUARTERS + ROUNDING) - ROUNDING
    near = angle - turns * QUARTER[0]  # exact, as are the products
    less = turns * QUARTER[1]
    r = near - less
    over = turns * QUARTER[2] - ((near - r) - less)
    if not abs(angle) < NEAR or (abs(r) < CANCELLED and turns != 0.0):
        turns, r, over = far_reduced(angle)
    z = r * r
    z2 = z * z
    upper = (r + THIRD_BITS) - THIRD_BITS
    lower, square = r - upper, upper * upper
    level = 1.0 - 0.5 * square  # exact
    level_rest = 0.5 * (lower * (r + upper)) - r * over
    cubic = upper * square * (1.0 / 6.0)
    sine = r - cubic
    sine_rest = (lower * (z + upper * (r + upper)) * (1.0 / 6.0) + over * level) - ((r - sine) - cubic)
    lift = z2 * (
        ((1.0 / 24.0 - z * (1.0 / 720.0)) + z2 * (1.0 / 40320.0 - z * (1.0 / 3628800.0)))
        + (z2 * z2) * ((1.0 / 479001600.0 - z * (1.0 / 87178291200.0)) + z2 * (1.0 / 20922789888000.0))
    )
    bend = (r * z2) * (
        ((1.0 / 120.0 - z * (1.0 / 5040.0)) + z2 * (1.0 / 362880.0 - z * (1.0 / 39916800.0)))
        + (z2 * z2) * ((1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0)) + z2 * (1.0 / 355687428096000.0))
    )
    cosine = level + (lift - level_rest)
    sine -= sine_rest - bend
    quarters = int(turns)
    if quarters & 1:
        cosine, sine = -sine, cosine
    if quarters & 2:
        cosine, sine = -cosine, -sine
    return cosine, sine


@subroutine
def far_reduced(angle):
    """Return (n, r, over): the angle minus (r - over) is n quarter turns plus whole turns; |r| is at most pi / 4.

    The angle is a sum of three doubles. Each round subtracts the largest possible multiple of a quarter turn, with all
    parts of pi / 2, which shortens the angle by 16 bits.
    """
    if not abs(angle) < math.inf:
        return 0.0, math.nan, 0.0
    unit, turns = 1.0, 0.0
    while abs(angle) > unit * ROUND:
        unit *= ROUND
    a, b, c = angle, 0.0, 0.0
    while unit >= 1.0:
        a, b = sum_of(a, b)
        b, c = sum_of(b, c)
        turns = a / unit * QUARTERS
        # rounded towards zero in all rounds but the last, so that no product overflows
        turns = float(int(turns)) if unit > 1.0 else (turns + ROUNDING) - ROUNDING
        for k in range(5):
            a, lost = sum_of(a, -(turns * unit * QUARTER[k]))
            b, lost = sum_of(b, lost)
            c += lost
        unit /= ROUND
    a, b = sum_of(a, b)
    b += c
    r = a + b
    return turns, r, (r - a) - b


@jitable
def sum_of(a, b):
    """Return (a + b, its rounding error). The exact sum is the sum of both."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


@jitable
def upper_half(x):
    """Return the upper 26 bits of a number of at most 1e300. Products of two such halves are exact."""
    t = x * SPLITTING
    return t - (t - x)


@jitable
def lost_of_product(product, a, b):
    """Return a b - product, where `product` is the rounded a b."""
    a1, b1 = upper_half(a), upper_half(b)
    a2, b2 = a - a1, b - b1
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2


@subroutine
def atan2(y, x):
    """Return the angle [rad], from -pi to pi, of the direction (x, y), within 0.6 units in the last place.

    Zeros and infinities have the signs and the angles of C99. For zeros, atan2(±0, +0) = ±0 and atan2(±0, -0) = ±pi.
    """
    if x != x or y != y:
        return math.nan
    small, large = abs(y), abs(x)
    steep, back = small > large, math.copysign(1.0, x) < 0.0
    if steep:
        small, large = large, small
    u, rest, arc, arc_rest = arc_of(small, large)
    side = -1.0 if steep != back else 1.0
    base, base_rest = 0.0, 0.0
    if steep:
        base, base_rest = 0.5 * PI[0], 0.5 * PI[1]
    elif back:
        base, base_rest = PI
    whole, lost = sum_of(base, side * arc)
    angle = whole + side * u
    lost += (whole - angle) + side * u  # exact: u is smaller than whole, or whole is 0
    return math.copysign(angle + (lost + (base_rest + side * (arc_rest + rest))), y)


@jitable
def arc_of(small, large):
    """Return (u, rest, arc, arc_rest), whose sum is the arc tangent of small / large, from 0 to 1; |u| is at most 1/8.

    The tangent is reduced by the nearest of five, tan(a - b) = (tan a - tan b) / (1 + tan a tan b), with the rounding
    errors of both divisions.
    """
    if small == math.inf:
        small, large = 1.0, 1.0
    if small <= large * FLAT:
        return (small / large if small > 0.0 else 0.0), 0.0, 0.0, 0.0
    if large > LARGE:
        small, large = small / LARGE, large / LARGE
    elif large < 1.0 / LARGE:
        small, large = small * LARGE, large * LARGE
    t = small / large
    t_rest = ((small - t * large) - lost_of_product(t * large, t, large)) / large
    nearest = int(4.0 * t + 0.5)
    c = 0.25 * nearest
    below = 1.0 + c * t
    u = (t - c) / below
    u1, below1 = (u + HALF_BITS) - HALF_BITS, (below + HALF_BITS) - HALF_BITS
    u2, below2 = u - u1, (below - below1) + ((1.0 - below) + c * t)
    lost = (((t - c) - u1 * below1) - u1 * below2 - u2 * below1) - u2 * below2
    u_rest = (lost + t_rest * (1.0 - c * u)) / below
    z = u * u
    bend = z * series(z, -1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0, -1.0 / 15.0, 1.0 / 17.0)
    arc, arc_rest = ARCS[nearest]
    return u, u_rest + u * bend, arc, arc_rest


# ---- logarithms and powers


@jitable
def logarithm(x):
    """Return (ln x, its rounding error) of a finite x > 0.

    ln m = 2 artanh s, s = (m - 1) / (m + 1), for m between the roots of 1/2 and 2.
    """
    m, doublings = mantissa(x)
    f = m - 1.0
    below = 2.0 + f
    s = f / below
    s1, below1 = (s + HALF_BITS) - HALF_BITS, (below + HALF_BITS) - HALF_BITS
    s2, below2 = s - s1, (below - below1) + ((2.0 - below) + f)
    s_rest = (((f - s1 * below1) - s1 * below2 - s2 * below1) - s2 * below2) / below
    z = s * s
    high = 1.0 / 19.0 + z * (1.0 / 21.0 + z * (1.0 / 23.0))
    bend = z * series(
        z, 1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0, 1.0 / 17.0 + z * high
    )
    whole, lost = sum_of(doublings * LN2[0], 2.0 * s)
    return sum_of(whole, lost + (2.0 * (s_rest + s * bend) + doublings * LN2[1]))


@jitable
def mantissa(x):
    """Return (m, n) with x = m 2^n and m between the roots of 1/2 and 2, for a finite x > 0."""
    n = 0.0
    while x >= 2.0**32:
        x, n = x * 2.0**-32, n + 32.0
    while x < 2.0**-32:
        x, n = x * 2.0**32, n - 32.0
    for k in range(5):
        if x >= POWERS[k]:
            x, n = x / POWERS[k], n + DOUBLED[k]
        elif x * POWERS[k] < 1.0:
            x, n = x * POWERS[k], n - DOUBLED[k]
    if x > math.sqrt(2.0):
        return 0.5 * x, n + 1.0
    if x < math.sqrt(0.5):
        return 2.0 * x, n - 1.0
    return x, n


@subroutine
def log1p(x):
    """Return ln(1 + x) within 1 unit in the last place: -infinity at -1, and NaN below."""
    if not -1.0 < x < math.inf:
        return x if x == math.inf else -math.inf if x == -1.0 else math.nan
    whole, lost = sum_of(1.0, x)
    value, rest = logarithm(whole)
    return value + (rest + lost / whole) if whole != 1.0 else x


@subroutine
def raised(base, exponent):
    """Return base^exponent for a finite base > 0, else NaN, within 1 unit in the last place for exponents up to 1.

    For greater exponents, the error grows in proportion to the exponent. The result is NaN for exponents above 1e300.
    """
    if not 0.0 < base < math.inf:
        return math.nan
    value, rest = logarithm(base)
    product = exponent * value
    if not abs(product) <= 800.0:
        return math.inf if product > 0.0 else 0.0 if product < 0.0 else math.nan
    return exponential(product, lost_of_product(product, exponent, value) + exponent * rest)


@jitable
def exponential(x, rest):
    """Return e^(x + rest) for |x| of at most 800, as 2^n e^r with |r| of at most ln 2 / 2."""
    n = (x * DOUBLINGS + ROUNDING) - ROUNDING
    near = x - n * LN2[0]  # exact
    rest -= n * LN2[1]
    r, lost = sum_of(near, rest)
    high = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0)))
    bend = (r * r) * series(
        r,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5040.0,
        1.0 / 40320.0,
        1.0 / 362880.0 + r * high,
    )
    value = 1.0 + (r + (lost + bend))
    if n > 1000.0:
        value, n = value * 2.0**100, n - 100.0
    elif n < -1000.0:
        value, n = value * 2.0**-100, n + 100.0
    step, left = (2.0 if n > 0.0 else 0.5), int(abs(n))
    while left:
        if left & 1:
            value *= step
        step, left = step * step, left >> 1
    return value
