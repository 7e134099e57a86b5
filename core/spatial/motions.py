# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions (twists) and forces (wrenches), and how they change with their reference point."""

from __future__ import annotations

from ..jit import jitable
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
    """Rate of a motion m that is carried along with velocity v."""
    return cross(v[0], m[0]), add(cross(v[0], m[1]), cross(v[1], m[0]))


@jitable
def force_cross(v, f):
    """Rate of a force f that is carried along with velocity v."""
    return add(cross(v[0], f[0]), cross(v[1], f[1])), cross(v[0], f[1])


@jitable
def motion_at(m, r):
    """Motion m, seen at a reference point that lies r further."""
    return m[0], add(m[1], cross(m[0], r))


@jitable
def force_from(f, r):
    """Force f, taken at a point that lies r away, seen at the origin of r."""
    return add(f[0], cross(r, f[1])), f[1]
