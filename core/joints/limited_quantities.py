# SPDX-License-Identifier: GPL-3.0-or-later
"""Limited quantities of a joint with a chart: distance, cone angle and twist angle, with their gradients.

The arguments are the joint's relative pose (position p [m] in parent-side axes, quaternion r) and a direction n in the
joint's frame. A gradient is a pair (torque, force) in child-side axes: the rate of the quantity is
torque . angular velocity + force . linear velocity. The gradient is zero where the quantity is not differentiable.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable
from ..spatial import ZERO, add, atan2, cross, dot, quat_to_mat, rotate_back, scale

DISTANCE = 0
"""Code of the quantity `distance`."""
CONE = 1
"""Code of the quantity `cone`."""
TWIST = 2
"""Code of the quantity `twist`."""

TINY = 1e-12
"""Length [m] or sine of an angle below which a vector has no reliable direction."""


@jitable
def distance(p, r, n):
    """Return the distance of the two origins [m], and its gradient."""
    length = math.sqrt(dot(p, p))
    if length < TINY:
        return length, (ZERO, ZERO)
    return length, (ZERO, rotate_back(quat_to_mat(r), scale(p, 1.0 / length)))


@jitable
def cone(p, r, n):
    """Return the angle between n in the parent and n in the child [rad], from 0 to pi, and its gradient."""
    R = quat_to_mat(r)
    seen = rotate_back(R, n)  # n of the parent, in child-side axes
    turn = cross(seen, n)
    sine = math.sqrt(dot(turn, turn))
    angle = atan2(sine, dot(seen, n))
    if sine < TINY:
        return angle, (ZERO, ZERO)
    return angle, (scale(turn, 1.0 / sine), ZERO)


@jitable
def twist(p, r, n):
    """Return the rotation about n that remains without the swing of n [rad], from -pi to pi, and its gradient.

    Source: the swing-twist decomposition, P. Dobrowolski, Swing-Twist Decomposition in Clifford Algebra (2015).
    """
    w = r[0]
    v = (r[1], r[2], r[3])
    s = dot(v, n)
    size = w * w + s * s
    if size < TINY * TINY:  # a swing by half a turn has no unique twist
        return 0.0, (ZERO, ZERO)
    angle = 2.0 * atan2(s, w) if w >= 0.0 else 2.0 * atan2(-s, -w)
    rate = add(add(scale(n, w * w), scale(cross(n, v), w)), scale(v, s))
    return angle, (scale(rate, 1.0 / size), ZERO)


@jitable
def evaluate_quantity(code, p, r, n, centre):
    """Return (value, gradient) of the quantity `code`.

    centre: a twist is given as at most half a turn from this angle [rad]. Motion through half a turn is then continuous
    where a limit or a spring is near. It has no effect on other quantities.
    """
    if code == DISTANCE:
        return distance(p, r, n)
    if code == CONE:
        return cone(p, r, n)
    angle, gradient = twist(p, r, n)
    return nearest_turn(angle, centre), gradient


@jitable
def nearest_turn(angle, centre):
    """Return the angle within half a turn of `centre` that differs from `angle` by no or one full turn [rad]."""
    if angle > centre + math.pi:
        return angle - 2.0 * math.pi
    return angle + 2.0 * math.pi if angle < centre - math.pi else angle
