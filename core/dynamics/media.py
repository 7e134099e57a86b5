"""What surrounds bodies: drag that brakes them, and no gravity where it is switched off."""

from __future__ import annotations

from ..jit import jitable
from ..kinematics.work import get3, get6, get9, get_pair, put_pair
from ..spatial import cross, inertia_rotate, momentum, pair_add, power, rotate, scale


@jitable
def surround(model, work):
    """Add to the bodies' `force` what it takes to move through their media. Returns the power that drag takes [W].

    `force` is what a body's motion asks for; gravity is an acceleration of the world upward, so what it does not pull
    at asks for so much less.
    """
    lost = 0.0
    gravity = get3(model.gravity)
    for m in range(model.media.shape[0]):
        medium = model.media[m]
        own = work.bodies[medium.body]
        R = get9(own.rotation)
        velocity = get_pair(own.velocity)
        drag = (medium.drag, get3(medium.drag_moment), get6(medium.drag_inertia))
        brake = momentum(inertia_rotate(R, drag), velocity)
        lost += power(velocity, brake)
        moment = rotate(R, get3(medium.afloat_moment))
        lift = cross(moment, gravity), scale(gravity, medium.afloat)
        put_pair(own.force, pair_add(get_pair(own.force), pair_add(brake, lift)))
    return lost
