# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag of bodies in a medium that may move as wind, and links without weight."""

from __future__ import annotations

from ..compilation.jit import jitable
from ..spatial import cross, dot, inertia_rotate, momentum, pair_add, power, rotate, scale, sub
from ..spatial.storage import get3, get6, get9, get_pair, put_pair


@jitable
def add_medium_forces(model, work):
    """Add drag, and the correction for links without weight, to the bias forces of bodies.

    Return (power dissipated by drag, power supplied by wind) [W]. Gravity enters the dynamics as an upward acceleration
    of the world, which acts on all mass. So the weight of links without gravity is removed here.
    """
    dissipated, supplied = 0.0, 0.0
    gravity, wind = get3(model.gravity), get3(model.wind)
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        body_work = work.bodies[medium.body]
        R = get9(body_work.rotation)
        angular, linear = get_pair(body_work.velocity)
        velocity = angular, sub(linear, wind)
        drag_inertia = (medium.drag, get3(medium.drag_moment), get6(medium.drag_inertia))
        drag_bias = momentum(inertia_rotate(R, drag_inertia), velocity)
        dissipated += power(velocity, drag_bias)
        supplied -= dot(wind, drag_bias[1])
        moment = rotate(R, get3(medium.weightless_moment))
        weight_bias = cross(moment, gravity), scale(gravity, medium.weightless_mass)
        put_pair(body_work.force, pair_add(get_pair(body_work.force), pair_add(drag_bias, weight_bias)))
    return dissipated, supplied
