# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear algebra on NumPy arrays with the same bits on every processor.

NumPy's `@`, `dot`, `einsum` and `linalg` call BLAS and LAPACK, or loops that fuse multiplications and additions. Its
trigonometric functions have variants for some processors. Which variant runs, and so the last digits, depends on the
processor. The functions here use only element-wise + - * / and square roots, which IEEE 754 rounds exactly, sums in an
order that depends on shapes alone, and `elementary.py`. Everything between a file or scene and its motion uses them;
`tests/support/processor.py` replaces NumPy's functions by ones that raise.

Source of the decompositions: Golub and Van Loan, Matrix Computations (2013), sections 8.5 and 8.6 (Jacobi's methods).
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .angles import write_atan2, write_cos_sin
from .vectors import cross

MAX_SWEEPS = 60
"""Upper bound for the sweeps of Jacobi's methods, which converge quadratically: fewer than ten are needed."""

ROUNDING = 1e-16
"""Off-diagonal entries below this fraction of the diagonal are treated as 0."""

SURELY_REGULAR = 1e-3
"""Fraction of the largest diagonal entry of R that the smallest one exceeds if equations are solved without an SVD."""

CONVERGED = 1e-9
"""Change of a rotation after which it is exact up to rounding, since the next change is about its square."""

MANY = 200
"""Number of angles above which a kernel is worth its call, and its compilation if there is no library."""

FEW = 8
"""Number of summands up to which they are added one by one; more are added by NumPy's pairwise summation."""


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the scalar products along the last axis, shapes (…, k) and (…, k) to (…)."""
    a, b = np.asarray(a), np.asarray(b)
    count = a.shape[-1]
    if not 0 < count <= FEW:
        return (a * b).sum(axis=-1)
    total = a[..., 0] * b[..., 0]
    for k in range(1, count):
        total = total + a[..., k] * b[..., k]
    return total


def norm(a: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths along the last axis, shape (…, k) to (…)."""
    return np.sqrt(dot(a, a))


def hypot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the square root of x^2 + y^2, element by element. Squares must not overflow."""
    return np.sqrt(x * x + y * y)


def matvec(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the products of matrices and vectors, shapes (…, m, k) and (…, k) to (…, m)."""
    return dot(a, np.asarray(x)[..., None, :])


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of matrices or vectors, as NumPy's `@` takes their shapes."""
    a, b = np.asarray(a), np.asarray(b)
    if b.ndim == 1:
        return dot(a, b)
    if a.ndim == 1:
        return dot(np.swapaxes(b, -1, -2), a)
    count = a.shape[-1]
    if not 0 < count <= FEW:
        return (a[..., :, :, None] * b[..., None, :, :]).sum(axis=-2)
    total = a[..., :, 0, None] * b[..., None, 0, :]
    for k in range(1, count):
        total = total + a[..., :, k, None] * b[..., None, k, :]
    return total


def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the outer products, shapes (…, m) and (…, n) to (…, m, n)."""
    return np.asarray(a)[..., :, None] * np.asarray(b)[..., None, :]


def det(a: np.ndarray) -> np.ndarray:
    """Return the determinants of matrices of up to three rows, shape (…, n, n) to (…)."""
    a = np.asarray(a)
    if a.shape[-1] == 1:
        return a[..., 0, 0]
    if a.shape[-1] == 2:
        return a[..., 0, 0] * a[..., 1, 1] - a[..., 0, 1] * a[..., 1, 0]
    (a00, a01, a02), (a10, a11, a12), (a20, a21, a22) = np.moveaxis(a, (-2, -1), (0, 1)) if a.ndim > 2 else a.tolist()
    return a00 * (a11 * a22 - a12 * a21) + a01 * (a12 * a20 - a10 * a22) + a02 * (a10 * a21 - a11 * a20)


def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return x with a x = b by elimination with partial pivoting, for shapes (n, n) and (n,) or (n, m).

    Raises:
        ZeroDivisionError: if `a` is singular.
    """
    table = np.column_stack([np.asarray(a, float), np.asarray(b, float)])
    return _eliminated(table[None])[0].reshape(np.shape(b))


def inverse(a: np.ndarray) -> np.ndarray:
    """Return the inverses of matrices, shape (…, n, n).

    Raises:
        ZeroDivisionError: if one of them is singular.
    """
    a = np.asarray(a, float)
    stack = a.reshape(-1, *a.shape[-2:])
    own = np.broadcast_to(np.eye(a.shape[-1]), stack.shape)
    return _eliminated(np.concatenate([stack, own], axis=2)).reshape(a.shape)


def _eliminated(tables: np.ndarray) -> np.ndarray:
    """Return the right parts of tables, shape (t, n, n + m), after elimination has made the left parts identities."""
    rows = np.arange(len(tables))
    for k in range(tables.shape[1]):
        pivot = k + np.abs(tables[:, k:, k]).argmax(axis=1)
        tables[rows, k], tables[rows, pivot] = tables[rows, pivot], tables[rows, k]
        if (tables[:, k, k] == 0.0).any():
            raise ZeroDivisionError("the matrix is singular")
        tables[:, k] = tables[:, k] / tables[:, k, k, None]
        others = np.arange(tables.shape[1]) != k
        tables[:, others] -= outer(tables[:, others, k], tables[:, k])
    return tables[:, :, tables.shape[1] :]


def eigh(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.

    The method is Jacobi's in parallel order (Golub and Van Loan, section 8.5.5).

    Args:
        a: shape (n, n).
    """
    scale = _power_of_two(a)  # prevents overflow and underflow of products
    a = np.array(a, dtype=np.float64) / scale
    vectors = np.eye(len(a))
    for _ in range(MAX_SWEEPS):
        rotated = False
        for p, q in _rounds(len(a)):
            pp, pq, qq = a[p, p], a[p, q], a[q, q]
            turns = np.abs(pq) > ROUNDING * np.sqrt(np.abs(pp * qq))
            if turns.any():
                rotated = True
                p, q = p[turns], q[turns]
                c, s = _jacobi_rotation(pp[turns], pq[turns], qq[turns])
                a[:, p], a[:, q] = _turned(a[:, p], a[:, q], c, s)
                a[p], a[q] = (part.T for part in _turned(a[p].T, a[q].T, c, s))
                a[p, q] = a[q, p] = 0.0
                vectors[:, p], vectors[:, q] = _turned(vectors[:, p], vectors[:, q], c, s)
        if not rotated:
            break
    values = np.diag(a) * scale
    order = np.argsort(values, kind="stable")
    return values[order], vectors[:, order]


def _power_of_two(a: np.ndarray) -> float:
    """Return the largest power of two that is no larger than the largest element; 1 if all are 0 or one is not finite.

    Multiplication by it is exact.
    """
    largest = float(np.abs(a).max(initial=0.0))
    return math.ldexp(0.5, math.frexp(largest)[1]) if 0.0 < largest < math.inf else 1.0


def svd(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return U, s, Vt with a = U diag(s) Vt: for shape (m, n) and k = min(m, n), shapes (m, k), (k,) and (k, n).

    The method is one-sided Jacobi (Golub and Van Loan, section 8.6.4), which finds small singular values to full
    relative precision. The singular values descend. If one is 0, its vector on the longer side is 0.
    """
    u = np.array(a, dtype=np.float64)
    if u.shape[0] < u.shape[1]:
        u, sizes, vt = svd(u.T)
        return vt.T, sizes, u.T
    if u.shape[0] > 2 * u.shape[1]:  # sweeps of a small matrix take less time
        q, r = _orthonormalized(u)
        u, sizes, vt = svd(r)
        return matmul(q, u), sizes, vt
    v = np.eye(u.shape[1])
    for _ in range(MAX_SWEEPS):
        rotated = False
        for p, q in _rounds(u.shape[1]):
            pp, pq, qq = ((u[:, i] * u[:, j]).sum(axis=0) for i, j in ((p, p), (p, q), (q, q)))
            turns = np.abs(pq) > ROUNDING * np.sqrt(pp * qq)
            if turns.any():
                rotated = True
                p, q = p[turns], q[turns]
                c, s = _jacobi_rotation(pp[turns], pq[turns], qq[turns])
                u[:, p], u[:, q] = _turned(u[:, p], u[:, q], c, s)
                v[:, p], v[:, q] = _turned(v[:, p], v[:, q], c, s)
        if not rotated:
            break
    sizes = np.sqrt((u * u).sum(axis=0))
    order = np.argsort(-sizes, kind="stable")
    sizes = sizes[order]
    return u[:, order] / np.where(sizes > 0.0, sizes, 1.0), sizes, v[:, order].T


def rank(a: np.ndarray, weakest: float) -> int:
    """Return the number of singular values above `weakest`."""
    return int((svd(a)[1] > weakest).sum())


def pseudo_inverse(a: np.ndarray, weakest: float = 1e-12) -> np.ndarray:
    """Return the Moore-Penrose inverse, shape (m, n) to (n, m).

    Args:
        a: the matrix.
        weakest: as in `least_squares`.
    """
    u, sizes, vt = svd(a)
    strong = sizes > weakest * sizes.max(initial=0.0)
    return matmul(vt[strong].T / sizes[strong], u[:, strong].T)


def least_squares(a: np.ndarray, b: np.ndarray, weakest: float = 1e-12) -> tuple[np.ndarray, int]:
    """Return the shortest x among those that minimise |a x - b|, shapes (m, n) and (m,), and the rank of `a`.

    Args:
        weakest: singular values at or below this fraction of the largest count as 0.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.shape[0] > 2 * a.shape[1] > 0:
        q, r = _orthonormalized(a)
        a, b = r, (q * b[:, None]).sum(axis=0)
        sizes = np.abs(np.diag(r))
        if sizes.min() > SURELY_REGULAR * sizes.max():
            return _substituted(r, b), len(r)
    u, sizes, vt = svd(a)
    strong = sizes > weakest * sizes.max(initial=0.0)
    along = matmul(u[:, strong].T, b) / sizes[strong]
    return matmul(vt[strong].T, along), int(strong.sum())


def _substituted(r: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return x with r x = b for an upper triangular matrix."""
    rows, x = r.tolist(), b.tolist()
    for i in reversed(range(len(x))):
        for j in range(i + 1, len(x)):
            x[i] -= rows[i][j] * x[j]
        x[i] /= rows[i][i]
    return np.array(x)


def covariance(points: np.ndarray) -> np.ndarray:
    """Return the covariance matrix of points about their mean, shape (n, k) to (k, k)."""
    away = points - points.mean(axis=0)
    return matmul(away.T, away) / len(points)


def nearest_rotation(a: np.ndarray) -> np.ndarray:
    """Return the orthogonal matrix nearest to `a`, shape (3, 3). It contains a reflection if `a` does.

    It is the polar factor, computed by Newton's method as the mean of a matrix and its transposed inverse (Higham,
    Functions of Matrices (2008), section 8.3). The function uses plain numbers, since it runs for each object of a
    scene.

    Raises:
        ZeroDivisionError: if `a` is singular.
    """
    rows = [tuple(row) for row in np.asarray(a, float).tolist()]
    for _ in range(MAX_SWEEPS):
        x, y, z = rows
        cofactors = cross(y, z), cross(z, x), cross(x, y)
        k = 1.0 / (x[0] * cofactors[0][0] + x[1] * cofactors[0][1] + x[2] * cofactors[0][2])
        before = rows
        rows = [
            tuple(0.5 * (own + k * other) for own, other in zip(*pair, strict=True))
            for pair in zip(rows, cofactors, strict=True)
        ]
        change = max(abs(new - old) for pair in zip(rows, before, strict=True) for new, old in zip(*pair, strict=True))
        if change < CONVERGED:
            break
    return np.array(rows)


def angle_of(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return atan2(y, x) [rad], element by element."""
    y, x = (np.array(part, dtype=np.float64) for part in np.broadcast_arrays(y, x))
    angles = np.empty(y.size)
    (write_atan2 if y.size > MANY else write_atan2.python)(y.ravel(), x.ravel(), angles)
    return angles.reshape(y.shape)


def cosines_sines(angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosines and the sines of angles [rad], element by element."""
    angles = np.ascontiguousarray(angles, dtype=np.float64)
    cosines, sines = np.empty(angles.size), np.empty(angles.size)
    (write_cos_sin if angles.size > MANY else write_cos_sin.python)(angles.ravel(), cosines, sines)
    return cosines.reshape(angles.shape), sines.reshape(angles.shape)


def _orthonormalized(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return Q and R with a = Q R, shapes (m, n) and (n, n), by Gram-Schmidt, twice (Golub and Van Loan, section 5.2).

    Columns of Q that depend on earlier ones are 0.
    """
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for j in range(a.shape[1]):
        column = a[:, j]
        for _ in range(2):
            along = (q[:, :j] * column[:, None]).sum(axis=0)
            column = column - matmul(q[:, :j], along) if j else column
            r[:j, j] += along
        length = float(np.sqrt((column * column).sum()))
        r[j, j] = length
        q[:, j] = column / length if length > 0.0 else 0.0
    return q, r


@lru_cache(maxsize=64)
def _rounds(n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return all pairs of numbers below n, in rounds of pairs that share none: a round-robin tournament."""
    players = [*range(n), *([-1] if n % 2 else [])]
    half, rounds = len(players) // 2, []
    for _ in range(len(players) - 1):
        pairs = [sorted(pair) for pair in zip(players[:half], reversed(players[half:]), strict=True) if -1 not in pair]
        if pairs:
            rounds.append((np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])))
        players = [players[0], players[-1], *players[1:-1]]
    return rounds


def _jacobi_rotation(pp: np.ndarray, pq: np.ndarray, qq: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the cosines and sines that diagonalise [[pp, pq], [pq, qq]] (Golub and Van Loan, algorithm 8.5.1)."""
    with np.errstate(over="ignore"):
        tau = (qq - pp) / (2.0 * pq)
        t = np.copysign(1.0 / (np.abs(tau) + np.sqrt(1.0 + tau * tau)), tau)
    c = 1.0 / np.sqrt(1.0 + t * t)
    return c, t * c


def _turned(p: np.ndarray, q: np.ndarray, c: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return c * p - s * q, s * p + c * q
