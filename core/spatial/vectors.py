# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors, 3 x 3 matrices and symmetric matrices, as tuples."""

from __future__ import annotations

import math

from ..compilation.jit import jitable
from .elementary import cos_sin
from .types import Mat3, Vec3


@jitable
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jitable
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jitable
def scale(a, s):
    return a[0] * s, a[1] * s, a[2] * s


@jitable
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jitable
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jitable
def norm(a: Vec3) -> float:
    return math.sqrt(dot(a, a))


@jitable
def row(A, i):
    return A[3 * i], A[3 * i + 1], A[3 * i + 2]


@jitable
def z_axis(A):
    return A[2], A[5], A[8]


@jitable
def rotate(A, v):
    """Return A v."""
    return (
        A[0] * v[0] + A[1] * v[1] + A[2] * v[2],
        A[3] * v[0] + A[4] * v[1] + A[5] * v[2],
        A[6] * v[0] + A[7] * v[1] + A[8] * v[2],
    )


@jitable
def rotate_back(A, v):
    """Return A' v."""
    return (
        A[0] * v[0] + A[3] * v[1] + A[6] * v[2],
        A[1] * v[0] + A[4] * v[1] + A[7] * v[2],
        A[2] * v[0] + A[5] * v[1] + A[8] * v[2],
    )


@jitable
def matmul(A, B):
    return rotate_back(B, row(A, 0)) + rotate_back(B, row(A, 1)) + rotate_back(B, row(A, 2))


@jitable
def transpose(A):
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@jitable
def mat_add(A, B):
    return add(row(A, 0), row(B, 0)) + add(row(A, 1), row(B, 1)) + add(row(A, 2), row(B, 2))


@jitable
def mat_sub(A, B):
    return sub(row(A, 0), row(B, 0)) + sub(row(A, 1), row(B, 1)) + sub(row(A, 2), row(B, 2))


@jitable
def skew(v):
    """Return the matrix of the cross product with v."""
    return 0.0, -v[2], v[1], v[2], 0.0, -v[0], -v[1], v[0], 0.0


@jitable
def turn_z(R, angle):
    """Return R Rz(angle), with the angle in rad."""
    c, s = cos_sin(angle)
    return (
        R[0] * c + R[1] * s,
        R[1] * c - R[0] * s,
        R[2],
        R[3] * c + R[4] * s,
        R[4] * c - R[3] * s,
        R[5],
        R[6] * c + R[7] * s,
        R[7] * c - R[6] * s,
        R[8],
    )


def z_to(axis: Vec3) -> Mat3:
    """Return a rotation matrix that takes z to the unit vector `axis`."""
    aside = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 else (0.0, 1.0, 0.0)
    x = cross(aside, axis)
    x = scale(x, 1.0 / norm(x))
    return transpose(x + cross(axis, x) + axis)


@jitable
def sym_to_mat(S):
    return S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]


@jitable
def sym_mul(S, v):
    return (
        S[0] * v[0] + S[1] * v[1] + S[2] * v[2],
        S[1] * v[0] + S[3] * v[1] + S[4] * v[2],
        S[2] * v[0] + S[4] * v[1] + S[5] * v[2],
    )


@jitable
def sym_add(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5]


@jitable
def sym_sub(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5]


@jitable
def sym_inverse(S):
    """Return the inverse by cofactors. Entries are infinite or NaN if S is singular."""
    a, b, c, d, e, f = S
    A = d * f - e * e
    B = c * e - b * f
    C = b * e - c * d
    k = 1.0 / (a * A + b * B + c * C)
    return k * A, k * B, k * C, k * (a * f - c * c), k * (b * c - a * e), k * (a * d - b * b)


@jitable
def sym_outer(a, s):
    """Return s a a'."""
    b = scale(a, s)
    return a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[1], a[1] * b[2], a[2] * b[2]


@jitable
def sym_product(A, B):
    """Return A B', which must be symmetric."""
    return (
        dot(row(A, 0), row(B, 0)),
        dot(row(A, 0), row(B, 1)),
        dot(row(A, 0), row(B, 2)),
        dot(row(A, 1), row(B, 1)),
        dot(row(A, 1), row(B, 2)),
        dot(row(A, 2), row(B, 2)),
    )


@jitable
def mat_sym(A, S):
    """Return A S."""
    return sym_mul(S, row(A, 0)) + sym_mul(S, row(A, 1)) + sym_mul(S, row(A, 2))


@jitable
def sym_rotate(R, S):
    """Return R S R'."""
    return sym_product(mat_sym(R, S), R)


@jitable
def sym_shift(mass, c):
    """Return the inertia about the origin of a point mass at `c`, the term of the parallel-axis theorem [kg m^2]."""
    x, y, z = c
    return (
        mass * (y * y + z * z),
        -mass * x * y,
        -mass * x * z,
        mass * (x * x + z * z),
        -mass * y * z,
        mass * (x * x + y * y),
    )
