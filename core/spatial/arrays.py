"""Linear algebra on NumPy arrays with the same bits on every processor.

NumPy's `@`, `dot`, `einsum` and `linalg` call BLAS and LAPACK, or loops that fuse multiplications and additions. Which
kernel runs, and so the last digits, depends on the processor. The functions here use only element-wise + - * / and
square roots, which IEEE 754 rounds exactly, and sums in an order that depends on shapes alone. Everything between a
file or scene and its motion uses them; `tests/support/processor.py` makes tests fail where something else is called.

They are meant for many small vectors and matrices: stacks of arbitrary length, in which the summed dimension is small.

Source of the decompositions: Golub and Van Loan, Matrix Computations (2013), sections 3.4, 5.2, 8.5 and 8.6.
"""

from __future__ import annotations

import math

import numpy as np

from .elementary import atan2

MAX_SWEEPS = 60
"""Upper bound for the sweeps of Jacobi's methods, which converge quadratically: fewer than ten are needed."""

ROUNDING = 1e-16
"""Off-diagonal entries below this share of the diagonal are treated as 0."""


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the scalar products along the last axis, shapes (…, k) and (…, k) to (…)."""
    total = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        total = total + a[..., k] * b[..., k]
    return total


def norm(a: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths along the last axis, shape (…, k) to (…)."""
    return np.sqrt(dot(a, a))


def matvec(a: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the products of matrices and vectors, shapes (…, m, k) and (…, k) to (…, m)."""
    return dot(a, x[..., None, :])


def matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the products of matrices, shapes (…, m, k) and (…, k, n) to (…, m, n)."""
    total = a[..., :, 0, None] * b[..., None, 0, :]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k, None] * b[..., None, k, :]
    return total


def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the outer products, shapes (…, m) and (…, n) to (…, m, n)."""
    return a[..., :, None] * b[..., None, :]


def det3(a: np.ndarray) -> np.ndarray:
    """Return the determinants of 3 x 3 matrices, shape (…, 3, 3) to (…)."""
    return dot(a[..., 0, :], np.cross(a[..., 1, :], a[..., 2, :]))


def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve a x = b by elimination with partial pivoting, shapes (n, n) and (n,) or (n, m).

    Raises:
        ZeroDivisionError: `a` is singular.
    """
    n = len(a)
    table = np.column_stack([np.asarray(a, float), np.asarray(b, float)])
    for k in range(n):
        pivot = k + int(np.abs(table[k:, k]).argmax())
        if table[pivot, k] == 0.0:
            raise ZeroDivisionError("the matrix is singular")
        table[[k, pivot]] = table[[pivot, k]]
        table[k] = table[k] / table[k, k]
        others = np.arange(n) != k
        table[others] -= outer(table[others, k], table[k])
    return table[:, n:].reshape(np.shape(b))


def inverse(a: np.ndarray) -> np.ndarray:
    """Return the inverse of a matrix, shape (n, n). Raises ZeroDivisionError if it is singular."""
    return solve(a, np.eye(len(a)))


def eigh(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.

    Args:
        a: shape (n, n), small n.

    Jacobi's cyclic method (Golub and Van Loan, algorithm 8.5.3).
    """
    a = np.array(a, dtype=np.float64)
    n = len(a)
    vectors = np.eye(n)
    for _ in range(MAX_SWEEPS):
        rotated = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(a[p, q]) <= ROUNDING * math.sqrt(abs(a[p, p] * a[q, q])) or a[p, q] == 0.0:
                    continue
                rotated = True
                c, s = _jacobi_rotation(a[p, p], a[p, q], a[q, q])
                a[:, [p, q]] = _turned(a[:, p], a[:, q], c, s)
                a[[p, q]] = _turned(a[p], a[q], c, s).T
                a[p, q] = a[q, p] = 0.0
                vectors[:, [p, q]] = _turned(vectors[:, p], vectors[:, q], c, s)
        if not rotated:
            break
    order = np.argsort(np.diag(a), kind="stable")
    return np.diag(a)[order], vectors[:, order]


def svd(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return U, s, Vt with a = U diag(s) Vt, for shape (m, n) with m >= n: shapes (m, n), (n,) and (n, n).

    The singular values descend. Columns of U that belong to a singular value of 0 are 0.
    One-sided Jacobi (Golub and Van Loan, section 8.6.4), which finds small singular values to their last digits.
    """
    u = np.array(a, dtype=np.float64)
    n = u.shape[1]
    v = np.eye(n)
    for _ in range(MAX_SWEEPS):
        rotated = False
        for p in range(n - 1):
            for q in range(p + 1, n):
                pp, pq, qq = (float((u[:, i] * u[:, j]).sum()) for i, j in ((p, p), (p, q), (q, q)))
                if abs(pq) <= ROUNDING * math.sqrt(pp * qq) or pq == 0.0:
                    continue
                rotated = True
                c, s = _jacobi_rotation(pp, pq, qq)
                u[:, [p, q]] = _turned(u[:, p], u[:, q], c, s)
                v[:, [p, q]] = _turned(v[:, p], v[:, q], c, s)
        if not rotated:
            break
    sizes = np.sqrt((u * u).sum(axis=0))
    order = np.argsort(-sizes, kind="stable")
    sizes = sizes[order]
    return u[:, order] / np.where(sizes > 0.0, sizes, 1.0), sizes, v[:, order].T


def least_squares(a: np.ndarray, b: np.ndarray, weakest: float = 1e-12) -> np.ndarray:
    """Return the x of least length among those that minimise |a x - b|, shapes (m, n) and (m,).

    Args:
        weakest: singular values below this share of the largest count as 0.
    """
    if a.shape[0] < a.shape[1]:
        a = np.vstack([a, np.zeros((a.shape[1] - a.shape[0], a.shape[1]))])
        b = np.concatenate([b, np.zeros(len(a) - len(b))])
    u, sizes, vt = svd(a)
    strong = sizes > weakest * sizes.max(initial=0.0)
    along = (u * b[:, None]).sum(axis=0)[strong] / sizes[strong]
    return (along[:, None] * vt[strong]).sum(axis=0)


def nearest_rotation(a: np.ndarray) -> np.ndarray:
    """Return the orthogonal matrix nearest to `a`, shape (3, 3); it mirrors where `a` does.

    The polar factor (Golub and Van Loan, section 9.4.3). `a` must not be singular.
    """
    u, _, vt = svd(a)
    return matmul(u, vt)


def angle_of(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return atan2(y, x) [rad] of each pair of two arrays of one shape."""
    y, x = np.broadcast_arrays(np.asarray(y, float), np.asarray(x, float))
    return np.array([atan2(*pair) for pair in zip(y.ravel().tolist(), x.ravel().tolist(), strict=True)]).reshape(
        y.shape
    )


def _jacobi_rotation(pp: float, pq: float, qq: float) -> tuple[float, float]:
    """Return the cosine and sine that diagonalise [[pp, pq], [pq, qq]] (Golub and Van Loan, algorithm 8.5.1)."""
    tau = float(qq - pp) / (2.0 * float(pq))
    t = math.copysign(1.0 / (abs(tau) + math.sqrt(1.0 + tau * tau)), tau)
    c = 1.0 / math.sqrt(1.0 + t * t)
    return c, t * c


def _turned(p: np.ndarray, q: np.ndarray, c: float, s: float) -> np.ndarray:
    return np.column_stack([c * p - s * q, s * p + c * q])
