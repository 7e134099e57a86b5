# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra in fixed order gives what LAPACK gives, up to rounding, for matrices of every shape and rank."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as any_array

from limberjack.core.spatial import arrays

RANDOM = np.random.default_rng(7)


def matrix(rows, columns, rank=None):
    rank = min(rows, columns) if rank is None else rank
    return RANDOM.normal(size=(rows, rank)) @ RANDOM.normal(size=(rank, columns))


SHAPES = ["3 3", "2,3 3", "3 3,2", "2,3 3,4", "5,2,3 3,4", "5,2,3 5,3,4", "2,50 50,3"]


@pytest.mark.parametrize("shapes", SHAPES)
def test_products(shapes):
    one, other = (RANDOM.normal(size=[int(size) for size in shape.split(",")]) for shape in shapes.split())
    np.testing.assert_allclose(arrays.matmul(one, other), one @ other, rtol=1e-13, atol=1e-13)


def test_products_of_nothing():
    """Guards models without coordinates: sums of no terms are 0."""
    assert arrays.matmul(np.zeros((2, 0)), np.zeros((0, 3))).tolist() == np.zeros((2, 3)).tolist()
    assert arrays.dot(np.zeros(0), np.zeros(0)) == 0.0


RANKS = [(3, 3, 3), (3, 3, 1), (40, 5, 5), (40, 5, 3), (4, 9, 4), (4, 9, 2), (30, 30, 30), (1, 1, 1), (5, 0, 0)]


@pytest.mark.parametrize(("rows", "columns", "rank"), RANKS)
def test_singular_values(rows, columns, rank):
    a = matrix(rows, columns, rank)
    u, sizes, vt = arrays.svd(a)
    largest = max(np.abs(a).max(initial=0.0), 1.0)
    np.testing.assert_allclose(sizes, np.linalg.svd(a, compute_uv=False), atol=1e-12 * largest)
    np.testing.assert_allclose((u * sizes) @ vt, a, atol=1e-12 * largest)
    short = vt if rows >= columns else u.T
    np.testing.assert_allclose(short @ short.T, np.eye(len(short)), atol=1e-12)
    if rank:
        tolerance = 1e-9 * sizes[0]
        assert arrays.rank(a, tolerance) == rank
        np.testing.assert_allclose(arrays.pseudo_inverse(a, 1e-9), np.linalg.pinv(a, rcond=1e-9), atol=1e-8)
        b = RANDOM.normal(size=rows)
        found, used = arrays.least_squares(a, b, 1e-9)
        expected, _, expected_rank, _ = np.linalg.lstsq(a, b, rcond=1e-9)
        assert used == expected_rank
        np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("size", [1, 2, 3, 8, 31])
def test_eigenvalues(size):
    a = matrix(size, size)
    a += a.T
    values, vectors = arrays.eigh(a)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-12 * np.abs(a).max())
    np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-12 * np.abs(a).max())


@given(any_array(np.float64, (3, 3), elements=st.floats(-1e3, 1e3, allow_subnormal=False)))
def test_any_symmetric_matrix_is_decomposed(a):
    """Guards against sweeps that do not end, for zeros, equal values and values of very different size."""
    a = a + a.T
    values, vectors = arrays.eigh(a)
    np.testing.assert_allclose(vectors @ np.diag(values) @ vectors.T, a, atol=1e-12 * max(np.abs(a).max(), 1.0))
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-13)


def test_equations_and_inverses():
    a, b = matrix(6, 6), RANDOM.normal(size=(6, 2))
    np.testing.assert_allclose(arrays.solve(a, b), np.linalg.solve(a, b), rtol=1e-9)
    np.testing.assert_allclose(arrays.solve(a, b[:, 0]), np.linalg.solve(a, b[:, 0]), rtol=1e-9)
    stack = RANDOM.normal(size=(4, 3, 3))
    np.testing.assert_allclose(arrays.inverse(stack), np.linalg.inv(stack), rtol=1e-8)
    for size in (1, 2, 3):
        part = stack[:, :size, :size]
        np.testing.assert_allclose(arrays.det(part), np.linalg.det(part), rtol=1e-10)
    with pytest.raises(ZeroDivisionError):
        arrays.solve(np.ones((2, 2)), np.ones(2))


def test_rotations():
    turn = arrays.nearest_rotation(np.eye(3) + 0.2 * matrix(3, 3))
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-14)
    points = matrix(20, 3)
    np.testing.assert_allclose(arrays.covariance(points), np.cov(points.T, bias=True), rtol=1e-12)


@pytest.mark.parametrize("count", [5, arrays.MANY + 1])
def test_angles_are_the_kernels(count):
    """Guards the way: few angles are computed in Python, many by a kernel, with the same bits."""
    y, x = RANDOM.normal(size=(2, count))
    np.testing.assert_allclose(arrays.angle_of(y, x), np.arctan2(y, x), rtol=1e-15)
    cosines, sines = arrays.cosines_sines(10.0 * y)
    np.testing.assert_allclose(cosines, np.cos(10.0 * y), atol=1e-15)
    np.testing.assert_allclose(sines, np.sin(10.0 * y), atol=1e-15)
    again = arrays.angle_of(y[:5], x[:5])
    assert (again == arrays.angle_of(y, x)[:5]).all()
