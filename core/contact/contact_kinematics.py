# SPDX-License-Identifier: GPL-3.0-or-later
"""Where two pieces of surface are nearest, and how that place moves.

With n the normal from one piece to the other, x and y their nearest points and g the gap, y - x = g n at all times. The
rate of the gap is n . (v(y) - v(x)), with the velocities of the bodies there; its second rate asks how n, x and y
move, which each pair of pieces answers below. A point that rolls leaves the material that it touches: x moves otherwise
than v(x).

Source: Montana, The kinematics of contact and grasp, Int. J. Robotics Research 7 (1988); here by the differential of
each pair's closed form.
"""

from __future__ import annotations

import math

from ..jit import jitable, subroutine
from ..spatial import add, cross, dot, matmul, rotate, rotate_back, scale, sub
from ..spatial.storage import get3, get9, put3
from .points import FACE, LINE, OVAL, RING, ROUND

PARALLEL = 1e-6
"""Sine of the angle below which two lines have no crossing."""


@subroutine
def place_point(work, point):
    """Write where a POINT is at present, from the bodies' poses and velocities in `work`."""
    one, other = point.one, point.other
    if one.kind == FACE:
        n, turn, x, y, x_rate, y_rate, gap = on_face(work, one, other, 1.0)
    elif other.kind == FACE:
        n, turn, y, x, y_rate, x_rate, gap = on_face(work, other, one, -1.0)
    elif one.kind == LINE and other.kind == LINE:
        n, turn, x, y, x_rate, y_rate, gap = of_lines(work, one, other, get3(point.normal))
    elif one.kind == ROUND:
        n, turn, x, y, x_rate, y_rate, gap = beside(work, one, other, get3(point.normal))
    else:
        n, turn, y, x, y_rate, x_rate, gap = beside(work, other, one, scale(get3(point.normal), -1.0))
        n, turn = scale(n, -1.0), scale(turn, -1.0)
    middle = scale(add(x, y), 0.5)
    put3(point.normal, n)
    put3(point.normal_rate, turn)
    put3(point.place, middle)
    put3(point.one_rate, x_rate)
    put3(point.other_rate, y_rate)
    point.gap = gap
    own = sub(velocity_at(work.bodies[other.body], middle), velocity_at(work.bodies[one.body], middle))
    point.rate = dot(n, own)
    belts = sub(carried(work, other), carried(work, one))
    own = add(own, belts)
    put3(point.v, sub(own, scale(n, dot(own, n))))
    put3(point.w, sub(get3(work.bodies[other.body].velocity), get3(work.bodies[one.body].velocity)))


@jitable
def velocity_at(body, p):
    """Of a body's material at a point of space [m/s]."""
    return add(get3(body.velocity, 3), cross(get3(body.velocity), sub(p, get3(body.origin))))


@jitable
def carried(work, piece):
    """The velocity of a piece's belt, in world axes [m/s]."""
    return rotate(get9(work.bodies[piece.body].rotation), get3(piece.belt))


@jitable
def at_present(body, piece):
    """(a piece's point, its direction, how fast that turns), in the world."""
    R = get9(body.rotation)
    along = rotate(R, get3(piece.along))
    return add(get3(body.origin), rotate(R, get3(piece.at))), along, cross(get3(body.velocity), along)


@subroutine
def on_face(work, face, other, side):
    """(n, its rate, nearest points of face and other, their rates, gap); side is 1 where n points out of the face."""
    here, there = work.bodies[face.body], work.bodies[other.body]
    o, m, m_rate = at_present(here, face)
    p, rate = lowest(there, other, scale(m, -1.0), scale(m_rate, -1.0))
    gap = dot(sub(p, o), m)
    foot = sub(p, scale(m, gap))
    gap_rate = dot(m, sub(velocity_at(there, p), velocity_at(here, foot)))
    foot_rate = sub(rate, add(scale(m, gap_rate), scale(m_rate, gap)))
    return scale(m, side), scale(m_rate, side), foot, p, foot_rate, rate, gap


@subroutine
def lowest(body, piece, down, down_rate):
    """(the point of a piece that is farthest along the unit vector `down`, its rate)."""
    c, a, a_rate = at_present(body, piece)
    c_rate = velocity_at(body, c)
    if piece.kind == RING:
        along = dot(down, a)
        p = sub(down, scale(a, along))
        p_rate = sub(down_rate, add(scale(a, dot(down_rate, a) + dot(down, a_rate)), scale(a_rate, along)))
        length = math.sqrt(dot(p, p))
        if length == 0.0:
            return c, c_rate
        u = scale(p, 1.0 / length)
        u_rate = scale(sub(p_rate, scale(u, dot(u, p_rate))), 1.0 / length)
        return add(c, scale(u, piece.radius)), add(c_rate, scale(u_rate, piece.radius))
    if piece.kind == OVAL:
        R = matmul(get9(body.rotation), get9(piece.rotation))
        d = rotate_back(R, down)
        s = get3(piece.half)
        stretched = (s[0] * d[0], s[1] * d[1], s[2] * d[2])
        k = 1.0 / math.sqrt(dot(stretched, stretched))
        q = (s[0] * stretched[0] * k, s[1] * stretched[1] * k, s[2] * stretched[2] * k)
        e = rotate_back(R, sub(down_rate, cross(get3(body.velocity), down)))
        drop = dot(q, e)
        q_rate = (
            k * (s[0] * s[0] * e[0] - q[0] * drop),
            k * (s[1] * s[1] * e[1] - q[1] * drop),
            k * (s[2] * s[2] * e[2] - q[2] * drop),
        )
        p = add(c, rotate(R, q))
        return p, add(velocity_at(body, p), rotate(R, q_rate))
    return add(c, scale(down, piece.radius)), add(c_rate, scale(down_rate, piece.radius))


@subroutine
def beside(work, ball, other, before):
    """As `on_face`, of a ball or corner and a ball, a line or a ring. before: a normal, for where they coincide."""
    here, there = work.bodies[ball.body], work.bodies[other.body]
    c = at_present(here, ball)[0]
    c_rate = velocity_at(here, c)
    p, a, a_rate = at_present(there, other)
    foot, foot_rate = p, velocity_at(there, p)
    if other.kind == LINE:
        t = dot(sub(c, p), a)
        foot = add(p, scale(a, t))
        t_rate = dot(sub(c_rate, foot_rate), a) + dot(sub(c, p), a_rate)
        foot_rate = add(add(foot_rate, scale(a_rate, t)), scale(a, t_rate))
    elif other.kind == RING:
        q, q_rate = sub(c, p), sub(c_rate, foot_rate)
        along = dot(q, a)
        out = sub(q, scale(a, along))
        out_rate = sub(q_rate, add(scale(a, dot(q_rate, a) + dot(q, a_rate)), scale(a_rate, along)))
        length = math.sqrt(dot(out, out))
        if length > 0.0:
            u = scale(out, 1.0 / length)
            u_rate = scale(sub(out_rate, scale(u, dot(u, out_rate))), 1.0 / length)
            foot, foot_rate = add(p, scale(u, other.radius)), add(foot_rate, scale(u_rate, other.radius))
    apart = sub(foot, c)
    distance = math.sqrt(dot(apart, apart))
    n, turn = before, (0.0, 0.0, 0.0)
    blown = 0.0 if other.kind == RING else other.radius
    if distance > 0.0:
        n = scale(apart, 1.0 / distance)
        if dot(n, before) < 0.0:
            n, distance = scale(n, -1.0), -distance
        change = sub(foot_rate, c_rate)
        turn = scale(sub(change, scale(n, dot(n, change))), 1.0 / distance)
    x, y = add(c, scale(n, ball.radius)), sub(foot, scale(n, blown))
    x_rate, y_rate = add(c_rate, scale(turn, ball.radius)), sub(foot_rate, scale(turn, blown))
    return n, turn, x, y, x_rate, y_rate, distance - ball.radius - blown


@subroutine
def of_lines(work, one, other, before):
    """As `beside`, of two lines that are not parallel. before: a normal, which says on which side they meet."""
    here, there = work.bodies[one.body], work.bodies[other.body]
    p, a, a_rate = at_present(here, one)
    q, b, b_rate = at_present(there, other)
    n = cross(a, b)
    length = math.sqrt(dot(n, n))
    n = scale(n, (1.0 if dot(n, before) >= 0.0 else -1.0) / max(length, PARALLEL))
    cosine = dot(a, b)
    sine2 = max(1.0 - cosine * cosine, PARALLEL * PARALLEL)
    over_a, over_b = -dot(n, a_rate), -dot(n, b_rate)  # n stays across both
    turn = add(
        scale(a, (over_a - cosine * over_b) / sine2),
        scale(b, (over_b - cosine * over_a) / sine2),
    )
    apart = sub(q, p)
    s = (dot(apart, a) - cosine * dot(apart, b)) / sine2
    t = (cosine * dot(apart, a) - dot(apart, b)) / sine2
    x, y = add(p, scale(a, s)), add(q, scale(b, t))
    distance = dot(n, apart)
    x_own, y_own = velocity_at(here, x), velocity_at(there, y)
    change = sub(sub(y_own, x_own), scale(turn, distance))
    s_rate = (dot(change, a) - cosine * dot(change, b)) / sine2
    t_rate = (cosine * dot(change, a) - dot(change, b)) / sine2
    x_rate = add(add(x_own, scale(a, s_rate)), scale(turn, one.radius))
    y_rate = sub(add(y_own, scale(b, t_rate)), scale(turn, other.radius))
    x, y = add(x, scale(n, one.radius)), sub(y, scale(n, other.radius))
    return n, turn, x, y, x_rate, y_rate, distance - one.radius - other.radius
