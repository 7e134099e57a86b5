# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinematics of a contact point: where two features are nearest, and the velocities of these points.

With the normal n from one feature to the other, the nearest points x and y, and the gap g, y - x = g n at all times.
The rate of the gap is n . (v(y) - v(x)), with the velocities of the bodies there. Its second derivative needs the rates
of n, x and y, which each pair of features has in closed form below. At a point that rolls, x moves otherwise than the
material there.

Source: Montana, The kinematics of contact and grasp, Int. J. Robotics Research 7 (1988); here by the differential of
each pair's closed form.
"""

from __future__ import annotations

import math

from ..compilation.jit import jitable, subroutine
from ..spatial import add, cross, dot, matmul, rotate, rotate_back, scale, sub
from ..spatial.storage import get3, get9, put3
from .points import CIRCULAR, ELLIPSOIDAL, LINEAR, PLANAR, SPHERICAL

MIN_LINE_SINE = 1e-6
"""Sine of the angle below which two lines count as parallel."""


@subroutine
def update_kinematics(work, point):
    """Write the kinematics of a POINT, from the poses and velocities of the bodies in `work`."""
    one, other, side = point.one, point.other, get3(point.start_normal)
    if one.kind == PLANAR:
        n, n_rate, x, y, x_rate, y_rate, gap = nearest_on_face(work, one, other, 1.0)
    elif other.kind == PLANAR:
        n, n_rate, y, x, y_rate, x_rate, gap = nearest_on_face(work, other, one, -1.0)
    elif one.kind == LINEAR and other.kind == LINEAR:
        n, n_rate, x, y, x_rate, y_rate, gap = nearest_on_lines(work, one, other, side)
    elif one.kind == SPHERICAL:
        n, n_rate, x, y, x_rate, y_rate, gap = nearest_to_sphere(work, one, other, side)
    else:
        n, n_rate, y, x, y_rate, x_rate, gap = nearest_to_sphere(work, other, one, scale(side, -1.0))
        n, n_rate = scale(n, -1.0), scale(n_rate, -1.0)
    middle = scale(add(x, y), 0.5)
    put3(point.normal, n)
    put3(point.normal_rate, n_rate)
    put3(point.position, middle)
    put3(point.one_rate, x_rate)
    put3(point.other_rate, y_rate)
    point.gap = gap
    relative_velocity = sub(velocity_at(work.bodies[other.body], middle), velocity_at(work.bodies[one.body], middle))
    point.rate = dot(n, relative_velocity)
    belts = sub(belt_velocity_of(work, other), belt_velocity_of(work, one))
    relative_velocity = add(relative_velocity, belts)
    put3(point.slip_velocity, sub(relative_velocity, scale(n, dot(relative_velocity, n))))
    put3(point.angular_velocity, sub(get3(work.bodies[other.body].velocity), get3(work.bodies[one.body].velocity)))


@jitable
def velocity_at(body, p):
    """Return the velocity of a body's material at a point of space [m/s]."""
    return add(get3(body.velocity, 3), cross(get3(body.velocity), sub(p, get3(body.origin))))


@jitable
def belt_velocity_of(work, feature):
    """Return the velocity of a feature's belt relative to its body, in the world [m/s]."""
    return rotate(get9(work.bodies[feature.body].rotation), get3(feature.belt))


@jitable
def feature_in_world(body, feature):
    """Return a feature's point, its direction, and the rate of the direction, in the world."""
    R = get9(body.rotation)
    along = rotate(R, get3(feature.along))
    return add(get3(body.origin), rotate(R, get3(feature.at))), along, cross(get3(body.velocity), along)


@subroutine
def nearest_on_face(work, face, other, side):
    """Return the kinematics of a plane and another feature.

    side: 1 if the contact normal is the plane's outward normal, -1 if it is opposite.

    Return (normal, its rate, nearest points of plane and feature, their velocities, gap).
    """
    face_body, other_body = work.bodies[face.body], work.bodies[other.body]
    o, m, m_rate = feature_in_world(face_body, face)
    p, rate = farthest_point(other_body, other, scale(m, -1.0), scale(m_rate, -1.0))
    gap = dot(sub(p, o), m)
    foot = sub(p, scale(m, gap))
    gap_rate = dot(m, sub(velocity_at(other_body, p), velocity_at(face_body, foot)))
    foot_rate = sub(rate, add(scale(m, gap_rate), scale(m_rate, gap)))
    return scale(m, side), scale(m_rate, side), foot, p, foot_rate, rate, gap


@subroutine
def farthest_point(body, feature, down, down_rate):
    """Return the point of a feature that is farthest along the unit vector `down`, and its velocity."""
    c, a, a_rate = feature_in_world(body, feature)
    c_rate = velocity_at(body, c)
    if feature.kind == CIRCULAR:
        along = dot(down, a)
        p = sub(down, scale(a, along))
        p_rate = sub(down_rate, add(scale(a, dot(down_rate, a) + dot(down, a_rate)), scale(a_rate, along)))
        length = math.sqrt(dot(p, p))
        if length == 0.0:
            return c, c_rate
        u = scale(p, 1.0 / length)
        u_rate = scale(sub(p_rate, scale(u, dot(u, p_rate))), 1.0 / length)
        return add(c, scale(u, feature.radius)), add(c_rate, scale(u_rate, feature.radius))
    if feature.kind == ELLIPSOIDAL:
        R = matmul(get9(body.rotation), get9(feature.rotation))
        d = rotate_back(R, down)
        s = get3(feature.half)
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
    return add(c, scale(down, feature.radius)), add(c_rate, scale(down_rate, feature.radius))


@subroutine
def nearest_to_sphere(work, sphere, other, previous_normal):
    """Return the kinematics of a vertex or sphere and a sphere, a line or a circle, as `nearest_on_face`.

    previous_normal: an earlier normal, for its sign and for points that coincide.
    """
    sphere_body, other_body = work.bodies[sphere.body], work.bodies[other.body]
    c = feature_in_world(sphere_body, sphere)[0]
    c_rate = velocity_at(sphere_body, c)
    p, a, a_rate = feature_in_world(other_body, other)
    foot, foot_rate = p, velocity_at(other_body, p)
    if other.kind == LINEAR:
        t = dot(sub(c, p), a)
        foot = add(p, scale(a, t))
        t_rate = dot(sub(c_rate, foot_rate), a) + dot(sub(c, p), a_rate)
        foot_rate = add(add(foot_rate, scale(a_rate, t)), scale(a, t_rate))
    elif other.kind == CIRCULAR:
        q, q_rate = sub(c, p), sub(c_rate, foot_rate)
        along = dot(q, a)
        out = sub(q, scale(a, along))
        out_rate = sub(q_rate, add(scale(a, dot(q_rate, a) + dot(q, a_rate)), scale(a_rate, along)))
        length = math.sqrt(dot(out, out))
        if length > 0.0:
            u = scale(out, 1.0 / length)
            u_rate = scale(sub(out_rate, scale(u, dot(u, out_rate))), 1.0 / length)
            foot, foot_rate = add(p, scale(u, other.radius)), add(foot_rate, scale(u_rate, other.radius))
    offset = sub(foot, c)
    distance = math.sqrt(dot(offset, offset))
    n, n_rate = previous_normal, (0.0, 0.0, 0.0)
    rounding = 0.0 if other.kind == CIRCULAR else other.radius
    if distance > 0.0:
        n = scale(offset, 1.0 / distance)
        if dot(n, previous_normal) < 0.0:
            n, distance = scale(n, -1.0), -distance
        relative_velocity = sub(foot_rate, c_rate)
        n_rate = scale(sub(relative_velocity, scale(n, dot(n, relative_velocity))), 1.0 / distance)
    x, y = add(c, scale(n, sphere.radius)), sub(foot, scale(n, rounding))
    x_rate, y_rate = add(c_rate, scale(n_rate, sphere.radius)), sub(foot_rate, scale(n_rate, rounding))
    return n, n_rate, x, y, x_rate, y_rate, distance - sphere.radius - rounding


@subroutine
def nearest_on_lines(work, one, other, previous_normal):
    """Return the kinematics of two lines that are not parallel, as `nearest_on_face`.

    previous_normal: an earlier normal, which tells on which side the other line is.
    """
    body_one, body_other = work.bodies[one.body], work.bodies[other.body]
    p, a, a_rate = feature_in_world(body_one, one)
    q, b, b_rate = feature_in_world(body_other, other)
    n = cross(a, b)
    length = math.sqrt(dot(n, n))
    n = scale(n, (1.0 if dot(n, previous_normal) >= 0.0 else -1.0) / max(length, MIN_LINE_SINE))
    cosine = dot(a, b)
    sine2 = max(1.0 - cosine * cosine, MIN_LINE_SINE * MIN_LINE_SINE)
    over_a, over_b = -dot(n, a_rate), -dot(n, b_rate)  # n stays perpendicular to both
    n_rate = add(
        scale(a, (over_a - cosine * over_b) / sine2),
        scale(b, (over_b - cosine * over_a) / sine2),
    )
    offset = sub(q, p)
    s = (dot(offset, a) - cosine * dot(offset, b)) / sine2
    t = (cosine * dot(offset, a) - dot(offset, b)) / sine2
    x, y = add(p, scale(a, s)), add(q, scale(b, t))
    distance = dot(n, offset)
    x_material, y_material = velocity_at(body_one, x), velocity_at(body_other, y)
    change = sub(sub(y_material, x_material), scale(n_rate, distance))
    s_rate = (dot(change, a) - cosine * dot(change, b)) / sine2
    t_rate = (cosine * dot(change, a) - dot(change, b)) / sine2
    x_rate = add(add(x_material, scale(a, s_rate)), scale(n_rate, one.radius))
    y_rate = sub(add(y_material, scale(b, t_rate)), scale(n_rate, other.radius))
    x, y = add(x, scale(n, one.radius)), sub(y, scale(n, other.radius))
    return n, n_rate, x, y, x_rate, y_rate, distance - one.radius - other.radius
