# SPDX-License-Identifier: GPL-3.0-or-later
"""Cosine, sine, arc tangent, logarithm and power of our own: how exact they are, and that all machines agree."""

import ast
import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core.compilation import jit
from limberjack.core.compilation.kernel_sources import sources
from limberjack.core.spatial import atan2, cos_sin, elementary, log1p, raised

BITS = 1400
"""Of pi: more than the 1024 before the point of the greatest double, and 300 beyond."""

ONE = 2**300

LONG = np.longdouble
DIGEST = "631f896a98f3da48c7e36b92be433b5c7c3f57b4fea300ca97cc4e919732a3c5"

is_wider = np.finfo(LONG).nmant > 60
needs_longdouble = pytest.mark.skipif(not is_wider, reason="long double is no wider than double here")
needs_numba = pytest.mark.skipif(not jit.is_compiled(), reason="nothing is compiled here")


@jit.kernel
def write_all(x, y, out):
    for i in range(len(x)):
        out[0, i], out[1, i] = cos_sin(x[i])
        out[2, i] = atan2(y[i], x[i])
        out[3, i] = log1p(x[i])
        out[4, i] = raised(abs(x[i]), 0.3)
        out[5, i] = raised(abs(x[i]), y[i])


@jit.kernel
def multiplied_and_added(a, b, out):
    for i in range(a.shape[0]):
        out[i] = a[i] * a[i] - b[i]


# ---- what they are held against: whole numbers


def arc_tangent(x: Fraction, bits: int = BITS) -> Fraction:
    """By its series, |x| below 1."""
    square = x * x
    power = (x.numerator << bits) // x.denominator
    total, n = power, 1
    while power:
        power = -power * square.numerator // square.denominator
        if power == -1:  # what rounding down leaves of nothing
            break
        n += 2
        total += power // n
    return Fraction(total, 1 << bits)


PI = 16 * arc_tangent(Fraction(1, 5)) - 4 * arc_tangent(Fraction(1, 239))  # J. Machin's


def exact_cos_sin(angle: float) -> tuple[Fraction, Fraction]:
    """To 300 bits, by Taylor's series of what is left of whole turns."""
    whole = round(Fraction(angle) / (2 * PI))
    left = int((Fraction(angle) - 2 * whole * PI) * ONE)
    terms = [ONE]
    for n in range(1, 90):
        terms.append((terms[-1] * left >> 300) // n)
    signs = (1, 1, -1, -1)
    sums = [sum(signs[n % 4] * terms[n] for n in range(first, 90, 2)) for first in (0, 1)]
    return Fraction(sums[0], ONE), Fraction(sums[1], ONE)


def off(found: float, exact: Fraction) -> float:
    """Their distance in units in the last place."""
    return float(abs(Fraction(found) - exact) / Fraction(math.ulp(float(exact))))


def worst(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance in units in the last place, of doubles from long doubles."""
    near = exact.astype(float)
    return float(np.max(np.abs((found.astype(LONG) - exact) / np.spacing(np.abs(near)).astype(LONG))))


def nearest_to_quarter_turns() -> list[float]:
    """Doubles below 1e15 that are as close to multiples of pi / 2 as any of their size.

    They are convergents of pi / 2 over the spacing of doubles: Muller, Elementary Functions (2016), section 11.2.
    """
    found = []
    for exponent in range(-52, -2):
        left, before, last = PI / 2 / Fraction(2) ** exponent, (0, 1), (1, 0)
        while last[0] < 2**53:
            whole = left.numerator // left.denominator
            before, last = last, (whole * last[0] + before[0], whole * last[1] + before[1])
            if left == whole:
                break
            left = 1 / (left - whole)
        found += [math.ldexp(before[0] * k, exponent) for k in (1, 2, 3, -1) if abs(before[0] * k) < 2**53]
    return [angle for angle in found if abs(angle) < 1e15]


# ---- constants


def test_parts_of_pi_add_up_to_it():
    """Guards the reduction of angles: the constants are pi / 2 and so on, and short enough for exact products."""
    parts = [Fraction(part) for part in elementary.QUARTER]
    assert abs(sum(parts) - PI / 2) < Fraction(1, 2**196)
    for k, part in enumerate(parts[:-1]):
        assert (part * 2 ** (36 * (k + 1) - 1)).denominator == 1
        assert part < Fraction(2) ** (1 - 36 * k)
    assert float(2 / PI) == elementary.QUARTERS
    assert (float(PI), float(PI - Fraction(float(PI)))) == elementary.PI
    assert math.pi == elementary.PI[0]


def test_arcs_are_those_of_quarters():
    """Guards the table of atan2: each row is the arc tangent of a multiple of 1/4, to twice a double's bits."""
    for k in range(4):
        exact = arc_tangent(Fraction(k, 4))
        assert elementary.ARCS[k] == (float(exact), float(exact - Fraction(float(exact))))
    assert abs(Fraction(elementary.ARCS[4][0]) + Fraction(elementary.ARCS[4][1]) - PI / 4) < Fraction(1, 2**106)


def test_ln_2_is_the_sum_of_its_series():
    """Guards logarithms: ln 2 = 2 artanh(1/3), its first part short enough for exact products with exponents."""
    exact = 2 * sum(Fraction(1, (2 * n + 1) * 3 ** (2 * n + 1)) for n in range(80))
    upper, rest = (Fraction(part) for part in elementary.LN2)
    assert abs(upper + rest - exact) < Fraction(1, 2**95)
    assert (upper * 2**42).denominator == 1
    assert float(1 / exact) == elementary.DOUBLINGS


# ---- turns


@given((st.floats(-1e15, 1e15) | st.floats(-10.0, 10.0)).filter(lambda angle: abs(angle) > 1e-30))
def test_cosine_and_sine_are_right_up_to_the_last_place(angle):
    """Guards both reductions and both series, against whole numbers and none of our constants."""
    for found, exact in zip(cos_sin(angle), exact_cos_sin(angle), strict=True):
        assert off(found, exact) < 0.62


def test_cosine_and_sine_are_right_next_to_quarter_turns():
    """Guards the reduction where nearly all of an angle cancels: the doubles that are closest to such angles."""
    angles = nearest_to_quarter_turns()
    assert len(angles) > 80
    angles += [sign * float(k * PI / 2) for k in [*range(1, 400), *range(10**5, 10**9, 12345678)] for sign in (1, -1)]
    angles += [np.nextafter(angle, math.inf).item() for angle in angles[:500]]
    least = 1.0
    for angle in angles:
        exact = exact_cos_sin(angle)
        least = min(least, *(abs(float(value)) for value in exact))
        for found, value in zip(cos_sin(angle), exact, strict=True):
            assert off(found, value) < 0.62, angle
    assert least < 2.0**-60


@given(st.floats(1e15, 1e27), st.booleans())
def test_beyond_the_right_angles_are_nearly_right(angle, turned):
    """Guards what is said of angles up to 1e27 rad."""
    angle = -angle if turned else angle
    for found, exact in zip(cos_sin(angle), exact_cos_sin(angle), strict=True):
        assert abs(found - float(exact)) < 1.2e-16


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_angle_has_a_cosine_and_a_sine(angle):
    """Guards angles of any size: an end, a point of the circle, and the symmetry of both functions to the last bit."""
    cosine, sine = cos_sin(angle)
    assert abs(cosine) <= 1.0
    assert abs(sine) <= 1.0
    assert abs(math.hypot(cosine, sine) - 1.0) < 4e-16
    assert cos_sin(-angle) == (cosine, -sine)


def test_angles_at_the_ends():
    """Guards zeros with their signs, the smallest and the greatest numbers, infinities and NaN."""
    for tiny in (0.0, -0.0, 5e-324, -5e-324, 1e-310, 2.0**-1022, 1e-160, -1e-20):
        assert cos_sin(tiny) == (1.0, tiny)
        assert math.copysign(1.0, cos_sin(tiny)[1]) == math.copysign(1.0, tiny)
    greatest = np.finfo(float).max.item()
    for huge in (greatest, -greatest, np.nextafter(greatest, 0.0).item(), 2.0**1023, 1.5 * 2.0**1008):
        assert math.hypot(*cos_sin(huge)) == pytest.approx(1.0, abs=4e-16)
    for no_angle in (math.inf, -math.inf, math.nan):
        assert all(math.isnan(value) for value in cos_sin(no_angle))


@needs_longdouble
@pytest.mark.parametrize("most", [0.8, 4.0, 100.0, 2e5, 3e5, 1e9, 1e15])
def test_cosine_and_sine_in_many_places(most):
    """Guards the same densely, with both sides of the bound between the two reductions, in compiled code."""
    angles = np.append(np.linspace(-most, most, 200_001), np.random.default_rng(0).uniform(-most, most, 200_000))
    found = written(angles, np.ones_like(angles))
    wide = angles.astype(LONG)
    assert worst(found[0], np.cos(wide)) < 0.62
    assert worst(found[1], np.sin(wide)) < 0.62


@needs_longdouble
@pytest.mark.parametrize("steepness", [1e-12, 1e-3, 0.1, 0.5, 1.0, 3.0, 1e4, 1e12])
def test_arc_tangents_in_many_places(steepness):
    """Guards each row of the table and the quotient's rounding error, in all quadrants."""
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=200_000), steepness * rng.normal(size=200_000)
    assert worst(written(x, y)[2], np.arctan2(y.astype(LONG), x.astype(LONG))) < 0.56


@needs_longdouble
@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_arc_tangents_of_any_numbers(y, x):
    """Guards scaling: numbers of any size, subnormal ones and quotients too small among them."""
    found, exact = np.array([atan2(y, x)]), np.arctan2(np.array([y], LONG), np.array([x], LONG))
    assert worst(found, exact) < 0.56
    assert np.copysign(1.0, found[0]) == math.copysign(1.0, y)
    assert atan2(-y, x) == -found[0]


def test_arc_tangents_at_the_ends():
    """Guards what C99 (F.9.1.4) says of zeros and infinities, which the system's own follows."""
    ends = (0.0, 1.0, 5e-324, 1e-308, 1e308, math.inf)
    for x in [*ends, *(-x for x in ends)]:
        for y in [*ends, *(-y for y in ends)]:
            found, exact = atan2(y, x), math.atan2(y, x)
            assert (found, math.copysign(1.0, found)) == (exact, math.copysign(1.0, exact)), (y, x)
    assert all(math.isnan(atan2(y, x)) for y, x in ((math.nan, 1.0), (1.0, math.nan), (math.nan, math.inf)))


@given(st.floats(-math.pi, math.pi))
def test_an_angle_comes_back_from_its_cosine_and_sine(angle):
    """Guards one against the other, with no third function."""
    cosine, sine = cos_sin(angle)
    assert atan2(sine, cosine) == pytest.approx(angle, rel=3e-16, abs=3e-16)


# ---- logarithms and powers


@needs_longdouble
@pytest.mark.parametrize(
    ("least", "most"), [(-1.0, 0.0), (-1e-3, 1e-3), (-1e-9, 1e-9), (0.0, 1.0), (1.0, 1e3), (0, 1e300)]
)
def test_logarithms_in_many_places(least, most):
    """Guards compliant stops, whose restitution is the difference of a number and its logarithm."""
    x = np.random.default_rng(2).uniform(least, most, 200_000)
    assert worst(written(x, np.ones_like(x))[3], np.log1p(x.astype(LONG))) < 0.8


@needs_longdouble
@pytest.mark.parametrize("decades", [1, 10, 300])
def test_powers_in_many_places(decades):
    """Guards the control of steps, in its own range of errors and orders and far beyond."""
    rng = np.random.default_rng(3)
    x, y = 10.0 ** rng.uniform(-decades, decades, 200_000), rng.uniform(-1.0, 1.0, 200_000)
    found = written(x, y)
    assert worst(found[4], x.astype(LONG) ** LONG(0.3)) < 1.0
    assert worst(found[5], x.astype(LONG) ** y.astype(LONG)) < 1.0


def test_logarithms_and_powers_at_the_ends():
    """Guards what has no logarithm, and results too large and too small."""
    assert (log1p(-1.0), log1p(math.inf), log1p(0.0)) == (-math.inf, math.inf, 0.0)
    assert math.copysign(1.0, log1p(-0.0)) == -1.0
    assert log1p(1e-300) == 1e-300
    assert all(math.isnan(log1p(x)) for x in (-1.5, -math.inf, math.nan))
    assert [raised(2.0, n) for n in (-1074.0, -1.0, 0.0, 1.0, 10.0, 1023.0)] == [
        5e-324,
        0.5,
        1.0,
        2.0,
        1024.0,
        2.0**1023,
    ]
    assert (raised(10.0, 400.0), raised(10.0, -400.0), raised(2.0, 1024.0)) == (math.inf, 0.0, math.inf)
    assert all(math.isnan(raised(base, 0.5)) for base in (0.0, -1.0, math.inf, math.nan))
    assert math.isnan(raised(2.0, math.nan))
    assert raised(5e-324, 0.5) == pytest.approx(5e-324**0.5, rel=3e-16)


# ---- the same bits everywhere


def written(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    out = np.zeros((6, len(x)))
    write_all(x, y, out)
    return out


def samples() -> tuple[np.ndarray, np.ndarray]:
    """Pairs of numbers: ordinary ones, then such of all sizes, then special ones. None of them from a C library."""
    rng = np.random.default_rng(4)
    whole = rng.integers(-(2**53), 2**53, (2, 6000)).astype(float)
    x, y = np.ldexp(whole, np.repeat([-50, -47, -35, -20], 1500))
    sizes = rng.integers(1, 2**63, (2, 3000), np.int64).view(float)
    ends = [0.0, -0.0, 1.0, -1.0, 0.5, 5e-324, 1e308, -1e308, math.pi, math.pi / 2, math.inf, -math.inf, math.nan]
    return np.concatenate([x, sizes[0], np.repeat(ends, 13)]), np.concatenate([y, sizes[1], ends * 13])


@needs_numba
def test_compiled_functions_give_the_bits_of_plain_python():
    """Guards the order of operations and their roundings: a fused multiplication alone would change them."""
    x, y = samples()
    compiled, plain = written(x, y), np.zeros((6, len(x)))
    write_all.python(x.tolist(), y.tolist(), plain)
    assert np.array_equal(compiled, plain, equal_nan=True)
    assert np.array_equal(np.signbit(compiled[~np.isnan(plain)]), np.signbit(plain[~np.isnan(plain)]))


@needs_numba
def test_no_product_is_fused_with_a_sum():
    """Guards kernels against processors: what is fused is rounded once where others round twice."""
    a = np.random.default_rng(5).uniform(1.0, 2.0, 1000)
    out = np.ones(1000)
    multiplied_and_added(a, a * a, out)
    assert not out.any()


def test_all_machines_give_these_bits():
    """Guards bakes that are compared between systems and processors: the digest was taken once, on one of them."""
    found = written(*samples())
    found[np.isnan(found)] = 0.5  # whose sign and other bits differ
    assert hashlib.sha256(found.astype("<f8").tobytes()).hexdigest() == DIGEST


def test_kernels_call_no_functions_of_the_system():
    """Guards what other kernels are made of: nothing of which C libraries and processors have their own."""
    allowed = {"sqrt", "copysign", "ceil", "floor", "isnan", "isinf", "isfinite", "inf", "nan", "pi"}
    marks, looked_at, found = {"kernel", "jitable", "subroutine"}, 0, []
    for path, text in sources().items():
        for function in ast.walk(ast.parse(text)):
            if not isinstance(function, ast.FunctionDef):
                continue
            if not marks & {mark.id for mark in function.decorator_list if isinstance(mark, ast.Name)}:
                continue
            looked_at += 1
            for node in ast.walk(function):
                is_power = isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow)
                is_constant = is_power and isinstance(node, ast.BinOp) and isinstance(node.left, ast.Constant)
                is_call = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
                is_math = is_call and node.value.id == "math" and node.attr not in allowed
                is_numpy = is_call and node.value.id == "np" and node.attr not in allowed
                if (is_power and not is_constant) or is_math or is_numpy:
                    found.append(f"{path}:{node.lineno} {ast.unparse(node)}")
    assert looked_at > 200
    assert not found, found
