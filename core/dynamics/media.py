# SPDX-License-Identifier: GPL-3.0-or-later
"""What surrounds bodies: drag that brakes them, and no gravity where it is switched off."""

from __future__ import annotations

from ..jit import jitable
from ..spatial import cross, dot, inertia_rotate, momentum, pair_add, power, rotate, scale, sub
from ..spatial.storage import get3, get6, get9, get_pair, put_pair


@jitable
def add_medium_forces(model, work):
    """Add to the bodies' `force` what it takes to move through their media.

    Returns the powers that drag takes away and that the wind brings in [W].

    `force` is what a body's motion asks for; gravity is an acceleration of the world upward, so what it does not pull
    at asks for so much less.
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
