# SPDX-License-Identifier: GPL-3.0-or-later
"""Drag of bodies in a medium that may move as wind, and links without weight."""

from __future__ import annotations

from ..compilation.jit import jitable
from ..spatial import cross, dot, inertia_rotate, momentum, pair_add, power, rotate, scale, sub
from ..spatial.storage import get3, get6, get9, get_pair, put_pair


@jitable
def add_medium_forces(model, work):
    """Add drag, and the correction for links without weight, to the bias forces of bodies.

    Return (power dissipated by drag, power supplied by wind) [W]. Gravity is an upward acceleration of the world, which
    acts on all mass. So the weight of links without gravity is subtracted again.
    """
    lost, gained = 0.0, 0.0
    gravity, wind = get3(model.gravity), get3(model.wind)
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        own = work.bodies[medium.body]
        R = get9(own.rotation)
        turning, moving = get_pair(own.velocity)
        velocity = turning, sub(moving, wind)
        drag = (medium.drag, get3(medium.drag_moment), get6(medium.drag_inertia))
        brake = momentum(inertia_rotate(R, drag), velocity)
        lost += power(velocity, brake)
        gained -= dot(wind, brake[1])
        moment = rotate(R, get3(medium.weightless_moment))
        lift = cross(moment, gravity), scale(gravity, medium.weightless_mass)
        put_pair(own.force, pair_add(get_pair(own.force), pair_add(brake, lift)))
    return lost, gained
