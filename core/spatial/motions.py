# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions (twists) and forces (wrenches), and their change with the reference point."""

from __future__ import annotations

from ..compilation.jit import jitable
from .vectors import add, cross, dot, scale, sub


@jitable
def pair_add(a, b):
    return add(a[0], b[0]), add(a[1], b[1])


@jitable
def pair_sub(a, b):
    return sub(a[0], b[0]), sub(a[1], b[1])


@jitable
def pair_scale(a, s):
    return scale(a[0], s), scale(a[1], s)


@jitable
def power(motion, force):
    return dot(motion[0], force[0]) + dot(motion[1], force[1])


@jitable
def motion_cross(v, m):
    """Return v x m: the rate of change of a motion m that moves with velocity v."""
    return cross(v[0], m[0]), add(cross(v[0], m[1]), cross(v[1], m[0]))


@jitable
def force_cross(v, f):
    """Return v x* f: the rate of change of a force f that moves with velocity v."""
    return add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1])


@jitable
def motion_at(m, r):
    """Return motion m at a reference point that lies at `r` from the present one [m]."""
    return m[0], add(m[1], cross(m[0], r))


@jitable
def force_from(f, r):
    """Return force f at another reference point. The present one lies at `r` from the new one [m]."""
    return add(f[0], cross(r, f[1])), f[1]
