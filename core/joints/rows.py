# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint rows: what they measure of a chart's coordinates, and how fast it changes with the velocities.

The measures see the joint's relative pose, p [m] in parent-side axes and the quaternion r, and a direction n in the
joint's frame. A gradient is a force in child-side axes, (torque, force): the measure's rate is
torque . angular velocity + force . linear velocity. Where a measure has no derivative its gradient is zero.
"""

from __future__ import annotations

import math

from ..jit import jitable
from ..spatial import ZERO, add, atan2, cross, dot, quat_to_mat, rotate_back, scale

DISTANCE, CONE, TWIST = 0, 1, 2

TINY = 1e-12
"""Length or sine below which a direction is none."""


@jitable
def distance(p, r, n):
    """Between the two origins [m]."""
    length = math.sqrt(dot(p, p))
    if length < TINY:
        return length, (ZERO, ZERO)
    return length, (ZERO, rotate_back(quat_to_mat(r), scale(p, 1.0 / length)))


@jitable
def cone(p, r, n):
    """The angle [rad], 0 to pi, by which n has left its place."""
    R = quat_to_mat(r)
    seen = rotate_back(R, n)  # n as the child sees it
    turn = cross(seen, n)
    sine = math.sqrt(dot(turn, turn))
    angle = atan2(sine, dot(seen, n))
    if sine < TINY:
        return angle, (ZERO, ZERO)
    return angle, (scale(turn, 1.0 / sine), ZERO)


@jitable
def twist(p, r, n):
    """The angle [rad], -pi to pi, of the turn about n that is left when the swing of n has been undone.

    Source: the swing-twist decomposition, P. Dobrowolski, Swing-Twist Decomposition in Clifford Algebra (2015).
    """
    w = r[0]
    v = (r[1], r[2], r[3])
    s = dot(v, n)
    size = w * w + s * s
    if size < TINY * TINY:  # swung by half a turn, where every twist is right
        return 0.0, (ZERO, ZERO)
    angle = 2.0 * atan2(s, w) if w >= 0.0 else 2.0 * atan2(-s, -w)
    rate = add(add(scale(n, w * w), scale(cross(n, v), w)), scale(v, s))
    return angle, (scale(rate, 1.0 / size), ZERO)


@jitable
def measure(code, p, r, n):
    """(value, gradient) of row `code`."""
    if code == DISTANCE:
        return distance(p, r, n)
    if code == CONE:
        return cone(p, r, n)
    return twist(p, r, n)
