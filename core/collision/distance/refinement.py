# SPDX-License-Identifier: GPL-3.0-or-later
"""Refine the contact normal of curved solids by Newton's method on the separation.

Along a unit vector n, the separation of two solids is s(n) = n . (b - a), where a is the support point of A along n and
b that of B along -n. The signed distance of the solids is the maximum of s over all n. Every n gives a lower bound, so
the result is never worse than the initial normal.

The derivative of s by n is b - a, and its second derivatives on the unit sphere are -(H_A + H_B) - s, where H are those
of the support functions (solids.patch). At an edge, along the side of a cylinder, and at a face, s has a kink, where
the maximum often lies. There n is kept on the kink: all normals of an edge make one angle with an axis, and the normal
of a face is fixed. All pairs of patches are tried.

Source: Boyd, Vandenberghe, Convex Optimization (2004), section 3.2 and 8.2 (support functions, separation); Newton's
method on a sphere: Absil, Mahony, Sepulchre, Optimization Algorithms on Matrix Manifolds (2008), chapter 6.
"""

from __future__ import annotations

import math

from ...compilation.jit import jitable, subroutine
from ...spatial import add, cross, dot, rotate, rotate_back, scale, sub, sym_add, sym_mul, sym_rotate
from ..solids import EDGE_PATCH, FACE_PATCH, patch, support

STEPS = 8
"""Largest number of Newton steps for each pair of patches."""
FARTHEST = 0.1
"""Largest angle by which a step may turn the normal [rad]."""
SETTLED = 1e-15
"""Change of the unit normal at or below which the iteration has converged. It is rounding."""
LEAST = 1e-6
"""Least curvature of s that a Newton step assumes, as a fraction of the greater principal curvature at its maximum."""


@subroutine
def separation(A, B, hulls, R, c, n):
    """Return the separation s(n) of the cores [m], for a unit vector n from A to B in A's axes."""
    b = add(c, rotate(R, support(B, hulls, rotate_back(R, (-n[0], -n[1], -n[2])))))
    return dot(n, sub(b, support(A, hulls, n)))


@subroutine
def refine_normal(A, B, hulls, R, c, n):
    """Return the greatest separation [m] near the normal n, and its unit normal from A to B."""
    best, top = separation(A, B, hulls, R, c, n), n
    for patch_kind_a in range(3):
        for patch_kind_b in range(3):
            there, found = climb_patch(A, B, hulls, R, c, n, patch_kind_a, patch_kind_b)
            if there:
                s = separation(A, B, hulls, R, c, found)
                if s > best:
                    best, top = s, found
    return best, top


@subroutine
def climb_patch(A, B, hulls, R, c, n, patch_kind_a, patch_kind_b):
    """Return whether both solids have patches of these kinds, and the unit normal of greatest separation on them.

    Args:
        n: initial unit normal from A to B, in A's axes.
        patch_kind_a, patch_kind_b: SMOOTH_PATCH, EDGE_PATCH or FACE_PATCH; see solids.patch.
    """
    found = n
    for _ in range(STEPS):
        is_there, p, H, axis, along = patch(A, hulls, found, patch_kind_a)
        back = rotate_back(R, (-found[0], -found[1], -found[2]))
        is_there_too, p_b, H_b, axis_b, along_b = patch(B, hulls, back, patch_kind_b)
        if not (is_there and is_there_too):
            return False, n
        axis_b = rotate(R, (-axis_b[0], -axis_b[1], -axis_b[2]))  # the axis belongs to -n; negated, it belongs to n
        if patch_kind_a == FACE_PATCH:
            return True, axis
        if patch_kind_b == FACE_PATCH:
            return True, axis_b
        if patch_kind_a == EDGE_PATCH and patch_kind_b == EDGE_PATCH:
            return across_both(axis, along, axis_b, along_b, found)
        gap = sub(add(c, rotate(R, p_b)), p)
        H = sym_add(H, sym_rotate(R, H_b))
        if patch_kind_a == EDGE_PATCH:
            before, found = found, turned_about(axis, along, found, gap, H)
        elif patch_kind_b == EDGE_PATCH:
            before, found = found, turned_about(axis_b, along_b, found, gap, H)
        else:
            before, found = found, turned_freely(found, gap, H)
        moved = sub(found, before)
        if dot(moved, moved) <= SETTLED * SETTLED:
            break
    return True, found


@jitable
def across_both(a, along_a, b, along_b, n):
    """Return whether a unit vector makes given cosines with two axes, and the one that is on n's side.

    Args:
        a, b: unit vectors along the axes.
        along_a, along_b: cosines of the angles between the result and the axes.
        n: unit vector that selects one of the two solutions.
    """
    cosine = dot(a, b)
    sine2 = 1.0 - cosine * cosine
    if sine2 < 1e-12:
        return False, n
    u = (along_a - cosine * along_b) / sine2
    v = (along_b - cosine * along_a) / sine2
    inside = add(scale(a, u), scale(b, v))
    rest = 1.0 - dot(inside, inside)
    if rest < 0.0:
        return False, n
    w = cross(a, b)
    height = math.sqrt(rest / sine2)
    return True, unit(add(inside, scale(w, height if dot(w, n) >= 0.0 else -height)))


@jitable
def turned_about(axis, along, n, gap, H):
    """Return n after one Newton step about an axis. The cosine between n and the axis stays `along`.

    Args:
        axis: unit vector.
        along: cosine.
        n: unit normal.
        gap: b - a, from the support point of A to that of B [m].
        H: sum of the second derivatives of both support functions, symmetric [m].
    """
    flat = sub(n, scale(axis, dot(axis, n)))
    size = math.sqrt(dot(flat, flat))
    if size < 1e-12:
        return n
    radius = math.sqrt(max(1.0 - along * along, 0.0))
    flat = scale(flat, radius / size)
    n = add(flat, scale(axis, along))
    ahead = cross(axis, flat)
    slope = dot(gap, ahead)
    bend = dot(ahead, sym_mul(H, ahead)) + dot(gap, flat)
    if not bend > 0.0:
        return n
    angle = min(max(slope / bend, -FARTHEST), FARTHEST)
    n = add(scale(axis, along), add(flat, scale(ahead, angle)))
    flat = sub(n, scale(axis, along))
    return add(scale(axis, along), scale(flat, radius / math.sqrt(dot(flat, flat))))


@jitable
def turned_freely(n, gap, H):
    """Return n after one Newton step on the unit sphere. Arguments are those of `turned_about`."""
    s = dot(n, gap)
    x = cross((1.0, 0.0, 0.0) if abs(n[0]) < 0.7 else (0.0, 1.0, 0.0), n)
    x = unit(x)
    y = cross(n, x)
    Hx, Hy = sym_mul(H, x), sym_mul(H, y)
    a, b, d = dot(x, Hx) + s, dot(x, Hy), dot(y, Hy) + s
    gx, gy = dot(gap, x), dot(gap, y)
    spread = math.sqrt((a - d) * (a - d) + 4.0 * b * b)
    least, most = 0.5 * (a + d - spread), 0.5 * (a + d + spread)
    # s is constant along the normals of an edge, or n is at no maximum.
    if not least > LEAST * abs(most):
        shift = LEAST * (abs(most) + abs(least)) - min(least, 0.0)
        a, d = a + shift, d + shift
    determinant = a * d - b * b
    if not determinant > 0.0:
        return n
    step_x = (d * gx - b * gy) / determinant
    step_y = (a * gy - b * gx) / determinant
    length = math.sqrt(step_x * step_x + step_y * step_y)
    if length > FARTHEST:
        step_x, step_y = step_x * FARTHEST / length, step_y * FARTHEST / length
    return unit(add(n, add(scale(x, step_x), scale(y, step_y))))


@jitable
def unit(v):
    return scale(v, 1.0 / math.sqrt(dot(v, v)))
