# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigid and articulated inertias, in the layout of `spatial/__init__.py`."""

from __future__ import annotations

from ..compilation.jit import jitable, subroutine
from .vectors import (
    add,
    cross,
    mat_add,
    mat_sub,
    mat_sym,
    rotate,
    rotate_back,
    row,
    scale,
    skew,
    sub,
    sym_add,
    sym_inverse,
    sym_mul,
    sym_outer,
    sym_product,
    sym_rotate,
    sym_shift,
    sym_sub,
    sym_to_mat,
    transpose,
)


@jitable
def inertia_rotate(R, rigid):
    """Return a rigid inertia, given in the axes of a body, in the axes to which R rotates them."""
    return rigid[0], rotate(R, rigid[1]), sym_rotate(R, rigid[2])


@jitable
def momentum(rigid, v):
    mass, h, J = rigid
    return add(sym_mul(J, v[0]), cross(h, v[1])), sub(scale(v[1], mass), cross(h, v[0]))


@jitable
def articulated(rigid):
    """Return the articulated inertia that equals a rigid inertia."""
    mass, h, J = rigid
    return J, skew(h), (mass, 0.0, 0.0, mass, 0.0, mass)


@jitable
def articulated_add(A, B):
    return sym_add(A[0], B[0]), mat_add(A[1], B[1]), sym_add(A[2], B[2])


@jitable
def articulated_mul(A, m):
    """Return the force A m of articulated inertia A and motion m."""
    J, H, M = A
    return add(sym_mul(J, m[0]), rotate(H, m[1])), add(rotate_back(H, m[0]), sym_mul(M, m[1]))


@jitable
def articulated_turn(A, w):
    """Return `articulated_mul` of A and a motion (w, 0)."""
    return sym_mul(A[0], w), rotate_back(A[1], w)


@jitable
def articulated_deflate(A, U, d):
    """Return A - d U U'."""
    J, H, M = A
    n, f = U
    k = scale(n, -d)
    outer = scale(f, k[0]) + scale(f, k[1]) + scale(f, k[2])
    return sym_sub(J, sym_outer(n, d)), mat_add(H, outer), sym_sub(M, sym_outer(f, d))


@jitable
def articulated_from(A, r):
    """Return articulated inertia A at another reference point. The present one lies at `r` from the new one [m]."""
    J, H, M = A
    x, y, z = r
    G = (
        H[0] - z * M[1] + y * M[2],
        H[1] - z * M[3] + y * M[4],
        H[2] - z * M[4] + y * M[5],
        H[3] + z * M[0] - x * M[2],
        H[4] + z * M[1] - x * M[4],
        H[5] + z * M[2] - x * M[5],
        H[6] - y * M[0] + x * M[1],
        H[7] - y * M[1] + x * M[3],
        H[8] - y * M[2] + x * M[4],
    )
    K = (
        J[0] - z * H[1] + y * H[2] - z * G[1] + y * G[2],
        J[1] - z * H[4] + y * H[5] + z * G[0] - x * G[2],
        J[2] - z * H[7] + y * H[8] - y * G[0] + x * G[1],
        J[3] + z * H[3] - x * H[5] + z * G[3] - x * G[5],
        J[4] + z * H[6] - x * H[8] - y * G[3] + x * G[4],
        J[5] - y * H[6] + x * H[7] - y * G[6] + x * G[7],
    )
    return K, G, M


@subroutine
def articulated_solve(A, f):
    """Return the motion m with articulated_mul(A, m) == f."""
    J, H, M = A
    M_inverse = sym_inverse(M)
    K = mat_sym(H, M_inverse)
    w = sym_mul(sym_inverse(sym_sub(J, sym_product(K, H))), sub(f[0], rotate(K, f[1])))
    return w, sym_mul(M_inverse, sub(f[1], rotate_back(H, w)))


@subroutine
def articulated_parallel(A, B):
    """Return A - A B^-1 A, the articulated inertia on the inner side of a joint with six dofs whose D is B.

    B is A plus the inertia that a linearly implicit step adds for springs and dampers of the joint.
    """
    J, H, M = A
    turns = sym_to_mat(J)
    a, b, c = row(turns, 0), row(turns, 1), row(turns, 2)
    x = articulated_mul(A, articulated_solve(B, (a, row(H, 0))))
    y = articulated_mul(A, articulated_solve(B, (b, row(H, 1))))
    z = articulated_mul(A, articulated_solve(B, (c, row(H, 2))))
    down, slides = transpose(H), sym_to_mat(M)
    u = articulated_mul(A, articulated_solve(B, (row(down, 0), row(slides, 0))))[1]
    v = articulated_mul(A, articulated_solve(B, (row(down, 1), row(slides, 1))))[1]
    w = articulated_mul(A, articulated_solve(B, (row(down, 2), row(slides, 2))))[1]
    return (
        sym_sub(J, (x[0][0], x[0][1], x[0][2], y[0][1], y[0][2], z[0][2])),
        mat_sub(H, x[1] + y[1] + z[1]),
        sym_sub(M, (u[0], u[1], u[2], v[1], v[2], w[2])),
    )


@jitable
def rigid_add(a, b):
    return a[0] + b[0], add(a[1], b[1]), sym_add(a[2], b[2])


@jitable
def rigid_from(rigid, r):
    """Return a rigid inertia at another reference point. The present one lies at `r` from the new one [m]."""
    mass, h, J = rigid
    x, y, z = r
    across = (
        2.0 * (y * h[1] + z * h[2]),
        -(x * h[1] + y * h[0]),
        -(x * h[2] + z * h[0]),
        2.0 * (x * h[0] + z * h[2]),
        -(y * h[2] + z * h[1]),
        2.0 * (x * h[0] + y * h[1]),
    )
    return mass, add(h, scale(r, mass)), sym_add(sym_add(J, across), sym_shift(mass, r))
